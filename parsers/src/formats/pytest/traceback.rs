//! The inside of a failure block: which exception ended it, and where.
//!
//! pytest prints tracebacks in several styles. `long`, `short` and `line` mark the lines of the exception with `E` in
//! the first column; `native` is Python's own. After the traceback come sections of captured output, which say nothing
//! about the failure, whatever they hold.

use bstr::ByteSlice;
use memchr::memmem;

use crate::Kind;
use crate::bounded::Bounded;
use crate::python::{self, Scope};
use crate::text::{lossy, number};

/// Files of which the last line is remembered. Recursion repeats files; a traceback through more is rare.
const MOST_FILES: usize = 16;

/// What was read of one traceback so far. Of a chain only the last one stays.
#[derive(Debug, Clone, Default)]
pub(super) struct Traceback {
    /// The lines marked `E`.
    said: Bounded,
    indent: usize,
    in_said: bool,
    /// The class in the line that ends the block: `tests/test_a.py:7: AssertionError`.
    class: Option<String>,
    /// The last place in each file, in the order of their last mention.
    places: Vec<(String, u32)>,
    /// The method of the test, and in which part of it the outermost entry lies that tells.
    method: String,
    scope: Option<Scope>,
    native: Native,
    /// Lines before any traceback: the whole text of a failure that has none.
    raw: Bounded,
    has_traceback: bool,
    captured: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Native {
    #[default]
    No,
    Frames,
    Said,
    Done,
}

impl Traceback {
    /// For the failure of a test with this method.
    pub(super) fn of_test(method: &str) -> Self {
        Self { method: method.to_owned(), ..Self::default() }
    }

    /// Takes the next line of the block.
    pub(super) fn line(&mut self, text: &[u8]) {
        if self.captured {
            return;
        }
        let was_said = std::mem::take(&mut self.in_said);
        // A native traceback prints messages as they are, with whatever their lines start.
        if let Some(said) = marked(text).filter(|_| matches!(self.native, Native::No | Native::Done)) {
            self.marked_line(said, was_said);
            return;
        }
        if python::is_chain(text) {
            let method = std::mem::take(&mut self.method);
            *self = Self { method, has_traceback: true, ..Self::default() };
        } else if python::is_traceback(text) && self.native != Native::Frames {
            self.said.clear();
            self.places.clear();
            self.scope = None;
            self.native = Native::Frames;
            self.has_traceback = true;
        } else if matches!(self.native, Native::Frames | Native::Said) && self.native_line(text) {
        } else if let Some((file, line, after)) = place(text) {
            self.place(file, line);
            match after.strip_prefix(b"in ") {
                Some(function) => self.enter(function),
                None if !after.is_empty() && !after.contains(&b' ') => {
                    self.class = Some(lossy(after).into_owned());
                }
                None => {}
            }
            self.has_traceback |= !after.is_empty();
        } else if let Some(source) = text.strip_prefix(b"    ").or_else(|| text.strip_prefix(b">   ")) {
            if let Some(def) = source.strip_prefix(b"def ").or_else(|| source.strip_prefix(b"async def ")) {
                self.enter(def);
            }
            self.has_traceback |= text.starts_with(b">");
        } else if self.raw.is_empty() && text.starts_with(b"[gw") {
            // The worker's name heads each block.
        } else if !(self.has_traceback || text.is_empty() && self.raw.is_empty()) {
            self.raw.line(text);
        }
    }

    /// Output that the test printed follows.
    pub(super) fn captured(&mut self) {
        self.captured = true;
    }

    pub(super) fn is_captured(&self) -> bool {
        self.captured
    }

    fn marked_line(&mut self, said: &[u8], was_said: bool) {
        let indent = said.iter().take_while(|byte| **byte == b' ').count();
        let text = said.trim_ascii();
        // A syntax error is printed with its source first: `File …`, the line, a mark; the exception stands further
        // to the left.
        let outdented = was_said && indent < self.indent && !text.is_empty();
        if !was_said || outdented {
            self.said.clear();
            self.indent = indent;
        }
        if let Some((file, line, _)) = python::frame(said).filter(|_| !was_said) {
            self.place(file, line);
        }
        self.said.line(said.get(self.indent.min(indent)..).unwrap_or(b""));
        self.in_said = true;
        self.has_traceback = true;
    }

    /// Whether the line belongs to a native traceback.
    fn native_line(&mut self, text: &[u8]) -> bool {
        let inner = text.strip_prefix(b"  | ").unwrap_or(text);
        if self.native == Native::Said {
            let over = place(text).is_some() || text.starts_with(b"  +-") || text.is_empty();
            if over {
                self.native = Native::Done;
                return text.is_empty() || text.starts_with(b"  +-");
            }
            self.said.line(inner);
        } else if let Some((file, line, function)) = python::frame(inner) {
            self.place(file, line);
            self.enter(function);
        } else if !inner.is_empty() && !inner.starts_with(b"  ") {
            self.native = Native::Said;
            self.said = Bounded::of(inner);
        }
        true
    }

    fn place(&mut self, file: &[u8], line: u32) {
        let file = lossy(file).into_owned();
        self.places.retain(|(known, _)| *known != file);
        if self.places.len() == MOST_FILES {
            self.places.remove(1);
        }
        self.places.push((file, line));
    }

    fn enter(&mut self, function: &[u8]) {
        if self.scope.is_none() {
            let in_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
            let name = function.split(|byte| !in_name(byte)).next().unwrap_or(b"");
            self.scope = Scope::of(name, self.method.as_bytes());
        }
    }

    /// Whether anything was read that only a failure has.
    pub(super) fn is_failure(&self) -> bool {
        self.has_traceback || !self.said.is_empty()
    }

    /// `Class: message` as printed, or the message alone.
    pub(super) fn said(&self) -> &str {
        self.said.as_str()
    }

    /// The class that the last line of the block names.
    pub(super) fn class(&self) -> Option<&str> {
        self.class.as_deref()
    }

    /// The whole text of a failure without a traceback.
    pub(super) fn raw(&self) -> &str {
        if self.has_traceback { "" } else { self.raw.as_str() }
    }

    pub(super) fn cut(&self) -> bool {
        self.said.is_cut() || self.raw.is_cut()
    }

    /// `Setup` or `Teardown`, where an entry lies in a hook of a `unittest` class.
    pub(super) fn hook(&self) -> Option<Kind> {
        self.scope.and_then(Scope::kind)
    }

    /// The deepest place in this file, else the deepest of all.
    pub(super) fn deepest_in(&self, file: &str) -> Option<&(String, u32)> {
        self.places.iter().rev().find(|(known, _)| is_same_file(known, file)).or(self.places.last())
    }

    /// The deepest place in a file of the project, which is printed from the folder of the call; else as above.
    /// Assertion libraries lie elsewhere, or are installed in the project.
    pub(super) fn deepest_of_project(&self, file: &str) -> Option<&(String, u32)> {
        let elsewhere = |path: &str| {
            path.starts_with(['/', '<'])
                || path.get(1..2) == Some(":")
                || path.split(['/', '\\']).any(|part| part == ".." || part == "site-packages")
        };
        self.places.iter().rev().find(|(path, _)| !elsewhere(path)).or_else(|| self.deepest_in(file))
    }

    /// Whether an entry lies in this file.
    pub(super) fn touches(&self, file: &str) -> bool {
        self.places.iter().any(|(known, _)| is_same_file(known, file))
    }

    /// The file of the outermost entry.
    pub(super) fn first_file(&self) -> Option<&str> {
        self.places.first().map(|(file, _)| file.as_str())
    }
}

/// Paths are printed from the folder of the call, ids from that of the configuration: one may end with the other.
pub(super) fn is_same_file(one: &str, other: &str) -> bool {
    let (long, short) = if one.len() >= other.len() { (one, other) } else { (other, one) };
    !short.is_empty() && long.strip_suffix(short).is_some_and(|head| head.is_empty() || head.ends_with('/'))
}

/// What stands after the `E` in the first column. A local variable of that name is none: `E          = 5`.
fn marked(text: &[u8]) -> Option<&[u8]> {
    let rest = text.strip_prefix(b"E")?;
    let is_mark = rest.is_empty() || rest.starts_with(b"  ");
    (is_mark && !rest.starts_with(b"          = ")).then_some(rest)
}

/// Reads `path:7: after`, `path:7`.
pub(super) fn place(text: &[u8]) -> Option<(&[u8], u32, &[u8])> {
    // A file name ends the path, so that a blank in front of the number or a log line's clock is none.
    if text.first().is_none_or(|byte| byte.is_ascii_whitespace()) {
        return None;
    }
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| memchr::memchr(b':', rest)) {
        let colon = from + at;
        if let Some((line, rest)) = number(text.get(colon + 1..)?)
            && let Some(rest) = if rest.is_empty() { Some(rest) } else { rest.strip_prefix(b":") }
            && matches!(rest.first(), None | Some(b' '))
        {
            let path = text.get(..colon)?;
            let is_path =
                memmem::find(path, b".py").is_some() || path.contains(&b'/') || path.contains(&b'.');
            let line = u32::try_from(line).ok()?;
            return is_path.then(|| (path, line, rest.trim_with(|char| char == ' ')));
        }
        from = colon + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Traceback {
        let mut traceback = Traceback::default();
        for line in text.lines() {
            traceback.line(line.as_bytes());
        }
        traceback
    }

    #[test]
    fn the_last_of_a_chain_counts() {
        let traceback = read(
            "    def test_a():\n>       1/0\nE       ZeroDivisionError: x\n\na.py:2: ZeroDivisionError\n\nDuring handling of the above exception, another exception occurred:\n\n    def test_a():\n>       raise K('y')\nE       K: y\nE       more\n\na.py:4: K",
        );
        assert_eq!((traceback.said(), traceback.class()), ("K: y\nmore", Some("K")));
        assert_eq!(traceback.deepest_in("a.py"), Some(&("a.py".to_owned(), 4)));
    }

    #[test]
    fn an_assertion_is_told_where_it_stands() {
        let check = |deepest: &str, wanted: (&str, u32)| {
            let text = format!(
                "    def test_a():\n>       same(1, 2)\n\na.py:2: \n_ _ _ _\n>       assert a == b\nE       assert 1 == 2\n\n{deepest}:7: AssertionError"
            );
            let place = read(&text).deepest_of_project("a.py").cloned();
            assert_eq!(place, Some((wanted.0.to_owned(), wanted.1)), "{deepest}");
        };
        check("helpers/same.py", ("helpers/same.py", 7));
        check("a.py", ("a.py", 7));
        for installed in
            ["/usr/lib/python3.11/unittest/mock.py", "../lib/same.py", ".venv/lib/site-packages/np/t.py"]
        {
            check(installed, ("a.py", 2));
        }
        check("C:\\Python\\mock.py", ("a.py", 2));
    }

    #[test]
    fn a_syntax_error_stands_below_its_source() {
        let traceback =
            read("E     File \"/x/a.py\", line 3\nE       def f(:\nE             ^\nE   SyntaxError: bad");
        assert_eq!(traceback.said(), "SyntaxError: bad");
        assert_eq!(traceback.deepest_in("a.py"), Some(&("/x/a.py".to_owned(), 3)));
    }

    #[test]
    fn a_local_called_e_says_nothing() {
        let traceback =
            read("E   KeyError: 1\n\nE          = 'AssertionError'\nx          = 1\n\na.py:4: KeyError");
        assert_eq!(traceback.said(), "KeyError: 1");
    }

    #[test]
    fn native_tracebacks_end_with_the_exception() {
        let traceback = read(
            "Traceback (most recent call last):\n  File \"/x/a.py\", line 2, in test_a\n    f()\n    ^^^\n  File \"/x/b.py\", line 3, in f\n    raise V\nV: one\ntwo",
        );
        assert_eq!(traceback.said(), "V: one\ntwo");
        assert_eq!(traceback.deepest_in("a.py"), Some(&("/x/a.py".to_owned(), 2)));
        let group = read(
            "  + Exception Group Traceback (most recent call last):\n  |   File \"/x/a.py\", line 2, in test_a\n  |     raise\n  | ExceptionGroup: eg (1 sub-exception)\n  +-+---------------- 1 ----------------\n    | AssertionError: a\n    +------------------------------------",
        );
        assert_eq!(group.said(), "ExceptionGroup: eg (1 sub-exception)");
    }

    #[test]
    fn the_outermost_entry_that_tells_names_the_hook() {
        let hook = |text: &str| {
            let mut traceback = Traceback::of_test("test_a");
            text.lines().for_each(|line| traceback.line(line.as_bytes()));
            traceback.hook()
        };
        let native = |functions: &[&str]| {
            let frames =
                functions.iter().map(|name| format!("\n  File \"/x/a.py\", line 2, in {name}\n    f()"));
            format!("Traceback (most recent call last):{}\nV: x", frames.collect::<String>())
        };
        assert_eq!(hook(&native(&["run", "setUp", "test_a"])), Some(Kind::Setup));
        assert_eq!(hook(&native(&["run", "test_a", "setUp"])), None);
        assert_eq!(
            hook("a.py:3: in tearDown\n    self.f()\na.py:5: in f\n    1/0\nE   V: x"),
            Some(Kind::Teardown)
        );
        assert_eq!(hook("    def setUp(self):\n>       self.f()\n\na.py:3: \nE   V: x"), Some(Kind::Setup));
        // The traceback that ended it decides.
        let chain = "\n\nDuring handling of the above exception, another exception occurred:\n\n";
        assert_eq!(hook(&[native(&["setUp"]), native(&["test_a"])].join(chain)), None);
    }

    #[test]
    fn places_are_files_with_a_line() {
        assert_eq!(place(b"a b/c.py:7: in f"), Some((&b"a b/c.py"[..], 7, &b"in f"[..])));
        assert_eq!(place(b"C:\\a.py:7: X"), Some((&b"C:\\a.py"[..], 7, &b"X"[..])));
        assert_eq!(place(b"a.py:8: "), Some((&b"a.py"[..], 8, &b""[..])));
        assert_eq!(place(b"12:30:01: x"), None);
        assert_eq!(place(b"    a.py:8: x"), None);
    }
}

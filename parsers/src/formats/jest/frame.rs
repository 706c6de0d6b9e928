//! The piece of source that jest prints below an error, with the place marked where it was thrown.
//!
//! ```text
//!   1 | beforeEach(() => {
//! > 2 |   expect(box.open).toBe(true);
//!     |                    ^
//!   3 | });
//! ```
//!
//! A hook that fails is named nowhere else: its error is printed as that of the test.

use crate::text::{lossy, number};

/// So much of a line is looked at; a minified source is one line.
const LONGEST: usize = 2000;
/// A frame has six lines.
const MOST_LINES: usize = 12;

/// The frame that was printed last.
#[derive(Debug, Clone, Default)]
pub(super) struct CodeFrame {
    lines: Vec<Source>,
    /// Where the marked line is among them.
    marked: Option<usize>,
    /// The column that is pointed at, in bytes of the marked line.
    caret: Option<usize>,
}

#[derive(Debug, Clone)]
struct Source {
    number: u64,
    code: String,
}

/// What the source around the marked place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In `beforeAll` or `beforeEach`.
    Setup,
    /// In `afterAll` or `afterEach`.
    Teardown,
    /// In the body of a test.
    Test,
}

/// What stands where the caret points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pointed {
    /// `new Error(…)`: the text is that of this error.
    PlainError,
    /// A matcher of `expect`.
    Matcher,
}

impl CodeFrame {
    /// Takes a line without the four blanks of a message. Whether it is one of a frame.
    pub(super) fn line(&mut self, text: &[u8]) -> bool {
        let text = text.get(..LONGEST).unwrap_or(text);
        let (is_marked, rest) = match text {
            [b'>', b' ', rest @ ..] => (true, rest),
            [b' ', b' ', rest @ ..] => (false, rest),
            _ => return false,
        };
        let rest = rest.trim_ascii_start();
        let Some((number, rest)) = number(rest) else { return !is_marked && self.caret(text) };
        let code = match rest {
            b" |" => &[][..],
            [b' ', b'|', b' ', code @ ..] => code,
            _ => return false,
        };
        if self.lines.last().is_some_and(|last| last.number.checked_add(1) != Some(number))
            || self.lines.len() >= MOST_LINES
        {
            *self = Self::default();
        }
        if is_marked {
            (self.marked, self.caret) = (Some(self.lines.len()), None);
        }
        self.lines.push(Source { number, code: lossy(code).into_owned() });
        true
    }

    /// `    |      ^`
    fn caret(&mut self, text: &[u8]) -> bool {
        let Some(bar) = memchr::memchr(b'|', text) else { return false };
        let (before, after) = text.split_at(bar);
        let blanks = after.get(1..).unwrap_or_default();
        let at = blanks.len() - blanks.trim_ascii_start().len();
        let is_caret = before.trim_ascii().is_empty() && blanks.get(at) == Some(&b'^');
        if is_caret && let Some(marked) = self.marked.and_then(|marked| self.lines.get(marked)) {
            // The columns are characters.
            let column = at.saturating_sub(1);
            self.caret = marked.code.char_indices().nth(column).map(|(at, _)| at);
        }
        is_caret && self.marked.is_some()
    }

    /// The line of the source that is marked.
    pub(super) fn marked_line(&self) -> Option<u32> {
        let marked = self.lines.get(self.marked?)?;
        u32::try_from(marked.number).ok()
    }

    /// Whether the source has this text.
    pub(super) fn shows(&self, text: &str) -> bool {
        self.lines.iter().any(|line| line.code.contains(text))
    }

    /// What the marked place is in, as far as the frame shows. Of a thrown value that is no error, the hook or test is
    /// marked itself.
    pub(super) fn place(&self, of_value: bool) -> Option<Place> {
        let marked = self.marked?;
        let line = self.lines.get(marked)?;
        let (before, at) =
            line.code.split_at_checked(self.caret.unwrap_or(line.code.len())).unwrap_or((&line.code, ""));
        if let Some(hook) = hook_at(at).filter(|_| of_value) {
            return Some(hook);
        }
        match opens(before) {
            Opens::Place(place) => return Some(place),
            Opens::Describe => return None,
            Opens::Nothing => {}
        }
        let mut indent = indent_of(&line.code);
        for line in self.lines.get(..marked)?.iter().rev() {
            let code = line.code.trim();
            if code.is_empty() || indent_of(&line.code) >= indent {
                continue;
            }
            indent = indent_of(&line.code);
            if !code.ends_with(['{', '(', '>', ',', '[']) {
                continue;
            }
            match opens(code) {
                Opens::Place(place) => return Some(place),
                Opens::Describe => return None,
                Opens::Nothing => {}
            }
        }
        None
    }

    /// What the caret points at, where that tells something.
    pub(super) fn pointed(&self) -> Option<Pointed> {
        let code = &self.lines.get(self.marked?)?.code;
        let (before, at) = code.split_at_checked(self.caret?)?;
        if at.starts_with("new Error(") || at.starts_with("Error(") && !before.ends_with('.') {
            return Some(Pointed::PlainError);
        }
        if at.starts_with("fail(") && !before.ends_with('.') {
            return Some(Pointed::Matcher);
        }
        let chain = before.trim_end().strip_suffix('.')?;
        let name: String = at.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let is_matcher = name.strip_prefix("to").is_some_and(|rest| rest.starts_with(char::is_uppercase));
        // The chain may have begun on a line before, and so may the value in its parentheses.
        let bare = without_modifiers(chain.trim());
        let continues = bare.chars().all(|c| matches!(c, ')' | '}' | ']' | ','))
            && (is_matcher || matches!(name.as_str(), "not" | "resolves" | "rejects"));
        (continues || is_closed_expect(chain)).then_some(Pointed::Matcher)
    }
}

fn hook_at(code: &str) -> Option<Place> {
    let (word, _) = code.split_once('(')?;
    match word {
        "beforeAll" | "beforeEach" => Some(Place::Setup),
        "afterAll" | "afterEach" => Some(Place::Teardown),
        _ => None,
    }
}

/// Whether the text ends with a call of `expect` that is closed, and perhaps `.not` and its kin.
fn is_closed_expect(chain: &str) -> bool {
    let chain = without_modifiers(chain);
    if !chain.ends_with(')') {
        return false;
    }
    let mut depth = 0_u32;
    for (at, byte) in chain.bytes().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    let head = chain.get(..at).unwrap_or("");
                    return head.ends_with("expect") || head.ends_with("expect.soft");
                }
            }
            _ => {}
        }
    }
    false
}

/// The chain without `.not` and its kin at the end.
fn without_modifiers(mut chain: &str) -> &str {
    while let Some(shorter) =
        [".not", ".resolves", ".rejects"].iter().find_map(|word| chain.strip_suffix(word))
    {
        chain = shorter;
    }
    chain
}

fn indent_of(code: &str) -> usize {
    code.len() - code.trim_start().len()
}

enum Opens {
    Place(Place),
    Describe,
    /// Also a function, as what stands around it tells who calls it.
    Nothing,
}

/// What the last opening call of a piece of code opens.
fn opens(code: &str) -> Opens {
    let bare = without_strings(code);
    let mut found = Opens::Nothing;
    let mut before = ' ';
    let mut rest = bare.as_str();
    while let Some(first) = rest.chars().next() {
        let len = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').unwrap_or(rest.len());
        if len == 0 {
            before = first;
            rest = rest.get(first.len_utf8()..).unwrap_or("");
            continue;
        }
        let (word, after) = rest.split_at(len);
        let calls = after.starts_with('(');
        let named = calls || after.starts_with('.') || after.starts_with('`');
        match word {
            _ if before == '.' => {}
            "beforeAll" | "beforeEach" if calls => found = Opens::Place(Place::Setup),
            "afterAll" | "afterEach" if calls => found = Opens::Place(Place::Teardown),
            "test" | "it" | "xit" | "fit" | "xtest" if named => found = Opens::Place(Place::Test),
            "describe" | "xdescribe" | "fdescribe" if named => found = Opens::Describe,
            _ => {}
        }
        before = 'x';
        rest = after;
    }
    found
}

/// The code with nothing between quotes.
fn without_strings(code: &str) -> String {
    let mut bare = String::with_capacity(code.len());
    let mut quote = None;
    let mut escaped = false;
    for c in code.chars() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(open) if c == open => {
                quote = None;
                bare.push(c);
            }
            Some(_) => {}
            None => {
                if matches!(c, '"' | '\'' | '`') {
                    quote = Some(c);
                }
                bare.push(c);
            }
        }
    }
    bare
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(text: &str) -> CodeFrame {
        let mut frame = CodeFrame::default();
        for line in text.lines() {
            assert!(frame.line(line.as_bytes()), "{line}");
        }
        frame
    }

    #[track_caller]
    fn place(text: &str, want: Option<Place>) {
        assert_eq!(frame(text).place(false), want, "{text}");
    }

    #[test]
    fn the_nearest_block_around_the_mark_decides() {
        place(
            "  1 | beforeEach(() => {\n> 2 |   expect(1).toBe(2);\n    |             ^\n  3 | });",
            Some(Place::Setup),
        );
        assert_eq!(frame("> 1 | afterEach(() => {\n    | ^").place(true), Some(Place::Teardown));
        place(
            "> 1 | afterAll(() => { throw new Error(\"x\"); });\n    |                        ^",
            Some(Place::Teardown),
        );
        place(
            "  1 | beforeEach(() => {});\n> 2 | test(\"a\", () => { x(); });\n    |                   ^",
            Some(Place::Test),
        );
        place(
            "  1 |   beforeAll(async () => {\n  2 |     for (const x of xs) {\n> 3 |       check(x);\n    |       ^",
            Some(Place::Setup),
        );
        place(
            "  1 |   it.each([1])(\"a\", (n) => {\n  2 |\n> 3 |     expect(n).toBe(2);\n    |               ^",
            Some(Place::Test),
        );
    }

    #[test]
    fn a_function_is_in_what_stands_around_it() {
        place(
            "  1 | beforeAll(async function open() {\n> 2 |   throw new Error(1);\n    |         ^",
            Some(Place::Setup),
        );
        place(
            "  1 | afterEach(() => {\n  2 |   const shut = (box) => {\n> 3 |     box.shut();\n    |         ^",
            Some(Place::Teardown),
        );
        place(
            "  1 | describe(\"a\", () => {\n  2 |   function open() {\n> 3 |     throw 1;\n    |     ^",
            None,
        );
    }

    #[test]
    fn a_block_that_is_closed_or_only_named_is_not_around_it() {
        place("  1 | beforeEach(() => { x(); });\n> 2 |   check(1);\n    |   ^", None);
        place(
            "> 1 | test(\"beforeEach(\", () => { x(); });\n    |                             ^",
            Some(Place::Test),
        );
        place(
            "  1 | beforeEach(() => {\n  2 |   x();\n  3 | });\n> 4 | describe(\"a\", () => { x(); });\n    |                       ^",
            None,
        );
        place("  1 | const open = (box) => {\n> 2 |   expect(box).toBe(1);\n    |               ^", None);
        place("  1 | function open(box) {\n> 2 |   expect(box).toBe(1);\n    |               ^", None);
        place("  1 | other.beforeEach(() => {\n> 2 |   x();\n    |   ^", None);
    }

    #[track_caller]
    fn pointed(code: &str, at: &str, want: Option<Pointed>) {
        let text = format!("> 12 | {code}\n     | {}^", " ".repeat(code.find(at).unwrap()));
        assert_eq!(frame(&text).pointed(), want, "{code} at {at}");
    }

    #[test]
    fn the_caret_tells_a_matcher_from_an_error() {
        pointed("expect(f(1)).toBeEven();", "toBeEven", Some(Pointed::Matcher));
        pointed("await expect(p).rejects.toThrow();", "toThrow", Some(Pointed::Matcher));
        pointed("    .toBe(2)", "toBe", Some(Pointed::Matcher));
        pointed(").toBeEven();", "toBeEven", Some(Pointed::Matcher));
        pointed("  }]).not.toBeEven();", "toBeEven", Some(Pointed::Matcher));
        pointed("  } + x).toBeEven();", "toBeEven", None);
        pointed("}).open();", "open", None);
        pointed("throw new Error(\"expect(1).toBe(2)\");", "new", Some(Pointed::PlainError));
        pointed("expect(box.lid.open).toBe(true);", "open", None);
        pointed("throw new LidError(1);", "new", None);
        pointed("x.toString();", "toString", None);
        pointed("box.open();", "open", None);
        pointed("fail(\"no\");", "fail", Some(Pointed::Matcher));
    }

    #[test]
    fn text_is_no_frame() {
        for line in ["", "1 | x", "  x | y", "> x | y", "  12 x", "    | x", "  1|x"] {
            assert!(!CodeFrame::default().line(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn the_last_frame_counts() {
        let frame = frame("> 1 | a(\n> 7 | test(\"x\", () => {\n  8 | b");
        assert_eq!((frame.marked_line(), frame.lines.len()), (Some(7), 2));
    }
}

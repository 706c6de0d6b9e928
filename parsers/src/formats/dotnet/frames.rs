//! The frames of a stack trace: whose code they are in.

use memchr::memmem;

use crate::text::{lossy, number};

/// So many frames of one failure are kept. The innermost come first; what matters is among them.
const MOST: usize = 64;

/// One line of a stack trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Frame {
    /// Namespace, class and method.
    pub(super) method: String,
    pub(super) file: Option<String>,
    pub(super) line: Option<u32>,
    /// Which of the stack traces: 0 is the first, each inner one has a number of its own.
    pub(super) part: u32,
}

/// The frames of one failure.
#[derive(Debug, Default)]
pub(super) struct Frames {
    list: Vec<Frame>,
    part: u32,
}

impl Frames {
    /// Takes a line of a stack trace and says whether it was a frame. `any_word`: the word before the method is in the
    /// language of the console.
    pub(super) fn line(&mut self, text: &[u8], any_word: bool) -> bool {
        let bare = text.trim_ascii_start();
        if bare.starts_with(b"----- Inner Stack Trace") || bare.starts_with(b"--->") {
            self.part += 1;
            return true;
        }
        if bare.starts_with(b"--- ") || bare.starts_with(b"--") && !bare.contains(&b' ') {
            return true;
        }
        let Some(frame) = frame(bare, any_word) else { return false };
        if self.list.len() < MOST {
            self.list.push(Frame { part: self.part, ..frame });
        }
        true
    }

    /// Those of one of the stack traces.
    pub(super) fn of(&self, part: u32) -> impl Iterator<Item = &Frame> {
        self.list.iter().filter(move |frame| frame.part == part)
    }

    pub(super) fn all(&self) -> &[Frame] {
        &self.list
    }
}

fn frame(bare: &[u8], any_word: bool) -> Option<Frame> {
    // NUnit numbers the traces of several assertions: `1)    at …`.
    let bare = match bare {
        [b'1'..=b'9', b')', rest @ ..] => rest.trim_ascii_start(),
        _ => bare,
    };
    let (place, call) = if let Some(call) = bare.strip_prefix(b"at ") {
        (None, call)
    } else if let Some(at) = memmem::find(bare, b"): at ") {
        (bare.get(..at), bare.get(at + 6..)?)
    } else if any_word {
        let at = memchr::memchr(b' ', bare)?;
        (None, bare.get(at + 1..)?)
    } else {
        return None;
    };
    let (head, source) = match memmem::rfind(call, b") ") {
        Some(at) => (call.get(..at + 1)?, call.get(at + 2..)),
        None => (call, None),
    };
    let open = memchr::memrchr(b'(', head)?;
    let method = head.get(..open)?;
    if method.is_empty() || !method.contains(&b'.') || !head.ends_with(b")") {
        return None;
    }
    let (file, line) = match (place, source) {
        (Some(place), _) => {
            let at = memchr::memrchr(b'(', place)?;
            (place.get(..at), place.get(at + 1..).and_then(number))
        }
        (None, Some(source)) => located(source),
        (None, None) => (None, None),
    };
    Some(Frame {
        method: lossy(method).into_owned(),
        file: file.map(|file| lossy(file).into_owned()),
        line: line.and_then(|(line, _)| u32::try_from(line).ok()).filter(|line| *line > 0),
        part: 0,
    })
}

type Located<'t> = (Option<&'t [u8]>, Option<(u64, &'t [u8])>);

/// `in /w/X.cs:line 7`, and the platform's `in /w/X.cs:7`.
fn located(source: &[u8]) -> Located<'_> {
    let path = memchr::memchr(b' ', source).and_then(|at| source.get(at + 1..)).unwrap_or_default();
    if let Some(at) = memmem::rfind(path, b":line ") {
        return (path.get(..at), path.get(at + 6..).and_then(number));
    }
    match memchr::memrchr(b':', path) {
        Some(at) => (path.get(..at), path.get(at + 1..).and_then(number)),
        None => (None, None),
    }
}

/// A test as its frames would name it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Test<'t> {
    id: &'t str,
    /// The id without its arguments.
    bare: &'t str,
}

impl<'t> Test<'t> {
    pub(super) fn new(id: &'t str) -> Self {
        let bare = id.find('(').map_or(id, |at| id.get(..at).unwrap_or(id)).trim_end();
        Self { id, bare }
    }

    /// The class that the frame names, if it is one of the test's own method.
    pub(super) fn class_in(self, frame: &Frame) -> Option<String> {
        let method = frame.method.replace('+', ".");
        for name in [self.id, self.bare] {
            let name = name.replace('+', ".");
            if method == name {
                return Some(parent(&method).to_owned());
            }
            // The console may print the method alone.
            if let Some(class) = method.strip_suffix(name.as_str()).and_then(|class| class.strip_suffix('.'))
            {
                return Some(class.to_owned());
            }
            // Bodies of lambdas, and those that wait for something, are methods of classes that the compiler made.
            let short = name.rsplit('.').next().unwrap_or(&name);
            if short.is_empty() {
                continue;
            }
            let (Some(at), qualified) = (method.find(&format!("<{short}>")), name.contains('.')) else {
                continue;
            };
            let class = method.get(..at).unwrap_or("").trim_end_matches('.').trim_end_matches(".<>c");
            if !qualified || class == parent(&name) {
                return Some(class.to_owned());
            }
        }
        None
    }

    /// Whether the console prints its method alone.
    pub(super) fn is_bare(self) -> bool {
        parent(self.bare).is_empty()
    }
}

/// What stands before the last full stop.
fn parent(name: &str) -> &str {
    let end = name.find(' ').unwrap_or(name.len());
    let at = name.get(..end).and_then(|name| name.rfind('.'));
    at.and_then(|at| name.get(..at)).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(String, Option<String>, Option<u32>)> {
        let mut frames = Frames::default();
        frames.line(text.as_bytes(), text.starts_with("    "));
        frames.all().first().map(|frame| (frame.method.clone(), frame.file.clone(), frame.line))
    }

    #[track_caller]
    fn check(text: &str, method: &str, file: Option<&str>, line: Option<u32>) {
        assert_eq!(read(text), Some((method.to_owned(), file.map(str::to_owned), line)), "{text}");
    }

    #[test]
    fn frames_name_a_method_and_a_place() {
        check("   at N.C.M(Int32 a) in /w/a b.cs:line 7", "N.C.M", Some("/w/a b.cs"), Some(7));
        check("    at N.C.M() in /w/a.cs:7", "N.C.M", Some("/w/a.cs"), Some(7));
        check("    um N.C.M() in /w/a.cs:7", "N.C.M", Some("/w/a.cs"), Some(7));
        check("    場所: N.C.M() 場所: /w/a.cs:7", "N.C.M", Some("/w/a.cs"), Some(7));
        check("  a.cs(7,0): at N.C.M()", "N.C.M", Some("a.cs"), Some(7));
        check("1)    at N.C.M() in /w/a.cs:line 7", "N.C.M", Some("/w/a.cs"), Some(7));
        check("   at N.C..ctor()", "N.C..ctor", None, None);
        check("   at N.C.a sum (not)() in /w/a.fs:line 3", "N.C.a sum (not)", Some("/w/a.fs"), Some(3));
        assert_eq!(read("   Expected: 3"), None);
        assert_eq!(read("at noon"), None);
    }

    #[test]
    fn a_frame_is_of_a_test_by_its_method() {
        let class = |id: &str, method: &str| {
            let frame = Frame { method: method.to_owned(), file: None, line: None, part: 0 };
            Test::new(id).class_in(&frame)
        };
        assert_eq!(class("M(1)", "N.C.M").as_deref(), Some("N.C"));
        assert_eq!(class("N.C+D.M", "N.C.D.M").as_deref(), Some("N.C.D"));
        assert_eq!(class("M", "N.C.<M>d__3.MoveNext").as_deref(), Some("N.C"));
        assert_eq!(class("M", "N.C.<>c.<M>b__1_0").as_deref(), Some("N.C"));
        assert_eq!(class("N.C.M", "N.D.M"), None);
        assert_eq!(class("M", "N.C.NotM"), None);
    }
}

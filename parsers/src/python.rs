//! How Python words an exception, and which kind of failure it is. Shared by the formats of Python's test runners.

use crate::{Grammar, Kind};

/// The last lines of a traceback: `Class: message`, or the class alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Raised<'a> {
    /// The class as printed, with its module where one is printed; empty where no class is printed.
    pub(crate) error: &'a str,
    /// The message, whole.
    pub(crate) message: &'a str,
}

impl<'a> Raised<'a> {
    /// Takes `Class: message` apart. Text that names no class is all message.
    pub(crate) fn read(text: &'a str) -> Self {
        let line_end = text.find('\n').unwrap_or(text.len());
        let (line, rest) = text.split_at(line_end);
        let Some((class, message)) = exception(line.as_bytes()) else {
            // Of an error in source, Python shows the place above the class.
            let error = if line.starts_with("  File \"") { "SyntaxError" } else { "" };
            return Self { error, message: text };
        };
        let message = match message {
            Some(_) => text.get(class.len() + 2..).unwrap_or(""),
            // An empty first line of the message leaves `Class: ` without its blank.
            None => rest.trim_start_matches('\n'),
        };
        Self { error: text.get(..class.len()).unwrap_or(""), message }
    }

    /// The kind of this exception, raised in the body of a test. `more` are names of assertion classes that the
    /// caller knows besides.
    ///
    /// A bare `assert` whose class isn't printed is known by its own wording, `assert …`.
    pub(crate) fn kind(self, grammar: &Grammar, more: &[String]) -> Kind {
        if let Some(kind) = grammar.kind(self.error, self.message) {
            return kind;
        }
        let bare = self.error.is_empty() && is_bare_assert(self.message);
        if bare || self.error.ends_with("AssertionError") || grammar.is_assertion(self.error, more) {
            Kind::Assertion
        } else if self.error.is_empty() {
            Kind::Unknown
        } else {
            Kind::Exception
        }
    }
}

/// Whether the message is that of an `assert` statement without one of its own.
pub(crate) fn is_bare_assert(message: &str) -> bool {
    message == "assert" || message.starts_with("assert ")
}

/// The line above the frames of a traceback.
pub(crate) const TRACEBACK: &[u8] = b"Traceback (most recent call last):";

/// Whether this line stands between two tracebacks of a chain: the one after it ended the test.
pub(crate) fn is_chain(line: &[u8]) -> bool {
    line == b"The above exception was the direct cause of the following exception:"
        || line == b"During handling of the above exception, another exception occurred:"
}

/// Whether a native traceback starts here, also that of an exception group.
pub(crate) fn is_traceback(line: &[u8]) -> bool {
    line == TRACEBACK || is_group(line)
}

/// Whether the traceback of an exception group starts here.
pub(crate) fn is_group(line: &[u8]) -> bool {
    line == b"  + Exception Group Traceback (most recent call last):"
}

/// Reads `  File "path", line 7, in name`: path, line, name. The name is empty where none is printed.
pub(crate) fn frame(line: &[u8]) -> Option<(&[u8], u32, &[u8])> {
    let rest = line.trim_ascii_start().strip_prefix(b"File \"")?;
    let quote = memchr::memmem::find(rest, b"\", line ")?;
    let (number, after) = crate::text::number(rest.get(quote + 8..)?)?;
    let name = after.strip_prefix(b", in ").unwrap_or(b"");
    Some((rest.get(..quote)?, u32::try_from(number).ok()?, name))
}

/// Reads the first line of what an exception says: `package.Class: message`, `Class`.
pub(crate) fn exception(line: &[u8]) -> Option<(&[u8], Option<&[u8]>)> {
    let in_class = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"_.<>".contains(byte);
    let (class, rest) = line.split_at(line.iter().position(|byte| !in_class(byte)).unwrap_or(line.len()));
    let message = match rest {
        b"" | b":" => None,
        [b':', b' ', message @ ..] => Some(message),
        _ => return None,
    };
    is_class(class).then_some((class, message))
}

/// Whether this is a dotted name as a class has: parts that start with a letter. `assert` alone is a statement.
fn is_class(name: &[u8]) -> bool {
    let part = |part: &[u8]| match part.first() {
        Some(b'<') => part == b"<locals>",
        Some(first) => !first.is_ascii_digit() && !part.contains(&b'>'),
        None => false,
    };
    name != b"assert" && name.split(|byte| *byte == b'.').all(part)
}

/// Which part of a test of `unittest` a function is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    Setup,
    Body,
    Teardown,
}

impl Scope {
    /// The scope of a frame in a test of this method. The outermost frame that has one tells where a failure arose:
    /// what a body calls may be named as a hook is.
    pub(crate) fn of(function: &[u8], method: &[u8]) -> Option<Self> {
        match function {
            b"setUp" | b"asyncSetUp" => Some(Self::Setup),
            b"tearDown" | b"asyncTearDown" => Some(Self::Teardown),
            _ if !method.is_empty() && function == method => Some(Self::Body),
            _ => None,
        }
    }

    /// The kind of a failure there, whatever it threw; the body has none of its own.
    pub(crate) fn kind(self) -> Option<Kind> {
        match self {
            Self::Setup => Some(Kind::Setup),
            Self::Teardown => Some(Kind::Teardown),
            Self::Body => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, error: &str, message: &str) {
        assert_eq!(Raised::read(text), Raised { error, message });
    }

    #[test]
    fn an_exception_is_a_class_and_a_message() {
        check("ValueError: bad: worse", "ValueError", "bad: worse");
        check("a.b.MyError: x\ny", "a.b.MyError", "x\ny");
        check("f.<locals>.E: x", "f.<locals>.E", "x");
        check("KeyError", "KeyError", "");
        check("KeyError\nnote", "KeyError", "note");
        check("assert 1 == 2", "", "assert 1 == 2");
        check("fixture 'x' not found", "", "fixture 'x' not found");
        check("http://x", "", "http://x");
        check("KeyError:\n\nx", "KeyError", "x");
        check("assert", "", "assert");
        check("a.<b>.E: x", "", "a.<b>.E: x");
    }

    #[test]
    fn hooks_and_the_method_have_a_scope() {
        assert_eq!(Scope::of(b"asyncSetUp", b"test_x").and_then(Scope::kind), Some(Kind::Setup));
        assert_eq!(Scope::of(b"test_x", b"test_x"), Some(Scope::Body));
        assert_eq!((Scope::of(b"helper", b"test_x"), Scope::of(b"", b"")), (None, None));
    }

    #[test]
    fn frames_name_file_line_and_function() {
        assert_eq!(frame(b"  File \"a b.py\", line 7, in f"), Some((&b"a b.py"[..], 7, &b"f"[..])));
        assert_eq!(frame(b"  File \"a.py\", line 1"), Some((&b"a.py"[..], 1, &b""[..])));
        assert_eq!(frame(b"  File \"a.py\", line x"), None);
    }
}

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
        match line.split_once(':') {
            Some((error, message)) if is_class(error) && message.starts_with([' ', '\0']) => {
                Self { error, message: text.get(error.len() + 2..).unwrap_or("") }
            }
            // An empty first line of the message leaves `Class: ` without its blank.
            Some((error, "")) if is_class(error) => Self { error, message: rest.trim_start_matches('\n') },
            _ if is_class(line) => Self { error: line, message: rest.trim_start_matches('\n') },
            _ => Self { error: "", message: text },
        }
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

/// Whether this line stands between two tracebacks of a chain: the one after it ended the test.
pub(crate) fn is_chain(line: &[u8]) -> bool {
    line == b"The above exception was the direct cause of the following exception:"
        || line == b"During handling of the above exception, another exception occurred:"
}

/// Whether a native traceback starts here, also that of an exception group.
pub(crate) fn is_traceback(line: &[u8]) -> bool {
    line == b"Traceback (most recent call last):"
        || line == b"  + Exception Group Traceback (most recent call last):"
}

/// Reads `  File "path", line 7, in name`: path, line, name. The name is empty where none is printed.
pub(crate) fn frame(line: &[u8]) -> Option<(&[u8], u32, &[u8])> {
    let rest = line.trim_ascii_start().strip_prefix(b"File \"")?;
    let quote = memchr::memmem::find(rest, b"\", line ")?;
    let (number, rest) = crate::text::number(rest.get(quote + 8..)?)?;
    let name = rest.strip_prefix(b", in ").unwrap_or(b"");
    Some((line.trim_ascii_start().get(6..6 + quote)?, u32::try_from(number).ok()?, name))
}

/// Whether this is a dotted name as a class has: no blanks, no quotes, parts that start with a letter.
fn is_class(text: &str) -> bool {
    let part = |part: &str| {
        let mut chars = part.chars();
        chars.next().is_some_and(|first| first.is_alphabetic() || first == '_')
            && chars.all(|char| char.is_alphanumeric() || char == '_')
            || part == "<locals>"
    };
    !text.is_empty() && text.split('.').all(part)
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
    }

    #[test]
    fn frames_name_file_line_and_function() {
        assert_eq!(frame(b"  File \"a b.py\", line 7, in f"), Some((&b"a b.py"[..], 7, &b"f"[..])));
        assert_eq!(frame(b"  File \"a.py\", line 1"), Some((&b"a.py"[..], 1, &b""[..])));
        assert_eq!(frame(b"  File \"a.py\", line x"), None);
    }
}

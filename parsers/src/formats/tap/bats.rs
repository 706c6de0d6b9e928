//! What bats says in comments below a failed test: where the command stands that failed, and how it did.
//!
//! ```text
//! # (from function `setup' in test file a.bats, line 1)
//! #   `[ "$output" = b ]' failed
//! ```
//!
//! What follows is the test's own output. A command that fails with status 1 said no; `bats_print_failed_command` in
//! `libexec/bats-core` adds any other status.

use crate::Kind;
use crate::text::number;

/// One such comment.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Said<'a> {
    Site { hook: Option<Kind>, file: &'a [u8], line: u32 },
    Failed { with_status: bool },
}

/// Reads a comment without blanks at its ends.
pub(super) fn read(text: &[u8]) -> Option<Said<'_>> {
    if text.starts_with(b"`") {
        let at = memchr::memmem::rfind(text, b"' failed")?;
        let rest = text.get(at + 8..)?;
        let with_status = rest.starts_with(b" with status ");
        return (rest.is_empty() || with_status).then_some(Said::Failed { with_status });
    }
    let rest = text.strip_prefix(b"(").unwrap_or(text);
    let (function, rest) = match rest.strip_prefix(b"from function `") {
        Some(rest) => {
            let (name, rest) = rest.split_at(memchr::memchr(b'\'', rest)?);
            (name, rest.strip_prefix(b"' ")?)
        }
        None => (&b""[..], rest),
    };
    let rest = rest.strip_prefix(b"in test file ").or_else(|| rest.strip_prefix(b"in file "))?;
    let at = memchr::memmem::rfind(rest, b", line ")?;
    let (line, end) = number(rest.get(at + 7..)?)?;
    let hook = match function {
        b"setup" | b"setup_file" | b"setup_suite" => Some(Kind::Setup),
        b"teardown" | b"teardown_file" | b"teardown_suite" => Some(Kind::Teardown),
        _ => None,
    };
    let line = u32::try_from(line).ok()?;
    matches!(end, b")" | b",").then_some(Said::Site { hook, file: rest.get(..at)?, line })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_and_commands() {
        let site = |hook| Some(Said::Site { hook, file: b"a b.bats", line: 3 });
        assert_eq!(read(b"(in test file a b.bats, line 3)"), site(None));
        assert_eq!(read(b"(from function `assert' in file a b.bats, line 3,"), site(None));
        assert_eq!(read(b"from function `setup' in test file a b.bats, line 3)"), site(Some(Kind::Setup)));
        assert_eq!(read(b"`[ 1 = '2' ]' failed"), Some(Said::Failed { with_status: false }));
        assert_eq!(read(b"`nope' failed with status 127"), Some(Said::Failed { with_status: true }));
        for text in ["in test file", "`x' failed badly", "(in test file a, line x)", "output"] {
            assert_eq!(read(text.as_bytes()), None, "{text}");
        }
    }
}

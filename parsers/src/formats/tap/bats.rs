//! What bats says in comments below a failed test: where the command stands that failed, and how it did.
//!
//! ```text
//! # (from function `setup' in test file a.bats, line 1)
//! #   `[ "$output" = b ]' failed
//! ```
//!
//! What follows is the test's own output. `bats_print_failed_command` in `libexec/bats-core` adds a status other than 1.
//! Of a command with status 1 that checks something, the check said no; why any other failed is not known.

use crate::Kind;
use crate::text::number;

/// One such comment.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Said<'a> {
    Site { hook: Option<Kind>, file: &'a [u8], line: u32 },
    Failed { why: Option<Kind> },
}

/// Reads a comment without blanks at its ends.
pub(super) fn read(text: &[u8]) -> Option<Said<'_>> {
    if text.starts_with(b"`") {
        let at = memchr::memmem::rfind(text, b"' failed")?;
        let rest = text.get(at + 8..)?;
        let why = match rest {
            b"" if asserts(text.get(1..at)?) => Some(Kind::Assertion),
            b"" => None,
            _ if rest.starts_with(b" with status ") => Some(Kind::Exception),
            _ => return None,
        };
        return Some(Said::Failed { why });
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

/// Whether every command of this line of a test checks something. The line may be a whole test on one line.
fn asserts(line: &[u8]) -> bool {
    let body = line.strip_prefix(b"@test ").and_then(|rest| {
        let name_end: &[u8] = if rest.starts_with(b"'") { b"' { " } else { b"\" { " };
        let open = memchr::memmem::find(rest, name_end)?;
        rest.get(open + name_end.len()..)?.trim_ascii_end().strip_suffix(b"}")
    });
    let (mut quote, mut from) = (None, 0);
    let line = body.unwrap_or(line);
    let mut checks = false;
    for (at, byte) in line.iter().chain(b";").enumerate() {
        match (quote, byte) {
            (None, b'\'' | b'"') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            (None, b';') => {
                match check(line.get(from..at).unwrap_or_default()) {
                    Some(one) => checks |= one,
                    None => return false,
                }
                from = at + 1;
            }
            _ => {}
        }
    }
    checks
}

/// Whether a command checks something; `None` where it does something else that may fail. `run` never does.
fn check(command: &[u8]) -> Option<bool> {
    let command = command.trim_ascii();
    let command = command.strip_prefix(b"! ").unwrap_or(command).trim_ascii_start();
    let word = command.split(|byte| byte.is_ascii_whitespace()).next().unwrap_or(command);
    match word {
        b"" | b"run" => Some(false),
        b"[" | b"[[" | b"test" => Some(true),
        _ => [&b"(("[..], b"assert", b"refute"].iter().any(|start| word.starts_with(start)).then_some(true),
    }
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
        assert_eq!(read(b"`[ 1 = '2' ]' failed"), Some(Said::Failed { why: Some(Kind::Assertion) }));
        assert_eq!(read(b"`nope' failed with status 127"), Some(Said::Failed { why: Some(Kind::Exception) }));
        for text in ["in test file", "`x' failed badly", "(in test file a, line x)", "output"] {
            assert_eq!(read(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn commands_that_check() {
        for line in [
            "[ 1 = '2;' ]",
            "[[ $a == b ]]",
            "test -f x",
            "(( a > 1 ))",
            "assert_output 'x'",
            "refute_line y",
            "! [ -e x ]",
            "run x; [ \"$status\" = 0 ]",
            "@test \"a { b\" { [ 1 = 2 ]; }",
        ] {
            assert!(asserts(line.as_bytes()), "{line}");
        }
        for line in ["false", "grep -q x y", "run x", "make; [ 1 = 2 ]", "@test \"[ x\" { false; }", "'["] {
            assert!(!asserts(line.as_bytes()), "{line}");
        }
    }
}

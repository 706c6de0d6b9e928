//! The single lines of a run: results, progress marks, and the two lines of its end.

use crate::text::number;
use crate::{Status, Totals};

/// The status that the end of a line in `-v` states, with the reason of a skip.
pub(super) fn result(word: &str) -> Option<(Status, Option<String>)> {
    let status = match word {
        "ok" => Status::Passed,
        "FAIL" => Status::Failed,
        "ERROR" => Status::Errored,
        "expected failure" => Status::Xfailed,
        "unexpected success" => Status::Xpassed,
        _ => return Some((Status::Skipped, Some(unquoted(word.strip_prefix("skipped ")?)?))),
    };
    Some((status, None))
}

/// A result at the end of a line, behind what the test printed without a line end.
pub(super) fn glued_result(text: &str) -> Option<(Status, Option<String>)> {
    let words = ["ok", "FAIL", "ERROR", "unexpected success", "expected failure"];
    match words.iter().find(|word| text.ends_with(**word)) {
        Some(word) => result(word),
        None => result(text.get(text.rfind("skipped ")?..)?),
    }
}

/// `skipped the reason`, as nose2 has it: a word of prose too, so that another result behind it counts before it.
pub(super) fn bare_skip(text: &str) -> Option<(Status, Option<String>)> {
    let reason = text.strip_prefix("skipped ").or((text == "skipped").then_some(""))?;
    Some((Status::Skipped, Some(reason.to_owned())))
}

/// The text of a string as Python's `repr` writes it.
fn unquoted(repr: &str) -> Option<String> {
    let quote = repr.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
    let inner = repr.strip_prefix(quote)?.strip_suffix(quote)?;
    let mut text = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some(c @ ('\'' | '"' | '\\')) => text.push(c),
            Some(c) => text.extend(['\\', c]),
            None => text.push('\\'),
        }
    }
    Some(text)
}

/// How many progress marks a line begins with, and whether it holds nothing else.
pub(super) fn marks(text: &[u8]) -> (u64, bool) {
    let count = text.iter().take_while(|byte| b".FEsxu".contains(byte)).count();
    (count as u64, count == text.len())
}

/// `Ran 3 tests in 0.001s`
pub(super) fn ran(text: &[u8]) -> Option<u64> {
    let (count, rest) = number(text.strip_prefix(b"Ran ")?)?;
    let rest = rest.strip_prefix(if count == 1 { &b" test in "[..] } else { b" tests in " })?;
    let (_, rest) = number(rest)?;
    let (_, rest) = number(rest.strip_prefix(b".")?)?;
    (rest == b"s").then_some(count)
}

/// `OK`, `FAILED (failures=1)`, `NO TESTS RAN (skipped=1)`: the runner's own numbers.
pub(super) fn verdict(text: &[u8]) -> Option<Totals> {
    let (word, counts) = match text.iter().position(|byte| *byte == b'(') {
        Some(open) => (text.get(..open)?.trim_ascii_end(), text.get(open + 1..)?.strip_suffix(b")")?),
        None => (text.trim_ascii_end(), &b""[..]),
    };
    if !(matches!(word, b"OK" | b"NO TESTS RAN") || word == b"FAILED" && !counts.is_empty()) {
        return None;
    }
    let mut totals = Totals::none_named();
    for part in counts.split(|byte| *byte == b',').filter(|part| !part.is_empty()) {
        let equals = part.iter().position(|byte| *byte == b'=')?;
        let place = match part.get(..equals)?.trim_ascii() {
            b"failures" => &mut totals.failed,
            b"errors" => &mut totals.errored,
            b"skipped" => &mut totals.skipped,
            b"expected failures" => &mut totals.xfailed,
            b"unexpected successes" => &mut totals.xpassed,
            _ => return None,
        };
        let (count, rest) = number(part.get(equals + 1..)?)?;
        if !rest.is_empty() {
            return None;
        }
        *place = Some(count);
    }
    Some(totals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results() {
        assert_eq!(result("ok"), Some((Status::Passed, None)));
        assert_eq!(result(r#"skipped "it's""#), Some((Status::Skipped, Some("it's".to_owned()))));
        assert_eq!(result(r"skipped 'a\n\'b\x00'"), Some((Status::Skipped, Some("a\n'b\\x00".to_owned()))));
        assert_eq!((result("OK"), result("skipped it"), result("")), (None, None, None));
        assert_eq!(glued_result("texture unexpected success"), Some((Status::Xpassed, None)));
        assert_eq!(glued_result("readyskipped 'x'"), Some((Status::Skipped, Some("x".to_owned()))));
        assert_eq!(glued_result("done"), None);
    }

    #[test]
    fn the_end() {
        assert_eq!(ran(b"Ran 1 test in 0.001s"), Some(1));
        assert_eq!(ran(b"Ran 12 tests in 61.500s"), Some(12));
        assert_eq!(
            (ran(b"Ran 1 tests in 0.1s"), ran(b"Ran 5 tests in 2s"), ran(b"Ran off")),
            (None, None, None)
        );
        let totals = verdict(b"FAILED (failures=2, errors=1, unexpected successes=3)").unwrap();
        assert_eq!((totals.failed, totals.errored, totals.skipped), (Some(2), Some(1), Some(0)));
        assert_eq!((totals.xpassed, totals.passed), (Some(3), None));
        assert!(verdict(b"OK").is_some() && verdict(b"OK (skipped=1, expected failures=1)").is_some());
        assert!(verdict(b"NO TESTS RAN (skipped=1)").is_some());
        for not in [&b"FAILED"[..], b"FAILED (failures=1", b"OK then", b"OK (fine)", b"FAILED (failures=x)"] {
            assert_eq!(verdict(not), None);
        }
    }

    #[test]
    fn progress() {
        assert_eq!(marks(b"..FEsxu"), (7, true));
        assert_eq!(marks(b".hello"), (1, false));
    }
}

//! The runner's numbers, at its end.
//!
//! ```text
//! Test Suites: 1 failed, 1 passed, 2 total
//! Tests:       1 failed, 3 passed, 4 total
//! ```

use crate::Totals;
use crate::text::number;

/// How many files there were.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Suites {
    pub(super) failed: u64,
    pub(super) skipped: u64,
    pub(super) passed: u64,
    pub(super) total: u64,
    /// `2 of 5 total`: the run was stopped, or is still going on.
    pub(super) of: Option<u64>,
}

/// What comes after `Test Suites:`.
pub(super) fn suites(text: &[u8]) -> Option<Suites> {
    let mut suites = Suites::default();
    let (total, of) = words(text, |count, word| {
        match word {
            b"failed" => suites.failed = count,
            b"skipped" | b"pending" => suites.skipped = count,
            b"passed" => suites.passed = count,
            _ => return false,
        }
        true
    })?;
    (suites.total, suites.of) = (total, of);
    Some(suites)
}

/// What comes after `Tests:`; the totals, and the number of all. Words that are missing are none: jest leaves out what is zero.
pub(super) fn tests(text: &[u8]) -> Option<(Totals, u64)> {
    let mut totals =
        Totals { passed: Some(0), failed: Some(0), skipped: Some(0), todo: Some(0), ..Totals::default() };
    let (total, _) = words(text, |count, word| {
        match word {
            b"failed" => totals.failed = Some(count),
            b"skipped" | b"pending" => totals.skipped = Some(count),
            b"passed" => totals.passed = Some(count),
            b"todo" => totals.todo = Some(count),
            _ => return false,
        }
        true
    })?;
    Some((totals, total))
}

/// `1 failed, 2 of 5 total`: calls `word` with each number but the last, and gives that one and what it is of.
fn words(text: &[u8], mut word: impl FnMut(u64, &[u8]) -> bool) -> Option<(u64, Option<u64>)> {
    let mut rest = text.trim_ascii_start();
    loop {
        let (count, after) = number(rest)?;
        let after = after.strip_prefix(b" ")?;
        if after == b"total" {
            return Some((count, None));
        }
        if let Some(of) = after.strip_prefix(b"of ") {
            let (all, after) = number(of)?;
            return (after == b" total").then_some((all, Some(count)));
        }
        let end = memchr::memchr(b',', after)?;
        if !word(count, after.get(..end)?) {
            return None;
        }
        rest = after.get(end + 1..)?.strip_prefix(b" ")?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_their_words() {
        let read = suites(b" 1 failed, 2 skipped, 3 passed, 4 of 8 total").unwrap();
        assert_eq!(read, Suites { failed: 1, skipped: 2, passed: 3, total: 8, of: Some(4) });
        let (totals, total) = super::tests(b"       1 failed, 2 todo, 3 passed, 6 total").unwrap();
        assert_eq!(
            (totals.failed, totals.todo, totals.passed, totals.skipped),
            (Some(1), Some(2), Some(3), Some(0))
        );
        assert_eq!(total, 6);
    }

    #[test]
    fn other_text_is_no_summary() {
        for text in [
            "",
            " 1 passed",
            " 1 passed, 2",
            " 1 passed, 2 tot",
            " 1 went, 2 total",
            " x, 1 total",
            " 1 passed 1 total",
        ] {
            assert!(suites(text.as_bytes()).is_none(), "{text}");
        }
    }
}

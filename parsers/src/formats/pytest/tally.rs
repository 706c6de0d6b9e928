//! The runner's own numbers: the words of the end line, and results counted one by one to hold against them.

use memchr::memmem;

use crate::text::number;
use crate::{Completeness, Totals};

/// How many results of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Tally {
    pub(super) passed: u64,
    pub(super) failed: u64,
    pub(super) errored: u64,
    pub(super) skipped: u64,
    pub(super) xfailed: u64,
    pub(super) xpassed: u64,
    pub(super) deselected: u64,
    pub(super) reruns: u64,
}

/// Whether counted results and an end line fit together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    Yes,
    No,
    /// No result was seen one by one.
    Unknown,
}

impl Tally {
    /// Reads what an end line says: `1 failed, 2 passed in 0.03s`, `no tests ran in 0.01s`, `3 tests collected in 1s`.
    pub(super) fn read(text: &[u8]) -> Option<Self> {
        // The words decide before the search: most lines end here at their first byte.
        if !text.first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'n') {
            return None;
        }
        let (words, took) = text.split_at(memmem::rfind(text, b" in ")?);
        if !is_duration(took.get(4..)?) {
            return None;
        }
        let mut tally = Self::default();
        for part in words.split(|byte| *byte == b',') {
            tally.add(part.trim_ascii())?;
        }
        Some(tally)
    }

    /// Takes one number and its word: `2 passed`.
    pub(super) fn add(&mut self, part: &[u8]) -> Option<()> {
        if matches!(part, b"no tests ran" | b"no tests collected") {
            return Some(());
        }
        let (count, word) = match number(part)? {
            // `2/6 tests collected (4 deselected)`
            (_, rest) if rest.first() == Some(&b'/') => number(rest.get(1..)?)?,
            whole => whole,
        };
        let word = word.strip_prefix(b" ")?;
        match word {
            b"passed" => self.passed = count,
            b"failed" => self.failed = count,
            b"error" | b"errors" => self.errored = count,
            b"skipped" => self.skipped = count,
            b"xfailed" => self.xfailed = count,
            b"xpassed" => self.xpassed = count,
            b"deselected" => self.deselected = count,
            b"rerun" => self.reruns = count,
            b"warning" | b"warnings" => {}
            _ if word.starts_with(b"subtest") || word.starts_with(b"test") => {}
            // Words of plugins: letters alone, so that prose isn't taken for them.
            _ if !word.is_empty() && word.iter().all(u8::is_ascii_lowercase) => {}
            _ => return None,
        }
        Some(())
    }

    /// Counts one result.
    pub(super) fn count(&mut self, word: super::word::Word) {
        use super::word::Word;
        let place = match word {
            Word::Passed => &mut self.passed,
            Word::Failed => &mut self.failed,
            Word::Error => &mut self.errored,
            Word::Skipped => &mut self.skipped,
            Word::Xfail => &mut self.xfailed,
            Word::Xpass => &mut self.xpassed,
            Word::Rerun => &mut self.reruns,
        };
        *place += 1;
    }

    /// Adds the results of another count.
    pub(super) fn add_all(&mut self, other: &Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.errored += other.errored;
        self.skipped += other.skipped;
        self.xfailed += other.xfailed;
        self.xpassed += other.xpassed;
        self.reruns += other.reruns;
    }

    /// How many tests ran or were skipped.
    pub(super) fn ran(&self) -> u64 {
        [self.passed, self.failed, self.errored, self.skipped, self.xfailed, self.xpassed]
            .iter()
            .fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Whether these results, counted one by one, are those that `end` claims. Errors and skips of whole files are
    /// named in no progress line, so the end may claim more of both.
    pub(super) fn fits(&self, end: &Self) -> Fit {
        if self.ran() == 0 {
            return if end.passed == 0 && end.failed == 0 { Fit::Yes } else { Fit::Unknown };
        }
        let same = (self.passed, self.failed, self.xfailed, self.xpassed)
            == (end.passed, end.failed, end.xfailed, end.xpassed);
        if same && self.errored <= end.errored && self.skipped <= end.skipped { Fit::Yes } else { Fit::No }
    }

    /// In the words of a report. What an end line doesn't name is none: it names whatever there is.
    pub(super) fn totals(&self) -> Totals {
        Totals {
            passed: Some(self.passed),
            failed: Some(self.failed),
            errored: Some(self.errored),
            skipped: Some(self.skipped),
            todo: Some(0),
            xfailed: Some(self.xfailed),
            xpassed: Some(self.xpassed),
            deselected: Some(self.deselected),
        }
    }

    /// What the presence of an end line makes of a session.
    pub(super) fn completeness(end: Option<&Self>, broken_off: bool) -> Completeness {
        if end.is_some() && !broken_off { Completeness::Complete } else { Completeness::Truncated }
    }
}

/// `0.03s`, `61.20s (0:01:01)`, and `0.03 seconds` of older versions.
fn is_duration(text: &[u8]) -> bool {
    let text = match memchr::memchr(b'(', text) {
        Some(at) if text.ends_with(b")") => text.get(..at).unwrap_or(b"").trim_ascii_end(),
        _ => text,
    };
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    digits > 0 && matches!(text.get(digits..), Some(b"s" | b" seconds"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn end_lines_are_read() {
        let tally = Tally::read(b"1 failed, 2 passed, 3 skipped, 4 deselected, 5 xfailed, 6 xpassed, 7 warnings, 8 errors, 9 rerun, 2 subtests passed in 61.20s (0:01:01)");
        let want = Tally {
            passed: 2,
            failed: 1,
            errored: 8,
            skipped: 3,
            xfailed: 5,
            xpassed: 6,
            deselected: 4,
            reruns: 9,
        };
        assert_eq!(tally, Some(want));
        for text in ["no tests ran in 0.01s", "6 tests collected in 0.01s", "no tests collected in 1s"] {
            assert_eq!(Tally::read(text.as_bytes()), Some(Tally::default()), "{text}");
        }
    }

    #[test]
    fn other_lines_are_not() {
        for text in ["1 passed", "1 passed in time", "passed in 1s", "5 of 6 in 1s", "1 a b in 1s", "in 1s"] {
            assert_eq!(Tally::read(text.as_bytes()), None, "{text}");
        }
    }
}

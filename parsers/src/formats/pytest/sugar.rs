//! The layout of pytest-sugar: a head and an end of its own, and failures as they happen. The summary is pytest's.
//! pytest-pretty has the same end, below a head and progress lines that are pytest's.
//!
//! ```text
//! Test session starts (platform: linux, Python 3.11.7, pytest 7.4.4, pytest-sugar 1.1.1)
//! Results (0.05s):
//!        4 passed
//!        1 failed
//!          - test_a.py:6 test_bad
//! ```

use super::ending::End;
use super::session::Session;
use super::tally::{Fit, Tally};
use crate::text::lossy;

/// The title of the table that pytest-pretty prints below the blocks.
const PRETTY_TABLE: &[u8] = b"Summary of Failures";

/// The session that a head of pytest-sugar begins.
pub(super) fn head(text: &[u8], number: u32) -> Option<Session> {
    let rest = text.strip_prefix(b"Test session starts (platform: ")?.strip_suffix(b")")?;
    let at = memchr::memmem::find(rest, b", pytest ")?;
    let version = rest.get(at + 9..)?.split(|byte| *byte == b',').next()?;
    let mut session = Session::new(None, number);
    session.head = Some(number);
    session.version = Some(lossy(version).into_owned());
    session.sugar = Some(false);
    Some(session)
}

impl Session {
    /// Takes a line of the end. Its numbers stand on lines of their own, with the names of failures between.
    pub(super) fn sugar_line(&mut self, text: &[u8], number: u32) -> bool {
        if text.starts_with(b"Results (") && text.ends_with(b"s):") && self.may_end_sugared() {
            self.close_block();
            self.sugar = Some(true);
            let tally = Tally::default();
            self.end = Some(End { tally, line: number, bare: false, fits: true, fit: Fit::Unknown });
            return true;
        }
        if text.starts_with(b"  ") && text.trim_ascii() == PRETTY_TABLE && self.end.is_none() {
            // The last block ends here, with whatever its test printed.
            self.close_block();
            self.captured = true;
            self.sugar.get_or_insert(false);
            return true;
        }
        let (Some(in_end @ true), Some(end)) = (&mut self.sugar, &mut self.end) else { return false };
        let part = text.trim_ascii();
        if part.is_empty() || part.starts_with(b"- ") {
            return true;
        }
        *in_end = text.starts_with(b" ") && end.tally.add(part).is_some();
        if *in_end {
            (end.line, self.last) = (number, number);
            end.fit = self.counted.fits(&end.tally);
        }
        *in_end
    }

    /// Whether such an end may be the runner's. In a session with pytest's head it is so after its progress, where no
    /// test prints, and after the table.
    fn may_end_sugared(&self) -> bool {
        self.sugar.is_some()
            || self.end.is_none()
                && self.head.is_some()
                && self.depth == 0
                && self.past_progress
                && !self.in_output()
                && !self.is_open()
    }

    /// Forgets such an end if the results contradict its numbers: then something else printed it.
    pub(super) fn drop_unfit_end(&mut self) {
        self.end = self.end.filter(|end| end.fit != Fit::No);
    }
}

//! The layout of pytest-sugar: a head and an end of its own, and failures as they happen. The summary is pytest's.
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
        let Some(in_end) = &mut self.sugar else { return false };
        if text.starts_with(b"Results (") && text.ends_with(b"s):") {
            *in_end = true;
            let tally = Tally::default();
            self.end = Some(End { tally, line: number, bare: false, fits: true, fit: Fit::Unknown });
            return true;
        }
        let (true, Some(end)) = (*in_end, &mut self.end) else { return false };
        let part = text.trim_ascii();
        if part.is_empty() || part.starts_with(b"- ") {
            return true;
        }
        *in_end = text.starts_with(b" ") && end.tally.add(part).is_some();
        if *in_end {
            (end.line, self.last) = (number, number);
        }
        *in_end
    }
}

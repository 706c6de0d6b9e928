//! Text that is kept for a report, within a bound.

use crate::text::lossy;

/// Longer messages are cut, with a note.
const LONGEST: usize = 4096;

/// Lines of a message, joined, cut at [`LONGEST`] bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Text {
    text: String,
    started: bool,
    /// Something was cut.
    pub(super) cut: bool,
}

impl Text {
    pub(super) fn of(line: &[u8]) -> Self {
        let mut text = Self::default();
        text.push(line);
        text
    }

    pub(super) fn push(&mut self, line: &[u8]) {
        if self.cut {
            return;
        }
        if std::mem::replace(&mut self.started, true) {
            self.text.push('\n');
        }
        // A character may become three bytes, so the slice keeps a huge line from being converted whole.
        let line = line.get(..LONGEST + 4).unwrap_or(line);
        self.text.push_str(&lossy(line));
        if self.text.len() > LONGEST {
            let end = (0..=LONGEST).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or(0);
            self.text.truncate(end);
            self.cut = true;
        }
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The text without blank lines at its end.
    pub(super) fn as_str(&self) -> &str {
        self.text.trim_end()
    }
}

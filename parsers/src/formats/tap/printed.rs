//! What mocha prints below a failed test: lines that are only indented.
//!
//! ```text
//! not ok 1 fits
//!   Expected values to be strictly equal:
//!   AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:
//!       at Context.<anonymous> (test.js:3:49)
//! ```
//!
//! The message stands before the stack, whose head repeats it: the head begins the second half of what stands before the
//! first frame, so that a line of the message is not taken for it.

use super::words::error_line;

/// So many lines that look like the head of a stack are kept.
const MOST_HEADS: usize = 16;
/// So much of such a line.
const LONGEST_HEAD: usize = 4096;

/// The block below one failed test.
#[derive(Debug, Default)]
pub(super) struct Printed {
    /// How many lines came so far. Blank ones don't count; each half has as many of them.
    lines: usize,
    /// The lines that may be the head of the stack, with what came before each.
    heads: Vec<(usize, Vec<u8>)>,
    is_over: bool,
}

/// What a line of the block turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// Of the message or of no account.
    Text,
    /// A frame of the stack. The first comes with the stack's head.
    Frame { head: Option<Vec<u8>>, site: &'a [u8] },
}

impl Printed {
    /// Takes an indented line; `None` where it does not belong to the block.
    pub(super) fn line<'a>(&mut self, text: &'a [u8]) -> Option<Part<'a>> {
        if self.is_over {
            return None;
        }
        let text = text.strip_prefix(b"  ")?;
        if let Some(site) = text.strip_prefix(b"    at ") {
            return Some(Part::Frame { head: self.head(), site });
        }
        if self.heads.len() < MOST_HEADS && error_line(text).is_some() {
            self.heads.push((self.lines, text.get(..LONGEST_HEAD).unwrap_or(text).to_vec()));
        }
        self.lines += 1;
        Some(Part::Text)
    }

    /// The head of the stack, once. Where the halves differ only a line without a rival is believed.
    fn head(&mut self) -> Option<Vec<u8>> {
        let mut heads = std::mem::take(&mut self.heads);
        let middle = heads.iter().position(|(before, _)| before * 2 == self.lines);
        let only = (heads.len() == 1).then_some(0);
        middle.or(only).map(|at| heads.swap_remove(at).1)
    }

    /// A line of something else: what is indented behind it is output.
    pub(super) fn interrupt(&mut self) {
        self.is_over = true;
    }
}

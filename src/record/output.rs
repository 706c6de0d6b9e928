//! What a record keeps of the output of a check.

use std::collections::VecDeque;
use std::io::{BufRead, Error};

use sha2::Digest as _;

use super::redact;
use crate::digest::Sha256;

/// How much of an output a record holds, in bytes: half of it from the head, half from the tail.
pub const LIMIT: usize = 1 << 20;

/// An output, cut to what a record holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Head and tail, with a line between them that says how much is missing; redacted.
    pub text: String,
    /// The hash of all of it, as it was printed.
    pub sha256: Sha256,
    /// The size of all of it.
    pub bytes: u64,
    /// Whether `text` leaves something out.
    pub truncated: bool,
}

impl Output {
    /// Reads an output to its end, in one pass and in memory of [`LIMIT`].
    ///
    /// # Errors
    /// When it can't be read.
    pub fn read(output: &mut dyn BufRead) -> Result<Self, Error> {
        Self::read_up_to(output, LIMIT)
    }

    fn read_up_to(output: &mut dyn BufRead, limit: usize) -> Result<Self, Error> {
        let half = limit / 2;
        let mut hash = sha2::Sha256::new();
        let mut bytes = 0;
        let (mut head, mut tail) = (Vec::new(), VecDeque::new());
        loop {
            let block = output.fill_buf()?;
            if block.is_empty() {
                break;
            }
            hash.update(block);
            let (first, rest) = block.split_at(block.len().min(half - head.len()));
            head.extend_from_slice(first);
            // Of a block larger than the tail only its end can stay.
            tail.extend(rest.get(rest.len().saturating_sub(half)..).unwrap_or_default());
            tail.drain(..tail.len().saturating_sub(half));
            let read = block.len();
            bytes += read as u64;
            output.consume(read);
        }
        let missing = bytes - (head.len() + tail.len()) as u64;
        let tail = Vec::from(tail);
        let text = if missing == 0 { [head, tail].concat() } else { with_gap(&head, &tail, missing) };
        Ok(Self {
            text: String::from_utf8_lossy(&redact::text(&text)).into_owned(),
            sha256: Sha256(hash.finalize().into()),
            bytes,
            truncated: missing > 0,
        })
    }
}

/// Whole lines of head and tail, where there are any, so that no half line is taken for one.
fn with_gap(head: &[u8], tail: &[u8], mut missing: u64) -> Vec<u8> {
    let kept_head = memchr::memrchr(b'\n', head).map_or(head.len(), |at| at + 1);
    let kept_tail = memchr::memchr(b'\n', tail).filter(|at| at + 1 < tail.len()).map_or(0, |at| at + 1);
    missing += (head.len() - kept_head + kept_tail) as u64;
    let head = head.get(..kept_head).unwrap_or_default();
    let tail = tail.get(kept_tail..).unwrap_or_default();
    let line_end = if head.last().is_some_and(|&byte| byte != b'\n') { "\n" } else { "" };
    let gap = format!("{line_end}[verify: {missing} bytes are left out here]\n");
    [head, gap.as_bytes(), tail].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(output: &str, limit: usize, want: &str) {
        // In blocks of one byte, of three, and as a whole: where a block ends changes nothing.
        for block in [1, 3, 64] {
            let mut reader = std::io::BufReader::with_capacity(block, output.as_bytes());
            let got = Output::read_up_to(&mut reader, limit).unwrap();
            assert_eq!(got.text, want, "in blocks of {block}");
            assert_eq!((got.sha256, got.bytes), (Sha256::of(output.as_bytes()), output.len() as u64));
            assert_eq!(got.truncated, output != want);
        }
    }

    #[test]
    fn what_fits_is_whole() {
        check("", 8, "");
        check("ab\ncd\nef", 8, "ab\ncd\nef");
    }

    #[test]
    fn what_doesnt_fit_keeps_the_lines_of_head_and_tail() {
        check("ab\ncd\nef\ngh\n", 8, "ab\n[verify: 6 bytes are left out here]\ngh\n");
        check("ab\ncd\nef\ng", 8, "ab\n[verify: 6 bytes are left out here]\ng");
    }

    #[test]
    fn a_line_longer_than_the_limit_is_cut() {
        check("abcdefghijkl", 8, "abcd\n[verify: 4 bytes are left out here]\nijkl");
        check("abcdefghijk\n", 8, "abcd\n[verify: 4 bytes are left out here]\nijk\n");
    }

    #[test]
    fn what_isnt_unicode_is_replaced() {
        let got = Output::read(&mut b"a\xffb".as_slice()).unwrap();
        assert_eq!((got.text.as_str(), got.bytes, got.truncated), ("a\u{fffd}b", 3, false));
    }
}

//! What is kept of a transcript: all of it, or its head and its tail.

use std::io::{self, Write};
use std::ops::ControlFlow;

use super::Transcript;

/// Room for the line that marks the gap.
const GAP: u64 = 64;

impl Transcript {
    /// At most `limit` bytes of it, and whether something was left out: then the head and the tail, cut where lines
    /// end, with the line `[… N bytes left out …]` between.
    ///
    /// # Errors
    /// When the file behind it can't be read.
    pub fn saved(&self, limit: u64) -> io::Result<(Vec<u8>, bool)> {
        let room = usize::try_from(self.bytes().min(limit)).unwrap_or_default();
        let mut saved = Vec::with_capacity(room);
        let truncated = self.copy_to(&mut saved, limit)?;
        Ok((saved, truncated))
    }

    /// Writes what [`saved`](Self::saved) gives, without holding it.
    ///
    /// # Errors
    /// When the file behind it can't be read, and those of `to`.
    pub fn copy_to(&self, to: &mut dyn Write, limit: u64) -> io::Result<bool> {
        let total = self.bytes();
        if total <= limit {
            self.blocks(|_, block| to.write_all(block).map(ControlFlow::Continue))?;
            return Ok(false);
        }
        let (head, tail) = self.gap(limit.saturating_sub(GAP))?;
        let mut at = 0;
        let mut marked = false;
        let mut last = b'\n';
        self.blocks(|_, block| {
            let begin = at;
            at += block.len() as u64;
            let within = |offset: u64| usize::try_from(offset.clamp(begin, at) - begin).unwrap_or_default();
            let before = &block[..within(head)];
            to.write_all(before)?;
            last = before.last().copied().unwrap_or(last);
            if at >= tail {
                if !std::mem::replace(&mut marked, true) {
                    let line_end = if last == b'\n' { "" } else { "\n" };
                    writeln!(to, "{line_end}[… {} bytes left out …]", tail - head)?;
                }
                to.write_all(&block[within(tail)..])?;
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(true)
    }

    /// Where the head ends and where the tail begins, when both may have `room` bytes. At the ends of lines, where
    /// there are any within the room.
    fn gap(&self, room: u64) -> io::Result<(u64, u64)> {
        let total = self.bytes();
        let latest_head = room / 2;
        let earliest_tail = total - (room - latest_head);
        let (mut head, mut tail) = (None, None);
        let mut at = 0;
        self.blocks(|_, block| {
            let begin = at;
            at += block.len() as u64;
            let within = |offset: u64| usize::try_from(offset.clamp(begin, at) - begin).unwrap_or_default();
            if begin < latest_head {
                let line_end = memchr::memrchr(b'\n', &block[..within(latest_head)]);
                head = line_end.map(|end| begin + end as u64 + 1).or(head);
            }
            // A line that ends just before the tail's room makes the tail begin at a line.
            let from = within(earliest_tail.saturating_sub(1));
            if tail.is_none() && at >= earliest_tail {
                let line_end = memchr::memchr(b'\n', &block[from..]);
                tail = line_end.map(|end| begin + (from + end) as u64 + 1);
            }
            Ok(ControlFlow::Continue(()))
        })?;
        let tail = tail.filter(|tail| *tail < total).unwrap_or(earliest_tail);
        Ok((head.unwrap_or(latest_head), tail))
    }
}

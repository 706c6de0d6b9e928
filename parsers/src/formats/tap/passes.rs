//! The lines that most of TAP consists of, read many at once.

use super::document::Document;
use super::point::{is_plain, plain_pass};
use crate::{Block, Lines, NewCase, Status};

impl Document {
    /// Takes the lines `ok N - name` that come next, as long as they are numbered in order, need no closer look and
    /// nothing hangs on them. Each becomes the case that [`Document::point`] makes of it.
    pub(super) fn passes(&mut self, block: &mut Block<'_>) {
        if !block.rest().starts_with(b"ok ") || !self.has_begun() {
            return;
        }
        let ([level], None, None) = (self.levels.as_mut_slice(), &self.pending, &self.held) else { return };
        if level.next_name.is_some() || level.finished.is_some() {
            return;
        }
        let text = block.text();
        let all_plain = is_plain(text.as_bytes());
        let (before, mut at, mut count) = (block.number(), 0, 0);
        let mut last = None;
        while let Some(rest) = text.as_bytes().get(at..)
            && let Some(end) = memchr::memchr(b'\n', rest)
            && let Some((number, name)) = rest.get(..end).and_then(plain_pass)
            && number == level.points + 1
            && (all_plain || is_plain(name))
        {
            let name = text.get(at + end - name.len()..at + end).unwrap_or_default();
            level.points = number;
            count += 1;
            let lines = Lines::one(before.saturating_add(count));
            let case = NewCase { id: name, name_len: name.len(), status: Status::Passed, lines };
            last = Some((level.cases.push(case, |_| Vec::new()), Status::Passed));
            at += end + 1;
        }
        if last.is_none() {
            return;
        }
        self.last = last;
        block.pass(at, count);
        self.touch(block.number());
    }
}

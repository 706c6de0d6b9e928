//! Subtests: documents that are indented below their parent's point, before it or in braces behind it.

use super::document::Document;
use super::level::Level;
use super::point::{self, unescaped};
use crate::{NewCase, Status};

/// Subtests nested deeper than this are output.
pub(super) const DEEPEST: usize = 32;
/// So much of a parent's name stands before those of its children, which all repeat it.
const LONGEST_PARENT: usize = 512;
/// By how much TAP indents a subtest.
pub(super) const STEP: usize = 4;

impl Document {
    /// Goes to the level of this indentation. Says whether there is one.
    #[inline]
    pub(super) fn align(&mut self, indent: usize, line: u32) -> bool {
        indent == 0 && self.levels.len() == 1 || self.align_nested(indent, line)
    }

    fn align_nested(&mut self, indent: usize, line: u32) -> bool {
        while self.levels.len() > 1 && self.top().indent > indent {
            self.pop();
        }
        let top = self.top();
        if top.indent == indent {
            return true;
        }
        let step = indent.saturating_sub(top.indent);
        if step != STEP && !(top.next_name.is_some() && step > 1) {
            return false;
        }
        self.open(indent, None, line)
    }

    fn open(&mut self, indent: usize, parent: Option<(Vec<u8>, u32)>, line: u32) -> bool {
        if self.levels.len() >= DEEPEST {
            self.note_left_out("subtests nested deeper than 32 are not read", line);
            return false;
        }
        self.settle();
        self.orphan();
        let name = self.top().next_name.take();
        self.levels.push(Level { indent, name, parent, ..Level::default() });
        true
    }

    /// Ends the level on top; its parent is the point that opened it, or the next.
    pub(super) fn pop(&mut self) {
        self.settle();
        self.orphan();
        if self.levels.len() < 2 {
            return;
        }
        let Some(mut level) = self.levels.pop() else { return };
        let parent = level.parent.take();
        if level.is_subtest() || parent.is_some() {
            self.orphan();
            self.top().finished = Some(Box::new(level));
        }
        if let Some((text, line)) = parent {
            self.opened_point(&text, line, false);
        }
    }

    /// A subtest whose parent never came.
    pub(super) fn orphan(&mut self) {
        let Some(child) = self.top().finished.take() else { return };
        let name = child.name.clone();
        self.absorb(*child, name.as_deref());
    }

    /// Moves the cases of a subtest up, below their parent's name. Says whether one failed.
    pub(super) fn absorb(&mut self, child: Level, parent: Option<&str>) -> bool {
        self.has_subtests = true;
        let parent = parent.map(|parent| match parent.char_indices().find(|(at, _)| *at >= LONGEST_PARENT) {
            Some((at, _)) => {
                if let Some(case) = child.cases.iter().next() {
                    let line = case.lines().first;
                    self.note_left_out("of long names of parents the first 512 bytes are kept", line);
                }
                parent.get(..at).unwrap_or(parent)
            }
            None => parent,
        });
        let cases = &mut self.top().cases;
        let mut failed = false;
        for case in child.cases.iter() {
            let id =
                parent.map_or_else(|| case.id().to_owned(), |parent| format!("{parent} > {}", case.id()));
            let new =
                NewCase { id: &id, name_len: case.name().len(), status: case.status(), lines: case.lines() };
            let suite =
                |_: &str| parent.map(str::to_owned).into_iter().chain(case.suite().iter().cloned()).collect();
            let key = cases.push(new, suite);
            failed |= matches!(case.status(), Status::Failed | Status::Errored);
            for failure in case.failures() {
                cases.add_failure(key, failure.clone());
            }
            if let Some(reason) = case.reason() {
                cases.set_reason(key, reason);
            }
            if let Some(seconds) = case.duration_seconds() {
                cases.set_duration(key, seconds);
            }
        }
        failed
    }

    /// Decides, by the next line, what a `{` at the end of a point means.
    pub(super) fn decide_held(&mut self, indent: usize, closes: bool) {
        let Some((text, line)) = self.held.take() else { return };
        let below = self.top().indent;
        if (indent > below || closes) && self.open(below + STEP, Some((text.clone(), line)), line) {
            if indent > below {
                self.top().indent = indent;
            }
            return;
        }
        self.opened_point(&text, line, true);
    }

    /// Takes a point that ends in `{`, which belongs to its name or opened a subtest.
    fn opened_point(&mut self, text: &[u8], line: u32, brace: bool) {
        let Some(mut point) = point::point(text) else { return };
        let name = [point.name, b" {"].concat();
        if brace && point.directive.is_none() && point.time.is_none() {
            point.name = &name;
        }
        self.conclude(&point, line);
    }

    /// `}` at the end of a buffered subtest.
    pub(super) fn closes(&mut self, indent: usize) -> bool {
        let open = self.levels.iter().rposition(|level| level.parent.is_some());
        let Some(open) =
            open.filter(|open| self.levels.get(open - 1).is_some_and(|below| below.indent == indent))
        else {
            return false;
        };
        while self.levels.len() > open {
            self.pop();
        }
        true
    }

    /// `# Subtest: name`, before the subtest or as its first line.
    pub(super) fn subtest(&mut self, name: &[u8], indent: usize, line: u32) {
        let announced = self.levels.last().is_some_and(|top| top.next_name.is_some());
        if !self.align(indent, line) {
            return;
        }
        self.settle();
        self.touch(line);
        let name = unescaped(name.trim_ascii()).into_owned();
        let top = self.top();
        if !announced && indent > 0 && top.name.is_none() && top.points == 0 && top.plan.is_none() {
            top.name = Some(name.clone());
        }
        top.next_name = Some(name);
    }
}

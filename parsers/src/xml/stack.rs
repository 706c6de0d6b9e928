//! The elements that are open, by name.

use super::Content;

/// An end tag is held against so many elements: more than any report nests, and few enough to stay linear.
const LOOKED_AT: usize = 64;

/// Names in one arena: a depth costs its name and a few bytes.
#[derive(Debug, Default)]
pub(super) struct Stack {
    names: Vec<u8>,
    rows: Vec<(usize, Content)>,
}

impl Stack {
    pub(super) fn push(&mut self, name: &[u8], content: Content) {
        self.rows.push((self.names.len(), content));
        self.names.extend_from_slice(name);
    }

    /// Takes off the innermost element.
    pub(super) fn pop(&mut self) {
        if let Some((start, _)) = self.rows.pop() {
            self.names.truncate(start);
        }
    }

    pub(super) fn clear(&mut self) {
        self.names.clear();
        self.rows.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// What is wanted of the innermost element.
    pub(super) fn content(&self) -> Content {
        self.rows.last().map_or(Content::Elements, |(_, content)| *content)
    }

    /// The name of the innermost element.
    pub(super) fn top(&self) -> &[u8] {
        self.rows.last().and_then(|(start, _)| self.names.get(*start..)).unwrap_or(b"")
    }

    /// How many elements an end tag of this name ends: 1 if it is the innermost one's, 0 if none of that name is open.
    pub(super) fn ended_by(&self, name: &[u8]) -> usize {
        let mut end = self.names.len();
        for (depth, (start, _)) in (1..=LOOKED_AT).zip(self.rows.iter().rev()) {
            if self.names.get(*start..end) == Some(name) {
                return depth;
            }
            end = *start;
        }
        0
    }
}

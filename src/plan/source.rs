//! The text of a plan, and where in it something stands.

use super::fault::{Excerpt, FaultPlace};

/// A plan as it was found.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The path to show.
    pub name: &'a str,
    /// The bytes of the file.
    pub text: &'a [u8],
    /// The own name of the folder that it lies in. The default repository's id is made of it.
    pub folder_name: &'a str,
}

/// Where a value or a key stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// From this byte of the text to before that one.
    Span(usize, usize),
    /// In JSON: a step in [`Text::pointers`].
    Step(usize),
}

/// One step of a JSON Pointer: where it starts from, and which key or number it takes.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) from: Option<usize>,
    pub(crate) key: String,
}

/// A decoded text with its lines.
#[derive(Debug)]
pub(crate) struct Text<'a> {
    pub(crate) name: &'a str,
    pub(crate) text: &'a str,
    line_starts: Vec<usize>,
    /// The steps that [`Place::Step`] numbers. A parent comes before its children.
    pub(crate) pointers: Vec<Step>,
}

impl<'a> Text<'a> {
    pub(crate) fn new(name: &'a str, text: &'a str) -> Self {
        let line_starts =
            std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1)).collect();
        Self { name, text, line_starts, pointers: Vec::new() }
    }

    /// The byte at a line and column that both count from 1, the column in bytes, as JSON errors give them.
    pub(crate) fn offset(&self, line: usize, column: usize) -> usize {
        let start = self.line_starts.get(line.saturating_sub(1)).copied().unwrap_or(self.text.len());
        let mut at = (start + column.saturating_sub(1)).min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    /// A place in words that can be looked up by eye, and the line to show with it.
    pub(crate) fn show(&self, place: Place) -> (FaultPlace, Option<Excerpt>) {
        match place {
            Place::Step(step) => (FaultPlace::Pointer(self.pointer(step)), None),
            Place::Span(start, end) => {
                let line = self.line_starts.partition_point(|first| *first <= start).max(1);
                let first = self.line_starts.get(line - 1).copied().unwrap_or(0);
                let rest = self.text.get(first..).unwrap_or("");
                let whole = rest.split('\n').next().unwrap_or("");
                let whole = whole.strip_suffix('\r').unwrap_or(whole);
                let before = self.text.get(first..start).map_or(0, |text| text.chars().count());
                let marked = self
                    .text
                    .get(start..end.min(first + whole.len()).max(start))
                    .map_or(1, |text| text.chars().count());
                let column = before + 1;
                (FaultPlace::Line { line, column }, Some(Excerpt::new(whole, before, marked.max(1))))
            }
        }
    }

    /// The JSON Pointer of a step: `~` and `/` in keys are written `~0` and `~1`.
    fn pointer(&self, step: usize) -> String {
        let mut keys = Vec::new();
        let mut at = self.pointers.get(step);
        while let Some(Step { from: Some(from), key }) = at {
            keys.push(key.replace('~', "~0").replace('/', "~1"));
            at = self.pointers.get(*from);
        }
        keys.iter().rev().flat_map(|key| ["/", key]).collect()
    }
}

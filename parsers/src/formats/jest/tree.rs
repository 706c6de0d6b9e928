//! The tests of a file, as `--verbose` prints them, and as a run of one file does by itself.
//!
//! ```text
//!   is empty at first            two blanks for each block of `describe` around it
//!   cart
//!     ✓ adds (3 ms)
//!     ○ skipped sells
//!     with a voucher
//!       ✕ takes ten percent off
//! ```
//!
//! Traps: a block may be called `✓ adds`; a name may have several lines; only what follows tells. A line stands for a
//! block exactly when the next one is deeper, and a line without a mark that isn't followed so goes on with a name.

use super::header::{is_duration, seconds};
use crate::Status;
use crate::text::lossy;

/// A test of the tree.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Leaf {
    pub(super) status: Status,
    pub(super) name: String,
    pub(super) seconds: Option<f32>,
    pub(super) first: u32,
    pub(super) last: u32,
}

/// A tree that is being read.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// The names of the blocks around the next test.
    pub(super) blocks: Vec<String>,
    open: Option<Open>,
    /// A line without a mark: a block, or more of the name before.
    unmarked: Option<Unmarked>,
}

#[derive(Debug)]
struct Open {
    depth: usize,
    status: Status,
    /// As printed, without the mark.
    text: Vec<u8>,
    mark: &'static str,
    first: u32,
    last: u32,
}

#[derive(Debug)]
struct Unmarked {
    depth: usize,
    text: Vec<u8>,
    number: u32,
}

/// The marks of jest, and those that it has on Windows.
const MARKS: [(&str, Status); 6] = [
    ("\u{2713}", Status::Passed),
    ("\u{2715}", Status::Failed),
    ("\u{25cb}", Status::Skipped),
    ("\u{270e}", Status::Todo),
    ("\u{221a}", Status::Passed),
    ("\u{d7}", Status::Failed),
];

/// The mark at the start of a line without its indentation, and what follows.
fn marked(text: &[u8]) -> Option<(&'static str, Status, &[u8])> {
    // All marks begin with one of these bytes, and hardly a name does.
    if !matches!(text.first(), Some(0xe2 | 0xc3)) {
        return None;
    }
    MARKS.iter().find_map(|(mark, status)| {
        let rest = text.strip_prefix(mark.as_bytes())?.strip_prefix(b" ")?;
        Some((*mark, *status, rest))
    })
}

/// Whether a tree may begin with this line.
pub(super) fn begins(text: &[u8]) -> bool {
    text.strip_prefix(b"  ")
        .is_some_and(|rest| rest.first().is_some_and(|first| *first != b' ') || marked(rest).is_some())
}

impl Tree {
    /// Takes a line that is not empty. A test whose line is complete is given to `push`, with the blocks around it.
    pub(super) fn line(&mut self, text: &[u8], number: u32, mut push: impl FnMut(&[String], Leaf)) {
        let blanks = text.len() - text.trim_ascii_start().len();
        let depth = blanks / 2;
        let bare = text.get(blanks..).unwrap_or_default();
        if let Some(unmarked) = self.unmarked.take() {
            if depth > unmarked.depth {
                self.flush(&mut push);
                self.enter(unmarked.depth, &unmarked.text);
            } else {
                self.continue_name(&unmarked.text, unmarked.number);
            }
        }
        match marked(bare).filter(|_| blanks >= 2 && blanks % 2 == 0) {
            Some((mark, status, rest)) => {
                match self.open.take() {
                    Some(open) if depth > open.depth && !open.is_timed() => {
                        let name = [open.mark.as_bytes(), b" ", &open.text].concat();
                        self.enter(open.depth, &name);
                    }
                    open => {
                        self.open = open;
                        self.flush(&mut push);
                    }
                }
                // A block without a name is not printed.
                self.blocks.resize(depth.saturating_sub(1), String::new());
                let text = rest.to_vec();
                self.open = Some(Open { depth, status, text, mark, first: number, last: number });
            }
            None if blanks >= 2 => {
                self.unmarked = Some(Unmarked { depth, text: text.to_vec(), number });
            }
            None => self.continue_name(text, number),
        }
    }

    /// The blank line below the tree.
    pub(super) fn end(&mut self, mut push: impl FnMut(&[String], Leaf)) {
        if let Some(unmarked) = self.unmarked.take() {
            self.continue_name(&unmarked.text, unmarked.number);
        }
        self.flush(&mut push);
    }

    fn enter(&mut self, depth: usize, text: &[u8]) {
        self.blocks.resize(depth.saturating_sub(1), String::new());
        let name = text.get(text.len() - text.trim_ascii_start().len()..).unwrap_or_default();
        self.blocks.push(lossy(name).into_owned());
    }

    fn continue_name(&mut self, text: &[u8], number: u32) {
        if let Some(open) = &mut self.open {
            open.text.push(b'\n');
            open.text.extend_from_slice(text);
            open.last = number;
        }
    }

    fn flush(&mut self, push: &mut impl FnMut(&[String], Leaf)) {
        let Some(open) = self.open.take() else { return };
        push(&self.blocks, open.leaf());
    }
}

impl Open {
    /// ` (3 ms)` at the end.
    fn duration(&self) -> Option<(&[u8], &[u8])> {
        let text = self.text.strip_suffix(b")")?;
        let at = memchr::memrchr(b'(', text)?;
        let name = text.get(..at)?.strip_suffix(b" ")?;
        let duration = text.get(at + 1..)?;
        is_duration(duration).then_some((name, duration))
    }

    fn is_timed(&self) -> bool {
        self.duration().is_some()
    }

    fn leaf(&self) -> Leaf {
        let (name, seconds) = match self.status {
            Status::Skipped => (self.text.strip_prefix(b"skipped ").unwrap_or(&self.text), None),
            Status::Todo => (self.text.strip_prefix(b"todo ").unwrap_or(&self.text), None),
            _ => match self.duration() {
                Some((name, duration)) => (name, seconds(duration)),
                None => (self.text.as_slice(), None),
            },
        };
        Leaf {
            status: self.status,
            name: lossy(name).into_owned(),
            seconds,
            first: self.first,
            last: self.last,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &[&str]) {
        let mut seen = Vec::new();
        let mut tree = Tree::default();
        let mut push = |blocks: &[String], leaf: Leaf| {
            let mut id = blocks.join(" > ");
            id = format!("{id} > {} {}", leaf.name, leaf.status.word());
            seen.push(id.trim_start_matches(" > ").to_owned());
        };
        for (line, number) in text.lines().zip(1..) {
            tree.line(line.as_bytes(), number, &mut push);
        }
        tree.end(&mut push);
        assert_eq!(seen, want, "{text}");
    }

    #[test]
    fn blocks_are_those_that_something_stands_deeper_under() {
        check(
            "  ✓ a (3 ms)\n  cart\n    ✕ b (1.2 s)\n    box\n      ○ skipped c\n  till\n    ✎ todo d\n    √ e\n    × f",
            &[
                "a passed",
                "cart > b failed",
                "cart > box > c skipped",
                "till > d todo",
                "till > e passed",
                "till > f failed",
            ],
        );
        check("  a\n    b\n      c\n        ✓ d\n  e\n    ✓ f", &["a > b > c > d passed", "e > f passed"]);
    }

    #[test]
    fn a_block_may_be_called_like_a_test() {
        check(
            "  ✓ looks\n    ✓ a\n    ✕ b\n  ✓ c",
            &["✓ looks > a passed", "✓ looks > b failed", "c passed"],
        );
        check("  ✓ is one (2 ms)\n    ✓ a", &["is one passed", "a passed"]);
    }

    #[test]
    fn a_name_may_have_several_lines() {
        check(
            "  ✓ one\ntwo (1 ms)\n  ✓ three\n  four\n  ✓ five",
            &["one\ntwo passed", "three\n  four passed", "five passed"],
        );
    }

    #[test]
    fn names_end_before_the_last_duration() {
        check(
            "  ✓ takes (5 ms) (6 ms)\n  ✓ f(x) (y)\n  ✓ skipped x\n  ○ x (5 ms)",
            &["takes (5 ms) passed", "f(x) (y) passed", "skipped x passed", "x (5 ms) skipped"],
        );
    }
}

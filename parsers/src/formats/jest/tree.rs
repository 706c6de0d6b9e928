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

use std::borrow::Cow;

use super::header::seconds;
use crate::Status;
use crate::text::lossy;

/// A test of the tree.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Leaf<'a> {
    pub(super) status: Status,
    pub(super) name: Cow<'a, str>,
    pub(super) seconds: Option<f32>,
    pub(super) first: u32,
    pub(super) last: u32,
    /// Whether the blocks around it are others than those of the test before.
    pub(super) moved: bool,
}

/// A tree that is being read.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// The names of the blocks around the next test.
    pub(super) blocks: Vec<String>,
    moved: bool,
    /// The last test, whose line may turn out to be that of a block, or to go on.
    open: Option<Open>,
    /// Its text without the mark, as printed.
    text: Vec<u8>,
    /// A line without a mark: a block, or more of the name before.
    unmarked: Option<Unmarked>,
}

#[derive(Debug, Clone, Copy)]
struct Open {
    depth: usize,
    status: Status,
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

/// The mark at the start of a line without its indentation, and what follows. On Windows two marks are others.
fn marked(text: &[u8]) -> Option<(&'static str, Status, &[u8])> {
    let (mark, status, rest) = match text {
        [0xe2, 0x9c, 0x93, rest @ ..] => ("\u{2713}", Status::Passed, rest),
        [0xe2, 0x9c, 0x95, rest @ ..] => ("\u{2715}", Status::Failed, rest),
        [0xe2, 0x97, 0x8b, rest @ ..] => ("\u{25cb}", Status::Skipped, rest),
        [0xe2, 0x9c, 0x8e, rest @ ..] => ("\u{270e}", Status::Todo, rest),
        [0xe2, 0x88, 0x9a, rest @ ..] => ("\u{221a}", Status::Passed, rest),
        [0xc3, 0x97, rest @ ..] => ("\u{d7}", Status::Failed, rest),
        _ => return None,
    };
    Some((mark, status, rest.strip_prefix(b" ")?))
}

/// Whether a tree may begin with this line.
pub(super) fn begins(text: &[u8]) -> bool {
    text.strip_prefix(b"  ")
        .is_some_and(|rest| rest.first().is_some_and(|first| *first != b' ') || marked(rest).is_some())
}

impl Tree {
    /// A tree begins below a header.
    pub(super) fn new() -> Self {
        Self { moved: true, ..Self::default() }
    }

    /// Takes a line that is not empty. A test whose line is complete is given to `push`, with the blocks around it.
    pub(super) fn line(&mut self, text: &[u8], number: u32, mut push: impl FnMut(&[String], Leaf<'_>)) {
        let blanks = text.iter().take_while(|byte| **byte == b' ').count();
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
        match marked(bare).filter(|_| blanks >= 2 && blanks & 1 == 0) {
            Some((mark, status, rest)) => {
                match self.open {
                    Some(open) if depth > open.depth && open.duration(&self.text).is_none() => {
                        let name = [open.mark.as_bytes(), b" ", &self.text].concat();
                        self.open = None;
                        self.enter(open.depth, &name);
                    }
                    _ => self.flush(&mut push),
                }
                // A block without a name is not printed.
                self.resize(depth.saturating_sub(1));
                self.text.clear();
                self.text.extend_from_slice(rest);
                self.open = Some(Open { depth, status, mark, first: number, last: number });
            }
            None if blanks >= 2 => {
                self.unmarked = Some(Unmarked { depth, text: text.to_vec(), number });
            }
            None => self.continue_name(text, number),
        }
    }

    /// The blank line below the tree.
    pub(super) fn end(&mut self, mut push: impl FnMut(&[String], Leaf<'_>)) {
        if let Some(unmarked) = self.unmarked.take() {
            self.continue_name(&unmarked.text, unmarked.number);
        }
        self.flush(&mut push);
    }

    fn resize(&mut self, depth: usize) {
        if depth != self.blocks.len() {
            self.blocks.resize(depth, String::new());
            self.moved = true;
        }
    }

    fn enter(&mut self, depth: usize, text: &[u8]) {
        self.resize(depth.saturating_sub(1));
        self.blocks.push(lossy(text.trim_ascii_start()).into_owned());
        self.moved = true;
    }

    fn continue_name(&mut self, text: &[u8], number: u32) {
        if let Some(open) = &mut self.open {
            self.text.push(b'\n');
            self.text.extend_from_slice(text);
            open.last = number;
        }
    }

    fn flush(&mut self, push: &mut impl FnMut(&[String], Leaf<'_>)) {
        if let Some(open) = self.open.take() {
            push(&self.blocks, open.leaf(&self.text, self.moved));
            self.moved = false;
        }
    }
}

impl Open {
    /// ` (3 ms)` at the end: the text before it, and the seconds.
    fn duration(self, text: &[u8]) -> Option<(&[u8], f32)> {
        let inner = text.strip_suffix(b")")?;
        // It is near: a loop is faster than a search.
        let at = inner.iter().rposition(|byte| *byte == b'(')?;
        let name = inner.get(..at)?.strip_suffix(b" ")?;
        Some((name, seconds(inner.get(at + 1..)?)?))
    }

    fn leaf(self, text: &[u8], moved: bool) -> Leaf<'_> {
        let word = match self.status {
            Status::Skipped => text.strip_prefix(b"skipped "),
            Status::Todo => text.strip_prefix(b"todo "),
            _ => None,
        };
        // With `--expand` there is no such word.
        let (name, seconds) = match (word, self.duration(text)) {
            (Some(name), _) => (name, None),
            (None, Some((name, seconds))) => (name, Some(seconds)),
            (None, None) => (text, None),
        };
        Leaf { status: self.status, name: lossy(name), seconds, first: self.first, last: self.last, moved }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &[&str]) {
        let mut seen = Vec::new();
        let mut tree = Tree::new();
        let mut push = |blocks: &[String], leaf: Leaf<'_>| {
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
            "  ✓ takes (5 ms) (6 ms)\n  ✓ f(x) (y)\n  ✓ skipped x\n  ○ skipped x (5 ms)\n  ○ x (5 ms)",
            &["takes (5 ms) passed", "f(x) (y) passed", "skipped x passed", "x (5 ms) skipped", "x skipped"],
        );
    }
}

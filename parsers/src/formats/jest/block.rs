//! What jest says of one failure: a title, a message, a piece of source, and a stack.
//!
//! ```text
//!   ● box › opens
//!
//!     expect(received).toBe(expected)
//!
//!     > 3 |     expect(1).toBe(2);
//!         |               ^
//!
//!       at Object.<anonymous> (lib/box.test.js:3:15)
//! ```

use super::frame::CodeFrame;
use crate::bounded::Bounded;
use crate::text::{lossy, number};

/// What stands in front of a title.
pub(super) const BULLET: &[u8] = "  \u{25cf} ".as_bytes();

/// A name has few lines; more, and it is no title.
const MOST_TITLE_LINES: usize = 50;

/// A block that is being read.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) title: String,
    title_lines: usize,
    in_title: bool,
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) said: Said,
}

/// What a block says below its title.
#[derive(Debug, Clone, Default)]
pub(super) struct Said {
    pub(super) text: Bounded,
    pub(super) frame: CodeFrame,
    /// The first place of the stack that is none of a package's.
    pub(super) place: Option<(String, u32)>,
    in_stack: bool,
    /// A value that is no error was thrown. Since jest 30.5 the frame stands below an error of jest's own, as its cause.
    frame_is_of_cause: bool,
}

impl Block {
    /// A block begins with the line that holds its title.
    pub(super) fn new(title: &[u8], number: u32) -> Self {
        Self {
            title: lossy(title).into_owned(),
            title_lines: 1,
            in_title: true,
            first: number,
            last: number,
            said: Said::default(),
        }
    }

    /// Takes a line. `false`: it is none of this block's.
    pub(super) fn line(&mut self, text: &[u8], number: u32) -> bool {
        if text.is_empty() {
            self.in_title = false;
            self.said.line(text);
            return true;
        }
        if self.in_title {
            self.title_lines += 1;
            if self.title_lines > MOST_TITLE_LINES {
                return false;
            }
            self.title.push('\n');
            self.title.push_str(&lossy(text));
        } else if let Some(text) = text.strip_prefix(b"    ") {
            self.said.line(text);
        } else if self.said.is_silent() {
            // What is thrown outside a test and is no error is not indented.
            self.said.line(text);
        } else {
            return false;
        }
        self.last = number;
        true
    }

    /// Whether the blank line below the title has come.
    pub(super) fn has_title(&self) -> bool {
        !self.in_title
    }
}

impl Said {
    /// Takes a line without its indentation.
    fn line(&mut self, text: &[u8]) {
        if self.in_stack {
            let inner = text.strip_prefix(b"    ").filter(|_| self.frame_is_of_cause);
            if !inner.is_some_and(|inner| self.frame.line(inner)) {
                self.stack(inner.unwrap_or(text));
            }
        } else if is_stack(text) {
            self.in_stack = true;
            self.frame_is_of_cause =
                self.frame.marked_line().is_none() && self.text.as_str().starts_with("thrown: ");
            self.stack(text);
        } else if !(self.frame.line(text) || text.is_empty() && self.text.is_empty()) {
            self.text.line(text);
        }
    }

    fn is_silent(&self) -> bool {
        self.text.is_empty() && self.frame.marked_line().is_none() && !self.in_stack
    }

    fn stack(&mut self, text: &[u8]) {
        if self.place.is_some() || !is_stack(text) {
            return;
        }
        let text = lossy(text);
        let Some(call) = text.trim_start().strip_prefix("at ") else { return };
        let place = call.rsplit_once('(').map_or(call, |(_, place)| place).trim_end_matches(')');
        let mut parts = place.rsplitn(3, ':');
        let (Some(_), Some(line), Some(file)) = (parts.next(), parts.next(), parts.next()) else { return };
        if let Ok(line) = line.parse()
            && !file.contains("node_modules/")
            && !file.starts_with("node:")
        {
            self.place = Some((file.to_owned(), line));
        }
    }
}

/// `  at Object.<anonymous> (a.test.js:3:15)`, with two blanks: a stack within a message has more.
fn is_stack(text: &[u8]) -> bool {
    text.strip_prefix(b"  at ").is_some_and(|call| {
        let call = call.strip_suffix(b")").unwrap_or(call);
        let mut ends = memchr::memrchr_iter(b':', call);
        let Some(last) = ends.next() else {
            return call.ends_with(b"<anonymous>") || call.ends_with(b"native");
        };
        let is_number = |text: Option<&[u8]>| text.and_then(number).is_some_and(|(_, rest)| rest.is_empty());
        is_number(call.get(last + 1..))
            && ends.next().is_some_and(|first| is_number(call.get(first + 1..last)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(text: &str) -> Block {
        let mut block = Block::new(b"box", 1);
        for (line, number) in text.lines().zip(2..) {
            assert!(block.line(line.as_bytes(), number), "{line}");
        }
        block
    }

    #[test]
    fn message_source_and_stack_are_told_apart() {
        let block = block(
            "\n    no\n\n      more\n        at JSON.parse (<anonymous>)\n\n    > 3 | x\n        | ^\n\n      \
             at fn (node_modules/x/y.js:1:2)\n      at Object.<anonymous> (lib/a.test.js:3:11)\n\n    Cause:\n    other",
        );
        assert_eq!(block.said.text.as_str(), "no\n\n  more\n    at JSON.parse (<anonymous>)");
        assert_eq!(block.said.place, Some(("lib/a.test.js".to_owned(), 3)));
        assert_eq!((block.said.frame.marked_line(), block.last), (Some(3), 15));
    }

    #[test]
    fn the_frame_of_a_thrown_value_may_be_that_of_a_cause() {
        let thrown = "\n    thrown: 7\n\n      at _getError (node_modules/jest-circus/build/x.js:1:2)\n          at Array.map (<anonymous>)\n\n    \
             Cause:\n        thrown: 7\n\n        > 3 | afterEach(() => {\n            | ^\n          4 |   throw 7;\n\n          \
             at Object.afterEach (a.test.js:3:1)";
        let said = block(thrown).said;
        assert_eq!((said.text.as_str(), said.frame.marked_line()), ("thrown: 7", Some(3)));
        assert_eq!(said.place, Some(("a.test.js".to_owned(), 3)));
        let error = block(&thrown.replace("thrown: 7", "no lid")).said;
        assert_eq!(error.frame.marked_line(), None, "the cause of an error is not where it was thrown");
    }

    #[test]
    fn a_title_goes_on_to_the_blank_line() {
        let block = block("second line\n  third\n\n    no");
        assert_eq!(block.title, "box\nsecond line\n  third");
    }

    #[test]
    fn what_is_not_indented_belongs_to_a_block_that_said_nothing_yet() {
        let mut block = block("\nthrown: 42");
        assert_eq!(block.said.text.as_str(), "thrown: 42");
        assert!(!block.line(b"PASS a", 9));
    }
}

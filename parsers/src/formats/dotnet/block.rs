//! The lines below a row that say why the test did not pass.

use super::frames::Frames;
use crate::bounded::Bounded;
use crate::{CaseKey, Lines};

/// Whose lines they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Owner {
    Case(CaseKey),
    /// A hook of a class or an assembly that the runner lists among its tests.
    Hook(String),
}

/// Which of the consoles wrote the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Console {
    Vstest,
    Platform,
    Terminal,
    Own,
}

/// What the next line of a block is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Nothing yet.
    Head,
    Message,
    Stack,
    /// What the test printed.
    Output,
}

#[derive(Debug)]
pub(super) struct Block {
    pub(super) owner: Owner,
    pub(super) console: Console,
    pub(super) part: Part,
    pub(super) message: Bounded,
    pub(super) frames: Frames,
    pub(super) lines: Lines,
    /// A message that was begun above it and may still go on: then this row is part of that.
    pub(super) within: Option<Box<Block>>,
}

impl Block {
    pub(super) fn new(owner: Owner, console: Console, number: u32) -> Self {
        Self {
            owner,
            console,
            part: Part::Head,
            message: Bounded::default(),
            frames: Frames::default(),
            lines: Lines::one(number),
            within: None,
        }
    }

    /// Adds a line of the message.
    pub(super) fn say(&mut self, text: &[u8], number: u32) {
        self.message.line(text);
        if !text.trim_ascii().is_empty() {
            self.lines.last = number;
        }
    }

    /// Adds a line of the stack trace, if it is one.
    pub(super) fn frame(&mut self, text: &[u8], number: u32, any_word: bool) -> bool {
        let is_frame = self.frames.line(text, any_word);
        if is_frame {
            self.lines.last = number;
        }
        is_frame
    }
}

//! Blocks of the sections ERRORS and FAILURES: one failure each, under a title with the name of the test.

use super::traceback::Traceback;
use crate::text::lossy;

/// When a failure happened, as the block's title says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Call,
    Setup,
    Teardown,
    Collect,
}

/// One block.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) phase: Phase,
    /// The test without its file, or the file that was collected.
    pub(super) name: String,
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) traceback: Traceback,
}

impl Block {
    /// A block whose title stands at this line.
    pub(super) fn new(title: &[u8], number: u32) -> Self {
        let phases = [
            (&b"ERROR at setup of "[..], Phase::Setup),
            (b"ERROR at teardown of ", Phase::Teardown),
            (b"ERROR collecting ", Phase::Collect),
        ];
        let (phase, name) = phases
            .iter()
            .find_map(|(words, phase)| Some((*phase, title.strip_prefix(*words)?)))
            .unwrap_or((Phase::Call, title));
        let name = name.strip_prefix(b"[doctest] ").unwrap_or(name);
        let name = lossy(name).into_owned();
        let path = name.find(['[', ' ']).and_then(|end| name.get(..end)).unwrap_or(&name);
        let traceback = Traceback::of_test(path.rsplit('.').next().unwrap_or(path));
        Self { phase, name, first: number, last: number, traceback }
    }

    pub(super) fn line(&mut self, text: &[u8], number: u32) {
        self.traceback.line(text);
        if !text.is_empty() {
            self.last = number;
        }
    }
}

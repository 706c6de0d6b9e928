//! One section of trial's report: what was said, and the tests that it was said of.

use super::traceback::{Said, Traceback};
use crate::bounded::Bounded;
use crate::python::{self, Scope};
use crate::text::lossy;
use crate::{Lines, Status};

/// How trial calls what became of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flavour {
    Passed,
    Failed,
    Errored,
    Skipped,
    Todo,
    Unexpected,
}

const WORDS: [(&[u8], Flavour); 7] = [
    (b"[OK]", Flavour::Passed),
    (b"[FAIL]", Flavour::Failed),
    (b"[FAILURE]", Flavour::Failed),
    (b"[ERROR]", Flavour::Errored),
    (b"[SKIPPED]", Flavour::Skipped),
    (b"[TODO]", Flavour::Todo),
    (b"[SUCCESS!?!]", Flavour::Unexpected),
];

impl Flavour {
    /// The title of a section.
    pub(super) fn titled(text: &[u8]) -> Option<Self> {
        let found = WORDS.iter().find(|(word, _)| *word == text)?.1;
        (found != Self::Passed).then_some(found)
    }

    /// The result at the end of a line, and what stands before it.
    pub(super) fn at_end(text: &[u8]) -> Option<(&[u8], Self)> {
        WORDS.iter().find_map(|(word, flavour)| Some((text.strip_suffix(*word)?, *flavour)))
    }

    pub(super) fn status(self) -> Status {
        match self {
            Self::Passed => Status::Passed,
            Self::Failed => Status::Failed,
            Self::Errored => Status::Errored,
            Self::Skipped => Status::Skipped,
            Self::Todo => Status::Xfailed,
            Self::Unexpected => Status::Xpassed,
        }
    }
}

/// So many frames are looked at for a hook; the outermost tell.
const MOST_FRAMES: usize = 32;

/// A section. Behind its last blank line stand the ids of its tests.
pub(super) struct Section {
    pub(super) flavour: Flavour,
    pub(super) lines: Lines,
    /// What is said: of a skip its reason, of a failure the traceback.
    pub(super) reason: Bounded,
    traceback: Traceback,
    /// The functions of its frames.
    functions: Vec<String>,
    /// Lines since the last blank one.
    pub(super) ids: Vec<String>,
    blank: bool,
    /// Whether a frame is trial's own loader: then no test failed, but a module that holds some.
    pub(super) of_loader: bool,
}

impl Section {
    pub(super) fn new(flavour: Flavour, number: u32) -> Self {
        Self {
            flavour,
            lines: Lines::one(number),
            reason: Bounded::default(),
            traceback: Traceback::default(),
            functions: Vec::new(),
            ids: Vec::new(),
            blank: false,
            of_loader: false,
        }
    }

    /// Takes a line of it.
    pub(super) fn line(&mut self, text: &[u8], number: u32) {
        if text.is_empty() {
            self.give_back();
            self.blank = true;
            self.said(text);
            return;
        }
        self.lines.last = number;
        if self.blank && !text.starts_with(b" ") {
            self.ids.push(lossy(text).into_owned());
            return;
        }
        self.give_back();
        self.said(text);
    }

    /// The lines that were taken for ids are part of what is said.
    fn give_back(&mut self) {
        self.blank = false;
        for line in std::mem::take(&mut self.ids) {
            self.said(line.as_bytes());
        }
    }

    fn said(&mut self, text: &[u8]) {
        if let Some((file, _, function)) = python::frame(text) {
            self.of_loader |= file.ends_with(b"/twisted/trial/runner.py");
            if self.functions.len() < MOST_FRAMES {
                self.functions.push(lossy(function).into_owned());
            }
        }
        // Built-in classes come with their module, errors that were only logged with a word before them.
        let plain = text.strip_prefix(b"Failure: ").unwrap_or(text);
        self.traceback.line(plain.strip_prefix(b"builtins.").unwrap_or(plain));
        self.reason.line(text);
    }

    /// What its traceback says.
    pub(super) fn into_said(self) -> (Said, Vec<String>) {
        (self.traceback.said(), self.functions)
    }
}

/// Which hook of a test of this name failed, by the outermost frame that is its own.
pub(super) fn scope(functions: &[String], method: &str) -> Option<Scope> {
    functions.iter().find_map(|function| Scope::of(function.as_bytes(), method.as_bytes()))
}

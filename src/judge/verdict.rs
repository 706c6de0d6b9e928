//! What a judge says.

use bstr::BString;
use redgreen_parsers::Lines;

use super::Code;
use crate::plan::Phase;

/// Accepted or rejected, with every reason.
///
/// Invariant: it is accepted exactly when it has no problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// What was judged.
    pub phase: Phase,
    /// Every reason to reject.
    pub problems: Vec<Problem>,
    /// What is worth knowing without rejecting.
    pub notes: Vec<Note>,
}

impl Verdict {
    /// Whether there is no reason to reject.
    #[must_use]
    pub fn accepted(&self) -> bool {
        self.problems.is_empty()
    }
}

/// A reason to reject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Which reason.
    pub code: Code,
    /// One sentence: what, on what, and what to do where that isn't the same for every problem of this code.
    pub message: String,
    /// Where in the transcript.
    pub lines: Option<Lines>,
    /// Which file.
    pub place: Option<Place>,
}

/// What is worth knowing without rejecting.
pub type Note = Problem;

/// A file of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The repository's id.
    pub repository: String,
    /// Below its root, in bytes with `/`; `None`: the repository as a whole.
    pub path: Option<BString>,
}

impl Problem {
    /// A problem of the run as a whole.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), lines: None, place: None }
    }

    /// The same, at these lines of the transcript. What a witness alone says stands on none.
    #[must_use]
    pub fn at(self, lines: impl Into<Option<Lines>>) -> Self {
        Self { lines: lines.into().filter(|lines| lines.first > 0), ..self }
    }

    /// The same, in this file.
    #[must_use]
    pub fn on(self, repository: &str, path: impl Into<Option<BString>>) -> Self {
        Self { place: Some(Place { repository: repository.to_owned(), path: path.into() }), ..self }
    }
}

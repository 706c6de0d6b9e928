//! Why a command stopped before it had an answer, and how that is said.

use std::path::{Path, PathBuf};

use super::Exit;
use crate::judge::{Code, Family};

/// A command that could not do its work. The code alone picks the exit code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// Why.
    pub code: Code,
    /// What failed, on what, and what to do next.
    pub message: String,
    /// The file it failed on.
    pub path: Option<PathBuf>,
}

impl Stop {
    /// A stop with this code.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), path: None }
    }

    /// The same, on this file.
    #[must_use]
    pub fn on(self, path: &Path) -> Self {
        Self { path: Some(path.to_owned()), ..self }
    }

    /// The exit code that belongs to it.
    #[must_use]
    pub fn exit(&self) -> Exit {
        match self.code {
            Code::NoTask | Code::TaskInFlight => Exit::Usage,
            Code::PlanExists | Code::NothingFound => Exit::State,
            code if code.family() == Family::Usage => Exit::Usage,
            code if code.family() == Family::State => Exit::State,
            _ => Exit::Rejected,
        }
    }
}

//! What can be wrong with the state folder.

use std::io;
use std::path::{Path, PathBuf};

use crate::judge::{Code, Problem};
use crate::record::wire;

/// Why the state folder can't be used. Nothing was overwritten.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A record was to be stored before a task was begun.
    #[error("there is no task; begin one with `verify begin`")]
    NoTask {
        /// Where it would lie.
        path: PathBuf,
    },
    /// Another process holds the lock.
    #[error("another `verify` is at work in {}; try again when it is done, or give it time with `--wait 30s`", .path.display())]
    Locked {
        /// The state folder.
        path: PathBuf,
    },
    /// Something stands where the state folder should be.
    #[error("{} is no folder; move it away, or choose another place with `--state-dir`", .path.display())]
    NotAFolder {
        /// What stands there.
        path: PathBuf,
    },
    /// The folder is used for something else.
    #[error(
        "{} holds `{}`, which is no part of a state folder; choose an empty place with `--state-dir`",
        .path.display(), .name.escape_debug()
    )]
    Occupied {
        /// The folder.
        path: PathBuf,
        /// What is in it.
        name: String,
    },
    /// A file can't be written.
    #[error(
        "{} can't be written: {source}; make room or give write access, or choose another place with `--state-dir`",
        .path.display()
    )]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The folder isn't the one that was opened.
    #[error("{} was deleted or replaced while it was in use; run the command again", .path.display())]
    Replaced {
        /// The file that isn't as it was left.
        path: PathBuf,
    },
    /// A file can't be read.
    #[error("{} can't be read: {source}; give read access, or put the file back from a copy", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file isn't what was written.
    #[error(
        "{} is damaged: {why}; put it back from a copy, or move the state folder away and begin anew",
        .path.display()
    )]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A file was written by a later version.
    #[error("{} was written by a later version: {why}; use that version", .path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Which version.
        why: String,
    },
    /// Records and log don't fit each other.
    #[error(
        "the chain of records is broken at {}: {why}; put the file back from a copy, or move the state folder away and begin anew",
        .path.display()
    )]
    Broken {
        /// The file at which it breaks.
        path: PathBuf,
        /// What doesn't fit.
        why: String,
    },
}

impl StoreError {
    /// The code of the state family.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self {
            Self::NoTask { .. } => Code::NoTask,
            Self::Locked { .. } => Code::StoreLocked,
            Self::NotAFolder { .. }
            | Self::Occupied { .. }
            | Self::Unwritable { .. }
            | Self::Replaced { .. } => Code::StoreUnwritable,
            Self::Unreadable { .. } | Self::Corrupt { .. } => Code::RecordCorrupt,
            Self::Newer { .. } => Code::RecordNewer,
            Self::Broken { .. } => Code::ChainBroken,
        }
    }

    /// The file or folder that it is about.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::NoTask { path }
            | Self::Locked { path }
            | Self::NotAFolder { path }
            | Self::Occupied { path, .. }
            | Self::Replaced { path }
            | Self::Unwritable { path, .. }
            | Self::Unreadable { path, .. }
            | Self::Corrupt { path, .. }
            | Self::Newer { path, .. }
            | Self::Broken { path, .. } => path,
        }
    }

    pub(super) fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Unwritable { path: path.to_owned(), source }
    }

    pub(super) fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Unreadable { path: path.to_owned(), source }
    }

    pub(super) fn broken(path: PathBuf, why: impl Into<String>) -> Self {
        Self::Broken { path, why: why.into() }
    }

    pub(super) fn of_read(path: &Path, error: &wire::ReadError) -> Self {
        let (path, why) = (path.to_owned(), error.to_string());
        match error {
            wire::ReadError::Newer { .. } => Self::Newer { path, why },
            wire::ReadError::Broken { .. } => Self::Corrupt { path, why },
        }
    }
}

impl From<&StoreError> for Problem {
    fn from(error: &StoreError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

impl From<&StoreError> for wire::Error {
    fn from(error: &StoreError) -> Self {
        Self::new(error.code().word(), error.to_string(), Some(error.path().display().to_string()))
    }
}

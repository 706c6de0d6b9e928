//! Why a work tree can't be looked at.

use std::io;
use std::path::{Path, PathBuf};

use crate::observe::git::GitError;

/// The work tree can't be looked at.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    /// Git's data can't be read.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A file or folder can't be read.
    #[error("`{}` can't be read: {error}; {}", path.display(), advice(error))]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        #[source]
        error: io::Error,
    },
    /// A file changed each time it was read.
    #[error("`{}` changed while it was read, twice; stop what writes it and run again", path.display())]
    Moving {
        /// The file.
        path: PathBuf,
    },
}

impl FilesError {
    /// The file or folder that it is about.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Git(error) => &error.path,
            Self::Unreadable { path, .. } | Self::Moving { path } => path,
        }
    }

    pub(super) fn unreadable(path: &Path, error: io::Error) -> Self {
        Self::Unreadable { path: path.to_owned(), error }
    }
}

fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::PermissionDenied => {
            "give the user that runs `verify` the right to read it, or name it in `[guard] ignore`"
        }
        io::ErrorKind::NotFound => "check the repository's `path`",
        io::ErrorKind::InvalidFilename => "its path is too long for the system; move it further up",
        _ => "every file that counts must be readable",
    }
}

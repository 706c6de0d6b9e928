//! Why git can't be read.

use std::path::{Path, PathBuf};

/// Git's data for a work tree can't be read: a corrupt or unknown format, no work tree, or one that lies elsewhere.
/// Its code is `git-unreadable`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("git can't be read at `{}`: {reason}", path.display())]
pub struct GitError {
    /// The work tree, or the file in git's folder.
    pub path: PathBuf,
    /// What is wrong and, where it is known, what to do.
    pub reason: String,
}

impl GitError {
    pub(super) fn new(path: &Path, reason: impl Into<String>) -> Self {
        Self { path: path.to_owned(), reason: reason.into() }
    }

    /// With the whole chain of causes, which `gix` keeps apart.
    pub(super) fn caused(path: &Path, what: &str, error: &gix::Error) -> Self {
        let mut reason = what.to_owned();
        let mut cause: Option<&dyn std::error::Error> = Some(error);
        while let Some(error) = cause {
            let text = error.to_string();
            if !reason.ends_with(&text) {
                reason.push_str(": ");
                reason.push_str(&text);
            }
            cause = error.source();
        }
        Self::new(path, reason)
    }

    pub(super) fn bare(path: &Path) -> Self {
        Self::new(
            path,
            "it is a bare repository, or git's own folder: there is no work tree to look at; name a checkout",
        )
    }
}

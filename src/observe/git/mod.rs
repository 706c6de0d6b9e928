//! What git says of a work tree, read through `gix` alone: no process is started, no hook or filter runs, and no
//! `GIT_*` variable is obeyed.
//!
//! Git only names things here (HEAD, what is tracked, what is ignored). Bytes are always read from the work tree itself,
//! so that flags in the index, a file system monitor or replaced objects can't hide an edit.

mod blob;
mod error;
mod history;
mod ignore;
mod index;
mod open;
mod preexisting;
mod since;
mod tree;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice as _};

use super::facts::{GitFacts, RepositoryFacts};

pub use error::GitError;
pub use history::Commit;
pub(super) use index::{Found as TrackedAs, Index};
pub(super) use open::is_repository;
pub use preexisting::{Preexisting, PreexistingChange};
pub(super) use since::Since;
pub use tree::Tree;

/// A work tree that git knows, as it was when it was opened.
#[derive(Debug)]
pub struct Git {
    repository: gix::Repository,
    root: PathBuf,
    elsewhere: Option<PathBuf>,
    index: Option<Arc<Index>>,
}

/// A path that the index names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tracked {
    /// Below the work tree's root.
    pub path: BString,
    /// Git's mode, e.g. `0o100644`.
    pub mode: u32,
    /// The object id in hex.
    pub oid: String,
}

impl Git {
    /// Opens the work tree that holds `folder`, looking upwards. `None`: git knows none here.
    ///
    /// # Errors
    /// What can't be read as git would, or has no work tree: see [`GitError`].
    pub fn discover(folder: &Path) -> Result<Option<Self>, GitError> {
        let folder = folder.canonicalize().map_err(|error| GitError::new(folder, error.to_string()))?;
        Self::root_of(&folder)?.map(Self::tolerate).transpose()
    }

    /// The root of the work tree that holds `folder`, an absolute path without links. `None`: git knows none here.
    ///
    /// # Errors
    /// It has no work tree, or can't be looked at.
    pub(super) fn root_of(folder: &Path) -> Result<Option<&Path>, GitError> {
        for root in folder.ancestors() {
            if open::is_repository(&root.join(".git"))? {
                return Ok(Some(root));
            }
            if open::is_git_folder(root) {
                return Err(GitError::bare(root));
            }
        }
        Ok(None)
    }

    /// Opens the work tree that was looked at.
    ///
    /// # Errors
    /// As [`Git::discover`].
    pub fn of(facts: &RepositoryFacts) -> Result<Self, GitError> {
        Self::open(&gix::path::from_bstr(facts.root.as_bstr()).unwrap_or_default())
    }

    /// Opens the work tree whose root, an absolute path without links, holds `.git`.
    ///
    /// # Errors
    /// As [`Git::discover`], and when git looks at another work tree.
    pub(super) fn open(root: &Path) -> Result<Self, GitError> {
        let git = Self::tolerate(root)?;
        git.is_here()?;
        Ok(git)
    }

    /// The same, though git may look at another work tree.
    pub(super) fn tolerate(root: &Path) -> Result<Self, GitError> {
        let (repository, elsewhere) = open::open(root)?;
        let index = Index::read(&repository, root)?.map(Arc::new);
        Ok(Self { repository, root: root.to_owned(), elsewhere, index })
    }

    /// Whether git looks at this work tree.
    ///
    /// # Errors
    /// `core.worktree` leads elsewhere.
    pub fn is_here(&self) -> Result<(), GitError> {
        let Some(elsewhere) = &self.elsewhere else { return Ok(()) };
        let reason = format!(
            "its work tree is `{}` by `core.worktree`, not this folder; run it from there, or `git config --unset core.worktree`",
            elsewhere.display()
        );
        Err(GitError::new(&self.root, reason))
    }

    /// The work tree's root, without links.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// HEAD, branch and index.
    ///
    /// # Errors
    /// When HEAD can't be read.
    pub fn facts(&self) -> Result<GitFacts, GitError> {
        let (index, index_flags) =
            self.index.as_ref().map(|index| (index.digest(), index.flags_digest())).unzip();
        Ok(GitFacts { index, index_flags, ..self.facts_without_index()? })
    }

    /// The same without the digests of the index, which take time.
    pub(super) fn facts_without_index(&self) -> Result<GitFacts, GitError> {
        let (head, branch) = self.head()?;
        let elsewhere = self.elsewhere.as_ref().map(|path| path.to_string_lossy().into_owned());
        let sparse = self.sparse()?;
        let modes_ignored = !self.modes_count();
        Ok(GitFacts { head, branch, index: None, index_flags: None, sparse, elsewhere, modes_ignored })
    }

    /// Whether git compares execute bits.
    pub(super) fn modes_count(&self) -> bool {
        self.repository.config_snapshot().boolean("core.fileMode").unwrap_or(true)
    }

    /// The commit and the branch of HEAD.
    pub(super) fn head(&self) -> Result<(Option<String>, Option<String>), GitError> {
        let unreadable = |error: gix::Error| GitError::caused(&self.root, "HEAD can't be read", &error);
        let head = self.repository.head().map_err(unreadable)?;
        let branch = head.referent_name().map(|name| name.as_bstr().to_string());
        let commit = match head.kind {
            gix::head::Kind::Unborn(_) => None,
            gix::head::Kind::Detached { target, .. } => Some(target),
            gix::head::Kind::Symbolic(reference) => match reference.target.try_id() {
                Some(id) => Some(id.to_owned()),
                // The branch is itself a symbolic ref.
                None => Some(self.repository.head_id().map_err(unreadable)?.detach()),
            },
        };
        Ok((commit.map(|id| id.to_string()), branch))
    }

    /// Every path of the index, sorted; a path in conflict comes once for each side.
    #[must_use]
    pub fn tracked(&self) -> Vec<Tracked> {
        self.index.iter().flat_map(|index| index.tracked()).collect()
    }

    /// Which files the index tracks; `None`: there is no index.
    pub(super) fn index(&self) -> Option<&Arc<Index>> {
        self.index.as_ref()
    }
}

/// Where a path of git's, below a root, lies in the file system.
pub(super) fn full_path(root: &Path, path: &BStr) -> PathBuf {
    root.join(gix::path::from_bstr(path).unwrap_or_default())
}

#[cfg(test)]
mod tests;

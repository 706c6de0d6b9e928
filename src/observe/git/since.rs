//! Changes since a commit.

use bstr::{BString, ByteSlice as _};
use gix::ObjectId;

use super::{Git, GitError};
use crate::observe::facts::FileMap;

/// Paths that changed since a commit, by where the change lies. A path may be in several.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::observe) struct Since {
    pub(in crate::observe) committed: Vec<BString>,
    pub(in crate::observe) staged: Vec<BString>,
    pub(in crate::observe) unstaged: Vec<BString>,
    pub(in crate::observe) untracked: Vec<BString>,
}

impl Since {
    /// Whether nothing changed.
    pub(in crate::observe) fn is_empty(&self) -> bool {
        [&self.committed, &self.staged, &self.unstaged, &self.untracked].into_iter().all(Vec::is_empty)
    }
}

impl Git {
    /// The commit of an object id in hex, whole or its first digits; `None`: there is none that can be read.
    pub(in crate::observe) fn commit_of_id(&self, id: &str) -> Option<String> {
        let id = match ObjectId::from_hex(id.as_bytes()) {
            Ok(id) => id,
            Err(_) => {
                let prefix = gix::hash::Prefix::from_hex(id).ok()?;
                self.repository.objects.lookup_prefix(prefix, None).ok()??.ok()?
            }
        };
        self.peeled_commit(id)
    }

    /// The commit of a branch, a tag, another reference, or what git's revisions call it (`HEAD~1`); `None`: there is
    /// none that can be read.
    pub(in crate::observe) fn commit_of_name(&self, name: &str) -> Option<String> {
        let id = match self.repository.try_find_reference(name) {
            Ok(Some(mut reference)) => reference.peel_to_id().ok()?,
            _ => self.repository.rev_parse_single(name).ok()?,
        };
        self.peeled_commit(id.detach())
    }

    fn peeled_commit(&self, id: ObjectId) -> Option<String> {
        let commit = self.repository.try_find_object(id).ok()??.peel_to_commit().ok()?;
        // Of a partial clone the commit may be there without its tree.
        commit.tree().ok()?;
        Some(commit.id.to_string())
    }

    /// What changed since a commit, which [`Git::commit_of_id`] found. `map` is what the work tree holds.
    ///
    /// # Errors
    /// When a tree, a file or a submodule can't be read.
    pub(in crate::observe) fn since(&self, base: &str, map: &FileMap) -> Result<Since, GitError> {
        Ok(Since { committed: self.committed_since(base)?, ..self.since_head(map)? })
    }

    /// What no commit holds.
    ///
    /// # Errors
    /// As [`Git::since`].
    pub(in crate::observe) fn since_head(&self, map: &FileMap) -> Result<Since, GitError> {
        Ok(Since {
            committed: Vec::new(),
            staged: self.staged()?,
            unstaged: self.unstaged(map)?,
            untracked: self.untracked(map),
        })
    }

    /// Paths that differ between the trees of two commits, however many lie between.
    fn committed_since(&self, base: &str) -> Result<Vec<BString>, GitError> {
        let unreadable = |why: gix::Error| self.no_tree(&why);
        let Some(head) = self.head()?.0 else { return Ok(Vec::new()) };
        if head == base {
            return Ok(Vec::new());
        }
        let tree = |hex: &str| {
            let id = ObjectId::from_hex(hex.as_bytes())
                .map_err(|why| GitError::new(&self.root, why.to_string()))?;
            let commit = self.repository.find_object(id).and_then(gix::Object::peel_to_commit);
            commit.and_then(|commit| commit.tree()).map_err(unreadable)
        };
        let now = self.repository.index_from_tree(&tree(&head)?.id).map_err(unreadable)?.into_parts().0;
        self.differing(Some(&tree(base)?), &now)
    }

    /// The submodules that are checked out, below the work tree's root.
    pub(in crate::observe) fn submodules(&self) -> impl Iterator<Item = BString> {
        let entries = self.index.iter().flat_map(|index| {
            let file = index.file();
            file.entries()
                .iter()
                .filter(|entry| entry.mode == gix::index::entry::Mode::COMMIT)
                .map(|entry| entry.path(file).as_bstr().to_owned())
        });
        entries.filter(|path| {
            let full = super::full_path(&self.root, path.as_bstr());
            super::is_repository(&full.join(".git")).unwrap_or(true)
        })
    }
}

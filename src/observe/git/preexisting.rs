//! Changes that were there before the task: what the next commit would hold, and what it wouldn't.

use std::cmp::Ordering;
use std::path::Path;

use bstr::{BStr, BString, ByteSlice as _};
use gix::index::entry::{Flags, Mode, Stage};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::open::is_repository;
use super::{Git, GitError, full_path};
use crate::digest::Sha256;
use crate::observe::facts::{Entry, EntryKind, FileMap};

/// A change that HEAD doesn't hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preexisting {
    /// Below the work tree's root.
    pub path: BString,
    /// Where the change lies.
    pub change: PreexistingChange,
    /// The hash of what the work tree holds; `None`: nothing that counts.
    pub sha256: Option<Sha256>,
}

/// Where a change lies.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum PreexistingChange {
    /// Between HEAD and the index.
    Staged,
    /// Between the index and the work tree.
    Unstaged,
    /// The index doesn't name the path.
    Untracked,
}

impl Git {
    /// What differs from HEAD, in order of the paths; a path that is both staged and edited since comes twice.
    ///
    /// Flags that make git not look (assume-unchanged, skip-worktree) don't count, except that a sparse checkout's
    /// missing files are no deletions.
    ///
    /// # Errors
    /// When HEAD's tree, a file or a submodule can't be read.
    pub fn preexisting(&self, map: &FileMap) -> Result<Vec<Preexisting>, GitError> {
        let mut found: Vec<_> =
            self.staged()?.into_iter().map(|path| (path, PreexistingChange::Staged)).collect();
        found.extend(self.unstaged(map)?.into_iter().map(|path| (path, PreexistingChange::Unstaged)));
        found.extend(self.untracked(map).into_iter().map(|path| (path, PreexistingChange::Untracked)));
        found.sort_unstable();
        found.dedup();
        let with_hash = |(path, change): (BString, _)| {
            let sha256 = map.get(&path).map(|entry| entry.sha256);
            Preexisting { path, change, sha256 }
        };
        Ok(found.into_iter().map(with_hash).collect())
    }

    /// Paths that count and that the index doesn't name.
    pub(super) fn untracked(&self, map: &FileMap) -> Vec<BString> {
        let is_tracked = |entry: &Entry| {
            self.index.as_ref().is_some_and(|index| index.file().entry_range(entry.path.as_bstr()).is_some())
        };
        map.entries().iter().filter(|entry| !is_tracked(entry)).map(|entry| entry.path.clone()).collect()
    }

    /// Paths whose entries differ between HEAD's tree and the index.
    pub(super) fn staged(&self) -> Result<Vec<BString>, GitError> {
        let tree = match self.head()?.0 {
            Some(_) => Some(self.repository.head_tree().map_err(|why| self.no_tree(&why))?),
            None => None,
        };
        let empty = gix::index::State::new(self.repository.object_hash());
        self.differing(tree.as_ref(), self.index.as_ref().map_or(&empty, |index| index.file()))
    }

    pub(super) fn no_tree(&self, why: &gix::Error) -> GitError {
        GitError::caused(&self.root, "a tree can't be read", why)
    }

    /// Paths whose entries differ between a tree and an index; `None`: a tree without entries.
    pub(super) fn differing(
        &self,
        tree: Option<&gix::Tree<'_>>,
        index: &gix::index::State,
    ) -> Result<Vec<BString>, GitError> {
        let repository = &self.repository;
        let unreadable = |why: gix::Error| self.no_tree(&why);
        let head = match tree {
            Some(tree) => repository.index_from_tree(&tree.id).map_err(unreadable)?.into_parts().0,
            None => gix::index::State::new(repository.object_hash()),
        };
        let mut staged = Vec::new();
        let mut old = head.entries().iter().map(|entry| (entry.path(&head), entry)).peekable();
        let mut new = index
            .entries()
            .iter()
            .filter(|entry| !entry.flags.contains(Flags::INTENT_TO_ADD))
            .map(|entry| (entry.path(index), entry))
            .peekable();
        loop {
            // A sparse index holds a whole folder as one entry.
            if let Some((folder, entry)) = new.next_if(|(_, entry)| entry.mode == Mode::DIR) {
                let name = folder.trim_end_with(|c| c == '/');
                let before = match tree {
                    Some(tree) => tree
                        .lookup_entry(name.split_str("/"))
                        .map_err(unreadable)?
                        .map(|found| found.object_id()),
                    None => None,
                };
                if before != Some(entry.id) {
                    staged.push(folder.to_owned());
                }
                while let Some((path, _)) = old.next_if(|(path, _)| *path < folder) {
                    staged.push(path.to_owned());
                }
                while old.next_if(|(path, _)| path.starts_with(folder)).is_some() {}
                continue;
            }
            let order = match (old.peek(), new.peek()) {
                (None, None) => return Ok(staged),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(before), Some(after)) => before.0.cmp(after.0),
            };
            let before = if order.is_le() { old.next() } else { None };
            let after = if order.is_ge() { new.next() } else { None };
            match (before, after) {
                (Some((_, before)), Some((_, after)))
                    if before.id == after.id && before.mode == after.mode => {}
                (_, Some((path, after))) => {
                    staged.push(path.to_owned());
                    // In a conflict the other sides of the same path follow.
                    if after.flags.stage() != Stage::Unconflicted {
                        while new.next_if(|(other, _)| *other == path).is_some() {}
                    }
                }
                (Some((path, _)), None) => staged.push(path.to_owned()),
                (None, None) => {}
            }
        }
    }

    /// Paths whose files differ from what the index holds.
    pub(super) fn unstaged(&self, map: &FileMap) -> Result<Vec<BString>, GitError> {
        let Some(index) = &self.index else { return Ok(Vec::new()) };
        let index: &gix::index::State = index.file();
        let modes_count = self.modes_count() && cfg!(unix);
        let work_tree = WorkTree { root: &self.root, index, map, modes_count };
        let changed =
            |entry: &gix::index::Entry| Ok(work_tree.differs(entry)?.then(|| entry.path(index).to_owned()));
        let found: Result<Vec<_>, _> = index.entries().par_iter().map(changed).collect();
        Ok(found?.into_iter().flatten().collect())
    }
}

/// A work tree on its way to be compared with the index.
struct WorkTree<'a> {
    root: &'a Path,
    index: &'a gix::index::State,
    map: &'a FileMap,
    modes_count: bool,
}

impl WorkTree<'_> {
    fn differs(&self, entry: &gix::index::Entry) -> Result<bool, GitError> {
        let path = entry.path(self.index);
        if entry.flags.stage() != Stage::Unconflicted || entry.flags.contains(Flags::INTENT_TO_ADD) {
            return Ok(true);
        }
        match entry.mode {
            Mode::DIR => Ok(false),
            Mode::COMMIT => self.submodule_moved(path, entry),
            _ => match self.map.get(path) {
                None => Ok(!entry.flags.contains(Flags::SKIP_WORKTREE) && self.is_gone(path)?),
                Some(file) => self.file_differs(entry, file),
            },
        }
    }

    /// Whether no file is at a path. A file that doesn't count is one all the same.
    fn is_gone(&self, path: &BStr) -> Result<bool, GitError> {
        use std::io::ErrorKind::{NotADirectory, NotFound};
        let full = full_path(self.root, path);
        match full.symlink_metadata() {
            Ok(meta) => Ok(meta.is_dir()),
            Err(error) if matches!(error.kind(), NotFound | NotADirectory) => Ok(true),
            Err(error) => Err(GitError::new(&full, error.to_string())),
        }
    }

    fn submodule_moved(&self, path: &BStr, entry: &gix::index::Entry) -> Result<bool, GitError> {
        let full = full_path(self.root, path);
        if !full.is_dir() {
            return Ok(!entry.flags.contains(Flags::SKIP_WORKTREE));
        }
        if !is_repository(&full.join(".git"))? {
            return Ok(false);
        }
        Ok(Git::open(&full)?.head()?.0 != Some(entry.id.to_string()))
    }

    fn file_differs(&self, entry: &gix::index::Entry, file: &Entry) -> Result<bool, GitError> {
        let was_link = entry.mode == Mode::SYMLINK;
        if was_link != (file.kind == EntryKind::Link) {
            // Where the system has no links, git writes a link's target into a plain file.
            if !was_link || cfg!(unix) {
                return Ok(true);
            }
        } else if !was_link
            && self.modes_count
            && (entry.mode == Mode::FILE_EXECUTABLE) != (file.kind == EntryKind::Executable)
        {
            return Ok(true);
        }
        let full = full_path(self.root, file.path.as_bstr());
        let unreadable = |error: std::io::Error| GitError::new(&full, error.to_string());
        let meta = gix::index::fs::Metadata::from_path_no_follow(&full).map_err(unreadable)?;
        if let Ok(stat) = gix::index::entry::Stat::from_fs(&meta) {
            // A modification time is easily put back; a change time isn't.
            let same = stat.size == entry.stat.size
                && stat.mtime == entry.stat.mtime
                && stat.ctime == entry.stat.ctime;
            if same
                && !entry.stat.is_racy(self.index.timestamp(), gix::index::entry::stat::Options::default())
            {
                return Ok(false);
            }
        }
        let content = match file.kind {
            EntryKind::Link => {
                let target = std::fs::read_link(&full).map_err(unreadable)?;
                gix::path::into_bstr(target).map(|target| target.into_owned().into()).unwrap_or_default()
            }
            _ => std::fs::read(&full).map_err(unreadable)?,
        };
        let is_blob = |content: &[u8]| {
            gix::objs::compute_hash(entry.id.kind(), gix::objs::Kind::Blob, content)
                .is_ok_and(|id| id == entry.id)
        };
        // A checkout that turned line feeds into CRLF is no change.
        let same =
            is_blob(&content) || (content.contains_str("\r\n") && is_blob(&content.replace("\r\n", "\n")));
        Ok(!same)
    }
}

//! The content that files had when the task began. Only what has the hash of then counts, wherever it comes from.

use std::collections::BTreeMap;
use std::path::Path;

use bstr::ByteSlice as _;

use super::{Checkout, Content};
use crate::digest::Sha256;
use crate::observe::facts::{Entry, EntryKind, FileMap};
use crate::observe::git::Git;

/// Where former content comes from: git, what was kept when the task began, and files that were only moved since.
#[derive(Debug)]
pub struct Former<'a> {
    root: &'a Path,
    now: &'a FileMap,
    kept: &'a BTreeMap<Sha256, Vec<u8>>,
    git: Option<Git>,
    /// The commit that was checked out.
    head: Option<&'a str>,
}

impl<'a> Former<'a> {
    /// The former content of a work tree's files. `head`: the commit that was checked out; `now`: the files as they are.
    #[must_use]
    pub fn of(
        root: &'a Path,
        head: Option<&'a str>,
        now: &'a FileMap,
        kept: &'a BTreeMap<Sha256, Vec<u8>>,
    ) -> Self {
        // What git can't open was said when the files were looked at.
        let git = head.and_then(|_| Git::open(root).ok());
        Self { root, now, kept, git, head }
    }

    /// What a file held; `None`: that can't be had any more.
    #[must_use]
    pub fn content(&self, then: &Entry) -> Option<Content> {
        let is_it = |bytes: &Vec<u8>| Sha256::of(bytes) == then.sha256;
        let bytes = self.committed(then).or_else(|| self.kept.get(&then.sha256).cloned().filter(is_it));
        let bytes = bytes.or_else(|| self.moved(then).filter(is_it))?;
        Some(Content { kind: then.kind, mode: then.mode, bytes })
    }

    /// Out of git, as it is or as a checkout writes it where lines end in CRLF.
    fn committed(&self, then: &Entry) -> Option<Vec<u8>> {
        let bytes = self.git.as_ref()?.blob_at(self.head?, then.path.as_bstr())?;
        if Sha256::of(&bytes) == then.sha256 {
            return Some(bytes);
        }
        let with_returns = bytes.replace("\n", "\r\n");
        (Sha256::of(&with_returns) == then.sha256).then_some(with_returns)
    }

    /// Out of a file of today that has the same hash.
    fn moved(&self, then: &Entry) -> Option<Vec<u8>> {
        let same = |entry: &&Entry| {
            entry.sha256 == then.sha256 && (entry.kind == EntryKind::Link) == (then.kind == EntryKind::Link)
        };
        let entry = self.now.entries().iter().find(same)?;
        Some(Checkout::original(self.root, entry.path.as_bstr()).ok()??.bytes)
    }
}

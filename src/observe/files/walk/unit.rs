//! The repositories of a work tree and their folders.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice as _, ByteVec as _};

use crate::observe::facts::IgnoreRules;
use crate::observe::files::FilesError;
use crate::observe::files::rules::{Hidden, Rules};
use crate::observe::git::{Git, Index, TrackedAs};

/// A repository among those of the work tree: the outer one, or a submodule.
#[derive(Debug, Default)]
pub(super) struct Unit {
    /// Its root below the outer root.
    pub(super) folder: BString,
    pub(super) index: Option<Arc<Index>>,
    /// `.gitignore` files that are in its index and not in the work tree, by folder.
    pub(super) sparse_ignore: HashMap<BString, BString>,
}

impl Unit {
    /// With the ignore rules that lie outside its work tree.
    pub(super) fn open(git: &Git, folder: BString) -> Result<(Self, IgnoreRules), FilesError> {
        let mut global = git.global_ignore()?;
        for source in &mut global {
            source.folder.clone_from(&folder);
        }
        let sparse_ignore = git.sparse_ignore();
        Ok((Self { folder, index: git.index().cloned(), sparse_ignore }, global))
    }

    /// A path as this repository names it.
    pub(super) fn relative<'p>(&self, path: &'p BString) -> &'p BStr {
        let skip = if self.folder.is_empty() { 0 } else { self.folder.len() + 1 };
        path.get(skip..).unwrap_or_default().as_bstr()
    }

    /// See [`Index::find`].
    pub(super) fn find(
        &self,
        within: &Range<usize>,
        hint: usize,
        path: &BString,
    ) -> Option<(usize, TrackedAs)> {
        self.index.as_ref().filter(|_| !within.is_empty())?.find(within, hint, self.relative(path))
    }
}

/// A folder that is to be visited.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) path: BString,
    pub(super) unit: Arc<Unit>,
    /// The rules that hold for it; its own `.gitignore` is still to be read.
    pub(super) rules: Rules,
    pub(super) hidden: Hidden,
    /// Where the index's entries below it are.
    pub(super) tracked: Range<usize>,
    /// Whether ignored files in it may be frozen.
    pub(super) freezes_ignored: bool,
}

impl Folder {
    pub(super) fn root_of(unit: Unit, rules: Rules) -> Self {
        Self {
            path: unit.folder.clone(),
            tracked: unit.index.as_ref().map_or(0..0, |index| index.all()),
            unit: Arc::new(unit),
            rules,
            hidden: Hidden::default(),
            freezes_ignored: true,
        }
    }

    pub(super) fn child(&self, name: &[u8]) -> BString {
        let mut path = BString::from(Vec::with_capacity(self.path.len() + 1 + name.len()));
        if !self.path.is_empty() {
            path.push_str(&self.path);
            path.push_byte(b'/');
        }
        path.push_str(name);
        path
    }
}

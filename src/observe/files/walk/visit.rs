//! What becomes of each path in a folder.

use std::io::ErrorKind::NotFound;
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice as _};
use redgreen_parsers::is_sliced_test;

use super::unit::{Folder, Unit};
use super::{Step, Submodule, Walker};
use crate::observe::files::cache::Known;
use crate::observe::files::found::Found;
use crate::observe::files::influence::WantedWithin;
use crate::observe::files::listing::{Entry, Listing};
use crate::observe::files::rules::{Hidden, Rules};
use crate::observe::files::{FilesError, full_path, names};
use crate::observe::git::{Git, TrackedAs, is_repository};

/// One visit of a folder, with the rules that hold in it.
pub(super) struct Visit<'a> {
    pub(super) walker: &'a Walker<'a>,
    pub(super) folder: &'a Folder,
    pub(super) rules: Rules,
    pub(super) listing: &'a Listing,
    /// What the cache knows of the folder's files.
    pub(super) known: Option<Known<'a>>,
    /// Which of the folder's files steer a runner.
    pub(super) wanted: WantedWithin<'a>,
    /// Whether one of its files could lie below `test_paths`.
    pub(super) tests: bool,
}

impl Visit<'_> {
    pub(super) fn entry(&self, entry: &Entry, step: &mut Step) -> Result<(), FilesError> {
        let name = self.listing.name(entry);
        if name == ".git" {
            return Ok(());
        }
        let path = self.folder.child(name);
        if self.walker.state.contains(&path) {
            step.left_out.insert(format!("{path}/").into());
            return Ok(());
        }
        match entry.is_folder() {
            true => self.subfolder(name, path, step),
            false => self.file(entry, path, step),
        }
    }

    fn subfolder(&self, name: &BStr, path: BString, step: &mut Step) -> Result<(), FilesError> {
        let Self { walker, folder, .. } = self;
        let left_out = names::folder_left_out(name).or_else(|| walker.guarded_folder(&path));
        if let Some(left_out) = left_out {
            step.left_out.insert(left_out);
            return Ok(());
        }
        let relative = folder.unit.relative(&path);
        if let Some((_, TrackedAs::Submodule(commit))) =
            folder.unit.find(&folder.tracked, step.tracked, &path)
            && self.submodule(&path, commit, step)?
        {
            return Ok(());
        }
        let hidden = self.rules.hide(relative, true, folder.hidden);
        let tracked = match &folder.unit.index {
            Some(index) if !folder.tracked.is_empty() => index.below(&folder.tracked, relative),
            _ => 0..0,
        };
        step.tracked = step.tracked.max(tracked.end);
        let beside = |is: fn(&[u8]) -> bool| self.listing.names().any(|name| is(name));
        let is_hidden = hidden.by_both();
        let freezes_ignored =
            folder.freezes_ignored && !(is_hidden && names::is_cache_of_project(name, beside));
        let wanted = !is_hidden
            || !tracked.is_empty()
            || walker.include.reaches(&path)
            || (freezes_ignored && walker.tests.reaches(&path));
        if wanted {
            let unit = Arc::clone(&folder.unit);
            let rules = self.rules.clone();
            step.folder(Folder { path, unit, rules, hidden, tracked, freezes_ignored });
        }
        Ok(())
    }

    /// Notes a submodule; whether it is checked out, and will be visited as a repository of its own.
    fn submodule(&self, path: &BString, commit: String, step: &mut Step) -> Result<bool, FilesError> {
        let full = full_path(self.walker.root, path);
        let checked_out = is_repository(&full.join(".git"))?;
        let mut head = commit;
        if checked_out {
            let git = Git::open(&full)?;
            head = git.head()?.0.unwrap_or(head);
            let (unit, global) = Unit::open(&git, path.clone())?;
            let rules = self.walker.baseline.at_root(path.as_bstr(), &global);
            step.ignore.extend(global);
            step.folder(Folder::root_of(unit, rules));
        }
        step.submodules.push(Submodule { path: path.clone(), head, checked_out });
        Ok(checked_out)
    }

    fn file(&self, entry: &Entry, path: BString, step: &mut Step) -> Result<(), FilesError> {
        let Self { walker, folder, .. } = self;
        let name = self.listing.name(entry);
        let left_out = names::file_left_out(name).or_else(|| walker.guarded(&path));
        if let Some(left_out) = left_out {
            step.left_out.insert(left_out);
            return Ok(());
        }
        let hidden = match folder.unit.find(&folder.tracked, step.tracked, &path) {
            Some((at, _)) => {
                step.tracked = at + 1;
                Hidden::default()
            }
            None => self.rules.hide(folder.unit.relative(&path), false, folder.hidden),
        };
        let counts = !hidden.by_both() || walker.is_in(walker.request.include, &path);
        let frozen = self.tests
            && (counts || folder.freezes_ignored)
            && walker.is_in(walker.request.test_paths, &path)
            && (counts || names::is_loadable(&path))
            && !is_sliced_test(name);
        let named = self.wanted.names(&path);
        if !counts && !frozen && !named {
            return Ok(());
        }
        let stat = match self.listing.stat(entry) {
            Ok(stat) => stat,
            Err(error) if error.kind() == NotFound => return Ok(()),
            Err(error) => return Err(FilesError::unreadable(&full_path(walker.root, &path), error)),
        };
        if hidden.by_new_rule() && (counts || frozen) {
            step.hidden_by_new_rule.push(path.clone());
        }
        if stat.is_file() || stat.is_link() {
            let sha256 = self.known.and_then(|known| known.find(&mut step.known, name, &stat));
            if step.files.is_empty() {
                step.files.reserve(self.listing.entries().len().min(2 * Walker::SHARE));
            }
            step.files.push(Found { path, stat, counts, frozen, named, sha256, is_news: false });
            return Ok(());
        }
        if frozen {
            step.refused
                .push((path.clone(), "it is a FIFO, socket or device, which is never opened".to_owned()));
        }
        if counts {
            step.special.push(path);
        }
        Ok(())
    }
}

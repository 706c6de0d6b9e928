//! The walk over a work tree: which paths count, each looked at once.
//!
//! It goes level by level, the folders of a level side by side. So it needs no stack, however deep the tree is.

mod unit;
mod visit;

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice as _};
use rayon::prelude::*;

use self::unit::{Folder, Unit};
use self::visit::Visit;
use super::cache::Cache;
use super::found::{self, Files, Found};
use super::influence::Wanted;
use super::listing::Listing;
use super::reach::Reach;
use super::rules::Baseline;
use super::{FilesError, Look, full_path, slashed};
use crate::observe::facts::{GitFacts, IgnoreOrigin, IgnoreRules, IgnoreSource, Time};
use crate::observe::git::Git;
use crate::plan::PathSet;

/// A submodule that was met. Its files are among the others, with paths below the outer root.
#[derive(Debug)]
pub(super) struct Submodule {
    pub(super) path: BString,
    /// Its HEAD; the index's commit, when it isn't checked out.
    pub(super) head: String,
    pub(super) checked_out: bool,
}

/// All that a walk met.
#[derive(Debug, Default)]
pub(super) struct Walked {
    pub(super) files: Files,
    pub(super) submodules: Vec<Submodule>,
    pub(super) ignore: IgnoreRules,
    pub(super) hidden_by_new_rule: Vec<BString>,
    pub(super) special: Vec<BString>,
    pub(super) left_out: Vec<BString>,
    pub(super) nested: Vec<BString>,
    pub(super) refused: Vec<(BString, String)>,
}

/// Walks a work tree, and meanwhile asks git for its facts and the cache whether it is whole.
pub(super) fn walk(
    request: &Look<'_>,
    root: &Path,
    prefix: &BString,
    wanted: &Wanted<'_>,
    cache: Option<&Cache>,
    git: Option<&Git>,
) -> Result<(Option<GitFacts>, Walked), FilesError> {
    let walker = Walker::new(request, root, prefix, wanted, cache);
    let (unit, global) = match git {
        Some(git) => Unit::open(git, BString::default())?,
        None => (Unit::default(), Vec::new()),
    };
    let start = Folder::root_of(unit, walker.baseline.at_root(BStr::new(""), &global));
    let facts = git.map(Git::facts_without_index).transpose()?;
    let index = git.and_then(Git::index).map(Arc::as_ref);
    let digests = || index.map(|index| (index.digest(), index.flags_digest())).unzip();
    let is_whole = || cache.is_none_or(Cache::is_whole);
    let (walked, ((index, index_flags), is_whole)) =
        rayon::join(|| walker.walk(start, global), || rayon::join(digests, is_whole));
    let mut walked = walked?;
    if !is_whole {
        walked.files.par_iter_mut().for_each(|found| found.sha256 = None);
    }
    Ok((facts.map(|facts| GitFacts { index, index_flags, ..facts }), walked))
}

/// What a folder, or a part of one, held.
#[derive(Debug, Default)]
struct Step {
    files: Vec<Found>,
    /// Folders that are to be visited, each with the number of `files` that come before what is in it.
    folders: Vec<(usize, Folder)>,
    /// Where in the index the next path is likely to be.
    tracked: usize,
    /// Where in what is known of the folder the next name is likely to be.
    known: usize,
    /// When a name in the folder came or went.
    modified: Time,
    submodules: Vec<Submodule>,
    ignore: IgnoreRules,
    hidden_by_new_rule: Vec<BString>,
    special: Vec<BString>,
    left_out: BTreeSet<BString>,
    nested: Vec<BString>,
    refused: Vec<(BString, String)>,
}

impl Step {
    fn folder(&mut self, folder: Folder) {
        self.folders.push((self.files.len(), folder));
    }

    fn and(mut self, other: Self) -> Self {
        let before = self.files.len();
        self.folders.extend(other.folders.into_iter().map(|(at, folder)| (before + at, folder)));
        append(&mut self.files, other.files);
        append(&mut self.submodules, other.submodules);
        append(&mut self.ignore, other.ignore);
        append(&mut self.hidden_by_new_rule, other.hidden_by_new_rule);
        append(&mut self.special, other.special);
        self.left_out.extend(other.left_out);
        append(&mut self.nested, other.nested);
        append(&mut self.refused, other.refused);
        self
    }
}

/// As `extend`, without a copy where there is nothing to extend.
fn append<T>(all: &mut Vec<T>, more: Vec<T>) {
    if all.is_empty() {
        *all = more;
    } else {
        all.extend(more);
    }
}

struct Walker<'a> {
    request: &'a Look<'a>,
    root: &'a Path,
    prefix: &'a BString,
    wanted: &'a Wanted<'a>,
    cache: Option<&'a Cache>,
    baseline: Baseline<'a>,
    /// The state folder, as it is named and where it leads.
    state: Vec<BString>,
    /// Globs of `[guard] ignore` that mean a folder with all in it, and which they are.
    guard_folders: (PathSet, Vec<usize>),
    include: Reach,
    tests: Reach,
}

impl<'a> Walker<'a> {
    /// How many names of a folder a thread takes at once.
    const SHARE: usize = 256;

    fn new(
        request: &'a Look<'a>,
        root: &'a Path,
        prefix: &'a BString,
        wanted: &'a Wanted<'a>,
        cache: Option<&'a Cache>,
    ) -> Self {
        let state = [Some(request.state_dir.to_owned()), resolved(request.state_dir)];
        let below_root = |path: &PathBuf| path.strip_prefix(root).map(slashed).ok();
        let whole =
            |glob: &String| glob.strip_suffix("/**").or_else(|| glob.strip_suffix('/')).map(str::to_owned);
        let (places, globs): (Vec<_>, Vec<_>) = (request.guard_ignore.patterns().iter().enumerate())
            .filter_map(|(at, glob)| Some((at, whole(glob)?)))
            .unzip();
        Self {
            request,
            root,
            prefix,
            wanted,
            cache,
            baseline: Baseline::new(request.baseline_ignore),
            state: state.iter().flatten().filter_map(below_root).filter(|path| !path.is_empty()).collect(),
            guard_folders: PathSet::new(globs)
                .map_or_else(|_| (PathSet::none(), Vec::new()), |set| (set, places)),
            include: Reach::of(request.include, prefix),
            tests: Reach::of(request.test_paths, prefix),
        }
    }

    fn walk(&self, start: Folder, global: IgnoreRules) -> Result<Walked, FilesError> {
        let mut all = Step { ignore: global, ..Step::default() };
        let mut files = Files::default();
        let mut level = vec![start];
        while !level.is_empty() {
            let steps: Result<Vec<Step>, _> = level.par_iter().map(|folder| self.visit(folder)).collect();
            let first = files.folders().len() + level.len();
            level.clear();
            for mut step in steps? {
                let mut inner = Vec::with_capacity(step.folders.len());
                for (before, folder) in std::mem::take(&mut step.folders) {
                    inner.push((before, first + level.len()));
                    level.push(folder);
                }
                files.push(found::Folder {
                    files: std::mem::take(&mut step.files),
                    inner,
                    modified: step.modified,
                });
                all = all.and(step);
            }
        }
        let sorted = |mut paths: Vec<BString>| {
            paths.sort_unstable();
            paths
        };
        // The rules outside the work tree stay in front, in their order: sorting is stable and their folder is the root.
        all.ignore.sort_by(|a, b| {
            (&a.folder, a.origin == IgnoreOrigin::Folder).cmp(&(&b.folder, b.origin == IgnoreOrigin::Folder))
        });
        all.refused.sort_unstable();
        Ok(Walked {
            files,
            submodules: all.submodules,
            ignore: all.ignore,
            hidden_by_new_rule: sorted(all.hidden_by_new_rule),
            special: sorted(all.special),
            left_out: all.left_out.into_iter().collect(),
            nested: sorted(all.nested),
            refused: all.refused,
        })
    }

    /// Looks at all that is in a folder.
    fn visit(&self, folder: &Folder) -> Result<Step, FilesError> {
        let full = full_path(self.root, &folder.path);
        let listing = match Listing::read(&full) {
            Ok(listing) => listing,
            // Gone since it was met.
            Err(error) if matches!(error.kind(), NotFound | NotADirectory) && !folder.path.is_empty() => {
                return Ok(Step::default());
            }
            // A runner with the same rights can't load what is in there.
            Err(error)
                if error.kind() == PermissionDenied
                    && folder.hidden.by_both()
                    && folder.tracked.is_empty() =>
            {
                return Ok(Step::default());
            }
            Err(error) => return Err(FilesError::unreadable(&full, error)),
        };
        let mut step = Step { modified: listing.modified(), ..Step::default() };
        let text = self.ignore_text(folder, &listing)?;
        let rules = self.baseline.within(
            &folder.rules,
            folder.path.as_bstr(),
            folder.unit.relative(&folder.path),
            text.as_ref(),
        );
        if let Some(text) = text {
            step.ignore.push(IgnoreSource {
                folder: folder.path.clone(),
                origin: IgnoreOrigin::Folder,
                text,
            });
        }
        let is_inner = folder.path != folder.unit.folder && listing.find(b".git").is_some();
        if is_inner {
            step.nested.push(folder.path.clone());
        }
        let visit = Visit {
            walker: self,
            folder,
            rules,
            listing: &listing,
            known: self.cache.map(|cache| cache.within(&folder.path)),
            wanted: self.wanted.within(&folder.path),
            tests: self.tests.reaches(&folder.path),
        };
        let found = (listing.entries().par_iter())
            .with_min_len(Self::SHARE)
            .try_fold(Step::default, |mut step, entry| {
                visit.entry(entry, &mut step)?;
                Ok::<_, FilesError>(step)
            })
            .try_reduce(Step::default, |a, b| Ok(a.and(b)))?;
        Ok(step.and(found))
    }

    /// What the folder's own `.gitignore` says. Git doesn't follow one that is a link.
    fn ignore_text(&self, folder: &Folder, listing: &Listing) -> Result<Option<BString>, FilesError> {
        if folder.hidden.today {
            return Ok(None);
        }
        let Some(entry) = listing.find(b".gitignore") else {
            return Ok(folder.unit.sparse_ignore.get(folder.unit.relative(&folder.path)).cloned());
        };
        if !entry.is_file() {
            return Ok(None);
        }
        let path = full_path(self.root, &folder.child(b".gitignore"));
        match fs::read(&path) {
            Ok(text) => Ok(Some(text.into())),
            Err(error) if error.kind() == NotFound => Ok(None),
            Err(error) => Err(FilesError::unreadable(&path, error)),
        }
    }

    /// A path as globs see it.
    fn glob_path<'p>(&self, path: &'p BString) -> Option<&'p [u8]> {
        match self.prefix.is_empty() {
            true => Some(path),
            false => path.strip_prefix(self.prefix.as_slice())?.strip_prefix(b"/"),
        }
    }

    fn is_in(&self, set: &PathSet, path: &BString) -> bool {
        !set.is_empty() && self.glob_path(path).is_some_and(|path| set.matches(path))
    }

    /// The glob of `[guard] ignore` that means a path.
    fn guarded(&self, path: &BString) -> Option<BString> {
        let set = self.request.guard_ignore;
        self.is_in(set, path)
            .then(|| self.guard_glob(set.matching(self.glob_path(path)?).first().copied()))?
    }

    /// The glob of `[guard] ignore` that means a folder with all in it.
    fn guarded_folder(&self, path: &BString) -> Option<BString> {
        let (set, places) = &self.guard_folders;
        if !self.is_in(set, path) {
            return None;
        }
        let first = set.matching(self.glob_path(path)?).first().copied()?;
        self.guard_glob(places.get(first).copied())
    }

    fn guard_glob(&self, at: Option<usize>) -> Option<BString> {
        self.request.guard_ignore.patterns().get(at?).map(|glob| glob.as_str().into())
    }
}

/// Where a path leads, though its last part need not be there yet.
fn resolved(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().or_else(|| Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?)))
}

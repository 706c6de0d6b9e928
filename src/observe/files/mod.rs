//! The file map: every file of a work tree that counts, with the hash of its bytes.
//!
//! One walk looks at each path once, never follows a link and never opens what isn't a file. Two sets of ignore rules are
//! read side by side, those of the baseline and today's: only what both hide is left out, so that a new ignore line has no
//! power.

mod ahead;
mod cache;
mod error;
mod found;
mod frozen;
mod hash;
mod influence;
mod listing;
mod names;
mod reach;
mod rules;
mod stat;
mod walk;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use bstr::{BString, ByteSlice as _};
use rayon::prelude::*;

use self::cache::Cache;
use self::found::{Files, Found};
use self::walk::{Submodule, Walked};
use super::facts::{Entry, EntryKind, FileMap, Hashed, IgnoreRules, RepositoryFacts};
use super::fingerprint::submodule_content;
use super::git::Git;
use crate::digest::Sha256;
use crate::plan::{Check, PathSet};

pub use error::FilesError;
pub use influence::{command_words, with_tests};

/// What to look at, and how.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    /// The repository's id in the plan.
    pub id: &'a str,
    /// The folder that the plan's `path` names, absolute. The whole work tree around it is walked.
    pub folder: &'a Path,
    /// The state folder, absolute; it never counts, wherever it lies.
    pub state_dir: &'a Path,
    /// The ignore rules of the baseline; `None`: today's are the baseline's.
    pub baseline_ignore: Option<&'a IgnoreRules>,
    /// What never counts by the plan.
    pub guard_ignore: &'a PathSet,
    /// Ignored files that count all the same.
    pub include: &'a PathSet,
    /// Where tests lie: what a frozen set is taken of.
    pub test_paths: &'a PathSet,
    /// Product files that hold tests.
    pub inline: &'a PathSet,
    /// The checks that run in this repository: what steers their runners is looked for.
    pub checks: &'a [&'a Check],
    /// A file of this repository's own that keeps hashes from one look to the next; `None`: nothing is kept.
    pub cache: Option<&'a Path>,
    /// Reads every file's content, whatever the cache says.
    pub read_all: bool,
    /// How many threads walk and hash; 0: as many as the machine has cores.
    pub jobs: usize,
}

impl<'a> Look<'a> {
    /// A look that no plan says anything of: every thread of the machine, no cache. `none` matches nothing.
    #[must_use]
    pub fn without_plan(folder: &'a Path, state_dir: &'a Path, none: &'a PathSet) -> Self {
        Self {
            id: "",
            folder,
            state_dir,
            baseline_ignore: None,
            guard_ignore: none,
            include: none,
            test_paths: none,
            inline: none,
            checks: &[],
            cache: None,
            read_all: true,
            jobs: 0,
        }
    }
}

/// Looks at a repository: walks its work tree, hashes what counts, and asks git what it says.
///
/// # Errors
/// When a file or folder can't be read, changes while it is read, or git's data is unreadable.
pub fn look(request: &Look<'_>) -> Result<RepositoryFacts, FilesError> {
    if request.jobs == 0 {
        return look_here(request);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(request.jobs).build();
    match pool {
        Ok(pool) => pool.install(|| look_here(request)),
        // No thread can be had: the one that is here will do.
        Err(_) => look_here(request),
    }
}

fn look_here(request: &Look<'_>) -> Result<RepositoryFacts, FilesError> {
    look_from(request, SystemTime::now())
}

/// `started` is before anything is looked at: what changes from then on must not be taken from the cache the next time.
fn look_from(request: &Look<'_>, started: SystemTime) -> Result<RepositoryFacts, FilesError> {
    let folder =
        request.folder.canonicalize().map_err(|error| FilesError::unreadable(request.folder, error))?;
    let git_root = Git::root_of(&folder)?;
    let root = git_root.unwrap_or(&folder);
    let prefix = slashed(folder.strip_prefix(root).unwrap_or(Path::new("")));
    let mut cache = None;
    let git = rayon::in_place_scope(|scope| {
        if let Some(path) = request.cache {
            scope.spawn(|_| cache = Cache::can_be_trusted(root).then(|| Cache::load(path, root)));
        }
        git_root.map(Git::tolerate).transpose()
    })?;

    let wanted = influence::Wanted::by(request.checks, root, &prefix);
    let (git_facts, walked) = walk::walk(request, root, &prefix, &wanted, cache.as_ref(), git.as_ref())?;
    let Walked { mut files, submodules, ignore, hidden_by_new_rule, special, left_out, nested, refused } =
        walked;
    let hashed = hash_all(request, root, &mut files)?;
    let store = || _ = request.cache.zip(cache).map(|(path, cache)| cache.store(path, &files, started));
    let (stamps, ()) = rayon::join(|| files.stamps(), store);

    let (mut frozen, mut named) = (Vec::new(), Vec::new());
    let mut entries = Vec::with_capacity(files.len());
    for found in files.into_ordered() {
        let Some(sha256) = found.sha256 else { continue };
        let entry =
            Entry { path: found.path, kind: found.stat.kind(), mode: found.stat.permissions(), sha256 };
        if found.named {
            named.push(entry.clone());
        }
        match (found.counts, found.frozen) {
            (true, true) => {
                frozen.push(entry.clone());
                entries.push(entry);
            }
            (true, false) => entries.push(entry),
            (false, true) => frozen.push(entry),
            (false, false) => {}
        }
    }
    let leaving_links = frozen::leaving_links(root, &entries)?;
    let frozen = frozen::freeze(root, &entries, frozen, refused)?;
    let influence = wanted.find(influence::Tree {
        root,
        prefix: &prefix,
        test_paths: request.test_paths,
        map: &entries,
        tests: &frozen.entries,
        named: &named,
        inline: request.inline,
    })?;
    let frozen_refused = [frozen.refused, influence.refused].concat();
    let map = fold_submodules(entries, submodules);
    Ok(RepositoryFacts {
        id: request.id.to_owned(),
        root: slashed(root),
        prefix,
        map,
        stamps,
        git: git_facts,
        ignore,
        hidden_by_new_rule,
        special,
        left_out,
        nested,
        leaving_links,
        frozen: frozen.entries,
        frozen_refused,
        influence: influence.entries,
        local_runners: influence.local_runners,
        collisions: frozen.collisions,
        hashed,
    })
}

/// Hashes what the cache doesn't know, and what may be frozen in any case. A file that changed since it was met gets the stat
/// that goes with its hash.
fn hash_all(request: &Look<'_>, root: &Path, files: &mut Files) -> Result<Hashed, FilesError> {
    let all = files.len();
    let is_read =
        |found: &&mut Found| request.read_all || found.frozen || found.named || found.sha256.is_none();
    let mut unread: Vec<&mut Found> = files.par_iter_mut().filter(is_read).collect();
    let hashed = if unread.len() < all { Hashed::Changed } else { Hashed::All };
    unread.par_iter_mut().with_min_len(32).try_for_each_init(Vec::new, |block, found| {
        let known = (found.stat, found.sha256.take());
        match hash::read(&full_path(root, &found.path), found.stat, block) {
            Ok(Some((stat, sha256))) => {
                found.is_news = (stat, Some(sha256)) != known;
                (found.stat, found.sha256) = (stat, Some(sha256));
            }
            Ok(None) => {}
            // Nobody with the same rights can load it.
            Err(FilesError::Unreadable { error, .. })
                if !found.counts && error.kind() == std::io::ErrorKind::PermissionDenied => {}
            Err(error) => return Err(error),
        }
        Ok(())
    })?;
    Ok(hashed)
}

/// Puts one entry in the place of each submodule's files.
fn fold_submodules(mut entries: Vec<Entry>, mut submodules: Vec<Submodule>) -> FileMap {
    if submodules.is_empty() {
        return FileMap::of_sorted(entries);
    }
    // Those within others first.
    submodules.sort_unstable_by(|a, b| b.path.cmp(&a.path));
    for Submodule { path, head, checked_out } in submodules {
        let inside = |entry: &Entry| {
            entry.path.strip_prefix(path.as_slice()).is_some_and(|rest| rest.first() == Some(&b'/'))
        };
        let inner = checked_out.then(|| {
            FileMap::new(
                entries
                    .extract_if(.., |entry| inside(entry))
                    .map(|entry| Entry {
                        path: entry.path.get(path.len() + 1..).unwrap_or_default().into(),
                        ..entry
                    })
                    .collect(),
            )
        });
        let sha256 = Sha256::of(&submodule_content(&head, inner.as_ref()));
        entries.push(Entry { path, kind: EntryKind::Submodule, mode: 0, sha256 });
    }
    FileMap::new(entries)
}

/// Whether a folder never counts, by its name: it holds nothing but what a tool can make again.
pub(in crate::observe) fn is_cache(name: &[u8]) -> bool {
    names::folder_left_out(name).is_some()
}

/// Where a path of a map, or the root that facts name, lies in the file system.
#[must_use]
pub fn full_path(root: &Path, path: &BString) -> PathBuf {
    root.join(gix::path::from_bstr(path.as_bstr()).unwrap_or_default())
}

/// A path in bytes with `/`.
fn slashed(path: &Path) -> BString {
    gix::path::into_bstr(path)
        .map(|path| gix::path::to_unix_separators_on_windows(path).into_owned())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests;

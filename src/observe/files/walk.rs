//! The walk over a work tree: which paths count, each looked at once.
//!
//! It goes level by level, the folders of a level side by side. So it needs no stack, however deep the tree is.

mod unit;
mod visit;

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fs::{self, DirEntry};
use std::io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice as _};
use rayon::prelude::*;

use self::unit::{Folder, Unit};
use self::visit::Visit;
use super::influence::Wanted;
use super::reach::Reach;
use super::rules::Baseline;
use super::stat::Stat;
use super::{FilesError, Look, full_path, slashed};
use crate::observe::facts::{GitFacts, IgnoreOrigin, IgnoreRules, IgnoreSource, Stamp, Time};
use crate::observe::git::Git;
use crate::plan::PathSet;

/// A file or link that was met.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) path: BString,
    pub(super) stat: Stat,
    /// Whether it is in the file map.
    pub(super) counts: bool,
    /// Whether a frozen set would hold it.
    pub(super) frozen: bool,
    /// Whether its name is one of those that steer a runner.
    pub(super) named: bool,
    /// When a name in its folder came or went.
    pub(super) folder: Time,
}

impl Found {
    pub(super) const fn stamp(&self) -> Stamp {
        let Stat { changed, modified, inode, .. } = self.stat;
        Stamp { changed, modified, inode, folder: self.folder }
    }
}

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
    pub(super) files: Vec<Found>,
    pub(super) submodules: Vec<Submodule>,
    pub(super) ignore: IgnoreRules,
    pub(super) hidden_by_new_rule: Vec<BString>,
    pub(super) special: Vec<BString>,
    pub(super) left_out: Vec<BString>,
    pub(super) nested: Vec<BString>,
    pub(super) refused: Vec<(BString, String)>,
}

/// Walks a work tree, and asks git for its facts and does something else meanwhile.
pub(super) fn walk<T: Send>(
    request: &Look<'_>,
    root: &Path,
    prefix: &BString,
    wanted: &Wanted<'_>,
    git: Option<Git>,
    something_else: impl FnOnce() -> T + Send,
) -> Result<(Option<GitFacts>, Walked, T), FilesError> {
    let walker = Walker::new(request, root, prefix, wanted);
    let (unit, global) = match &git {
        Some(git) => Unit::open(git, BString::default())?,
        None => (Unit::default(), Vec::new()),
    };
    let start = Folder::root_of(unit, walker.baseline.at_root(BStr::new(""), &global));
    let facts = git.as_ref().map(Git::facts_without_index).transpose()?;
    let index = git.as_ref().and_then(Git::index).map(Arc::as_ref);
    let digests = || index.map(|index| (index.digest(), index.flags_digest())).unzip();
    let (walked, (other, (index, index_flags))) =
        rayon::join(|| walker.walk(start, global), || rayon::join(something_else, digests));
    Ok((facts.map(|facts| GitFacts { index, index_flags, ..facts }), walked?, other))
}

/// What a folder, or a part of one, held.
#[derive(Debug, Default)]
struct Step {
    files: Vec<Found>,
    /// Folders that are to be visited, each with the number of `files` that come before what is in it.
    folders: Vec<(usize, Folder)>,
    /// Where in the index the next path is likely to be.
    tracked: usize,
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

/// A folder that was visited.
#[derive(Debug)]
struct Visited {
    files: std::vec::IntoIter<Found>,
    /// How many of the files were taken out.
    taken: usize,
    /// Its folders by their place among those visited, each with the number of files that come before it.
    folders: std::vec::IntoIter<(usize, usize)>,
}

/// All files in the order of their paths. No comparison is needed: in each folder they are in order.
fn in_order(mut visited: Vec<Visited>) -> Vec<Found> {
    let mut files = Vec::with_capacity(visited.iter().map(|folder| folder.files.len()).sum());
    let mut stack = vec![0];
    while let Some(at) = stack.last() {
        let Some(folder) = visited.get_mut(*at) else { break };
        match folder.folders.next() {
            Some((before, inner)) => {
                files.extend(folder.files.by_ref().take(before.saturating_sub(folder.taken)));
                folder.taken = before;
                stack.push(inner);
            }
            None => {
                files.extend(folder.files.by_ref());
                stack.pop();
            }
        }
    }
    files
}

struct Walker<'a> {
    request: &'a Look<'a>,
    root: &'a Path,
    prefix: &'a BString,
    wanted: &'a Wanted<'a>,
    baseline: Baseline<'a>,
    /// The state folder, as it is named and where it leads.
    state: Vec<BString>,
    /// Globs of `[guard] ignore` that mean a folder with all in it, and which they are.
    guard_folders: (PathSet, Vec<usize>),
    include: Reach,
    tests: Reach,
}

impl<'a> Walker<'a> {
    fn new(request: &'a Look<'a>, root: &'a Path, prefix: &'a BString, wanted: &'a Wanted<'a>) -> Self {
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
        let mut visited: Vec<Visited> = Vec::new();
        let mut level = vec![start];
        while !level.is_empty() {
            let steps: Result<Vec<Step>, _> = level.par_iter().map(|folder| self.visit(folder)).collect();
            let first = visited.len() + level.len();
            level.clear();
            for mut step in steps? {
                let files = std::mem::take(&mut step.files).into_iter();
                let mut folders = Vec::with_capacity(step.folders.len());
                for (at, folder) in std::mem::take(&mut step.folders) {
                    folders.push((at, first + level.len()));
                    level.push(folder);
                }
                visited.push(Visited { files, taken: 0, folders: folders.into_iter() });
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
            files: in_order(visited),
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
        // Before its names are read: what comes or goes from now on moves it.
        let modified = full.symlink_metadata().map(|meta| Stat::of(&meta).modified).unwrap_or_default();
        let listing: Result<Vec<DirEntry>, _> = fs::read_dir(&full).and_then(Iterator::collect);
        let listing = match listing {
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
        let name =
            |entry: &DirEntry| gix::path::os_string_into_bstring(entry.file_name()).unwrap_or_default();
        let mut listing: Vec<(BString, DirEntry)> =
            listing.into_iter().map(|entry| (name(&entry), entry)).collect();
        listing
            .sort_unstable_by(|(a, this), (b, that)| path_order((a, is_folder(this)), (b, is_folder(that))));

        let mut step = Step::default();
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
        let is_inner = folder.path != folder.unit.folder && listing.iter().any(|(name, _)| name == ".git");
        if is_inner {
            step.nested.push(folder.path.clone());
        }
        let visit = Visit { walker: self, folder, rules, listing: &listing, modified };
        let found = (listing.par_iter())
            .with_min_len(256)
            .try_fold(Step::default, |mut step, (name, entry)| {
                visit.entry(name, entry, &mut step)?;
                Ok::<_, FilesError>(step)
            })
            .try_reduce(Step::default, |a, b| Ok(a.and(b)))?;
        Ok(step.and(found))
    }

    /// What the folder's own `.gitignore` says. Git doesn't follow one that is a link.
    fn ignore_text(
        &self,
        folder: &Folder,
        listing: &[(BString, DirEntry)],
    ) -> Result<Option<BString>, FilesError> {
        if folder.hidden.today {
            return Ok(None);
        }
        let Some((_, entry)) = listing.iter().find(|(name, _)| name == ".gitignore") else {
            return Ok(folder.unit.sparse_ignore.get(folder.unit.relative(&folder.path)).cloned());
        };
        let path = entry.path();
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        match is_file.then(|| fs::read(&path)) {
            None => Ok(None),
            Some(Ok(text)) => Ok(Some(text.into())),
            Some(Err(error)) if error.kind() == NotFound => Ok(None),
            Some(Err(error)) => Err(FilesError::unreadable(&path, error)),
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

fn is_folder(entry: &DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_dir())
}

/// The order of names in a folder by the paths that come of them: a slash follows the name of a folder.
fn path_order((a, a_is_folder): (&[u8], bool), (b, b_is_folder): (&[u8], bool)) -> Ordering {
    let common = a.len().min(b.len());
    let next = |name: &[u8], is_folder: bool| name.get(common).copied().or(is_folder.then_some(b'/'));
    a.get(..common).cmp(&b.get(..common)).then_with(|| next(a, a_is_folder).cmp(&next(b, b_is_folder)))
}

/// Where a path leads, though its last part need not be there yet.
fn resolved(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().or_else(|| Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_the_order_of_the_paths_below_them() {
        let names: [(&[u8], bool); 7] = [
            (b"B", false),
            (b"a-", false),
            (b"a.b", true),
            (b"a", true),
            (b"a0", false),
            (b"ab", false),
            (b"b", true),
        ];
        for pair in names.windows(2) {
            assert_eq!(path_order(pair[0], pair[1]), Ordering::Less, "{pair:?}");
            assert_eq!(path_order(pair[1], pair[0]), Ordering::Greater, "{pair:?}");
        }
    }
}

//! The walk over a work tree: which paths count, each looked at once.
//!
//! It goes level by level, the folders of a level side by side. So it needs no stack, however deep the tree is.

use std::collections::{BTreeSet, HashMap};
use std::fs::{self, DirEntry};
use std::io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice as _, ByteVec as _};
use rayon::prelude::*;

use super::reach::Reach;
use super::rules::{Baseline, Hidden, Rules};
use super::stat::Stat;
use super::{FilesError, Look, full_path, names, slashed};
use crate::observe::facts::{GitFacts, IgnoreOrigin, IgnoreRules, IgnoreSource};
use crate::observe::git::{Git, Index, TrackedAs, is_repository};
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

/// Walks a work tree, and asks git for its facts meanwhile.
pub(super) fn walk(
    request: &Look<'_>,
    root: &Path,
    prefix: &BString,
    git: Option<Git>,
) -> Result<(Option<GitFacts>, Walked), FilesError> {
    let walker = Walker::new(request, root, prefix);
    let (unit, global) = match &git {
        Some(git) => Unit::open(git, BString::default())?,
        None => (Unit::default(), Vec::new()),
    };
    let start = Folder::root_of(unit, walker.baseline.at_root(BStr::new(""), &global));
    let head = git.as_ref().map(Git::head).transpose()?;
    let index = git.as_ref().and_then(Git::index).map(Arc::as_ref);
    let digests = || index.map(|index| (index.digest(), index.flags_digest())).unzip();
    let (walked, (index, index_flags)) = rayon::join(|| walker.walk(start, global), digests);
    Ok((head.map(|(head, branch)| GitFacts { head, branch, index, index_flags }), walked?))
}

/// A repository among those of the work tree: the outer one, or a submodule.
#[derive(Debug, Default)]
struct Unit {
    /// Its root below the outer root.
    folder: BString,
    index: Option<Arc<Index>>,
    /// `.gitignore` files that are in its index and not in the work tree, by folder.
    sparse_ignore: HashMap<BString, BString>,
}

impl Unit {
    /// With the ignore rules that lie outside its work tree.
    fn open(git: &Git, folder: BString) -> Result<(Self, IgnoreRules), FilesError> {
        let mut global = git.global_ignore()?;
        for source in &mut global {
            source.folder.clone_from(&folder);
        }
        let sparse_ignore = git.sparse_ignore()?;
        Ok((Self { folder, index: git.index().cloned(), sparse_ignore }, global))
    }

    /// A path as this repository names it.
    fn relative<'p>(&self, path: &'p BString) -> &'p BStr {
        let skip = if self.folder.is_empty() { 0 } else { self.folder.len() + 1 };
        path.get(skip..).unwrap_or_default().as_bstr()
    }

    fn find(&self, within: &Range<usize>, path: &BString) -> Option<TrackedAs> {
        self.index.as_ref()?.find(within, self.relative(path))
    }
}

/// A folder that is to be visited.
#[derive(Debug)]
struct Folder {
    path: BString,
    unit: Arc<Unit>,
    /// The rules that hold for it; its own `.gitignore` is still to be read.
    rules: Rules,
    hidden: Hidden,
    /// Where the index's entries below it are.
    tracked: Range<usize>,
    /// Whether ignored files in it may be frozen.
    freezes_ignored: bool,
}

impl Folder {
    fn root_of(unit: Unit, rules: Rules) -> Self {
        Self {
            path: unit.folder.clone(),
            tracked: unit.index.as_ref().map_or(0..0, |index| index.all()),
            unit: Arc::new(unit),
            rules,
            hidden: Hidden::default(),
            freezes_ignored: true,
        }
    }

    fn child(&self, name: &[u8]) -> BString {
        let mut path = BString::from(Vec::with_capacity(self.path.len() + 1 + name.len()));
        if !self.path.is_empty() {
            path.push_str(&self.path);
            path.push_byte(b'/');
        }
        path.push_str(name);
        path
    }
}

/// What a folder, or a part of one, held.
#[derive(Debug, Default)]
struct Step {
    files: Vec<Found>,
    folders: Vec<Folder>,
    submodules: Vec<Submodule>,
    ignore: IgnoreRules,
    hidden_by_new_rule: Vec<BString>,
    special: Vec<BString>,
    left_out: BTreeSet<BString>,
    nested: Vec<BString>,
    refused: Vec<(BString, String)>,
}

impl Step {
    fn and(mut self, other: Self) -> Self {
        self.files.extend(other.files);
        self.folders.extend(other.folders);
        self.submodules.extend(other.submodules);
        self.ignore.extend(other.ignore);
        self.hidden_by_new_rule.extend(other.hidden_by_new_rule);
        self.special.extend(other.special);
        self.left_out.extend(other.left_out);
        self.nested.extend(other.nested);
        self.refused.extend(other.refused);
        self
    }
}

struct Walker<'a> {
    request: &'a Look<'a>,
    root: &'a Path,
    prefix: &'a BString,
    baseline: Baseline<'a>,
    /// The state folder, as it is named and where it leads.
    state: Vec<BString>,
    /// Globs of `[guard] ignore` that mean a folder with all in it, and which they are.
    guard_folders: (PathSet, Vec<usize>),
    include: Reach,
    tests: Reach,
}

impl<'a> Walker<'a> {
    fn new(request: &'a Look<'a>, root: &'a Path, prefix: &'a BString) -> Self {
        let state = [Some(request.state_dir.to_owned()), resolved(request.state_dir)];
        let below_root = |path: &std::path::PathBuf| path.strip_prefix(root).map(slashed).ok();
        let whole =
            |glob: &String| glob.strip_suffix("/**").or_else(|| glob.strip_suffix('/')).map(str::to_owned);
        let (places, globs): (Vec<_>, Vec<_>) = (request.guard_ignore.patterns().iter().enumerate())
            .filter_map(|(at, glob)| Some((at, whole(glob)?)))
            .unzip();
        Self {
            request,
            root,
            prefix,
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
        let mut level = vec![start];
        while !level.is_empty() {
            let steps: Result<Vec<Step>, _> = level.par_iter().map(|folder| self.visit(folder)).collect();
            all = steps?.into_iter().fold(all, Step::and);
            level = std::mem::take(&mut all.folders);
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
            files: all.files,
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
        let listing: Vec<(BString, DirEntry)> =
            listing.into_iter().map(|entry| (slashed(Path::new(&entry.file_name())), entry)).collect();

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
        let visit = Visit { walker: self, folder, rules, listing: &listing };
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

/// One visit of a folder, with the rules that hold in it.
struct Visit<'a> {
    walker: &'a Walker<'a>,
    folder: &'a Folder,
    rules: Rules,
    listing: &'a [(BString, DirEntry)],
}

impl Visit<'_> {
    fn entry(&self, name: &BString, entry: &DirEntry, step: &mut Step) -> Result<(), FilesError> {
        if name == ".git" {
            return Ok(());
        }
        let path = self.folder.child(name);
        if self.walker.state.contains(&path) {
            step.left_out.insert(format!("{path}/").into());
            return Ok(());
        }
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => self.subfolder(name, path, step),
            Ok(_) => self.file(name, path, entry, step),
            Err(error) if error.kind() == NotFound => Ok(()),
            Err(error) => Err(FilesError::unreadable(&entry.path(), error)),
        }
    }

    fn subfolder(&self, name: &BString, path: BString, step: &mut Step) -> Result<(), FilesError> {
        let Self { walker, folder, .. } = self;
        let left_out = names::folder_left_out(name).or_else(|| walker.guarded_folder(&path));
        if let Some(left_out) = left_out {
            step.left_out.insert(left_out);
            return Ok(());
        }
        let relative = folder.unit.relative(&path);
        if let Some(TrackedAs::Submodule(commit)) = folder.unit.find(&folder.tracked, &path)
            && self.submodule(&path, commit, step)?
        {
            return Ok(());
        }
        let hidden = self.rules.hide(relative, true, folder.hidden);
        let tracked = match &folder.unit.index {
            Some(index) if !folder.tracked.is_empty() => index.below(&folder.tracked, relative),
            _ => 0..0,
        };
        let beside = |is: fn(&[u8]) -> bool| self.listing.iter().any(|(name, _)| is(name));
        let is_hidden = hidden.by_both();
        let freezes_ignored =
            folder.freezes_ignored && !(is_hidden && names::is_cache_of_project(name, beside));
        let wanted = !is_hidden
            || !tracked.is_empty()
            || walker.include.reaches(&path)
            || (freezes_ignored && walker.tests.reaches(&path));
        if wanted {
            step.folders.push(Folder {
                path,
                unit: Arc::clone(&folder.unit),
                rules: self.rules.clone(),
                hidden,
                tracked,
                freezes_ignored,
            });
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
            step.folders.push(Folder::root_of(unit, rules));
        }
        step.submodules.push(Submodule { path: path.clone(), head, checked_out });
        Ok(checked_out)
    }

    fn file(
        &self,
        name: &BString,
        path: BString,
        entry: &DirEntry,
        step: &mut Step,
    ) -> Result<(), FilesError> {
        let Self { walker, folder, .. } = self;
        let left_out = names::file_left_out(name).or_else(|| walker.guarded(&path));
        if let Some(left_out) = left_out {
            step.left_out.insert(left_out);
            return Ok(());
        }
        let is_tracked = !folder.tracked.is_empty() && folder.unit.find(&folder.tracked, &path).is_some();
        let hidden = match is_tracked {
            true => Hidden::default(),
            false => self.rules.hide(folder.unit.relative(&path), false, folder.hidden),
        };
        let counts = !hidden.by_both() || walker.is_in(walker.request.include, &path);
        let frozen = (counts || folder.freezes_ignored)
            && walker.is_in(walker.request.test_paths, &path)
            && (counts || names::is_loadable(&path));
        if !counts && !frozen {
            return Ok(());
        }
        let stat = match entry.metadata() {
            Ok(meta) => Stat::of(&meta),
            Err(error) if error.kind() == NotFound => return Ok(()),
            Err(error) => return Err(FilesError::unreadable(&entry.path(), error)),
        };
        if hidden.by_new_rule() {
            step.hidden_by_new_rule.push(path.clone());
        }
        if stat.is_file() || stat.is_link() {
            step.files.push(Found { path, stat, counts, frozen });
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

/// Where a path leads, though its last part need not be there yet.
fn resolved(path: &Path) -> Option<std::path::PathBuf> {
    path.canonicalize().ok().or_else(|| Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?)))
}

//! What changed since a run began, by git: committed, staged, unstaged, or not tracked yet.
//!
//! The work tree is walked and its bytes are compared, so that nothing that steers git's own view (flags in the index, a
//! file system monitor, replaced objects, settings for submodules) hides a change or makes one up.

use std::path::Path;

use bstr::{BString, ByteSlice as _};

use super::facts::{ChangeSource, Changed, Diff, FileMap, NoDiff, Unknown};
use super::files::{self, FilesError, Look};
use super::git::{self, Git, Since};
use crate::plan::PathSet;

/// Where a run began, as somebody names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base<'a> {
    /// A commit's object id, whole or its first digits, or the name of a branch or tag.
    Named(&'a str),
    /// A commit's object id. A name would move along with what it names.
    Captured(&'a str),
}

impl<'a> Base<'a> {
    const fn text(self) -> &'a str {
        match self {
            Self::Named(text) | Self::Captured(text) => text,
        }
    }
}

/// What is looked at.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// A folder of the work tree, absolute. All of the work tree is looked at.
    pub folder: &'a Path,
    /// The state folder, absolute; what is in it doesn't count.
    pub state_dir: &'a Path,
    /// The work tree's file map, with its root, where it was looked at already.
    pub seen: Option<(&'a Path, &'a FileMap)>,
}

/// What changed since a base; `None`: no base is known.
#[must_use]
pub fn since(place: &Place<'_>, base: Option<Base<'_>>) -> Diff {
    let text = base.map_or("", Base::text);
    let unknown = |reason, says: String| Diff::Unknown(Unknown { reason, base: text.to_owned(), says });
    let git = match Git::discover(place.folder).and_then(|git| git.map(here).transpose()) {
        Ok(Some(git)) => git,
        Ok(None) => return unknown(NoDiff::NoGitRepo, "there is no git repository here".to_owned()),
        Err(why) => return unknown(NoDiff::WorkTreeUnreadable, why.to_string()),
    };
    let head = match git.facts_without_index() {
        Ok(facts) => facts.head,
        Err(why) => return unknown(NoDiff::WorkTreeUnreadable, why.to_string()),
    };
    if head.is_none() {
        return unknown(
            NoDiff::NoRunStartSha,
            "there is no commit yet that a run could have begun at".to_owned(),
        );
    }
    let Some(base) = base else {
        return unknown(NoDiff::NoRunStartSha, "it isn't known which commit the run began at".to_owned());
    };
    let commit = match base {
        Base::Named(name) => git.commit_of_id(name).or_else(|| git.commit_of_name(name)),
        Base::Captured(id) => git.commit_of_id(id),
    };
    let Some(commit) = commit else {
        return unknown(NoDiff::BaseUnreachable, "the base is no commit that can be read here".to_owned());
    };
    match changed(place, &git, &commit) {
        Ok(since) => {
            let mut changed = Changed { base: Some(commit), ..Changed::default() };
            changed.add(ChangeSource::Committed, since.committed);
            changed.add(ChangeSource::Staged, since.staged);
            changed.add(ChangeSource::Unstaged, since.unstaged);
            changed.add(ChangeSource::Untracked, since.untracked);
            Diff::Known(changed)
        }
        Err(why) => unknown(NoDiff::WorkTreeUnreadable, why.to_string()),
    }
}

/// A work tree that git looks at from elsewhere can't be compared with what git says.
fn here(git: Git) -> Result<Git, git::GitError> {
    git.is_here().map(|()| git)
}

fn changed(place: &Place<'_>, git: &Git, base: &str) -> Result<Since, FilesError> {
    let map = match place.seen {
        Some((root, map)) if root == git.root() => map.clone(),
        _ => map_of(git.root(), place.state_dir)?,
    };
    let mut since = git.since(base, &map)?;
    since.unstaged.extend(dirty_submodules(git, place.state_dir)?);
    Ok(since)
}

/// Submodules with changes that no commit of theirs holds.
fn dirty_submodules(git: &Git, state_dir: &Path) -> Result<Vec<BString>, FilesError> {
    let mut dirty = Vec::new();
    for path in git.submodules() {
        let root = git::full_path(git.root(), path.as_bstr());
        let Some(inner) = Git::discover(&root)?.filter(|inner| inner.root() != git.root()) else { continue };
        let map = map_of(inner.root(), state_dir)?;
        if !inner.since_head(&map)?.is_empty() || !dirty_submodules(&inner, state_dir)?.is_empty() {
            dirty.push(path);
        }
    }
    Ok(dirty)
}

fn map_of(root: &Path, state_dir: &Path) -> Result<FileMap, FilesError> {
    let none = PathSet::none();
    let look = Look::without_plan(root, state_dir, &none);
    files::look(&look).map(|facts| facts.map)
}

/// The root of the work tree that holds a folder; the folder itself, where git knows none.
#[must_use]
pub fn root(folder: &Path) -> std::path::PathBuf {
    Git::discover(folder).ok().flatten().map_or_else(|| folder.to_owned(), |git| git.root().to_owned())
}

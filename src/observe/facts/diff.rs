//! What changed since a run began, and why that may be unknown.

use std::collections::{BTreeMap, BTreeSet};

use bstr::BString;

/// What changed since a run began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Diff {
    /// It was seen.
    Known(Changed),
    /// It can't be said.
    Unknown(Unknown),
}

/// The files that changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changed {
    /// The commit that the run began at; `None`: there was none, and the baseline's file map says what was there.
    pub base: Option<String>,
    /// The number of the task whose baseline this is since; `None`: it is since a commit.
    pub task: Option<String>,
    /// Each changed path with where its change lies: below the work tree's root, in bytes with `/`, behind the
    /// repository's id and a colon where there are several.
    pub files: BTreeMap<BString, BTreeSet<ChangeSource>>,
}

impl Changed {
    /// Adds paths of one source.
    pub fn add(&mut self, source: ChangeSource, paths: impl IntoIterator<Item = BString>) {
        for path in paths {
            self.files.entry(path).or_default().insert(source);
        }
    }

    /// How many paths have a change of this source.
    #[must_use]
    pub fn count(&self, source: ChangeSource) -> usize {
        self.files.values().filter(|sources| sources.contains(&source)).count()
    }
}

/// Where a change lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ChangeSource {
    /// Between the base and HEAD.
    Committed,
    /// Between HEAD and the index.
    Staged,
    /// Between the index and the work tree.
    Unstaged,
    /// The index doesn't name the path, and no rule ignores it.
    Untracked,
    /// Between the baseline's file map and the work tree.
    SinceBaseline,
}

impl ChangeSource {
    /// Every source.
    pub const ALL: [Self; 5] =
        [Self::Committed, Self::Staged, Self::Unstaged, Self::Untracked, Self::SinceBaseline];

    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Committed => "committed",
            Self::Staged => "staged",
            Self::Unstaged => "unstaged",
            Self::Untracked => "untracked",
            Self::SinceBaseline => "since-baseline",
        }
    }
}

/// Why nothing can be said of what changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// Which reason.
    pub reason: NoDiff,
    /// The base that was asked for; empty: none was.
    pub base: String,
    /// One sentence for a person.
    pub says: String,
}

/// The reasons why nothing can be said of what changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NoDiff {
    /// Git knows no work tree here.
    NoGitRepo,
    /// No commit is named as the base, or there is no commit yet.
    NoRunStartSha,
    /// The base isn't a commit that can be read here.
    BaseUnreachable,
    /// A file, or git's data of what is there now, can't be read.
    WorkTreeUnreadable,
}

impl NoDiff {
    /// The reason as it stands in JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::NoGitRepo => "no_git_repo",
            Self::NoRunStartSha => "no_run_start_sha",
            Self::BaseUnreachable => "base_unreachable",
            Self::WorkTreeUnreadable => "work_tree_unreadable",
        }
    }
}

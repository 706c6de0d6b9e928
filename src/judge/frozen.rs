//! What a task starts from and what red freezes, as judges see it.

use std::collections::BTreeMap;

use bstr::BString;

use super::InventoryCase;
use crate::digest::Sha256;
use crate::observe::facts::{Entry, FileMap, GitFacts, Influence, RepositoryFacts, Weight};

/// The file map of each repository, by id.
pub type Maps = BTreeMap<String, FileMap>;

/// The frozen files of each repository, by id.
pub type FrozenFiles = BTreeMap<String, Vec<Entry>>;

/// What steers runners in each repository, by id.
pub type Influences = BTreeMap<String, Vec<Influence>>;

/// Hashes of the tests and of what steers their runners, taken at accepted red.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FrozenSet {
    /// The frozen files of each repository, in order of the paths.
    pub repositories: FrozenFiles,
    /// What steers the runners, and tests inside product files, in order of path and slice.
    pub influence: Influences,
    /// The cases that red saw fail.
    pub inventory: Vec<InventoryCase>,
}

/// What was there when the task began.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Baseline {
    /// Each repository, by id.
    pub repositories: BTreeMap<String, BaselineFacts>,
}

/// What was there of one repository when the task began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaselineFacts {
    /// Every file that counted.
    pub map: FileMap,
    /// What git said; `None`: no git.
    pub git: Option<GitFacts>,
    /// Nested repositories that were no submodules.
    pub nested: Vec<BString>,
    /// What differed from HEAD already.
    pub preexisting: Vec<Preexisting>,
}

/// A change that was there before the task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preexisting {
    /// Below the repository's root.
    pub path: BString,
    /// The hash of its content then; `None`: it was a deletion.
    pub sha256: Option<Sha256>,
    /// Whether it was taken into the task.
    pub adopted: bool,
}

impl Baseline {
    /// The file maps.
    #[must_use]
    pub fn maps(&self) -> Maps {
        self.repositories.iter().map(|(id, facts)| (id.clone(), facts.map.clone())).collect()
    }
}

impl FrozenSet {
    /// Everything that would be frozen now.
    #[must_use]
    pub fn of(now: &[RepositoryFacts], inventory: Vec<InventoryCase>) -> Self {
        let influence = now.iter().map(|facts| (facts.id.clone(), facts.influence.clone())).collect();
        Self { repositories: frozen_now(now), influence, inventory }
    }

    /// Whether it holds a test.
    #[must_use]
    pub fn holds_a_test(&self) -> bool {
        self.repositories.values().any(|files| !files.is_empty())
            || self.influence.values().flatten().any(|entry| entry.weight == Weight::Inline)
    }
}

/// The frozen files as they are now.
#[must_use]
pub fn frozen_now(now: &[RepositoryFacts]) -> FrozenFiles {
    now.iter().map(|facts| (facts.id.clone(), facts.frozen.clone())).collect()
}

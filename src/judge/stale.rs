//! Whether evidence still speaks of the files that are there.

use std::collections::{BTreeMap, BTreeSet};

use super::frozen::Maps;
use crate::digest::Sha256;
use crate::observe::facts::{FileChange, RepositoryFacts};
use crate::plan::{Check, FingerprintOf};

/// The fingerprint of each repository, by id.
pub type Fingerprints = BTreeMap<String, Sha256>;

/// A file that moved since the evidence was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stale {
    /// The id of its repository.
    pub repository: String,
    /// Which, and how.
    pub change: FileChange,
}

/// The files that moved between a record's maps and now, of those that count for the fingerprint.
#[must_use]
pub fn stale(then: &Maps, now: &[RepositoryFacts], of: FingerprintOf) -> Vec<Stale> {
    let mut stale = Vec::new();
    for facts in now {
        let Some(before) = then.get(&facts.id) else {
            continue;
        };
        let changes = facts.map.changes_since(before);
        let counts =
            |change: &FileChange| of == FingerprintOf::Tree || facts.below_path(&change.path).is_some();
        let changes = changes.into_iter().filter(counts);
        stale.extend(changes.map(|change| Stale { repository: facts.id.clone(), change }));
    }
    stale
}

/// The repositories whose fingerprint isn't the evidence's. One that only one side knows has moved.
#[must_use]
pub fn moved<'a>(then: &'a Fingerprints, now: &'a Fingerprints) -> BTreeSet<&'a str> {
    let ids = then.keys().chain(now.keys());
    ids.filter(|id| then.get(*id) != now.get(*id)).map(String::as_str).collect()
}

/// Whether a check rests on a repository: its own, those that it names, or all when it names none.
#[must_use]
pub fn rests_on(check: &Check, repository: &str) -> bool {
    check.repository == repository
        || check.depends.as_ref().is_none_or(|depends| depends.iter().any(|id| id == repository))
}

/// Whether a check's evidence still speaks of the files that are there.
#[must_use]
pub fn is_fresh(check: &Check, then: &Fingerprints, now: &Fingerprints) -> bool {
    moved(then, now).into_iter().all(|repository| !rests_on(check, repository))
}

//! Looking at the world: every repository of a plan, as it is now.

use std::collections::BTreeMap;

use super::Stop;
use super::plan_file::PlanFile;
use crate::digest::Sha256;
use crate::judge::{Code, Fingerprints, Maps, Place};
use crate::observe::facts::{EntryKind, Hashed, IgnoreRules, RepositoryFacts};
use crate::observe::files::{self, FilesError, Look};
use crate::observe::fingerprint::{below, combined, fingerprint};
use crate::plan::{FingerprintOf, PathSet};

/// Every repository of the plan at one moment.
#[derive(Debug, Clone)]
pub(super) struct World {
    /// What was seen, in order of the repositories' ids.
    pub(super) facts: Vec<RepositoryFacts>,
    /// The fingerprint of each repository.
    pub(super) fingerprints: Fingerprints,
    /// The fingerprint of all.
    pub(super) fingerprint: Sha256,
}

/// How to look.
#[derive(Debug, Clone, Copy)]
pub(super) struct Looking<'a> {
    /// The ignore rules of the baseline, by repository.
    pub(super) baseline_ignore: Option<&'a BTreeMap<String, IgnoreRules>>,
    /// Reads every file's content, whatever the cache says.
    pub(super) read_all: bool,
}

impl World {
    /// Looks at every repository.
    ///
    /// # Errors
    /// A folder, a file or git's data can't be read.
    pub(super) fn look(file: &PlanFile, how: Looking<'_>) -> Result<Self, Stop> {
        let plan = &file.plan;
        let mut facts = Vec::with_capacity(plan.repositories.len());
        let none = PathSet::none();
        for repository in &plan.repositories {
            let folder = file.repository_folder(&repository.path);
            let cache = file.state_dir.join("cache").join(format!("files-{}", repository.id));
            let checks: Vec<_> =
                plan.checks.iter().filter(|check| check.repository == repository.id).collect();
            let look = Look {
                id: &repository.id,
                folder: &folder,
                state_dir: &file.state_dir,
                baseline_ignore: how.baseline_ignore.and_then(|rules| rules.get(&repository.id)),
                guard_ignore: &plan.guard.ignore,
                include: &plan.fingerprint.include,
                test_paths: plan.freeze.test_paths.of(&repository.id).unwrap_or(&none),
                inline: &plan.freeze.inline,
                checks: &checks,
                cache: Some(&cache),
                read_all: how.read_all,
                jobs: 0,
            };
            facts.push(files::look(&look).map_err(Stop::from)?);
        }
        Ok(Self::of(file, facts))
    }

    fn of(file: &PlanFile, facts: Vec<RepositoryFacts>) -> Self {
        let plan = &file.plan;
        let env: Vec<_> = plan
            .fingerprint
            .env
            .iter()
            .map(|name| (name.clone(), std::env::var_os(name).map(std::ffi::OsString::into_encoded_bytes)))
            .collect();
        let fingerprints: Fingerprints = facts
            .iter()
            .map(|facts| {
                let print = match plan.fingerprint.of {
                    FingerprintOf::Tree => fingerprint(&facts.map, &env),
                    FingerprintOf::Path => fingerprint(&below(&facts.map, &facts.prefix), &env),
                };
                (facts.id.clone(), print)
            })
            .collect();
        let fingerprint = combined(&fingerprints);
        Self { facts, fingerprints, fingerprint }
    }

    /// The file map of each repository.
    #[must_use]
    pub(super) fn maps(&self) -> Maps {
        crate::judge::maps_of(&self.facts)
    }

    /// The hash of the regular file at a place; `None`: there is none that counts.
    #[must_use]
    pub(super) fn file_at(&self, place: &Place) -> Option<Sha256> {
        let facts = self.facts.iter().find(|facts| facts.id == place.repository)?;
        let entry = facts.map.get(place.path.as_ref()?)?;
        matches!(entry.kind, EntryKind::File | EntryKind::Executable).then_some(entry.sha256)
    }

    /// The commit of HEAD in the first repository.
    #[must_use]
    pub(super) fn head(&self) -> Option<&str> {
        self.facts.first()?.git.as_ref()?.head.as_deref()
    }

    /// How many files count.
    #[must_use]
    pub(super) fn files(&self) -> u64 {
        self.facts.iter().map(|facts| facts.map.entries().len() as u64).sum()
    }

    /// Whether every file was read.
    #[must_use]
    pub(super) fn hashed(&self) -> Hashed {
        if self.facts.iter().all(|facts| facts.hashed == Hashed::All) { Hashed::All } else { Hashed::Changed }
    }

    /// What was passed over, by repository where there are several.
    #[must_use]
    pub(super) fn left_out(&self) -> Vec<String> {
        let several = self.facts.len() > 1;
        let named = |facts: &RepositoryFacts| {
            let id = if several { format!("{}: ", facts.id) } else { String::new() };
            facts.left_out.iter().map(move |path| format!("{id}{path}")).collect::<Vec<_>>()
        };
        self.facts.iter().flat_map(named).collect()
    }
}

impl From<FilesError> for Stop {
    fn from(error: FilesError) -> Self {
        let code = match &error {
            FilesError::Git(_) => Code::GitUnreadable,
            _ => Code::Unreadable,
        };
        let path = error.path().to_owned();
        Self::new(code, error.to_string()).on(&path)
    }
}

//! The task on the desk: what the state folder says of it, as judges see it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use redgreen_parsers::is_sliced_test;

use super::hiding;
use super::plan_file::PlanFile;
use super::world::World;
use super::{Stop, options::Global};
use crate::digest::Sha256;
use crate::judge::{
    Baseline, CheckStanding, Code, Fingerprints, FrozenFiles, FrozenSet, Maps, Place, RedCheck, Standing,
    is_fresh,
};
use crate::observe::bytecode;
use crate::observe::clock;
use crate::observe::facts::{Entry, IgnoreRules};
use crate::plan::{Check, Phase};
use crate::record::store::{Store, StoreError, Writer};
use crate::record::wire::{self, Evidence, Task};

/// A task and what judges look at, but for the files with which it began: [`Desk::baseline`] reads those.
#[derive(Debug)]
pub(super) struct Desk {
    /// The task.
    pub(super) task: Task,
    /// The ignore rules of the baseline, by repository.
    pub(super) ignore: BTreeMap<String, IgnoreRules>,
    /// What red froze.
    pub(super) frozen: Option<Taken>,
    /// The task's records in order, each with the name of its file.
    pub(super) records: Vec<(String, Evidence)>,
}

/// What red froze.
#[derive(Debug)]
pub(super) struct Taken {
    /// As judges see it.
    pub(super) set: FrozenSet,
    /// As it is kept, with the checks that it rests on.
    pub(super) document: wire::Frozen,
    /// The hash of what is kept.
    pub(super) sha256: Sha256,
}

/// Opens the state folder for writing.
///
/// # Errors
/// It is held by another, damaged, of a later version, or can't be written.
pub(super) fn open(file: &PlanFile, global: &Global) -> Result<Writer, Stop> {
    let mut writer = Writer::open(&file.state_dir, global.wait.unwrap_or_default())?;
    writer.redact_with(hiding::redactor(&file.plan.checks));
    Ok(writer)
}

impl Desk {
    /// Takes up the task that is open, or says that there is none.
    ///
    /// # Errors
    /// There is no open task, or something of it can't be read.
    pub(super) fn take(store: &Store) -> Result<Self, Stop> {
        match Self::last(store)? {
            Some(desk) if desk.task.open => {
                if !desk.plan_is_the_records() {
                    let why = "the task names another plan than its last accepted record; put `task.json` back from a \
                               copy, or begin anew with `verify begin --fresh`";
                    return Err(Stop::new(Code::RecordCorrupt, why).on(store.folder()));
                }
                Ok(desk)
            }
            _ => Err(Stop::new(Code::NoTask, "no task is open; run `verify begin`").on(store.folder())),
        }
    }

    /// Whether the task's plan is the one that its records were judged by. An accepted record is of the plan that the
    /// task had taken, and a rebind takes the plan of its own record.
    fn plan_is_the_records(&self) -> bool {
        let last = self.records.iter().rev().find(|(_, record)| record.passed);
        last.is_none_or(|(_, record)| record.plan_sha256 == self.task.plan.sha256)
    }

    /// Takes up the last task, open or not.
    ///
    /// # Errors
    /// Something of it can't be read.
    pub(super) fn last(store: &Store) -> Result<Option<Self>, Stop> {
        let Some(task) = store.task()? else { return Ok(None) };
        let ignore = ignore_of(&task, store)?;
        let frozen = match store.frozen()? {
            Some((document, sha256)) => {
                let set = document.set().ok_or_else(|| corrupt(store, "the frozen set"))?;
                Some(Taken { set, document, sha256 })
            }
            None => None,
        };
        let records = store
            .records_of(task.task)
            .map(|line| Ok((line.record.clone(), store.read(line)?)))
            .collect::<Result<Vec<_>, StoreError>>()?;
        Ok(Some(Self { task, ignore, frozen, records }))
    }

    /// A desk without a task, for checks whose runs nobody records.
    pub(super) fn without_task(file: &PlanFile) -> Self {
        let task = Task {
            schema: wire::tag::Task::V1,
            task: wire::TaskNumber(0),
            open: false,
            started_at: clock::now(),
            plan: file.reference(),
            rebinds: Vec::new(),
            iteration: None,
            baseline: BTreeMap::new(),
        };
        Self { task, ignore: BTreeMap::new(), frozen: None, records: Vec::new() }
    }

    /// What the task began with, file maps included.
    ///
    /// # Errors
    /// Something of it can't be read.
    pub(super) fn baseline(&self, store: &Store) -> Result<Baseline, Stop> {
        let mut baseline = Baseline::default();
        // All repositories are of one look, and share a document.
        let mut maps = BTreeMap::new();
        for (id, then) in &self.task.baseline {
            if !maps.contains_key(id) {
                maps = store.maps(&then.files)?;
            }
            let map = maps.remove(id).ok_or_else(|| corrupt(store, "the baseline's file map"))?;
            let facts = then.facts(map).ok_or_else(|| corrupt(store, "the baseline"))?;
            baseline.repositories.insert(id.clone(), facts);
        }
        Ok(baseline)
    }

    /// The file maps at the start of the next stage: those of the last accepted record, else the baseline's.
    ///
    /// # Errors
    /// The maps can't be read.
    pub(super) fn start(&self, store: &Store, baseline: &Baseline) -> Result<Maps, Stop> {
        match self.records.iter().rev().find(|(_, record)| record.passed) {
            Some((_, record)) if self.task.baseline.values().any(|then| then.files != record.files) => {
                Ok(store.maps(&record.files)?)
            }
            _ => Ok(baseline.maps()),
        }
    }

    /// Where this task's Python code is compiled to.
    pub(super) fn bytecode(&self, file: &PlanFile) -> PathBuf {
        bytecode::folder(&file.state_dir.join("cache"), &self.task.task.to_string())
    }

    /// The record of this name.
    pub(super) fn record(&self, name: &str) -> Option<&Evidence> {
        self.records.iter().find(|(of, _)| of == name).map(|(_, record)| record)
    }

    /// The latest record that judged this check in this phase, with what it says of it.
    pub(super) fn latest(&self, check: &str, phase: Phase) -> Option<(&str, &Evidence, bool)> {
        self.records.iter().rev().find_map(|(name, record)| {
            let judged = record.checks.iter().find(|judged| judged.id == check && judged.phase == phase)?;
            Some((name.as_str(), record, judged.passed && record.passed))
        })
    }

    /// The accepted reds of this task, oldest first: the name of the record, the record, and the check's place in it.
    pub(super) fn reds(&self) -> impl Iterator<Item = (&str, &Evidence, &crate::record::wire::Check)> {
        self.records.iter().filter(|(_, record)| record.passed).flat_map(|(name, record)| {
            let red = record.checks.iter().filter(|check| check.phase == Phase::Red && check.passed);
            red.map(move |check| (name.as_str(), record, check))
        })
    }

    /// Where each check of the plan stands, given the files as they are.
    ///
    /// # Errors
    /// A file map of a record can't be read.
    pub(super) fn standings(
        &self,
        store: &Store,
        file: &PlanFile,
        now: &World,
    ) -> Result<Vec<CheckStanding>, Stop> {
        let red_holds = self.red_holds(store, file, now)?;
        let standing = |check: &Check| {
            let red = if !check.phases.contains(&Phase::Red) {
                Standing::NotNeeded
            } else if red_holds.contains_key(&check.id) {
                Standing::Accepted
            } else {
                match self.latest(&check.id, Phase::Red) {
                    Some((_, _, false)) => Standing::Rejected,
                    _ => Standing::Missing,
                }
            };
            let (green, fresh) = if !check.phases.contains(&Phase::Green) {
                (Standing::NotNeeded, true)
            } else {
                match self.latest(&check.id, Phase::Green) {
                    Some((_, record, true)) => {
                        (Standing::Accepted, is_fresh(check, &record.fingerprints, &now.fingerprints))
                    }
                    Some((_, _, false)) => (Standing::Rejected, false),
                    None => (Standing::Missing, false),
                }
            };
            CheckStanding { id: check.id.clone(), red, green, fresh }
        };
        Ok(file.plan.checks.iter().map(standing).collect())
    }

    /// The checks whose red holds, with the name of its record. Once frozen that is what the freeze rests on; before,
    /// an accepted red on the same definition and the same tests.
    ///
    /// # Errors
    /// A file map of a record can't be read.
    pub(super) fn red_holds(
        &self,
        store: &Store,
        file: &PlanFile,
        now: &World,
    ) -> Result<BTreeMap<String, String>, Stop> {
        if let Some(frozen) = &self.frozen {
            let checks = frozen.document.checks.iter();
            return Ok(checks.map(|check| (check.id.clone(), check.record.clone())).collect());
        }
        let tests = tests_digest(&tests_of(file, &now.maps(), now));
        let mut holds = BTreeMap::new();
        for (name, record, red) in self.reds() {
            let Some(check) = file.plan.check(&red.id) else { continue };
            let then = tests_digest(&tests_of(file, &store.maps(&record.files)?, now));
            if check.sha256() == red.check_sha256 && then == tests {
                holds.insert(red.id.clone(), name.to_owned());
            }
        }
        Ok(holds)
    }

    /// The fingerprints of each check's latest accepted green.
    #[must_use]
    pub(super) fn green_fingerprints(&self, file: &PlanFile) -> BTreeMap<String, Fingerprints> {
        let green = file.plan.checks_in(Phase::Green).filter_map(|check| {
            let (_, record, passed) = self.latest(&check.id, Phase::Green)?;
            passed.then(|| (check.id.clone(), record.fingerprints.clone()))
        });
        green.collect()
    }
}

/// The ignore rules with which the last task began; `None` before the first.
///
/// # Errors
/// The task can't be read.
pub(super) fn ignore_rules(store: &Store) -> Result<Option<BTreeMap<String, IgnoreRules>>, Stop> {
    store.task()?.map(|task| ignore_of(&task, store)).transpose()
}

fn ignore_of(task: &Task, store: &Store) -> Result<BTreeMap<String, IgnoreRules>, Stop> {
    task.ignore_rules().ok_or_else(|| corrupt(store, "the baseline's ignore rules"))
}

fn corrupt(store: &Store, what: &str) -> Stop {
    let why =
        format!("{what} can't be read; put it back from a copy, or begin anew with `verify begin --fresh`");
    Stop::new(Code::RecordCorrupt, why).on(store.folder())
}

/// The tests among the files of a map.
#[must_use]
pub(super) fn tests_of(file: &PlanFile, maps: &Maps, now: &World) -> FrozenFiles {
    let tests = |(id, map): (&String, &crate::observe::facts::FileMap)| {
        let facts = now.facts.iter().find(|facts| facts.id == *id);
        let is_test = |entry: &&Entry| {
            let below = facts.and_then(|facts| facts.below_path(&entry.path));
            let is_below = below.is_some_and(|path| file.plan.freeze.test_paths.matches(id, path));
            is_below && !is_sliced_test(&entry.path)
        };
        (id.clone(), map.entries().iter().filter(is_test).cloned().collect())
    };
    maps.iter().map(tests).collect()
}

/// One hash over frozen files.
#[must_use]
pub(super) fn tests_digest(files: &FrozenFiles) -> Sha256 {
    let mut bytes = Vec::new();
    for (id, entries) in files {
        bytes.extend_from_slice(id.as_bytes());
        bytes.push(0);
        for entry in entries {
            bytes.push(entry.kind.letter());
            bytes.extend_from_slice(&entry.mode.to_le_bytes());
            bytes.extend_from_slice(&entry.sha256.0);
            bytes.extend_from_slice(&entry.path);
            bytes.push(0);
        }
        bytes.push(0);
    }
    Sha256::of(&bytes)
}

/// The red checks of the plan, as judges take them.
#[must_use]
pub(super) fn red_checks(file: &PlanFile) -> Vec<RedCheck<'_>> {
    let red = file.plan.checks_in(Phase::Red);
    red.map(|check| RedCheck { id: &check.id, check_sha256: check.sha256() }).collect()
}

/// Where the plan's file lies in a repository; `None`: outside of all.
#[must_use]
pub(super) fn plan_place(file: &PlanFile, now: &World) -> Option<Place> {
    now.facts.iter().find_map(|facts| {
        let repository = file.plan.repository(&facts.id)?;
        let folder = file.repository_folder(&repository.path).canonicalize().ok()?;
        let below = facts.prefix.split(|byte| *byte == b'/').filter(|part| !part.is_empty()).count();
        let root = folder.ancestors().nth(below)?;
        let path = file.path.strip_prefix(root).ok()?;
        let path = path.as_os_str().as_encoded_bytes();
        Some(Place { repository: facts.id.clone(), path: Some(path.into()) })
    })
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self::new(error.code(), error.to_string()).on(error.path())
    }
}

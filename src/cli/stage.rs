//! What every stage of the loop does around its checks: guards before and after, one record at the end.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use super::checks::{Batch, Ran, Runner};
use super::desk::{Desk, plan_place};
use super::hiding;
use super::output::Output;
use super::plan_file::PlanFile;
use super::quotes::Quotes;
use super::world::World;
use super::{Exit, Stop};
use crate::digest::Sha256;
use crate::judge::{self, Baseline, Code, Guarded, Guards, Maps, Note, Problem, RuleFinding, Scope};
use crate::observe::clock;
use crate::observe::facts::Timestamp;
use crate::plan::{Check, Phase};
use crate::present;
use crate::record::store::{Attest, Entry, RecordRef, Transcript, Writer};
use crate::record::wire::{
    self, Claim, Delivery, Environment, Evidence, Frozen, Task, TaskNumber, Tool, tag,
};

/// The options of every stage.
#[derive(Debug, Clone, Args)]
pub(super) struct StageArgs {
    /// The stage that this is, one of the plan's `[[stages]]`; only what it `writes` may have changed. Without it, all
    /// but what is frozen may
    #[arg(long, value_name = "ID")]
    pub(super) stage: Option<String>,

    /// A file with what the worker says about its work; kept as a claim, and never counted
    #[arg(long, value_name = "FILE")]
    pub(super) claim: Option<PathBuf>,
}

/// A stage in progress.
pub(super) struct Stage<'a> {
    /// The plan.
    pub(super) file: &'a PlanFile,
    /// The task.
    pub(super) desk: &'a Desk,
    /// Its id: one of the plan's, or the command's own word.
    pub(super) id: String,
    /// What it judges.
    pub(super) phase: Option<Phase>,
    /// When it began.
    pub(super) started_at: Timestamp,
    /// What the task began with.
    pub(super) baseline: Baseline,
    /// The files at its start.
    pub(super) start: Maps,
    claim: Option<Claim>,
}

/// Everything that a stage found.
#[derive(Default)]
pub(super) struct Findings<'p> {
    /// Reasons to reject beyond those of the checks.
    pub(super) problems: Vec<Problem>,
    /// What is worth knowing beyond the checks.
    pub(super) notes: Vec<Note>,
    /// What rules and the secret detector found in added lines.
    pub(super) rules: Vec<RuleFinding>,
    /// The checks that ran.
    pub(super) ran: Vec<Ran<'p>>,
    /// The checks that ran on the baseline's sources. What they say is in `problems` or `notes`.
    pub(super) replayed: Vec<Ran<'p>>,
    /// What a delivery says beyond that.
    pub(super) delivery: Option<Delivery>,
    /// What a replay says beyond that.
    pub(super) replay: Option<wire::Replay>,
}

impl<'p> Findings<'p> {
    /// The checks that a record shows, each once: that it ran on the baseline's sources only where it ran on no other.
    fn shown(&self) -> impl Iterator<Item = &Ran<'p>> {
        let ran = |id: &str| self.ran.iter().any(|ran| ran.check.id == id);
        self.ran.iter().chain(self.replayed.iter().filter(move |replayed| !ran(&replayed.check.id)))
    }
}

/// What comes into place together with a record.
#[derive(Default)]
pub(super) struct Companions<'a> {
    /// A new frozen set.
    pub(super) frozen: Option<Frozen>,
    /// The task as it is after it.
    pub(super) task: Option<Task>,
    /// Signs it, should it be accepted.
    pub(super) attest: Option<&'a Attest<'a>>,
}

impl<'a> Stage<'a> {
    /// Begins a stage.
    ///
    /// # Errors
    /// The plan lists no such stage, or the claim can't be read.
    pub(super) fn begin(
        file: &'a PlanFile,
        desk: &'a Desk,
        store: &Writer,
        args: &StageArgs,
        word: &str,
        phase: Option<Phase>,
    ) -> Result<Self, Stop> {
        if let Some(id) = &args.stage
            && file.plan.stage(id).is_none()
        {
            let known: Vec<_> = file.plan.stages.iter().map(|stage| stage.id.as_str()).collect();
            let known = if known.is_empty() {
                "it has none".to_owned()
            } else {
                format!("it has: {}", known.join(", "))
            };
            return Err(Stop::new(Code::UnknownId, format!("the plan has no stage `{id}`; {known}")));
        }
        let baseline = desk.baseline(store)?;
        Ok(Self {
            file,
            desk,
            id: args.stage.clone().unwrap_or_else(|| word.to_owned()),
            phase,
            started_at: clock::now(),
            start: desk.start(store, &baseline)?,
            baseline,
            claim: args.claim.as_deref().map(read_claim).transpose()?,
        })
    }

    /// Looks at everything that may not have moved.
    #[must_use]
    pub(super) fn guards(&self, now: &World, scope: Option<Scope<'_>>) -> Guards {
        let frozen = self.desk.frozen.as_ref().map(|frozen| &frozen.set);
        self.guards_against(now, scope, frozen, self.desk.task.plan.sha256)
    }

    /// The same, with plan and tests taken as they are: what a rebind looks at.
    #[must_use]
    pub(super) fn guards_of_a_rebind(&self, now: &World) -> Guards {
        self.guards_against(now, None, None, self.file.sha256)
    }

    /// The last look before the record is written: the evidence is of files that stand still.
    ///
    /// # Errors
    /// The work tree can't be read.
    pub(super) fn end(&self, runner: &Runner<'_>, now: &World, found: &mut Findings<'_>) -> Result<(), Stop> {
        let end = runner.look()?;
        found.problems.extend(judge::tree_moved(&now.maps(), &end.facts));
        found.problems.extend(self.guards(&end, None).problems);
        Ok(())
    }

    fn guards_against(
        &self,
        now: &World,
        scope: Option<Scope<'_>>,
        frozen: Option<&judge::FrozenSet>,
        taken: Sha256,
    ) -> Guards {
        let place = plan_place(self.file, now);
        // A check may have written to it since it was read.
        let seen = place.as_ref().and_then(|place| now.file_at(place)).unwrap_or(self.file.sha256);
        judge::guards(&Guarded {
            plan: &self.file.plan,
            plan_file: judge::PlanFile { place: place.as_ref(), taken, now: seen },
            baseline: &self.baseline,
            frozen,
            scope: scope.unwrap_or(Scope::Stage { id: &self.id, start: &self.start }),
            now: &now.facts,
        })
    }

    /// Writes the record.
    ///
    /// # Errors
    /// The state folder can't be written, or an output can't be read again.
    pub(super) fn record(
        &self,
        store: &mut Writer,
        now: &World,
        found: &Findings<'_>,
        with: &Companions<'_>,
    ) -> Result<(RecordRef, Evidence), Stop> {
        let checks = found.shown().map(Ran::record).collect::<Result<Vec<_>, _>>()?;
        let passed = found.problems.is_empty() && found.ran.iter().all(Ran::passed);
        let files = store.put_maps(&now.maps())?;
        let evidence = Evidence {
            schema: tag::Evidence::V1,
            task: TaskNumber(0),
            stage: self.id.clone(),
            attempt: 0,
            phase: self.phase,
            started_at: self.started_at,
            finished_at: clock::now(),
            tool: Tool::this(),
            environment: Environment::this(),
            plan_sha256: self.file.sha256,
            frozen_sha256: None,
            rebinds: 0,
            changes: self.changes(now),
            checks,
            problems: wire::Problem::all(&found.problems),
            notes: wire::Problem::all(&found.notes),
            rules: found.rules.iter().map(wire::Rule::from).collect(),
            fingerprint: now.fingerprint,
            fingerprints: now.fingerprints.clone(),
            files,
            hashed: now.hashed(),
            left_out: now.left_out(),
            freeze_allow: self.file.plan.freeze.allow.patterns().to_vec(),
            guard_ignore: self.file.plan.guard.ignore.patterns().to_vec(),
            claim: self.claim.clone(),
            passed,
            previous: None,
            delivery: found.delivery.clone(),
            replay: found.replay.clone(),
        };
        let copies: Vec<_> = found
            .shown()
            .map(|ran| {
                let copy = |to: &mut dyn std::io::Write, limit| ran.transcript.copy_to(to, limit);
                (ran.check.id.as_str(), copy)
            })
            .collect();
        let transcripts = copies.iter().map(|(check, copy)| Transcript { check, copy }).collect();
        let Companions { frozen, task, attest } = with;
        let entry =
            Entry { evidence, transcripts, frozen: frozen.as_ref(), task: task.as_ref(), attest: *attest };
        let stored = store.append(entry)?;
        let line = store.find(&stored.name).ok_or_else(|| {
            Stop::new(Code::RecordCorrupt, "the record that was just written is gone").on(&stored.path)
        })?;
        let evidence = store.read(line)?;
        Ok((stored, evidence))
    }

    fn changes(&self, now: &World) -> BTreeMap<String, Vec<String>> {
        let changes = |facts: &crate::observe::facts::RepositoryFacts| {
            let start = self.start.get(&facts.id)?;
            let changes = facts.map.changes_since(start);
            Some((facts.id.clone(), changes.iter().map(|change| change.path.to_string()).collect()))
        };
        now.facts.iter().filter_map(changes).collect()
    }
}

/// Adds what a batch found.
pub(super) fn add_batch<'p>(found: &mut Findings<'p>, batch: Batch<'p>) -> World {
    found.ran.extend(batch.ran);
    found.problems.extend(batch.problems);
    batch.after
}

/// The checks of a phase that were named; all of them when none was.
///
/// # Errors
/// The plan has no such check, or it doesn't have this phase.
pub(super) fn select<'p>(file: &'p PlanFile, ids: &[String], phase: Phase) -> Result<Vec<&'p Check>, Stop> {
    if ids.is_empty() {
        return Ok(file.plan.checks_in(phase).collect());
    }
    let mut checks: Vec<&Check> = Vec::new();
    for id in ids {
        let Some(check) = file.plan.checks_in(phase).find(|check| check.id == *id) else {
            let known: Vec<_> = file.plan.checks_in(phase).map(|check| check.id.as_str()).collect();
            let word = phase.word();
            let why =
                format!("the plan has no check `{id}` with a {word} phase; it has: {}", known.join(", "));
            return Err(Stop::new(Code::UnknownId, why));
        };
        if !checks.iter().any(|other| other.id == check.id) {
            checks.push(check);
        }
    }
    Ok(checks)
}

/// Prints a record that was just written: as JSON, or for a person with the lines that decided.
pub(super) fn show(
    stored: &RecordRef,
    evidence: &Evidence,
    found: &Findings<'_>,
    next: &str,
    out: &mut Output,
) {
    if out.is_json() {
        out.json(evidence);
        return;
    }
    let blocks = |ran: &Ran<'_>| {
        let check = evidence.checks.iter().find(|check| check.id == ran.check.id);
        check.into_iter().flat_map(wire::Check::problem_lines).collect::<Vec<_>>()
    };
    let quotes: BTreeMap<_, _> = found
        .shown()
        .map(|ran| (ran.check.id.as_str(), Quotes::of_run(&ran.transcript, blocks(ran))))
        .collect();
    let redactor = hiding::redactor(found.ran.iter().map(|ran| ran.check));
    let quote = |check: &str, number: u32| {
        let line = quotes.get(check)?.line(number)?;
        Some(redactor.text(&line).into_owned())
    };
    let lines = present::evidence::evidence(evidence, &quote, out.is_verbose());
    // The first line is the verdict.
    let wanted = if out.is_quiet() { 1 } else { lines.len() };
    lines.iter().take(wanted).for_each(|line| out.line(line));
    out.talk(&format!("record {}", present::text::safe(&shown(&stored.path))));
    if evidence.passed {
        out.talk(&format!("next: {next}"));
    } else if let Some(code) = first_code(evidence) {
        out.talk(&format!("more: verify explain {}", present::text::safe(code)));
    }
}

fn first_code(evidence: &Evidence) -> Option<&str> {
    let of_checks = evidence.checks.iter().flat_map(|check| &check.problems);
    evidence.problems.iter().chain(of_checks).next().map(|problem| problem.code.as_str())
}

/// Where a record is cancelled, the exit code says so; else its verdict does.
#[must_use]
pub(super) fn exit_of(evidence: &Evidence, cancelled: Option<i32>) -> Exit {
    match cancelled {
        Some(signal) => Exit::Cancelled(signal),
        None if evidence.passed => Exit::Good,
        None => Exit::Rejected,
    }
}

fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&here).unwrap_or(path).to_string_lossy().into_owned()
}

/// Keeps at most 1 KiB of a claim.
fn read_claim(path: &Path) -> Result<Claim, Stop> {
    const LIMIT: usize = 1 << 10;
    let bytes = fs::read(path)
        .map_err(|why| Stop::new(Code::BadOption, format!("the claim can't be read: {why}")).on(path))?;
    let text = String::from_utf8_lossy(&bytes);
    let end =
        text.char_indices().map(|(at, sign)| at + sign.len_utf8()).take_while(|end| *end <= LIMIT).last();
    Ok(Claim {
        path: path.to_string_lossy().into_owned(),
        sha256: Sha256::of(&bytes),
        text: text.get(..end.unwrap_or(0)).unwrap_or("").to_owned(),
    })
}

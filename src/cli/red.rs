//! `verify red`: the tests must fail on an assertion; then they are frozen.

use std::collections::BTreeMap;

use clap::Args;

use super::checks::{Ran, Runner, SeenInRed};
use super::desk::{self, Desk, red_checks, tests_of};
use super::options::Global;
use super::output::Output;
use super::plan_file::{self, PlanFile};
use super::stage::{Companions, Findings, Stage, StageArgs, add_batch, exit_of, select, show};
use super::world::{Looking, World};
use super::{Exit, Stop};
use crate::digest::Sha256;
use crate::judge::{
    Code, FrozenFiles, FrozenSet, InventoryCase, Rebind, ValidRed, frozen_now, inventory, nothing_frozen,
    rebind,
};
use crate::observe::clock;
use crate::observe::process::Cancel;
use crate::plan::Phase;
use crate::record::store::{Store, Writer};
use crate::record::wire::{self, Frozen, FrozenCheck, PlanRef, Task};

/// Runs the red checks; they must fail on an assertion, and then the tests are frozen
#[derive(Debug, Args)]
pub(super) struct Red {
    /// The checks; without any, all that have a red phase
    #[arg(value_name = "CHECK")]
    checks: Vec<String>,

    #[command(flatten)]
    stage: StageArgs,

    /// Run again, though red was accepted already
    #[arg(long)]
    again: bool,

    /// Take plan and tests anew after a change, and prove again what it concerns
    #[arg(long, conflicts_with_all = ["again", "checks"])]
    rebind: bool,

    /// Why plan or tests have to change
    #[arg(long, value_name = "TEXT", requires = "rebind")]
    reason: Option<String>,

    /// Show the approval that the plan asks for, from the variable VERIFY_APPROVE
    #[arg(long, requires = "rebind")]
    approve: bool,
}

/// Runs the command.
///
/// # Errors
/// No task, no red check, an unknown id, a rebind without a reason, or something that can't be read or written.
pub(super) fn run(red: &Red, global: &Global, out: &mut Output, cancel: &Cancel) -> Result<Exit, Stop> {
    let file = plan_file::load(global)?;
    let reason = red.rebind.then(|| reason(red)).transpose()?;
    let mut store = desk::open(&file, global)?;
    let desk = Desk::take(&store)?;
    if reason.is_some() {
        approval(red, &desk.task)?;
    }
    if reason.is_none() && file.plan.checks_in(Phase::Red).next().is_none() {
        let why =
            "no check of the plan has a red phase; go on with `verify green`, or give a check `identities`";
        return Err(Stop::new(Code::NoRedCheck, why));
    }
    let stage = Stage::begin(&file, &desk, &store, &red.stage, "red", Some(Phase::Red))?;
    let now = World::look(&file, Looking { baseline_ignore: Some(&desk.ignore), read_all: false })?;
    let this = This { file: &file, desk: &desk, stage, cancel, jobs: global.jobs };
    match reason {
        Some(reason) => this.rebind(&mut store, now, reason, out),
        None => this.prove(red, &mut store, now, out),
    }
}

/// Why plan or tests have to change.
fn reason(red: &Red) -> Result<&str, Stop> {
    let reason = red.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
    reason.ok_or_else(|| {
        let why = "a rebind needs --reason TEXT: why plan or tests have to change";
        Stop::new(Code::ReasonMissing, why)
    })
}

/// Whether the plan lets this person rebind. The plan that the task took is asked: else who changes it could drop the
/// question together with the rest.
fn approval(red: &Red, task: &Task) -> Result<(), Stop> {
    let Some(wanted) = task.plan.rebind_sha256 else { return Ok(()) };
    let value = std::env::var_os("VERIFY_APPROVE").unwrap_or_default();
    if red.approve && Sha256::of(value.as_encoded_bytes()) == wanted {
        return Ok(());
    }
    let why = "the plan that this task took lets a rebind through only with --approve and the right value in VERIFY_APPROVE";
    Err(Stop::new(Code::ApprovalMissing, why))
}

struct This<'a> {
    file: &'a PlanFile,
    desk: &'a Desk,
    stage: Stage<'a>,
    cancel: &'a Cancel,
    jobs: u16,
}

impl This<'_> {
    fn prove(&self, red: &Red, store: &mut Writer, before: World, out: &mut Output) -> Result<Exit, Stop> {
        let checks = select(self.file, &red.checks, Phase::Red)?;
        let guards = self.stage.guards(&before, None);
        let mut found = Findings { problems: guards.problems, notes: guards.notes, ..Findings::default() };
        let holds = self.desk.red_holds(store, self.file, &before)?;

        let intact = !found.problems.iter().any(|problem| is_tampering(problem.code));
        if !red.again && intact && checks.iter().all(|check| holds.contains_key(&check.id)) {
            return self.already(&holds, out);
        }

        found.problems.extend(nothing_frozen(&frozen_now(&before.facts)));
        let mut now = before;
        if found.problems.is_empty() {
            let batch = self.runner(&SeenInRed::default()).run(&checks, Phase::Red, &now)?;
            now = add_batch(&mut found, batch);
            found.problems.extend(self.stage.guards(&now, None).problems);
        }
        let with = Companions { frozen: self.freeze(store, &holds, &found, &now)?, task: None };
        let (stored, evidence) = self.stage.record(store, &now, &found, &with)?;
        let waiting: Vec<_> = red_checks(self.file)
            .iter()
            .map(|check| check.id)
            .filter(|id| !holds.contains_key(*id) && !is_proved(&found, id))
            .map(ToOwned::to_owned)
            .collect();
        let next = if waiting.is_empty() {
            "implement, then verify green; the tests are frozen".to_owned()
        } else {
            format!("verify red {}", waiting.join(" "))
        };
        show(&stored, &evidence, &found, &next, out);
        Ok(exit_of(&evidence, self.cancel.signal()))
    }

    fn runner<'b>(&'b self, seen: &'b SeenInRed) -> Runner<'b> {
        let Self { file, desk, cancel, jobs, .. } = *self;
        Runner { file, desk, seen, read_all: false, jobs, cancel }
    }

    /// A resumed runner asks again: nothing has to run.
    fn already(&self, holds: &BTreeMap<String, String>, out: &mut Output) -> Result<Exit, Stop> {
        let names: Vec<&str> = holds.values().map(|name| name.trim_end_matches(".json")).collect();
        let latest = self.desk.records.iter().rev().find(|(name, _)| names.contains(&name.as_str()));
        if let Some((name, record)) = latest {
            if out.is_json() {
                out.json(record);
            } else {
                out.line(&format!("red was accepted already: {name}"));
                out.talk("next: verify green");
            }
        }
        Ok(Exit::Good)
    }

    /// The frozen set, when every red check has its accepted red on the tests as they are.
    fn freeze(
        &self,
        store: &Writer,
        holds: &BTreeMap<String, String>,
        found: &Findings<'_>,
        now: &World,
    ) -> Result<Option<Frozen>, Stop> {
        if self.desk.frozen.is_some() || !found.problems.is_empty() {
            return Ok(None);
        }
        let this = store.next_name(&self.stage.id);
        let mut checks = Vec::new();
        let mut cases = Vec::new();
        for check in red_checks(self.file) {
            if is_proved(found, check.id) {
                cases.extend(cases_of_run(found, check.id));
                checks.push(FrozenCheck {
                    id: check.id.to_owned(),
                    check_sha256: check.check_sha256,
                    record: this.clone(),
                });
            } else if let Some(record) = holds.get(check.id) {
                cases.extend(self.cases_of_record(record, check.id));
                let record = format!("{}.json", record.trim_end_matches(".json"));
                checks.push(FrozenCheck {
                    id: check.id.to_owned(),
                    check_sha256: check.check_sha256,
                    record,
                });
            } else {
                return Ok(None);
            }
        }
        Ok(Some(self.frozen(checks, cases, now)))
    }

    fn frozen(&self, checks: Vec<FrozenCheck>, inventory: Vec<InventoryCase>, now: &World) -> Frozen {
        let set = FrozenSet { repositories: frozen_now(&now.facts), inventory };
        Frozen::new(self.desk.task.task, clock::now(), self.file.sha256, checks, &set)
    }

    fn cases_of_record(&self, record: &str, check: &str) -> Vec<InventoryCase> {
        let name = record.trim_end_matches(".json");
        let record = self.desk.records.iter().find(|(of, _)| of == name).map(|(_, record)| record);
        let checks = record.into_iter().flat_map(|record| &record.checks).filter(|of| of.id == check);
        let reports: Vec<_> = checks.flat_map(|check| check.reports().unwrap_or_default()).collect();
        let reports: Vec<_> = reports.iter().filter_map(wire::Report::report).collect();
        inventory(check, &reports)
    }

    /// Takes plan and tests anew. Only what changed is proved again.
    fn rebind(
        &self,
        store: &mut Writer,
        before: World,
        reason: &str,
        out: &mut Output,
    ) -> Result<Exit, Stop> {
        let guards = self.stage.guards_of_a_rebind(&before);
        let mut found = Findings { problems: guards.problems, notes: guards.notes, ..Findings::default() };
        let red = red_checks(self.file);
        let frozen = self.desk.frozen.as_ref().map(|(set, _)| set);
        let tests = frozen_now(&before.facts);
        let was = store.frozen()?.map(|(frozen, _)| frozen);
        let takes = self.takes(store, was.as_ref(), frozen, &tests, &before)?;
        if !red.is_empty() {
            found.problems.extend(nothing_frozen(&tests));
        }

        let mut now = before;
        if found.problems.is_empty() && frozen.is_some() && !takes.prove.is_empty() {
            let checks = select(self.file, &takes.prove, Phase::Red)?;
            let batch = self.runner(&SeenInRed::default()).run(&checks, Phase::Red, &now)?;
            now = add_batch(&mut found, batch);
            found.problems.extend(self.stage.guards_of_a_rebind(&now).problems);
        }
        let accepted = found.problems.is_empty() && found.ran.iter().all(Ran::passed);
        let with = if accepted {
            self.rebound(store, &takes, was.as_ref(), &found, reason, &now)
        } else {
            Companions::default()
        };
        let (stored, evidence) = self.stage.record(store, &now, &found, &with)?;
        if found
            .ran
            .iter()
            .any(|ran| ran.verdict.problems.iter().any(|problem| problem.code == Code::IdentityPassed))
        {
            out.talk("a test whose product is there already has to be proved on the baseline's sources, which verify can't do yet");
        }
        show(&stored, &evidence, &found, if frozen.is_some() { "verify green" } else { "verify red" }, out);
        Ok(exit_of(&evidence, self.cancel.signal()))
    }

    /// What changed, and which reds stay valid.
    fn takes(
        &self,
        store: &Store,
        was: Option<&Frozen>,
        frozen: Option<&FrozenSet>,
        tests: &FrozenFiles,
        now: &World,
    ) -> Result<Rebind, Stop> {
        let mut reds: Vec<(String, Sha256, FrozenFiles)> = Vec::new();
        for check in was.into_iter().flat_map(|frozen| &frozen.checks) {
            let name = check.record.trim_end_matches(".json");
            if let Some((_, record)) = self.desk.records.iter().find(|(of, _)| of == name) {
                let files = tests_of(self.file, &store.maps(&record.files)?, now);
                reds.push((check.id.clone(), check.check_sha256, files));
            }
        }
        let valid: Vec<_> = reds
            .iter()
            .map(|(check, check_sha256, tests)| ValidRed { check, check_sha256: *check_sha256, tests })
            .collect();
        let none = FrozenFiles::new();
        let was = frozen.map_or(&none, |set| &set.repositories);
        Ok(rebind(&red_checks(self.file), &valid, was, tests))
    }

    /// The task and its frozen set after an accepted rebind.
    fn rebound(
        &self,
        store: &Writer,
        takes: &Rebind,
        was: Option<&Frozen>,
        found: &Findings<'_>,
        reason: &str,
        now: &World,
    ) -> Companions {
        let this = store.next_name(&self.stage.id);
        let mut task: Task = self.desk.task.clone();
        let mut changed: Vec<String> = takes.prove.iter().chain(&takes.dropped).cloned().collect();
        if task.plan.sha256 != self.file.sha256 {
            changed.push(self.file.name());
        }
        changed.extend(takes.changed.iter().map(|(_, change)| change.path.to_string()));
        task.plan = PlanRef { path: task.plan.path, ..self.file.reference() };
        task.rebinds.push(wire::Rebind {
            at: clock::now(),
            reason: reason.to_owned(),
            changed,
            record: this.clone(),
        });
        let frozen = was.map(|was| {
            let kept = was.checks.iter().filter(|check| takes.valid.contains(&check.id)).cloned();
            let proved = red_checks(self.file).into_iter().filter(|check| is_proved(found, check.id));
            let proved = proved.map(|check| FrozenCheck {
                id: check.id.to_owned(),
                check_sha256: check.check_sha256,
                record: this.clone(),
            });
            let mut cases: Vec<InventoryCase> = was
                .inventory
                .iter()
                .filter(|case| takes.valid.contains(&case.check))
                .map(InventoryCase::from)
                .collect();
            for check in &takes.prove {
                cases.extend(cases_of_run(found, check));
            }
            self.frozen(kept.chain(proved).collect(), cases, now)
        });
        Companions { frozen, task: Some(task) }
    }
}

/// Whether a check's red was accepted in this run.
fn is_proved(found: &Findings<'_>, check: &str) -> bool {
    found.problems.is_empty() && found.ran.iter().any(|ran| ran.check.id == check && ran.passed())
}

fn cases_of_run(found: &Findings<'_>, check: &str) -> Vec<InventoryCase> {
    let ran = found.ran.iter().filter(|ran| ran.check.id == check);
    ran.flat_map(|ran| inventory(check, &ran.reports)).collect()
}

/// Whether plan or frozen tests are not as they were taken.
fn is_tampering(code: Code) -> bool {
    matches!(
        code,
        Code::PlanChanged
            | Code::FrozenEdited
            | Code::FrozenAdded
            | Code::FrozenDeleted
            | Code::FrozenMode
            | Code::FrozenLink
            | Code::FrozenCase
            | Code::FrozenRefused
    )
}

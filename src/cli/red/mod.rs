//! `verify red`: the tests must fail on an assertion; then they are frozen.

mod freeze;
mod rebind;

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;

use freeze::is_proved;

use crate::cli::checks::{Runner, SeenInRed};
use crate::cli::desk::{self, Desk, red_checks};
use crate::cli::options::Global;
use crate::cli::output::Output;
use crate::cli::plan_file::{self, PlanFile};
use crate::cli::rules::Extent;
use crate::cli::stage::{Companions, Findings, Stage, StageArgs, add_batch, exit_of, select, show};
use crate::cli::world::{Looking, World};
use crate::cli::{Exit, Stop};
use crate::digest::Sha256;
use crate::judge::{Code, FrozenSet, nothing_frozen};
use crate::observe::process::Cancel;
use crate::plan::Phase;
use crate::record::store::Writer;
use crate::record::wire::Task;

/// Runs the red checks; they must fail on an assertion, and then the tests are frozen
#[derive(Debug, Args)]
pub(in crate::cli) struct Red {
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
pub(in crate::cli) fn run(
    red: &Red,
    global: &Global,
    out: &mut Output,
    cancel: &Cancel,
) -> Result<Exit, Stop> {
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
    let bytecode = desk.bytecode(&file);
    let (jobs, quiet) = (global.jobs, global.quiet);
    let this = This { file: &file, desk: &desk, stage, bytecode, cancel, jobs, quiet };
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
    bytecode: PathBuf,
    cancel: &'a Cancel,
    jobs: u16,
    quiet: bool,
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

        self.stage.rules(&before, Extent::Stage, &mut found)?;
        found.problems.extend(nothing_frozen(&FrozenSet::of(&before.facts, Vec::new())));
        let mut now = before;
        if found.problems.is_empty() {
            let seen = SeenInRed::default();
            let runner = self.runner(&seen);
            let batch = runner.run(&checks, Phase::Red, &now)?;
            now = add_batch(&mut found, batch);
            self.stage.end(&runner, &now, &mut found)?;
        }
        let frozen = self.freeze(store, &holds, &found, &now)?;
        let with = Companions { frozen, ..Companions::default() };
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
        let Self { file, desk, cancel, jobs, quiet, .. } = *self;
        let bytecode = &self.bytecode;
        Runner { file, desk, seen, read_all: false, copy: None, jobs, bytecode, cancel, quiet }
    }

    /// A resumed runner asks again: nothing has to run.
    fn already(&self, holds: &BTreeMap<String, String>, out: &mut Output) -> Result<Exit, Stop> {
        let held = |name: &String| holds.values().any(|held| held == name);
        let latest = self.desk.records.iter().rev().find(|(name, _)| held(name));
        if let Some((name, record)) = latest {
            let said = format!("red was accepted already: {}", name.trim_end_matches(".json"));
            if out.is_json() {
                out.talk(&said);
                out.json(record);
            } else {
                out.line(&said);
                out.talk("next: verify green");
            }
        }
        Ok(Exit::Good)
    }
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
            | Code::InfluenceAdded
            | Code::InfluenceChanged
            | Code::InfluenceDeleted
            | Code::InfluenceIsLocal
    )
}

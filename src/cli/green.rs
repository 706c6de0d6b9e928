//! `verify green`: runs the green checks and binds the evidence to the files.

use clap::Args;

use super::checks::{PassedInRed, Runner, SeenInRed};
use super::desk::{self, Desk};
use super::options::Global;
use super::output::Output;
use super::plan_file::{self, PlanFile};
use super::rules::Extent;
use super::stage::{Companions, Findings, Stage, StageArgs, add_batch, exit_of, select, show};
use super::world::{Looking, World};
use super::{Exit, Stop};
use crate::judge::{self, CheckStanding, reds_missing};
use crate::observe::process::Cancel;
use crate::plan::{Check, Phase};
use crate::record::wire;

/// Runs the green checks; they must pass, and the evidence is bound to the files
#[derive(Debug, Args)]
pub(super) struct Green {
    /// The checks; without any, all that have a green phase
    #[arg(value_name = "CHECK")]
    checks: Vec<String>,

    #[command(flatten)]
    stage: StageArgs,
}

/// Runs the command.
///
/// # Errors
/// No task, an unknown id, or something that can't be read or written.
pub(super) fn run(green: &Green, global: &Global, out: &mut Output, cancel: &Cancel) -> Result<Exit, Stop> {
    let file = plan_file::load(global)?;
    let mut store = desk::open(&file, global)?;
    let desk = Desk::take(&store)?;
    let checks = select(&file, &green.checks, Phase::Green)?;
    let stage = Stage::begin(&file, &desk, &store, &green.stage, "green", Some(Phase::Green))?;
    let before = World::look(&file, Looking { baseline_ignore: Some(&desk.ignore), read_all: false })?;

    let guards = stage.guards(&before, None);
    let mut found = Findings { problems: guards.problems, notes: guards.notes, ..Findings::default() };
    stage.rules(&before, Extent::Stage, &mut found)?;
    let standings = desk.standings(&store, &file, &before)?;
    found.problems.extend(reds_missing(&of_these(standings, &checks)));
    let mut now = before;
    if found.problems.is_empty() {
        let seen = seen_in_red(&desk, &file);
        let bytecode = desk.bytecode(&file);
        let runner = Runner {
            file: &file,
            desk: &desk,
            seen: &seen,
            read_all: false,
            copy: None,
            jobs: global.jobs,
            bytecode: &bytecode,
            cancel,
            quiet: global.quiet,
        };
        let batch = runner.run(&checks, Phase::Green, &now)?;
        now = add_batch(&mut found, batch);
        stage.end(&runner, &now, &mut found)?;
    }
    let (stored, evidence) = stage.record(&mut store, &now, &found, &Companions::default())?;
    show(&stored, &evidence, &found, "verify deliver", out);
    Ok(exit_of(&evidence, cancel.signal()))
}

/// Green is proved on tests that red saw fail: that is asked of the checks that are run.
fn of_these(standings: Vec<CheckStanding>, checks: &[&Check]) -> Vec<CheckStanding> {
    standings.into_iter().filter(|standing| checks.iter().any(|check| check.id == standing.id)).collect()
}

/// What red saw, by the frozen set and the records that it rests on.
pub(super) fn seen_in_red(desk: &Desk, file: &PlanFile) -> SeenInRed {
    let mut seen = SeenInRed::default();
    let Some(frozen) = &desk.frozen else { return seen };
    seen.inventory.clone_from(&frozen.set.inventory);
    for red in &frozen.document.checks {
        if file.plan.check(&red.id).is_none() {
            continue;
        }
        let Some(record) = desk.record(&red.record) else { continue };
        let check = record.checks.iter().find(|check| check.id == red.id);
        let reports = check.and_then(|check| check.all_reports().ok()).unwrap_or_default();
        let read: Vec<_> = reports.iter().filter_map(wire::Report::report).collect();
        seen.counted.extend(judge::counted(&read).into_iter().map(|id| (red.id.clone(), id)));
        for case in reports.iter().flat_map(|report| &report.cases) {
            if case.status == crate::record::wire::CaseStatus::Passed {
                let (check, id) = (red.id.clone(), case.id.clone());
                seen.passed.push(PassedInRed { check, id, id_sha256: case.id_sha256 });
            }
        }
    }
    seen
}

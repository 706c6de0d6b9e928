//! `verify replay`: are the frozen tests red again on the sources that the task began with?

mod proof;

use clap::Args;

use super::desk::{self, Desk, red_checks};
use super::green::seen_in_red;
use super::options::Global;
use super::output::Output;
use super::plan_file;
use super::stage::{Companions, Findings, Stage, StageArgs, exit_of, show};
use super::world::{Looking, World};
use super::{Exit, Stop};
use crate::judge::{self, Code, ReplayAnswer, reds_missing};
use crate::observe::process::Cancel;
use crate::plan::Phase;
use crate::record::wire;

pub(super) use proof::Proof;

/// Proves that the frozen tests are red again on the sources that the task began with
#[derive(Debug, Args)]
pub(super) struct Replay {}

/// Runs the command.
///
/// # Errors
/// No task, no red check, or something that can't be read or written.
pub(super) fn run(_: &Replay, global: &Global, out: &mut Output, cancel: &Cancel) -> Result<Exit, Stop> {
    let file = plan_file::load(global)?;
    let mut store = desk::open(&file, global)?;
    let desk = Desk::take(&store)?;
    if red_checks(&file).is_empty() {
        return Err(Stop::new(
            Code::NoRedCheck,
            "no check of the plan has a red phase, so there is none to replay",
        ));
    }
    let args = StageArgs { stage: None, claim: None };
    let stage = Stage::begin(&file, &desk, &store, &args, "replay", None)?;
    let look = || World::look(&file, Looking { baseline_ignore: Some(&desk.ignore), read_all: true });
    let now = look()?;
    let guards = stage.guards(&now, None);
    let mut found = Findings { problems: guards.problems, notes: guards.notes, ..Findings::default() };
    found.problems.extend(reds_missing(&desk.standings(&store, &file, &now)?));

    let mut answer = None;
    if found.problems.is_empty() {
        let checks: Vec<_> = file.plan.checks_in(Phase::Red).collect();
        let proof = Proof { stage: &stage, store: &store, now: &now, cancel, quiet: global.quiet };
        let replayed = proof.replay(&checks, &seen_in_red(&desk, &file))?;
        answer = Some(replayed.outcome.answer);
        found.problems.extend(replayed.outcome.problems);
        found.replayed = replayed.ran;
        let end = look()?;
        found.problems.extend(judge::tree_moved(&now.maps(), &end.facts));
    }
    found.replay = Some(wire::Replay { answer });
    let (stored, evidence) = stage.record(&mut store, &now, &found, &Companions::default())?;
    show(&stored, &evidence, &found, "verify deliver", out);
    Ok(match (answer, exit_of(&evidence, cancel.signal())) {
        (Some(ReplayAnswer::NotIsolated), Exit::Rejected) => Exit::State,
        (_, exit) => exit,
    })
}

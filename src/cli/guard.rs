//! `verify guard`: a stage without checks (review, docs): did it keep to what it may write?

use clap::Args;

use super::desk::{self, Desk};
use super::options::Global;
use super::output::Output;
use super::plan_file;
use super::rules::Extent;
use super::stage::{Companions, Findings, Stage, StageArgs, exit_of, show};
use super::world::{Looking, World};
use super::{Exit, Stop};

/// Looks at scope, HEAD, frozen tests and pre-existing changes after a stage without checks
#[derive(Debug, Args)]
pub(super) struct Guard {
    #[command(flatten)]
    stage: StageArgs,
}

/// Runs the command.
///
/// # Errors
/// No task, an unknown stage, or something that can't be read or written.
pub(super) fn run(guard: &Guard, global: &Global, out: &mut Output) -> Result<Exit, Stop> {
    let file = plan_file::load(global)?;
    let mut store = desk::open(&file, global)?;
    let desk = Desk::take(&store)?;
    let stage = Stage::begin(&file, &desk, &store, &guard.stage, "guard", None)?;
    let now = World::look(&file, Looking { baseline_ignore: Some(&desk.ignore), read_all: false })?;
    let guards = stage.guards(&now, None);
    let mut found = Findings { problems: guards.problems, notes: guards.notes, ..Findings::default() };
    stage.rules(&now, Extent::Stage, &mut found)?;
    let (stored, evidence) = stage.record(&mut store, &now, &found, &Companions::default())?;
    show(&stored, &evidence, &found, "verify status", out);
    Ok(exit_of(&evidence, None))
}

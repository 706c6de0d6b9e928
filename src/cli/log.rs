//! `verify log`: the records in order, and whether their chain is whole.

use clap::Args;

use super::options::Global;
use super::output::Output;
use super::plan_file;
use super::{Exit, Stop};
use crate::judge::Code;
use crate::present;
use crate::record::store::Store;

/// Lists the records in order, or checks their chain
#[derive(Debug, Args)]
pub(super) struct Log {
    /// Check that no record was edited, deleted, swapped or slipped in
    #[arg(long)]
    check: bool,
}

/// Runs the command.
///
/// # Errors
/// No plan, or a log that can't be read.
pub(super) fn run(log: &Log, global: &Global, out: &mut Output) -> Result<Exit, Stop> {
    let file = plan_file::load(global)?;
    let store = Store::open(&file.state_dir)?;
    if log.check {
        return check(&store, out);
    }
    if out.is_json() {
        out.json(&store.records());
    } else {
        for line in present::log::log(store.records()) {
            out.line(&line);
        }
    }
    Ok(Exit::Good)
}

fn check(store: &Store, out: &mut Output) -> Result<Exit, Stop> {
    let problems = store.check()?;
    if out.is_json() {
        out.json(&crate::record::wire::Problem::all(&problems));
    } else if problems.is_empty() {
        out.line(&format!("the chain is whole: {}", present::text::count(store.records().len(), "record")));
    } else {
        for line in present::problems::problems(&problems, &|_| None) {
            out.line(&line);
        }
    }
    let unreadable = problems.iter().any(|problem| problem.code != Code::ChainBroken);
    Ok(match (problems.is_empty(), unreadable) {
        (true, _) => Exit::Good,
        (false, true) => Exit::State,
        (false, false) => Exit::Rejected,
    })
}

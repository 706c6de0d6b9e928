//! `verify status`: where the task stands, what is stale and by which files, the next command.

use std::collections::BTreeMap;

use clap::Args;

use super::deliver::moved_since_green;
use super::desk::Desk;
use super::options::Global;
use super::output::Output;
use super::plan_file::{self, PlanFile};
use super::world::{Looking, World};
use super::{Exit, Stop};
use crate::judge::{CheckStanding, Progress, Standing, frozen_changes, influence_changes};
use crate::observe::facts::{FileChange, Weight};
use crate::plan::Phase;
use crate::present;
use crate::record::store::Store;
use crate::record::wire::{
    Answer, BaselineStatus, Change, CheckStatus, FrozenStatus, PlanStatus, RedStatus, Status as Document, tag,
};

/// Shows where the task stands, what is stale, and the next command
#[derive(Debug, Args)]
pub(super) struct Status {
    /// Leave with 1 when something is stale or missing
    #[arg(long)]
    exit_code: bool,
}

/// Runs the command.
///
/// # Errors
/// No plan, or something that can't be read.
pub(super) fn run(status: &Status, global: &Global, out: &mut Output) -> Result<Exit, Stop> {
    let file = plan_file::load(global)?;
    let store = Store::open_whole(&file.state_dir)?;
    let (document, complete) = match Desk::last(&store)? {
        Some(desk) => of_task(&file, &store, &desk)?,
        None => (before_the_first(&file), false),
    };
    if out.is_json() {
        out.json(&document);
    } else {
        for line in present::status::status(&document) {
            out.line(&line);
        }
    }
    Ok(if status.exit_code && !complete { Exit::Rejected } else { Exit::Good })
}

fn of_task(file: &PlanFile, store: &Store, desk: &Desk) -> Result<(Document, bool), Stop> {
    let now = World::look(file, Looking { baseline_ignore: Some(&desk.ignore), read_all: false })?;
    let standings = desk.standings(store, file, &now)?;
    let changed = frozen_changed(desk, &now);
    let plan_changed = desk.task.plan.sha256 != file.sha256;
    let progress = Progress {
        open: desk.task.open,
        plan_changed,
        frozen_intact: desk.frozen.as_ref().map(|_| changed.is_empty()),
        checks: &standings,
    };
    let accepted =
        |standing: &CheckStanding| matches!(standing.red, Standing::Accepted | Standing::NotNeeded);
    let waiting_for = standings.iter().filter(|standing| !accepted(standing));
    let waiting_for: Vec<String> = waiting_for.map(|standing| standing.id.clone()).collect();
    let green_done = |standing: &CheckStanding| match standing.green {
        Standing::NotNeeded => true,
        Standing::Accepted => standing.fresh,
        Standing::Rejected | Standing::Missing => false,
    };
    let document = Document {
        schema: tag::Status::V1,
        task: Some(desk.task.task),
        open: desk.task.open,
        plan: PlanStatus {
            path: file.path.to_string_lossy().into_owned(),
            sha256: Some(desk.task.plan.sha256),
            changed: plan_changed,
        },
        baseline: desk
            .task
            .baseline
            .iter()
            .map(|(id, then)| {
                let then =
                    BaselineStatus { head: then.head.clone(), branch: then.branch.clone(), at: then.at };
                (id.clone(), then)
            })
            .collect(),
        red: RedStatus {
            accepted: waiting_for.is_empty(),
            record: desk.reds().last().map(|(name, ..)| name.to_owned()),
            waiting_for,
        },
        frozen: FrozenStatus {
            sha256: desk.frozen.as_ref().map(|frozen| frozen.sha256),
            files: desk.frozen.as_ref().map_or(0, |frozen| frozen.document.len() as u64),
            intact: changed.is_empty(),
            changed,
        },
        checks: standings.iter().map(|standing| check_status(desk, standing)).collect(),
        fresh: standings.iter().all(green_done),
        stale: moved_since_green(desk, store, file, &now)?,
        rebinds: desk.task.rebinds.clone(),
        next: Some(progress.next()),
    };
    Ok((document, progress.is_complete()))
}

fn frozen_changed(desk: &Desk, now: &World) -> Vec<Change> {
    let Some(frozen) = &desk.frozen else { return Vec::new() };
    let mut changed = Vec::new();
    for facts in &now.facts {
        let then = frozen.set.repositories.get(&facts.id).map_or(&[][..], Vec::as_slice);
        let changes = frozen_changes(then, &facts.frozen);
        changed.extend(changes.iter().map(|change| Change::new(&facts.id, change)));
        let then = frozen.set.influence.get(&facts.id).map_or(&[][..], Vec::as_slice);
        let steering = influence_changes(then, &facts.influence);
        let steering = steering.iter().filter(|change| change.of.weight != Weight::Shared);
        changed.extend(steering.map(|change| {
            let path = change.of.entry.path.clone();
            Change::new(&facts.id, &FileChange { path, kind: change.kind })
        }));
    }
    changed
}

fn check_status(desk: &Desk, standing: &CheckStanding) -> CheckStatus {
    let latest = desk.latest(&standing.id, Phase::Green).or_else(|| desk.latest(&standing.id, Phase::Red));
    CheckStatus {
        id: standing.id.clone(),
        red: standing.red.into(),
        green: standing.green.into(),
        fresh: standing.fresh,
        record: latest.map(|(name, ..)| name.to_owned()),
    }
}

fn before_the_first(file: &PlanFile) -> Document {
    Document {
        schema: tag::Status::V1,
        task: None,
        open: false,
        plan: PlanStatus { path: file.path.to_string_lossy().into_owned(), sha256: None, changed: false },
        baseline: BTreeMap::new(),
        red: RedStatus { accepted: false, record: None, waiting_for: Vec::new() },
        frozen: FrozenStatus { sha256: None, files: 0, intact: true, changed: Vec::new() },
        checks: file
            .plan
            .checks
            .iter()
            .map(|check| {
                let answer =
                    |phase| if check.phases.contains(&phase) { Answer::Missing } else { Answer::NotNeeded };
                CheckStatus {
                    id: check.id.clone(),
                    red: answer(Phase::Red),
                    green: answer(Phase::Green),
                    fresh: false,
                    record: None,
                }
            })
            .collect(),
        fresh: false,
        stale: Vec::new(),
        rebinds: Vec::new(),
        next: Some("verify begin".to_owned()),
    }
}

impl From<Standing> for Answer {
    fn from(standing: Standing) -> Self {
        match standing {
            Standing::Accepted => Self::Accepted,
            Standing::Rejected => Self::Rejected,
            Standing::Missing => Self::Missing,
            Standing::NotNeeded => Self::NotNeeded,
        }
    }
}

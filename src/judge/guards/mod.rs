//! Rules on files and git facts that hold before and after every stage. One file a concern.
//!
//! A guard names what it found and leaves it as it is: nothing is reverted, deleted or stashed here.

mod after_run;
mod frozen;
mod git;
mod influence;
mod links;
mod plan_file;
mod preexisting;
mod scope;
mod shared;

use bstr::{BString, ByteSlice};
use redgreen_parsers::is_sliced_test;

use super::findings::Findings;
use super::frozen::{Baseline, FrozenSet, Maps};
use super::{Note, Place, Problem};
use crate::digest::Sha256;
use crate::observe::facts::{FileMap, RepositoryFacts};
use crate::plan::{Check, Plan};

pub use after_run::{after_run, tree_moved};
pub use frozen::frozen_changes;
pub use influence::{InfluenceChange, influence_changes};
pub use preexisting::to_adopt;
use shared::{owner, views};

/// All that guards look at.
#[derive(Debug, Clone, Copy)]
pub struct Guarded<'a> {
    /// The plan as it is read now.
    pub plan: &'a Plan,
    /// The plan's file.
    pub plan_file: PlanFile<'a>,
    /// What was there when the task began.
    pub baseline: &'a Baseline,
    /// What red froze; `None`: nothing yet.
    pub frozen: Option<&'a FrozenSet>,
    /// Whose change is looked at.
    pub scope: Scope<'a>,
    /// Each repository as it is now.
    pub now: &'a [RepositoryFacts],
}

/// The plan's file. It is protected by its own rule.
#[derive(Debug, Clone, Copy)]
pub struct PlanFile<'a> {
    /// Where it lies; `None`: outside every repository.
    pub place: Option<&'a Place>,
    /// Its content as the task took it, at `begin` or at the last rebind.
    pub taken: Sha256,
    /// Its content now.
    pub now: Sha256,
}

/// Whose change the scope rule looks at.
#[derive(Debug, Clone, Copy)]
pub enum Scope<'a> {
    /// A stage's own: from these maps to now.
    Stage {
        /// The stage's id, or the command's own word.
        id: &'a str,
        /// The file maps at its start: those of the last accepted record of this task, else the baseline's.
        start: &'a Maps,
    },
    /// The whole task's: from the baseline to now, against what any stage may write.
    Delivery,
}

/// What the guards found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Guards {
    /// Reasons to reject.
    pub problems: Vec<Problem>,
    /// What is worth knowing.
    pub notes: Vec<Note>,
}

/// Looks at everything that may not have moved.
#[must_use]
pub fn guards(guarded: &Guarded<'_>) -> Guards {
    let mut found = Findings::default();
    plan_file::judge(guarded, &mut found);
    for now in guarded.now {
        git::judge(guarded, now, &mut found);
        frozen::judge(guarded, now, &mut found);
        influence::judge(guarded, now, &mut found);
        scope::judge(guarded, now, &mut found);
        preexisting::judge(guarded, now, &mut found);
        links::judge(guarded, now, &mut found);
    }
    let (problems, notes) = found.into_parts();
    Guards { problems, notes }
}

impl Guarded<'_> {
    /// The file map at the start of the change that is looked at.
    fn start(&self, repository: &str) -> Option<&FileMap> {
        let of_stage = match self.scope {
            Scope::Stage { start, .. } => start.get(repository),
            Scope::Delivery => None,
        };
        // A record that doesn't hold a repository leaves what changed in it to be judged from the beginning.
        of_stage.or_else(|| self.baseline.repositories.get(repository).map(|facts| &facts.map))
    }

    fn is_plan_file(&self, now: &RepositoryFacts, path: &BString) -> bool {
        let Some(place) = self.plan_file.place else { return false };
        views(self.now, now, path)
            .any(|view| place.repository == view.of.id && place.path.as_ref() == Some(&view.path))
    }

    /// Whether the frozen rule speaks of this path. It compares whole sets, so all of `test_paths` is its own.
    fn is_frozen(&self, now: &RepositoryFacts, path: &BString) -> bool {
        let Some(frozen) = self.frozen else {
            return false;
        };
        views(self.now, now, path).any(|view| {
            let is_test =
                |path: &[u8]| self.plan.freeze.test_paths.matches(&view.of.id, path) && !is_sliced_test(path);
            view.below().is_some_and(is_test)
                || frozen.repositories.get(&view.of.id).is_some_and(|entries| {
                    entries.binary_search_by(|entry| entry.path.cmp(&view.path)).is_ok()
                })
        })
    }

    /// Whether a check of the plan may change this path.
    fn may_be_written_by_a_check(&self, now: &RepositoryFacts, path: &BString) -> bool {
        may_write(&self.plan.checks.iter().collect::<Vec<_>>(), self.now, now, path)
    }

    /// Whether this repository is the one that judges a path.
    fn owns(&self, now: &RepositoryFacts, path: &BString) -> bool {
        owner(self.plan, self.now, now, path).is_none_or(|owner| owner.id == now.id)
    }
}

/// Whether one of these checks may change this path.
fn may_write(checks: &[&Check], all: &[RepositoryFacts], now: &RepositoryFacts, path: &BString) -> bool {
    views(all, now, path).any(|view| {
        let Some(below) = view.below() else { return false };
        checks.iter().any(|check| check.repository == view.of.id && check.may_write.matches(below))
    })
}

/// A path in a sentence. Bytes that are no text are shown as U+FFFD; the problem's place holds them whole.
fn show(path: &[u8]) -> String {
    format!("`{}`", path.to_str_lossy())
}

/// The maps of these facts.
#[must_use]
pub fn maps_of(facts: &[RepositoryFacts]) -> Maps {
    facts.iter().map(|facts| (facts.id.clone(), facts.map.clone())).collect()
}

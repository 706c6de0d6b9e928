//! `verify red --rebind`: plan and tests are taken anew, and only what changed is proved again.

use super::This;
use super::freeze::{cases_of_run, is_proved};
use crate::cli::checks::{Ran, SeenInRed};
use crate::cli::desk::{Taken, red_checks, tests_of};
use crate::cli::output::Output;
use crate::cli::replay::Proof;
use crate::cli::rules::Extent;
use crate::cli::stage::{Companions, Findings, add_batch, exit_of, select, show};
use crate::cli::world::World;
use crate::cli::{Exit, Stop};
use crate::digest::Sha256;
use crate::judge::{
    FrozenFiles, FrozenSet, InventoryCase, Rebind, ReplayAnswer, ValidRed, influence_changed, nothing_frozen,
    passes, rebind,
};
use crate::observe::clock;
use crate::plan::{Check, Phase};
use crate::record::store::{Store, Writer};
use crate::record::wire::{self, FrozenCheck, PlanRef, Task};

impl This<'_> {
    /// Takes plan and tests anew. Only what changed is proved again.
    pub(super) fn rebind(
        &self,
        store: &mut Writer,
        before: World,
        reason: &str,
        out: &mut Output,
    ) -> Result<Exit, Stop> {
        let guards = self.stage.guards_of_a_rebind(&before);
        let mut found = Findings { problems: guards.problems, notes: guards.notes, ..Findings::default() };
        self.stage.rules(&before, Extent::Stage, &mut found)?;
        let red = red_checks(self.file);
        let was = self.desk.frozen.as_ref();
        let tests = FrozenSet::of(&before.facts, Vec::new());
        let takes = self.takes(store, was, &tests, &before)?;
        if !red.is_empty() {
            found.problems.extend(nothing_frozen(&tests));
        }

        let mut now = before;
        if found.problems.is_empty() && was.is_some() && !takes.prove.is_empty() {
            let checks = select(self.file, &takes.prove, Phase::Red)?;
            let batch = self.runner(&SeenInRed::default()).run(&checks, Phase::Red, &now)?;
            now = add_batch(&mut found, batch);
            found.problems.extend(self.stage.guards_of_a_rebind(&now).problems);
            self.prove_on_baseline(store, &mut found, &now)?;
        }
        let accepted = found.problems.is_empty() && found.ran.iter().all(Ran::passed);
        let with = if accepted {
            self.rebound(store, &takes, was, &found, reason, &now)
        } else {
            Companions::default()
        };
        let (stored, evidence) = self.stage.record(store, &now, &found, &with)?;
        show(&stored, &evidence, &found, if was.is_some() { "verify green" } else { "verify red" }, out);
        Ok(exit_of(&evidence, self.cancel.signal()))
    }

    /// Where the product is there already, the tests pass: they have to be red on the baseline's sources.
    fn prove_on_baseline<'p>(
        &self,
        store: &Store,
        found: &mut Findings<'p>,
        now: &World,
    ) -> Result<(), Stop> {
        let passing: Vec<&'p Check> =
            found.ran.iter().filter(|ran| passes(&ran.verdict)).map(|ran| ran.check).collect();
        if !found.problems.is_empty() || passing.is_empty() || self.cancel.signal().is_some() {
            return Ok(());
        }
        let Self { stage, cancel, quiet, .. } = self;
        let proof = Proof { stage, store, now, cancel, quiet: *quiet };
        let replayed = proof.replay(&passing, &SeenInRed::default())?;
        if replayed.outcome.answer == ReplayAnswer::RedAgain {
            found.ran.retain(|ran| !passing.iter().any(|check| check.id == ran.check.id));
            found.ran.extend(replayed.ran);
        }
        found.problems.extend(replayed.outcome.problems);
        Ok(())
    }

    /// What changed, and which reds stay valid.
    fn takes(
        &self,
        store: &Store,
        was: Option<&Taken>,
        now_frozen: &FrozenSet,
        now: &World,
    ) -> Result<Rebind, Stop> {
        let mut reds: Vec<(String, Sha256, FrozenFiles)> = Vec::new();
        for check in was.into_iter().flat_map(|frozen| &frozen.document.checks) {
            if let Some(record) = self.desk.record(&check.record) {
                let files = tests_of(self.file, &store.maps(&record.files)?, now);
                reds.push((check.id.clone(), check.check_sha256, files));
            }
        }
        let valid: Vec<_> = reds
            .iter()
            .map(|(check, check_sha256, tests)| ValidRed { check, check_sha256: *check_sha256, tests })
            .collect();
        let none = FrozenSet::default();
        let was = was.map_or(&none, |frozen| &frozen.set);
        let (changed, has_test) = influence_changed(&was.influence, &now_frozen.influence);
        let valid = if has_test { Vec::new() } else { valid };
        let mut takes = rebind(&red_checks(self.file), &valid, &was.repositories, &now_frozen.repositories);
        takes.changed.extend(changed);
        takes.changed.dedup();
        Ok(takes)
    }

    /// The task and its frozen set after an accepted rebind.
    fn rebound(
        &self,
        store: &Writer,
        takes: &Rebind,
        was: Option<&Taken>,
        found: &Findings<'_>,
        reason: &str,
        now: &World,
    ) -> Companions<'static> {
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
            let kept = was.document.checks.iter().filter(|check| takes.valid.contains(&check.id)).cloned();
            let proved = red_checks(self.file).into_iter().filter(|check| is_proved(found, check.id));
            let proved = proved.map(|check| FrozenCheck {
                id: check.id.to_owned(),
                check_sha256: check.check_sha256,
                record: this.clone(),
            });
            let kept_cases = was.set.inventory.iter().filter(|case| takes.valid.contains(&case.check));
            let mut cases: Vec<InventoryCase> = kept_cases.cloned().collect();
            for check in &takes.prove {
                cases.extend(cases_of_run(found, check));
            }
            self.frozen(kept.chain(proved).collect(), cases, now)
        });
        Companions { frozen, task: Some(task), attest: None }
    }
}

//! Freezing the tests, once every red check has its accepted red on them.

use std::collections::{BTreeMap, VecDeque};

use super::This;
use crate::cli::Stop;
use crate::cli::checks::Ran;
use crate::cli::desk::red_checks;
use crate::cli::stage::Findings;
use crate::cli::world::World;
use crate::digest::Sha256;
use crate::judge::{FrozenSet, InventoryCase, inventory};
use crate::observe::clock;
use crate::record::store::Writer;
use crate::record::wire::{self, CaseStatus, Frozen, FrozenCheck};

impl This<'_> {
    /// The frozen set, when every red check has its accepted red on the tests as they are.
    pub(super) fn freeze(
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
                checks.push(FrozenCheck {
                    id: check.id.to_owned(),
                    check_sha256: check.check_sha256,
                    record: record.clone(),
                });
            } else {
                return Ok(None);
            }
        }
        Ok(Some(self.frozen(checks, cases, now)))
    }

    pub(super) fn frozen(
        &self,
        checks: Vec<FrozenCheck>,
        inventory: Vec<InventoryCase>,
        now: &World,
    ) -> Frozen {
        let set = FrozenSet::of(&now.facts, inventory);
        Frozen::new(self.desk.task.task, clock::now(), self.file.sha256, checks, &set)
    }

    fn cases_of_record(&self, record: &str, check: &str) -> Vec<InventoryCase> {
        let checks = self
            .desk
            .record(record)
            .into_iter()
            .flat_map(|record| &record.checks)
            .filter(|of| of.id == check);
        let reports: Vec<_> = checks.flat_map(|check| check.all_reports().unwrap_or_default()).collect();
        let mut hashes: BTreeMap<&str, VecDeque<Sha256>> = BTreeMap::new();
        let failed = reports.iter().flat_map(|report| &report.cases);
        for case in failed.filter(|case| case.status == CaseStatus::Failed) {
            hashes.entry(&case.id).or_default().extend(case.id_sha256);
        }
        let parsed: Vec<_> = reports.iter().filter_map(wire::Report::report).collect();
        let mut cases = inventory(check, &parsed);
        for case in &mut cases {
            case.id_sha256 = hashes.get_mut(case.id.as_str()).and_then(VecDeque::pop_front);
        }
        cases
    }
}

/// Whether a check's red was accepted in this run.
pub(super) fn is_proved(found: &Findings<'_>, check: &str) -> bool {
    found.problems.is_empty() && found.ran.iter().any(|ran| ran.check.id == check && ran.passed())
}

pub(super) fn cases_of_run(found: &Findings<'_>, check: &str) -> Vec<InventoryCase> {
    let ran = found.ran.iter().filter(|ran| ran.check.id == check);
    ran.flat_map(Ran::failed_cases).collect()
}

//! `--sign-key` and `--verify-key`: the keys, and what is said in a signed delivery.

use std::collections::BTreeMap;
use std::path::Path;

use super::Stop;
use super::desk::Desk;
use super::plan_file::PlanFile;
use super::world::World;
use crate::judge::Code;
use crate::observe::git::{Git, Tree};
use crate::plan::Phase;
use crate::record::attest::{
    self, CheckProof, Delivery, GitTree, RecordName, SigningKey, TestResult, VerifyingKey, subjects,
};
use crate::record::store::{RecordRef, Store, StoreError};
use crate::record::wire::{CaseStatus, Evidence};

/// Reads a private key.
///
/// # Errors
/// It can't be read, or is none.
pub(super) fn signing_key(path: &Path) -> Result<SigningKey, Stop> {
    SigningKey::read(&text(path)?).map_err(|why| Stop::new(Code::BadOption, why.to_string()).on(path))
}

/// Reads a public key.
///
/// # Errors
/// It can't be read, or is none.
pub(super) fn verifying_key(path: &Path) -> Result<VerifyingKey, Stop> {
    VerifyingKey::read(&text(path)?).map_err(|why| Stop::new(Code::BadOption, why.to_string()).on(path))
}

fn text(path: &Path) -> Result<String, Stop> {
    std::fs::read_to_string(path)
        .map_err(|why| Stop::new(Code::BadOption, format!("the key can't be read: {why}")).on(path))
}

/// The trees that git would write of the files as they are, by repository.
///
/// # Errors
/// Git's data or a file can't be read.
pub(super) fn git_trees(now: &World) -> Result<BTreeMap<String, GitTree>, Stop> {
    let mut trees = BTreeMap::new();
    for facts in &now.facts {
        let git = facts.git.as_ref().map(|_| Git::of(facts)).transpose()?;
        let tree = match git {
            None => GitTree { id: None, note: Some("git isn't there".to_owned()) },
            Some(git) => match git.tree_of(&facts.map, &facts.nested)? {
                Tree::Id(id) => GitTree { id: Some(id), note: None },
                Tree::Unknown(why) => GitTree { id: None, note: Some(why) },
            },
        };
        trees.insert(facts.id.clone(), tree);
    }
    Ok(trees)
}

/// What a delivery is signed with, and what its statements tell beyond its record.
pub(super) struct Signing<'a> {
    pub(super) key: &'a SigningKey,
    pub(super) file: &'a PlanFile,
    pub(super) desk: &'a Desk,
    /// The trees that git would write, by repository.
    pub(super) trees: BTreeMap<String, GitTree>,
}

impl Signing<'_> {
    /// The signed statements about a delivery that is about to be stored.
    ///
    /// # Errors
    /// The file maps can't be read.
    pub(super) fn sign(
        &self,
        store: &Store,
        stored: &RecordRef,
        evidence: &Evidence,
    ) -> Result<Vec<u8>, StoreError> {
        let Self { key, file, desk, trees } = self;
        let proofs = Proofs { store, desk, this: (stored, evidence) };
        let delivery = Delivery {
            record: name_of(stored),
            task: evidence.task,
            finished_at: evidence.finished_at,
            tool: evidence.tool.clone(),
            environment: evidence.environment.clone(),
            plan_sha256: evidence.plan_sha256,
            frozen_sha256: evidence.frozen_sha256,
            rebinds: evidence.rebinds,
            fingerprint: evidence.fingerprint,
            fingerprints: evidence.fingerprints.clone(),
            git_tree: trees.clone(),
            checks: file.plan.checks.iter().map(|check| proofs.of(&check.id, check.sha256())).collect(),
            left_out: evidence.left_out.clone(),
            freeze_allow: evidence.freeze_allow.clone(),
            guard_ignore: evidence.guard_ignore.clone(),
        };
        let tests = file.plan.checks_in(Phase::Green).flat_map(|check| proofs.passed(&check.id)).collect();
        let result = TestResult::passed(file.name(), evidence.plan_sha256, tests);
        // The maps as they are kept: what was taken out of a name there is taken out here.
        let subjects = subjects(&store.maps(&evidence.files)?, &evidence.fingerprints, &delivery.git_tree);
        attest::sign(key, &subjects, &result, &delivery)
            .map_err(|why| StoreError::Unwritable { path: stored.path.clone(), source: why.into() })
    }
}

/// What proved the checks of a delivery.
struct Proofs<'a> {
    store: &'a Store,
    desk: &'a Desk,
    /// The delivery's own record, which holds what was run again.
    this: (&'a RecordRef, &'a Evidence),
}

impl Proofs<'_> {
    fn of(&self, id: &str, check_sha256: crate::digest::Sha256) -> CheckProof {
        let again = self.this.1.checks.iter().any(|check| check.id == id);
        let green = if again { Some(name_of(self.this.0)) } else { self.named(id, Phase::Green) };
        let frozen = self.desk.frozen.iter().flat_map(|frozen| &frozen.document.checks);
        let red = frozen.filter(|check| check.id == id).find_map(|check| self.record(&check.record));
        CheckProof { id: id.to_owned(), check_sha256, red, green }
    }

    fn named(&self, check: &str, phase: Phase) -> Option<RecordName> {
        self.desk
            .latest(check, phase)
            .and_then(|(name, _, accepted)| accepted.then(|| self.record(name)).flatten())
    }

    fn record(&self, name: &str) -> Option<RecordName> {
        let line = self.store.find(name)?;
        Some(RecordName { name: line.record.clone(), sha256: line.sha256 })
    }

    /// The tests that passed in the green that counts, each behind the id of its check.
    fn passed(&self, check: &str) -> Vec<String> {
        let own = Some(self.this.1).filter(|record| record.checks.iter().any(|of| of.id == check));
        let record = own.or_else(|| self.desk.latest(check, Phase::Green).map(|(_, record, _)| record));
        let judged = record.iter().flat_map(|record| &record.checks).filter(|of| of.id == check);
        let reports: Vec<_> = judged.flat_map(|check| check.reports().unwrap_or_default()).collect();
        let cases = reports.iter().flat_map(|report| &report.cases);
        let passed = cases.filter(|case| case.status == CaseStatus::Passed);
        passed.map(|case| format!("{check}: {}", case.id)).collect()
    }
}

fn name_of(stored: &RecordRef) -> RecordName {
    RecordName { name: stored.name.clone(), sha256: stored.sha256 }
}

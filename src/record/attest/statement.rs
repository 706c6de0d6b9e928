//! What is said in a signed statement: <https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md>.

use std::collections::BTreeMap;

use bstr::ByteSlice;
use serde::Serialize;

use crate::digest::Sha256;
use crate::judge::{Fingerprints, Maps};
use crate::observe::facts::{EntryKind, Timestamp};
use crate::record::wire::{Environment, TaskNumber, Tool};

/// The type of a statement.
pub(super) const STATEMENT: &str = "https://in-toto.io/Statement/v1";

/// What was tested, as in-toto says it.
pub const TEST_RESULT: &str = "https://in-toto.io/attestation/test-result/v0.1";

/// How it was proved. A name; nothing is to be fetched there.
pub const DELIVERY: &str = "urn:redgreen:delivery:1";

/// A statement about files.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Statement<'a, P> {
    #[serde(rename = "_type")]
    kind: &'static str,
    subject: &'a [Subject],
    predicate_type: &'static str,
    predicate: &'a P,
}

impl<'a, P: Serialize> Statement<'a, P> {
    /// What is said of these files.
    #[must_use]
    pub const fn new(subject: &'a [Subject], predicate_type: &'static str, predicate: &'a P) -> Self {
        Self { kind: STATEMENT, subject, predicate_type, predicate }
    }
}

/// What a statement is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Subject {
    /// A file's path below its repository, behind the repository's id where there are several; or that id.
    pub name: String,
    /// Hashes by the names of their algorithms.
    pub digest: BTreeMap<&'static str, String>,
}

/// The tree that git would write of a repository's files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GitTree {
    /// Its id; `null`: nobody knows.
    pub id: Option<String>,
    /// Why nobody knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The subjects of a delivery: each repository as a whole, then each of its files. What a link points to is in the
/// repository's fingerprint, and no subject of its own.
#[must_use]
pub fn subjects(maps: &Maps, fingerprints: &Fingerprints, trees: &BTreeMap<String, GitTree>) -> Vec<Subject> {
    let mut subjects = Vec::new();
    for (id, fingerprint) in fingerprints {
        let mut digest = BTreeMap::from([("redgreenFingerprintV1", fingerprint.to_string())]);
        if let Some(tree) = trees.get(id).and_then(|tree| tree.id.clone()) {
            digest.insert("gitTree", tree);
        }
        subjects.push(Subject { name: id.clone(), digest });
    }
    let several = maps.len() > 1;
    for (id, map) in maps {
        let files = map.entries().iter();
        let files = files.filter(|entry| matches!(entry.kind, EntryKind::File | EntryKind::Executable));
        subjects.extend(files.map(|entry| {
            let path = entry.path.to_str_lossy();
            let name = if several { format!("{id}/{path}") } else { path.into_owned() };
            Subject { name, digest: BTreeMap::from([("sha256", entry.sha256.to_string())]) }
        }));
    }
    subjects
}

/// The predicate [`TEST_RESULT`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestResult {
    /// `PASSED`: only accepted deliveries are signed.
    pub result: &'static str,
    /// What steered the run: the plan.
    pub configuration: Vec<Subject>,
    /// The tests that passed, each behind the id of its check.
    pub passed_tests: Vec<String>,
    /// Those that passed with something to say; none is told apart.
    pub warned_tests: Vec<String>,
    /// Those that failed: none.
    pub failed_tests: Vec<String>,
}

impl TestResult {
    /// Everything passed under this plan.
    #[must_use]
    pub fn passed(plan: String, plan_sha256: Sha256, tests: Vec<String>) -> Self {
        let digest = BTreeMap::from([("sha256", plan_sha256.to_string())]);
        Self {
            result: "PASSED",
            configuration: vec![Subject { name: plan, digest }],
            passed_tests: tests,
            warned_tests: Vec::new(),
            failed_tests: Vec::new(),
        }
    }
}

/// The predicate [`DELIVERY`]. Its words are those of a record.
#[derive(Debug, Clone, Serialize)]
pub struct Delivery {
    /// The delivery's record; it names the one before it, and so on.
    pub record: RecordName,
    /// The task.
    pub task: TaskNumber,
    /// When it was accepted.
    pub finished_at: Timestamp,
    /// What proved it.
    pub tool: Tool,
    /// Where.
    pub environment: Environment,
    /// The plan.
    pub plan_sha256: Sha256,
    /// What red froze.
    pub frozen_sha256: Option<Sha256>,
    /// How often plan and tests were taken anew.
    pub rebinds: u32,
    /// The state of the files.
    pub fingerprint: Sha256,
    /// The same by repository.
    pub fingerprints: Fingerprints,
    /// What git would write of them, by repository.
    pub git_tree: BTreeMap<String, GitTree>,
    /// What proved each check.
    pub checks: Vec<CheckProof>,
    /// What was passed over.
    pub left_out: Vec<String>,
    /// The plan's list of influence files that may change.
    pub freeze_allow: Vec<String>,
    /// The plan's list of what never counts.
    pub guard_ignore: Vec<String>,
}

/// A record by its name and hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecordName {
    /// Its file name.
    pub name: String,
    /// The hash of its bytes.
    pub sha256: Sha256,
}

/// What proved a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckProof {
    /// Its id.
    pub id: String,
    /// The hash of its definition.
    pub check_sha256: Sha256,
    /// The record of its accepted red; `null` where it has no red phase.
    pub red: Option<RecordName>,
    /// The record of its latest accepted green.
    pub green: Option<RecordName>,
}

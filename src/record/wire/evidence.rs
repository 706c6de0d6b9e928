//! A record: a verdict with all that it rests on.

use std::collections::BTreeMap;

use bstr::ByteSlice;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Change, Check, PathText, Problem, TaskNumber, tag};
use crate::digest::Sha256;
use crate::judge::{self, ReplayAnswer};
use crate::observe::facts::Hashed;
use crate::observe::facts::Timestamp;
use crate::plan::Phase;

/// The record of one attempt at a stage.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// `redgreen/evidence/1`
    pub schema: tag::Evidence,
    /// The task that it belongs to. Filled in when it is stored.
    pub task: TaskNumber,
    /// The stage.
    pub stage: String,
    /// Which attempt at this stage in this task, from 1. Filled in when it is stored.
    pub attempt: u32,
    /// What was judged; `null` in guard, deliver and replay records.
    pub phase: Option<Phase>,
    /// When the attempt began.
    pub started_at: Timestamp,
    /// When its verdict stood.
    pub finished_at: Timestamp,
    /// What wrote it.
    pub tool: Tool,
    /// Where it ran.
    pub environment: Environment,
    /// The hash of the plan's bytes.
    pub plan_sha256: Sha256,
    /// The hash of the frozen set; `null` before the freeze. Filled in when it is stored.
    pub frozen_sha256: Option<Sha256>,
    /// How many rebinds the task has had, this one counted. Filled in when it is stored.
    pub rebinds: u32,
    /// The stage's own change: the paths by repository, with U+FFFD for what isn't UTF-8.
    pub changes: BTreeMap<String, Vec<String>>,
    /// The checks that ran.
    pub checks: Vec<Check>,
    /// Every reason to reject beyond those of the checks.
    pub problems: Vec<Problem>,
    /// What is worth knowing beyond the checks.
    pub notes: Vec<Problem>,
    /// What rules and the secret detector found in the added lines.
    pub rules: Vec<Rule>,
    /// The state of the files, in one hash.
    pub fingerprint: Sha256,
    /// The same by repository.
    pub fingerprints: BTreeMap<String, Sha256>,
    /// The file map that the fingerprint is of.
    pub files: FilesRef,
    /// Whether every file was read.
    pub hashed: Hashed,
    /// What was passed over.
    pub left_out: Vec<String>,
    /// The plan's list of influence files that may change.
    pub freeze_allow: Vec<String>,
    /// The plan's list of what never counts.
    pub guard_ignore: Vec<String>,
    /// What the worker said. It never counts.
    pub claim: Option<Claim>,
    /// Whether it was accepted.
    pub passed: bool,
    /// The hash of the finished record before this one. Filled in when it is stored.
    pub previous: Option<Sha256>,
    /// What a delivery says beyond that. These keys are there in `deliver` records only.
    #[serde(flatten)]
    pub delivery: Option<Delivery>,
    /// What a replay says beyond that. This key is there in `replay` records only.
    #[serde(flatten)]
    pub replay: Option<Replay>,
}

/// What wrote a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    /// `redgreen`
    pub name: String,
    /// Its version.
    pub version: String,
}

impl Tool {
    /// This program.
    #[must_use]
    pub fn this() -> Self {
        Self { name: env!("CARGO_PKG_NAME").to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
    }
}

/// Where a record was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Environment {
    /// The operating system: `linux`, `macos`, `windows`.
    pub os: String,
    /// The processor: `x86_64`, `aarch64`.
    pub arch: String,
}

impl Environment {
    /// This machine.
    #[must_use]
    pub fn this() -> Self {
        Self { os: std::env::consts::OS.to_owned(), arch: std::env::consts::ARCH.to_owned() }
    }
}

/// A file map of the state folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FilesRef {
    /// The hash of its bytes.
    pub sha256: Sha256,
    /// Its path below the state folder.
    pub path: String,
}

/// What a rule, or the secret detector, found in an added line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rule {
    /// The rule's id; `secret:<kind>` for a secret.
    pub id: String,
    /// `blocking` or `advisory`.
    pub level: String,
    /// The repository's id.
    pub repository: String,
    /// Below its root, with U+FFFD for what isn't UTF-8.
    pub path: String,
    /// The path's bytes in hex. Only there when the path isn't UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_hex: Option<String>,
    /// The line in the file, from 1.
    pub line: u32,
    /// What to do about it.
    pub message: String,
    /// What names this finding, wherever its line moves.
    pub fingerprint: String,
}

impl From<&judge::RuleFinding> for Rule {
    fn from(finding: &judge::RuleFinding) -> Self {
        let PathText { path, path_hex } = PathText::new(finding.path.as_bstr());
        Self {
            id: finding.id.clone(),
            level: finding.level.word().to_owned(),
            repository: finding.repository.clone(),
            path,
            path_hex,
            line: finding.line,
            message: finding.message.clone(),
            fingerprint: finding.fingerprint.clone(),
        }
    }
}

/// What a worker said of its own work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    /// The file that held it.
    pub path: String,
    /// The hash of that file.
    pub sha256: Sha256,
    /// Its text, up to 1 KiB.
    pub text: String,
}

/// What a delivery says beyond other records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Delivery {
    /// The files that had moved since the evidence.
    pub stale: Vec<Change>,
    /// The checks that were run again.
    pub reran: Vec<String>,
    /// What the gate saw; `null` when it wasn't asked.
    pub gate: Option<super::DeliveryGate>,
    /// What came of the replay; this key is there where one was asked for and it came to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<ReplayAnswer>,
}

/// What a replay says beyond other records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Replay {
    /// Whether the tests are red again on the baseline's sources; `null`: something else stood in the way.
    #[serde(deserialize_with = "Option::deserialize")]
    pub answer: Option<ReplayAnswer>,
}

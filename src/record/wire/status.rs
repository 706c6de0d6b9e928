//! What `verify status` prints.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Change, Rebind, TaskNumber, tag};
use crate::digest::Sha256;
use crate::observe::facts::Timestamp;

/// Where the task stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Status {
    /// `redgreen/status/1`
    pub schema: tag::Status,
    /// The task's number; `null` before the first.
    pub task: Option<TaskNumber>,
    /// Whether it is still to be delivered.
    pub open: bool,
    /// The plan.
    pub plan: PlanStatus,
    /// What the task began with, by repository.
    pub baseline: BTreeMap<String, BaselineStatus>,
    /// The red phase.
    pub red: RedStatus,
    /// The frozen set.
    pub frozen: FrozenStatus,
    /// The checks, in the plan's order.
    pub checks: Vec<CheckStatus>,
    /// Whether every green that was accepted was so on the files as they are.
    pub fresh: bool,
    /// The files that moved since.
    pub stale: Vec<Change>,
    /// Every rebind of the task.
    pub rebinds: Vec<Rebind>,
    /// The next command; `null` when there is nothing left to do.
    pub next: Option<String>,
}

/// The plan of the task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanStatus {
    /// Where it lies.
    pub path: String,
    /// The hash of its bytes as the task bound them; `null` without a task.
    pub sha256: Option<Sha256>,
    /// Whether its bytes are others now.
    pub changed: bool,
}

/// What a repository began with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BaselineStatus {
    /// The commit of HEAD.
    pub head: Option<String>,
    /// The branch.
    pub branch: Option<String>,
    /// When this was seen.
    pub at: Timestamp,
}

/// The red phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RedStatus {
    /// Whether every red check has an accepted red.
    pub accepted: bool,
    /// The last accepted red record.
    pub record: Option<String>,
    /// The checks whose red is still to be accepted.
    pub waiting_for: Vec<String>,
}

/// The frozen set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FrozenStatus {
    /// The hash of the frozen set; `null` before the freeze.
    pub sha256: Option<Sha256>,
    /// How many files it holds.
    pub files: u64,
    /// Whether all of them are as they were.
    pub intact: bool,
    /// Those that aren't.
    pub changed: Vec<Change>,
}

/// Where a check stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckStatus {
    /// Its id.
    pub id: String,
    /// Its red.
    pub red: Answer,
    /// Its green.
    pub green: Answer,
    /// Whether its green was seen on the files as they are.
    pub fresh: bool,
    /// Its latest record.
    pub record: Option<String>,
}

/// What became of a check in a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// The latest attempt was accepted.
    Accepted,
    /// The latest attempt was rejected.
    Rejected,
    /// There was no attempt.
    Missing,
    /// The plan doesn't ask for it.
    NotNeeded,
}

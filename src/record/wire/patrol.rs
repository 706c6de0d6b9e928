//! What `verify patrol` writes and prints.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::tag;
use crate::digest::Sha256;
use crate::judge::patrol;
use crate::observe::facts::Timestamp;
use crate::observe::facts::claims::{Dialect, Rerun};

/// What is true of a claim: `<name>.verdict.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimVerdict {
    /// `redgreen/verdict/1`
    pub schema: tag::ClaimVerdict,
    /// The name of the claim's file.
    pub claim: String,
    /// The hash of its bytes.
    pub claim_sha256: Sha256,
    /// Which shape it has: `documented`, `worker` or `oracle`.
    pub dialect: String,
    /// The word of its `status`; `null` when it has none.
    pub claimed: Option<String>,
    /// What is true: `done_clean`, `pending`, `failed` or `blocked`.
    pub status: String,
    /// Whether it was rejected.
    pub reopened: bool,
    /// What became of the verify command when it was run again: `passed`, `failed` or `not-run`.
    pub rerun: String,
    /// The conditions of a claim of done; empty when it can't be read.
    pub conditions: Vec<Condition>,
    /// Every reason to reject it, and what else somebody should know.
    pub problems: Vec<ClaimProblem>,
    /// What it says is still to be done, as it says it.
    pub pending_actions: Vec<Value>,
    /// The part that keeps it from being done; `null`: none does.
    pub broken_rung: Option<String>,
    /// When this was judged. A verdict that stays the same keeps it.
    pub judged_at: Timestamp,
}

/// A condition of a claim of done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Condition {
    /// Which.
    pub id: String,
    /// `pass`, `fail` or `unknown`.
    pub result: String,
    /// Who says so: `claim`, `brief` or `observed`.
    pub source: String,
    /// Why, in a sentence.
    pub detail: String,
}

/// A reason to reject a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimProblem {
    /// Which.
    pub code: String,
    /// What, and on what.
    pub message: String,
}

/// What a cycle of `verify patrol` found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Patrol {
    /// `redgreen/patrol/1`
    pub schema: tag::Patrol,
    /// How many claims came to which status.
    pub counts: BTreeMap<String, u64>,
    /// How many claims are what they said.
    pub stand: u64,
    /// How many files didn't parse and are tried again.
    pub waiting: u64,
    /// The verdicts, in order of the claims' names: with `--watch` those that changed.
    pub verdicts: Vec<ClaimVerdict>,
    /// What is wrong beside the claims: scopes, questions, briefs that can't be read.
    pub problems: Vec<ClaimProblem>,
    /// Keys of claims that nothing here reads, by claim.
    pub unknown: BTreeMap<String, Vec<String>>,
}

/// What a patrol keeps from cycle to cycle: `.patrol.json` beside the verdicts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PatrolState {
    /// `redgreen/patrol-state/1`
    pub schema: tag::PatrolState,
    /// In how many cycles a claim was rejected for which code.
    pub rejected: BTreeMap<String, BTreeMap<String, u32>>,
}

impl ClaimVerdict {
    /// The verdict on a claim. `rerun` and the problems beside the judge's own are the caller's.
    #[must_use]
    pub fn new(claim: Claimed, judged: &patrol::Judged, judged_at: Timestamp) -> Self {
        Self {
            schema: tag::ClaimVerdict::V1,
            claim: claim.file,
            claim_sha256: claim.sha256,
            dialect: match claim.dialect {
                Dialect::Documented => "documented",
                Dialect::Worker => "worker",
                Dialect::Oracle => "oracle",
            }
            .to_owned(),
            claimed: claim.status,
            status: judged.status.word().to_owned(),
            reopened: judged.is_rejected(),
            rerun: match claim.rerun {
                Rerun::NotRun => "not-run",
                Rerun::Passed => "passed",
                Rerun::Failed(_) => "failed",
            }
            .to_owned(),
            conditions: judged.conditions.iter().map(Condition::from).collect(),
            problems: judged.reasons.iter().map(ClaimProblem::from).collect(),
            pending_actions: judged.pending_actions.clone(),
            broken_rung: judged.broken_rung.clone(),
            judged_at,
        }
    }

    /// Whether it is exactly what was claimed.
    #[must_use]
    pub fn stands(&self) -> bool {
        !self.reopened && self.claimed.as_deref() == Some(&self.status)
    }
}

/// Whose verdict it is.
#[derive(Debug, Clone)]
pub struct Claimed {
    /// The name of the claim's file.
    pub file: String,
    /// The hash of its bytes.
    pub sha256: Sha256,
    /// Which shape it has.
    pub dialect: Dialect,
    /// The word of its status.
    pub status: Option<String>,
    /// What became of the verify command.
    pub rerun: Rerun,
}

impl From<&patrol::Condition> for Condition {
    fn from(condition: &patrol::Condition) -> Self {
        let result = match condition.holds {
            patrol::Holds::Pass => "pass",
            patrol::Holds::Fail => "fail",
            patrol::Holds::Unknown => "unknown",
        };
        let source = match condition.source {
            patrol::Source::Claim => "claim",
            patrol::Source::Brief => "brief",
            patrol::Source::Observed => "observed",
        };
        Self {
            id: condition.id.word().to_owned(),
            result: result.to_owned(),
            source: source.to_owned(),
            detail: condition.detail.clone(),
        }
    }
}

impl From<&patrol::Reason> for ClaimProblem {
    fn from(reason: &patrol::Reason) -> Self {
        Self { code: reason.code.word().to_owned(), message: reason.message.clone() }
    }
}

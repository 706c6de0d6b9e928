//! Claims of others: from what they say, what was asked for and what was seen to what is true.
//!
//! [`judge`] looks at one claim, [`ladder`] at parents and their parts, [`overlaps`] at scopes, [`Cycles`] at what is
//! rejected again and again.

mod asked;
mod briefs;
mod claim;
mod gates;
mod ladder;
mod owned;
mod scopes;
mod stuck;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde_json::Value;

use super::Code;
use crate::observe::facts::claims::{Brief, Claim, Dialect, Seen};

pub use briefs::{Briefs, Named};
pub use claim::{judge, unparseable};
pub use ladder::{Rung, ladder};
pub use scopes::{Overlap, overlaps};
pub use stuck::{Count, Cycles};

/// What has to hold for a claim of done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is described where it is judged")]
pub enum ConditionId {
    VerifyCommand,
    Gates,
    Regressions,
    Ownership,
    Ship,
    IndependentGrader,
    RealFlow,
    Commit,
}

/// Whether a condition holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// It does.
    Pass,
    /// It doesn't.
    Fail,
    /// Nothing says.
    Unknown,
}

/// Who says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The claim alone.
    Claim,
    /// The brief, or what it asks for.
    Brief,
    /// It was seen.
    Observed,
}

/// A condition, judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// Which.
    pub id: ConditionId,
    /// Whether it holds.
    pub holds: Holds,
    /// Who says so.
    pub source: Source,
    /// Why, in a sentence.
    pub detail: String,
}

/// What is true of a claim; from best to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Everything that was asked for holds.
    DoneClean,
    /// Work remains, or something isn't known.
    Pending,
    /// It waits for somebody.
    Blocked,
    /// Something that was seen or said is wrong.
    Failed,
}

/// A reason to reject a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// Which.
    pub code: Code,
    /// What, and on what.
    pub message: String,
    /// What the claim can be at best.
    pub at_best: Status,
}

/// What is true of a claim.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// What it is.
    pub status: Status,
    /// The conditions, always all of them.
    pub conditions: Vec<Condition>,
    /// Every reason to reject it.
    pub reasons: Vec<Reason>,
    /// What it says is still to be done.
    pub pending_actions: Vec<Value>,
    /// The part that keeps it from being done.
    pub broken_rung: Option<String>,
}

/// A claim with what belongs to it.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// What it says.
    pub claim: &'a Claim,
    /// In which shape.
    pub dialect: Dialect,
    /// What was asked for.
    pub brief: Option<&'a Brief>,
    /// What was seen.
    pub seen: &'a Seen,
    /// The least scores.
    pub thresholds: &'a Thresholds,
}

/// The least scores of gates that no brief names one for.
#[derive(Debug, Clone, PartialEq)]
pub struct Thresholds {
    /// By gate, from the audits: these win over the brief's. Of an audit that can't be read, why.
    pub audits: BTreeMap<String, Result<f64, String>>,
    /// Of any other.
    pub default: f64,
}

impl ConditionId {
    /// The condition as it stands in JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::VerifyCommand => "verify_command",
            Self::Gates => "gates",
            Self::Regressions => "regressions",
            Self::Ownership => "ownership",
            Self::Ship => "ship",
            Self::IndependentGrader => "independent_grader",
            Self::RealFlow => "real_flow",
            Self::Commit => "commit",
        }
    }
}

impl Status {
    /// The status as it stands in JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::DoneClean => "done_clean",
            Self::Pending => "pending",
            Self::Blocked => "blocked",
            Self::Failed => "failed",
        }
    }

    /// The status of this word.
    #[must_use]
    pub fn find(word: &str) -> Option<Self> {
        [Self::DoneClean, Self::Pending, Self::Blocked, Self::Failed]
            .into_iter()
            .find(|status| status.word() == word)
    }
}

impl Judged {
    /// Whether it is exactly what was claimed.
    #[must_use]
    pub fn stands(&self, claimed: Option<&str>) -> bool {
        claimed == Some(self.status.word()) && !self.is_rejected()
    }

    /// Whether there is a reason to reject it.
    #[must_use]
    pub fn is_rejected(&self) -> bool {
        !self.reasons.is_empty()
    }

    /// Adds a reason, and lowers the claim to what it can be at best.
    pub fn reject(&mut self, reason: Reason) {
        self.status = self.status.max(reason.at_best);
        self.reasons.push(reason);
    }
}

impl Reason {
    /// Something contradicts what was seen or said.
    pub(super) fn lie(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), at_best: Status::Failed }
    }

    /// Something is missing.
    pub(super) fn absence(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), at_best: Status::Pending }
    }
}

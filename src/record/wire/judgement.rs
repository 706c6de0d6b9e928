//! What `verify parse --judge` prints.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Lines, tag};
use crate::judge;
use crate::plan::Phase;

/// A report and what to think of it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Judgement {
    /// `redgreen/judgement/1`
    pub schema: tag::Judgement,
    /// A `redgreen/report/1`, or a `redgreen/reports/1` when the output holds several sessions.
    #[schemars(with = "super::report::OneOrMany")]
    pub report: Box<RawValue>,
    /// Accepted or rejected.
    pub verdict: Verdict,
}

impl Judgement {
    /// This report, which [`super::raw_reports`] makes, with this verdict.
    #[must_use]
    pub fn new(report: Box<RawValue>, verdict: &judge::Verdict) -> Self {
        Self { schema: tag::Judgement::V1, report, verdict: Verdict::from(verdict) }
    }
}

/// Accepted or rejected, with every reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// What was judged.
    pub phase: Phase,
    /// Whether there is no reason to reject.
    pub accepted: bool,
    /// Every reason to reject.
    pub problems: Vec<Remark>,
    /// What is worth knowing.
    pub notes: Vec<Remark>,
}

/// A reason or a note about an output, which has no repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Remark {
    /// Which one.
    pub code: String,
    /// One sentence.
    pub message: String,
    /// Where the transcript says so.
    pub lines: Option<Lines>,
}

impl From<&judge::Problem> for Remark {
    fn from(problem: &judge::Problem) -> Self {
        Self {
            code: problem.code.word().to_owned(),
            message: problem.message.clone(),
            lines: problem.lines.map(Lines::from),
        }
    }
}

impl From<&judge::Verdict> for Verdict {
    fn from(verdict: &judge::Verdict) -> Self {
        Self {
            phase: verdict.phase,
            accepted: verdict.accepted(),
            problems: verdict.problems.iter().map(Remark::from).collect(),
            notes: verdict.notes.iter().map(Remark::from).collect(),
        }
    }
}

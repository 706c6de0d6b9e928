//! What the conditions find: their results, the reasons to reject, and whether something that was asked for isn't known.

use super::{Condition, ConditionId, Holds, Reason, Source};
use crate::judge::Code;

/// The conditions of one claim, while they are judged.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) conditions: Vec<Condition>,
    pub(super) reasons: Vec<Reason>,
    /// Whether something that the brief asks for isn't known.
    pub(super) open: bool,
}

impl Findings {
    pub(super) fn pass(&mut self, id: ConditionId, source: Source, detail: impl Into<String>) {
        self.push(id, Holds::Pass, source, detail.into());
    }

    pub(super) fn fail(&mut self, id: ConditionId, source: Source, detail: impl Into<String>) {
        self.push(id, Holds::Fail, source, detail.into());
    }

    /// Nothing says whether it holds. Where it was `asked` for, the claim isn't done.
    pub(super) fn unknown(
        &mut self,
        id: ConditionId,
        source: Source,
        detail: impl Into<String>,
        asked: bool,
    ) {
        self.open |= asked;
        self.push(id, Holds::Unknown, source, detail.into());
    }

    pub(super) fn lie(&mut self, code: Code, message: impl Into<String>) {
        self.reasons.push(Reason::lie(code, message));
    }

    pub(super) fn absence(&mut self, code: Code, message: impl Into<String>) {
        self.reasons.push(Reason::absence(code, message));
    }

    fn push(&mut self, id: ConditionId, holds: Holds, source: Source, detail: String) {
        self.conditions.push(Condition { id, holds, source, detail });
    }
}

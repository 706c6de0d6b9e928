//! What red makes of a case.

use redgreen_parsers::{Case, Kind, Status};

/// What red makes of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It failed because an assertion in it said no.
    Asserted,
    Passed,
    /// Also expected to fail, which is a way of not counting it.
    Skipped,
    /// It failed for another reason.
    Raised,
    /// It failed, and nobody says why.
    Unexplained,
    /// It failed only because one below it did, or passed where that was not expected.
    PassedOver,
}

pub(super) fn fate(case: &Case<'_>) -> Fate {
    let failures = case.failures();
    let unexplained = failures.iter().all(|failure| failure.kind == Kind::Unknown);
    match case.status() {
        Status::Passed => Fate::Passed,
        Status::Skipped | Status::Todo | Status::Xfailed => Fate::Skipped,
        Status::Xpassed => Fate::PassedOver,
        Status::Failed if failures.is_empty() => Fate::PassedOver,
        Status::Failed if failures.iter().any(|failure| failure.kind == Kind::Assertion) => Fate::Asserted,
        Status::Failed | Status::Errored if unexplained => Fate::Unexplained,
        Status::Failed | Status::Errored => Fate::Raised,
    }
}

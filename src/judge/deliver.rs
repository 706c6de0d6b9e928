//! What a delivery asks of the evidence.

use std::collections::BTreeMap;

use super::findings::Findings;
use super::frozen::Baseline;
use super::stale::{Fingerprints, moved, rests_on};
use super::{Code, Problem, say};
use crate::observe::facts::RepositoryFacts;
use crate::plan::{Check, Phase, Plan};

/// Where one phase of a check stands in this task.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// It was judged, and accepted: a red that still holds, or the latest green.
    Accepted,
    /// It was judged, and rejected.
    Rejected,
    /// It was not run, or what was run doesn't hold any more.
    Missing,
    /// The check doesn't have this phase.
    NotNeeded,
}

/// Where a check stands in this task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckStanding {
    /// The id of the check.
    pub id: String,
    /// Its red.
    pub red: Standing,
    /// Its latest green.
    pub green: Standing,
    /// Whether its green speaks of the files that are there now.
    pub fresh: bool,
}

/// Every red check has its red, every green check its green, whether an outcome names it or not.
#[must_use]
pub fn evidence(checks: &[CheckStanding]) -> Vec<Problem> {
    let mut found = Findings::default();
    for check in checks {
        let id = say::quote(&check.id);
        if let Some(problem) = red_missing(check) {
            found.reject(problem.code, || problem);
        }
        match check.green {
            Standing::Accepted | Standing::NotNeeded => {}
            Standing::Missing => found.reject(Code::GreenMissing, || {
                Problem::new(
                    Code::GreenMissing,
                    format!("{id} has no green; run `verify green {}`", check.id),
                )
            }),
            Standing::Rejected => found.reject(Code::GreenRejected, || {
                let message = format!(
                    "the latest green of {id} was rejected; mend it and run `verify green {}`",
                    check.id
                );
                Problem::new(Code::GreenRejected, message)
            }),
        }
    }
    found.into_parts().0
}

/// Green is proved on tests that red saw fail: these checks still need that.
#[must_use]
pub fn reds_missing(checks: &[CheckStanding]) -> Vec<Problem> {
    let mut found = Findings::default();
    for problem in checks.iter().filter_map(red_missing) {
        found.reject(problem.code, || problem);
    }
    found.into_parts().0
}

fn red_missing(check: &CheckStanding) -> Option<Problem> {
    let why = match check.red {
        Standing::Accepted | Standing::NotNeeded => return None,
        Standing::Missing => "has no accepted red on the tests as they are",
        Standing::Rejected => "has a red that was rejected",
    };
    let message = format!("{} {why}; run `verify red {}`", say::quote(&check.id), check.id);
    Some(Problem::new(Code::RedMissing, message))
}

/// A task that changed nothing delivers nothing.
#[must_use]
pub fn empty_diff(baseline: &Baseline, now: &[RepositoryFacts], allowed: bool) -> Option<Problem> {
    let same = |facts: &RepositoryFacts| {
        baseline.repositories.get(&facts.id).is_some_and(|then| then.map == facts.map)
    };
    (!allowed && now.iter().all(same)).then(|| {
        let message = "nothing changed since the task began; if that is right, say `--allow-empty`";
        Problem::new(Code::EmptyDiff, message)
    })
}

/// The green checks that have to run again, in the plan's order: when anything moved, all but those whose `depends`
/// leaves out what moved. `evidence` are the fingerprints of each check's latest green.
#[must_use]
pub fn reruns<'p>(
    plan: &'p Plan,
    evidence: &BTreeMap<String, Fingerprints>,
    now: &Fingerprints,
) -> Vec<&'p Check> {
    let green = || plan.checks_in(Phase::Green);
    let nothing = Fingerprints::new();
    let mut all_moved = std::collections::BTreeSet::new();
    for check in green() {
        let then = evidence.get(&check.id).unwrap_or(&nothing);
        all_moved.extend(moved(then, now).into_iter().filter(|repository| rests_on(check, repository)));
    }
    green().filter(|check| all_moved.iter().any(|repository| rests_on(check, repository))).collect()
}

/// A check that was run again for the delivery and isn't green any more.
#[must_use]
pub fn rerun_failed(check: &str) -> Problem {
    let message = format!(
        "{} was green on other files and isn't on these; run `verify green {check}` to see why",
        say::quote(check)
    );
    Problem::new(Code::StaleRerunFailed, message)
}

/// The last word: the files read at the end are those of the evidence.
#[must_use]
pub fn sealed(evidence: &Fingerprints, at_the_end: &Fingerprints) -> Vec<Problem> {
    moved(evidence, at_the_end)
        .into_iter()
        .map(|id| {
            let message =
                "files moved while the delivery was checked; deliver again when nothing else writes here";
            Problem::new(Code::TreeMoved, message).on(id, None)
        })
        .collect()
}

//! The gate: did anything change, and are the tests not red?
//!
//! It is a floor. It blocks where somebody says that work is done and what was seen says otherwise; that the right thing was
//! built it can't say.

mod evidence;
#[cfg(test)]
mod tests;

use crate::observe::facts::{ChangeSource, Changed, Diff};

pub use evidence::{
    Evidence, LatestGreen, NoTests, Results, Seen, TestSource, Tests, claimed_tests, own_tests, tests_of,
};

/// What happens when something can't be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Policy {
    /// It passes, and the details say so: for a loop that goes on anyway.
    Loop,
    /// It doesn't pass: for a delivery and for CI.
    Strict,
}

impl Policy {
    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Loop => "loop",
            Self::Strict => "strict",
        }
    }
}

/// What the gate says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate {
    /// What happens when something can't be said.
    pub policy: Policy,
    /// What changed.
    pub diff: Diff,
    /// What the tests say.
    pub tests: Tests,
    /// The answer.
    pub outcome: Outcome,
    /// Why it is blocked, for a person: at most five texts, none with a pipe sign. Empty: it isn't.
    pub failures: Vec<String>,
}

/// The gate's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Nothing speaks against it.
    Pass,
    /// Something speaks against it.
    Block(Blocked),
    /// Something can't be said, and the policy is strict.
    Inconclusive,
}

/// What speaks against it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Blocked {
    /// Nothing changed.
    EmptyDiff,
    /// Tests are red.
    TestsRed,
    /// Both.
    EmptyDiffAndTestsRed,
}

impl Blocked {
    /// Every reason.
    pub const ALL: [Self; 3] = [Self::EmptyDiff, Self::TestsRed, Self::EmptyDiffAndTestsRed];

    /// The reason as it stands in JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::EmptyDiff => "empty_diff",
            Self::TestsRed => "tests_red",
            Self::EmptyDiffAndTestsRed => "empty_diff_and_tests_red",
        }
    }
}

/// How many reasons a block names.
const FAILURES: usize = 5;

/// Judges what was seen.
#[must_use]
pub fn gate(policy: Policy, diff: Diff, tests: Tests) -> Gate {
    let (empty, red) = (is_empty(&diff), tests.seen == Seen::Red);
    let blocked = match (empty, red) {
        (true, true) => Some(Blocked::EmptyDiffAndTestsRed),
        (true, false) => Some(Blocked::EmptyDiff),
        (false, true) => Some(Blocked::TestsRed),
        (false, false) => None,
    };
    let unsaid = matches!(diff, Diff::Unknown(_)) || matches!(tests.seen, Seen::Inconclusive(_));
    let outcome = match blocked {
        Some(blocked) => Outcome::Block(blocked),
        None if unsaid && policy == Policy::Strict => Outcome::Inconclusive,
        None => Outcome::Pass,
    };
    let mut failures = Vec::new();
    if empty {
        failures.push(format!("nothing changed {}", since(&diff)));
    }
    if red {
        failures.extend(tests.failures.iter().map(|text| text.replace('|', "/")));
    }
    failures.truncate(FAILURES);
    Gate { policy, diff, tests, outcome, failures }
}

/// Whether it was seen that nothing changed.
#[must_use]
pub fn is_empty(diff: &Diff) -> bool {
    matches!(diff, Diff::Known(changed) if changed.files.is_empty())
}

/// Since when changes were looked for, as the rest of a sentence.
#[must_use]
pub fn since(diff: &Diff) -> String {
    match diff {
        Diff::Known(Changed { task: Some(task), .. }) => format!("since task {task} began"),
        Diff::Known(Changed { base: Some(base), .. }) => {
            format!("since commit {}", base.get(..12).unwrap_or(base))
        }
        Diff::Known(_) | Diff::Unknown(_) => "since the run began".to_owned(),
    }
}

/// The sources of a change that a commit as the base tells apart, in the order that others read them in.
pub const SOURCES: [ChangeSource; 4] =
    [ChangeSource::Committed, ChangeSource::Unstaged, ChangeSource::Staged, ChangeSource::Untracked];

//! Replay: what a copy of the baseline's sources has to hold, and what its runs say.

use std::borrow::Cow;
use std::collections::HashSet;

use bstr::BString;
use redgreen_parsers::Report;

use super::findings::Findings;
use super::inventory::{inventory, masked, passed};
use super::{Code, InventoryCase, Place, Problem, Verdict, frozen_changes, influence_changes, say};
use crate::observe::facts::{ChangeKind, EntryKind, FileChange, FileMap, RepositoryFacts, Weight};
use crate::plan::Plan;

/// What a replay says.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum ReplayAnswer {
    /// On the baseline's sources the frozen tests fail as red saw them fail.
    RedAgain,
    /// They don't: a test passes there, so it doesn't ask for what was done.
    NotRed,
    /// It can't be said: what ran was not the copy, or the tests can't be judged there. Never a rejection.
    NotIsolated,
}

/// An answer with its reasons. Red again has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replay {
    /// The answer.
    pub answer: ReplayAnswer,
    /// Why it isn't another one.
    pub problems: Vec<Problem>,
}

impl Replay {
    /// Red again.
    #[must_use]
    pub const fn red_again() -> Self {
        Self { answer: ReplayAnswer::RedAgain, problems: Vec::new() }
    }

    /// Undecided, for this reason.
    #[must_use]
    pub fn undecided(why: Problem) -> Self {
        Self { answer: ReplayAnswer::NotIsolated, problems: vec![why] }
    }
}

/// A check that ran in the copy.
#[derive(Debug, Clone, Copy)]
pub struct ReplayedCheck<'a> {
    /// Its id.
    pub id: &'a str,
    /// What was judged of the run.
    pub verdict: &'a Verdict,
    /// What its parsers read.
    pub reports: &'a [Report],
    /// The cases that its output hides and its witness names.
    pub hidden: &'a [Report],
}

impl ReplayedCheck<'_> {
    fn reports(&self) -> impl Iterator<Item = &Report> {
        self.reports.iter().chain(self.hidden)
    }

    /// Whether one of these tests failed; of no tests any case will do.
    fn failed_one_of(&self, tests: &HashSet<Cow<'_, str>>) -> bool {
        let failed = [inventory(self.id, self.reports), inventory(self.id, self.hidden)].concat();
        tests.is_empty() || failed.iter().any(|case| tests.contains(&masked(&case.test)))
    }

    /// Whether one of these cases passed; of none any will do, and where none is named the runner's own number.
    fn passed_one_of(&self, cases: &HashSet<Cow<'_, str>>) -> bool {
        let named: Vec<String> =
            self.reports().flat_map(|report| passed(std::slice::from_ref(report))).collect();
        if named.is_empty() {
            return self.reports().any(|report| report.totals.passed.is_some_and(|number| number > 0));
        }
        cases.is_empty() || named.iter().any(|id| cases.contains(&masked(id)))
    }
}

/// The files of the product that the task changed: all that differs from the baseline but tests, what steers the
/// runner alone, and the plan.
#[must_use]
pub fn product_changes(
    plan: &Plan,
    plan_file: Option<&Place>,
    baseline: &FileMap,
    now: &RepositoryFacts,
) -> Vec<FileChange> {
    let frozen: HashSet<&BString> = now.frozen.iter().map(|entry| &entry.path).collect();
    let steers = now.influence.iter().filter(|it| it.slice.is_none() && it.weight == Weight::Steers);
    let steers: HashSet<&BString> = steers.map(|it| &it.entry.path).collect();
    let is_plan = |path: &BString| {
        plan_file.is_some_and(|place| place.repository == now.id && place.path.as_ref() == Some(path))
    };
    let is_test = |path: &BString| {
        frozen.contains(path)
            || now.below_path(path).is_some_and(|path| plan.freeze.test_paths.matches(&now.id, path))
    };
    let changes = now.map.changes_since(baseline).into_iter();
    changes
        .filter(|change| {
            let path = &change.path;
            !is_test(path) && !steers.contains(path) && !is_plan(path)
        })
        .collect()
}

/// Files in which a project says how it is built and run. A runner that can't read them says nothing of what it loads.
const SETTINGS: &[&str] = &[
    "Cargo.lock",
    "Cargo.toml",
    "Gemfile",
    "build.gradle",
    "build.gradle.kts",
    "composer.json",
    "go.mod",
    "package-lock.json",
    "package.json",
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    "pom.xml",
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "tox.ini",
    "tsconfig.json",
    "yarn.lock",
];

/// The changed files that a control run replaces by one that can't load: those that are there, and of settings only
/// if nothing else is.
#[must_use]
pub fn to_break<'c>(changes: &'c [FileChange], now: &FileMap) -> Vec<&'c FileChange> {
    let is_there = |change: &&FileChange| {
        change.kind != ChangeKind::Deleted
            && now.get(&change.path).is_some_and(|entry| entry.kind != EntryKind::Submodule)
    };
    let is_settings = |change: &FileChange| {
        let name = change.path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        SETTINGS.iter().any(|known| known.as_bytes() == name) || name.ends_with(b"proj")
    };
    let (settings, code): (Vec<_>, Vec<_>) =
        changes.iter().filter(is_there).partition(|change| is_settings(change));
    if code.is_empty() { settings } else { code }
}

/// What of the tests, and of what steers their runners, isn't in a copy as it is in the work tree: the paths, and
/// whether it is a test inside a product file.
#[must_use]
pub fn unlike_frozen(now: &RepositoryFacts, copy: &RepositoryFacts) -> Vec<(BString, bool)> {
    let tests = frozen_changes(&now.frozen, &copy.frozen).into_iter().map(|change| (change.path, false));
    let others = influence_changes(&now.influence, &copy.influence).into_iter();
    let others = others.filter(|change| change.of.weight != Weight::Shared);
    let others = others.map(|change| (change.of.entry.path.clone(), change.of.weight == Weight::Inline));
    tests.chain(others).collect()
}

/// The first control: today's sources are green in the copy, else nothing can be said there.
#[must_use]
pub fn runs_in_copy(checks: &[ReplayedCheck<'_>]) -> Option<Replay> {
    let mut found = Findings::default();
    for check in checks {
        let Some(why) = check.verdict.problems.first() else { continue };
        found.reject(Code::NotIsolated, || {
            let message = format!(
                "{} isn't green in a copy of the work tree, where a replay has to run: {}",
                say::quote(check.id),
                why.message
            );
            Problem::new(Code::NotIsolated, message)
        });
    }
    undecided(found)
}

/// The second control: with its changed files broken the product isn't green, else something else than the copy ran.
#[must_use]
pub fn runs_the_copy(checks: &[ReplayedCheck<'_>]) -> Option<Replay> {
    let mut found = Findings::default();
    for check in checks.iter().filter(|check| check.verdict.accepted()) {
        found.reject(Code::NotIsolated, || {
            let message = format!(
                "{} is green in a copy of the work tree though every changed file of the product is broken there: it \
                 loads the product from elsewhere, as an installed one, or needs none of these files",
                say::quote(check.id)
            );
            Problem::new(Code::NotIsolated, message)
        });
    }
    undecided(found)
}

fn undecided(found: Findings) -> Option<Replay> {
    let problems = found.into_parts().0;
    (!problems.is_empty()).then_some(Replay { answer: ReplayAnswer::NotIsolated, problems })
}

/// The run on the baseline's sources. `seen_in_red` are the cases that red saw fail.
///
/// A check isn't red when a test of it passes, is skipped or wavers there. One that fails otherwise than on an assertion
/// doesn't pass without the work, and that it is red can't be said: it stays undecided.
#[must_use]
pub fn replayed(checks: &[ReplayedCheck<'_>], seen_in_red: &[InventoryCase]) -> Replay {
    let mut not_red = Findings::default();
    let mut open = Findings::default();
    for check in checks {
        let id = say::quote(check.id);
        let of_check = || seen_in_red.iter().filter(|case| case.check == check.id);
        if check.verdict.accepted() {
            if !check.failed_one_of(&of_check().map(|case| masked(&case.test)).collect()) {
                not_red.reject(Code::ReplayNotRed, || {
                    let message = format!(
                        "{id} fails on the sources that the task began with, but none of the tests that red saw fail does"
                    );
                    Problem::new(Code::ReplayNotRed, message)
                });
            }
            continue;
        }
        let cases = of_check().map(|case| masked(&case.id)).collect();
        if let Some(why) = passing(check.verdict, || check.passed_one_of(&cases)) {
            not_red.reject(Code::ReplayNotRed, || {
                let message = format!(
                    "{id} isn't red on the sources that the task began with, so it doesn't ask for what was done: {}",
                    why.message
                );
                Problem::new(Code::ReplayNotRed, message)
            });
        } else {
            open.reject(Code::ReplayInconclusive, || {
                let why = check.verdict.problems.first().map_or("", |problem| problem.message.as_str());
                let message = format!(
                    "{id} fails on the sources that the task began with, but not on an assertion, as where they lack \
                     what it uses: {why}"
                );
                Problem::new(Code::ReplayInconclusive, message)
            });
        }
    }
    let problems = not_red.into_parts().0;
    if !problems.is_empty() {
        return Replay { answer: ReplayAnswer::NotRed, problems };
    }
    undecided(open).unwrap_or_else(Replay::red_again)
}

/// The reason against a red that says that its test doesn't fail. `passed`: whether a test of it was seen to pass, since a
/// run without the test says nothing of it.
fn passing(red: &Verdict, passed: impl Fn() -> bool) -> Option<&Problem> {
    let has = |code: Code| red.problems.iter().any(|problem| problem.code == code);
    red.problems.iter().find(|problem| match problem.code {
        Code::IdentityPassed | Code::IdentitySkipped | Code::IdentityFlaky => true,
        Code::ExitZero => !has(Code::IdentityMissing) && passed(),
        _ => false,
    })
}

/// Whether a check that was to be red passes instead: nothing speaks against its red but that its tests pass.
#[must_use]
pub fn passes(red: &Verdict) -> bool {
    let is_pass = |problem: &Problem| {
        matches!(
            problem.code,
            Code::ExitZero | Code::IdentityPassed | Code::NoAssertionFailure | Code::FailurePatternMissed
        )
    };
    passing(red, || true).is_some() && red.problems.iter().all(is_pass)
}

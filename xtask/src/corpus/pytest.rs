//! What pytest's hooks told of a run.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::recording::TrueCase;
use super::told::{Told, case, lines, problem};
use crate::shell::Done;

/// The plugin; it is loaded by name from a folder on the path.
pub(super) const PROBE: (&str, &str) = ("redgreen_truth.py", include_str!("probes/pytest_truth.py"));

#[derive(Debug, Deserialize)]
#[serde(tag = "what", rename_all = "lowercase")]
enum Said {
    Test(Phase),
    Collect {
        id: String,
        kind: Option<String>,
    },
    /// Ctrl-C, or `pytest.exit`.
    Interrupt,
    Exit {
        status: i32,
    },
    Counts {
        counts: BTreeMap<String, u64>,
        printed: bool,
    },
}

/// One phase of one test.
#[derive(Debug, Deserialize)]
struct Phase {
    id: String,
    when: Option<String>,
    outcome: String,
    wasxfail: bool,
    kind: Option<String>,
    /// Of a subtest.
    label: Option<String>,
    strict: bool,
    only_subtests: bool,
    crashed: bool,
}

/// Reads what the plugin wrote.
pub(super) fn told(text: &str) -> Done<Told> {
    let mut told =
        Told { source: "a plugin that listens to pytest's hooks in the same run", ..Told::default() };
    let mut tests: Vec<Test> = Vec::new();
    told.completeness = "truncated";
    for said in lines(text)? {
        match said {
            Said::Test(phase) => {
                let id = match &phase.label {
                    Some(label) => format!("{} {label}", phase.id),
                    None => phase.id.clone(),
                };
                // A repeated name is a new test once the one before has ended.
                let at =
                    tests.iter().rposition(|test| test.id == id && !(test.ended && phase.label.is_none()));
                let at = at.unwrap_or_else(|| {
                    tests.push(Test { id, parent: phase.id.clone(), ..Test::default() });
                    tests.len() - 1
                });
                tests[at].phase(&phase);
            }
            Said::Collect { id, kind } => {
                let kind = kind.unwrap_or_else(|| "collection".to_owned());
                told.problems.push(problem(&kind, Some(id.as_str()).filter(|id| !id.is_empty())));
            }
            Said::Interrupt => told.problems.push(problem("interrupted", None)),
            Said::Exit { status } => exit(&mut told, status),
            Said::Counts { counts, printed } => {
                if printed {
                    told.totals = Some(counts.into_iter().filter(|(_, count)| *count > 0).collect());
                } else {
                    told.totals = Some(BTreeMap::new());
                    told.completeness = "truncated";
                }
            }
        }
    }
    told.cases = cases(tests);
    if told.completeness == "complete" && told.cases.is_empty() && told.problems.is_empty() {
        // Also when it was only asked to list them.
        told.problems.push(problem("collection", None));
    }
    Ok(told)
}

/// pytest's exit codes: 3 internal error, 4 usage. A run that was broken off has no end.
fn exit(told: &mut Told, status: i32) {
    let interrupted = told.problems.iter().any(|problem| problem.kind == "interrupted");
    told.completeness = if interrupted { "truncated" } else { "complete" };
    match status {
        3 => told.problems.push(problem("exception", None)),
        4 => told.problems.push(problem("startup", None)),
        _ => {}
    }
}

#[derive(Debug, Default)]
struct Test {
    id: String,
    parent: String,
    status: Option<&'static str>,
    kinds: Vec<String>,
    is_subtest: bool,
    ended: bool,
    only_subtests: bool,
}

impl Test {
    fn phase(&mut self, phase: &Phase) {
        let when = phase.when.as_deref().unwrap_or("");
        self.is_subtest |= phase.label.is_some();
        if phase.outcome == "rerun" {
            // The last try counts.
            (self.status, self.kinds) = (None, Vec::new());
            return;
        }
        let in_body = when == "call" || phase.label.is_some();
        let status = match phase.outcome.as_str() {
            "skipped" if phase.wasxfail => Some("xfailed"),
            "skipped" => Some("skipped"),
            "passed" if phase.wasxfail && in_body => Some("xpassed"),
            "failed" if phase.strict => Some("xpassed"),
            "failed" if in_body || phase.crashed => Some("failed"),
            "failed" => Some("errored"),
            _ if in_body => Some("passed"),
            _ => None,
        };
        self.only_subtests |= in_body && phase.only_subtests;
        if phase.outcome == "failed" && !phase.strict && !(in_body && phase.only_subtests) {
            let kind = if phase.crashed { Some("crash") } else { phase.kind.as_deref() };
            self.kinds.push(kind.unwrap_or("unknown").to_owned());
        }
        if let Some(status) = status {
            self.status = Some(worse(self.status, status));
        }
        self.ended |= when == "teardown";
    }
}

/// The worst of the phases of one try.
fn worse(one: Option<&'static str>, other: &'static str) -> &'static str {
    const ORDER: [&str; 6] = ["passed", "skipped", "xfailed", "xpassed", "failed", "errored"];
    let rank = |status| ORDER.iter().position(|word| *word == status);
    one.filter(|one| rank(*one) > rank(other)).unwrap_or(other)
}

/// A test that passed by itself failed when a subtest of it did.
fn cases(tests: Vec<Test>) -> Vec<TrueCase> {
    let failed_below: Vec<String> = tests
        .iter()
        .filter(|test| test.is_subtest && test.status == Some("failed"))
        .map(|test| test.parent.clone())
        .collect();
    let finished = tests.into_iter().filter_map(|test| {
        let mut status = test.status?;
        if !test.is_subtest && status == "passed" && failed_below.contains(&test.id) {
            status = "failed";
        }
        Some(case(&test.id, status, test.kinds))
    });
    finished.collect()
}

/// Which cases the console names with their outcome. What failed has a block or a line of the summary; of the others
/// a mere mention, in a warning or in captured output, is no result.
pub(super) fn mark_visible(cases: &mut [TrueCase], console: &str) {
    const OUTCOMES: [&str; 8] =
        ["PASSED", "SKIPPED", "XFAIL", "XPASS", "PASS", "SKIP", "\u{2713}", "SUBPASS"];
    for case in cases {
        let bad = case.status == "failed" || case.status == "errored";
        // A line about a subtest holds the id of its test.
        let is_subtest = case.id.contains(['(', '[']) && case.id.contains(' ');
        let speaks_of_it = |line: &str| {
            names(line, &case.id)
                && (is_subtest || !line.contains("SUBFAIL") && !line.contains("SUBPASS"))
                && (bad || OUTCOMES.iter().any(|word| line.contains(word)))
        };
        case.visible = console.lines().any(speaks_of_it);
    }
}

/// Whether the id stands there, not as a part of a longer one.
fn names(line: &str, id: &str) -> bool {
    line.match_indices(id).any(|(at, _)| {
        let after = &line[at + id.len()..];
        after.is_empty() || after.starts_with(' ')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phase(id: &str, when: &str, outcome: &str, rest: &str) -> String {
        let filled = format!(
            "{{\"what\":\"test\",\"id\":\"{id}\",\"when\":\"{when}\",\"outcome\":\"{outcome}\",\"wasxfail\":false,\
             \"label\":null,\"strict\":false,\"only_subtests\":false,\"crashed\":false,\"kind\":{rest}}}\n"
        );
        filled
    }

    #[track_caller]
    fn check(phases: &[String], expected: &[(&str, &str, &str)]) {
        let told = told(&phases.concat()).unwrap();
        let seen: Vec<_> = told
            .cases
            .iter()
            .map(|case| (case.id.clone(), case.status.clone(), case.kinds.join("+")))
            .collect();
        let seen: Vec<_> = seen.iter().map(|(id, s, k)| (id.as_str(), s.as_str(), k.as_str())).collect();
        assert_eq!(seen, expected);
    }

    #[test]
    fn the_worst_phase_wins_and_every_failure_is_kept() {
        check(
            &[
                phase("a", "setup", "passed", "null"),
                phase("a", "call", "failed", "\"assertion\""),
                phase("a", "teardown", "failed", "\"teardown\""),
            ],
            &[("a", "errored", "assertion+teardown")],
        );
    }

    #[test]
    fn of_tries_the_last_counts() {
        check(
            &[phase("a", "call", "rerun", "\"assertion\""), phase("a", "call", "passed", "null")],
            &[("a", "passed", "")],
        );
    }

    #[test]
    fn an_id_within_a_longer_one_names_nothing() {
        assert!(names("FAILED t.py::a - x", "t.py::a") && !names("t.py::ab PASSED", "t.py::a"));
    }
}

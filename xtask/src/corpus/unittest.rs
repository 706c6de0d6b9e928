//! What unittest's result class told of a run.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::recording::TrueCase;
use super::told::{Told, case, lines, problem};
use super::tools::Producer;
use crate::shell::Done;

/// The runner, started in place of `-m unittest`.
pub(super) const PROBE: (&str, &str) = ("unittest_truth.py", include_str!("probes/unittest_truth.py"));

/// Other runners, started in place of their own programs. It needs `PROBE` beside it.
pub(super) const RUNNER_PROBE: (&str, &str) = ("runner_truth.py", include_str!("probes/runner_truth.py"));

/// How the probe calls a runner, and what a person would have typed.
pub(super) fn runner(producer: Producer) -> (&'static str, &'static [&'static str]) {
    match producer {
        Producer::Nose2 => ("nose2", &["nose2"]),
        Producer::Trial => ("trial", &["trial"]),
        Producer::Zope => ("zope", &["zope-testrunner", "--path", ".", "--tests-pattern", "^test_"]),
        _ => ("django", &["python", "manage.py", "test"]),
    }
}

#[derive(Debug, Deserialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
enum Said {
    Start { id: String },
    Stop { id: String },
    Result { id: String, status: String, kind: Option<String>, label: Option<String> },
    Problem { subject: Option<String>, kind: String },
    End { ran: u64, counts: BTreeMap<String, u64> },
}

/// Reads what the result class wrote.
pub(super) fn told(text: &str) -> Done<Told> {
    let mut told =
        Told { source: "a result class in the same run", completeness: "truncated", ..Told::default() };
    let mut running: Vec<(String, bool)> = Vec::new();
    for said in lines(text)? {
        match said {
            Said::Start { id } => running.push((id, false)),
            Said::Result { id, status, kind, label } => {
                if let Some((_, heard)) = running.last_mut().filter(|(running, _)| *running == id) {
                    *heard |= label.is_none() || status == "failed" || status == "errored";
                }
                result(&mut told.cases, &id, label.as_deref(), &status, kind);
            }
            // A test without a result of its own failed in its subtests.
            Said::Stop { id } => {
                if running.pop().is_some_and(|(_, heard)| heard)
                    && !told.cases.iter().any(|case| case.id == id)
                {
                    told.cases.push(case(&id, "failed", Vec::new()));
                }
            }
            Said::Problem { subject, kind } => told.problems.push(problem(&kind, subject.as_deref())),
            Said::End { ran, counts } => {
                told.completeness = "complete";
                told.totals = Some(counts.into_iter().filter(|(_, count)| *count > 0).collect());
                if ran == 0
                    && told.problems.is_empty()
                    && told.totals.as_ref().is_some_and(BTreeMap::is_empty)
                {
                    told.problems.push(problem("collection", None));
                }
            }
        }
    }
    Ok(told)
}

/// The same test may fail in its body and again in its teardown: one case.
fn result(cases: &mut Vec<TrueCase>, id: &str, label: Option<&str>, status: &str, kind: Option<String>) {
    let id = label.map_or_else(|| id.to_owned(), |label| format!("{id} {label}"));
    let bad = |status: &str| status == "failed" || status == "errored";
    if let Some(last) = cases.last_mut().filter(|last| last.id == id && bad(&last.status) && bad(status)) {
        last.kinds.extend(kind);
        last.kinds.sort();
        if status == "errored" {
            status.clone_into(&mut last.status);
        }
        return;
    }
    cases.push(case(&id, status, kind.into_iter().collect()));
}

/// Which cases the console names, as `name (module.Class…)`, with the label of a subtest behind it.
pub(super) fn mark_visible(cases: &mut [TrueCase], console: &str) {
    for case in cases {
        let (id, label) = case.id.split_once(' ').map_or((case.id.as_str(), ""), |(id, label)| (id, label));
        // A class or a module that was skipped is named by itself.
        let Some((class, name)) = id.rsplit_once('.') else {
            case.visible = console.lines().any(|line| line.starts_with(&case.id));
            continue;
        };
        let label = if label.is_empty() { String::new() } else { format!(" {label}") };
        let long = format!("{name} ({class}.{name}){label}");
        let short = format!("{name} ({class}){label}");
        case.visible = console.lines().any(|line| {
            [&long, &short].iter().any(|name| {
                line.find(name.as_str()).is_some_and(|at| {
                    let rest = &line[at + name.len()..];
                    // With a label behind it the line speaks of a subtest.
                    rest.is_empty() || rest.starts_with(" ...")
                })
            })
        });
    }
}

/// Which cases trial names: by id, or in a tree by the last part of it with a result behind it.
pub(super) fn mark_visible_in_trial(cases: &mut [TrueCase], console: &str) {
    for case in cases {
        let name = case.id.rsplit('.').next().unwrap_or(&case.id);
        let (in_tree, whole) = (format!("{name} ... "), format!("{} ... ", case.id));
        case.visible = console.lines().any(|line| {
            line == case.id || line.starts_with(&whole) || line.trim_start().starts_with(&in_tree)
        });
    }
}

/// Which cases zope.testrunner names: those that failed, and with `-vv` all of them.
pub(super) fn mark_visible_in_zope(cases: &mut [TrueCase], console: &str) {
    for case in cases {
        let (id, label) = case.id.split_once(' ').map_or((case.id.as_str(), ""), |(id, label)| (id, label));
        let Some((class, name)) = id.rsplit_once('.') else { continue };
        let label = if label.is_empty() { String::new() } else { format!(" {label}") };
        let names = [format!("{name} ({class}.{name}){label}"), format!("{name} ({class}){label}")];
        case.visible = console.lines().any(|line| {
            let titled =
                ["Error in test ", "Failure in test "].iter().find_map(|head| line.strip_prefix(head));
            let listed = line.strip_prefix(' ').filter(|_| label.is_empty());
            names.iter().any(|name| {
                titled == Some(name.as_str()) || listed.is_some_and(|line| line.starts_with(name.as_str()))
            })
        });
    }
}

//! What vitest's JSON reporter wrote of the run whose TAP is recorded.

use std::collections::HashMap;
use std::path::Path;

use serde::Deserialize;

use super::told::{Told, case, problem};
use crate::shell::Done;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Json {
    test_results: Vec<File>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    name: String,
    status: String,
    message: String,
    assertion_results: Vec<Test>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    ancestor_titles: Vec<String>,
    title: String,
    status: String,
    failure_messages: Vec<String>,
}

/// Reads the JSON report. A nested console names every suite above its tests; a flat one names the tests alone.
pub(super) fn told(text: &str, project: &Path, flat: bool) -> Done<Told> {
    let mut told = Told {
        source: "vitest's JSON reporter in the same run",
        completeness: "complete",
        ..Told::default()
    };
    if text.is_empty() {
        told.completeness = "empty";
        return Ok(told);
    }
    let json: Json = serde_json::from_str(text)?;
    for file in &json.test_results {
        let name = Path::new(&file.name)
            .strip_prefix(project)
            .unwrap_or(Path::new(&file.name))
            .display()
            .to_string();
        if file.assertion_results.is_empty() && file.status == "failed" {
            // Outside of any test even an assertion is an error that nobody handled.
            let kind = match kind(&file.message, "exception") {
                "assertion" => "exception",
                kind => kind,
            };
            told.problems.push(problem(kind, Some(&name)));
            continue;
        }
        if flat {
            for test in &file.assertion_results {
                let titles: Vec<&str> = above(test).chain([test.title.as_str()]).collect();
                told.cases.push(of(test, &format!("{name} > {}", titles.join(" > "))));
            }
        } else {
            nested(&name, file, &mut told);
        }
    }
    if json.test_results.is_empty() {
        told.problems.push(problem("collection", None));
    }
    Ok(told)
}

/// The JSON reporter says where it wrote to; a run without it says nothing.
pub(super) fn take_notice_away(stdout: &mut Vec<u8>) {
    if let Some(at) = memchr::memmem::rfind(stdout, b"JSON report written to ") {
        let end = memchr::memchr(b'\n', &stdout[at..]).map_or(stdout.len(), |length| at + length + 1);
        stdout.drain(at..end);
    }
}

/// The titles above a test. vitest 1 has an empty one for the file.
fn above(test: &Test) -> impl Iterator<Item = &str> {
    test.ancestor_titles.iter().map(String::as_str).filter(|title| !title.is_empty())
}

fn of(test: &Test, id: &str) -> super::recording::TrueCase {
    let status = match test.status.as_str() {
        "pending" | "skipped" => "skipped",
        "todo" => "todo",
        "passed" => "passed",
        _ => "failed",
    };
    let kinds = test.failure_messages.iter().map(|message| kind(message, "exception").to_owned());
    case(id, status, if status == "failed" { kinds.collect() } else { Vec::new() })
}

/// A suite is a case of its own, that fails with its tests.
fn nested(name: &str, file: &File, told: &mut Told) {
    let mut suites: HashMap<String, usize> = HashMap::new();
    let mut open = |id: &str, told: &mut Told| {
        *suites.entry(id.to_owned()).or_insert_with(|| {
            told.cases.push(case(id, "passed", Vec::new()));
            told.cases.len() - 1
        })
    };
    for test in &file.assertion_results {
        let mut id = name.to_owned();
        let mut suites_above = vec![open(&id, told)];
        for title in above(test) {
            id = format!("{id} > {title}");
            suites_above.push(open(&id, told));
        }
        let leaf = of(test, &format!("{id} > {}", test.title));
        if leaf.status == "failed" {
            for suite in suites_above {
                "failed".clone_into(&mut told.cases[suite].status);
            }
        }
        told.cases.push(leaf);
    }
}

fn kind(message: &str, other: &'static str) -> &'static str {
    let first = message.lines().next().unwrap_or("");
    if first.starts_with("AssertionError")
        || first.starts_with("Error: Snapshot")
        || first.ends_with("instead of rejecting")
    {
        "assertion"
    } else if first.contains("No test suite found") {
        "collection"
    } else if first.contains("timed out in") || first == "Error: STACK_TRACE_ERROR" {
        "timeout"
    } else if [
        "Failed to load url",
        "Cannot find module",
        "Failed to resolve import",
        "Cannot find package",
        "does not provide an export",
    ]
    .iter()
    .any(|text| first.contains(text))
    {
        "import"
    } else if [
        "Failed to parse source",
        "Expected ",
        "SyntaxError",
        "Unexpected token",
        "Parse failure",
        "Transform failed",
        "ERROR: ",
    ]
    .iter()
    .any(|text| first.contains(text))
    {
        "syntax"
    } else {
        other
    }
}

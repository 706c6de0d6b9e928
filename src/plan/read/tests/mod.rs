//! Plans that read, and plans that don't.

mod accepted;
mod services;
mod tables;
mod text;

use super::read;
use crate::plan::{Check, FaultPlace, Plan, PlanError, Source};

/// A check that has all it needs; cases add to it or take its place.
const CHECK: &str = "[[checks]]\nid = \"a\"\ncommand = [\"true\"]\nparser = \"tap\"\n";

fn source<'a>(name: &'a str, text: &'a str) -> Source<'a> {
    Source { name, text: text.as_bytes(), folder_name: "My App" }
}

#[track_caller]
fn plan(toml: &str) -> Plan {
    read(&source("verify.toml", toml)).unwrap_or_else(|error| panic!("{error}"))
}

/// A plan with one check to which these lines were added.
#[track_caller]
fn check_with(lines: &str) -> Check {
    plan(&format!("version = 1\n{CHECK}{lines}")).checks.remove(0)
}

fn faults(name: &str, text: &str) -> PlanError {
    read(&source(name, text)).expect_err("this plan has a fault")
}

/// Each of these faults is there, in this order, and no other: `line:column` or a JSON Pointer, and a part of what is
/// shown.
#[track_caller]
fn check_faults(text: &str, expected: &[(&str, &str)]) {
    let name = if text.starts_with('{') { "plan.json" } else { "verify.toml" };
    let error = faults(name, text);
    let found: Vec<_> = error
        .faults()
        .iter()
        .map(|fault| match &fault.place {
            FaultPlace::Line { line, column } => (format!("{line}:{column}"), fault.to_string()),
            FaultPlace::Pointer(pointer) => (pointer.clone(), fault.to_string()),
        })
        .collect();
    assert_eq!(found.len(), expected.len(), "{error}");
    for ((place, shown), (expected_place, part)) in found.iter().zip(expected) {
        assert_eq!(place, expected_place, "{error}");
        assert!(shown.contains(part), "{part:?} is not in:\n{error}");
    }
}

/// One fault in a plan.
#[track_caller]
fn check_fault(text: &str, place: &str, part: &str) {
    check_faults(text, &[(place, part)]);
}

/// One fault in a line that was added to a check; the first is the sixth of the text. Tables may follow.
#[track_caller]
fn check_fault_with(lines: &str, place: &str, part: &str) {
    check_fault(&format!("version = 1\n{CHECK}{lines}"), place, part);
}

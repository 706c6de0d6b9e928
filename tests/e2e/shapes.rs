//! The JSON that other programs read: it is as `verify schema` says, and has the fields that are promised.

use serde_json::Value;

use crate::loops::{PYTEST, SHELL};
use crate::support::{Project, runners};

/// Fails unless a value is as the schema of this name says.
#[track_caller]
fn check(project: &Project, name: &str, value: &Value) {
    let schema = project.verify(&format!("schema {name}")).exits(0).value();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let objections: Vec<_> = validator.iter_errors(value).map(|error| error.to_string()).collect();
    assert!(objections.is_empty(), "{name}: {objections:#?}\n{value:#}");
}

/// The keys of an object, in order.
fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

const EVIDENCE: &[&str] = &[
    "attempt",
    "changes",
    "checks",
    "claim",
    "environment",
    "files",
    "fingerprint",
    "fingerprints",
    "finished_at",
    "freeze_allow",
    "frozen_sha256",
    "guard_ignore",
    "hashed",
    "left_out",
    "notes",
    "passed",
    "phase",
    "plan_sha256",
    "previous",
    "problems",
    "rebinds",
    "rules",
    "schema",
    "stage",
    "started_at",
    "task",
    "tool",
];

const CHECK: &[&str] = &[
    "check_sha256",
    "command",
    "duration_seconds",
    "environment_removed",
    "exit_code",
    "id",
    "identities",
    "notes",
    "output",
    "output_bytes",
    "output_sha256",
    "output_truncated",
    "parser",
    "passed",
    "phase",
    "problems",
    "program",
    "reason",
    "report",
    "repository",
    "services",
    "signal",
    "sources",
    "witness",
];

const REPORT: &[&str] =
    &["cases", "completeness", "format", "notes", "problems", "runner", "schema", "totals"];

#[track_caller]
fn every_record_of_the_loop(project: &Project, fix: (&str, &str)) {
    project.verify("begin").exits(0);
    project.verify("green").exits(1);
    project.verify("red --claim README").exits(0);
    project.verify("guard").exits(0);
    project.verify("green").exits(1);
    project.write(fix.0, fix.1);
    project.verify("green").exits(0);
    project.write("late", "");
    project.verify("deliver").exits(0);

    let evidence = project.at(".verify/evidence");
    let mut names: Vec<_> = std::fs::read_dir(evidence).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.retain(|path| path.extension().is_some_and(|end| end == "json"));
    assert_eq!(names.len(), 6);
    for path in names {
        let record: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        check(project, "evidence", &record);
        let mut wanted = EVIDENCE.to_vec();
        if path.file_name().unwrap().to_str().unwrap().starts_with("deliver") {
            wanted.extend(["stale", "reran", "gate"]);
            wanted.sort_unstable();
            assert_eq!(record["phase"], Value::Null);
        }
        assert_eq!(keys(&record), wanted, "{}", path.display());
        for of in record["checks"].as_array().unwrap() {
            assert_eq!(keys(of), CHECK);
            assert_eq!(keys(&of["report"]), REPORT);
            check(project, "report", &of["report"]);
            assert_eq!(of["output"].as_str().unwrap().len() as u64, of["output_bytes"].as_u64().unwrap());
            for case in of["report"]["cases"].as_array().unwrap() {
                let wanted =
                    ["duration_seconds", "failures", "id", "lines", "name", "reason", "status", "suite"];
                assert_eq!(keys(case), wanted);
            }
            assert_eq!(keys(&of["witness"]), ["arguments", "kind", "reason", "sha256", "state"]);
        }
        for problem in record["problems"].as_array().unwrap() {
            assert_eq!(keys(problem), ["code", "lines", "message", "path", "path_hex", "repository"]);
        }
    }
}

#[test]
fn every_record_of_a_loop_over_tap() {
    let project = Project::git(&SHELL.replace(">> greet.sh", ">> README\nA claim.\n>> greet.sh"));
    every_record_of_the_loop(&project, ("greet.sh", "greet() { echo \"hello $1\"; }\n"));
}

#[test]
fn every_record_of_a_loop_over_pytest() {
    let Some(python) = runners::pytest() else { return };
    let files = PYTEST.replace("PYTHON", &python.display().to_string());
    let project = Project::git(&files.replace(">> app.py", ">> README\nA claim.\n>> app.py"));
    every_record_of_the_loop(&project, ("app.py", "def add(a, b):\n    return a + b\n"));
}

#[test]
fn the_answers_of_the_other_commands() {
    let project = Project::git(SHELL);
    let status = project.json("status").exits(0).value();
    check(&project, "status", &status);
    let wanted = [
        "baseline", "checks", "fresh", "frozen", "next", "open", "plan", "rebinds", "red", "schema", "stale",
        "task",
    ];
    assert_eq!(keys(&status), wanted);
    project.verify("begin").exits(0);
    project.verify("red").exits(0);
    check(&project, "status", &project.json("status").exits(0).value());
    check(&project, "fingerprint", &project.json("fingerprint").exits(0).value());
    let error = project.json("begin").exits(2).value();
    check(&project, "error", &error);
    assert_eq!(keys(&error), ["code", "message", "path", "schema"]);
    project.write("log", "1..1\nok 1 - adds\n");
    check(&project, "report", &project.json("parse log --as tap").exits(0).value());
    let judgement = project.json("parse log --as tap --judge green --exit-code 0").exits(0).value();
    check(&project, "judgement", &judgement);
    for (name, file) in [("task", "task.json"), ("frozen", "frozen.json")] {
        let value = serde_json::from_str(&project.read(&format!(".verify/{file}"))).unwrap();
        check(&project, name, &value);
    }
    for line in project.read(".verify/log.jsonl").lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        check(&project, "log", &line);
        let wanted = ["at", "n", "passed", "phase", "previous", "record", "sha256", "state", "task"];
        assert_eq!(keys(&line), wanted);
    }
}

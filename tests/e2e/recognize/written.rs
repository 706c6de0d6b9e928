//! The files that are written, to the key, and the one that goes.

use serde_json::{Value, json};

use super::Case;
use crate::support::Project;

fn read(project: &Project, path: &str) -> Value {
    serde_json::from_str(&project.read(path)).unwrap()
}

fn spec_sha(case: &Case) -> String {
    let printed = case.project.run("sha256sum", ["SPEC.md"]);
    printed.split_whitespace().next().unwrap().to_owned()
}

#[test]
fn done_leaves_a_completion_and_a_summary() {
    let case = Case::green();
    let before = listing(&case.project);
    case.answer("answer", "", 0, "");
    let mut completion = read(&case.project, "out/completion.json");
    assert!(completion["verified_at"].take().as_str().unwrap().ends_with('Z'));
    assert_eq!(
        completion,
        json!({
            "outcome": "complete", "source": "reuse-done-recognition", "verdict": "done", "summary": "all is well",
            "requirements_met": 2, "requirements_total": 2, "verified_at": null
        })
    );
    let summary = case.project.read("out/summary.md");
    assert!(summary.contains("- met: Export as CSV, src/app.py:1\n"), "{summary}");
    assert!(summary.trim_end().lines().last().unwrap().contains("rebuild"));
    let after: Vec<_> = listing(&case.project).into_iter().filter(|path| !before.contains(path)).collect();
    assert_eq!(
        after,
        ["out", "out/completion.json", "out/summary.md"],
        "nothing else is written, and no task begun"
    );
}

/// Every path of a project.
fn listing(project: &Project) -> Vec<String> {
    let printed = project.run("find", [".", "-mindepth", "1"]);
    let mut paths: Vec<_> = printed.lines().map(|line| line.trim_start_matches("./").to_owned()).collect();
    paths.sort();
    paths
}

#[test]
fn incomplete_leaves_a_manifest() {
    let case = Case::green();
    case.says("incomplete", &[("Export as CSV", "met", "src/app.py:1"), ("Import", "unmet", "")]);
    case.answer("answer", "", 1, "requirement_unmet");
    assert_eq!(case.written(), "manifest.json");
    let mut manifest = read(&case.project, "out/manifest.json");
    assert!(manifest["generated_at"].take().as_str().unwrap().ends_with('Z'));
    assert_eq!(
        manifest,
        json!({
            "prd_sha": spec_sha(&case), "generated_at": null, "satisfied": ["Export as CSV"],
            "source": "reuse-done-recognition"
        })
    );
}

#[test]
fn a_manifest_goes_when_the_answer_is_another() {
    for (part, more, code) in [
        ("answer", "", 0),
        ("words", "", 3),
        ("answer", "--action generate", 3),
        ("answer", "--action update", 3),
    ] {
        let case = Case::green();
        let manifest = r#"{"prd_sha":"x","satisfied":[],"source":"reuse-done-recognition"}"#;
        case.project.write("out/manifest.json", manifest);
        case.ask(part, more).exits(code);
        assert!(!case.project.at("out/manifest.json").exists(), "{part} {more}");
        // Somebody else's stays.
        case.project.write("out/manifest.json", r#"{"source":"other"}"#);
        case.ask(part, more).exits(code);
        assert!(case.project.at("out/manifest.json").exists(), "{part} {more}");
    }
}

#[test]
fn inconclusive_leaves_an_earlier_completion_as_it_is() {
    let case = Case::green();
    case.project.write("out/completion.json", "old");
    case.answer("words", "", 3, "judge_unparsable");
    assert_eq!(case.project.read("out/completion.json"), "old");
    case.answer("answer", "", 0, "");
    assert_ne!(case.project.read("out/completion.json"), "old");
}

#[test]
fn an_answer_that_cannot_be_kept_is_no_done() {
    let case = Case::green();
    case.project.write("out/completion.json/x", "");
    case.ask("answer", "").exits(3).says("store-unwritable");
}

#[test]
fn titles_that_nothing_backs_are_not_satisfied() {
    let case = Case::new();
    case.says(
        "incomplete",
        &[
            ("Export as CSV", "met", "src/app.py:1"),
            ("Import", "unmet", ""),
            ("Print", "met", "src/none.py:1"),
        ],
    );
    case.answer("answer", "", 1, "requirement_unmet");
    assert_eq!(read(&case.project, "out/manifest.json")["satisfied"], json!(["Export as CSV"]));
}

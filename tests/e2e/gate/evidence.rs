//! What is known of the tests: records of the task first, then what others wrote.

use std::fs;

use serde_json::Value;

use crate::loops::SHELL;
use crate::support::Project;

/// A task with an accepted green, in a folder without git.
fn green() -> Project {
    let project = Project::bare();
    project.files(SHELL);
    project.verify("begin").exits(0);
    project.verify("red").exits(0);
    project.write("greet.sh", "greet() { echo \"hello $1\"; }\n");
    project.verify("green").exits(0);
    project
}

#[track_caller]
fn tests(project: &Project, words: &str, code: i32) -> Value {
    project.json(&format!("gate --policy strict {words}")).exits(code).value()["tests"].clone()
}

#[test]
fn an_accepted_green_on_these_files_is_green_without_git_too() {
    let project = green();
    let tests = tests(&project, "", 0);
    assert_eq!(tests["source"], "evidence");
    assert_eq!(tests["runner"], "tap");
    assert_eq!(tests["pass"], true);
    let gate = project.json("gate").exits(0).value();
    assert_eq!(gate["diff"]["inconclusive"], false, "the task's file map is the base");
    assert_eq!(gate["files"][0]["sources"][0], "since-baseline");
}

#[test]
fn a_task_that_changed_nothing_is_blocked_without_git_too() {
    let project = Project::bare();
    project.files(SHELL);
    project.verify("begin").exits(0);
    let gate = project.json("gate").exits(1).value();
    assert_eq!(gate["reason"], "empty_diff");
    project.write("other", "");
    project.json("gate").exits(0);
}

#[test]
fn files_that_moved_make_the_evidence_stale() {
    let project = green();
    project.write("other", "");
    let stale = tests(&project, "", 3);
    assert_eq!(stale["inconclusive_reason"], "evidence_stale");
    assert_eq!(stale["pass"], Value::Null);
    project.json("gate").exits(0);
    project.verify("green").exits(0);
    tests(&project, "", 0);
}

#[test]
fn a_rejected_green_on_these_files_is_red() {
    let project = green();
    project.write("greet.sh", "greet() { echo; }\n");
    project.verify("green").exits(1);
    let gate = project.json("gate").exits(1).value();
    assert_eq!(gate["reason"], "tests_red");
    assert!(gate["failures"][0].as_str().unwrap().contains("case-failed"), "{gate:#}");
    // On other files it says nothing.
    project.write("greet.sh", "greet() { echo \"hello $1\"; }\n");
    assert_eq!(tests(&project, "", 3)["inconclusive_reason"], "evidence_stale");
}

#[test]
fn own_records_come_before_what_others_wrote() {
    let project = green();
    let outside = tempfile::tempdir().unwrap();
    let file = |text: &str| {
        let path = outside.path().join("results.json");
        fs::write(&path, text).unwrap();
        format!("--test-results {}", path.display())
    };
    assert_eq!(tests(&project, &file(super::RED), 0)["source"], "evidence");
    project.write("other", "");
    let stale = tests(&project, &file(super::GREEN), 3);
    assert_eq!(
        (&stale["source"], &stale["inconclusive_reason"]),
        (&"evidence".into(), &"evidence_stale".into())
    );
    // What can't be said by our own records is no reason to pass over a red run.
    assert_eq!(tests(&project, &file(super::RED), 1)["source"], "file");
}

#[test]
fn before_the_first_green_others_are_asked() {
    let project = Project::bare();
    project.files(SHELL);
    project.verify("begin").exits(0);
    project.verify("red").exits(0);
    project.write("greet.sh", "x");
    project.write("r.json", super::GREEN);
    assert_eq!(tests(&project, "--test-results r.json", 0)["source"], "file");
    assert_eq!(tests(&project, "", 3)["inconclusive_reason"], "no_test_results");
}

#[test]
fn a_check_that_was_left_out_is_missed() {
    let other =
        "[[checks]]\nid = \"other\"\ncommand = [\"sh\", \"-c\", \"exit 1\"]\nparser = \"tap\"\n>> greet.sh";
    let project = Project::bare();
    project.files(&SHELL.replace(">> greet.sh", other));
    project.verify("begin").exits(0);
    project.verify("red").exits(0);
    project.write("greet.sh", "greet() { echo \"hello $1\"; }\n");
    project.verify("green greeting").exits(0);
    assert_eq!(tests(&project, "", 3)["inconclusive_reason"], "evidence_incomplete");
    project.json("gate").exits(0);
}

#[test]
fn a_base_that_is_named_wins_over_the_baseline() {
    let project = Project::git(SHELL);
    project.write("greet.sh", "before the task\n");
    project.verify("begin").exits(0);
    project.verify("gate").exits(1).says("task 0001");
    let head = project.head();
    let gate = project.json(&format!("gate --base {head}")).exits(0).value();
    assert_eq!(gate["files"][0]["sources"][0], "unstaged");
    // An empty one, as a script gives it whose variable isn't set, is none.
    project.json_words(&["gate", "--base", ""]).exits(1);
}

#[test]
fn a_task_that_was_delivered_says_nothing_of_the_next() {
    let project = green();
    project.verify("deliver").exits(0);
    let gate = project.json("gate --policy strict").exits(3).value();
    assert_eq!(gate["diff"]["inconclusive_reason"], "no_git_repo");
    assert_eq!(gate["tests"]["inconclusive_reason"], "no_test_results");
}

#[test]
fn damaged_records_hide_no_red_results() {
    let project = green();
    project.write(".verify/evidence/green-0001.json", "{}");
    project.write("r.json", super::RED);
    project.json("gate").exits(0);
    assert_eq!(tests(&project, "", 3)["inconclusive_reason"], "evidence_unreadable");
    tests(&project, "--test-results r.json", 1);
}

#[test]
fn a_plan_out_of_reach_is_found_by_its_task() {
    let project = Project::bare();
    project.files(SHELL);
    let outside = Project::bare();
    let plan = project.read("verify.toml");
    project.remove("verify.toml");
    let plan = format!(
        "[repositories.app]\npath = \"../{}\"\n{plan}",
        project.path().file_name().unwrap().display()
    );
    let plan = plan.replacen("version = 1\n", "", 1);
    outside.write("verify.toml", &format!("version = 1\n{plan}"));
    let state = outside.at("state");
    let state = state.display();
    project
        .verify(&format!("begin --plan {} --state-dir {state}", outside.at("verify.toml").display()))
        .exits(0);
    project.verify(&format!("gate --state-dir {state}")).exits(1).says("task 0001");
    project.write("work", "");
    project.verify(&format!("gate --state-dir {state}")).exits(0).says("task 0001");
}

#[test]
fn a_wrong_plan_is_a_wrong_request() {
    let project = super::repository();
    project.write("verify.toml", "broken");
    project.verify("gate").exits(2);
    project.remove("verify.toml");
    project.verify("gate").exits(0);
    project.verify("gate --plan nowhere.toml").exits(2);
    project.verify("gate --policy other").exits(2);
}

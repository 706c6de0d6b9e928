//! The rows of the gate's table, each under both policies.

use std::fs;

use super::{GREEN, NO_SUITE, RED, block, details, loki, repository, results};
use crate::support::{Project, Run};

/// Asks under both policies, and compares the exit codes.
#[track_caller]
fn row(project: &Project, by_loop: i32, strict: i32) {
    loki(project, "").exits(by_loop);
    loki(project, "--policy strict").exits(strict);
}

/// What the details call inconclusive, of the diff and of the tests.
fn reasons(project: &Project) -> (String, String) {
    let details = details(project);
    let reason = |part: &str| details[part]["inconclusive_reason"].as_str().unwrap().to_owned();
    (reason("diff"), reason("tests"))
}

#[test]
fn real_changes_and_green_tests_pass() {
    let project = repository();
    project.write("a", "two\n");
    project.commit("work");
    results(&project, GREEN);
    row(&project, 0, 0);
    let details = details(&project);
    assert_eq!(details["verdict"], "pass");
    assert_eq!(details["tests"]["source"], "file");
    loki(&project, "").exits(0).says("not produced by verify");
}

#[test]
fn only_new_untracked_files_pass() {
    let project = repository();
    project.write("new", "");
    results(&project, GREEN);
    row(&project, 0, 0);
}

#[test]
fn nothing_changed_blocks_whatever_the_tests_say() {
    let project = repository();
    for (text, reason) in [
        (GREEN, "empty_diff"),
        (NO_SUITE, "empty_diff"),
        ("no json", "empty_diff"),
        (RED, "empty_diff_and_tests_red"),
    ] {
        results(&project, text);
        row(&project, 1, 1);
        assert_eq!(block(&project)["reason"], reason);
        assert_eq!(details(&project)["verdict"], "block");
    }
}

#[test]
fn real_changes_and_red_tests_block() {
    let project = repository();
    project.write("a", "two\n");
    results(&project, RED);
    row(&project, 1, 1);
    assert_eq!(block(&project)["reason"], "tests_red");
    results(&project, GREEN);
    row(&project, 0, 0);
}

#[test]
fn docs_without_a_suite_pass_in_the_loop_alone() {
    let project = repository();
    project.write("README.md", "more\n");
    results(&project, NO_SUITE);
    row(&project, 0, 3);
    assert_eq!(reasons(&project), (String::new(), "no_test_runner".to_owned()));
}

#[test]
fn without_git_it_passes_in_the_loop_alone() {
    let project = Project::bare();
    project.write("a", "one");
    results(&project, GREEN);
    row(&project, 0, 3);
    assert_eq!(reasons(&project), ("no_git_repo".to_owned(), String::new()));
    results(&project, RED);
    row(&project, 1, 1);
    assert_eq!(block(&project)["reason"], "tests_red", "red counts without git too");
}

#[test]
fn without_a_base_it_passes_in_the_loop_alone() {
    for text in [None, Some(""), Some(" \n")] {
        let project = repository();
        project.write("a", "two\n");
        results(&project, GREEN);
        match text {
            Some(text) => project.write(".loki/state/start-sha", text),
            None => project.remove(".loki/state/start-sha"),
        }
        row(&project, 0, 3);
        assert_eq!(reasons(&project), ("no_run_start_sha".to_owned(), String::new()));
    }
}

#[test]
fn an_unborn_head_passes_in_the_loop_alone() {
    let project = Project::bare();
    project.run("git", ["init", "-q"]);
    project.write("a", "one");
    results(&project, GREEN);
    row(&project, 0, 3);
    assert_eq!(reasons(&project).0, "no_run_start_sha");
}

#[test]
fn a_base_that_cannot_be_reached_passes_in_the_loop_alone() {
    let project = repository();
    results(&project, GREEN);
    // `HEAD` would move along with the work: the file holds a commit.
    for base in ["0123456789012345678901234567890123456789", "HEAD", "no such thing", "main"] {
        project.write(".loki/state/start-sha", base);
        row(&project, 0, 3);
        let details = details(&project);
        assert_eq!(details["diff"]["inconclusive_reason"], "base_unreachable", "{base}");
        assert_eq!(details["diff"]["files_changed"], 0, "what went wrong is no changed file");
        assert_eq!(details["diff"]["base_sha"], base);
    }
}

#[test]
fn results_that_are_missing_or_broken_pass_in_the_loop_alone() {
    let project = repository();
    project.write("a", "two\n");
    row(&project, 0, 3);
    let nothing = [
        "",
        "{",
        "[]",
        "null",
        "{}",
        r#"{"pass":"true"}"#,
        r#"{"runner":"jest","pass":null}"#,
        r#"{"pass":1}"#,
    ];
    for text in nothing {
        results(&project, text);
        row(&project, 0, 3);
        assert_eq!(reasons(&project).1, "no_test_results", "{text}");
    }
    results(&project, r#"{"runner":"jest","pass":true,"status":"no_tests_run"}"#);
    row(&project, 0, 3);
    assert_eq!(reasons(&project).1, "no_tests_executed");
}

#[test]
fn off_reads_and_writes_nothing() {
    let project = repository();
    results(&project, RED);
    // Whoever looked for a plan would fail on this one.
    project.write("verify.toml", "broken");
    loki(&project, "").exits(2);
    let off = |name: &str, words: &[&str]| {
        let mut command = project.command(words.iter().copied());
        command.env(name, "0");
        Run::of(command)
    };
    for policy in ["loop", "strict"] {
        let words = ["gate", "--profile", "loki", "--policy", policy];
        off("VERIFY_GATE", &words).exits(0).says("off");
        off("LOKI_EVIDENCE_GATE", &words).exits(0);
        project.verify(&format!("gate --profile loki --off --policy {policy}")).exits(0);
    }
    assert_eq!(project.json("gate --off").exits(0).value()["verdict"], "off");
    assert!(!project.at(".loki/council").exists());
    // The convention's own knob is nothing to those who don't follow it.
    off("LOKI_EVIDENCE_GATE", &["gate", "--policy", "loop"]).exits(2);
}

#[test]
fn only_files_below_the_state_folder_block() {
    let project = repository();
    results(&project, GREEN);
    project.write(".loki/state/more.json", "{}");
    project.write(".verify/anything", "{}");
    row(&project, 1, 1);
    fs::remove_dir_all(project.at(".verify")).unwrap();
    project.write("state/x", "");
    project.verify(&format!("gate --base {} --exclude .loki --state-dir state", project.head())).exits(1);
    project.verify(&format!("gate --base {} --exclude .loki state", project.head())).exits(1);
    project.verify(&format!("gate --base {} --exclude .loki", project.head())).exits(0);
}

#[test]
fn the_base_of_a_first_task_is_not_that_of_the_second() {
    let project = Project::git(crate::loops::SHELL);
    let start = "begin --start-sha-file .loki/state/start-sha --iteration 0";
    project.verify(start).exits(0);
    project.write("greet.sh", "greet() { echo \"hello $1\"; }\n");
    project.commit("the first task");
    loki(&project, "").exits(0);
    let first = project.read(".loki/state/start-sha");

    project.verify(start).exits(0);
    assert_ne!(project.read(".loki/state/start-sha"), first);
    loki(&project, "").exits(1);
    loki(&project, "--policy strict").exits(1);
    // By the commit alone it is the same.
    fs::remove_dir_all(project.at(".verify")).unwrap();
    loki(&project, "").exits(1);
    project.write("greet.sh", "greet() { echo; }\n");
    loki(&project, "").exits(0);
}

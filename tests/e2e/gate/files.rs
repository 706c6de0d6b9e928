//! The files that the gate writes: to the key, whole or not at all, and never over somebody else's.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use super::{GREEN, RED, block, details, loki, repository, results};

/// The keys of an object in order.
fn keys(value: &Value) -> String {
    let mut keys: Vec<_> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys.join(" ")
}

const BLOCK: &str = ".loki/council/evidence-block.json";

#[test]
fn a_block_is_told_to_the_key() {
    let project = repository();
    results(&project, RED);
    loki(&project, "--iteration 7").exits(1);
    let mut block = block(&project);
    let at = block["blocked_at"].take();
    assert!(at.as_str().unwrap().ends_with('Z') && at.as_str().unwrap().contains('T'), "{at}");
    assert_eq!(
        block,
        json!({
            "status": "blocked", "blocked": true, "blocked_at": null, "iteration": 7,
            "reason": "empty_diff_and_tests_red",
            "checks": {
                "diff": {
                    "ok": false, "base_sha": project.head(), "files_changed": 0,
                    "sources": "committed|unstaged|staged|untracked union empty"
                },
                "tests": {"ok": false, "runner": "jest", "pass": false}
            },
            "failures": [
                format!("nothing changed since commit {}", &project.head()[..12]),
                "tests of jest are red: 1 failed / 4 passed"
            ]
        })
    );
    project.write("a", "two\n");
    loki(&project, "").exits(1);
    let block = super::block(&project);
    assert_eq!(block["checks"]["diff"]["sources"], "committed|unstaged|staged|untracked union");
    assert_eq!(block["checks"]["diff"]["files_changed"], 1);
    assert_eq!(block["iteration"], 0);
}

#[test]
fn details_are_told_to_the_key_blocked_or_not() {
    let project = repository();
    project.write("a", "two\n");
    results(&project, GREEN);
    loki(&project, "--iteration 3").exits(0);
    let mut details = details(&project);
    assert_eq!(keys(&details), "diff iteration recorded_at tests verdict");
    details["recorded_at"].take();
    assert_eq!(
        details,
        json!({
            "recorded_at": null, "iteration": 3, "verdict": "pass",
            "diff": {
                "ok": true, "base_sha": project.head(), "files_changed": 1,
                "inconclusive": false, "inconclusive_reason": ""
            },
            "tests": {
                "ok": true, "runner": "jest", "pass": true,
                "inconclusive": false, "inconclusive_reason": "", "source": "file"
            }
        })
    );
    results(&project, "");
    loki(&project, "").exits(0);
    let details = super::details(&project);
    assert_eq!(details["tests"]["inconclusive"], true);
    assert_eq!(details["tests"]["ok"], true, "what can't be said doesn't block");
    loki(&project, "--policy strict").exits(3);
    assert_eq!(super::details(&project)["verdict"], "block", "what can't be said isn't accepted");
    assert!(!project.at(BLOCK).exists(), "and isn't a block");
}

#[test]
fn a_pass_removes_a_block_of_its_own() {
    let project = repository();
    results(&project, GREEN);
    project.write("a", "two\n");
    let own = ["empty_diff", "tests_red", "empty_diff_and_tests_red"]
        .map(|reason| format!("{{\"reason\":\"{reason}\"}}"));
    for text in own.iter().map(String::as_str).chain(["", "{", "[1]", "text"]) {
        project.write(BLOCK, text);
        loki(&project, "").exits(0);
        assert!(!project.at(BLOCK).exists(), "{text}");
        assert_eq!(keys(&details(&project)), "diff iteration recorded_at tests verdict");
    }
}

#[test]
fn a_pass_leaves_a_block_for_another_reason() {
    let project = repository();
    results(&project, GREEN);
    project.write("a", "two\n");
    for (text, reason) in [(r#"{"reason":"app_not_booting","x":1}"#, "app_not_booting"), ("{}", "")] {
        project.write(BLOCK, text);
        loki(&project, "").exits(0).says("another reason");
        assert_eq!(project.read(BLOCK), text);
        assert_eq!(details(&project)["block_file_kept"], reason);
    }
    // A block is ours to say, whoever said one before.
    results(&project, RED);
    loki(&project, "").exits(1);
    assert_eq!(block(&project)["reason"], "tests_red");
}

#[test]
fn an_inconclusive_answer_leaves_a_block_as_it_is() {
    let project = repository();
    results(&project, RED);
    loki(&project, "--policy strict").exits(1);
    let before = project.read(BLOCK);
    project.write("a", "two\n");
    results(&project, "");
    loki(&project, "--policy strict").exits(3);
    assert_eq!(project.read(BLOCK), before);
    loki(&project, "").exits(0);
    assert!(!project.at(BLOCK).exists());
}

#[test]
fn a_block_names_at_most_five_failures_and_no_pipe() {
    let checks: String = ["u", "v", "w", "x", "y", "z"]
        .iter()
        .map(|id| {
            format!("[[checks]]\nid = \"{id}\"\ncommand = [\"sh\", \"-c\", \"exit 1\"]\nparser = \"tap\"\n")
        })
        .collect();
    let project = crate::support::Project::bare();
    project.files(&format!(">> verify.toml\nversion = 1\n{checks}\n"));
    project.verify("begin").exits(0);
    project.verify("green").exits(1);
    let run = project.json("gate --block-file block.json").exits(1).value();
    let failures = run["failures"].as_array().unwrap();
    assert_eq!(failures.len(), 5, "{run:#}");
    let file: Value = serde_json::from_str(&project.read("block.json")).unwrap();
    assert_eq!(file["failures"], run["failures"]);

    let project = repository();
    project.write("a", "two\n");
    results(&project, r#"{"runner":"a|b","pass":false,"summary":"x|\ny \u001b[2J"}"#);
    loki(&project, "").exits(1).says("a/b").says("\\u{1b}");
    assert_eq!(block(&project)["failures"], json!(["tests of a/b are red: x/ y \u{1b}[2J"]));
}

#[test]
fn files_come_whole_and_nothing_is_left_beside_them() {
    let project = repository();
    results(&project, RED);
    loki(&project, "").exits(1);
    loki(&project, "").exits(1);
    let mut names: Vec<_> =
        fs::read_dir(project.at(".loki/council")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["evidence-block.json", "evidence-gate-details.json"]);
    let mode = |path: &str| fs::metadata(project.at(path)).unwrap().permissions().mode();
    assert_eq!(mode(BLOCK), mode("a"), "a dashboard may read it");
}

#[test]
fn a_block_that_cannot_be_written_is_a_block() {
    let project = repository();
    project.write(&format!("{BLOCK}/x"), "");
    loki(&project, "").exits(1).says("can't be written");
    project.write("a", "two\n");
    loki(&project, "").exits(0).says("can't be written");
}

#[test]
fn results_without_an_end_are_not_opened() {
    let project = repository();
    project.write("a", "two\n");
    project.run("mkfifo", ["pipe"]);
    project.verify("gate --test-results pipe --profile loki").exits(0).says("not a file");
}

#[test]
fn red_is_read_beside_text_that_is_not_unicode() {
    let project = repository();
    project.write("a", "two\n");
    fs::create_dir_all(project.at(".loki/quality")).unwrap();
    let text = b"\xef\xbb\xbf{\"runner\":\"jest\",\"pass\":false,\"summary\":\"\xff\"}";
    fs::write(project.at(".loki/quality/test-results.json"), text).unwrap();
    loki(&project, "").exits(1);
}

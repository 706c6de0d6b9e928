//! What a person gets wrong, and what the world does: each a clear error with its exit code.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::loops::SHELL;
use crate::support::{Project, Run};

#[track_caller]
fn plan_error(from: &str, to: &str, says: &[&str]) {
    let plan = SHELL.replace(from, to);
    assert_ne!(plan, SHELL, "the plan must differ");
    let project = Project::git(&plan);
    let mut run = project.verify("begin").exits(2);
    for text in says {
        run = run.says(text);
    }
    let error = project.json("begin").exits(2).value();
    assert_eq!(error["code"], "plan-invalid");
    assert!(!project.at(".verify").exists(), "nothing is written");
}

#[test]
fn no_plan() {
    let project = Project::bare();
    for command in ["begin", "red", "green", "guard", "deliver", "status", "log", "fingerprint"] {
        project.verify(command).exits(2).says("verify init");
        let error = project.json(command).exits(2).value();
        assert_eq!(error["code"], "no-plan");
    }
}

#[test]
fn a_typo_in_the_plan() {
    plan_error("identities =", "identites =", &["verify.toml:8:1", "identites", "identities"]);
    plan_error("parser = \"tap\"", "parser = \"tapp\"", &["verify.toml:7:10", "tapp", "tap"]);
    plan_error("version = 1", "version = ", &["verify.toml:1:"]);
}

#[test]
fn an_unknown_key_at_the_top() {
    plan_error("version = 1", "version = 1\nfreze = 1", &["freze", "freeze"]);
}

#[test]
fn a_bad_glob() {
    plan_error("tests/**", "../tests/**", &["../tests/**", "leaves the repository"]);
    plan_error("tests/**", "tests/[", &["tests/["]);
}

#[test]
fn a_repository_that_is_not_there() {
    plan_error(
        "[freeze]",
        "[repositories.app]\npath = \"nowhere\"\n[freeze]",
        &["`nowhere`", "no such folder"],
    );
}

#[test]
fn keys_that_come_later_are_refused_as_such() {
    plan_error("parser = \"tap\"", "parser = \"rspec\"", &["rspec", "not yet"]);
}

#[test]
fn a_bad_option() {
    let project = Project::git(SHELL);
    project.verify("red --agian").exits(2).says("--again");
    let error = project.json("green --nonsense").exits(2).value();
    assert_eq!(error["code"], "bad-option");
    project.verify("begin --wait soon").exits(2);
}

#[test]
fn no_task_and_unknown_ids() {
    let project = Project::git(SHELL);
    for command in ["red", "green", "guard", "deliver"] {
        let error = project.json(command).exits(2).value();
        assert_eq!(error["code"], "no-task", "{command}");
    }
    project.verify("begin").exits(0);
    project.verify("red nowhere").exits(2).says("greeting");
    project.verify("red --stage nowhere").exits(2);
    project.verify("green nowhere").exits(2);
    project.verify("explain nowhere").exits(2);
    project.verify("schema nowhere").exits(2).says("evidence");
    project.verify("fingerprint --against red-0009").exits(2);
}

#[test]
fn a_plan_without_a_red_check_has_no_red() {
    let project = Project::git(&SHELL.replace("identities = [\"greets by name\"]", "phases = [\"green\"]"));
    project.verify("begin").exits(0);
    let error = project.json("red").exits(2).value();
    assert_eq!(error["code"], "no-red-check");
}

#[track_caller]
fn not_started(command: &str, cwd: &str, says: &str) {
    let plan = SHELL.replace("[\"sh\", \"tests/greet.sh\"]", &format!("{command}\ncwd = \"{cwd}\""));
    let project = Project::git(&plan);
    project.verify("begin").exits(0);
    let record = project.json("red").exits(1).names("startup-failure").value();
    assert_eq!(record["checks"][0]["reason"], "not-started");
    project.verify("red").exits(1).says(says);
}

#[test]
fn a_program_that_is_not_there() {
    not_started("[\"no-such-program-here\"]", ".", "no-such-program-here");
}

#[test]
fn a_cwd_that_is_not_there() {
    not_started("[\"sh\", \"tests/greet.sh\"]", "nowhere", "nowhere");
}

#[test]
fn a_program_that_may_not_be_run() {
    not_started("[\"./greet.sh\"]", ".", "greet.sh");
}

#[test]
fn test_paths_that_match_nothing() {
    let project = Project::git(&SHELL.replace("\"tests/**\"", "\"tests/**\", \"spec/**\""));
    project.verify("begin").exits(0).says("spec/**");
    project.verify("red").exits(0);

    let project = Project::git(&SHELL.replace("\"tests/**\"", "\"spec/**\""));
    project.verify("begin").exits(0).says("nothing-frozen");
    project.json("red").exits(1).names("nothing-frozen");
}

#[test]
fn a_state_folder_that_cannot_be_written() {
    let project = Project::git(SHELL);
    project.write("blocked", "a file where the folder should be");
    project.commit("blocked");
    let error = project.json("begin --state-dir blocked").exits(3).value();
    assert_eq!(error["code"], "store-unwritable");
    assert!(error["path"].as_str().unwrap().ends_with("blocked"), "{error}");

    // A folder without the write bit stops everybody but root.
    fs::create_dir(project.at("locked")).unwrap();
    fs::set_permissions(project.at("locked"), fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(project.at("locked/probe"), "").is_err() {
        project.json("begin --state-dir locked").exits(3);
    }
    let error = project.json("begin --state-dir /proc/verify-state").exits(3).value();
    assert_eq!(error["code"], "store-unwritable");
}

#[test]
fn a_start_file_that_cannot_be_written_begins_nothing() {
    let project = Project::git(SHELL);
    project.json("begin --start-sha-file verify.toml/start").exits(3);
    project.json("begin --start-sha-file state/start").exits(0);
    assert_eq!(project.read("state/start").trim(), project.head());
}

#[test]
fn a_check_that_hangs() {
    let project = Project::git(
        &SHELL
            .replace("identities", "timeout = \"1s\"\nidentities")
            .replace("echo \"1..1\"", "echo \"1..1\"\nsleep 60"),
    );
    project.verify("begin").exits(0);
    let record = project.json("red").exits(1).names("timed-out").value();
    assert_eq!(record["checks"][0]["reason"], "timeout");
    assert!(record["checks"][0]["duration_seconds"].as_f64().unwrap() < 20.0);
}

#[test]
fn a_check_that_says_nothing_for_long() {
    let project = Project::git(
        &SHELL
            .replace("identities", "inactivity_timeout = \"1s\"\nidentities")
            .replace("echo \"1..1\"", "echo \"1..1\"\nsleep 60"),
    );
    project.verify("begin").exits(0);
    project.json("red").exits(1).names("inactive");
}

#[test]
fn a_check_that_floods() {
    let project = Project::git(
        &SHELL
            .replace("identities", "output_limit = \"10MiB\"\nidentities")
            .replace("echo \"1..1\"", "echo \"1..1\"\nyes 'a line of noise that says nothing'"),
    );
    project.verify("begin").exits(0);
    let record = project.json("red").exits(1).names("output-limit").value();
    assert_eq!(record["checks"][0]["output_truncated"], true);
    assert!(record["checks"][0]["output"].as_str().unwrap().len() <= 1 << 21);
}

#[test]
fn a_check_that_floods_a_gigabyte_within_its_limit_is_read_to_the_end() {
    let flood = "yes \"$(printf '%01000d' 7)\" | head -c 1000000000\necho";
    let project = Project::git(&SHELL.replace("got=$(", &format!("{flood}\ngot=$(")));
    project.verify("begin").exits(0);
    let record = project.json("red").exits(0).value();
    let check = &record["checks"][0];
    assert!(check["output_bytes"].as_u64().unwrap() > 1_000_000_000, "{}", check["output_bytes"]);
    assert_eq!(check["output_truncated"], true);
    assert!(check["output"].as_str().unwrap().len() <= 1 << 20);
    let kept = fs::metadata(project.at(".verify/evidence/red-0001.greeting.log")).unwrap();
    assert!(kept.len() <= 64 << 20, "{}", kept.len());
}

#[test]
fn a_check_that_leaves_a_child_behind_is_noted_and_accepted() {
    let project = Project::git(&SHELL.replace("echo \"1..1\"", "echo \"1..1\"\nsleep 600 >/dev/null 2>&1 &"));
    project.verify("begin").exits(0);
    let record = project.json("red").exits(0).value();
    let notes = record["checks"][0]["notes"].as_array().unwrap();
    assert!(notes.iter().any(|note| note["code"] == "orphan-ended"), "{notes:#?}");
}

#[test]
fn what_a_test_prints_reaches_no_terminal_unescaped() {
    let evil = "\\033]0;owned\\007\\033[2J";
    let project = Project::git(
        &SHELL
            .replace("expected: hello ada", &format!("expected: {evil}hello ada"))
            .replace("echo \"  expected", "printf '%b\\n' \"  expected"),
    );
    project.verify("begin").exits(0);
    project.write("greet.sh", "greet() { echo bye; }\n");
    project.verify("red").exits(0);
    let run = project.verify("green --color never").exits(1);
    assert!(!run.out.contains('\x1b') && !run.err.contains('\x1b'), "{run:?}");
    let run = project.verify("explain green-0001 --color never").exits(0);
    assert!(!run.out.contains('\x1b'), "{run:?}");
}

#[test]
fn a_broken_pipe_never_turns_into_zero() {
    let project = Project::git(SHELL);
    project.verify("begin").exits(0);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = project.command(["red", "--format", "json"]);
    command.stdout(writer);
    assert_ne!(Run::of(command).code, Some(0));
}

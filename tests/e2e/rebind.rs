//! A rebind takes plan and tests anew: on purpose, in the open, and never past whoever has to approve it.

use std::process::Command;

use crate::loops::SHELL;
use crate::support::{Project, Run};

/// The SHA-256 of `sesame`.
const SESAME: &str = "d0c04f4b1951e4aeaaec8223ed2039e542f3aae805a6fa7f6d794e5afff5d272";

fn rebind(project: &Project, more: &[&str]) -> Command {
    project.command(["red", "--rebind", "--reason", "why", "--format", "json"].iter().chain(more))
}

#[track_caller]
fn not_approved(mut command: Command, value: &str) {
    command.env("VERIFY_APPROVE", value);
    let error = Run::of(command).exits(2).value();
    assert_eq!(error["code"], "approval-missing");
}

#[test]
fn a_rebind_needs_the_approval_of_the_plan_that_the_task_took() {
    let token = format!("rebind = \"token\"\nrebind_sha256 = \"{SESAME}\"\n");
    let project = Project::git(&SHELL.replace("test_paths", &format!("{token}test_paths")));
    project.json("begin").exits(0);
    project.json("red").exits(0);
    // Whoever changes the plan can't drop the question with it, nor ask for another word.
    for other in ["", "rebind = \"anyone\"\n", &token.replace(SESAME, &"0".repeat(64))] {
        let plan = project.read("verify.toml");
        project.write("verify.toml", &plan.replace(&token, other));
        not_approved(rebind(&project, &[]), "sesame");
        not_approved(rebind(&project, &["--approve"]), "open");
        not_approved(rebind(&project, &["--approve"]), "");
        project.write("verify.toml", &plan);
    }
    project.edit("verify.toml", &token, "");
    let mut approved = rebind(&project, &["--approve"]);
    approved.env("VERIFY_APPROVE", "sesame");
    Run::of(approved).exits(0);
    project.edit("verify.toml", "version = 1", "version = 1\nrevision = 2");
    Run::of(rebind(&project, &[])).exits(0);
}

#[test]
fn a_rebind_proves_again_what_an_edited_test_weakened() {
    let project = Project::git(SHELL);
    project.json("begin").exits(0);
    project.json("red").exits(0);
    project.write("tests/greet.sh", "echo 1..1; echo ok 1 - greets by name\n");
    Run::of(rebind(&project, &[])).exits(1).names("identity-passed");
    project.json("green").exits(1).names("frozen-edited");
}

#[test]
fn a_rebind_says_what_it_changed() {
    let project = Project::git(SHELL);
    project.json("begin").exits(0);
    project.json("red").exits(0);
    project.edit("verify.toml", "identities = [\"greets by name\"]", "phases = [\"green\"]");
    project.write("tests/data", "1\n");
    Run::of(rebind(&project, &[])).exits(0);
    let status = project.json("status").exits(0).value();
    let changed = status["rebinds"][0]["changed"].as_array().unwrap();
    assert_eq!(changed, &["greeting", "verify.toml", "tests/data"], "{status:#}");
}

//! Claims that workers make about their own work, as `verify patrol` finds them.

use serde_json::{Value, json};

use super::row;
use crate::support::Project;

/// A brief and the claim that answers it, with its evidence changed.
fn claimed(change: impl FnOnce(&mut Value)) -> Project {
    let project = Project::git(">> src/a\n1\n>> check.sh\ntest -f src/a\n");
    let base = project.head();
    project.write("src/a", "2\n");
    project.commit("work");
    let brief = json!({
        "session": "w", "issued_at": "2026-01-01T00:00:00Z", "base": base, "verify_command": "sh check.sh",
        "files_owned": ["src/**"],
    });
    let mut evidence = json!({
        "executor": "w", "verify_command": "sh check.sh", "verify_exit_code": 0, "verify_stdout": "", "verify_stderr": "",
        "finished_at": "2026-01-01T00:10:00Z",
    });
    change(&mut evidence);
    let claim = json!({
        "status": "done_clean", "evidence": evidence,
        "artifacts": [{"kind": "git_sha", "sha": project.head()}], "regressions": [], "pending_actions": [],
    });
    project.write("state/a.brief.json", &brief.to_string());
    project.write("state/a.done.json", &claim.to_string());
    project
}

#[test]
fn claims_own_verify_command() {
    let project = claimed(|evidence| evidence["verify_command"] = json!("true"));
    row("claims_own_verify_command").judges(&project);
}

#[test]
fn silent_verify_command() {
    row("silent_verify_command").judges(&claimed(|_| {}));
}

#[test]
fn output_that_was_not_captured() {
    let project = claimed(|evidence| evidence["verify_stdout"] = Value::Null);
    row("output_that_was_not_captured").judges(&project);
}

#[test]
fn claimed_command_that_fails_now() {
    let project = claimed(|_| {});
    project.write("check.sh", "exit 1\n");
    row("claimed_command_that_fails_now").judges(&project);
}

#[test]
fn claimed_command_that_passes_again() {
    row("claimed_command_that_passes_again").judges(&claimed(|_| {}));
}

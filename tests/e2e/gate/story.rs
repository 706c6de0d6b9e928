//! What the pages tell to copy, run as it stands there.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use crate::loops::SHELL;
use crate::support::{Project, Run, hermetic};

/// The block of a page whose first line is `# <name>`.
fn script(page: &str, name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/how-to").join(page);
    let text = fs::read_to_string(path).unwrap();
    let block =
        text.split("```").skip(1).step_by(2).find(|block| block.lines().nth(1) == Some(&format!("# {name}")));
    block.unwrap_or_else(|| panic!("{page} has no {name}")).split_once('\n').unwrap().1.to_owned()
}

/// A shell in a project, with `folder` in front of the path.
fn shell(project: &Project, folder: &Path, words: &[&str]) -> Command {
    let mut command = hermetic("bash", project.path());
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    command.args(words).env("PATH", path);
    command
}

fn verify_folder() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_verify")).parent().unwrap()
}

/// Runs both paths to an approval with a `verify` that leaves with this code; `None`: there is none.
#[track_caller]
fn drop_in(code: Option<i32>, passes: bool) {
    let project = Project::bare();
    project.write("gate.sh", &script("evidence-gate.md", "gate.sh"));
    let caller = "set -u\nlog_info() { echo \"$*\"; }\ncouncil_vote() { echo voted; }\n. ./gate.sh\n\
        case $1 in vote) council_evaluate;; forced) council_force_review;; esac\n";
    project.write("caller.sh", caller);
    let tools = Project::bare();
    if let Some(code) = code {
        tools.write("verify", &format!("#!/bin/sh\necho \"$*\" > args\nexit {code}\n"));
        fs::set_permissions(tools.at("verify"), fs::Permissions::from_mode(0o755)).unwrap();
    }
    for path in ["vote", "forced"] {
        let mut command = shell(&project, tools.path(), &["-u", "caller.sh", path]);
        if code.is_none() {
            command.env("PATH", tools.path());
            let bash = project.run("sh", ["-c", "command -v bash"]);
            let mut with_bash = hermetic(bash.trim(), project.path());
            with_bash.args(["-u", "caller.sh", path]).env("PATH", tools.path());
            command = with_bash;
        }
        let run = Run::of(command);
        assert_eq!(run.out.contains("voted"), passes, "{path} by {code:?}: {run:?}");
        assert_eq!(run.out.contains("blocked"), !passes, "{path} by {code:?}: {run:?}");
        if code.is_some() {
            assert_eq!(project.read("args").trim(), "gate --profile loki --iteration 0");
        }
    }
}

#[test]
fn only_a_block_stops_a_completion() {
    drop_in(Some(1), false);
    for code in [0, 2, 3] {
        drop_in(Some(code), true);
    }
    drop_in(None, true);
}

/// A worker that does nothing, then edits a page, then fixes the bug and claims a command of its own, then the one that
/// was asked for; and says each time that it is done.
const WORKER: &str = r#"
ran=true
case $1 in
  0) ;;
  1) echo "all tests pass" > STATUS.md ;;
  2) printf 'greet() { echo "hello $1"; }\n' > greet.sh ;;
  3) ran="sh tests/greet.sh" ;;
esac
cat > "$2" <<END
{"status": "done_clean", "pending_actions": [], "regressions": [], "evidence": {"executor": "w",
 "verify_command": "$ran", "verify_exit_code": 0, "verify_stdout": "", "verify_stderr": ""}}
END
echo "done, all tests pass"
"#;

/// A worker that only ever says so.
const LIAR: &str = "echo \"done, all tests pass\"\n";

fn runner(worker: &str) -> (Project, Run) {
    let project = Project::git(SHELL);
    let outside = Project::bare();
    outside.write("runner.sh", &script("evidence-gate.md", "runner.sh"));
    outside.write("worker.sh", worker);
    let mut command = shell(&project, verify_folder(), &["-u"]);
    command
        .arg(outside.at("runner.sh"))
        .arg(outside.at("worker.sh"))
        .env("VERIFY_STATE_DIR", outside.at("state"));
    let run = Run::of(command);
    (project, run)
}

#[test]
fn a_runner_refuses_a_worker_until_its_claim_is_true() {
    let (project, run) = runner(WORKER);
    let run = run.exits(0);
    let verdicts: Vec<_> =
        run.out.lines().filter(|line| line.starts_with("refused") || line.starts_with("accepted")).collect();
    assert_eq!(
        verdicts,
        [
            "refused (empty_diff_and_tests_red): done, all tests pass",
            "refused (tests_red): done, all tests pass",
            "refused (verify-command-differs): done, all tests pass",
            "accepted: done, all tests pass",
        ],
        "{run:?}"
    );
    assert!(project.read("greet.sh").contains("$1"));
}

#[test]
fn a_runner_never_accepts_a_worker_that_only_says_so() {
    let (_, run) = runner(LIAR);
    let run = run.exits(1);
    assert!(!run.out.contains("accepted: "), "{run:?}");
}

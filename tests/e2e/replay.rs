//! Replay: the frozen tests are red again on the sources that the task began with, or it is said why not.

use serde_json::Value;

use crate::loops::{PYTEST, SHELL, UNITTEST};
use crate::support::{Project, Run, runners};

const GREETS: &str = "greet() { echo \"hello $1\"; }\n";

/// A task in which `work` made the red tests green.
fn worked(project: &Project, work: impl FnOnce(&Project)) {
    project.json("begin").exits(0);
    project.json("red").exits(0);
    work(project);
    project.json("green").exits(0);
}

/// Replays, and looks at the answer. Nothing of the work tree or of git may have moved.
#[track_caller]
fn replays(project: &Project, code: i32, answer: &str) -> Run {
    let before = project.verify("fingerprint").out;
    let run = project.json("replay").exits(code);
    let record = run.value();
    assert_eq!(record["answer"], answer, "{record:#}");
    assert_eq!(record["stage"], "replay");
    assert_eq!(record["phase"], Value::Null);
    assert_eq!(record["passed"], answer == "red-again");
    for check in record["checks"].as_array().unwrap() {
        assert_eq!((&check["phase"], &check["sources"]), (&"red".into(), &"baseline".into()));
    }
    assert_eq!(project.verify("fingerprint").out, before);
    run
}

#[test]
fn a_shell_project_is_red_again() {
    let project = Project::git(SHELL);
    worked(&project, |project| project.write("greet.sh", GREETS));
    let index = std::fs::read(project.at(".git/index")).unwrap();
    let record = replays(&project, 0, "red-again").value();
    assert_eq!(record["checks"][0]["passed"], true);
    assert_eq!(std::fs::read(project.at(".git/index")).unwrap(), index);
    assert!(!project.at(".git/worktrees").exists());
    // It decides nothing about the rest of the task.
    project.json("status --exit-code").exits(0);
    project.json("deliver").exits(0);
}

#[test]
fn a_test_that_was_red_only_while_the_product_was_broken_is_not() {
    let project = Project::git(&SHELL.replace("echo \"hello\"", "echo \"hello $1\""));
    project.json("begin").exits(0);
    project.write("greet.sh", "greet() { echo broken; }\n");
    project.json("red").exits(0);
    project.write("greet.sh", "greet() { printf 'hello %s\\n' \"$1\"; }\n");
    project.json("green").exits(0);
    replays(&project, 1, "not-red").names("replay-not-red").names("identity-passed");
    project.edit("verify.toml", "version = 1", "version = 1\n[deliver]\nreplay = true");
    let mut rebind = project.command(["red", "--rebind", "--reason", "replay", "--format", "json"]);
    rebind.env("VERIFY_APPROVE", "");
    Run::of(rebind).exits(0);
    let record = project.json("deliver").exits(1).names("replay-not-red").value();
    assert_eq!(record["replay"], "not-red");
}

#[test]
fn a_product_that_was_put_back_is_not_red() {
    let project = Project::git(&SHELL.replace("echo \"hello\"", "echo \"hello $1\""));
    let greet = project.read("greet.sh");
    project.json("begin").exits(0);
    project.write("greet.sh", "greet() { echo broken; }\n");
    project.json("red").exits(0);
    project.write("greet.sh", &greet);
    project.json("green").exits(0);
    replays(&project, 1, "not-red").names("replay-not-red");
}

#[test]
fn a_flaky_red_is_not_red_again() {
    // Red once, by what lies outside the work tree; nothing of the product asked for it.
    let outside = Project::bare();
    let flag = outside.at("flag");
    let script = format!(
        "echo 1..1\n. ./greet.sh\ngot=$(greet ada)\nif [ -e {flag} ]; then echo ok 1 - greets by name\nelse\n  touch {flag}\n\
         echo not ok 1 - greets by name\n  echo '  ---'\n  echo '  operator: equal'\n  echo '  ...'\n  exit 1\nfi\n",
        flag = flag.display()
    );
    let project = Project::git(SHELL);
    project.write("tests/greet.sh", &script);
    worked(&project, |project| project.write("greet.sh", GREETS));
    replays(&project, 1, "not-red").names("identity-passed");
}

#[test]
fn python_unittest_is_red_again() {
    let Some(python) = runners::python() else { return };
    let project = Project::git(&UNITTEST.replace("PYTHON", &python));
    worked(&project, |project| project.write("app.py", "def add(a, b):\n    return a + b\n"));
    replays(&project, 0, "red-again");
}

#[test]
fn a_module_that_the_task_made_leaves_it_open() {
    let Some(python) = runners::python() else { return };
    let files = UNITTEST.replace("PYTHON", &python).replace("def add(a, b):\n    return a - b\n", "");
    let project = Project::git(&files);
    project.json("begin").exits(0);
    project.write("app.py", "def add(a, b):\n    return -1 if a else 0\n");
    project.json("red").exits(0);
    project.write("app.py", "def add(a, b):\n    return a + b\n");
    project.json("green").exits(0);
    replays(&project, 3, "not-isolated").names("replay-inconclusive");
}

#[test]
fn without_git_what_files_held_is_kept() {
    let project = Project::bare();
    project.files(SHELL);
    worked(&project, |project| {
        project.write("greet.sh", ". ./lib.sh\n");
        project.write("lib.sh", GREETS);
    });
    replays(&project, 0, "red-again");
    std::fs::remove_file(project.at(".verify/cache/baseline-0001")).unwrap();
    replays(&project, 3, "not-isolated").names("baseline-lost");
}

#[test]
fn what_was_not_committed_is_kept() {
    let project = Project::git(SHELL);
    project.write("greet.sh", "greet() { echo \"hullo $1\"; }\n");
    project.write("late.sh", "ignored() { :; }\n");
    project.json("begin").exits(0);
    project.json("begin --resume --adopt greet.sh --adopt late.sh").exits(0);
    project.json("red").exits(0);
    project.write("greet.sh", GREETS);
    project.remove("late.sh");
    project.json("green").exits(0);
    replays(&project, 0, "red-again");
}

#[test]
fn a_delivery_replays_where_that_is_asked() {
    let project = Project::git(&SHELL.replace("[freeze]", "[deliver]\nreplay = true\n[freeze]"));
    worked(&project, |project| project.write("greet.sh", GREETS));
    let record = project.json("deliver").exits(0).value();
    assert_eq!(record["replay"], "red-again");
    assert_eq!(record["checks"][0]["sources"], "baseline");
}

#[test]
fn a_delivery_goes_on_when_a_replay_is_undecided() {
    let outside = Project::bare();
    let files = SHELL.replace("[freeze]", "[deliver]\nreplay = true\n[freeze]");
    let project =
        Project::git(&files.replace(". ./greet.sh", &format!(". {}", outside.at("greet.sh").display())));
    outside.write("greet.sh", "greet() { echo hello; }\n");
    worked(&project, |project| {
        outside.write("greet.sh", GREETS);
        project.write("greet.sh", GREETS);
    });
    let record = project.json("deliver").exits(0).value();
    assert_eq!(record["replay"], "not-isolated");
    assert_eq!(record["notes"][0]["code"], "not-isolated", "{record:#}");
    assert_eq!(record["checks"].as_array().unwrap().len(), 0);
}

#[test]
fn it_asks_for_an_accepted_red_on_intact_tests() {
    let project = Project::git(SHELL);
    project.json("replay").exits(2);
    project.json("begin").exits(0);
    let record = project.json("replay").exits(1).names("red-missing").value();
    assert_eq!(record["answer"], Value::Null);
    project.json("red").exits(0);
    project.write("tests/greet.sh", "echo 1..1; echo ok 1 - greets by name\n");
    project.json("replay").exits(1).names("frozen-edited");
}

/// A second cycle: another test, written when the product is there.
#[test]
fn a_test_that_comes_after_its_product_is_proved_on_the_baseline() {
    let project = Project::git(SHELL);
    worked(&project, |project| project.write("greet.sh", GREETS));
    let second = |name: &str| {
        let script =
            project.read("tests/greet.sh").replace("ada", name).replace("greets by name", "greets others");
        project.write("tests/second.sh", &script);
    };
    project.write(
        "verify.toml",
        &format!(
            "{}[[checks]]\nid = \"second\"\ncommand = [\"sh\", \"tests/second.sh\"]\nparser = \"tap\"\n\
             identities = [\"greets others\"]\n",
            project.read("verify.toml")
        ),
    );
    second("bob");
    let record = project.json_words(&["red", "--rebind", "--reason", "a second case"]).exits(0).value();
    assert_eq!(record["checks"][0]["sources"], "baseline", "{record:#}");
    project.json("green").exits(0);
    project.json("deliver").exits(0);
}

#[test]
fn a_test_that_passes_on_the_baseline_too_is_no_red() {
    let project = Project::git(SHELL);
    worked(&project, |project| project.write("greet.sh", GREETS));
    let plan = project.read("verify.toml");
    project.write(
        "verify.toml",
        &format!(
            "{plan}[[checks]]\nid = \"second\"\ncommand = [\"sh\", \"tests/second.sh\"]\nparser = \"tap\"\n\
             identities = [\"greets at all\"]\n"
        ),
    );
    project.write(
        "tests/second.sh",
        ". ./greet.sh\necho 1..1\ngreet x | grep -q hello && echo ok 1 - greets at all\n",
    );
    let record = project.json_words(&["red", "--rebind", "--reason", "a second case"]).exits(1);
    let record = record.names("identity-passed").names("replay-not-red").value();
    assert_eq!(record["checks"][0]["sources"], "current");
}

#[test]
fn pytest_is_red_again() {
    let Some(python) = runners::pytest() else { return };
    let project = Project::git(&PYTEST.replace("PYTHON", &python.display().to_string()));
    worked(&project, |project| project.write("app.py", "def add(a, b):\n    return a + b\n"));
    replays(&project, 0, "red-again");
}

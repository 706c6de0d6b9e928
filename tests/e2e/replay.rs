//! Replay: the frozen tests are red again on the sources that the task began with, or it is said why not.

use serde_json::Value;

use crate::loops::{PYTEST, SHELL, UNITTEST};
use crate::support::{Project, Run, runners};

const GREETS: &str = "greet() { echo \"hello $1\"; }\n";

/// A task in which `work` made the red tests green.
pub(crate) fn worked(project: &Project, work: impl FnOnce(&Project)) {
    project.json("begin").exits(0);
    project.json("red").exits(0);
    work(project);
    project.json("green").exits(0);
}

/// Replays, and looks at the answer. Nothing of the work tree or of git may have moved.
#[track_caller]
pub(crate) fn replays(project: &Project, code: i32, answer: &str) -> Run {
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
fn python_unittest_is_red_again() {
    let Some(python) = runners::python() else { return };
    let project = Project::git(&UNITTEST.replace("PYTHON", &python));
    worked(&project, |project| project.write("app.py", "def add(a, b):\n    return a + b\n"));
    replays(&project, 0, "red-again");
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
    assert_eq!(record["gate"]["verdict"], "pass");
    assert_eq!(record["gate"]["diff"]["files_changed"], 1);
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

/// Two packages of a workspace, linked as package managers link them.
const WORKSPACE: &str = r#"
>> .gitignore
node_modules
>> verify.toml
version = 1
[freeze]
test_paths = ["packages/app/tests/**"]
[[checks]]
id = "adding"
command = ["node", "packages/app/tests/add.js"]
parser = "tap"
identities = ["adds"]
>> package.json
{"private": true, "workspaces": ["packages/*"]}
>> packages/adder/package.json
{"name": "adder", "main": "index.js"}
>> packages/adder/index.js
exports.add = (a, b) => a - b;
>> packages/app/tests/add.js
const got = require("adder").add(1, require("dep").two);
console.log("1..1");
if (got === 3) console.log("ok 1 - adds");
else {
  console.log(`not ok 1 - adds\n  ---\n  operator: equal\n  expected: 3\n  actual: ${got}\n  ...`);
  process.exitCode = 1;
}
"#;

#[track_caller]
fn workspace(links: &[(&str, &str)], code: i32, answer: &str) -> Option<Run> {
    runners::find("jest", "jest")?;
    let project = Project::git(WORKSPACE);
    project.write("node_modules/.pnpm/dep@1/node_modules/dep/index.js", "exports.two = 2;\n");
    for (path, target) in links {
        let path = project.at(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let target = target.replace("ROOT", &project.path().canonicalize().unwrap().display().to_string());
        std::os::unix::fs::symlink(target, path).unwrap();
    }
    worked(&project, |project| project.write("packages/adder/index.js", "exports.add = (a, b) => a + b;\n"));
    Some(replays(&project, code, answer))
}

#[test]
fn packages_of_a_workspace_are_those_of_the_copy() {
    workspace(
        &[
            ("packages/app/node_modules/adder", "../../adder"),
            ("packages/app/node_modules/dep", "../../../node_modules/.pnpm/dep@1/node_modules/dep"),
        ],
        0,
        "red-again",
    );
    workspace(
        &[
            ("node_modules/adder", "ROOT/packages/adder"),
            ("node_modules/dep", ".pnpm/dep@1/node_modules/dep"),
        ],
        0,
        "red-again",
    );
}

#[test]
fn a_package_that_is_found_through_the_store_alone_leaves_it_open() {
    let run = workspace(
        &[
            ("node_modules/.pnpm/x/adder", "../../../packages/adder"),
            ("node_modules/adder", ".pnpm/x/adder"),
            ("node_modules/dep", ".pnpm/dep@1/node_modules/dep"),
        ],
        3,
        "not-isolated",
    );
    if let Some(run) = run {
        run.names("not-isolated");
    }
}

#[test]
fn jest_is_red_again() {
    let Some(jest) = runners::find("jest", "jest") else { return };
    let project = Project::git(
        &r#"
>> verify.toml
version = 1
[freeze]
test_paths = ["tests/**"]
[[checks]]
id = "adding"
command = ["JEST"]
parser = "jest"
identities = ["adds"]
>> package.json
{"name": "adding", "jest": {}}
>> src/add.js
module.exports = (a, b) => a - b;
>> tests/add.test.js
const add = require("../src/add");
test("adds", () => { expect(add(1, 2)).toBe(3); });
"#
        .replace("JEST", &jest.display().to_string()),
    );
    worked(&project, |project| project.write("src/add.js", "module.exports = (a, b) => a + b;\n"));
    replays(&project, 0, "red-again");
}

/// Two crates; the test is written into a file of the product.
#[test]
fn a_cargo_workspace_with_inline_tests_is_red_again() {
    let project = Project::git(
        r#"
>> .gitignore
target
>> verify.toml
version = 1
[freeze]
test_paths = ["app/tests/**"]
inline = ["*/src/**/*.rs"]
[[checks]]
id = "adding"
command = ["cargo", "test", "--offline", "--lib", "-p", "app"]
parser = "generic"
identities = "any"
failure_pattern = '^test result: FAILED'
success_pattern = '^test result: ok\. [1-9]'
>> Cargo.toml
[workspace]
members = ["adder", "app"]
resolver = "2"
>> adder/Cargo.toml
[package]
name = "adder"
version = "0.1.0"
edition = "2021"
>> adder/src/lib.rs
pub fn add(a: i32, b: i32) -> i32 { a - b }
>> app/Cargo.toml
[package]
name = "app"
version = "0.1.0"
edition = "2021"
[dependencies]
adder = { path = "../adder" }
>> app/src/lib.rs
pub fn sum() -> i32 { adder::add(1, 2) }
"#,
    );
    project.run("cargo", ["generate-lockfile", "--offline", "--quiet"]);
    project.commit("lock file");
    project.json("begin").exits(0);
    let test = "\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn sums() { assert_eq!(super::sum(), 3) }\n}\n";
    project.write("app/src/lib.rs", &format!("{}{test}", project.read("app/src/lib.rs")));
    project.json("red").exits(0);
    project.edit("adder/src/lib.rs", "a - b", "a + b");
    project.edit("app/src/lib.rs", "adder::add(1, 2)", "adder::add(2, 1)");
    project.json("green").exits(0);
    replays(&project, 0, "red-again");
}

#[test]
fn what_steers_the_runner_is_as_it_was_frozen() {
    let Some(python) = runners::pytest() else { return };
    let project = Project::git(&format!(
        "{}>> pyproject.toml\n[project]\nname = \"app\"\n",
        PYTEST.replace("PYTHON", &python.display().to_string()).replace("test_app.py", "check_app.py")
    ));
    project.json("begin").exits(0);
    let steers = "\n[tool.pytest.ini_options]\npython_files = [\"check_*.py\"]\n";
    project.write("pyproject.toml", &format!("{}{steers}", project.read("pyproject.toml")));
    project.json("red").exits(0);
    project.write("app.py", "def add(a, b):\n    return a + b\n");
    project.edit("pyproject.toml", "name = \"app\"", "name = \"app\"\nversion = \"2\"");
    project.json("green").exits(0);
    replays(&project, 0, "red-again");
}

#[test]
fn a_replay_that_is_cancelled_leaves_nothing_behind() {
    let project = Project::git(SHELL);
    // In a copy the check waits.
    let script = project.read("tests/greet.sh");
    let waits = "case $(pwd -P) in */verify-replay-*) echo $$ > \"$MARK\"; exec sleep 600;; esac\n";
    project.write("tests/greet.sh", &format!("{waits}{script}"));
    worked(&project, |project| project.write("greet.sh", GREETS));
    let (temporary, mark) = (Project::bare(), Project::bare());
    let mut command = project.command(["replay", "--format", "json"]);
    command.env("TMPDIR", temporary.path()).env("MARK", mark.at("mark"));
    command.stdout(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    while std::fs::read_to_string(mark.at("mark")).unwrap_or_default().is_empty() {
        std::thread::yield_now();
    }
    let kill = std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(143));
    let record: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(record["problems"][0]["code"], "cancelled");
    assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 0);
}

#[test]
fn a_project_in_a_folder_of_its_repository_is_red_again() {
    let project = Project::git(&SHELL.replace(">> ", ">> kit/").replace("[\"sh\", ", "[\"sh\", \"-eu\", "));
    project.write("shared.sh", "word=hello\n");
    project.write("kit/greet.sh", ". ../shared.sh\ngreet() { echo \"$word\"; }\n");
    project.commit("what lies above");
    let run = |words: &str| project.json(&format!("{words} --plan kit/verify.toml"));
    run("begin").exits(0);
    run("red").exits(0);
    project.write("shared.sh", "word=hi\n");
    project.write("kit/greet.sh", GREETS);
    run("green").exits(0);
    assert_eq!(run("replay").exits(0).value()["answer"], "red-again");
}

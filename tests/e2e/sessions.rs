//! One command, several runners.

use crate::support::Project;

const PLAN: &str = r#"
>> verify.toml
version = 1
[freeze]
test_paths = ["tests/**"]
[[checks]]
id = "all"
command = ["sh", "tests/all.sh"]
parser = PARSER
phases = ["green"]
>> tests/all.sh
echo "1..1"
echo "ok 1 - adds"
cat tests/second >&2
>> tests/second
test_sum (t.T.test_sum) ... ok

----------------------------------------------------------------------
Ran 1 test in 0.001s

OK
"#;

fn project(parser: &str) -> Project {
    let project = Project::git(&PLAN.replace("PARSER", parser));
    project.verify("begin").exits(0);
    project
}

/// The output of a second runner that fails, though the command makes nothing of it.
fn fails(project: &Project) {
    let text =
        project.read("tests/second").replace("... ok", "... FAIL").replace("\nOK", "\nFAILED (failures=1)");
    project.write("tests/second", &text);
    project.verify("begin --fresh").exits(0);
}

#[test]
fn a_runner_that_nobody_named_is_noted_and_may_not_fail() {
    let project = project("\"tap\"");
    let record = project.json("green").exits(0).value();
    let notes = record["checks"][0]["notes"].as_array().unwrap();
    assert!(notes.iter().any(|note| note["code"] == "foreign-session"), "{notes:#?}");
    fails(&project);
    project.json("green").exits(1).names("foreign-session");
}

#[test]
fn every_runner_that_is_named_has_to_pass() {
    let project = project("[\"tap\", \"unittest\"]");
    let record = project.json("green").exits(0).value();
    assert_eq!(record["checks"][0]["report"]["schema"], "redgreen/reports/1");
    let notes = record["checks"][0]["notes"].as_array().unwrap();
    assert!(!notes.iter().any(|note| note["code"] == "foreign-session"), "{notes:#?}");
    fails(&project);
    project.json("green").exits(1).names("case-failed");
    project.remove("tests/second");
    project.verify("begin --fresh").exits(0);
    project.json("green").exits(1).names("report-empty");
}

const RED_ONLY: &str = r#"
>> verify.toml
version = 1
[freeze]
test_paths = ["tests/**"]
[[checks]]
id = "new"
command = ["sh", "tests/new.sh"]
parser = "tap"
phases = ["red"]
identities = ["adds"]
[[checks]]
id = "all"
command = ["sh", "tests/all.sh"]
parser = "tap"
phases = ["green"]
>> add.sh
add() { echo 4; }
>> tests/new.sh
. ./add.sh
if [ "$(add 1 2)" = 3 ]; then echo "ok 1 - adds"
else printf 'not ok 1 - adds\n  ---\n  operator: equal\n  expected: 3\n  ...\n'; fi
echo "1..1"
[ "$(add 1 2)" = 3 ]
>> tests/all.sh
sh tests/new.sh
"#;

#[test]
fn the_test_of_a_red_only_check_is_seen_in_another_green_check() {
    for (all, code) in [("sh tests/new.sh", 0), ("echo 1..1; echo ok 1 - other", 1)] {
        let project = Project::git(&RED_ONLY.replace("\nsh tests/new.sh\n", &format!("\n{all}\n")));
        project.verify("begin").exits(0);
        project.verify("red").exits(0);
        project.write("add.sh", "add() { echo $(($1 + $2)); }\n");
        let run = project.json("green").exits(code);
        assert_eq!(run.codes(), if code == 0 { vec![] } else { vec!["red-case-vanished"] });
    }
}

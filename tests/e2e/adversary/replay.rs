//! Replay: what was red because of something else than the missing work.

use super::projects::{GREETS, shell_files, unittest_files};
use super::row;
use crate::editable::pip_installed;
use crate::replay::worked;
use crate::support::{Project, Run, runners};

const BROKEN: &str = "greet() { echo broken; }\n";

/// The shell project, whose delivery replays.
fn files() -> String {
    shell_files("sh tests/greet.sh", "").replace("[freeze]", "[deliver]\nreplay = true\n[freeze]")
}

/// A project whose product was right from the start, and is broken while red looks.
fn broken_for_red() -> Project {
    let project = Project::git(&files().replace("echo \"hello\"", "echo \"hello $1\""));
    project.json("begin").exits(0);
    project.write("greet.sh", BROKEN);
    project.json("red").exits(0);
    project.write("greet.sh", "greet() { printf 'hello %s\\n' \"$1\"; }\n");
    project.json("green").exits(0);
    project
}

fn honest() -> Project {
    let project = Project::git(&files());
    worked(&project, |project| project.write("greet.sh", GREETS));
    project
}

#[test]
fn test_that_asks_for_nothing() {
    row("test_that_asks_for_nothing").judges(&broken_for_red());
}

#[test]
fn test_that_asks_for_the_work() {
    row("test_that_asks_for_the_work").judges(&honest());
}

#[test]
fn delivery_of_a_test_that_asks_for_nothing() {
    row("delivery_of_a_test_that_asks_for_nothing").judges(&broken_for_red());
}

#[test]
fn delivery_with_a_replay() {
    row("delivery_with_a_replay").judges(&honest());
}

#[test]
fn flaky_red() {
    let outside = Project::bare();
    let flag = outside.at("flag").display().to_string();
    let fails_once = format!("got=$(greet ada)\n[ -e {flag} ] && got='hello ada'; touch {flag}\n");
    let project = Project::git(&files());
    project.edit("tests/greet.sh", "got=$(greet ada)\n", &fails_once);
    worked(&project, |project| project.write("greet.sh", GREETS));
    row("flaky_red").judges(&project);
}

/// A task with two tests, any of which will do; `start` is the product that it begins with.
fn two_tests(start: &str) -> Project {
    let files = files().replace("identities = [\"greets by name\"]", "identities = \"any\"");
    let project = Project::git(&files);
    let case = |number: u32, call: &str, wanted: &str| {
        format!(
            "if [ \"$({call})\" = \"{wanted}\" ]; then echo ok {number} - {call}\nelse\n  \
             printf 'not ok {number} - {call}\\n  ---\\n  operator: equal\\n  ...\\n'\n  failed=1\nfi\n"
        )
    };
    let [greets, leaves] = [case(1, "greet ada", "hello ada"), case(2, "leave ada", "bye ada")];
    project.write(
        "tests/greet.sh",
        &format!(". ./greet.sh\nfailed=0\necho 1..2\n{greets}{leaves}exit $failed\n"),
    );
    project.write("greet.sh", start);
    project.commit("two tests");
    project.json("begin").exits(0);
    project.write("greet.sh", &format!("{BROKEN}{LEAVES}"));
    project.json("red").exits(0);
    project.write("greet.sh", &format!("{GREETS}{LEAVES}"));
    project.json("green").exits(0);
    project
}

const LEAVES: &str = "leave() { echo \"bye $1\"; }\n";

#[test]
fn another_failure_than_that_of_red() {
    let project = two_tests("greet() { printf 'hello %s\\n' \"$1\"; }\nleave() { echo; }\n");
    row("another_failure_than_that_of_red").judges(&project);
}

#[test]
fn same_failure_as_that_of_red() {
    let project = two_tests(&format!("greet() {{ echo hello; }}\n{LEAVES}"));
    row("same_failure_as_that_of_red").judges(&project);
}

/// A rebind that adds a check, when the product is there.
fn second(script: &str, identity: &str) -> Run {
    let project = honest();
    let check = format!(
        "[[checks]]\nid = \"second\"\ncommand = [\"sh\", \"tests/second.sh\"]\nparser = \"tap\"\nidentities = [\"{identity}\"]\n"
    );
    project.write("verify.toml", &(project.read("verify.toml") + &check));
    project.write("tests/second.sh", script);
    project.json_words(&["red", "--rebind", "--reason", "a second case"])
}

#[test]
fn second_test_that_passes_on_the_old_sources() {
    let script = ". ./greet.sh\necho 1..1\ngreet x | grep -q hello && echo ok 1 - greets at all\n";
    let run = second(script, "greets at all");
    row("second_test_that_passes_on_the_old_sources").meets(run);
}

#[test]
fn second_test_after_its_product() {
    let script =
        honest().read("tests/greet.sh").replace("ada", "bob").replace("greets by name", "greets others");
    let run = row("second_test_after_its_product").meets(second(&script, "greets others"));
    assert_eq!(run.value()["checks"][0]["sources"], "baseline");
}

/// A project whose tests load the product from a folder beside it.
fn outside(judge: impl FnOnce(&Project)) {
    let beside = Project::bare();
    let place = beside.at("greet.sh").display().to_string();
    let project = Project::git(&files().replace(". ./greet.sh", &format!(". {place}")));
    beside.write("greet.sh", "greet() { echo hello; }\n");
    worked(&project, |project| {
        beside.write("greet.sh", GREETS);
        project.write("greet.sh", GREETS);
    });
    judge(&project);
}

#[test]
fn product_out_of_the_copy() {
    outside(|project| _ = row("product_out_of_the_copy").judges(project));
}

#[test]
fn delivery_of_a_product_out_of_the_copy() {
    outside(|project| _ = row("delivery_of_a_product_out_of_the_copy").judges(project));
}

/// A task of unittest that begins with this product.
fn stub(text: &str) -> Option<Project> {
    let files = unittest_files(&runners::python()?, "").replace("def add(a, b):\n    return a - b\n", text);
    let project = Project::git(&files);
    project.json("begin").exits(0);
    project.write("app.py", "def add(a, b):\n    return -1 if a else 0\n");
    project.json("red").exits(0);
    project.write("app.py", "def add(a, b):\n    return a + b\n");
    project.json("green").exits(0);
    Some(project)
}

#[test]
fn stub_that_the_old_sources_lack() {
    let Some(project) = stub("") else { return };
    row("stub_that_the_old_sources_lack").judges(&project);
}

#[test]
fn stub_from_the_start() {
    let Some(project) = stub("def add(a, b):\n    return 0\n") else { return };
    row("stub_from_the_start").judges(&project);
}

#[test]
fn editable_install() {
    let Some(project) = pip_installed("", "packages = [\"app\"]", "lenient") else { return };
    row("editable_install").judges(&project);
}

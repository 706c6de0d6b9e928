//! Files that move while a check runs: what was tested must be what was hashed. Each trick stands beside what people do
//! every day.

use crate::support::{Project, Run};

/// A loop after its red, whose test first does what the ignored file `trick` says.
fn project() -> Project {
    let plan = crate::loops::SHELL
        .replace(". ./greet.sh\n", "[ -e trick ] && . ./trick\n. ./greet.sh\n[ -e back ] && . ./back\n")
        .replace("identities", "may_write = [\"made.sh\"]\nidentities");
    let project = Project::git(&plan);
    project.write(".gitignore", "trick\nback\n*.tmp\n");
    project.write("made.sh", ":\n");
    project.commit("tricks");
    project.verify("begin").exits(0);
    project.verify("red").exits(0);
    project
}

const WRONG: &str = "greet() { echo bye; }\n";
const RIGHT: &str = "greet() { echo \"hello $1\"; }\n";

impl Project {
    /// Runs green with these lines before and after the product is loaded.
    fn green_with(&self, trick: &str, back: &str) -> Run {
        self.write("trick", trick);
        self.write("back", back);
        self.json("green")
    }
}

#[test]
fn a_product_that_is_exchanged_for_the_run_and_put_back() {
    let project = project();
    project.write("greet.sh", WRONG);
    project.write("right.tmp", RIGHT);
    for (trick, back) in [
        ("cp greet.sh old.tmp; cp right.tmp greet.sh", "cp old.tmp greet.sh"),
        ("mv greet.sh old.tmp; cp right.tmp greet.sh", "mv old.tmp greet.sh"),
        ("cp -p greet.sh old.tmp; cp right.tmp greet.sh", "cp -p old.tmp new.tmp; mv new.tmp greet.sh"),
        ("mkdir -p d.tmp; mv greet.sh d.tmp; cp right.tmp greet.sh", "mv d.tmp/greet.sh greet.sh"),
    ] {
        let run = project.green_with(trick, back).exits(1).names("touched-during-run");
        assert_eq!(project.read("greet.sh"), WRONG, "{trick}");
        run.says("greet.sh");
    }
    // Written in place with its times set back, only the change time tells: `chmod` looks the same.
    let back = "cat old.tmp > greet.sh; touch -r old.tmp greet.sh";
    let record =
        project.green_with("cp -p greet.sh old.tmp; cat right.tmp > greet.sh", back).exits(0).value();
    let notes = record["checks"][0]["notes"].as_array().unwrap();
    assert!(notes.iter().any(|note| note["code"] == "touched-during-run"), "{notes:#?}");
}

#[test]
fn a_frozen_test_that_is_exchanged_for_the_run() {
    let project = project();
    project.write("greet.sh", RIGHT);
    let trick = "cp tests/greet.sh old.tmp; cp trick tests/greet.sh";
    project.green_with(trick, "cp old.tmp tests/greet.sh").exits(1).names("touched-during-run");
}

#[test]
fn what_a_run_may_do_with_files() {
    let project = project();
    project.write("greet.sh", RIGHT);
    for everyday in [
        "cat greet.sh tests/greet.sh > /dev/null",
        "chmod 644 greet.sh; : > out.tmp",
        "mkdir -p work.tmp; ln -f greet.sh work.tmp/greet.sh",
        "cp made.sh old.tmp; echo >> made.sh; cp old.tmp made.sh",
        "echo '#' >> made.sh",
    ] {
        // A folder that is made beside a file moves the folder's time; its second run doesn't.
        project.green_with("mkdir -p work.tmp; : > out.tmp", "").exits(0);
        project.green_with(everyday, "").exits(0);
    }
}

#[test]
fn a_check_that_changes_files_is_told_the_way_out() {
    let project = project();
    project.write("greet.sh", RIGHT);
    for (trick, undo, help) in [
        ("echo >> new.xml", "rm new.xml", "[guard] ignore"),
        ("echo >> Gemfile.lock", "rm Gemfile.lock", "may_write"),
        ("echo >> a.snap", "rm a.snap", "--ci"),
        ("echo '# x' >> greet.sh", "true", "may_write"),
    ] {
        let run = project.green_with(trick, "").exits(1).names("check-changed-files");
        let record = run.value();
        let message = record["checks"][0]["problems"][0]["message"].as_str().unwrap();
        assert!(message.contains(help), "{trick}: {message}");
        project.run("sh", ["-c", undo]);
    }
    project.write("greet.sh", RIGHT);
    project.green_with("", "").exits(0);
    project.json("deliver").exits(0);
}

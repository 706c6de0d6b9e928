//! The runners that the end-to-end tests use are those that were provisioned.

#[path = "support/runners.rs"]
mod runners;

use std::process::Command;

#[track_caller]
fn check(name: &str, arguments: &[&str], says: &str) {
    let Some(runner) = runners::find(name) else { return };
    let output = Command::new(&runner).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}: {output:?}", runner.display());
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(said.contains(says), "{}: {said}", runner.display());
}

#[test]
fn each_runner_starts_and_says_its_version() {
    for (name, version) in runners::PYTESTS.iter().zip(["pytest 9.", "pytest 8.3.", "pytest 7.4."]) {
        check(name, &["--version"], version);
    }
    assert_eq!(runners::pytest(), runners::find("pytest"));
    check("python3", &["-m", "unittest", "--help"], "usage: ");
    check("prove", &["--version"], "TAP::Harness");
}

#[test]
fn a_runner_that_is_not_there_is_none() {
    assert_eq!(runners::look("pytest", None, ""), None);
    assert_eq!(runners::look("pytest", Some(std::env::temp_dir().join("nowhere")), "prove"), None);
}

#[test]
#[should_panic(expected = "pytest was provisioned and is not there")]
fn a_runner_that_was_provisioned_must_be_there() {
    runners::look("pytest", None, "prove,pytest");
}

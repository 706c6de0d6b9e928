//! The runners that the end-to-end tests use are those that were provisioned.

#![allow(clippy::unwrap_used, reason = "tests say what went wrong by panicking")]

#[path = "support/runners.rs"]
mod runners;

use std::path::Path;
use std::process::Command;

#[track_caller]
fn check(program: &Path, arguments: &[&str], says: &str) {
    let output = Command::new(program).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}: {output:?}", program.display());
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(said.contains(says), "{}: {said}", program.display());
}

#[test]
fn each_pytest_is_of_its_version() {
    for (name, version) in runners::PYTESTS.iter().zip(["pytest 9.", "pytest 8.3.", "pytest 7.4."]) {
        let Some(python) = runners::find(name, "python3") else { continue };
        check(&python, &["-m", "pytest", "--version"], version);
    }
    assert_eq!(runners::pytest(), runners::find("pytest", "python3"));
}

#[test]
fn unittest_and_prove_start() {
    if let Some(python) = runners::python() {
        check(python.as_ref(), &["-m", "unittest", "--help"], "usage: ");
    }
    if let Some(prove) = runners::prove() {
        check(prove.as_ref(), &["--version"], "TAP::Harness");
    }
}

#[test]
fn a_runner_that_is_not_there_is_none() {
    assert_eq!(runners::look("pytest", "python3", None, ""), None);
    let nowhere = Some(std::env::temp_dir().join("no-such-folder"));
    assert_eq!(runners::look("pytest", "python3", nowhere, "prove"), None);
}

#[test]
#[should_panic(expected = "pytest was provisioned and is not there")]
fn a_runner_that_was_provisioned_must_be_there() {
    runners::look("pytest", "python3", None, "prove,pytest");
}

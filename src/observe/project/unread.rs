//! Runners whose output can't be read yet: named, so that nobody wonders.

use super::files::{Files, name};
use super::javascript::{DEPTH, manifests};
use crate::plan::template::Unread;

type IsName = fn(&str) -> bool;

/// A runner that the presence of a file tells of: its name, and what the file is called.
const BY_NAME: &[(&str, IsName)] = &[
    ("cargo test", |name| name == "Cargo.toml"),
    ("go test", |name| name == "go.mod"),
    ("Maven Surefire", |name| name == "pom.xml"),
    ("Gradle", |name| name == "build.gradle" || name == "build.gradle.kts"),
    ("PHPUnit", |name| name == "phpunit.xml" || name == "phpunit.xml.dist"),
    ("RSpec", |name| name == ".rspec" || name.ends_with("_spec.rb")),
    ("Bats", |name| name.ends_with(".bats")),
];

pub(super) fn look(files: &Files) -> Vec<Unread> {
    let mut found: Vec<Unread> = BY_NAME
        .iter()
        .filter_map(|(runner, is)| {
            let path = files.paths().find(|path| path.matches('/').count() <= DEPTH && is(name(path)))?;
            Some(unread(runner, path))
        })
        .collect();
    found.extend(javascript(files));
    found.extend(make(files));
    if files.has("CMakeLists.txt") && files.text("CMakeLists.txt").contains("enable_testing") {
        found.push(unread("CTest", "CMakeLists.txt"));
    }
    found
}

fn unread(name: &str, evidence: &str) -> Unread {
    Unread { name: name.to_owned(), evidence: evidence.to_owned() }
}

/// What a `package.json` depends on, or runs as its test.
fn javascript(files: &Files) -> Vec<Unread> {
    let mut found: Vec<Unread> = Vec::new();
    for manifest in manifests(files) {
        for runner in ["vitest", "mocha", "uvu"] {
            if manifest.uses(runner) && !found.iter().any(|other| other.name == runner) {
                found.push(unread(runner, manifest.path));
            }
        }
        if manifest.test_script().contains("node --test")
            && !found.iter().any(|other| other.name == "node --test")
        {
            found.push(unread("node --test", manifest.path));
        }
    }
    found
}

/// A makefile with a target for tests.
fn make(files: &Files) -> Option<Unread> {
    let makefile = ["GNUmakefile", "makefile", "Makefile"].into_iter().find(|path| files.has(path))?;
    let text = files.text(makefile);
    let target = ["check", "test", "tests"]
        .into_iter()
        .find(|target| text.lines().any(|line| line.strip_prefix(target).is_some_and(is_rule)))?;
    Some(unread(&format!("make {target}"), makefile))
}

/// Whether what follows a target makes it a rule, and no assignment.
fn is_rule(rest: &str) -> bool {
    rest.trim_start().strip_prefix(':').is_some_and(|rest| !rest.starts_with('='))
}

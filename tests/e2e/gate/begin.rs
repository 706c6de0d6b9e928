//! `begin --start-sha-file F --iteration N`: how the base is captured.

use crate::loops::SHELL;
use crate::support::Project;

const FILE: &str = "out/of/reach/start-sha";

fn begin(project: &Project, iteration: u64) -> String {
    project.verify(&format!("begin --start-sha-file {FILE} --iteration {iteration}")).exits(0);
    project.read(FILE)
}

fn head(project: &Project) -> String {
    format!("{}\n", project.head())
}

#[test]
fn round_zero_always_captures_anew() {
    let project = Project::git(SHELL);
    assert_eq!(begin(&project, 0), head(&project));
    project.commit("more");
    assert_eq!(begin(&project, 0), head(&project));
}

#[test]
fn a_later_round_keeps_what_is_there() {
    let project = Project::git(SHELL);
    let first = begin(&project, 0);
    project.commit("more");
    assert_eq!(begin(&project, 1), first);
    project.write(FILE, "kept as it is");
    assert_eq!(begin(&project, 2), "kept as it is");
}

#[test]
fn a_later_round_captures_what_is_missing_or_empty() {
    let project = Project::git(SHELL);
    assert_eq!(begin(&project, 3), head(&project), "the first that is seen of it");
    project.remove(FILE);
    assert_eq!(begin(&project, 4), head(&project));
    project.write(FILE, "\n");
    assert_eq!(begin(&project, 5), head(&project));
}

#[test]
fn without_a_commit_the_file_is_empty() {
    let project = Project::bare();
    project.files(SHELL);
    assert_eq!(begin(&project, 0), "");
    project.run("git", ["init", "-q"]);
    assert_eq!(begin(&project, 0), "");
    assert_eq!(begin(&project, 1), "");
    project.commit("first");
    assert_eq!(begin(&project, 2), head(&project), "the first commit is captured when it is there");
}

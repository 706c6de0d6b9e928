//! Projects at the point where a trick begins: the tests were seen failing and are frozen, the product is still wrong.

use crate::loops::{PYTEST, SHELL, UNITTEST};
use crate::support::{Project, runners};

/// The product of the Python projects, as it should be.
pub(super) const RIGHT: &str = "def add(a, b):\n    return a + b\n";

/// The product of the shell projects, as it should be.
pub(super) const GREETS: &str = "greet() { echo \"hello $1\"; }\n";

/// Begins a task and freezes.
#[track_caller]
pub(super) fn freeze(project: Project) -> Project {
    project.json("begin").exits(0);
    project.json("red").exits(0);
    project
}

/// A project that runs pytest with these words, and has these files too. A file that is named twice is the later one.
pub(super) fn pytest_files(python: &str, words: &str, more: &str) -> String {
    PYTEST.replace("PYTHON", python).replace("\"-v\"", &quoted(words)) + more
}

/// The same, frozen.
#[track_caller]
pub(super) fn pytest(words: &str, more: &str) -> Option<Project> {
    let python = runners::pytest()?.display().to_string();
    Some(freeze(Project::git(&pytest_files(&python, words, more))))
}

/// The same with the plugins that people install beside pytest.
#[track_caller]
pub(super) fn pytest_with_plugins(words: &str, more: &str) -> Option<Project> {
    let python = runners::find("pytest-plugins", "python3")?.display().to_string();
    Some(freeze(Project::git(&pytest_files(&python, words, more))))
}

/// A project that runs unittest, and has these files too.
pub(super) fn unittest_files(python: &str, more: &str) -> String {
    UNITTEST.replace("PYTHON", python) + more
}

/// The same, frozen.
#[track_caller]
pub(super) fn unittest(more: &str) -> Option<Project> {
    Some(freeze(Project::git(&unittest_files(&runners::python()?, more))))
}

/// A project whose check is a script that prints TAP, run by this command, frozen.
///
/// A word behind the script may name a runner that isn't installed, so that what steers it counts.
#[track_caller]
pub(super) fn shell(words: &str, more: &str) -> Project {
    freeze(Project::git(&shell_files(words, more)))
}

/// Its files.
pub(super) fn shell_files(words: &str, more: &str) -> String {
    SHELL.replace("\"sh\", \"tests/greet.sh\"", &quoted(words)) + more
}

/// The same with the work done.
#[track_caller]
pub(super) fn shell_done(words: &str, more: &str) -> Project {
    let project = shell(words, more);
    project.write("greet.sh", GREETS);
    project
}

/// Words as they stand in the list of a command.
pub(super) fn quoted(words: &str) -> String {
    words.split(' ').map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ")
}

/// A plan with one more line in its first check.
pub(super) fn with_line(files: &str, line: &str) -> String {
    files.replacen("parser = ", &format!("{line}\nparser = "), 1)
}

//! The real runners that `cargo xtask test` provisions.
//!
//! A test that needs one begins with `let Some(python) = runners::pytest() else { return };`. Under plain `cargo test`
//! it says that it did not run; under `cargo xtask test` a runner that was provisioned must be there.

#![allow(dead_code, reason = "each test binary uses a part of this")]

use std::path::PathBuf;

/// pytest in its versions, newest first, for [`find`].
pub(crate) const PYTESTS: [&str; 3] = ["pytest", "pytest-8", "pytest-7"];

/// A Python that has the newest pytest, for `-m pytest`.
pub(crate) fn pytest() -> Option<PathBuf> {
    find("pytest", "python3")
}

/// A plain Python, for `-m unittest`.
pub(crate) fn python() -> Option<String> {
    find("python3", "python3").map(text)
}

/// Perl's prove.
pub(crate) fn prove() -> Option<String> {
    find("prove", "prove").map(text)
}

/// A program of the runner that `cargo xtask test` calls by this name.
pub(crate) fn find(runner: &str, program: &str) -> Option<PathBuf> {
    let required = std::env::var("VERIFY_RUNNERS_REQUIRED").unwrap_or_default();
    look(runner, program, std::env::var_os("VERIFY_RUNNERS").map(PathBuf::from), &required)
}

/// The same, told the environment.
pub(crate) fn look(runner: &str, program: &str, folder: Option<PathBuf>, required: &str) -> Option<PathBuf> {
    let found =
        folder.map(|folder| folder.join(runner).join("bin").join(program)).filter(|path| path.exists());
    if found.is_none() {
        assert!(!required.split(',').any(|one| one == runner), "{runner} was provisioned and is not there");
        eprintln!("not run: {runner} (cargo xtask test provisions it)");
    }
    found
}

fn text(path: PathBuf) -> String {
    path.display().to_string()
}

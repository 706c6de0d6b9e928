//! The real runners that `cargo xtask test` provisions.
//!
//! A test that needs one begins with `let Some(pytest) = runners::find("pytest") else { return };`. Under plain
//! `cargo test` it says that it did not run; under `cargo xtask test` a runner that was provisioned must be there.

#![allow(dead_code, reason = "each test binary uses a part of this")]

use std::path::PathBuf;

/// pytest in its versions, newest first.
pub(crate) const PYTESTS: [&str; 3] = ["pytest", "pytest-8", "pytest-7"];

/// The newest pytest.
pub(crate) fn pytest() -> Option<PathBuf> {
    find("pytest")
}

/// The runner of this name: one of [`PYTESTS`], `python3` (for unittest) or `prove`.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let required = std::env::var("VERIFY_RUNNERS_REQUIRED").unwrap_or_default();
    look(name, std::env::var_os("VERIFY_RUNNERS").map(PathBuf::from), &required)
}

/// The same, told the environment.
pub(crate) fn look(name: &str, folder: Option<PathBuf>, required: &str) -> Option<PathBuf> {
    let found = folder.map(|folder| folder.join("bin").join(name)).filter(|path| path.exists());
    if found.is_none() {
        assert!(!required.split(',').any(|one| one == name), "{name} was provisioned and is not there");
        eprintln!("not run: {name} (cargo xtask test provisions it)");
    }
    found
}

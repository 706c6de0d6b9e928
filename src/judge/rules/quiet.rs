//! Files in which values that only their names call secret are everyday: lock files, fixtures, built code.

use bstr::BStr;

/// Names of files that tools write.
const WRITTEN_BY_TOOLS: &[&str] = &[
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "deno.lock",
    "Cargo.lock",
    "poetry.lock",
    "pdm.lock",
    "uv.lock",
    "Pipfile.lock",
    "composer.lock",
    "Gemfile.lock",
    "go.sum",
    "mix.lock",
    "pubspec.lock",
    "packages.lock.json",
    "project.assets.json",
    "gradle.lockfile",
    "flake.lock",
    "Podfile.lock",
    "Package.resolved",
    ".terraform.lock.hcl",
    "RECORD",
];

/// Ends of names of files that are built, or hold no code.
const ENDS: &[&str] =
    &[".min.js", ".min.css", ".map", ".svg", ".snap", ".lock", ".sum", ".ipynb", ".csv", ".po"];

/// Folders of what tests are fed with.
const FOLDERS: &[&str] = &[
    "fixtures",
    "__fixtures__",
    "fixture",
    "testdata",
    "test_data",
    "test-data",
    "__snapshots__",
    "snapshots",
    "cassettes",
    "node_modules",
    "vendor",
    "third_party",
];

/// Whether a file is one of those.
pub(super) fn is_quiet(path: &BStr) -> bool {
    let mut parts = path.split(|byte| *byte == b'/').rev();
    let name = parts.next().unwrap_or_default();
    WRITTEN_BY_TOOLS.iter().any(|known| name == known.as_bytes())
        || ENDS.iter().any(|end| name.ends_with(end.as_bytes()))
        || parts.any(|folder| FOLDERS.iter().any(|known| folder == known.as_bytes()))
}

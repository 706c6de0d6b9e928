//! jest.

use std::collections::BTreeSet;

use super::files::{Files, is_plain, name, parent};
use crate::plan::template::{FoundRunner, Runner};

/// How deep a manifest may lie: a project of several languages keeps one a folder.
pub(super) const DEPTH: usize = 2;

/// A `package.json`.
pub(super) struct Manifest<'f> {
    pub(super) path: &'f str,
    json: serde_json::Value,
}

impl Manifest<'_> {
    /// What runs as its test.
    pub(super) fn test_script(&self) -> &str {
        self.json.pointer("/scripts/test").and_then(serde_json::Value::as_str).unwrap_or("")
    }

    /// Whether it depends on a runner, or runs it as its test.
    pub(super) fn uses(&self, runner: &str) -> bool {
        let depends = |list: &str| self.json.get(list).and_then(|list| list.get(runner)).is_some();
        self.test_script().split_whitespace().any(|word| word == runner)
            || depends("dependencies")
            || depends("devDependencies")
    }
}

/// The manifests of a project, in the order of their paths; those that are broken are left out.
pub(super) fn manifests(files: &Files) -> impl Iterator<Item = Manifest<'_>> {
    let is_manifest =
        |path: &&str| name(path) == "package.json" && path.matches('/').count() <= DEPTH && is_plain(path);
    files
        .paths()
        .filter(is_manifest)
        .filter_map(|path| serde_json::from_str(&files.text(path)).ok().map(|json| Manifest { path, json }))
}

/// jest, in the folder of the manifest that lies nearest to the root: that one runs the packages below it.
pub(super) fn look(files: &Files) -> Option<FoundRunner> {
    let manifest =
        manifests(files).filter(|it| it.uses("jest")).min_by_key(|it| it.path.matches('/').count())?;
    let folder = parent(manifest.path);
    Some(FoundRunner {
        runner: Runner::Jest,
        evidence: manifest.path.to_owned(),
        // Names every test, also where there are several files.
        command: ["npx", "jest", "--verbose"].map(str::to_owned).to_vec(),
        cwd: (!folder.is_empty()).then(|| folder.to_owned()),
        test_paths: test_paths(files, folder),
        many_sessions: false,
    })
}

/// Where jest looks for tests as it comes: their `tests` folders, and for those that lie elsewhere the form of their
/// names.
fn test_paths(files: &Files, folder: &str) -> Vec<String> {
    let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let mut globs = BTreeSet::new();
    for path in files.paths().filter_map(|path| path.strip_prefix(&prefix)) {
        let parts: Vec<&str> = path.split('/').collect();
        let of_name = [".test.", ".spec."].into_iter().find(|part| name(path).contains(part));
        let form = match of_name {
            _ if parts.contains(&"__tests__") => "**/__tests__/**".to_owned(),
            _ if parts.contains(&"__snapshots__") => "**/__snapshots__/**".to_owned(),
            None => continue,
            Some(_) if matches!(parts.as_slice(), ["test" | "tests", _, ..]) => {
                format!("{}/**", parts.first().unwrap_or(&"tests"))
            }
            Some(part) => format!("**/*{part}*"),
        };
        globs.insert(format!("{prefix}{form}"));
    }
    if globs.is_empty() {
        globs.extend(["**/*.test.*", "**/__tests__/**"].map(|form| format!("{prefix}{form}")));
    }
    globs.into_iter().collect()
}

//! What red and green are judged from.

use redgreen_parsers::{Format, Report};

use super::InventoryCase;
use crate::observe::facts::{Ended, WitnessFacts};
use crate::plan::{Check, Flaky, Identities, PathSet, Sessions};

/// One run of a check, as it was seen.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// How the process ended; `None`: nobody knows, as with output that was kept from somewhere else.
    pub ended: Option<&'a Ended>,
    /// What each parser of the check read.
    pub readings: &'a [Reading],
    /// Sessions of formats that the check doesn't name.
    pub foreign: &'a [Report],
    /// The structured report of the same run; `None`: there can be none, as with output that was kept from somewhere
    /// else.
    pub witness: Option<&'a WitnessFacts>,
}

/// What one parser of a check read in its output.
#[derive(Debug, Clone)]
pub struct Reading {
    /// Its format.
    pub format: Format,
    /// A report for each session, at least one.
    pub reports: Vec<Report>,
}

/// What the plan, and the red before, expect of a run.
#[derive(Debug, Clone)]
pub struct Expectations<'a> {
    /// The tests that the check is about.
    pub identities: Identities,
    /// Why tests may be skipped; `None`: they may not.
    pub approved_skip_reason: Option<String>,
    /// Whether the output may hold several sessions.
    pub sessions: Sessions,
    /// What to think of a test that failed and then passed.
    pub flaky: Flaky,
    /// The cases that red saw fail, of this check. Green alone looks at them.
    pub inventory: &'a [InventoryCase],
    /// The ids of the cases that red saw pass, of this check. Green alone looks at them.
    pub passed_in_red: &'a [String],
    /// The ids of the cases that red saw fail on an assertion of those that the runner counts. Green alone looks at them.
    pub counted_in_red: &'a [String],
    /// Where tests lie; `None`: nobody said so. Red alone looks at it.
    pub tests: Option<TestFiles<'a>>,
}

/// Where the files lie that an output names.
#[derive(Debug, Clone, Copy)]
pub struct TestFiles<'a> {
    /// The `test_paths` of the check's repository.
    pub paths: &'a PathSet,
    /// The repository's `path` as an absolute path.
    pub root: &'a str,
    /// Where the check runs, relative to that.
    pub cwd: &'a str,
}

impl Default for Expectations<'_> {
    /// Any assertion will do, nothing may be skipped, one session.
    fn default() -> Self {
        Self {
            identities: Identities::Any,
            approved_skip_reason: None,
            sessions: Sessions::One,
            flaky: Flaky::Note,
            inventory: &[],
            passed_in_red: &[],
            counted_in_red: &[],
            tests: None,
        }
    }
}

impl Expectations<'_> {
    /// What a check of the plan says by itself; the red before and the place of the tests are the caller's to add.
    #[must_use]
    pub fn of(check: &Check) -> Self {
        let reason = check.approved_skip_reason.trim();
        Self {
            identities: check.identities.clone(),
            approved_skip_reason: (!reason.is_empty()).then(|| reason.to_owned()),
            sessions: check.sessions,
            flaky: check.flaky,
            ..Self::default()
        }
    }
}

impl TestFiles<'_> {
    /// The file below the repository's `path` that an output names, when it certainly lies in the repository and is
    /// no test. Runners print paths relative to where they run, to their own root, or absolute.
    pub(super) fn outside(&self, file: &str) -> Option<String> {
        let file = file.replace('\\', "/");
        let root = self.root.replace('\\', "/");
        let readings = if let Some(below) = below(&file, &root) {
            vec![normal(below)?]
        } else if is_absolute(&file) {
            return None;
        } else {
            [format!("{}/{file}", self.cwd), file.clone()].iter().filter_map(|path| normal(path)).collect()
        };
        let is_test = readings.iter().any(|path| self.paths.matches(path.as_bytes()));
        if is_test { None } else { readings.into_iter().next() }
    }
}

fn below<'p>(file: &'p str, root: &str) -> Option<&'p str> {
    let root = root.trim_end_matches('/');
    if root.is_empty() {
        return None;
    }
    file.strip_prefix(root)?.strip_prefix('/')
}

fn is_absolute(file: &str) -> bool {
    file.starts_with('/') || file.as_bytes().get(1) == Some(&b':')
}

/// The path without `.` and `..`; `None` when it leaves its folder.
fn normal(path: &str) -> Option<String> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop()?,
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(cwd: &str, file: &str, outside: Option<&str>) {
        let paths = PathSet::new(["tests/**", "web/tests/**"]).unwrap();
        let files = TestFiles { paths: &paths, root: "/srv/kit", cwd };
        assert_eq!(files.outside(file).as_deref(), outside, "{file} in {cwd}");
    }

    #[test]
    fn tests_are_known_however_they_are_printed() {
        check(".", "tests/test_a.py", None);
        check(".", "./tests/test_a.py", None);
        check(".", "/srv/kit/tests/test_a.py", None);
        check("web", "tests/a.test.js", None);
        check("web", "web/tests/a.test.js", None);
        check("web", "../tests/test_a.py", None);
        check(".", "tests\\test_a.py", None);
    }

    #[test]
    fn files_of_the_repository_that_are_no_tests_are_named_below_its_path() {
        check(".", "src/a.py", Some("src/a.py"));
        check("web", "src/a.js", Some("web/src/a.js"));
        check(".", "/srv/kit/src/a.py", Some("src/a.py"));
    }

    #[test]
    fn files_that_lie_elsewhere_are_nobodys_business() {
        check(".", "/usr/lib/python3/unittest/case.py", None);
        check(".", "/srv/kitchen/a.py", None);
        check(".", "C:\\x\\a.cs", None);
        check(".", "../elsewhere.py", None);
    }
}

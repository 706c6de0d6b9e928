//! When red freezes, and what a rebind leaves valid.

use std::collections::HashSet;

use super::frozen::{FrozenFiles, FrozenSet, Influences};
use super::guards::{frozen_changes, influence_changes};
use super::{Code, Problem};
use crate::digest::Sha256;
use crate::observe::facts::{ChangeKind, FileChange, RepositoryFacts, Weight};
use crate::plan::{ByRepository, Plan};

/// A check with a red phase, as the plan defines it now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RedCheck<'a> {
    /// Its id.
    pub id: &'a str,
    /// The hash of its definition.
    pub check_sha256: Sha256,
}

/// The red of one check in a record of this task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RedRecord<'a> {
    /// The id of the check.
    pub check: &'a str,
    /// The hash of its definition then.
    pub check_sha256: Sha256,
    /// Whether it was accepted.
    pub accepted: bool,
    /// The hash of the frozen files that it was taken with.
    pub tests: Sha256,
}

/// Whether red freezes now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Freezing {
    /// The checks with an accepted red on the tests as they are, in the plan's order.
    pub red: Vec<String>,
    /// The checks that still need one, in the plan's order.
    pub waiting_for: Vec<String>,
}

impl Freezing {
    /// Whether every red check has its accepted red on the same tests. A plan without a red check freezes at once.
    #[must_use]
    pub fn is_due(&self) -> bool {
        self.waiting_for.is_empty()
    }
}

/// Which red checks have an accepted red on the tests as they are now. A rejected re-run voids nothing.
#[must_use]
pub fn freezing(checks: &[RedCheck<'_>], records: &[RedRecord<'_>], tests_now: Sha256) -> Freezing {
    let accepted: HashSet<(&str, Sha256)> = records
        .iter()
        .filter(|record| record.accepted && record.tests == tests_now)
        .map(|record| (record.check, record.check_sha256))
        .collect();
    let mut freezing = Freezing::default();
    for check in checks {
        let has_red = accepted.contains(&(check.id, check.check_sha256));
        let list = if has_red { &mut freezing.red } else { &mut freezing.waiting_for };
        list.push(check.id.to_owned());
    }
    freezing
}

/// The globs of `test_paths` that match no file, as written.
#[must_use]
pub fn idle_test_paths(plan: &Plan, now: &[RepositoryFacts]) -> Vec<String> {
    let mut idle = Vec::new();
    let sets = match &plan.freeze.test_paths {
        ByRepository::All(set) => vec![(set, None)],
        ByRepository::Each(sets) => sets.iter().map(|(id, set)| (set, Some(id))).collect(),
    };
    for (set, id) in sets {
        let facts = now.iter().filter(|facts| id.is_none_or(|id| *id == facts.id));
        let paths = facts.flat_map(|facts| {
            let all = facts.map.entries().iter().chain(&facts.frozen);
            all.filter_map(|entry| facts.below_path(&entry.path))
        });
        let used: HashSet<usize> = paths.flat_map(|path| set.matching(path)).collect();
        let unused = set.patterns().iter().enumerate().filter(|(at, _)| !used.contains(at));
        idle.extend(unused.map(|(_, pattern)| pattern.clone()));
    }
    idle
}

/// A red that freezes no test can't hold one still.
#[must_use]
pub fn nothing_frozen(now: &FrozenSet) -> Option<Problem> {
    (!now.holds_a_test()).then(|| {
        Problem::new(Code::NothingFrozen, "`test_paths` matches no file, so there is no test to freeze")
    })
}

/// What a rebind finds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rebind {
    /// The checks whose red stays valid, in the plan's order.
    pub valid: Vec<String>,
    /// The checks that have to be proved again, in the plan's order.
    pub prove: Vec<String>,
    /// The checks that have a red and are asked for none any more.
    pub dropped: Vec<String>,
    /// How the frozen files differ from what was frozen, with the id of their repository.
    pub changed: Vec<(String, FileChange)>,
}

/// An accepted red that a rebind may leave valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValidRed<'a> {
    /// The id of the check.
    pub check: &'a str,
    /// The hash of its definition then.
    pub check_sha256: Sha256,
    /// The frozen files that it was taken with.
    pub tests: &'a FrozenFiles,
}

/// Which reds stay valid when plan and tests are taken anew.
///
/// A red stays valid while its check's definition is the same and every frozen file that it was taken with is still
/// what it was. A new test beside them takes nothing away, so that a second cycle proves its own test alone.
#[must_use]
pub fn rebind(
    checks: &[RedCheck<'_>],
    reds: &[ValidRed<'_>],
    was: &FrozenFiles,
    now: &FrozenFiles,
) -> Rebind {
    let mut rebind = Rebind { changed: changed(was, now), ..Rebind::default() };
    let gone = reds.iter().filter(|red| checks.iter().all(|check| check.id != red.check));
    rebind.dropped = gone.map(|red| red.check.to_owned()).collect();
    for check in checks {
        let stays = reds.iter().any(|red| {
            red.check == check.id && red.check_sha256 == check.check_sha256 && still_there(red.tests, now)
        });
        let list = if stays { &mut rebind.valid } else { &mut rebind.prove };
        list.push(check.id.to_owned());
    }
    rebind
}

fn changed(was: &FrozenFiles, now: &FrozenFiles) -> Vec<(String, FileChange)> {
    let mut ids: Vec<&String> = was.keys().chain(now.keys()).collect();
    ids.sort_unstable();
    ids.dedup();
    let none = Vec::new();
    let of = |id: &String| {
        let (was, now) = (was.get(id).unwrap_or(&none), now.get(id).unwrap_or(&none));
        frozen_changes(was, now).into_iter().map(|change| (id.clone(), change)).collect::<Vec<_>>()
    };
    ids.into_iter().flat_map(of).collect()
}

fn still_there(was: &FrozenFiles, now: &FrozenFiles) -> bool {
    use crate::observe::facts::ChangeKind::Added;
    changed(was, now).iter().all(|(_, change)| change.kind == Added)
}

/// What changed of what was frozen beside the tests, with the id of its repository and the slice, and whether a test
/// inside a product file is among it: then no red stays valid.
#[must_use]
pub fn influence_changed(was: &Influences, now: &Influences) -> (Vec<(String, FileChange)>, bool) {
    let none = Vec::new();
    let mut ids: Vec<&String> = was.keys().chain(now.keys()).collect();
    ids.sort_unstable();
    ids.dedup();
    let (mut changed, mut has_test) = (Vec::new(), false);
    for id in ids {
        for change in influence_changes(was.get(id).unwrap_or(&none), now.get(id).unwrap_or(&none)) {
            has_test |= change.of.weight == Weight::Inline && change.kind != ChangeKind::Added;
            changed.push((id.clone(), FileChange { path: change.of.entry.path.clone(), kind: change.kind }));
        }
    }
    (changed, has_test)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::tests::world::{self, file};
    use crate::plan::PathSet;

    fn sha(text: &str) -> Sha256 {
        Sha256::of(text.as_bytes())
    }

    const CHECKS: [&str; 2] = ["a", "b"];

    fn checks() -> Vec<RedCheck<'static>> {
        CHECKS.iter().map(|id| RedCheck { id, check_sha256: sha(id) }).collect()
    }

    /// Each record: check, definition, accepted, tests.
    #[track_caller]
    fn check_freezing(records: &[(&str, &str, bool, &str)], waiting_for: &[&str]) {
        let records: Vec<RedRecord<'_>> = records
            .iter()
            .map(|(check, definition, accepted, tests)| RedRecord {
                check,
                check_sha256: sha(definition),
                accepted: *accepted,
                tests: sha(tests),
            })
            .collect();
        let freezing = freezing(&checks(), &records, sha("now"));
        assert_eq!(freezing.waiting_for, waiting_for);
        assert_eq!(freezing.is_due(), waiting_for.is_empty());
        assert_eq!(freezing.red.len() + waiting_for.len(), CHECKS.len());
    }

    #[test]
    fn red_freezes_when_every_check_has_one_on_the_same_tests() {
        check_freezing(&[], &["a", "b"]);
        check_freezing(&[("a", "a", true, "now")], &["b"]);
        check_freezing(&[("a", "a", true, "now"), ("b", "b", true, "now")], &[]);
        check_freezing(&[("a", "a", true, "now"), ("b", "b", false, "now")], &["b"]);
        check_freezing(&[("a", "a", true, "before"), ("b", "b", true, "now")], &["a"]);
        check_freezing(&[("a", "old", true, "now"), ("b", "b", true, "now")], &["a"]);
        assert!(freezing(&[], &[], sha("now")).is_due());
    }

    #[test]
    fn a_rejected_re_run_voids_nothing() {
        check_freezing(&[("a", "a", true, "now"), ("b", "b", true, "now"), ("a", "a", false, "now")], &[]);
    }

    #[track_caller]
    fn check_rebind(now: &[(&str, &str)], definition_of_b: &str, prove: &[&str], changed: usize) {
        let files = |list: &[(&str, &str)]| -> FrozenFiles {
            [("app".to_owned(), list.iter().map(|(path, text)| file(path, text)).collect())].into()
        };
        let (was, now) = (files(&[("tests/a", "1"), ("tests/b", "2")]), files(now));
        let red = |check, definition| ValidRed { check, check_sha256: sha(definition), tests: &was };
        let reds = [red("a", "a"), red("b", definition_of_b)];
        let rebind = rebind(&checks(), &reds, &was, &now);
        assert_eq!(rebind.prove, prove);
        assert_eq!(rebind.valid.len() + prove.len(), CHECKS.len());
        assert_eq!(rebind.changed.len(), changed);
    }

    #[test]
    fn a_rebind_proves_what_changed() {
        check_rebind(&[("tests/a", "1"), ("tests/b", "2")], "b", &[], 0);
        check_rebind(&[("tests/a", "1"), ("tests/b", "2")], "before", &["b"], 0);
        check_rebind(&[("tests/a", "1"), ("tests/b", "2"), ("tests/c", "3")], "b", &[], 1);
        check_rebind(&[("tests/a", "1"), ("tests/b", "other")], "b", &["a", "b"], 1);
        check_rebind(&[("tests/a", "1")], "b", &["a", "b"], 1);
    }

    #[test]
    fn a_rebind_names_the_checks_that_it_drops() {
        let tests: FrozenFiles = [("app".to_owned(), vec![file("tests/a", "1")])].into();
        let reds = ["a", "b"].map(|check| ValidRed { check, check_sha256: sha(check), tests: &tests });
        let rebind = rebind(&checks()[..1], &reds, &tests, &tests);
        assert_eq!((rebind.valid, rebind.dropped), (vec!["a".to_owned()], vec!["b".to_owned()]));
    }

    #[test]
    fn test_paths_that_match_nothing_are_named() {
        let mut plan = world::plan();
        let now = [world::facts("app", world::files())];
        let mut idle = |patterns: &[&str]| {
            plan.freeze.test_paths = ByRepository::All(PathSet::new(patterns.iter().copied()).unwrap());
            idle_test_paths(&plan, &now)
        };
        assert_eq!(idle(&["tests/**", "spec/**", "**/*.md"]), ["spec/**"]);
        let each = |id: &str| {
            let mut plan = world::plan();
            let sets = [(id.to_owned(), PathSet::new(["tests/**"]).unwrap())];
            plan.freeze.test_paths = ByRepository::Each(sets.into());
            idle_test_paths(&plan, &now).len()
        };
        assert_eq!((each("app"), each("lib")), (0, 1));
    }

    #[test]
    fn an_empty_freeze_is_refused() {
        let files = |files: Vec<_>| FrozenSet {
            repositories: [("app".to_owned(), files)].into(),
            ..FrozenSet::default()
        };
        assert!(nothing_frozen(&files(vec![])).is_some());
        assert!(nothing_frozen(&files(vec![file("tests/a", "1")])).is_none());
    }
}

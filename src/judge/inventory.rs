//! The inventory: the cases that red saw fail, which green has to see pass. Nothing vanishes.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use redgreen_parsers::{Kind, Report, Status};

use super::identities::TestName;
use super::naming::Naming;
use crate::digest::Sha256;

/// A case that red saw fail.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InventoryCase {
    /// The id of the check.
    pub check: String,
    /// The case as the runner names it.
    pub id: String,
    /// The hash of that name, where `id` is no longer it: a secret was taken out.
    pub id_sha256: Option<Sha256>,
    /// The test that it belongs to: its id without parameters and subtest labels.
    pub test: String,
    /// Why it failed: an assertion where there was one, else its first failure.
    pub kind: Kind,
    /// The test's file, as far as the output names it.
    pub file: Option<String>,
}

/// The cases that failed in these reports of a check. A test that failed only because one below it did is passed
/// over: the one below is there.
#[must_use]
pub fn inventory(check: &str, reports: &[Report]) -> Vec<InventoryCase> {
    let mut inventory = Vec::new();
    for report in reports {
        let naming = Naming::of(report.format.word());
        for case in report.cases.iter().filter(|case| case.status() == Status::Failed) {
            let by_assertion = case.failures().iter().find(|failure| failure.kind == Kind::Assertion);
            let Some(failure) = by_assertion.or(case.failures().first()) else {
                continue;
            };
            let test = TestName::of(&case, &naming);
            inventory.push(InventoryCase {
                check: check.to_owned(),
                id: case.id().to_owned(),
                id_sha256: None,
                test: test.id_without_parameters(case.id()).to_owned(),
                kind: failure.kind,
                file: failure.file.clone(),
            });
        }
    }
    inventory
}

/// The ids of the cases that passed in these reports: in green they may not be skipped.
#[must_use]
pub fn passed(reports: &[Report]) -> Vec<String> {
    let cases = reports.iter().flat_map(|report| report.cases.iter());
    cases.filter(|case| case.status() == Status::Passed).map(|case| case.id().to_owned()).collect()
}

/// Names cases again as the runner does, where a secret was taken out of their names and these reports show them.
/// `passed` are ids of cases beside the inventory, with the hashes of those that are no longer what the runner wrote.
pub fn name_again(
    inventory: &mut [InventoryCase],
    passed: &mut [(String, Option<Sha256>)],
    reports: &[&Report],
) {
    let is_named = inventory.iter().all(|case| case.id_sha256.is_none())
        && passed.iter().all(|(_, sha256)| sha256.is_none());
    if is_named {
        return;
    }
    let names: HashMap<Sha256, (String, String)> = reports
        .iter()
        .flat_map(|report| {
            let naming = Naming::of(report.format.word());
            report.cases.iter().map(move |case| {
                let test = TestName::of(&case, &naming).id_without_parameters(case.id()).to_owned();
                (Sha256::of(case.id().as_bytes()), (case.id().to_owned(), test))
            })
        })
        .collect();
    for case in inventory {
        if let Some((id, test)) = case.id_sha256.and_then(|sha256| names.get(&sha256)) {
            case.id.clone_from(id);
            case.test.clone_from(test);
        }
    }
    for (id, sha256) in passed {
        if let Some((name, _)) = sha256.and_then(|sha256| names.get(&sha256)) {
            id.clone_from(name);
        }
    }
}

/// The cases of an inventory that these reports don't show passed.
///
/// Ids are compared with hexadecimal addresses masked. A subtest is seen when its test passed. A parametrised case
/// whose id isn't there (dates, temporary paths) is seen when its test has at least as many cases as it had in red,
/// all of them passed. `passed_in_red` are the ids of the cases that passed beside those of the inventory.
///
/// The inventory may be that of several checks, as when a check without a green phase leaves its cases to others.
#[must_use]
pub fn unseen<'i>(
    inventory: &'i [InventoryCase],
    passed_in_red: &[String],
    reports: &[&Report],
) -> Vec<&'i InventoryCase> {
    if inventory.is_empty() {
        return Vec::new();
    }
    let seen = Seen::of(reports);
    let mut in_red: HashMap<Cow<'_, str>, usize> = HashMap::new();
    for case in inventory {
        *in_red.entry(masked(&case.test)).or_default() += 1;
    }
    let formats: HashSet<&str> = reports.iter().map(|report| report.format.word()).collect();
    let namings: Vec<Naming> = formats.into_iter().map(Naming::of).collect();
    for id in passed_in_red {
        if let Some(test) = namings.iter().find_map(|naming| naming.without_parameters(id)) {
            in_red.entry(masked(test)).and_modify(|count| *count += 1);
        }
    }
    inventory
        .iter()
        .filter(|case| {
            let (id, test) = (masked(&case.id), masked(&case.test));
            if seen.not_passed.contains(&id) {
                return true;
            }
            let is_part = id != test;
            let as_many = seen.tests.get(&test).is_some_and(|cases| {
                cases.all_passed && cases.passed >= in_red.get(&test).copied().unwrap_or(1)
            });
            let test_passed = is_subtest(&case.id, &case.test) && seen.subtests_pass(&case.id, &test);
            !(seen.passed.contains(&id) || is_part && as_many || test_passed)
        })
        .collect()
}

struct Seen<'r> {
    passed: HashSet<Cow<'r, str>>,
    not_passed: HashSet<Cow<'r, str>>,
    tests: HashMap<Cow<'r, str>, OfTest>,
}

struct OfTest {
    passed: usize,
    all_passed: bool,
}

impl<'r> Seen<'r> {
    fn of(reports: &[&'r Report]) -> Self {
        let mut seen = Self { passed: HashSet::new(), not_passed: HashSet::new(), tests: HashMap::new() };
        for report in reports {
            let naming = Naming::of(report.format.word());
            for case in report.cases.iter() {
                let passed = case.status() == Status::Passed;
                let set = if passed { &mut seen.passed } else { &mut seen.not_passed };
                set.insert(masked(case.id()));
                let test = TestName::of(&case, &naming).id_without_parameters(case.id());
                let of = seen.tests.entry(masked(test)).or_insert(OfTest { passed: 0, all_passed: true });
                of.passed += usize::from(passed);
                of.all_passed &= passed;
            }
        }
        seen
    }

    /// Whether the test of a subtest passed: under its own name, or with the parameters that it has in the id.
    fn subtests_pass(&self, id: &str, test: &str) -> bool {
        let all_passed = self.tests.get(test).is_none_or(|cases| cases.all_passed);
        let with_parameters = id
            .match_indices(' ')
            .take(64)
            .any(|(at, _)| id.get(..at).is_some_and(|id| self.passed.contains(&masked(id))));
        all_passed && (self.passed.contains(test) || with_parameters)
    }
}

/// A subtest's id goes on with a blank behind its test's; behind parameters the test's id is cut before them.
fn is_subtest(id: &str, test: &str) -> bool {
    id.strip_prefix(test).is_some_and(|rest| rest.starts_with(' ') || rest.contains("] "))
}

/// The text with each hexadecimal address replaced, since the next run has others.
pub(super) fn masked(text: &str) -> Cow<'_, str> {
    let mut found = text.match_indices("0x").peekable();
    if found.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let (mut masked, mut from) = (String::with_capacity(text.len()), 0);
    for (at, _) in found {
        if at < from {
            continue;
        }
        let digits = text.bytes().skip(at + 2).take_while(u8::is_ascii_hexdigit).count();
        // Short ones are numbers that a test was given, not places in memory.
        if digits >= 6 {
            masked.push_str(text.get(from..at).unwrap_or(""));
            masked.push_str("0x…");
            from = at + 2 + digits;
        }
    }
    masked.push_str(text.get(from..).unwrap_or(""));
    Cow::Owned(masked)
}

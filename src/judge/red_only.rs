//! The cases that a check without a green phase saw fail: nothing vanishes there either. Any green check of the same
//! repository and format may show them.

use std::collections::{BTreeMap, BTreeSet};

use redgreen_parsers::Report;

use super::findings::Findings;
use super::inventory::{InventoryCase, unseen};
use super::witness::spelled;
use super::{Code, Problem, say};
use crate::plan::{Check, Phase, Plan};

/// The cases of red-only checks that no green check shows passed. `shown` are the reports of each check that is green
/// by now, with those that its console hides; while one that could show a case is missing, nothing is said of it.
#[must_use]
pub fn red_only(
    plan: &Plan,
    inventory: &[InventoryCase],
    passed_in_red: &[(String, String)],
    shown: &BTreeMap<&str, Vec<Report>>,
) -> Vec<Problem> {
    let mut found = Findings::default();
    for check in plan.checks.iter().filter(|check| !check.phases.contains(&Phase::Green)) {
        let cases: Vec<InventoryCase> =
            inventory.iter().filter(|case| case.check == check.id).cloned().collect();
        let may_show: Vec<&Check> =
            plan.checks_in(Phase::Green).filter(|green| could(green, check)).collect();
        let reports: Option<Vec<_>> = may_show.iter().map(|green| shown.get(green.id.as_str())).collect();
        let (false, Some(reports)) = (cases.is_empty(), reports) else { continue };
        let reports: Vec<&Report> = reports.into_iter().flatten().collect();
        let passed = passed_in_red.iter().filter(|(of, _)| *of == check.id);
        let passed: Vec<&str> = passed.map(|(_, id)| id.as_str()).collect();
        for id in in_no_spelling(check, &cases, &passed, &reports) {
            found.reject(Code::RedCaseVanished, || {
                let (id, check) = (say::quote(id), say::quote(&check.id));
                let message = match may_show.as_slice() {
                    [] => format!(
                        "{id} failed in red under {check}, and no check with a green phase could show it passed: none has \
                         the same repository and parser"
                    ),
                    _ => format!(
                        "{id} failed in red under {check}, and no green check shows it passed; run all of them at once \
                         where a console hides names"
                    ),
                };
                Problem::new(Code::RedCaseVanished, message)
            });
        }
    }
    found.into_parts().0
}

fn could(green: &Check, red: &Check) -> bool {
    green.repository == red.repository && green.parsers.iter().any(|parser| red.parsers.contains(parser))
}

/// The ids of the cases that these reports don't show passed, however their formats spell a name.
fn in_no_spelling<'i>(
    check: &Check,
    cases: &'i [InventoryCase],
    passed: &[&str],
    reports: &[&Report],
) -> Vec<&'i str> {
    let formats: BTreeSet<&str> = reports.iter().map(|report| report.format.word()).collect();
    let mut unseen_at: BTreeSet<usize> = (0..cases.len()).collect();
    for format in formats {
        let of_format: Vec<&Report> =
            reports.iter().filter(|report| report.format.word() == format).copied().collect();
        for console in &check.parsers {
            let spelled = |id: &str| spelled(console, format, id).into_owned();
            let there: Vec<InventoryCase> = cases
                .iter()
                .map(|case| InventoryCase {
                    id: spelled(&case.id),
                    test: spelled(&case.test),
                    ..case.clone()
                })
                .collect();
            let passed: Vec<String> = passed.iter().map(|id| spelled(id)).collect();
            let unseen: BTreeSet<&str> =
                unseen(&there, &passed, &of_format).into_iter().map(|case| case.id.as_str()).collect();
            unseen_at.retain(|at| there.get(*at).is_some_and(|case| unseen.contains(case.id.as_str())));
        }
    }
    unseen_at.into_iter().filter_map(|at| cases.get(at)).map(|case| case.id.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use redgreen_parsers::{Format, Kind, Lines, NewCase, Status};

    use super::*;
    use crate::judge::tests::world;

    fn case(id: &str) -> InventoryCase {
        let (id, test) = (id.to_owned(), id.to_owned());
        InventoryCase { check: "red".to_owned(), id, test, kind: Kind::Assertion, file: None }
    }

    /// A plan whose check `red` is red alone, and whose checks `one` and `two` are green.
    fn plan(parser: &str) -> Plan {
        let of = |id: &str, phases: &[Phase]| Check { phases: phases.to_vec(), ..world::check_of(id, "app") };
        let two = Check { parsers: vec![parser.to_owned()], ..of("two", &[Phase::Green]) };
        Plan { checks: vec![of("red", &[Phase::Red]), of("one", &[Phase::Green]), two], ..world::plan() }
    }

    fn report(format: &str, ids: &[&str]) -> Vec<Report> {
        let mut report = Report::empty(Format::find(format).unwrap());
        for id in ids {
            let new = NewCase { id, name_len: 1, status: Status::Passed, lines: Lines::one(1) };
            report.cases.push(new, |_| Vec::new());
        }
        vec![report]
    }

    #[track_caller]
    fn check(plan: &Plan, shown: &[(&str, Vec<Report>)], problems: usize) {
        let inventory = [case("a.py::t"), case("a.py::u")];
        let shown = shown.iter().map(|(id, reports)| (*id, reports.clone())).collect();
        assert_eq!(red_only(plan, &inventory, &[], &shown).len(), problems);
    }

    #[test]
    fn any_green_check_of_the_format_may_show_a_case() {
        let both = plan("pytest");
        check(&both, &[("one", report("pytest", &["a.py::t", "a.py::u"])), ("two", Vec::new())], 0);
        check(&both, &[("one", report("pytest", &["a.py::t"])), ("two", report("pytest", &["a.py::u"]))], 0);
        check(&both, &[("one", report("pytest", &["a.py::t"])), ("two", report("junit", &["a.u"]))], 0);
        check(&both, &[("one", report("pytest", &["a.py::t"])), ("two", Vec::new())], 1);
        // The other may still show it.
        check(&both, &[("one", report("pytest", &["a.py::t"]))], 0);
        // One of another format can't.
        check(&plan("jest"), &[("one", report("pytest", &["a.py::t"]))], 1);
    }

    #[test]
    fn a_case_that_nobody_could_show_is_said_to_be_so() {
        let mut alone = plan("jest");
        alone.checks.remove(1);
        check(&alone, &[("two", report("jest", &["a.py::t"]))], 2);
    }
}

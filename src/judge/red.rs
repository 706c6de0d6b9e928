//! Whether a run is an accepted red: the expected tests ran and failed because an assertion in them said no.
//!
//! A witness, where one was asked for, is heard first: its kinds fill in what a quiet console hides, and each expected
//! test must have failed in it too.

mod fate;
mod identity;

use std::collections::HashSet;

use redgreen_parsers::{Case, Kind, Report, Status};

use super::findings::Findings;
use super::identities::{Named, look_up};
use super::reading::{self, FlakyCases, code_of, in_words, way_out_of_red, worst};
use super::run::{Expectations, Run};
use super::witness::{self, Heard};
use super::{Code, Problem, Verdict, ended, say};
use crate::plan::{Identities, Phase};
use fate::{Fate, fate};
use identity::to_explain;

pub(super) use identity::by_short_name;

/// Judges a run of a check in its red phase.
#[must_use]
pub fn red(run: &Run<'_>, expected: &Expectations<'_>) -> Verdict {
    let mut found = Findings::default();
    if !ended::judge(run.ended, Phase::Red, &mut found) {
        return found.into_verdict(Phase::Red);
    }
    let heard = witness::listen(run, &mut found);
    one_reading_is_red(&heard, &mut found);
    let reports: Vec<&Report> = heard.iter().flat_map(Heard::reports).collect();
    for report in &reports {
        reading::nothing_broke_outside(report, Phase::Red, &mut found);
        nothing_broke_inside(report, &mut found);
    }
    let named: Vec<Named<'_>> = match &expected.identities {
        Identities::Any => Vec::new(),
        Identities::Named(identities) => {
            let witness: Vec<&Report> = heard.iter().flat_map(|heard| heard.witness).collect();
            let all = [reports.as_slice(), &witness].concat();
            identities.iter().map(|identity| look_up(identity, &all, witness.len())).collect()
        }
    };
    let flaky = FlakyCases::of(&reports);
    for named in &named {
        identity::identity(named, &reports, &flaky, &mut found);
        witness::failed_too(named, &heard, &mut found);
    }
    others(&reports, &named, &mut found);
    for heard in &heard {
        reading::sessions(&heard.reports, Phase::Red, expected, &mut found);
    }
    for report in &reports {
        reading::notes(report, Phase::Red, expected, false, &mut found);
        assertions_outside_tests(report, expected, &mut found);
    }
    reading::foreign(run, Phase::Red, &mut found);
    reading::unexplained_exit(run, &mut found);
    found.into_verdict(Phase::Red)
}

/// One parser's reading is whole and holds an assertion that said no. The others may have found nothing: a command
/// that runs two runners may end with the first.
fn one_reading_is_red(heard: &[Heard<'_>], found: &mut Findings) {
    let mut rejected = Findings::default();
    for heard in heard {
        let mut one = Findings::default();
        for report in heard.reports.iter() {
            reading::whole(report, &mut one);
        }
        asserted(heard, &mut one);
        if one.accepted() {
            return;
        }
        rejected.take_problems(one);
    }
    found.take_problems(rejected);
}

/// At least one case failed on an assertion; under `generic`, that is `failure_pattern`.
fn asserted(heard: &Heard<'_>, found: &mut Findings) {
    let cases = || heard.reports().flat_map(|report| report.cases.iter());
    if cases().any(|case| has_asserted(&case)) {
        return;
    }
    if heard.format.word() == "generic" {
        found.reject(Code::FailurePatternMissed, || {
            Problem::new(Code::FailurePatternMissed, "no line matches `failure_pattern`")
        });
    }
    found.reject(Code::NoAssertionFailure, || {
        let other =
            cases().find(|case| !matches!(fate(case), Fate::Passed | Fate::Skipped | Fate::PassedOver));
        let lines = other.and_then(|case| worst(&case)).map(|failure| failure.lines);
        let message = match other.map(|case| (case, fate(&case))) {
            Some((case, Fate::Unexplained)) => {
                format!("no test failed on an assertion; {} failed without saying why", say::quote(case.id()))
            }
            Some((case, _)) => format!(
                "no test failed on an assertion; {} failed otherwise{}",
                say::quote(case.id()),
                worst(&case).map(say::failure).unwrap_or_default()
            ),
            None if heard.reports.iter().any(|report| report.totals.failed.is_some_and(|n| n > 0)) => {
                "the runner counts failed tests and shows none of them; let it print what failed and why"
                    .to_owned()
            }
            None => "no test failed on an assertion".to_owned(),
        };
        Problem::new(Code::NoAssertionFailure, message).at(lines)
    });
}

fn has_asserted(case: &Case<'_>) -> bool {
    fate(case) == Fate::Asserted
}

/// No case failed in a way that says nothing about what it tests, and the runner calls none an error.
fn nothing_broke_inside(report: &Report, found: &mut Findings) {
    let mut errored = 0_u64;
    for case in report.cases.iter() {
        for failure in case.failures().iter().filter(|_| is_bad(&case)) {
            if matches!(failure.kind, Kind::Assertion | Kind::Exception | Kind::Unknown) {
                continue;
            }
            let code = code_of(failure.kind);
            found.reject(code, || {
                let (id, how, said) = (say::quote(case.id()), in_words(failure.kind), say::failure(failure));
                let way_out = way_out_of_red(failure.kind);
                Problem::new(code, format!("{id} failed {how}{said}{way_out}")).at(failure.lines)
            });
        }
        if case.status() == Status::Errored {
            errored += 1;
            found.reject(Code::CaseErrored, || {
                let (id, said) = (say::quote(case.id()), say::why(&case));
                Problem::new(
                    Code::CaseErrored,
                    format!("the runner calls {id} an error, not a failure{said}"),
                )
                .at(case.lines())
            });
        }
    }
    // A quiet runner counts errors that it doesn't name. What broke outside any case is counted too, and was said.
    let counted = report.totals.errored.unwrap_or(0);
    if errored == 0 && counted > 0 && report.problems.is_empty() {
        found.reject(Code::CaseErrored, || {
            let message = format!("the runner counts {} and names none", say::count(counted, "error"));
            Problem::new(Code::CaseErrored, message)
        });
    }
}

fn is_bad(case: &Case<'_>) -> bool {
    matches!(case.status(), Status::Failed | Status::Errored)
}

/// Cases that no identity names and that failed without an assertion: with identities advisory, without them a reason
/// to reject.
fn others(reports: &[&Report], named: &[Named<'_>], found: &mut Findings) {
    let ours: HashSet<(usize, usize)> =
        named.iter().flat_map(|named| named.cases.iter().map(|case| case.at)).collect();
    for (place, report) in reports.iter().enumerate() {
        for (index, case) in report.cases.iter().enumerate() {
            if case.status() != Status::Failed || ours.contains(&(place, index)) {
                continue;
            }
            let code = match fate(&case) {
                Fate::Unexplained => Code::NoReasonGiven,
                Fate::Raised if only_exceptions(&case) => Code::OtherFailure,
                _ => continue,
            };
            let say = || {
                let id = say::quote(case.id());
                let message = match code {
                    Code::NoReasonGiven => {
                        format!("{id} failed, and the output does not say why{}", to_explain(reports, place))
                    }
                    _ => format!("{id} failed on an exception{}", say::why(&case)),
                };
                let lines = worst(&case).map_or(case.lines(), |failure| failure.lines);
                Problem::new(code, message).at(lines)
            };
            // A plan without identities says that any assertion will do.
            if named.is_empty() {
                found.reject(code, say);
            } else {
                found.note(code, say);
            }
        }
    }
}

/// Other kinds were reported by themselves.
fn only_exceptions(case: &Case<'_>) -> bool {
    case.failures().iter().all(|failure| matches!(failure.kind, Kind::Exception | Kind::Unknown))
}

/// An assertion that stands in no test file: in a helper, which isn't frozen, or in the product.
fn assertions_outside_tests(report: &Report, expected: &Expectations<'_>, found: &mut Findings) {
    let Some(tests) = expected.tests else {
        return;
    };
    for case in report.cases.iter().filter(has_asserted) {
        for failure in case.failures().iter().filter(|failure| failure.kind == Kind::Assertion) {
            if let Some(path) = failure.file.as_deref().and_then(|file| tests.outside(file)) {
                found.note(Code::AssertionOutsideTests, || {
                    let message = format!(
                        "the assertion of {} stands in {}, which is no test; if it is a helper of the tests, add \
                         it to `test_paths`",
                        say::quote(case.id()),
                        say::quote(&path)
                    );
                    Problem::new(Code::AssertionOutsideTests, message).at(failure.lines)
                });
            }
        }
    }
}

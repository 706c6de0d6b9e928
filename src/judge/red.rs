//! Whether a run is an accepted red: the expected tests ran and failed because an assertion in them said no.
//!
//! A witness, where one was asked for, belongs in front of everything that reads cases here: its kinds fill in what a
//! quiet console hides, and its own absence is a reason to reject.

use std::collections::HashSet;

use redgreen_parsers::{Case, Kind, Report, Status};

use super::findings::Findings;
use super::identities::{Named, NamedCase, look_up};
use super::naming::Naming;
use super::reading::{self, FlakyCases, code_of, in_words, way_out_of_red, worst};
use super::run::{Expectations, Reading, Run};
use super::{Code, Problem, Verdict, ended, say};
use crate::plan::{Identities, Phase};

/// Judges a run of a check in its red phase.
#[must_use]
pub fn red(run: &Run<'_>, expected: &Expectations<'_>) -> Verdict {
    let mut found = Findings::default();
    if !ended::judge(run.ended, Phase::Red, &mut found) {
        return found.into_verdict(Phase::Red);
    }
    one_reading_is_red(run.readings, &mut found);
    let reports: Vec<&Report> = run.readings.iter().flat_map(|reading| &reading.reports).collect();
    for report in &reports {
        reading::nothing_broke_outside(report, Phase::Red, &mut found);
        nothing_broke_inside(report, &mut found);
    }
    let named: Vec<Named<'_>> = match &expected.identities {
        Identities::Any => Vec::new(),
        Identities::Named(identities) => {
            identities.iter().map(|identity| look_up(identity, &reports)).collect()
        }
    };
    let flaky = FlakyCases::of(&reports);
    for named in &named {
        identity(named, &reports, &flaky, &mut found);
    }
    others(&reports, &named, &mut found);
    for reading in run.readings {
        reading::sessions(&reading.reports, Phase::Red, expected, &mut found);
    }
    for report in &reports {
        reading::notes(report, Phase::Red, expected, &mut found);
        assertions_outside_tests(report, expected, &mut found);
    }
    reading::foreign(run, Phase::Red, &mut found);
    reading::unexplained_exit(run, &mut found);
    found.into_verdict(Phase::Red)
}

/// One parser's reading is whole and holds an assertion that said no. The others may have found nothing: a command
/// that runs two runners may end with the first.
fn one_reading_is_red(readings: &[Reading], found: &mut Findings) {
    let mut rejected = Findings::default();
    for reading in readings {
        let mut one = Findings::default();
        for report in &reading.reports {
            reading::whole(report, &mut one);
        }
        asserted(reading, &mut one);
        if one.accepted() {
            return;
        }
        rejected.take_problems(one);
    }
    found.take_problems(rejected);
}

/// At least one case failed on an assertion; under `generic`, that is `failure_pattern`.
fn asserted(reading: &Reading, found: &mut Findings) {
    let cases = || reading.reports.iter().flat_map(|report| report.cases.iter());
    if cases().any(|case| has_asserted(&case)) {
        return;
    }
    if reading.format.word() == "generic" {
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
            None if reading.reports.iter().any(|report| report.totals.failed.is_some_and(|n| n > 0)) => {
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

/// What red makes of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It failed because an assertion in it said no.
    Asserted,
    Passed,
    /// Also expected to fail, which is a way of not counting it.
    Skipped,
    /// It failed for another reason.
    Raised,
    /// It failed, and nobody says why.
    Unexplained,
    /// It failed only because one below it did, or passed where that was not expected.
    PassedOver,
}

fn fate(case: &Case<'_>) -> Fate {
    let failures = case.failures();
    let unexplained = failures.iter().all(|failure| failure.kind == Kind::Unknown);
    match case.status() {
        Status::Passed => Fate::Passed,
        Status::Skipped | Status::Todo | Status::Xfailed => Fate::Skipped,
        Status::Xpassed => Fate::PassedOver,
        Status::Failed if failures.is_empty() => Fate::PassedOver,
        Status::Failed if failures.iter().any(|failure| failure.kind == Kind::Assertion) => Fate::Asserted,
        Status::Failed | Status::Errored if unexplained => Fate::Unexplained,
        Status::Failed | Status::Errored => Fate::Raised,
    }
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

/// An identity names a case that failed on an assertion, and none that did otherwise but pass.
fn identity(named: &Named<'_>, reports: &[&Report], flaky: &FlakyCases<'_>, found: &mut Findings) {
    let identity = say::quote(named.identity);
    if named.is_missing() {
        found.reject(Code::IdentityMissing, || {
            Problem::new(Code::IdentityMissing, missing(named, &identity, reports))
        });
        return;
    }
    if named.by_short_name {
        by_short_name(named, &identity, found);
    }
    let mut asserted = false;
    let mut objected = false;
    let mut passed = Vec::new();
    for NamedCase { at, case } in &named.cases {
        let id = say::quote(case.id());
        let (code, message) = match fate(case) {
            _ if flaky.has(at.0, case) => {
                (Code::IdentityFlaky, format!("{id} failed and passed in the same run, so it proves nothing"))
            }
            Fate::Asserted => {
                asserted = true;
                continue;
            }
            Fate::Passed => {
                passed.push(case);
                continue;
            }
            Fate::PassedOver => continue,
            Fate::Skipped => {
                (Code::IdentitySkipped, format!("{id} is {}{}", case.status().word(), say::why(case)))
            }
            Fate::Raised => {
                let how = worst(case).map_or("", |failure| in_words(failure.kind));
                let said = worst(case).map(say::failure).unwrap_or_default();
                let way_out = worst(case).map_or("", |failure| way_out_of_red(failure.kind));
                (Code::IdentityRaised, format!("{id} failed {how}{said}, not on an assertion{way_out}"))
            }
            Fate::Unexplained => (
                Code::IdentityUnexplained,
                format!(
                    "{id} failed, and the output does not say why{}{}",
                    say::why(case),
                    to_explain(reports, at.0)
                ),
            ),
        };
        objected = true;
        let lines = worst(case).map_or(case.lines(), |failure| failure.lines);
        found.reject(code, || Problem::new(code, message).at(lines));
    }
    if asserted {
        for case in passed {
            found.note(Code::IdentityAlsoPasses, || {
                let message = format!("{identity} also names {}, which passed", say::quote(case.id()));
                Problem::new(Code::IdentityAlsoPasses, message).at(case.lines())
            });
        }
    } else if !objected {
        nobody_failed(named, &identity, found);
    }
}

/// How to make a runner say why a test failed.
fn to_explain(reports: &[&Report], place: usize) -> &'static str {
    reports.get(place).map_or("", |report| Naming::of(report.format.word()).to_explain)
}

/// Every case that an identity names passed, or failed for no reason of its own.
fn nobody_failed(named: &Named<'_>, identity: &str, found: &mut Findings) {
    let Some(first) = named.cases.first().map(|named| named.case) else {
        // Seen on a matching line: whether that line means failure is the pattern's rule.
        return;
    };
    let bare = named.cases.iter().map(|named| named.case).find(|case| case.status() == Status::Failed);
    match bare {
        Some(case) => found.reject(Code::IdentityUnexplained, || {
            let message = format!("{} failed, and the output does not say why", say::quote(case.id()));
            Problem::new(Code::IdentityUnexplained, message).at(case.lines())
        }),
        None => found.reject(Code::IdentityPassed, || {
            let what = match named.cases.len() {
                1 => format!("{} passed", say::quote(first.id())),
                n => format!("all {n} cases of {identity} passed"),
            };
            Problem::new(Code::IdentityPassed, format!("{what}, and red needs it to fail on an assertion"))
                .at(first.lines())
        }),
    }
}

fn missing(named: &Named<'_>, identity: &str, reports: &[&Report]) -> String {
    let word = reports.first().map_or("", |report| report.format.word());
    if named.fits > 1 {
        return format!(
            "{identity} fits {} cases, and the output doesn't say of which class they are; a structured report \
             (witness) would tell, and so would `--logger \"console;verbosity=normal\"`",
            named.fits
        );
    }
    if word == "generic" {
        return format!("no line that matches a pattern holds {identity} as whole words");
    }
    match reports.iter().map(|report| report.cases.len()).sum::<usize>() {
        0 => format!("{identity} names no test: the output names none at all"),
        1 => format!("{identity} names none of the output's tests (there is one)"),
        n => format!("{identity} names none of the {n} tests in the output"),
    }
}

pub(super) fn by_short_name(named: &Named<'_>, identity: &str, found: &mut Findings) {
    for NamedCase { case, .. } in &named.cases {
        found.note(Code::IdentityByShortName, || {
            let message = format!(
                "{identity} was taken to be {}: the output leaves out the rest of its name",
                say::quote(case.id())
            );
            Problem::new(Code::IdentityByShortName, message).at(case.lines())
        });
    }
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

//! Whether a run is an accepted green: everything passed, the expected tests among it, and nothing vanished.
//!
//! A witness, where one was asked for, says the same as the console, or stands in for one that says nothing.

use std::collections::HashSet;

use redgreen_parsers::{Case, Format, NoteCode, Report, Status};

use super::findings::Findings;
use super::identities::{Named, NamedCase, look_up};
use super::inventory::{InventoryCase, masked, unseen};
use super::naming::Naming;
use super::reading::{self, in_words, worst};
use super::red::by_short_name;
use super::run::{Expectations, Run};
use super::witness::{self, Heard, spelled};
use super::{Code, Problem, Verdict, asserted, ended, say};
use crate::plan::{Identities, Phase};

/// Judges a run of a check in its green phase.
#[must_use]
pub fn green(run: &Run<'_>, expected: &Expectations<'_>) -> Verdict {
    let mut found = Findings::default();
    if !ended::judge(run.ended, Phase::Green, &mut found) {
        return found.into_verdict(Phase::Green);
    }
    let heard = witness::listen(run, &mut found);
    witness::agree(&heard, &mut found);
    for heard in &heard {
        if !heard.unread {
            heard.reports.iter().for_each(|report| reading::whole(report, &mut found));
        }
        something_passed(heard, &mut found);
        patterns(heard, &mut found);
        for report in heard.reports() {
            reading::nothing_broke_outside(report, Phase::Green, &mut found);
            nothing_failed(report, &mut found);
            nothing_skipped(report, expected, &mut found);
        }
    }
    let reports: Vec<&Report> = heard.iter().flat_map(Heard::reports).collect();
    heard.iter().for_each(|heard| nothing_newly_skipped(heard, expected, &mut found));
    let mut expected_cases = HashSet::new();
    if let Identities::Named(identities) = &expected.identities {
        let witness: Vec<&Report> = heard.iter().flat_map(|heard| heard.witness).collect();
        let all = [reports.as_slice(), &witness].concat();
        for name in identities {
            let named = look_up(name, &all, witness.len());
            expected_cases.extend(named.cases.iter().map(|named| named.case.id()));
            identity(&named, &reports, &mut found);
        }
    }
    asserted::judge(&heard, &expected_cases, expected, &mut found);
    nothing_vanished(&heard, expected, &mut found);
    for heard in &heard {
        reading::sessions(&heard.reports, Phase::Green, expected, &mut found);
        let vouched = !heard.witness.is_empty();
        for report in heard.reports() {
            reading::notes(report, Phase::Green, expected, vouched, &mut found);
        }
    }
    reading::foreign(run, Phase::Green, &mut found);
    reading::unexplained_exit(run, &mut found);
    found.into_verdict(Phase::Green)
}

/// Zero tests are no green under any name. Of sessions that add up one with a pass is enough.
fn something_passed(heard: &Heard<'_>, found: &mut Findings) {
    let each = Naming::of(heard.format.word()).each_session_passes;
    let reports: &[Report] = if heard.unread { heard.witness } else { &heard.reports };
    let enough = if each { reports.iter().all(has_pass) } else { reports.iter().any(has_pass) };
    if !enough {
        found.reject(Code::NoTestPassed, || {
            let lines =
                reports.iter().find(|report| !has_pass(report)).and_then(|report| report.session_lines);
            let message = match reports.len() {
                1 => "no test passed, and zero tests prove nothing".to_owned(),
                n => format!("one of {n} sessions holds no test that passed, and zero tests prove nothing"),
            };
            Problem::new(Code::NoTestPassed, message).at(lines)
        });
    }
}

/// A quiet mode names no passing test: then the totals know of them, or the parser says that names are hidden, which
/// it does only when at least one test passed.
fn has_pass(report: &Report) -> bool {
    report.cases.iter().any(|case| case.status() == Status::Passed)
        || match report.totals.passed {
            Some(passed) => passed > 0,
            None => report.has_note(NoteCode::NamesHidden),
        }
}

/// `generic`: `success_pattern` matches, `failure_pattern` doesn't.
fn patterns(heard: &Heard<'_>, found: &mut Findings) {
    if heard.format.word() != "generic" {
        return;
    }
    for report in heard.reports.iter() {
        let both = report.has_note(NoteCode::PatternBoth);
        let case = |status| report.cases.iter().find(|case| case.status() == status);
        if case(Status::Passed).is_none() && !both {
            found.reject(Code::SuccessPatternMissed, || {
                Problem::new(Code::SuccessPatternMissed, "no line matches `success_pattern`")
            });
        }
        let failed = case(Status::Failed);
        if failed.is_some() {
            found.reject(Code::FailurePatternMatched, || {
                let lines = failed.map(|case| worst(&case).map_or(case.lines(), |failure| failure.lines));
                Problem::new(Code::FailurePatternMatched, "a line matches `failure_pattern`").at(lines)
            });
        }
    }
}

fn nothing_failed(report: &Report, found: &mut Findings) {
    let (mut failed, mut errored) = (0, 0);
    for case in report.cases.iter() {
        let (code, count) = match case.status() {
            Status::Failed => (Code::CaseFailed, &mut failed),
            Status::Errored => (Code::CaseErrored, &mut errored),
            _ => continue,
        };
        *count += 1;
        found.reject(code, || {
            let id = say::quote(case.id());
            let (how, said) = worst(&case)
                .map_or(("", String::new()), |failure| (in_words(failure.kind), say::failure(failure)));
            let lines = worst(&case).map_or(case.lines(), |failure| failure.lines);
            Problem::new(code, format!("{id} failed {how}{said}").replace(" failed  ", " failed ")).at(lines)
        });
    }
    // A quiet runner counts what it doesn't name. What broke outside any case is counted too, and was said.
    for (code, named, counted, one) in [
        (Code::CaseFailed, failed, report.totals.failed, "failed test"),
        (Code::CaseErrored, errored, report.totals.errored, "error"),
    ] {
        if let Some(counted) =
            counted.filter(|counted| *counted > 0 && named == 0 && report.problems.is_empty())
        {
            found.reject(code, || {
                Problem::new(code, format!("the runner counts {} and names none", say::count(counted, one)))
            });
        }
    }
}

/// The ways of not running a test, or of not counting it.
const SKIPS: [Status; 4] = [Status::Skipped, Status::Todo, Status::Xfailed, Status::Xpassed];

fn nothing_skipped(report: &Report, expected: &Expectations<'_>, found: &mut Findings) {
    if expected.approved_skip_reason.is_some() {
        return;
    }
    let mut named = [0_u64; SKIPS.len()];
    for case in report.cases.iter() {
        let Some(count) =
            SKIPS.iter().position(|status| *status == case.status()).and_then(|at| named.get_mut(at))
        else {
            continue;
        };
        *count += 1;
        found.reject(Code::SkippedUnapproved, || {
            let message = format!(
                "{} is {}{}, and no `approved_skip_reason` says that it may be",
                say::quote(case.id()),
                case.status().word(),
                say::why(&case)
            );
            Problem::new(Code::SkippedUnapproved, message).at(case.lines())
        });
    }
    let totals = &report.totals;
    let counted = [totals.skipped, totals.todo, totals.xfailed, totals.xpassed];
    for ((status, named), counted) in SKIPS.into_iter().zip(named).zip(counted) {
        if let Some(counted) = counted.filter(|counted| *counted > 0 && named == 0) {
            found.reject(Code::SkippedUnapproved, || {
                let message = format!(
                    "the runner counts {counted} as {}, and no `approved_skip_reason` says that they may be",
                    status.word()
                );
                Problem::new(Code::SkippedUnapproved, message)
            });
        }
    }
}

/// What passed in red is no test that may be skipped now, whatever reason was approved.
fn nothing_newly_skipped(heard: &Heard<'_>, expected: &Expectations<'_>, found: &mut Findings) {
    if expected.passed_in_red.is_empty() {
        return;
    }
    // What the console hid in one of the two runs bears the name that the witness gave it.
    let (console, witness) = (heard.format.word(), heard.witness.first().map_or("", |it| it.format.word()));
    let name = |id: &str| masked(&spelled(console, witness, id)).into_owned();
    let passed: HashSet<_> = expected.passed_in_red.iter().map(|id| name(id)).collect();
    for case in heard.reports().flat_map(|report| report.cases.iter()) {
        if SKIPS.contains(&case.status()) && passed.contains(&name(case.id())) {
            found.reject(Code::NewlySkipped, || {
                let message = format!(
                    "{} passed in red and is {} now{}",
                    say::quote(case.id()),
                    case.status().word(),
                    say::why(&case)
                );
                Problem::new(Code::NewlySkipped, message).at(case.lines())
            });
        }
    }
}

/// An identity names cases that all passed.
fn identity(named: &Named<'_>, reports: &[&Report], found: &mut Findings) {
    let identity = say::quote(named.identity);
    if named.is_missing() {
        found.reject(Code::IdentityNotNamed, || {
            Problem::new(Code::IdentityNotNamed, not_named(named, &identity, reports))
        });
        return;
    }
    if named.by_short_name {
        by_short_name(named, &identity, found);
    }
    for NamedCase { case, .. } in named.cases.iter().filter(|named| named.case.status() != Status::Passed) {
        found.reject(Code::IdentityNotPassed, || not_passed(case, &identity));
    }
}

fn not_passed(case: &Case<'_>, identity: &str) -> Problem {
    let id = say::quote(case.id());
    let named = if id == identity { String::new() } else { format!(", which {identity} names,") };
    let message =
        format!("{id}{named} is {}{}; green needs it to pass", case.status().word(), say::why(case));
    let lines = worst(case).map_or(case.lines(), |failure| failure.lines);
    Problem::new(Code::IdentityNotPassed, message).at(lines)
}

fn not_named(named: &Named<'_>, identity: &str, reports: &[&Report]) -> String {
    let hidden = reports.iter().find(|report| names_are_hidden(report));
    let first = hidden.or(reports.first());
    let word = first.map_or("", |report| report.format.word());
    let show = Naming::of(word).to_name_passing;
    if named.fits > 1 {
        let fits = named.fits;
        return format!(
            "{identity} fits {fits} cases, and the output doesn't say of which class they are; {show}"
        );
    }
    if word == "generic" {
        return format!("no line that matches a pattern holds {identity} as whole words");
    }
    match hidden {
        Some(_) => {
            format!("{identity} isn't named, since the output doesn't name the tests that pass; {show}")
        }
        None => format!("{identity} names none of the tests in the output"),
    }
}

/// The runner says of passes that it doesn't name.
fn names_are_hidden(report: &Report) -> bool {
    let named = report.cases.iter().filter(|case| case.status() == Status::Passed).count() as u64;
    report.has_note(NoteCode::NamesHidden) || report.totals.passed.is_some_and(|passed| passed > named)
}

/// Every case of the inventory is seen passed, on the console or where that hides it in the witness.
fn nothing_vanished(heard: &[Heard<'_>], expected: &Expectations<'_>, found: &mut Findings) {
    let reports: Vec<&Report> = heard.iter().flat_map(Heard::reports).collect();
    let hidden = reports.iter().find(|report| names_are_hidden(report));
    let elsewhere: Vec<_> = heard.iter().filter_map(|heard| Unseen::by_witness(heard, expected)).collect();
    for case in unseen(expected.inventory, expected.passed_in_red, &reports) {
        if elsewhere.iter().any(|unseen| unseen.sees(case)) {
            continue;
        }
        found.reject(Code::RedCaseVanished, || {
            let show = hidden
                .map(|report| format!("; {}", Naming::of(report.format.word()).to_name_passing))
                .unwrap_or_default();
            let id = say::quote(&case.id);
            Problem::new(Code::RedCaseVanished, format!("{id} failed in red and isn't seen passed now{show}"))
        });
    }
}

/// The cases of the inventory that a witness doesn't see pass.
struct Unseen {
    console: Format,
    witness: Format,
    /// Their ids as the witness spells them.
    ids: HashSet<String>,
}

impl Unseen {
    fn by_witness(heard: &Heard<'_>, expected: &Expectations<'_>) -> Option<Self> {
        let (console, witness) = (heard.format, heard.witness.first()?.format);
        let spelled = |id: &str| spelled(console.word(), witness.word(), id).into_owned();
        let of = |case: &InventoryCase| InventoryCase {
            id: spelled(&case.id),
            test: spelled(&case.test),
            ..case.clone()
        };
        let inventory: Vec<_> = expected.inventory.iter().map(of).collect();
        let passed: Vec<_> = expected.passed_in_red.iter().map(|id| spelled(id)).collect();
        let reports: Vec<&Report> = heard.witness.iter().collect();
        let ids = unseen(&inventory, &passed, &reports).into_iter().map(|case| case.id.clone()).collect();
        Some(Self { console, witness, ids })
    }

    fn sees(&self, case: &InventoryCase) -> bool {
        !self.ids.contains(spelled(self.console.word(), self.witness.word(), &case.id).as_ref())
    }
}

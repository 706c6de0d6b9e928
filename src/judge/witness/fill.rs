//! Filling in what a quiet console hides.

use std::borrow::Cow;
use std::collections::HashSet;

use redgreen_parsers::{Completeness, Failure, Kind, Report, Status};

use super::Heard;
use super::compare::{by_name, claimed, spelled};
use crate::judge::run::Reading;

/// A reading with what its witness, a complete one, adds to it.
pub(super) fn fill<'a>(reading: &'a Reading, witness: &'a [Report]) -> Heard<'a> {
    let unread = reading.reports.iter().all(|report| report.completeness == Completeness::Empty);
    let mut heard = Heard {
        format: reading.format,
        reports: Cow::Borrowed(reading.reports.as_slice()),
        beside: None,
        witness,
        unread,
    };
    reasons(&mut heard);
    heard.beside = beside(&heard);
    heard
}

/// A failure of which the console doesn't say why has the witness's reason.
fn reasons(heard: &mut Heard<'_>) {
    let unexplained = |failures: &[Failure]| {
        !failures.is_empty() && failures.iter().all(|failure| failure.kind == Kind::Unknown)
    };
    let cases = || heard.reports.iter().flat_map(|report| report.cases.iter());
    if !cases().any(|case| unexplained(case.failures())) {
        return;
    }
    let (console, word) = (heard.format.word(), witness_word(heard));
    let reasons = by_name(heard.witness, "", "", |_, case| case.failures());
    for report in heard.reports.to_mut() {
        let open: Vec<_> = report
            .cases
            .keys()
            .filter_map(|key| {
                let case = report.cases.get(key).filter(|case| unexplained(case.failures()))?;
                let told = (*reasons.get(&spelled(console, word, case.id()))?)?;
                (!told.is_empty() && !unexplained(told)).then(|| (key, case.lines(), told))
            })
            .collect();
        for (key, lines, told) in open {
            report.cases.clear_failures(key);
            for failure in told {
                report.cases.add_failure(key, Failure { lines, ..failure.clone() });
            }
        }
    }
}

/// The cases that the console counts and doesn't name.
fn beside(heard: &Heard<'_>) -> Option<Report> {
    let first = heard.witness.first()?;
    let console = heard.reports.as_ref();
    let silent = heard.unread || console.iter().all(|report| report.problems.is_empty());
    // What broke outside any test is counted as an error too.
    let hides = |status: &Status| match status {
        Status::Errored => silent && hides(console, Status::Errored),
        status => hides(console, *status),
    };
    let hidden: Vec<Status> = Status::ALL.into_iter().filter(|it| heard.unread || hides(it)).collect();
    let silent = silent && hidden.contains(&Status::Errored);
    if hidden.is_empty() {
        return None;
    }
    let (word, mut named) = (witness_word(heard), HashSet::new());
    if !heard.unread {
        let cases = console.iter().flat_map(|report| report.cases.iter());
        named.extend(cases.map(|case| spelled(heard.format.word(), word, case.id())));
    }
    let may = |status: Status| {
        let words = heard.format.grammar().witness.as_ref();
        hidden.iter().any(|hidden| words.is_some_and(|words| words.same_status(*hidden, status)))
    };
    let mut beside = Report { completeness: Completeness::Complete, ..Report::empty(first.format) };
    for report in heard.witness {
        for case in report.cases.iter().filter(|case| may(case.status()) && !named.contains(case.id())) {
            beside.cases.push_copy(&case);
        }
        if silent {
            beside.problems.extend(report.problems.iter().cloned());
        }
    }
    Some(beside)
}

/// Whether a console counts tests of this status that it doesn't name.
fn hides(console: &[Report], status: Status) -> bool {
    let named: u64 = console.iter().map(|report| report.cases.count(status)).sum();
    claimed(console, status).is_none_or(|claimed| claimed > named)
}

fn witness_word(heard: &Heard<'_>) -> &'static str {
    heard.witness.first().map_or("", |report| report.format.word())
}

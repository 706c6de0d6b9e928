//! From a finished session to its report, and what doesn't add up.

use std::collections::HashMap;

use super::relabel::relabel;
use super::session::{End, SEPARATOR, Session};
use crate::{Case, Completeness, Format, Kind, Lines, NewCase, NoteCode, Problem, Report, Status};

/// Makes the report of a session.
pub(super) fn report(mut session: Session, format: Format) -> Report {
    relabel(&mut session);
    let mut report = Report::empty(format);
    report.completeness = match (&session.end, session.lines) {
        (Some(_), _) => Completeness::Complete,
        (None, Some(_)) => Completeness::Truncated,
        (None, None) => Completeness::Empty,
    };
    if let Some(end) = session.end.take() {
        settle(&mut session, &end);
        numbers(&session, &end, &mut report);
        // A worker that was ended by its test is told of as a file that failed.
        if session
            .problems
            .iter()
            .any(|broken| broken.problem.kind == Kind::Crash && broken.file != usize::MAX)
        {
            session.problems.retain(|broken| broken.file != usize::MAX);
        }
    }
    names(&session, &mut report);
    if let Some(lines) = session.cut {
        report.note(NoteCode::LeftOut, "of long messages the first 4 KiB are kept", Some(lines));
    }
    report.problems.extend(session.problems.into_iter().map(|broken| broken.problem));
    report.cases = session.cases;
    report
}

/// Readings that only the numbers can decide.
fn settle(session: &mut Session, end: &End) {
    let named = bad(session);
    let missing = end.totals.failed.unwrap_or(0).saturating_sub(named);
    if missing == 0 {
        return;
    }
    if session.seconds.len() as u64 == missing {
        for key in std::mem::take(&mut session.seconds) {
            let Some(case) = session.cases.get(key) else { continue };
            let Some(second) = case.failures().last().cloned() else { continue };
            let (id, name_len, suite) = (case.id().to_owned(), case.name().len(), case.suite().to_owned());
            let new = NewCase { id: &id, name_len, status: Status::Failed, lines: second.lines };
            let new = session.cases.push_with_suite(new, &suite);
            session.cases.drop_last_failure(key);
            session.cases.add_failure(new, second);
        }
        return;
    }
    // A test may be called as what speaks of a file.
    let said = |kind| matches!(kind, Kind::Exception | Kind::Setup | Kind::Teardown | Kind::Timeout);
    let tests = session.problems.iter().filter(|broken| said(broken.problem.kind)).count() as u64;
    if tests != missing {
        return;
    }
    let (tests, files) = std::mem::take(&mut session.problems)
        .into_iter()
        .partition::<Vec<_>, _>(|broken| said(broken.problem.kind) && broken.file != usize::MAX);
    session.problems = files;
    for broken in tests {
        let label = broken.problem.subject.unwrap_or_default();
        let title = "Test suite failed to run";
        let id = format!("{label}{SEPARATOR}{title}");
        let lines = broken.problem.lines;
        let new = NewCase { id: &id, name_len: title.len(), status: Status::Failed, lines };
        let key = session.cases.push_with_suite(new, &[label]);
        session.cases.add_failure(key, broken.as_test);
    }
}

/// An unexpected pass is a failure in jest's numbers.
const BAD: [Status; 2] = [Status::Failed, Status::Xpassed];

fn is_bad(status: Status) -> bool {
    BAD.contains(&status)
}

fn bad(session: &Session) -> u64 {
    BAD.map(|status| session.cases.count(status)).iter().sum()
}

fn numbers(session: &Session, end: &End, report: &mut Report) {
    report.totals = end.totals;
    for lines in &session.other_ends {
        let message = "more than one end of a run is printed; which one is the runner's can't be told";
        report.note(NoteCode::AmbiguousSummary, message, Some(*lines));
    }
    if let Some(of) = end.suites.of {
        let message = format!("{of} of {} files were run", end.suites.total);
        report.note(NoteCode::StoppedEarly, message, Some(end.lines));
    }
    let mut mismatch = |message| report.note(NoteCode::TotalsMismatch, message, Some(end.lines));
    let totals = [end.totals.passed, end.totals.failed, end.totals.skipped, end.totals.todo];
    let sum = totals.iter().flatten().fold(0_u64, |sum, count| sum.saturating_add(*count));
    if sum != end.total {
        mismatch(format!("the end says {} tests in all, its numbers make {sum}", end.total));
    }
    let run = end.suites.failed.saturating_add(end.suites.passed);
    let files = session.files.len() as u64;
    let all_trees = files == run && session.files.iter().all(|file| file.has_tree);
    let none = files == 0 && session.cases.is_empty();
    let count = |status| session.cases.count(status);
    let named = [
        ("passed", end.totals.passed, count(Status::Passed)),
        ("failed", end.totals.failed, bad(session)),
        ("skipped", end.totals.skipped, count(Status::Skipped)),
        ("todo", end.totals.todo, count(Status::Todo)),
    ];
    for (word, stated, named) in named {
        let stated = stated.unwrap_or(0);
        // What failed is always named; the files of which every test was skipped are not even printed.
        let exact = word == "failed" && !none || all_trees && word == "passed";
        if named > stated || exact && named != stated {
            mismatch(format!("the end says {stated} {word}, {named} are named"));
        }
    }
    let passed = count(Status::Passed);
    if end.totals.passed.is_some_and(|stated| stated > passed) && !all_trees {
        let message = format!(
            "of {} tests that passed {passed} are named; --verbose names all",
            end.totals.passed.unwrap_or(0)
        );
        report.note(NoteCode::NamesHidden, message, Some(end.lines));
    }
    if files < run && !none {
        let message = format!("of {run} files {files} are here");
        report.note(NoteCode::HeadMissing, message, Some(end.lines));
    }
    unexplained(session, end, report);
}

/// Files that failed, and nothing says why.
fn unexplained(session: &Session, end: &End, report: &mut Report) {
    let silent: Vec<_> = session.files.iter().filter(|file| file.failed && !file.is_explained).collect();
    let mut left = end
        .suites
        .failed
        .saturating_sub(session.files.iter().filter(|file| file.failed && file.is_explained).count() as u64);
    let problem = |subject: Option<String>, lines| Problem {
        kind: Kind::Unknown,
        subject,
        error: None,
        message: Some("the file failed, and the output does not say why".to_owned()),
        lines,
    };
    for file in silent {
        if left > 0 {
            left -= 1;
            report.problems.push(problem(Some(file.label.clone()), Lines::one(file.line)));
        }
    }
    // A summary alone speaks of failed tests too.
    if left > 0 && end.totals.failed == Some(0) {
        report.problems.push(problem(None, end.lines));
    }
}

/// Two cases of one name, and tests that were tried again.
fn names(session: &Session, report: &mut Report) {
    if let Some((name, number)) = session.retried.iter().find(|(name, _)| !failed_at_last(session, name)) {
        let message = format!("{name} failed, was tried again, and passed");
        report.note(NoteCode::Flaky, message, Some(Lines::one(*number)));
    }
    let cases = &session.cases;
    if cases.count(Status::Passed) == cases.len() as u64 {
        return;
    }
    let mut seen: HashMap<&str, Status> = HashMap::with_capacity(cases.len());
    let (mut repeated, mut contradiction) = (None, None);
    for case in cases.iter() {
        let Some(before) = seen.insert(case.id(), case.status()) else { continue };
        repeated.get_or_insert(case.lines());
        let pair = [before, case.status()];
        if pair.contains(&Status::Passed) && pair.contains(&Status::Failed) {
            contradiction.get_or_insert((format!("{} passed and failed", case.id()), case.lines()));
        }
    }
    if repeated.is_some() {
        report.note(NoteCode::RepeatedName, "several cases have one name", repeated);
    }
    if let Some((message, lines)) = contradiction {
        report.note(NoteCode::ContradictoryResult, message, Some(lines));
    }
}

/// Whether a test of this full name, whose parts jest joins with blanks, is among those that failed.
fn failed_at_last(session: &Session, full_name: &str) -> bool {
    let joined = |case: &Case<'_>| {
        let mut parts: Vec<&str> = case.suite().iter().skip(1).map(String::as_str).collect();
        parts.push(case.name());
        parts.join(" ")
    };
    session.cases.iter().any(|case| is_bad(case.status()) && joined(&case) == full_name)
}

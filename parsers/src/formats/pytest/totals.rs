//! The end of a session: its numbers, how it stopped, and what doesn't add up.

use super::settle::Settle;
use super::tally::{Fit, Tally};
use super::word::Word;
use crate::{Kind, Lines, NoteCode, Problem, Status};

/// Settles numbers, problems of the session as a whole, and notes.
pub(super) fn settle(settle: &mut Settle<'_>) {
    let broken_off = stops(settle);
    internal_error(settle);
    let end = settle.session.end;
    let tally = end.map(|end| end.tally);
    settle.report.completeness = Tally::completeness(tally.as_ref(), broken_off);
    if let Some(tally) = tally {
        settle.report.totals = tally.totals();
    }
    doubtful(settle, tally.as_ref());
    flaky(settle);
    if let (Some(end), Some(tally)) = (end, tally) {
        named(settle, &tally, end.line);
        if tally.ran() == 0 && settle.report.problems.is_empty() {
            let message = match tally.deselected {
                0 => "no tests ran".to_owned(),
                count => format!("no tests ran: {count} deselected"),
            };
            let lines = Lines::one(end.line);
            settle.report.problems.push(problem(Kind::Collection, &message, lines));
        }
    } else if settle.session.head.is_none() && settle.session.past_progress {
        settle.report.note(NoteCode::NoEnd, "the end line is missing: `-qq` prints none", None);
    }
    if let Some(line) = settle.session.ambiguous {
        let message = "two end lines with different numbers, and either may be the runner's";
        settle.report.note(NoteCode::AmbiguousSummary, message, Some(Lines::one(line)));
    }
    if let Some(line) = settle.session.cut {
        let message = "messages of more than 4096 bytes are cut, the first of them here";
        settle.report.note(NoteCode::LeftOut, message, Some(Lines::one(line)));
    }
}

fn problem(kind: Kind, message: &str, lines: Lines) -> Problem {
    Problem { kind, subject: None, error: None, message: Some(message.to_owned()), lines }
}

/// Reads the `!` lines. True where the run was broken off.
fn stops(settle: &mut Settle<'_>) -> bool {
    let mut broken_off = false;
    for (title, line) in std::mem::take(&mut settle.session.stops) {
        let lines = Lines::one(line);
        let inner =
            title.strip_prefix("Interrupted: ").or(title.strip_prefix("xdist.dsession.Interrupted: "));
        let said = inner.unwrap_or(&title);
        let early = ["stopping after ", "Test failed, continuing from this test"];
        if early.iter().any(|words| said.starts_with(words)) {
            settle.report.note(NoteCode::StoppedEarly, said, Some(lines));
        } else if said.ends_with(" during collection") {
            // Each file that did not load is a problem already.
        } else if title.starts_with("session-timeout: ") {
            broken_off = true;
            settle.report.problems.push(problem(Kind::Timeout, &title, lines));
        } else if inner.is_some() || title == "KeyboardInterrupt" || title.contains("outcomes.Exit") {
            broken_off = true;
            settle.report.problems.push(problem(Kind::Interrupted, &title, lines));
        }
    }
    broken_off
}

fn internal_error(settle: &mut Settle<'_>) {
    if let Some(internal) = settle.session.internal.take() {
        let lines = Lines::new(internal.first, internal.last);
        let problem = settle.outside(internal.said.as_str(), lines);
        settle.report.problems.push(problem);
    }
}

/// A result stood alone twice: one of the two was output. The numbers tell which, else the later counts.
fn doubtful(settle: &mut Settle<'_>, tally: Option<&Tally>) {
    let doubtful = std::mem::take(&mut settle.session.doubtful);
    if doubtful.is_empty() {
        return;
    }
    let agrees = tally.is_some_and(|tally| {
        settle.report.cases.count(Status::Passed) == tally.passed
            && settle.report.cases.count(Status::Failed) == tally.failed
    });
    for (key, word) in doubtful.into_iter().filter(|_| !agrees) {
        let claimed = tally.map_or(u64::MAX, |tally| tally.failed);
        if word == Word::Passed && claimed < settle.count_named().0 && settle.forget_bare_failure(key) {
            settle.session.counted.failed = settle.session.counted.failed.saturating_sub(1);
            settle.session.counted.passed += 1;
        }
        let failed = settle.report.cases.get(key).is_some_and(|case| !case.failures().is_empty());
        if let (Some(status), false) = (word.status(), failed) {
            settle.report.cases.set_status(key, status);
        }
    }
}

fn flaky(settle: &mut Settle<'_>) {
    settle.session.reruns_named = settle.session.reruns.len();
    let mut reruns: Vec<String> = settle.session.reruns.drain().collect();
    reruns.sort_unstable();
    for id in reruns {
        if let Some(key) = settle.report.cases.find(&id)
            && let Some(case) = settle.report.cases.get(key)
            && case.status() == Status::Passed
        {
            let message = format!("{id} failed and passed when it was run again");
            let lines = case.lines();
            settle.report.note(NoteCode::Flaky, message, Some(lines));
        }
    }
}

/// Holds the runner's numbers against the cases that are named.
fn named(settle: &mut Settle<'_>, tally: &Tally, line: u32) {
    let (failed, errored) = settle.count_named();
    let counted = settle.session.counted;
    let verbose = settle.session.verbose;
    let passed = if verbose { counted.passed } else { settle.report.cases.count(Status::Passed) };
    let lines = Some(Lines::one(line));
    let mut hidden = Vec::new();
    let mut differ = Vec::new();
    for (word, claimed, named) in [("failed", tally.failed, failed), ("errored", tally.errored, errored)] {
        if claimed == named {
        } else if named == 0 && !verbose {
            hidden.push(format!("{claimed} {word}"));
        } else {
            differ.push((claimed, word, named));
        }
    }
    if verbose {
        let same = [
            ("passed", tally.passed, passed),
            ("xfailed", tally.xfailed, counted.xfailed),
            ("xpassed", tally.xpassed, counted.xpassed),
        ];
        differ.extend(
            same.into_iter().filter(|(_, claimed, named)| claimed != named).map(|(w, c, n)| (c, w, n)),
        );
    } else {
        // A letter that the numbers don't claim is a failure that something took back.
        for (word, claimed, seen) in
            [("failed", tally.failed, counted.failed), ("errored", tally.errored, counted.errored)]
        {
            if seen > claimed && !differ.iter().any(|(_, other, _)| *other == word) {
                differ.push((claimed, word, seen));
            }
        }
        if tally.passed > passed {
            hidden.push(format!("{} passed", tally.passed - passed));
        }
    }
    let adds_up = counted.fits(tally) == Fit::Yes || (passed == tally.passed && hidden.is_empty());
    // `-q` prints no head, and an end without `=`.
    let cut_off = settle.session.end.is_some_and(|end| !end.bare) || settle.session.is_weak();
    if settle.session.head.is_none() && !adds_up && cut_off {
        let message = "the head of the session is missing, and the cases that are named are not all";
        settle.report.note(NoteCode::HeadMissing, message, lines);
        differ.retain(|(claimed, _, named)| named > claimed);
    }
    for (claimed, word, named) in differ {
        let verb = if named == 1 { "is" } else { "are" };
        let message = format!("the summary says {claimed} {word}, {named} {verb} named");
        settle.report.note(NoteCode::TotalsMismatch, message, lines);
    }
    if !hidden.is_empty() {
        let message = format!("the mode in use does not name {}; `-v` names all", hidden.join(", "));
        settle.report.note(NoteCode::NamesHidden, message, lines);
    }
    if tally.reruns > 0 && settle.session.reruns_named == 0 {
        let message = format!("{} tries failed and were run again; `-v` names the tests", tally.reruns);
        settle.report.note(NoteCode::Flaky, message, lines);
    }
}

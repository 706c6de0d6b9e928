//! The runner's numbers, held against what the output names.

use std::collections::{HashMap, HashSet};

use super::report::Builder;
use super::session::{Flavour, Section, Session};
use crate::{Case, Lines, NoteCode, Problem, Report, Status};

/// Notes where the runner's numbers and the printed failures differ.
pub(super) fn count_sections(session: &Session, sections: &[Section], report: &mut Report) {
    let Some(end) = &session.end else { return };
    for (flavour, word, stated) in
        [(Flavour::Fail, "failures", end.totals.failed), (Flavour::Error, "errors", end.totals.errored)]
    {
        let printed = sections.iter().filter(|section| section.flavour == flavour).count() as u64;
        if stated.is_some_and(|stated| stated != printed) {
            let message = format!("the end says {word}={}, {printed} are printed", stated.unwrap_or(0));
            report.note(NoteCode::TotalsMismatch, message, Some(end.lines));
        }
    }
}

/// The id of the test that a case is, or is a subtest of.
pub(super) fn test_of<'a>(case: &Case<'a>) -> &'a str {
    let id = case.id();
    id.strip_suffix(case.name()).and_then(|test| test.strip_suffix(' ')).unwrap_or(id)
}

impl Builder<'_> {
    pub(super) fn end(&mut self) {
        let nameless = self.session.nameless_skips.len() as u64;
        if let Some(first) = self.session.nameless_skips.first() {
            let message = format!("{nameless} skips without a name");
            self.report.note(NoteCode::NamelessCase, message, Some(Lines::one(*first)));
        }
        let Some(end) = self.session.end.take() else { return };
        self.report.totals = end.totals;
        let skipped = self.count(Status::Skipped) + nameless;
        if end.ran == 0 && end.totals.skipped == Some(0) && self.report.problems.is_empty() {
            self.report.problems.push(Problem::no_tests_ran(end.lines));
        }
        for lines in &self.session.other_ends {
            let message = "more than one end of a run is printed; which one is the runner's can't be told";
            self.report.note(NoteCode::AmbiguousSummary, message, Some(*lines));
        }
        if self.session.listed == 0 {
            let tests: HashSet<&str> = self.session.cases.iter().map(|case| test_of(&case)).collect();
            let named = tests.len() as u64 + self.unloaded + self.nameless;
            // What was skipped or failed as expected is named as little as what passed, and is no pass.
            let unrun = end.totals.skipped.unwrap_or(0).saturating_add(end.totals.xfailed.unwrap_or(0));
            if end.ran > named.saturating_add(unrun) {
                let message = format!("of {} tests {named} are named; -v names all", end.ran);
                self.report.note(NoteCode::NamesHidden, message, Some(end.lines));
            }
            return;
        }
        let pairs = [
            ("tests", Some(end.ran).filter(|_| !end.agrees(self.session.listed)), self.session.listed),
            ("skipped", end.totals.skipped, skipped),
            ("expected failures", end.totals.xfailed, self.count(Status::Xfailed)),
            ("unexpected successes", end.totals.xpassed, self.count(Status::Xpassed)),
        ];
        for (word, stated, named) in pairs {
            if let Some(stated) = stated.filter(|stated| *stated != named) {
                let message = format!("the end says {stated} {word}, {named} are named");
                self.report.note(NoteCode::TotalsMismatch, message, Some(end.lines));
            }
        }
    }

    /// Cases of this status, without tests that only stand for their subtests.
    fn count(&self, status: Status) -> u64 {
        let cases = &self.session.cases;
        let parents = &self.session.parents;
        let standing =
            parents.iter().filter(|key| cases.get(**key).is_some_and(|case| case.status() == status));
        cases.count(status) - standing.count() as u64
    }

    /// Two cases of one name. Where all passed nothing hangs on which is which.
    pub(super) fn names(&mut self) {
        let cases = &self.session.cases;
        if cases.count(Status::Passed) == cases.len() as u64 {
            return;
        }
        let is_bad = |status| matches!(status, Status::Failed | Status::Errored);
        let mut seen: HashMap<&str, Status> = HashMap::with_capacity(cases.len());
        let (mut repeated, mut contradiction) = (self.repeated, None);
        for case in cases.iter() {
            let Some(before) = seen.insert(case.id(), case.status()) else { continue };
            repeated.get_or_insert(case.lines());
            let (passed, failed) = (Status::Passed, is_bad(before) || is_bad(case.status()));
            if failed && (before == passed || case.status() == passed) {
                contradiction.get_or_insert((format!("{} passed and failed", case.id()), case.lines()));
            }
        }
        if repeated.is_some() {
            self.report.note(NoteCode::RepeatedName, "several cases have one name", repeated);
        }
        if let Some((message, lines)) = contradiction {
            self.report.note(NoteCode::ContradictoryResult, message, Some(lines));
        }
    }
}

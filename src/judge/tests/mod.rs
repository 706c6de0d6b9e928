//! Red and green by rule: each case that must be rejected has a twin beside it that must not be.

use redgreen_parsers::{
    Completeness, Failure, Format, Kind, Lines, NewCase, NoteCode, Problem as Broken, Report, Status,
};

use super::*;
use crate::digest::Sha256;
use crate::observe::facts::{Ended, Entry, EntryKind};
use crate::plan::{Flaky, Identities, Phase, Sessions};

mod deliver;
mod green;
mod guards;
mod red;
mod replay;
pub(in crate::judge) mod world;

/// A complete report of a format, to be filled in.
fn report(format: &str) -> Report {
    let mut report = Report::empty(Format::find(format).unwrap());
    report.completeness = Completeness::Complete;
    report
}

/// Fills in reports by hand, each line standing one further down.
trait Fill: Sized {
    fn case(self, id: &str, status: Status, kinds: &[Kind]) -> Self;
    fn broke(self, kind: Kind) -> Self;
    fn noted(self, code: NoteCode, message: &str) -> Self;
    fn with(self, change: impl FnOnce(&mut Report)) -> Self;

    fn passes(self, id: &str) -> Self {
        self.case(id, Status::Passed, &[])
    }
    fn fails(self, id: &str, kind: Kind) -> Self {
        self.case(id, Status::Failed, &[kind])
    }
}

impl Fill for Report {
    fn case(mut self, id: &str, status: Status, kinds: &[Kind]) -> Self {
        let lines = Lines::one(10 + u32::try_from(self.cases.len()).unwrap());
        let label = id.rfind(" (").map(|at| at + 1);
        let title = id.get(..id.find('[').unwrap_or(id.len())).unwrap_or(id);
        let separator = if id.contains("::") {
            "::"
        } else if id.contains(" > ") {
            " > "
        } else {
            "."
        };
        let name_at = label.unwrap_or_else(|| title.rfind(separator).map_or(0, |at| at + separator.len()));
        let key = self.cases.push(NewCase { id, name_len: id.len() - name_at, status, lines }, |before| {
            before.trim_end_matches([':', '.', '>', ' ']).split(separator).map(str::to_owned).collect()
        });
        for kind in kinds {
            let failure = Failure {
                kind: *kind,
                error: Some("SomeError".to_owned()),
                message: Some("it said so".to_owned()),
                file: Some("src/product.py".to_owned()),
                line: Some(3),
                lines: Lines::new(lines.first, lines.last + 5),
            };
            self.cases.add_failure(key, failure);
        }
        self
    }

    fn broke(mut self, kind: Kind) -> Self {
        let subject = Some("tests/test_b.py".to_owned());
        self.problems.push(Broken { kind, subject, error: None, message: None, lines: Lines::one(3) });
        self
    }

    fn noted(mut self, code: NoteCode, message: &str) -> Self {
        self.note(code, message, Some(Lines::one(40)));
        self
    }

    fn with(mut self, change: impl FnOnce(&mut Report)) -> Self {
        change(&mut self);
        self
    }
}

fn named(identities: &[&str]) -> Expectations<'static> {
    let identities = Identities::Named(identities.iter().map(|identity| (*identity).to_owned()).collect());
    Expectations { identities, ..Expectations::default() }
}

fn readings(reports: Vec<Report>) -> Vec<Reading> {
    let mut readings: Vec<Reading> = Vec::new();
    for report in reports {
        match readings.iter_mut().find(|reading| reading.format == report.format) {
            Some(reading) => reading.reports.push(report),
            None => readings.push(Reading { format: report.format, reports: vec![report] }),
        }
    }
    readings
}

fn judge(phase: Phase, ended: Option<&Ended>, reports: Vec<Report>, expected: &Expectations<'_>) -> Verdict {
    let run = Run { ended, readings: &readings(reports), foreign: &[], witness: None };
    match phase {
        Phase::Red => super::red(&run, expected),
        Phase::Green => super::green(&run, expected),
    }
}

/// Judges a run and compares its problems and notes, as words in alphabetical order.
#[track_caller]
fn check_run(
    phase: Phase,
    ended: Option<Ended>,
    reports: Vec<Report>,
    expected: &Expectations<'_>,
    problems: &[&str],
    notes: &[&str],
) -> Verdict {
    let verdict = judge(phase, ended.as_ref(), reports, expected);
    let words = |list: &[Problem]| {
        let mut words: Vec<&str> = list.iter().map(|problem| problem.code.word()).collect();
        words.sort_unstable();
        words
    };
    assert_eq!(words(&verdict.problems), problems, "problems: {:#?}", verdict.problems);
    assert_eq!(words(&verdict.notes), notes, "notes: {:#?}", verdict.notes);
    assert_eq!(verdict.accepted(), problems.is_empty());
    verdict
}

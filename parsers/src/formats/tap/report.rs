//! From finished documents to reports.

use super::comments::{Death, Trailer};
use super::diagnosis::Diagnosis;
use super::document::Document;
use super::level::Level;
use super::prove::Verdict;
use super::said::Said;
use crate::{Completeness, Format, Kind, Lines, Note, NoteCode, Problem, Report, Status};

/// A document that came to its end.
pub(super) struct Finished {
    pub(super) root: Level,
    pub(super) lines: Option<Lines>,
    pub(super) notes: Vec<Note>,
    pub(super) problems: Vec<Problem>,
    pub(super) files: u64,
    pub(super) suites: [u64; 2],
    pub(super) has_subtests: bool,
    pub(super) trailer: Trailer,
    pub(super) bail: Option<Problem>,
    pub(super) script: Option<String>,
    pub(super) verdict: Option<Verdict>,
    pub(super) nothing: bool,
    pub(super) skipped: Option<String>,
}

impl Finished {
    pub(super) fn new(mut document: Document, trailer: Trailer, bail: Option<Problem>) -> Self {
        let root = document.end();
        Self {
            root,
            lines: document.lines,
            notes: document.notes,
            problems: document.problems,
            files: document.files,
            suites: document.suites,
            has_subtests: document.has_subtests,
            trailer,
            bail,
            script: None,
            verdict: None,
            nothing: false,
            skipped: None,
        }
    }

    pub(super) fn has_tap(&self) -> bool {
        self.root.points > 0 || self.root.plan.is_some() || self.bail.is_some() || !self.root.cases.is_empty()
    }

    /// Where plan, numbers and results differ.
    pub(super) fn note_plan(&mut self) {
        let prefix = self.script.as_ref().map_or(String::new(), |script| format!("in {script}: "));
        if let Some((message, line)) = self.root.objection() {
            self.push_note(NoteCode::PlanMismatch, format!("{prefix}{message}"), line);
        }
        // Node numbers the tests of each file anew, and counts them itself at the end.
        let renumbers = self.trailer.suites.is_some() && self.root.objection().is_none();
        if let Some(line) = self.root.disorder.filter(|_| !renumbers) {
            self.push_note(NoteCode::PlanMismatch, format!("{prefix}the numbers are out of order"), line);
        }
    }

    fn push_note(&mut self, code: NoteCode, message: String, line: u32) {
        self.notes.push(Note { code, message, lines: Some(Lines::one(line)) });
    }
}

/// The reports of documents that follow each other, one a document.
pub(super) fn plain(format: Format, mut done: Vec<Finished>, said: Said) -> Vec<Report> {
    let Said { named, deaths, uncaught, mut startup, ran_otherwise, exited } = said;
    let mut by_name = named.by_name();
    // A version line with nothing behind it is no document where there is another.
    if done.iter().any(Finished::has_tap) {
        done.retain(Finished::has_tap);
    }
    let last = done.len().saturating_sub(1);
    let mut reports: Vec<Report> = Vec::new();
    for (place, mut finished) in done.into_iter().enumerate() {
        let is_last = place == last;
        let mut report = Report::empty(format);
        report.spans.extend(finished.lines);
        finished.note_plan();
        let plan = finished.root.plan.clone();
        let ended = plan.as_ref().is_some_and(|plan| {
            finished.root.points >= plan.count || plan.after > 0 || (is_last && ran_otherwise)
        });
        report.completeness = match (finished.lines, finished.bail.is_some(), ended) {
            (None, ..) => Completeness::Empty,
            (Some(_), false, true) => Completeness::Complete,
            (Some(_), ..) => Completeness::Truncated,
        };
        by_name.attach(&mut finished.root.cases);
        if report.completeness == Completeness::Complete {
            totals(&mut report, &mut finished);
            nothing_ran(&mut report, &finished);
        }
        report.problems.append(&mut finished.problems);
        let cut_short = report.completeness != Completeness::Complete && finished.bail.is_none();
        report.problems.extend(finished.bail.take());
        if is_last && let Some(line) = exited {
            report.problems.push(died(format, &deaths, None, Lines::one(line)));
        } else if is_last && cut_short {
            let empty = report.completeness == Completeness::Empty;
            report.problems.extend(last_words(format, &deaths, &uncaught, startup.take().filter(|_| empty)));
        }
        report.notes.append(&mut finished.notes);
        report.cases = finished.root.cases;
        note_repeated(&mut report);
        reports.push(report);
    }
    reports
}

/// What a script said when it died.
pub(super) fn died(format: Format, deaths: &[Death], script: Option<&str>, lines: Lines) -> Problem {
    let mut problem = Problem {
        kind: Kind::Unknown,
        subject: script.map(str::to_owned),
        error: None,
        message: None,
        lines,
    };
    let consequence = ["BEGIN failed--", "Compilation failed in require"];
    let own = deaths.iter().filter(|death| script.is_none_or(|script| death.file == script));
    for death in own.filter(|death| !consequence.iter().any(|start| death.message.starts_with(start))) {
        problem.kind = format.grammar().kind("", &death.message).unwrap_or(Kind::Exception);
        problem.message = Some(death.message.clone());
        problem.lines = Lines::one(death.line);
        if script.is_none() {
            problem.subject = Some(death.file.clone());
        }
        if problem.kind != Kind::Exception {
            break;
        }
    }
    problem
}

/// Why a document without an end has none, if something says so.
fn last_words(
    format: Format,
    deaths: &[Death],
    uncaught: &Option<Diagnosis>,
    startup: Option<Problem>,
) -> Option<Problem> {
    if let Some(first) = deaths.first() {
        return Some(died(format, deaths, None, Lines::one(first.line)));
    }
    if let Some(uncaught) = uncaught
        && let Some(lines) = uncaught.lines
    {
        let kind = match uncaught.kind(format, &[], "") {
            kind @ (Kind::Import | Kind::Syntax | Kind::Compile) => kind,
            _ => Kind::Exception,
        };
        let (error, message) = uncaught.words();
        return Some(Problem { kind, subject: None, error, message, lines });
    }
    startup
}

/// A plan for nothing.
fn nothing_ran(report: &mut Report, finished: &Finished) {
    let Some(plan) = &finished.root.plan else { return };
    if finished.root.cases.is_empty() && finished.problems.is_empty() {
        let reason = plan.skip.clone().filter(|reason| !reason.is_empty());
        report.problems.push(no_tests(reason, Lines::one(plan.line)));
    }
}

pub(super) fn no_tests(reason: Option<String>, lines: Lines) -> Problem {
    let message = Some(reason.unwrap_or_else(|| "no tests".to_owned()));
    Problem { kind: Kind::Collection, subject: None, error: None, message, lines }
}

/// The runner's own numbers, beside those of the cases.
fn totals(report: &mut Report, finished: &mut Finished) {
    report.totals = finished.trailer.totals();
    if report.totals.passed.is_none() && report.totals.failed.is_none() {
        return;
    }
    let cases = &finished.root.cases;
    let [passed_suites, failed_suites] = finished.suites;
    let broken = finished.problems.len() as u64;
    let passed = cases.count(Status::Passed).saturating_sub(passed_suites) + finished.files
        - broken.min(finished.files);
    let failed = cases.count(Status::Failed).saturating_sub(failed_suites) + broken;
    let unrun = cases.count(Status::Skipped) + cases.count(Status::Todo);
    let exact = finished.trailer.suites.is_some() || !finished.has_subtests;
    let differs = |stated: Option<u64>, counted: u64, slack: u64| match stated {
        Some(stated) if exact => !(counted..=counted + slack).contains(&stated),
        // Without a count of its groups the runner may count the top level alone.
        Some(stated) => stated > counted + slack || (stated == 0) != (counted == 0),
        None => false,
    };
    for (word, stated, counted) in
        [("pass", report.totals.passed, passed), ("fail", report.totals.failed, failed)]
    {
        if differs(stated, counted, unrun) {
            let message = format!("the runner says {word} {}, {counted} are printed", stated.unwrap_or(0));
            let line = finished.trailer.line;
            finished.notes.push(Note {
                code: NoteCode::TotalsMismatch,
                message,
                lines: Some(Lines::one(line)),
            });
        }
    }
}

/// A name that did not pass and that another case has too. Where all of a name passed nothing hangs on it.
pub(super) fn note_repeated(report: &mut Report) {
    let cases = &mut report.cases;
    if cases.count(Status::Passed) == cases.len() as u64 {
        return;
    }
    let mut first = None;
    for key in cases.keys() {
        let Some(case) = cases.get(key) else { continue };
        let (id, lines) = (case.id().to_owned(), case.lines());
        if cases.find(&id).is_some_and(|other| other != key) {
            first = Some((id, lines));
            break;
        }
    }
    if let Some((id, lines)) = first {
        let message = format!("several tests are called {id}");
        report.note(NoteCode::RepeatedName, message, Some(lines));
    }
}

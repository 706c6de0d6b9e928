//! From a finished run of zope.testrunner to its report.

use super::heading::{What, dotted, titled};
use super::traceback::Said;
use super::zope::{Section, Subject, Zope};
use crate::{Completeness, Failure, Format, Kind, Lines, NewCase, NoteCode, Problem, Report, Status};

/// What it raises in the name of a test that was expected to fail.
const UNEXPECTED: &str = "zope.testrunner.runner.UnexpectedSuccess";

/// Makes the report.
pub(super) fn report(mut zope: Zope, format: Format, assertion_errors: &[String]) -> Report {
    let mut report = Report::empty(format);
    "zope.testrunner".clone_into(&mut report.runner.name);
    report.completeness = if zope.has_end() { Completeness::Complete } else { Completeness::Truncated };
    report.spans.extend(zope.lines);
    let sections = std::mem::take(&mut zope.sections);
    let mut builder = Builder { zope, report, format, assertion_errors, failures: 0, errors: 0 };
    for section in sections {
        builder.section(section);
    }
    builder.end();
    let Builder { zope, mut report, .. } = builder;
    report.cases = zope.cases;
    report
}

struct Builder<'a> {
    zope: Zope,
    report: Report,
    format: Format,
    assertion_errors: &'a [String],
    /// Sections of each sort, as the runner counts them.
    failures: u64,
    errors: u64,
}

impl Builder<'_> {
    fn section(&mut self, section: Section) {
        let (said, lines) = (section.traceback.said(), section.lines);
        if said.is_cut {
            self.report.note(NoteCode::LeftOut, "of long messages the first 4 KiB are kept", Some(lines));
        }
        match section.of {
            Subject::Error(title) if said.error.as_deref() == Some(UNEXPECTED) => {
                self.failures += 1;
                self.case(&title, Status::Xpassed, None, lines);
            }
            Subject::Error(title) => {
                self.errors += 1;
                self.case(&title, Status::Errored, Some(said), lines);
            }
            Subject::Failure(title) => {
                self.failures += 1;
                self.case(&title, Status::Failed, Some(said), lines);
            }
            Subject::Module(module) => {
                let kind = match self.known(&said) {
                    Some(kind @ (Kind::Import | Kind::Syntax)) => kind,
                    _ => Kind::Collection,
                };
                self.problem(kind, module, said, lines);
            }
            Subject::SetUp(layer) => self.problem(Kind::Setup, layer, said, lines),
            Subject::Process => {
                let message = Some("could not communicate with a subprocess".to_owned());
                self.report.problems.push(Problem {
                    kind: Kind::Crash,
                    subject: None,
                    error: None,
                    message,
                    lines,
                });
            }
            Subject::TearDown(layer) => self.problem(Kind::Teardown, layer, said, lines),
        }
    }

    fn problem(&mut self, kind: Kind, subject: String, said: Said, lines: Lines) {
        let Said { error, message, .. } = said;
        self.report.problems.push(Problem { kind, subject: Some(subject), error, message, lines });
    }

    fn case(&mut self, title: &str, status: Status, said: Option<Said>, lines: Lines) {
        let (id, name_len) = match titled(title, lines.first).what {
            What::Test { id, name_len } => (id, name_len),
            What::Subtest { test, label } => (format!("{test} {label}"), label.len()),
            What::Fixture { .. } | What::Unloaded { .. } => (title.to_owned(), title.len()),
        };
        let cases = &mut self.zope.cases;
        let key = match cases.find(&id) {
            Some(key) => {
                if cases.get(key).is_some_and(|case| case.status() != Status::Errored) {
                    cases.set_status(key, status);
                }
                cases.set_lines(key, lines);
                key
            }
            None => cases.push(NewCase { id: &id, name_len, status, lines }, dotted),
        };
        let Some(said) = said else { return };
        let kind = self.kind(status, &said);
        let Said { error, message, file, line, .. } = said;
        self.zope.cases.add_failure(key, Failure { kind, error, message, file, line, lines });
    }

    fn known(&self, said: &Said) -> Option<Kind> {
        let (error, message) = (said.error.as_deref().unwrap_or(""), said.message.as_deref().unwrap_or(""));
        self.format.grammar().kind(error, message)
    }

    fn kind(&self, status: Status, said: &Said) -> Kind {
        let Some(error) = said.error.as_deref() else { return Kind::Unknown };
        if let Some(hook) = said.hook {
            return hook;
        }
        if status == Status::Failed || self.format.grammar().is_assertion(error, self.assertion_errors) {
            return Kind::Assertion;
        }
        match self.known(said) {
            Some(kind @ (Kind::Import | Kind::Syntax)) => kind,
            _ => Kind::Exception,
        }
    }

    /// The runner's numbers, held against what it names.
    fn end(&mut self) {
        let Some(sum) = self.zope.total.or(self.zope.ran) else { return };
        let lines = Lines::one(sum.line);
        self.report.totals.failed = Some(sum.failures);
        self.report.totals.errored = Some(sum.errors);
        self.report.totals.skipped = Some(sum.skipped);
        if self.report.completeness != Completeness::Complete {
            return;
        }
        // Modules that could not be imported are counted as errors of each layer.
        let outside = self.report.problems.len() as u64;
        let most = self.errors + outside.saturating_mul(self.zope.layers.max(1));
        let mut differs = |word: &str, stated: u64, named: u64| {
            let message = format!("the end says {stated} {word}, {named} are named");
            self.report.note(NoteCode::TotalsMismatch, message, Some(lines));
        };
        if sum.failures != self.failures {
            differs("failures", sum.failures, self.failures);
        }
        if !(self.errors..=most).contains(&sum.errors) {
            differs("errors", sum.errors, self.errors);
        }
        if self.zope.listed > 0 {
            if self.zope.listed != sum.tests {
                differs("tests", sum.tests, self.zope.listed);
            }
            let skipped = self.zope.cases.count(Status::Skipped);
            if skipped != sum.skipped {
                differs("skipped", sum.skipped, skipped);
            }
        } else if sum.tests > sum.skipped.saturating_add(self.failures + self.errors) {
            let message = format!("of {} tests those that passed are not named; -vv names all", sum.tests);
            self.report.note(NoteCode::NamesHidden, message, Some(lines));
        }
        if sum.tests == 0 && self.report.problems.is_empty() {
            self.report.problems.push(Problem::no_tests_ran(lines));
        }
    }
}

//! From a finished run of trial to its report.

use super::heading::dotted;
use super::traceback::Said;
use super::trial::Trial;
use super::trial_section::{Flavour, Section, scope};
use crate::{
    CaseKey, Completeness, Failure, Format, Kind, Lines, NewCase, NoteCode, Problem, Report, Status,
};

/// Makes the report.
pub(super) fn report(mut trial: Trial, format: Format, assertion_errors: &[String]) -> Report {
    let mut report = Report::empty(format);
    "trial".clone_into(&mut report.runner.name);
    report.completeness = if trial.end.is_some() { Completeness::Complete } else { Completeness::Truncated };
    report.spans.extend(trial.lines);
    let sections = std::mem::take(&mut trial.sections);
    let mut builder = Builder { trial, report, format, assertion_errors, counted: [0; 6] };
    for section in sections {
        builder.section(section);
    }
    builder.unexplained();
    builder.end();
    let Builder { trial, mut report, .. } = builder;
    report.cases = trial.cases;
    report
}

struct Builder<'a> {
    trial: Trial,
    report: Report,
    format: Format,
    assertion_errors: &'a [String],
    /// How many tests the sections of each flavour list.
    counted: [u64; 6],
}

impl Builder<'_> {
    fn section(&mut self, mut section: Section) {
        let (flavour, lines, of_loader) = (section.flavour, section.lines, section.of_loader);
        let ids = std::mem::take(&mut section.ids);
        let reason = section.reason.clone().into_text();
        if section.reason.is_cut() {
            self.report.note(NoteCode::LeftOut, "of long messages the first 4 KiB are kept", Some(lines));
        }
        let (said, functions) = section.into_said();
        self.counted[flavour as usize] += ids.len() as u64;
        for id in ids {
            if of_loader && flavour == Flavour::Errored {
                self.unloaded(id, said.clone(), lines);
                continue;
            }
            let method = id.rsplit('.').next().unwrap_or(&id);
            let hook = scope(&functions, method).and_then(crate::python::Scope::kind);
            let key = self.case(&id, method.len(), flavour.status(), lines);
            match flavour {
                Flavour::Failed | Flavour::Errored => {
                    let kind = hook.unwrap_or_else(|| self.kind(flavour, &said));
                    let Said { error, message, file, line, .. } = said.clone();
                    let failure = Failure { kind, error, message, file, line, lines };
                    self.trial.cases.add_failure(key, failure);
                }
                Flavour::Skipped => {
                    if let Some(reason) = &reason {
                        self.trial.cases.set_reason(key, reason.clone());
                    }
                }
                Flavour::Passed | Flavour::Todo | Flavour::Unexpected => {}
            }
        }
    }

    /// The case of this id; of several outcomes the worst stays.
    fn case(&mut self, id: &str, name_len: usize, status: Status, lines: Lines) -> CaseKey {
        let cases = &mut self.trial.cases;
        match cases.find(id) {
            Some(key) => {
                if cases.get(key).is_some_and(|case| case.status() != Status::Errored) {
                    cases.set_status(key, status);
                }
                key
            }
            None => cases.push(NewCase { id, name_len, status, lines }, dotted),
        }
    }

    fn unloaded(&mut self, id: String, said: Said, lines: Lines) {
        let Said { error, message, .. } = said;
        let known =
            self.format.grammar().kind(error.as_deref().unwrap_or(""), message.as_deref().unwrap_or(""));
        let kind =
            known.filter(|kind| matches!(kind, Kind::Import | Kind::Syntax)).unwrap_or(Kind::Collection);
        self.trial.others.retain(|other| other.id != id);
        self.report.problems.push(Problem { kind, subject: Some(id), error, message, lines });
    }

    fn kind(&self, flavour: Flavour, said: &Said) -> Kind {
        let Some(error) = said.error.as_deref() else { return Kind::Unknown };
        let grammar = self.format.grammar();
        if flavour == Flavour::Failed || grammar.is_assertion(error, self.assertion_errors) {
            return Kind::Assertion;
        }
        match grammar.kind(error, said.message.as_deref().unwrap_or("")) {
            Some(kind @ (Kind::Import | Kind::Syntax | Kind::Timeout)) => kind,
            _ => Kind::Exception,
        }
    }

    /// Results of the progress that no section explains: the run was cut, or its text was.
    fn unexplained(&mut self) {
        for other in std::mem::take(&mut self.trial.others) {
            if self.trial.cases.find(&other.id).is_some() {
                continue;
            }
            let lines = Lines::one(other.line);
            // What is no test of a class is a module that did not load.
            if other.flavour == Flavour::Errored && !other.id.contains('.') {
                let (kind, subject) = (Kind::Collection, Some(other.id));
                self.report.problems.push(Problem { kind, subject, error: None, message: None, lines });
                continue;
            }
            let key = self.case(&other.id, other.name_len, other.flavour.status(), lines);
            if matches!(other.flavour, Flavour::Failed | Flavour::Errored) {
                let unknown = Failure {
                    kind: Kind::Unknown,
                    error: None,
                    message: None,
                    file: None,
                    line: None,
                    lines,
                };
                self.trial.cases.add_failure(key, unknown);
            }
        }
    }

    /// The runner's numbers, held against what it names.
    fn end(&mut self) {
        let Some(end) = self.trial.end.take() else { return };
        self.report.totals = end.totals;
        let of = |flavour: Flavour| self.counted[flavour as usize];
        let totals = end.totals;
        let shows_sections = totals.passed.is_some();
        let pairs = [
            ("failures", totals.failed, of(Flavour::Failed)),
            ("errors", totals.errored, of(Flavour::Errored)),
            ("skips", totals.skipped, of(Flavour::Skipped)),
            ("expected failures", totals.xfailed, of(Flavour::Todo)),
            ("unexpected successes", totals.xpassed, of(Flavour::Unexpected)),
        ];
        for (word, stated, named) in pairs {
            if let Some(stated) = stated.filter(|stated| shows_sections && *stated != named) {
                let message = format!("the end says {stated} {word}, {named} are listed");
                self.report.note(NoteCode::TotalsMismatch, message, Some(end.lines));
            }
        }
        let named = self.trial.cases.count(Status::Passed);
        let unpassed = [totals.failed, totals.errored, totals.skipped]
            .into_iter()
            .flatten()
            .fold(0, u64::saturating_add);
        let passed = totals.passed.unwrap_or(end.ran.saturating_sub(unpassed));
        if named == 0 && passed > 0 {
            let message = format!("{passed} tests passed and are not named; --reporter=verbose names all");
            self.report.note(NoteCode::NamesHidden, message, Some(end.lines));
        } else if named != passed {
            let message = format!("the end says {passed} successes, {named} are named");
            self.report.note(NoteCode::TotalsMismatch, message, Some(end.lines));
        }
        if end.ran == 0 && self.report.problems.is_empty() {
            self.report.problems.push(Problem::no_tests_ran(end.lines));
        }
    }
}

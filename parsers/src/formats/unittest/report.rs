//! From a finished session to its report: failures to their cases, and what doesn't add up.

use std::collections::HashSet;

use super::heading::{Heading, What, dotted, titled};
use super::numbers::{count_sections, test_of};
use super::session::{Flavour, Section, Session};
use super::traceback::Said;
use crate::{
    CaseKey, Completeness, Failure, Format, Kind, Lines, NewCase, NoteCode, Problem, Report, Status,
};

/// Makes the report of a session.
pub(super) fn report(mut session: Session, format: Format, assertion_errors: &[String]) -> Report {
    session.settle();
    session.take_functions();
    session.drop_lookalikes();
    let mut report = Report::empty(format);
    report.completeness = match session.end {
        Some(_) => Completeness::Complete,
        None => Completeness::Truncated,
    };
    let sections = std::mem::take(&mut session.sections);
    count_sections(&session, &sections, &mut report);
    let mut builder = Builder {
        session,
        report,
        format,
        assertion_errors,
        cut: None,
        repeated: None,
        unloaded: 0,
        nameless: 0,
    };
    builder.sections(sections);
    builder.silent();
    builder.unexplained();
    builder.end();
    builder.names();
    let Builder { session, mut report, cut, .. } = builder;
    if let Some(lines) = cut {
        report.note(NoteCode::LeftOut, "of long messages the first 4 KiB are kept", Some(lines));
    }
    report.cases = session.cases;
    report
}

pub(super) struct Builder<'a> {
    pub(super) session: Session,
    pub(super) report: Report,
    pub(super) format: Format,
    pub(super) assertion_errors: &'a [String],
    pub(super) cut: Option<Lines>,
    pub(super) repeated: Option<Lines>,
    /// How many modules could not be loaded; the runner counts each as a test.
    pub(super) unloaded: u64,
    /// How many failures have no name.
    pub(super) nameless: u64,
}

impl Builder<'_> {
    fn problem(&mut self, kind: Kind, subject: &str, section: Section) {
        let (error, message) = match section.said {
            Some(said) => {
                self.note_cut(&said, section.lines);
                (said.error, said.message)
            }
            None => (None, None),
        };
        let subject = Some(subject.to_owned());
        self.report.problems.push(Problem { kind, subject, error, message, lines: section.lines });
    }

    /// A fixture whose hook only the frames of its error name.
    fn nameless(&mut self, section: Section) {
        let lines = section.lines;
        let Some(said) = section.said else { return };
        self.note_cut(&said, lines);
        let kind = match self.kind(Flavour::Error, &said) {
            Kind::Assertion => Kind::Exception,
            kind => kind,
        };
        let Said { error, message, .. } = said;
        self.report.problems.push(Problem { kind, subject: None, error, message, lines });
    }

    /// A fixture or module that failed without a section.
    fn bare_problem(&mut self, mention: &Heading) {
        let (kind, subject) = match &mention.what {
            What::Fixture { hook, of } if hook.starts_with("setUp") => (Kind::Setup, of),
            What::Fixture { of, .. } => (Kind::Teardown, of),
            What::Unloaded { subject } => (Kind::Collection, subject),
            What::Test { .. } | What::Subtest { .. } => return,
        };
        let lines = Lines::one(mention.line);
        let subject = Some(subject.clone());
        self.report.problems.push(Problem { kind, subject, error: None, message: None, lines });
    }

    fn sections(&mut self, sections: Vec<Section>) {
        let mut told: HashSet<What> = HashSet::new();
        // The runner's own list is the last; what looks like it before was printed by a test.
        let extra = |flavour: Flavour, stated: Option<u64>| {
            let printed = sections.iter().filter(|section| section.flavour == flavour).count() as u64;
            stated.map_or(0, |stated| printed.saturating_sub(stated))
        };
        let totals = self.session.end.as_ref().map(|end| end.totals);
        let mut skip = [
            extra(Flavour::Error, totals.and_then(|totals| totals.errored)),
            extra(Flavour::Fail, totals.and_then(|totals| totals.failed)),
            extra(Flavour::UnexpectedSuccess, totals.and_then(|totals| totals.xpassed)),
        ];
        for section in sections {
            if let Some(left) = skip.get_mut(section.flavour as usize)
                && *left > 0
            {
                *left -= 1;
                continue;
            }
            if section.title.trim().is_empty() {
                self.nameless += 1;
                let message = "a failure without a name";
                self.report.note(NoteCode::NamelessCase, message, Some(section.lines));
                continue;
            }
            let heading = titled(&section.title, section.lines.first);
            match &heading.what {
                What::Fixture { hook, .. } if hook.is_empty() => self.nameless(section),
                What::Fixture { hook, of } => {
                    let kind = if hook.starts_with("setUp") { Kind::Setup } else { Kind::Teardown };
                    self.problem(kind, of, section);
                }
                What::Unloaded { subject } => {
                    let said = section.said.as_ref();
                    let error = said.and_then(|said| said.error.as_deref()).unwrap_or("");
                    let message = said.and_then(|said| said.message.as_deref()).unwrap_or("");
                    let kind = match self.format.grammar().kind(error, message) {
                        Some(kind @ (Kind::Import | Kind::Syntax)) => kind,
                        _ => Kind::Collection,
                    };
                    self.unloaded += 1;
                    self.problem(kind, subject, section);
                }
                What::Test { .. } | What::Subtest { .. } => self.case(&heading, section),
            }
            if matches!(heading.what, What::Fixture { .. } | What::Unloaded { .. }) {
                told.insert(heading.what);
            }
        }
        for mention in std::mem::take(&mut self.session.mentions) {
            if !told.contains(&mention.what) {
                self.bare_problem(&mention);
            }
        }
    }

    fn note_cut(&mut self, said: &Said, lines: Lines) {
        if said.is_cut {
            self.cut.get_or_insert(lines);
        }
    }

    fn case(&mut self, heading: &Heading, section: Section) {
        let status = match section.flavour {
            Flavour::Error => Status::Errored,
            Flavour::Fail => Status::Failed,
            Flavour::UnexpectedSuccess => Status::Xpassed,
        };
        let key = match self.known(heading) {
            Some(key) => {
                // Errors are listed first. Before Python 3.11 the word of a fixture's error stands alone, where it can pass
                // for that of the test before it.
                let is_error = self
                    .session
                    .cases
                    .get(key)
                    .is_some_and(|case| case.status() == Status::Errored && !case.failures().is_empty());
                if !is_error {
                    self.session.cases.set_status(key, status);
                }
                self.session.cases.set_lines(key, section.lines);
                key
            }
            None => {
                if let What::Subtest { test, .. } = &heading.what {
                    self.fail_parent(test);
                }
                self.push(heading, status, section.lines)
            }
        };
        let Some(said) = section.said else { return };
        self.note_cut(&said, section.lines);
        let failure = Failure {
            kind: self.kind(section.flavour, &said),
            error: said.error,
            message: said.message,
            file: said.file,
            line: said.line,
            lines: section.lines,
        };
        self.session.cases.add_failure(key, failure);
        self.session.parents.remove(&key);
    }

    /// A test whose subtest failed did so too. Before Python 3.11 a skip of another subtest is printed as its own.
    fn fail_parent(&mut self, test: &str) {
        let Some(key) = self.session.cases.find(test) else { return };
        let Some(case) = self.session.cases.get(key) else { return };
        let (status, lines) = (case.status(), case.lines());
        if !matches!(status, Status::Passed | Status::Skipped) {
            return;
        }
        if status == Status::Skipped && !self.session.parents.contains(&key) {
            self.session.nameless_skips.push(lines.first);
        }
        self.session.cases.set_status(key, Status::Failed);
        self.session.parents.insert(key);
    }

    /// The case that a section speaks of. A second section of a subtest is another subtest of the same label.
    fn known(&mut self, heading: &Heading) -> Option<CaseKey> {
        match &heading.what {
            What::Test { id, .. } => self.session.cases.find(id),
            What::Subtest { test, label } => {
                let key = self.session.cases.find(&format!("{test} {label}"))?;
                let has_own = self.session.cases.get(key).is_some_and(|case| !case.failures().is_empty());
                if has_own {
                    self.repeated.get_or_insert(Lines::one(heading.line));
                }
                (!has_own).then_some(key)
            }
            What::Fixture { .. } | What::Unloaded { .. } => None,
        }
    }

    fn push(&mut self, heading: &Heading, status: Status, lines: Lines) -> CaseKey {
        let (id, name_len) = match &heading.what {
            What::Test { id, name_len } => (id.clone(), *name_len),
            What::Subtest { test, label } => (format!("{test} {label}"), label.len()),
            What::Fixture { of: id, .. } | What::Unloaded { subject: id } => (id.clone(), id.len()),
        };
        self.session.cases.push(NewCase { id: &id, name_len, status, lines }, dotted)
    }

    fn kind(&self, flavour: Flavour, said: &Said) -> Kind {
        let Some(error) = said.error.as_deref() else { return Kind::Unknown };
        if let Some(hook) = said.hook {
            return hook;
        }
        let message = said.message.as_deref().unwrap_or("");
        if message.starts_with("Failed doctest test for ") && message.contains("\nException raised:\n") {
            return Kind::Exception;
        }
        let grammar = self.format.grammar();
        if flavour == Flavour::Fail || grammar.is_assertion(error, self.assertion_errors) {
            return Kind::Assertion;
        }
        match grammar.kind(error, message) {
            Some(kind @ (Kind::Import | Kind::Syntax)) => kind,
            _ => Kind::Exception,
        }
    }

    /// Tests without a result whose failure, or whose subtests', was told.
    fn silent(&mut self) {
        if self.session.silent.is_empty() {
            return;
        }
        let failed: HashSet<String> = self
            .session
            .cases
            .iter()
            .filter(|case| matches!(case.status(), Status::Failed | Status::Errored))
            .map(|case| test_of(&case).to_owned())
            .collect();
        for heading in std::mem::take(&mut self.session.silent) {
            let What::Test { id, .. } = &heading.what else { continue };
            if !failed.contains(id) {
                continue;
            }
            self.session.listed += 1;
            if self.session.cases.find(id).is_none()
                && let Some(key) = self.session.push(&heading, Status::Failed, heading.line)
            {
                self.session.parents.insert(key);
            }
        }
    }

    /// A failed case whose section is missing. nose2 prints a failed subtest's result behind the name of its test.
    fn unexplained(&mut self) {
        let with_failed_subtests: HashSet<String> = self
            .session
            .cases
            .iter()
            .filter(|case| !case.failures().is_empty() && test_of(case) != case.id())
            .map(|case| test_of(&case).to_owned())
            .collect();
        for key in self.session.cases.keys() {
            let Some(case) = self.session.cases.get(key) else { continue };
            let failed = matches!(case.status(), Status::Failed | Status::Errored);
            let is_parent =
                || self.session.parents.contains(&key) || with_failed_subtests.contains(case.id());
            if !failed || !case.failures().is_empty() || is_parent() {
                continue;
            }
            let failure = Failure {
                kind: Kind::Unknown,
                error: None,
                message: None,
                file: None,
                line: None,
                lines: case.lines(),
            };
            self.session.cases.add_failure(key, failure);
        }
    }
}

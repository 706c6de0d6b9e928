//! From a finished session to its report: failures to their cases, and what doesn't add up.

use std::collections::{HashMap, HashSet};

use super::session::{Flavour, Heading, Section, Session, What, dotted, titled};
use super::traceback::Said;
use crate::{
    Case, CaseKey, Completeness, Failure, Format, Kind, Lines, NewCase, NoteCode, Problem, Report, Status,
};

/// Makes the report of a session.
pub(super) fn report(mut session: Session, format: Format, assertion_errors: &[String]) -> Report {
    session.settle();
    session.drop_lookalikes();
    let mut report = Report::empty(format);
    report.completeness = match session.end {
        Some(_) => Completeness::Complete,
        None => Completeness::Truncated,
    };
    let sections = std::mem::take(&mut session.sections);
    count_sections(&session, &sections, &mut report);
    let mut builder =
        Builder { session, report, format, assertion_errors, cut: None, repeated: None, unloaded: 0 };
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

/// The id of the test that a case is, or is a subtest of.
fn test_of<'a>(case: &Case<'a>) -> &'a str {
    let id = case.id();
    id.strip_suffix(case.name()).and_then(|test| test.strip_suffix(' ')).unwrap_or(id)
}

struct Builder<'a> {
    session: Session,
    report: Report,
    format: Format,
    assertion_errors: &'a [String],
    cut: Option<Lines>,
    repeated: Option<Lines>,
    /// How many modules could not be loaded; the runner counts each as a test.
    unloaded: u64,
}

/// Notes where the runner's numbers and the printed failures differ.
fn count_sections(session: &Session, sections: &[Section], report: &mut Report) {
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

impl Builder<'_> {
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
            let heading = titled(&section.title, section.lines.first);
            match &heading.what {
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
                let was = self.session.cases.get(key).map(|case| case.status());
                if was != Some(Status::Errored) {
                    self.session.cases.set_status(key, status);
                }
                self.session.cases.set_lines(key, section.lines);
                key
            }
            None => self.push(heading, status, section.lines),
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

    /// A failed case whose section is missing.
    fn unexplained(&mut self) {
        for key in self.session.cases.keys() {
            let Some(case) = self.session.cases.get(key) else { continue };
            let failed = matches!(case.status(), Status::Failed | Status::Errored);
            if !failed || !case.failures().is_empty() || self.session.parents.contains(&key) {
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

    fn end(&mut self) {
        let nameless = self.session.nameless_skips.len() as u64;
        if let Some(first) = self.session.nameless_skips.first() {
            let message = format!("{nameless} skips without a name");
            self.report.note(NoteCode::NamelessCase, message, Some(Lines::one(*first)));
        }
        let Some(end) = self.session.end.take() else { return };
        self.report.totals = end.totals;
        let skipped = self.count(Status::Skipped) + nameless;
        if end.ran == 0 && end.totals.skipped == Some(0) && self.report.problems.is_empty() {
            self.report.problems.push(Problem {
                kind: Kind::Collection,
                subject: None,
                error: None,
                message: Some("no tests ran".to_owned()),
                lines: end.lines,
            });
        }
        for lines in &self.session.other_ends {
            let message = "more than one end of a run is printed; which one is the runner's can't be told";
            self.report.note(NoteCode::AmbiguousSummary, message, Some(*lines));
        }
        if self.session.listed == 0 {
            let tests: HashSet<&str> = self.session.cases.iter().map(|case| test_of(&case)).collect();
            let named = tests.len() as u64 + self.unloaded;
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
    fn names(&mut self) {
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

//! What a failure is: its kind, its class and message, and its place.

use super::block::{Block, Phase};
use super::id;
use super::settle::Settle;
use crate::python::{Raised, is_bare_assert};
use crate::{Case, CaseKey, Failure, Kind, Lines, Problem, Status};

impl Settle<'_> {
    pub(super) fn failure(
        &self,
        key: CaseKey,
        phase: Phase,
        text: &str,
        block: Option<&Block>,
        lines: Lines,
    ) -> Failure {
        let mut raised = Raised::read(text);
        let traceback = block.map(|block| &block.traceback);
        let class = traceback.and_then(|traceback| traceback.class());
        // A doctest's own class stands below; what it raised is told by a native traceback above.
        if raised.error.is_empty() {
            raised.error = match class {
                Some(class) => class,
                None if is_bare_assert(raised.message) => "AssertionError",
                None => "",
            };
        }
        let mut kind = raised.kind(self.grammar, &self.options.assertion_errors);
        if class == Some("UnexpectedException") && kind == Kind::Assertion {
            kind = Kind::Exception;
        }
        kind = match phase {
            Phase::Setup if kind != Kind::Timeout => Kind::Setup,
            Phase::Teardown if kind != Kind::Timeout => Kind::Teardown,
            Phase::Call if kind != Kind::Timeout => {
                traceback.and_then(|traceback| traceback.hook()).unwrap_or(kind)
            }
            _ => kind,
        };
        let file = self.report.cases.get(key).map_or("", |case| id::file(case.id()));
        // An assertion is told where it stands, which may be a helper; anything else where the test led to it.
        let place = traceback.and_then(|traceback| match kind {
            Kind::Assertion => traceback.deepest_of_project(file),
            _ => traceback.deepest_in(file),
        });
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Failure {
            kind,
            error: text(raised.error),
            message: text(raised.message),
            file: place.map(|(file, _)| file.clone()),
            line: place.map(|(_, line)| *line),
            lines,
        }
    }

    /// Strict xpass and a parent of failed subtests have no failure of their own.
    pub(super) fn is_no_failure(&mut self, key: CaseKey, text: &str) -> bool {
        if let Some(reason) = text.strip_prefix("[XPASS(strict)]") {
            self.report.cases.set_status(key, Status::Xpassed);
            if !reason.trim().is_empty() {
                self.report.cases.set_reason(key, reason.trim());
            }
            return true;
        }
        let children = text.strip_prefix("contains ").and_then(|rest| rest.split_once(' '));
        children.is_some_and(|(count, rest)| {
            count.bytes().all(|byte| byte.is_ascii_digit()) && rest.starts_with("failed subtest")
        })
    }

    /// Whether a block that holds text alone is of `pytest.fail(…, pytrace=False)`, where no summary says so: older
    /// versions put no message there, and a narrow terminal has no room for one. Items of plugins (a linter's, those
    /// of other files) print text alone too, but are no test functions; what pytest itself prints so is told by its
    /// words.
    pub(super) fn is_plain_fail(&self, key: CaseKey, block: &Block) -> bool {
        let raw = block.traceback.raw();
        let of_pytest = raw.starts_with("[XPASS(strict)]")
            || raw.starts_with("contains ")
            || raw.starts_with("worker '")
            || is_unexpected_success(raw);
        let kind = Raised::read(raw).kind(self.grammar, &self.options.assertion_errors);
        let is_test =
            |case: Case<'_>| id::file(case.id()).ends_with(".py") && case.name().starts_with("test");
        block.phase == Phase::Call
            && block.traceback.class().is_none()
            && !of_pytest
            && matches!(kind, Kind::Unknown | Kind::Exception)
            && self.report.cases.get(key).is_some_and(is_test)
    }

    pub(super) fn collect_problem(&self, block: &Block) -> Problem {
        let text = block.traceback.said();
        let text = if text.is_empty() { block.traceback.raw() } else { text };
        self.file_problem(&block.name, text, Lines::new(block.first, block.last))
    }

    pub(super) fn file_problem(&self, subject: &str, text: &str, lines: Lines) -> Problem {
        let mut raised = Raised::read(text);
        if raised.error.is_empty() && is_bare_assert(raised.message) {
            raised.error = "AssertionError";
        }
        let kind = match self.grammar.kind(raised.error, raised.message) {
            Some(kind @ (Kind::Import | Kind::Syntax | Kind::Timeout | Kind::Crash)) => kind,
            _ => Kind::Collection,
        };
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Problem {
            kind,
            subject: text(subject),
            error: text(raised.error),
            message: text(raised.message),
            lines,
        }
    }

    /// Errors of the summary about files for which there is no block.
    pub(super) fn unloaded_files(&mut self) {
        for listing in std::mem::take(&mut self.unloaded) {
            let file = id::file(&listing.id);
            let known = |problem: &Problem| {
                problem.subject.as_deref().is_some_and(|subject| subject == file || subject == listing.id)
            };
            if !self.report.problems.iter().any(known) {
                let text = listing.message.as_deref().unwrap_or("");
                let problem = self.file_problem(&listing.id, text, Lines::one(listing.line));
                self.report.problems.push(problem);
            }
        }
    }

    /// The kind of an error outside any test.
    pub(super) fn outside(&self, text: &str, lines: Lines) -> Problem {
        let mut problem = self.file_problem("", text, lines);
        if problem.kind == Kind::Collection {
            problem.kind = Kind::Exception;
        }
        problem
    }
}

/// Raw text with its class, which it lacks and which the summary puts before the text's first line, cut or whole.
pub(super) fn with_class_of(message: &str, raw: &str) -> Option<String> {
    let Raised { error, message } = Raised::read(message);
    let start = message.strip_suffix("...").unwrap_or(message);
    (!error.is_empty() && raw.starts_with(start)).then(|| format!("{error}: {raw}"))
}

/// What pytest prints in place of a traceback where a `unittest` test passed that was expected to fail.
pub(super) fn is_unexpected_success(raw: &str) -> bool {
    raw == "Unexpected success"
}

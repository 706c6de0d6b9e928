//! Reads the console of zope.testrunner, on standard output.
//!
//! It is printed by `zope.testrunner.formatter.OutputFormatter`: what could not be imported; then of each layer its
//! set-up, marks (`-v`) or names (`-vv`) of tests, `Error in test …` or `Failure in test …` with a traceback, and `Ran N
//! tests with …`; at the end the teardown of what is left, with `-v` lists of what failed, and with several layers a
//! total.
//!
//! Known traps: a name is printed when its test begins, and a test that passed gets no word; what a test prints follows
//! on the name's line; an expected failure is not told from a pass; an unexpected success is counted as a failure and
//! printed as an error.

use super::heading::{What, titled};
use super::name;
use super::traceback::Traceback;
use super::zope_report;
use crate::python;
use crate::text::{lossy, number};
use crate::{Cases, Format, Line, Lines, NewCase, Report, Status};

/// A run of zope.testrunner.
#[derive(Default)]
pub(super) struct Zope {
    pub(super) cases: Cases,
    pub(super) lines: Option<Lines>,
    at: Option<Section>,
    pub(super) sections: Vec<Section>,
    /// The test that was named last, until its end.
    open: Option<Open>,
    /// How many tests `-vv` named.
    pub(super) listed: u64,
    pub(super) layers: u64,
    pub(super) ran: Option<Sum>,
    pub(super) total: Option<Sum>,
    /// The last thing that it does with its layers.
    torn_down: bool,
    /// The lists of what failed stand behind that.
    lists: bool,
    blank: bool,
    /// Between the heading of the import failures and the first layer.
    importing: bool,
}

struct Open {
    id: String,
    name_len: usize,
    line: u32,
    status: Option<Status>,
    reason: Option<String>,
}

/// What went wrong, with its traceback.
pub(super) struct Section {
    pub(super) of: Subject,
    pub(super) lines: Lines,
    pub(super) traceback: Box<Traceback>,
}

pub(super) enum Subject {
    Error(String),
    Failure(String),
    Module(String),
    SetUp(String),
    TearDown(String),
    Process,
}

/// `Ran 3 tests with 1 failures, 0 errors and 0 skipped in 0.001 seconds.`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) tests: u64,
    pub(super) failures: u64,
    pub(super) errors: u64,
    pub(super) skipped: u64,
    pub(super) line: u32,
}

impl Zope {
    /// Whether its own end is there.
    pub(super) fn has_end(&self) -> bool {
        self.total.is_some() || self.torn_down || self.lists
    }

    /// Whether anything of a run was seen.
    pub(super) fn has_begun(&self) -> bool {
        self.lines.is_some()
    }

    pub(super) fn report(mut self, format: Format, assertion_errors: &[String]) -> Report {
        self.close();
        if self.ran.is_some() {
            self.settle();
        }
        zope_report::report(self, format, assertion_errors)
    }

    /// Takes a line.
    pub(super) fn line(&mut self, line: Line<'_>) {
        let text = line.text;
        let blank_before = std::mem::replace(&mut self.blank, text.is_empty());
        let known = match text.first() {
            Some(b'R') => self.layer(text),
            Some(b'E' | b'F') if blank_before && self.has_begun() => self.failed(text, line.number),
            Some(b'M') if self.importing && blank_before => self.module(text, line.number),
            Some(b'T') => self.at_the_edge(line),
            Some(b'C') => self.lost(text, line.number),
            Some(b' ') if self.has_begun() => self.indented(line),
            _ => false,
        };
        if known {
            self.lines = Some(Lines::new(self.lines.map_or(line.number, |lines| lines.first), line.number));
        } else if let Some(section) = &mut self.at {
            // Marks of the tests that follow.
            if blank_before && text.iter().all(|byte| *byte == b'.') {
                return;
            }
            if !text.is_empty() {
                section.lines.last = line.number;
            }
            section.traceback.line(text);
        }
    }

    fn begin(&mut self, of: Subject, traceback: Traceback, number: u32) {
        self.close();
        self.at = Some(Section { of, lines: Lines::one(number), traceback: Box::new(traceback) });
    }

    fn close(&mut self) {
        self.sections.extend(self.at.take());
    }

    /// `Running zope.testrunner.layer.UnitTests tests:`
    fn layer(&mut self, text: &[u8]) -> bool {
        let level = text.starts_with(b"Running tests at level ") || text == b"Running tests at all levels";
        let layer = text
            .strip_prefix(b"Running ")
            .and_then(|rest| rest.strip_suffix(b" tests:"))
            .is_some_and(|name| !name.is_empty() && !name.contains(&b' '));
        if layer {
            self.layers += 1;
            self.importing = false;
            self.close();
        }
        layer || level
    }

    fn failed(&mut self, text: &[u8], number: u32) -> bool {
        let (title, is_error) =
            match (text.strip_prefix(b"Error in test "), text.strip_prefix(b"Failure in test ")) {
                (Some(title), _) => (title, true),
                (_, Some(title)) => (title, false),
                _ => return false,
            };
        let title = lossy(title).into_owned();
        let (test, method) = match titled(&title, number).what {
            What::Test { id, name_len } => (id.clone(), id[id.len() - name_len..].to_owned()),
            What::Subtest { test, .. } => {
                let method = test.rsplit('.').next().unwrap_or("").to_owned();
                (test, method)
            }
            What::Fixture { .. } | What::Unloaded { .. } => (title.clone(), String::new()),
        };
        if let Some(open) = self.open.as_mut().filter(|open| open.id == test) {
            open.status = Some(Status::Failed);
        }
        let of = if is_error { Subject::Error(title) } else { Subject::Failure(title) };
        self.begin(of, Traceback::of_test(&method), number);
        true
    }

    /// `Module: name`, below the heading of the import failures.
    fn module(&mut self, text: &[u8], number: u32) -> bool {
        let Some(module) = text.strip_prefix(b"Module: ") else { return false };
        self.begin(Subject::Module(lossy(module).into_owned()), Traceback::default(), number);
        true
    }

    /// A layer's own process died.
    fn lost(&mut self, text: &[u8], number: u32) -> bool {
        let lost = self.has_begun() && text == b"Could not communicate with subprocess!";
        if lost {
            self.begin(Subject::Process, Traceback::default(), number);
        }
        lost
    }

    /// The lines before the first layer and behind the last.
    fn at_the_edge(&mut self, line: Line<'_>) -> bool {
        match line.text {
            b"Test-module import failures:" => self.importing = true,
            b"Tearing down left over layers:" if self.has_begun() => {
                self.close();
                self.torn_down = true;
            }
            b"Test-modules with import problems:" | b"Tests with errors:" | b"Tests with failures:"
                if self.has_begun() =>
            {
                self.close();
                self.lists = true;
            }
            text => {
                let Some(sum) =
                    text.strip_prefix(b"Total: ").and_then(|rest| sum(rest, b" tests, ", line.number))
                else {
                    return false;
                };
                self.close();
                self.total = Some(sum);
            }
        }
        true
    }

    fn indented(&mut self, line: Line<'_>) -> bool {
        let text = line.text;
        if let Some(rest) = text.strip_prefix(b"  ") {
            if let Some(sum) =
                rest.strip_prefix(b"Ran ").and_then(|rest| sum(rest, b" tests with ", line.number))
            {
                self.close();
                self.settle();
                let before =
                    self.ran.unwrap_or(Sum { tests: 0, failures: 0, errors: 0, skipped: 0, line: 0 });
                self.ran = Some(before.and(sum));
                return true;
            }
            let hook = |word: &[u8]| {
                let name = rest.strip_prefix(word)?.strip_suffix(python::TRACEBACK)?;
                Some(lossy(name.trim_ascii_end()).into_owned())
            };
            let of =
                hook(b"Set up ").map(Subject::SetUp).or_else(|| hook(b"Tear down ").map(Subject::TearDown));
            if let Some(of) = of {
                // Nothing need follow it, and whatever does is no part of it.
                let mut traceback = Traceback::of_process();
                traceback.line(python::TRACEBACK);
                self.begin(of, traceback, line.number);
                return true;
            }
            return rest == b"Running:" && self.at.is_none();
        }
        let Some(name) = text.get(1..).filter(|name| name.first().is_some_and(|byte| *byte != b' ')) else {
            return false;
        };
        memchr::memchr(b')', name).is_some() && self.named(&lossy(name), line)
    }

    /// ` test_x (module.Class.test_x)`, and what follows on the line.
    fn named(&mut self, text: &str, line: Line<'_>) -> bool {
        let Some((named @ name::Named::Test { .. }, rest)) = name::read(text, true) else { return false };
        let name::Named::Test { class, method, repeated } = named else { return false };
        // Python before 3.11 doesn't say the method twice: then it must look like one.
        let is_test = repeated || rest.is_empty() || rest.starts_with(" (") || method.starts_with("test");
        if !is_test || class.is_empty() {
            return false;
        }
        self.close();
        self.settle();
        let (status, reason) = match rest.strip_prefix(" (skipped").and_then(|rest| rest.strip_suffix(')')) {
            Some(reason) => (Some(Status::Skipped), reason.strip_prefix(": ").map(str::to_owned)),
            None => (None, None),
        };
        let (id, name_len) = (format!("{class}.{method}"), method.len());
        self.listed += 1;
        self.open = Some(Open { id, name_len, line: line.number, status, reason });
        true
    }

    /// The next test, or the layer's end: of a test that passed nothing was said.
    fn settle(&mut self) {
        let Some(Open { id, name_len, line, status, reason }) = self.open.take() else { return };
        if self.cases.find(&id).is_some() && status == Some(Status::Failed) {
            return;
        }
        let status = status.unwrap_or(Status::Passed);
        let key = self
            .cases
            .push(NewCase { id: &id, name_len, status, lines: Lines::one(line) }, super::heading::dotted);
        if let Some(reason) = reason {
            self.cases.set_reason(key, reason);
        }
    }
}

impl Sum {
    fn and(self, next: Self) -> Self {
        Self {
            tests: self.tests.saturating_add(next.tests),
            failures: self.failures.saturating_add(next.failures),
            errors: self.errors.saturating_add(next.errors),
            skipped: self.skipped.saturating_add(next.skipped),
            line: next.line,
        }
    }
}

/// `3 tests with 1 failures, 0 errors and 0 skipped in 0.001 seconds.`, with these words behind the first number.
fn sum(text: &[u8], words: &[u8], line: u32) -> Option<Sum> {
    let (tests, rest) = number(text)?;
    let (failures, rest) = number(rest.strip_prefix(words)?)?;
    let (errors, rest) = number(rest.strip_prefix(b" failures, ")?)?;
    let (skipped, rest) =
        number(rest.strip_prefix(b" errors and ").or_else(|| rest.strip_prefix(b" errors, "))?)?;
    let ended = rest.strip_prefix(b" skipped in ")?.ends_with(b" seconds.");
    ended.then_some(Sum { tests, failures, errors, skipped, line })
}

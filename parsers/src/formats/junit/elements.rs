//! The elements of a document as they come.

use super::case::{Outcome, Skip};
use super::document::Documents;
use crate::xml::{Content, Element, Handler, Oddity};
use crate::{Completeness, Lines};

/// A result element of a case or of a suite.
pub(super) enum Opened {
    Outcome(Outcome),
    Skip(Skip),
}

impl Documents {
    fn open_as(&mut self, name: &str, element: &Element<'_>, odd: &mut dyn FnMut(Oddity)) -> Content {
        match name {
            "testsuites" | "testsuite" | "testrun" => {
                self.open_suite(element, odd);
                Content::Elements
            }
            "testcase" => {
                if self.in_case {
                    self.close_case(element.line);
                }
                self.case().open(element, odd);
                self.in_case = true;
                Content::Elements
            }
            "failure" | "error" | "warning" => {
                self.result = Some(Opened::Outcome(Outcome::open(element, odd)));
                Content::Text
            }
            "skipped" | "skip" | "ignored" => {
                self.result = Some(Opened::Skip(Skip::open(element, odd)));
                Content::Text
            }
            "flakyFailure" | "flakyError" => {
                let in_case = self.in_case;
                self.case().flaky |= in_case;
                Content::Nothing
            }
            "system-out" | "system-err" | "properties" | "rerunFailure" | "rerunError" => Content::Nothing,
            name => match usual(name) {
                Some(usual) => self.open_as(usual, element, odd),
                None if self.in_case => Content::Nothing,
                None => Content::Elements,
            },
        }
    }

    fn close_result(&mut self, line: u32) {
        match self.result.take() {
            Some(Opened::Outcome(mut outcome)) => {
                outcome.lines.last = line;
                if self.in_case {
                    self.case().failures.push(outcome);
                } else {
                    let subject = self.suites.last().map(|suite| suite.name.clone());
                    if let Some(counts) = self.counts() {
                        let count = if outcome.is_error { &mut counts.errored } else { &mut counts.failed };
                        count.elements += 1;
                    }
                    self.problem(&outcome, subject, None);
                }
            }
            Some(Opened::Skip(skip)) if self.in_case => self.case().skip = Some(skip),
            _ => {}
        }
    }
}

/// The elements that decide what became of a test. A writer that spells one with other capitals means it all the same:
/// a `<Failure>` that is passed over would leave a pass.
const DECIDING: [&str; 7] = ["failure", "error", "warning", "skipped", "skip", "ignored", "testcase"];

/// The usual spelling of a name that has another.
fn usual(name: &str) -> Option<&'static str> {
    DECIDING.into_iter().find(|usual| *usual != name && usual.eq_ignore_ascii_case(name))
}

impl Handler for Documents {
    fn is_root(&self, name: &[u8]) -> bool {
        matches!(name, b"testsuites" | b"testsuite" | b"testrun")
    }

    fn is_element(&self, name: &[u8]) -> bool {
        self.is_root(name)
            || matches!(
                name,
                b"testcase" | b"failure" | b"error" | b"skipped" | b"system-out" | b"system-err"
            )
            || matches!(name, b"properties" | b"property" | b"rerunFailure" | b"flakyFailure")
            || matches!(name, b"rerunError" | b"flakyError" | b"stackTrace")
    }

    fn document(&mut self, line: u32) {
        self.began = line;
        if self.report.completeness == Completeness::Empty {
            self.report.completeness = Completeness::Complete;
        }
        self.suites.clear();
        self.go_parents.clear();
        self.go_silent.clear();
        self.in_case = false;
        self.result = None;
        self.last = None;
    }

    fn open(&mut self, element: &Element<'_>, odd: &mut dyn FnMut(Oddity)) -> Content {
        self.open_as(element.name(), element, odd)
    }

    fn whole(&mut self, element: &Element<'_>, end_line: u32) -> bool {
        element.name() == "testcase"
            && !self.in_case
            && !element.has_entities()
            && self.passed(element, end_line)
    }

    fn text(&mut self, text: &str, _line: u32) {
        match &mut self.result {
            Some(Opened::Outcome(outcome)) => outcome.add(text),
            Some(Opened::Skip(skip)) => text.lines().for_each(|line| skip.text.line(line.as_bytes())),
            None => {}
        }
    }

    fn close(&mut self, name: &str, line: u32) {
        match name {
            "testsuites" | "testsuite" | "testrun" => self.close_suite(line),
            "testcase" if self.in_case => self.close_case(line),
            "failure" | "error" | "warning" | "skipped" | "skip" | "ignored" => self.close_result(line),
            name => {
                if let Some(usual) = usual(name) {
                    self.close(usual, line);
                }
            }
        }
    }

    fn end(&mut self, whole: bool, line: u32) {
        self.whole &= whole;
        self.report.spans.push(Lines::new(self.began, line));
        if self.result.is_some() {
            self.close_result(line);
        }
        // A case whose end is missing is known to have failed, or not known.
        if self.in_case && !self.case().failures.is_empty() {
            self.close_case(line);
        }
        self.in_case = false;
        while !whole && !self.suites.is_empty() {
            let contradicting = (self.contradicting.len(), self.more_contradicting);
            self.close_suite(line);
            self.contradicting.truncate(contradicting.0);
            self.more_contradicting = contradicting.1;
        }
    }

    fn stray(&mut self) {
        self.whole = false;
    }
}

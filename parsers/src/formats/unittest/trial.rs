//! Reads the console of trial, Twisted's test runner, on standard output.
//!
//! It is printed by `twisted.trial.reporter`: a tree of modules, classes and tests (`verbose`), a line a test
//! (`bwverbose`, `timing`), a letter a test (`text`), or nothing (`summary`); then a section for each way in which tests
//! did not pass, between rules of 79 `=`; then a rule of 79 `-`, `Ran N tests in 0.001s`, a blank line, and the verdict
//! with its counts.
//!
//! Known traps: one section lists all tests that failed with the same text; a test may have two outcomes; a class is not
//! printed again where only the module above it changed; what a test prints stands between the dots and the result.

use super::trial_report;
use super::trial_section::{Flavour, Section};
use crate::text::{lossy, number};
use crate::{Cases, Format, Line, Lines, NewCase, Report, Status, Totals};

/// How far the verdict may be from the rule before it, since other output can come between.
const NEAR: u32 = 6;

/// A run of trial.
#[derive(Default)]
pub(super) struct Trial {
    pub(super) cases: Cases,
    pub(super) lines: Option<Lines>,
    /// The module and the class above the tests that follow.
    path: [String; 2],
    /// A module's line, until the next line tells whether it is one.
    module: Option<(String, u32)>,
    first_module: Option<u32>,
    /// The test whose result is still to come, or whose result has come and may be followed by another.
    open: Option<Open>,
    /// Tests that did not pass, as the progress has them.
    pub(super) others: Vec<Outcome>,
    pub(super) sections: Vec<Section>,
    section: Option<Section>,
    /// A rule of `=` on the line before.
    rule: bool,
    /// The last rule of `-`.
    thin_rule: Option<u32>,
    ran: Option<(u64, u32)>,
    pub(super) end: Option<End>,
}

struct Open {
    id: String,
    name_len: usize,
    line: u32,
    /// Whether a result has come.
    done: bool,
}

/// A result in the progress.
pub(super) struct Outcome {
    pub(super) id: String,
    pub(super) name_len: usize,
    pub(super) flavour: Flavour,
    pub(super) line: u32,
}

pub(super) struct End {
    pub(super) ran: u64,
    pub(super) totals: Totals,
    pub(super) lines: Lines,
}

impl Trial {
    /// Whether its own end is there.
    pub(super) fn has_end(&self) -> bool {
        self.end.is_some()
    }

    /// Whether anything of a run was seen.
    pub(super) fn has_begun(&self) -> bool {
        self.lines.is_some()
    }

    pub(super) fn report(mut self, format: Format, assertion_errors: &[String]) -> Report {
        self.close_section();
        trial_report::report(self, format, assertion_errors)
    }

    /// Takes a line.
    pub(super) fn line(&mut self, line: Line<'_>) {
        let text = line.text;
        let rule_before = std::mem::take(&mut self.rule);
        match text.first() {
            Some(b'=') if is_rule(text, b'=') => {
                self.rule = true;
                return;
            }
            Some(b'-') if is_rule(text, b'-') => {
                self.thin_rule = Some(line.number);
                return;
            }
            Some(b'[') if rule_before => {
                if let Some(flavour) = Flavour::titled(text) {
                    self.close_section();
                    self.touch(line.number);
                    self.section = Some(Section::new(flavour, line.number));
                    return;
                }
            }
            Some(b'R' | b'P' | b'F' | b'0'..=b'9') if self.ends(line) => return,
            _ => {}
        }
        match &mut self.section {
            Some(section) => {
                if rule_before {
                    section.line(&[b'='; 79], line.number);
                }
                if self.thin_rule.is_some_and(|rule| rule + 1 == line.number) {
                    section.line(&[b'-'; 79], line.number);
                }
                section.line(text, line.number);
            }
            None => self.progress(text, line.number),
        }
    }

    fn touch(&mut self, number: u32) {
        let first = self.lines.map_or(number, |lines| lines.first);
        self.lines = Some(Lines::new(first, number));
    }

    fn close_section(&mut self) {
        self.sections.extend(self.section.take());
    }

    /// Takes a line of the end: how many tests ran, or the verdict.
    fn ends(&mut self, line: Line<'_>) -> bool {
        let Some(rule) = self.thin_rule.filter(|rule| line.number - rule <= NEAR) else { return false };
        if line.number == rule + 1
            && let Some(count) = ran(line.text)
        {
            self.close_section();
            self.touch(line.number);
            self.ran = Some((count, line.number));
            return true;
        }
        let Some((ran, first)) = self.ran else { return false };
        let Some(totals) = verdict(line.text).or_else(|| counts_alone(line.text)) else { return false };
        if !line.ended && totals.passed == Some(0) {
            // Its counts may be missing.
            return false;
        }
        self.touch(line.number);
        self.ran = None;
        self.end = Some(End { ran, totals, lines: Lines::new(first, line.number) });
        true
    }

    fn progress(&mut self, text: &[u8], line: u32) {
        let indent = text.iter().take_while(|byte| **byte == b' ').count();
        let content = text.get(indent..).unwrap_or_default();
        if content.last() == Some(&b']') && self.outcomes(content, indent, line) {
            return;
        }
        if indent > 4 || !indent.is_multiple_of(2) || content.is_empty() {
            return;
        }
        let Some(blank) = memchr::memchr(b' ', content) else {
            return self.parent(content, indent / 2, line);
        };
        let (name, rest) = content.split_at(blank);
        if rest.starts_with(b" ...") && rest.get(4).is_none_or(|byte| *byte == b' ') && is_id(name) {
            self.opens(name, indent / 2, line);
        }
    }

    /// The line of a module or of a class.
    fn parent(&mut self, name: &[u8], depth: usize, line: u32) {
        if !is_id(name) {
            return;
        }
        let waits = self.open.as_ref().is_some_and(|open| !open.done);
        match depth {
            0 => self.module = Some((lossy(name).into_owned(), line)),
            // Right below a module it is no output of a test that waits.
            1 if self.take_module(line) || !waits => {
                self.path[1] = lossy(name).into_owned();
            }
            _ => {}
        }
    }

    fn take_module(&mut self, line: u32) -> bool {
        let Some((name, at)) = self.module.take().filter(|(_, at)| at + 1 == line) else { return false };
        self.path[0] = name;
        self.first_module.get_or_insert(at);
        true
    }

    fn opens(&mut self, name: &[u8], depth: usize, line: u32) {
        self.take_module(line);
        let mut id = String::new();
        for part in self.path.iter().take(depth).filter(|part| !part.is_empty()) {
            id += part;
            id.push('.');
        }
        let name = lossy(name);
        id += &name;
        let name_len = name.rsplit('.').next().map_or(0, str::len);
        self.open = Some(Open { id, name_len, line, done: false });
    }

    /// A line that ends in results: of the test that it names, or of the one that was named before.
    fn outcomes(&mut self, content: &[u8], indent: usize, line: u32) -> bool {
        let mut rest = content;
        let mut found = Vec::new();
        while let Some((before, flavour)) = Flavour::at_end(rest) {
            found.insert(0, flavour);
            rest = before;
        }
        if found.is_empty() {
            return false;
        }
        let name = memchr::memchr(b' ', rest).map_or(rest, |blank| &rest[..blank]);
        let dots = rest.get(name.len()..).unwrap_or_default();
        if dots.starts_with(b" ...") && indent <= 4 && indent.is_multiple_of(2) && is_id(name) {
            self.opens(name, indent / 2, line);
        }
        let Some(open) = &mut self.open else { return false };
        open.done = true;
        let (id, name_len, first) = (open.id.clone(), open.name_len, open.line);
        if self.lines.is_none() {
            self.touch(self.first_module.unwrap_or(first));
        }
        self.touch(line);
        for flavour in found {
            if flavour == Flavour::Passed {
                let case =
                    NewCase { id: &id, name_len, status: Status::Passed, lines: Lines::new(first, line) };
                self.cases.push(case, super::heading::dotted);
            } else {
                self.others.push(Outcome { id: id.clone(), name_len, flavour, line });
            }
        }
        true
    }
}

fn is_rule(text: &[u8], of: u8) -> bool {
    text.len() == 79 && text.iter().all(|byte| *byte == of)
}

/// Whether this may be a part of an id: a word without blanks that starts like a name.
fn is_id(text: &[u8]) -> bool {
    let starts = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_' || !byte.is_ascii();
    text.first().is_some_and(starts) && !text.contains(&b' ')
}

/// `Ran 1 tests in 0.001s`
fn ran(text: &[u8]) -> Option<u64> {
    let (count, rest) = number(text.strip_prefix(b"Ran ")?)?;
    let (_, rest) = number(rest.strip_prefix(b" tests in ")?)?;
    let (_, rest) = number(rest.strip_prefix(b".")?)?;
    (rest == b"s").then_some(count)
}

/// `FAILED (skips=2, failures=1, successes=4)`: a word that isn't there stands for none.
fn verdict(text: &[u8]) -> Option<Totals> {
    let counts = match text.strip_prefix(b"PASSED").or_else(|| text.strip_prefix(b"FAILED"))? {
        b"" => &b""[..],
        rest => rest.strip_prefix(b" (")?.strip_suffix(b")")?,
    };
    let mut totals = Totals { passed: Some(0), ..Totals::none_named() };
    for part in counts.split(|byte| *byte == b',').map(<[u8]>::trim_ascii).filter(|part| !part.is_empty()) {
        let equals = memchr::memchr(b'=', part)?;
        let place = match part.get(..equals)? {
            b"skips" => &mut totals.skipped,
            b"expectedFailures" => &mut totals.xfailed,
            b"failures" => &mut totals.failed,
            b"errors" => &mut totals.errored,
            b"unexpectedSuccesses" => &mut totals.xpassed,
            b"successes" => &mut totals.passed,
            _ => return None,
        };
        let (count, b"") = number(part.get(equals + 1..)?)? else { return None };
        *place = Some(count);
    }
    Some(totals)
}

/// `0.0215 2 2 1 0 0`, of the reporter `summary`: seconds, tests, tests, errors, failures, skips.
fn counts_alone(text: &[u8]) -> Option<Totals> {
    let words: Vec<&[u8]> = text.split(|byte| *byte == b' ').take(7).collect();
    let [seconds, tests, again, errors, failures, skips] = words.as_slice() else { return None };
    let whole = |word: &[u8]| number(word).filter(|(_, rest)| rest.is_empty()).map(|(count, _)| count);
    number(seconds)?;
    (whole(tests)? == whole(again)?).then_some(())?;
    Some(Totals {
        errored: whole(errors),
        failed: Some(whole(failures)?),
        skipped: Some(whole(skips)?),
        ..Totals::default()
    })
}

//! Reads the output of Python's `unittest`.
//!
//! It is printed by `unittest.runner.TextTestResult` and `TextTestRunner` of the standard library, on standard error:
//! progress marks or, with `-v`, a line a test; then a section for each error and failure between rules of 70 `=` and
//! `-`; then a rule, `Ran N tests in 0.001s`, a blank line, and the verdict.
//!
//! Known traps: a docstring's first line takes the place of the name before the dots; what a test prints stands
//! between the dots and the result; before Python 3.11 a test with failing subtests gets no result at all and a class
//! that can't be set up gets one without a name; `-v` never names a subtest that passed.

mod heading;
mod line;
mod name;
mod numbers;
mod outside;
mod progress;
mod report;
mod session;
mod traceback;

#[cfg(test)]
mod tests;

use memchr::memmem;

use crate::python;
use crate::text::lossy;
use crate::{Format, Line, Lines, Options, Parser, Report, Stream};
use heading::{What, titled};
use outside::{FATAL, Outside};
use session::{End, Flavour, Section, Session};
use traceback::Traceback;

/// How far `Ran N tests` may be from the rule before it, since other output can come between.
const NEAR: u32 = 4;

pub(crate) fn new(format: Format, options: &Options) -> impl Parser + use<> {
    Unittest {
        format,
        assertion_errors: options.assertion_errors.clone(),
        heading: memmem::Finder::new(b") ...").into_owned(),
        sessions: vec![Session::default()],
        at: At::Progress,
        rule: None,
        thin_rule: None,
        ran: None,
        outside: Outside::default(),
    }
}

struct Unittest {
    format: Format,
    assertion_errors: Vec<String>,
    heading: memmem::Finder<'static>,
    sessions: Vec<Session>,
    at: At,
    /// A rule of `=` on the line before.
    rule: Option<u32>,
    /// The last rule of `-`.
    thin_rule: Option<u32>,
    /// `Ran N tests`, whose verdict is still to come.
    ran: Option<(u64, u32)>,
    outside: Outside,
}

enum At {
    Progress,
    /// In the title of a section, before its thin rule.
    Title(Title),
    Body(Section, Box<Traceback>),
    Durations,
}

/// A title that is being read. What a test printed may look like one; then no thin rule follows.
struct Title {
    section: Section,
    /// The section before, which goes on if this is none.
    before: Option<(Section, Box<Traceback>)>,
    /// The lines since the thick rule.
    text: Vec<Vec<u8>>,
}

/// A title is a line, and a second where the test has a docstring.
const LONGEST_TITLE: usize = 2;

impl Parser for Unittest {
    fn line(&mut self, line: Line<'_>, stream: Stream) {
        if stream == Stream::Out {
            return;
        }
        let text = line.text;
        let rule_before = self.rule.take();
        match text.first() {
            Some(b'=') if is_rule(text, b'=') => {
                self.rule = Some(line.number);
                return;
            }
            Some(b'-') if is_rule(text, b'-') => {
                self.thin_rule = Some(line.number);
                return self.after_title();
            }
            Some(b'E' | b'F' | b'U') => {
                if let Some((flavour, title)) = section_title(text)
                    && (rule_before.is_some()
                        || flavour == Flavour::UnexpectedSuccess && self.lists_unexpected())
                {
                    // Of a title that was cut the name may be half of one.
                    if line.ended {
                        self.open_section(flavour, title, line.number);
                    }
                    return;
                }
                if self.verdict(line) {
                    return;
                }
            }
            Some(b'R') => {
                if self.thin_rule.is_some_and(|rule| line.number - rule <= NEAR)
                    && let Some(count) = line::ran(text)
                {
                    self.close_section();
                    self.outside.goes_on();
                    self.current().touch(line.number);
                    self.ran = Some((count, line.number));
                    return;
                }
            }
            Some(b'O' | b'N') if self.verdict(line) => return,
            Some(b'S') if text == b"Slowest test durations" => {
                self.close_section();
                self.at = At::Durations;
                return;
            }
            _ => {}
        }
        match &mut self.at {
            At::Progress => self.progress(line),
            At::Title(title) if title.section.flavour == Flavour::UnexpectedSuccess => {}
            At::Title(title) => {
                title.text.push(text.to_vec());
                if text.is_empty() || title.text.len() > LONGEST_TITLE {
                    self.reject_title(line.number);
                }
            }
            At::Body(section, traceback) => {
                // A rule that no end and no other section followed belongs to the message.
                if rule_before.is_some() {
                    traceback.line(&[b'='; 70]);
                } else if self.thin_rule.is_some_and(|rule| rule + 1 == line.number) {
                    traceback.line(&[b'-'; 70]);
                }
                if !text.is_empty() {
                    section.lines.last = line.number;
                }
                traceback.line(text);
            }
            At::Durations => self.duration(&lossy(text)),
        }
    }

    fn end(&mut self) -> Vec<Report> {
        self.close_section();
        self.fold_lookalikes();
        let mut sessions: Vec<Session> = std::mem::take(&mut self.sessions);
        sessions.retain(Session::has_begun);
        let is_open = sessions.last().is_none_or(|session| session.end.is_none());
        let mut reports: Vec<Report> = sessions
            .into_iter()
            .map(|session| {
                let span = session.span();
                let mut report = report::report(session, self.format, &self.assertion_errors);
                report.spans.extend(span);
                report
            })
            .collect();
        let nothing = reports.is_empty();
        if nothing {
            reports.push(Report::empty(self.format));
        }
        if is_open && let Some(report) = reports.last_mut() {
            report.problems.extend(self.outside.problems(!nothing, self.format.grammar()));
        }
        reports
    }
}

impl Unittest {
    /// The session that is being read; what follows the end of one begins another.
    fn current(&mut self) -> &mut Session {
        let closed = self.sessions.last().is_none_or(Session::is_consistent);
        if closed {
            self.sessions.push(Session::default());
        }
        let last = self.sessions.len().saturating_sub(1);
        &mut self.sessions[last]
    }

    fn open_section(&mut self, flavour: Flavour, title: &[u8], number: u32) {
        if !self.lists_unexpected() {
            self.reject_title(number);
        }
        let before = match std::mem::replace(&mut self.at, At::Progress) {
            At::Body(section, traceback) => Some((section, traceback)),
            at => {
                self.at = at;
                self.close_section();
                None
            }
        };
        self.outside.goes_on();
        self.current().touch(number);
        let text = vec![[flavour.word(), title].concat()];
        let section =
            Section { flavour, title: lossy(title).into_owned(), lines: Lines::one(number), said: None };
        self.at = At::Title(Title { section, before, text });
    }

    /// Whether the section before is one of the list of unexpected successes, which has no rules between.
    fn lists_unexpected(&self) -> bool {
        matches!(&self.at, At::Title(title) if title.section.flavour == Flavour::UnexpectedSuccess)
    }

    /// The thin rule under a title: the error follows. Under the list of unexpected successes it is that of the end.
    fn after_title(&mut self) {
        match std::mem::replace(&mut self.at, At::Progress) {
            At::Title(Title { section, before, .. }) if section.flavour != Flavour::UnexpectedSuccess => {
                self.finish_body(before);
                self.thin_rule = None;
                let reader = match titled(&section.title, section.lines.first).what {
                    What::Unloaded { .. } => Traceback::of_loader(),
                    What::Test { id, name_len } => {
                        Traceback::of_test(id.get(id.len() - name_len..).unwrap_or(""))
                    }
                    What::Subtest { test, .. } => Traceback::of_test(test.rsplit('.').next().unwrap_or("")),
                    What::Fixture { .. } => Traceback::default(),
                };
                self.at = At::Body(section, Box::new(reader));
            }
            title @ At::Title(_) => {
                self.at = title;
                self.close_section();
            }
            at => self.at = at,
        }
    }

    fn close_section(&mut self) {
        match std::mem::replace(&mut self.at, At::Progress) {
            At::Title(Title { section, before, .. }) => {
                self.finish_body(before);
                self.current().sections.push(section);
            }
            At::Body(section, traceback) => self.finish_body(Some((section, traceback))),
            At::Progress | At::Durations => {}
        }
    }

    fn finish_body(&mut self, body: Option<(Section, Box<Traceback>)>) {
        let Some((mut section, traceback)) = body else { return };
        section.said = Some(traceback.said());
        self.current().sections.push(section);
    }

    /// What looked like a title was printed by a test: what it stands in goes on.
    fn reject_title(&mut self, number: u32) {
        let Title { before, text, .. } = match std::mem::replace(&mut self.at, At::Progress) {
            At::Title(title) => title,
            at => {
                self.at = at;
                return;
            }
        };
        let Some((mut section, mut traceback)) = before else { return };
        traceback.line(&[b'='; 70]);
        for line in &text {
            traceback.line(line);
        }
        section.lines.last = number;
        self.at = At::Body(section, traceback);
    }

    fn verdict(&mut self, line: Line<'_>) -> bool {
        let Some((ran, first)) = self.ran else { return false };
        let Some(totals) = line::verdict(line.text) else { return false };
        let session = self.current();
        if !line.ended && totals.skipped == Some(0) && !session.knows_of_no_skip() {
            return false;
        }
        session.touch(line.number);
        let end = End { ran, totals, lines: Lines::new(first, line.number) };
        if let Some(before) = session.end.replace(end) {
            session.other_ends.push(before.lines);
        }
        self.ran = None;
        true
    }

    fn progress(&mut self, line: Line<'_>) {
        let text = line.text;
        if text.is_empty() {
            return;
        }
        if text.ends_with(python::TRACEBACK) && !text.starts_with(b" ") {
            let before = text.len() - python::TRACEBACK.len();
            let (marks, whole) = line::marks(text.get(..before).unwrap_or_default());
            if whole && marks > 0 {
                self.current().marks += marks;
                self.current().touch(line.number);
            }
            return self.outside.traceback(line.number);
        }
        if let Some(first @ (b'.' | b'F' | b'E' | b's' | b'x' | b'u')) = text.first() {
            let fatal = memmem::find(text, FATAL).filter(|at| *at > 0);
            let (count, whole) = line::marks(text.get(..fatal.unwrap_or(text.len())).unwrap_or_default());
            if whole || *first == b'.' {
                self.current().marks += count;
                self.current().skip_marks |= text.iter().any(|byte| matches!(byte, b's' | b'x'));
            }
            if whole {
                self.current().touch(line.number);
                if let Some(at) = fatal {
                    let said = Line { text: text.get(at..).unwrap_or_default(), ..line };
                    self.outside.last_words(said, self.format.grammar());
                }
                return;
            }
        }
        if text.ends_with(b") ... ok") && self.current().plain_pass(text, line.number) {
            self.current().touch_named(line.number);
            self.outside.goes_on();
            return;
        }
        if self.may_name(text) {
            let text = lossy(text);
            if self.current().progress(&text, line.number) {
                self.current().touch_named(line.number);
                self.outside.goes_on();
                if let Some(at) = memmem::find(line.text, FATAL) {
                    let said = Line { text: line.text.get(at..).unwrap_or_default(), ..line };
                    self.outside.last_words(said, self.format.grammar());
                }
                return;
            }
        }
        self.outside.line(line, self.format.grammar());
    }

    /// A look at the bytes that spares most lines everything else.
    fn may_name(&self, text: &[u8]) -> bool {
        let Some(session) = self.sessions.last() else { return true };
        session.waits()
            || text.ends_with(b")")
            || self.heading.find(text).is_some()
            || session.knows_tests() && matches!(text.first(), Some(b'o' | b'F' | b'E' | b'e' | b'u' | b's'))
    }

    /// `0.001s     test_x (module.Class.test_x)`
    fn duration(&mut self, text: &str) {
        let Some((seconds, title)) = text.split_once(' ') else { return };
        let Some(seconds) = seconds.strip_suffix('s').and_then(|seconds| seconds.parse().ok()) else {
            return;
        };
        if let What::Test { id, .. } = titled(title.trim_start(), 0).what {
            let cases = &mut self.current().cases;
            if let Some(key) = cases.find(&id) {
                cases.set_duration(key, seconds);
            }
        }
    }

    /// An end that fits nothing before it is no session of its own.
    fn fold_lookalikes(&mut self) {
        while self.sessions.len() > 1 {
            let Some(last) = self.sessions.last() else { return };
            if last.is_consistent() || last.end.is_none() && last.is_told() {
                return;
            }
            let end = self.sessions.pop().and_then(|session| session.end);
            if let (Some(end), Some(session)) = (end, self.sessions.last_mut()) {
                session.other_ends.push(end.lines);
            }
        }
    }
}

fn is_rule(text: &[u8], of: u8) -> bool {
    text.len() == 70 && text.iter().all(|byte| *byte == of)
}

fn section_title(text: &[u8]) -> Option<(Flavour, &[u8])> {
    let flavours = [Flavour::Error, Flavour::Fail, Flavour::UnexpectedSuccess];
    flavours.into_iter().find_map(|flavour| Some((flavour, text.strip_prefix(flavour.word())?)))
}

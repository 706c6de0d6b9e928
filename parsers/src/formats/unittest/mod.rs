//! Reads the output of Python's `unittest`.
//!
//! It is printed by `unittest.runner.TextTestResult` and `TextTestRunner` of the standard library, on standard error:
//! progress marks or, with `-v`, a line a test; then a section for each error and failure between rules of 70 `=` and
//! `-`; then a rule, `Ran N tests in 0.001s`, a blank line, and the verdict.
//!
//! Known traps: a docstring's first line takes the place of the name before the dots; what a test prints stands
//! between the dots and the result; before Python 3.11 a test with failing subtests gets no result at all and a class
//! that can't be set up gets one without a name; `-v` never names a subtest that passed.

mod line;
mod name;
mod report;
mod session;
mod traceback;

#[cfg(test)]
mod tests;

use memchr::memmem;

use crate::python;
use crate::startup::Startup;
use crate::text::lossy;
use crate::{Format, Kind, Line, Lines, Options, Parser, Problem, Report, Stream};
use session::{End, Flavour, Section, Session, What, titled};
use traceback::Traceback;

/// What the interpreter says when it dies, behind whatever stood on the line.
const FATAL: &[u8] = b"Fatal Python error: ";
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
        died: None,
        crash: None,
        startup: Startup::default(),
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
    /// A traceback outside of any section.
    died: Option<Died>,
    crash: Option<Problem>,
    startup: Startup,
}

enum At {
    Progress,
    /// In the title of a section, before its thin rule.
    Title(Section),
    Body(Section, Box<Traceback>),
    Durations,
}

struct Died {
    traceback: Box<Traceback>,
    lines: Lines,
}

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
                    return self.open_section(flavour, title, line.number);
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
                    self.died = None;
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
            At::Title(_) => {}
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
        let many = sessions.len() > 1;
        let mut reports: Vec<Report> = sessions
            .into_iter()
            .map(|session| {
                let lines = session.lines;
                let mut report = report::report(session, self.format, &self.assertion_errors);
                report.session_lines = lines.filter(|_| many);
                report
            })
            .collect();
        let nothing = reports.is_empty();
        if nothing {
            reports.push(Report::empty(self.format));
        }
        if is_open && let Some(report) = reports.last_mut() {
            let died = self.died.take().and_then(|died| self.death(died));
            let startup = self.startup.take().filter(|_| nothing);
            report.problems.extend(died.or(startup));
            report.problems.extend(self.crash.take());
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
        self.close_section();
        self.died = None;
        let title = lossy(title).into_owned();
        self.current().touch(number);
        let section = Section { flavour, title, lines: Lines::one(number), said: None };
        self.at = At::Title(section);
    }

    /// Whether the section before is one of the list of unexpected successes, which has no rules between.
    fn lists_unexpected(&self) -> bool {
        matches!(&self.at, At::Title(section) if section.flavour == Flavour::UnexpectedSuccess)
    }

    /// The thin rule under a title: the error follows. Under the list of unexpected successes it is that of the end.
    fn after_title(&mut self) {
        match std::mem::replace(&mut self.at, At::Progress) {
            At::Title(section) if section.flavour != Flavour::UnexpectedSuccess => {
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
            At::Title(section) => {
                self.at = At::Title(section);
                self.close_section();
            }
            at => self.at = at,
        }
    }

    fn close_section(&mut self) {
        let mut section = match std::mem::replace(&mut self.at, At::Progress) {
            At::Title(section) => section,
            At::Body(mut section, traceback) => {
                section.said = Some(traceback.said());
                section
            }
            At::Progress | At::Durations => return,
        };
        if section.flavour == Flavour::UnexpectedSuccess {
            section.said = None;
        }
        self.current().sections.push(section);
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
            return self.traceback_outside(line);
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
                    self.outside(Line { text: text.get(at..).unwrap_or_default(), ..line });
                }
                return;
            }
        }
        if text.ends_with(b") ... ok") && self.current().plain_pass(text, line.number) {
            self.current().touch(line.number);
            self.died = None;
            return;
        }
        if self.may_name(text) {
            let text = lossy(text);
            if self.current().progress(&text, line.number) {
                self.current().touch(line.number);
                self.died = None;
                if let Some(at) = memmem::find(line.text, FATAL) {
                    self.outside(Line { text: line.text.get(at..).unwrap_or_default(), ..line });
                }
                return;
            }
        }
        if let Some(died) = &mut self.died {
            died.lines.last = line.number;
            died.traceback.line(text);
        }
        self.outside(line);
    }

    /// A look at the bytes that spares most lines everything else.
    fn may_name(&self, text: &[u8]) -> bool {
        let Some(session) = self.sessions.last() else { return true };
        session.waits()
            || text.ends_with(b")")
            || self.heading.find(text).is_some()
            || session.knows_tests() && matches!(text.first(), Some(b'o' | b'F' | b'E' | b'e' | b'u' | b's'))
    }

    /// What the interpreter, the shell or the system says when the runner doesn't start or dies.
    fn outside(&mut self, line: Line<'_>) {
        let text = line.text;
        let problem = |kind, text: &[u8]| Problem {
            kind,
            subject: None,
            error: None,
            message: Some(lossy(text).into_owned()),
            lines: Lines::one(line.number),
        };
        let dies = match text.first() {
            Some(b'F') => text.starts_with(FATAL),
            Some(b'S') => text.starts_with(b"Segmentation fault"),
            Some(b'K' | b'A') => matches!(text, b"Killed" | b"Aborted" | b"Aborted (core dumped)"),
            _ => false,
        };
        if dies {
            self.crash = Some(problem(Kind::Crash, text));
        } else if text.starts_with(b"Timeout (") && text.ends_with(b")!") {
            self.crash = Some(problem(Kind::Timeout, text));
        } else {
            self.startup.line(line, self.format.grammar());
        }
    }

    fn traceback_outside(&mut self, line: Line<'_>) {
        let before = line.text.len() - python::TRACEBACK.len();
        let (marks, whole) = line::marks(line.text.get(..before).unwrap_or_default());
        if whole && marks > 0 {
            self.current().marks += marks;
            self.current().touch(line.number);
        }
        let continues = self.died.as_ref().is_some_and(|died| died.traceback.takes_another());
        let died = match self.died.take() {
            Some(died) if continues => died,
            _ => Died { traceback: Box::default(), lines: Lines::one(line.number) },
        };
        let died = self.died.insert(died);
        died.lines.last = line.number;
        died.traceback.line(python::TRACEBACK);
    }

    /// What ended the run, if nothing else came after it.
    fn death(&self, died: Died) -> Option<Problem> {
        if !died.traceback.has_said() {
            return None;
        }
        let said = died.traceback.said();
        let error = said.error.as_deref().unwrap_or("");
        let kind = match self.format.grammar().kind(error, said.message.as_deref().unwrap_or("")) {
            Some(kind @ (Kind::Import | Kind::Syntax)) => kind,
            _ if error == "KeyboardInterrupt" => Kind::Interrupted,
            _ => Kind::Exception,
        };
        Some(Problem {
            kind,
            subject: said.file.filter(|_| kind != Kind::Interrupted),
            error: said.error,
            message: said.message,
            lines: died.lines,
        })
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
    let flavours: [(Flavour, &[u8]); 3] = [
        (Flavour::Error, b"ERROR: "),
        (Flavour::Fail, b"FAIL: "),
        (Flavour::UnexpectedSuccess, b"UNEXPECTED SUCCESS: "),
    ];
    flavours.iter().find_map(|(flavour, word)| Some((*flavour, text.strip_prefix(*word)?)))
}

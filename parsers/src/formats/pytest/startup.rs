//! What pytest and Python print when no session comes about: usage errors, a `conftest.py` that doesn't load, a missing
//! pytest; and what ends a session without its end line: fatal errors, a clock.

use memchr::memmem;

use super::traceback::Traceback;
use crate::bounded::Bounded;
use crate::python::Raised;
use crate::text::lossy;
use crate::{Completeness, Grammar, Kind, Line, Lines, Problem, Report};

/// How the last words of a process end that a signal kills (`faulthandler.c`).
const DYING: [&[u8]; 5] =
    [b"Segmentation fault", b"Aborted", b"Bus error", b"Illegal instruction", b"Floating point exception"];

/// Whether a line may end with such words. Its last byte spares most lines the rest.
fn is_dying(text: &[u8]) -> bool {
    matches!(text.last(), Some(b't' | b'd' | b'r' | b'n')) && DYING.iter().any(|end| text.ends_with(end))
}

/// The lines of interest so far. Which of them count is known at the end.
#[derive(Debug, Default)]
pub(super) struct Startup {
    /// `ERROR: …`
    refused: Option<(Bounded, u32)>,
    usage: Option<u32>,
    /// A `conftest.py` or a plugin that did not load.
    unloaded: Option<Unloaded>,
    /// No pytest.
    shell: crate::startup::Startup,
    /// A fatal error, a clock: each is the last word of a process.
    last_words: Option<(Kind, Bounded, u32)>,
}

#[derive(Debug)]
struct Unloaded {
    is_plugin: bool,
    subject: String,
    traceback: Traceback,
    lines: Lines,
    over: bool,
}

impl Startup {
    /// Takes a line. `outside`: it stands in no session, or on the stream where none is reported.
    pub(super) fn line(&mut self, line: Line<'_>, grammar: &Grammar, outside: bool) {
        let (text, number) = (line.text, line.number);
        if let Some(unloaded) = self.unloaded.as_mut().filter(|unloaded| !unloaded.over) {
            unloaded.over = text.is_empty() || !outside;
            if !unloaded.over {
                unloaded.traceback.line(text);
                unloaded.lines.last = number;
                return;
            }
        }
        match text.first() {
            Some(b'E') if text.starts_with(b"ERROR: ") => self.refusal(text, number),
            Some(b'E' | b'I') if outside && self.unloaded(text, number) => {}
            Some(b'F') if text.starts_with(b"Fatal Python error: ") => {
                self.last_words = Some((Kind::Crash, Bounded::of(text), number));
            }
            Some(b'+') if self.clock(text, number) => {}
            Some(_) if outside && self.usage == Some(number.wrapping_sub(1)) => {
                if let Some(at) = memmem::find(text, b": error: ") {
                    self.refused = Some((Bounded::of(text.get(at + 9..).unwrap_or(b"")), number));
                }
            }
            // Behind whatever stood on the line when the process died.
            Some(_) if is_dying(text) => {
                if let Some(at) = memmem::find(text, b"Fatal Python error: ") {
                    let said = text.get(at..).unwrap_or(text);
                    self.last_words = Some((Kind::Crash, Bounded::of(said), number));
                }
            }
            Some(_) if outside => self.shell.line(line, grammar),
            _ => {}
        }
    }

    /// Takes the frame around the stacks of pytest-timeout, which may stand on either stream.
    pub(super) fn clock(&mut self, text: &[u8], number: u32) -> bool {
        let is_timeout = is_timeout(text);
        if is_timeout {
            self.last_words = Some((Kind::Timeout, Bounded::of(b"Timeout"), number));
        }
        is_timeout
    }

    fn refusal(&mut self, text: &[u8], number: u32) {
        let Some(said) = text.strip_prefix(b"ERROR: ") else { return };
        if said.starts_with(b"usage: ") {
            self.usage = Some(number);
        }
        self.refused = Some((Bounded::of(said), number));
    }

    /// `ImportError while loading conftest '/srv/kit/conftest.py'.`, `Error while loading plugin "kit".`
    fn unloaded(&mut self, text: &[u8], number: u32) -> bool {
        let conftest = text.strip_prefix(b"ImportError while loading conftest '");
        let Some(rest) = conftest.or_else(|| text.strip_prefix(b"Error while loading plugin \"")) else {
            return false;
        };
        let end = memchr::memrchr2(b'\'', b'"', rest).unwrap_or(rest.len());
        self.unloaded = Some(Unloaded {
            is_plugin: conftest.is_none(),
            subject: lossy(rest.get(..end).unwrap_or(rest)).into_owned(),
            traceback: Traceback::default(),
            lines: Lines::one(number),
            over: false,
        });
        true
    }

    /// Adds the problems that count to the report of the last session.
    pub(super) fn settle(&mut self, report: &mut Report, grammar: &Grammar) {
        let no_session = report.completeness == Completeness::Empty;
        // Beside tests that ran, such a line is output of one.
        let totals = &report.totals;
        let counts =
            [totals.passed, totals.failed, totals.errored, totals.skipped, totals.xfailed, totals.xpassed];
        let nothing_ran =
            no_session || report.cases.is_empty() && counts.iter().all(|count| *count == Some(0));
        let mut problems = Vec::new();
        if let Some(unloaded) = self.unloaded.take().filter(|_| no_session) {
            let raised = Raised::read(unloaded.traceback.said());
            let kind = match grammar.kind(raised.error, raised.message) {
                Some(kind @ (Kind::Import | Kind::Syntax)) => kind,
                _ if unloaded.is_plugin => Kind::Startup,
                _ => Kind::Exception,
            };
            problems.push(Problem {
                kind,
                subject: Some(unloaded.subject),
                error: Some(raised.error.to_owned()).filter(|error| !error.is_empty()),
                message: Some(raised.message.to_owned()).filter(|message| !message.is_empty()),
                lines: unloaded.lines,
            });
        }
        if let Some((said, number)) = self.refused.take().filter(|_| nothing_ran) {
            let kind =
                if said.as_str().starts_with("not found: ") { Kind::Collection } else { Kind::Startup };
            problems.push(problem(kind, &said, number));
        }
        problems.extend(self.shell.take().filter(|_| no_session));
        let unended = report.completeness != Completeness::Complete;
        if let Some((kind, said, number)) = self.last_words.take().filter(|_| unended) {
            problems.push(problem(kind, &said, number));
        }
        if problems.is_empty() {
            return;
        }
        // These say better why nothing ran than the end line does.
        report.problems.retain(|problem| problem.kind != Kind::Collection || problem.subject.is_some());
        report.problems.extend(problems);
        if no_session {
            report.completeness = Completeness::Truncated;
        }
    }
}

fn problem(kind: Kind, said: &Bounded, number: u32) -> Problem {
    let message = Some(said.as_str().to_owned());
    Problem { kind, subject: None, error: None, message, lines: Lines::one(number) }
}

/// The frame that pytest-timeout prints around the stacks before it ends the process.
fn is_timeout(text: &[u8]) -> bool {
    let inner = text.iter().position(|byte| *byte != b'+').and_then(|at| text.get(at..));
    inner.is_some_and(|inner| {
        inner
            .strip_prefix(b" Timeout ")
            .is_some_and(|rest| rest.len() > 3 && rest.iter().all(|byte| *byte == b'+'))
    })
}

//! What is said outside of any section: a traceback that ended the run, the last words of a process, and those of what
//! could not start it.

use super::traceback::Traceback;
use crate::python;
use crate::startup::Startup;
use crate::text::lossy;
use crate::{Grammar, Kind, Line, Lines, Problem};

/// What the interpreter says when it dies, behind whatever stood on the line.
pub(super) const FATAL: &[u8] = b"Fatal Python error: ";

/// All of it so far. What counts is known at the end.
#[derive(Default)]
pub(super) struct Outside {
    /// A traceback outside of any section.
    died: Option<Died>,
    crash: Option<Problem>,
    startup: Startup,
}

struct Died {
    traceback: Box<Traceback>,
    lines: Lines,
}

impl Outside {
    /// Takes a line.
    pub(super) fn line(&mut self, line: Line<'_>, grammar: &Grammar) {
        if let Some(died) = &mut self.died {
            if !died.traceback.has_said() {
                died.lines.last = line.number;
            }
            died.traceback.line(line.text);
        }
        self.last_words(line, grammar);
    }

    /// Takes what may be the last words of a process: of the interpreter, the shell or the system.
    pub(super) fn last_words(&mut self, line: Line<'_>, grammar: &Grammar) {
        let text = line.text;
        let problem = |kind| {
            let (message, lines) = (Some(lossy(text).into_owned()), Lines::one(line.number));
            Some(Problem { kind, subject: None, error: None, message, lines })
        };
        let dies = match text.first() {
            Some(b'F') => text.starts_with(FATAL),
            Some(b'S') => text.starts_with(b"Segmentation fault"),
            Some(b'K' | b'A') => matches!(text, b"Killed" | b"Aborted" | b"Aborted (core dumped)"),
            _ => false,
        };
        if dies {
            self.crash = problem(Kind::Crash);
        } else if text.starts_with(b"Timeout (") && text.ends_with(b")!") {
            self.crash = problem(Kind::Timeout);
        } else {
            self.startup.line(line, grammar);
        }
    }

    /// Takes the head of a traceback.
    pub(super) fn traceback(&mut self, number: u32) {
        let died = match self.died.take() {
            Some(died) if died.traceback.takes_another() => died,
            _ => Died { traceback: Box::new(Traceback::of_process()), lines: Lines::one(number) },
        };
        let died = self.died.insert(died);
        died.lines.last = number;
        died.traceback.line(python::TRACEBACK);
    }

    /// The run went on: a traceback before was output.
    pub(super) fn goes_on(&mut self) {
        self.died = None;
    }

    /// What ended a run that has no end of its own. `began`: something of the run was seen.
    pub(super) fn problems(
        &mut self,
        began: bool,
        grammar: &Grammar,
    ) -> impl Iterator<Item = Problem> + use<> {
        let died = self.died.take().and_then(|died| died.problem(grammar));
        let startup = self.startup.take().filter(|_| !began);
        died.or(startup).into_iter().chain(self.crash.take())
    }
}

impl Died {
    fn problem(self, grammar: &Grammar) -> Option<Problem> {
        if !self.traceback.has_said() {
            return None;
        }
        let said = self.traceback.said();
        let error = said.error.as_deref().unwrap_or("");
        let kind = match grammar.kind(error, said.message.as_deref().unwrap_or("")) {
            Some(kind @ (Kind::Import | Kind::Syntax)) => kind,
            _ if error == "KeyboardInterrupt" => Kind::Interrupted,
            _ => Kind::Exception,
        };
        let subject = said.file.filter(|_| kind != Kind::Interrupted);
        Some(Problem { kind, subject, error: said.error, message: said.message, lines: self.lines })
    }
}

//! The report: what a runner said about one session, and where it said it.

use serde::Serialize;

use crate::{Cases, Format, Note, NoteCode};

/// The typed reading of one session of a runner.
///
/// Every list is in the order of the output. A report never judges: what to think of it is the caller's.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The format that read it.
    pub format: Format,
    /// The runner, as far as it named itself.
    pub runner: Runner,
    /// Whether the runner's own end is there.
    pub completeness: Completeness,
    /// The runner's own claim of its numbers.
    pub totals: Totals,
    /// The tests that the output names.
    pub cases: Cases,
    /// What broke outside any case.
    pub problems: Vec<Problem>,
    /// What doesn't add up, and what a reader should know.
    pub notes: Vec<Note>,
    /// Where the session lies, when the output holds several.
    pub session_lines: Option<Lines>,
    /// Where the runner spoke, in order: one place, but for formats whose sessions add up. Empty where nothing but a
    /// problem was found. No part of the JSON.
    pub spans: Vec<Lines>,
    /// The expected identities that stood as whole words on a line that a pattern matched (`generic` alone, whose
    /// one case has no name to compare). No part of the JSON.
    pub identities_seen: Vec<String>,
}

impl Report {
    /// A report in which nothing was found yet.
    #[must_use]
    pub fn empty(format: Format) -> Self {
        Self {
            format,
            runner: Runner { name: format.word().to_owned(), version: None },
            completeness: Completeness::Empty,
            totals: Totals::default(),
            cases: Cases::default(),
            problems: Vec::new(),
            notes: Vec::new(),
            session_lines: None,
            spans: Vec::new(),
            identities_seen: Vec::new(),
        }
    }

    /// Adds a note.
    pub fn note(&mut self, code: NoteCode, message: impl Into<String>, lines: Option<Lines>) {
        self.notes.push(Note { code, message: message.into(), lines });
    }

    /// All lines that the session takes; where nothing says where the runner spoke, those of its cases and problems.
    #[must_use]
    pub fn hull(&self) -> Option<Lines> {
        let join = |hull: Option<Lines>, lines: Lines| match hull {
            Some(hull) => Some(Lines::new(hull.first.min(lines.first), hull.last.max(lines.last))),
            None => Some(lines),
        };
        let spoken = self.spans.iter().copied().fold(None, join);
        let cases = || self.cases.iter().map(|case| case.lines());
        spoken.or_else(|| cases().chain(self.problems.iter().map(|problem| problem.lines)).fold(None, join))
    }

    /// Whether a note of this code is there.
    #[must_use]
    pub fn has_note(&self, code: NoteCode) -> bool {
        self.notes.iter().any(|note| note.code == code)
    }
}

/// The program that printed the output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Runner {
    /// Its usual name; the format's word where the output doesn't tell.
    pub name: String,
    /// Its version as printed.
    pub version: Option<String>,
}

/// Whether the runner's own end is in the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Completeness {
    /// The runner's own end is there.
    Complete,
    /// The runner began, and its end is missing.
    Truncated,
    /// Nothing of this format was found.
    Empty,
}

/// The runner's own numbers, in our words. `None`: no word of the output states it; it is never a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Totals {
    /// Tests that passed.
    pub passed: Option<u64>,
    /// Tests whose own body said no.
    pub failed: Option<u64>,
    /// Tests that the runner calls errors.
    pub errored: Option<u64>,
    /// Tests that were not run, on purpose.
    pub skipped: Option<u64>,
    /// Tests that are announced and not written.
    pub todo: Option<u64>,
    /// Tests that failed as expected.
    pub xfailed: Option<u64>,
    /// Tests that passed although they were expected to fail.
    pub xpassed: Option<u64>,
    /// Tests that a filter left out.
    pub deselected: Option<u64>,
}

impl Totals {
    /// Of a summary that leaves out the words of which there are none: nothing but what is named.
    pub(crate) fn none_named() -> Self {
        let none = Some(0);
        Self { failed: none, errored: none, skipped: none, xfailed: none, xpassed: none, ..Self::default() }
    }
}

/// What became of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It passed.
    Passed,
    /// The test's own body said no.
    Failed,
    /// The runner calls it an error.
    Errored,
    /// It was not run, on purpose.
    Skipped,
    /// It is announced and not written, or known not to work yet.
    Todo,
    /// It failed as expected.
    Xfailed,
    /// It passed although it was expected to fail.
    Xpassed,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 7] =
        [Self::Passed, Self::Failed, Self::Errored, Self::Skipped, Self::Todo, Self::Xfailed, Self::Xpassed];

    /// How many there are.
    pub(crate) const COUNT: usize = Self::Xpassed as usize + 1;

    /// The word used in JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Errored => "errored",
            Self::Skipped => "skipped",
            Self::Todo => "todo",
            Self::Xfailed => "xfailed",
            Self::Xpassed => "xpassed",
        }
    }
}

/// Why a test, or something outside any test, did not pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The test ran and an assertion in it said no.
    Assertion,
    /// The test ran and something else was thrown in its body.
    Exception,
    /// A fixture or hook failed before the body.
    Setup,
    /// A fixture or hook failed after the body.
    Teardown,
    /// A module was not there or did not export the name.
    Import,
    /// The source could not be parsed.
    Syntax,
    /// A compiler said no.
    Compile,
    /// The runner could not gather tests, or gathered none.
    Collection,
    /// The runner itself did not start.
    Startup,
    /// A test or the run was cut off by a clock.
    Timeout,
    /// The process or a worker died.
    Crash,
    /// It failed, and the output does not say why.
    Unknown,
    /// The run was broken off on purpose (Ctrl-C, `Bail out!`). Of problems alone.
    Interrupted,
}

impl Kind {
    /// The word used in JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Assertion => "assertion",
            Self::Exception => "exception",
            Self::Setup => "setup",
            Self::Teardown => "teardown",
            Self::Import => "import",
            Self::Syntax => "syntax",
            Self::Compile => "compile",
            Self::Collection => "collection",
            Self::Startup => "startup",
            Self::Timeout => "timeout",
            Self::Crash => "crash",
            Self::Unknown => "unknown",
            Self::Interrupted => "interrupted",
        }
    }
}

/// Lines of the transcript: 1-based, both ends included. In JSON `[first, last]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lines {
    /// The first line.
    pub first: u32,
    /// The last line.
    pub last: u32,
}

impl Lines {
    /// One line alone.
    #[must_use]
    pub const fn one(number: u32) -> Self {
        Self { first: number, last: number }
    }

    /// From one line to another.
    #[must_use]
    pub const fn new(first: u32, last: u32) -> Self {
        Self { first, last }
    }
}

/// One reason why a case did not pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// Why, by the structure of the output.
    pub kind: Kind,
    /// The class of the exception that ended it, as printed.
    pub error: Option<String>,
    /// What it said, as printed.
    pub message: Option<String>,
    /// The source file that the output names.
    pub file: Option<String>,
    /// The line in that file.
    pub line: Option<u32>,
    /// Where the output says so.
    pub lines: Lines,
}

/// What broke outside any case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Why, by the structure of the output.
    pub kind: Kind,
    /// The file, class, hook, package or script that broke.
    pub subject: Option<String>,
    /// The class of the exception that ended it, as printed.
    pub error: Option<String>,
    /// What it said, as printed.
    pub message: Option<String>,
    /// Where the output says so.
    pub lines: Lines,
}

impl Problem {
    /// A run that came to its end without a test.
    pub(crate) fn no_tests_ran(lines: Lines) -> Self {
        let message = Some("no tests ran".to_owned());
        Self { kind: Kind::Collection, subject: None, error: None, message, lines }
    }
}

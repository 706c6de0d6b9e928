//! Notes: what is said about a report without rejecting it.

use serde::Serialize;

use crate::Lines;

/// What is said without rejecting. Some codes a judge rejects all the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    /// What kind of note.
    pub code: NoteCode,
    /// One sentence with the figures or names that matter.
    pub message: String,
    /// Where the output says so, if at one place.
    pub lines: Option<Lines>,
}

macro_rules! note_codes {
    ($($(#[$doc:meta])* $variant:ident = $word:literal,)*) => {
        /// The notes that a report can carry.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
        pub enum NoteCode {
            $($(#[$doc])* #[serde(rename = $word)] $variant,)*
        }

        impl NoteCode {
            /// Every code, in alphabetical order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The word used in JSON.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }
    };
}

note_codes! {
    /// Two readings of the summary stay possible.
    AmbiguousSummary = "ambiguous-summary",
    /// The same name passed and failed, and the runner marks no rerun.
    ContradictoryResult = "contradictory-result",
    /// The runner tried a test again and it passed.
    Flaky = "flaky",
    /// A session of another format, taken for what a test printed.
    ForeignSession = "foreign-session",
    /// The start of the session is missing and the cases don't add up.
    HeadMissing = "head-missing",
    /// Something that can't be read was replaced.
    InputRepaired = "input-repaired",
    /// Something was cut or left out, and this says what.
    LeftOut = "left-out",
    /// A result without a name.
    NamelessCase = "nameless-case",
    /// The mode in use names no passing tests, and at least one passed.
    NamesHidden = "names-hidden",
    /// A test passed, and the report counts no assertion in it. Its name stands in backticks.
    NoAssertions = "no-assertions",
    /// The mode in use prints no end; the message names the flag.
    NoEnd = "no-end",
    /// Both patterns matched.
    PatternBoth = "pattern-both",
    /// No pattern matched.
    PatternNone = "pattern-none",
    /// The plan and the results differ.
    PlanMismatch = "plan-mismatch",
    /// Two cases of one name that nothing tells apart.
    RepeatedName = "repeated-name",
    /// The run was stopped at a failure because it was asked to.
    StoppedEarly = "stopped-early",
    /// The report stood on the stream where this runner doesn't report.
    StreamUnexpected = "stream-unexpected",
    /// A test marked TODO passed.
    TodoPassed = "todo-passed",
    /// The runner's numbers and the named cases differ.
    TotalsMismatch = "totals-mismatch",
}

/// What [`NoteCode::NoAssertions`] says of a case.
pub(crate) fn no_assertions(id: &str) -> String {
    format!("`{id}` passed, and no assertion is counted in it")
}

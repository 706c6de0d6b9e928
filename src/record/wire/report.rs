//! Reports as others read them. Writing is the parsers' own: a report goes into a document as the JSON that it makes
//! of itself, so that a million cases need no second table.

use redgreen_parsers as parsers;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use super::{ReadError, read, tag};
use crate::digest::Sha256;

/// The reading of one session of a runner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// `redgreen/report/1`
    pub schema: tag::Report,
    /// The word of the format that read it.
    pub format: String,
    /// The runner, as far as it named itself.
    pub runner: Runner,
    /// Whether the runner's own end is there.
    pub completeness: Completeness,
    /// The runner's own claim of its numbers.
    pub totals: Totals,
    /// The tests that the output names.
    pub cases: Vec<Case>,
    /// What broke outside any case.
    pub problems: Vec<ReportProblem>,
    /// What doesn't add up.
    pub notes: Vec<Note>,
    /// Where the session lies. Only there when the output holds several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_lines: Option<Lines>,
}

/// The sessions of an output that holds several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reports {
    /// `redgreen/reports/1`
    pub schema: tag::Reports,
    /// One a session, in order.
    pub reports: Vec<Report>,
}

/// A report, or several.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(
    dead_code,
    clippy::large_enum_variant,
    reason = "it is never made: it describes what a raw report holds"
)]
pub(super) enum OneOrMany {
    One(Report),
    Many(Reports),
}

/// The JSON of the sessions of one output: the report alone where there is one, else a `redgreen/reports/1`.
///
/// # Errors
/// When a value has no JSON; none that a report holds.
pub fn raw_reports(reports: &[parsers::Report]) -> Result<Box<RawValue>, serde_json::Error> {
    serde_json::value::to_raw_value(&ReportsOut(reports))
}

/// The sessions of one output, written without a copy: see [`raw_reports`].
#[derive(Debug, Clone, Copy)]
pub struct ReportsOut<'a>(pub &'a [parsers::Report]);

impl Serialize for ReportsOut<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Many<'a> {
            schema: tag::Reports,
            reports: &'a [parsers::Report],
        }
        match self.0 {
            [one] => one.serialize(to),
            reports => Many { schema: tag::Reports::V1, reports }.serialize(to),
        }
    }
}

impl ReportsOut<'_> {
    /// Writes the JSON of one session, or of several, faster than serde does.
    ///
    /// # Errors
    /// Those of `to`.
    pub fn write(self, to: &mut impl std::io::Write) -> std::io::Result<()> {
        match self.0 {
            [one] => one.write_json(to),
            _ => Ok(serde_json::to_writer(to, &self)?),
        }
    }
}

/// The sessions in the JSON of [`raw_reports`].
///
/// # Errors
/// When it is neither of the two documents.
pub fn read_reports(raw: &RawValue) -> Result<Vec<Report>, ReadError> {
    let bytes = raw.get().as_bytes();
    match read::<Report>(bytes) {
        Ok(report) => Ok(vec![report]),
        Err(error) => read::<Reports>(bytes).map(|many| many.reports).map_err(|_| error),
    }
}

/// The program that printed the output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Runner {
    /// Its usual name.
    pub name: String,
    /// Its version as printed.
    pub version: Option<String>,
}

/// The runner's own numbers; `null` where no word of the output states one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "the words are those of a case's status")]
pub struct Totals {
    pub passed: Option<u64>,
    pub failed: Option<u64>,
    pub errored: Option<u64>,
    pub skipped: Option<u64>,
    pub todo: Option<u64>,
    pub xfailed: Option<u64>,
    pub xpassed: Option<u64>,
    /// Tests that a filter left out.
    pub deselected: Option<u64>,
}

/// One test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Case {
    /// The runner's native name, whole.
    pub id: String,
    /// The hash of the name as the runner wrote it. Only there when a secret was taken out of `id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id_sha256: Option<Sha256>,
    /// The parts of the name that stand before the test's own.
    pub suite: Vec<String>,
    /// The test's own name.
    pub name: String,
    /// What became of it.
    pub status: Status,
    /// Why it did not pass.
    pub failures: Vec<Failure>,
    /// Why it was skipped, or is expected to fail.
    pub reason: Option<String>,
    /// How long it took, as the runner says.
    pub duration_seconds: Option<f64>,
    /// Where the transcript says so.
    pub lines: Lines,
}

/// One reason why a case did not pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// Why.
    pub kind: Kind,
    /// The class of the exception that ended it.
    pub error: Option<String>,
    /// What it said.
    pub message: Option<String>,
    /// The source file that the output names.
    pub file: Option<String>,
    /// The line in that file.
    pub line: Option<u32>,
    /// Where the transcript says so.
    pub lines: Lines,
}

/// What broke outside any case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReportProblem {
    /// Why.
    pub kind: Kind,
    /// The file, class, hook, package or script that broke.
    pub subject: Option<String>,
    /// The class of the exception that ended it.
    pub error: Option<String>,
    /// What it said.
    pub message: Option<String>,
    /// Where the transcript says so.
    pub lines: Lines,
}

/// What is said without rejecting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Note {
    /// What kind of note. A word of a later version is kept as it is.
    pub code: String,
    /// One sentence.
    pub message: String,
    /// Where the transcript says so.
    pub lines: Option<Lines>,
}

/// Makes the wire's own words for an enum of the parsers, so that the two can't drift apart: a word that is new there
/// doesn't compile here.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident of $of:path { $($(#[$word_doc:meta])* $word:ident,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "lowercase")]
        #[expect(missing_docs, reason = "the words are explained where the parsers define them")]
        pub enum $name { $($(#[$word_doc])* $word,)* }

        impl From<$of> for $name {
            fn from(of: $of) -> Self {
                type Of = $of;
                match of { $(Of::$word => Self::$word,)* }
            }
        }

        impl From<$name> for $of {
            fn from(word: $name) -> Self {
                match word { $($name::$word => Self::$word,)* }
            }
        }
    };
}

words! {
    /// Whether the runner's own end is in the output.
    Completeness of parsers::Completeness { Complete, Truncated, Empty, }
}

words! {
    /// What became of a test.
    Status of parsers::Status { Passed, Failed, Errored, Skipped, Todo, Xfailed, Xpassed, }
}

words! {
    /// Why a test, or something outside any test, did not pass.
    Kind of parsers::Kind {
        Assertion, Exception, Setup, Teardown, Import, Syntax, Compile, Collection, Startup, Timeout, Crash, Unknown,
        Interrupted,
    }
}

/// Lines of the transcript, 1-based, both ends included: `[first, last]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Lines(pub u32, pub u32);

impl From<parsers::Lines> for Lines {
    fn from(lines: parsers::Lines) -> Self {
        Self(lines.first, lines.last)
    }
}

impl From<Lines> for parsers::Lines {
    fn from(lines: Lines) -> Self {
        Self::new(lines.0, lines.1)
    }
}

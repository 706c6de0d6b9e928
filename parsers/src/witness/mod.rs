//! Reads the structured report that a runner was asked for: a witness of the same run.

mod jest_json;
mod unittest_recorder;

use crate::feed::Parser;
use crate::grammar::Witness;
use crate::{Feed, Format, Lines, Options, Report, Stream, read};

/// Readers of reports that are no format of their own.
pub const READERS: [&str; 2] = [UNITTEST_RECORDER, JEST_JSON];

const UNITTEST_RECORDER: &str = "unittest-recorder";
const JEST_JSON: &str = "jest-json";

/// What a report turned out to be.
#[derive(Debug, Clone, PartialEq)]
pub enum Account {
    /// A report for each session that it holds, at least one. Its lines are those of the file, not of a transcript.
    Reports(Vec<Report>),
    /// Whoever writes it could not, and says why.
    Unable(String),
}

/// Whether there is a reader for a report of this word.
#[must_use]
pub fn can_read(word: &str) -> bool {
    READERS.contains(&word) || Format::find(word).is_some()
}

/// Reads the report of a runner whose console has this format. `root` is the folder from which that shows paths.
///
/// # Errors
/// Those of `replay`, which feeds the file block by block.
pub fn account<E>(
    console: Format,
    witness: &Witness,
    options: &Options,
    root: &str,
    mut replay: impl FnMut(&mut dyn FnMut(&[u8])) -> Result<(), E>,
) -> Result<Account, E> {
    match witness.read.as_str() {
        UNITTEST_RECORDER => {
            let mut recorder = unittest_recorder::Recording::new(console, options);
            let mut feed = Feed::new(&mut recorder);
            replay(&mut |block| feed.push(block, Stream::Merged))?;
            feed.finish();
            Ok(match recorder.unable() {
                Some(reason) => Account::Unable(reason),
                None => Account::Reports(recorder.end()),
            })
        }
        JEST_JSON => {
            let mut bytes = Vec::new();
            replay(&mut |block| bytes.extend_from_slice(block))?;
            Ok(Account::Reports(jest_json::read(&bytes, console, witness, options, root)))
        }
        word => {
            let Some(format) = Format::find(word) else { return Ok(Account::Reports(Vec::new())) };
            let replay = |feed: &mut Feed<'_>| replay(&mut |block| feed.push(block, Stream::Merged));
            Ok(Account::Reports(read(format, options, replay)?))
        }
    }
}

/// What is said elsewhere than in the transcript stands on no line of it.
const NOWHERE: Lines = Lines::new(0, 0);

/// A report of another file than the transcript has no lines in it.
pub fn forget_lines(report: &mut Report) {
    for key in report.cases.keys() {
        report.cases.set_lines(key, NOWHERE);
        for failure in report.cases.failures_mut(key) {
            failure.lines = NOWHERE;
        }
    }
    for problem in &mut report.problems {
        problem.lines = NOWHERE;
    }
    for note in &mut report.notes {
        note.lines = None;
    }
    report.session_lines = None;
}

//! What the parsers of a check read: its transcript, or the report that it wrote.

use std::fs::File;
use std::io;

use redgreen_parsers::{Format, Options, Report, Stream, read};

use crate::cli::Stop;
use crate::judge::{Code, Reading};
use crate::observe::reports::Reports;
use crate::observe::transcript::Transcript;
use crate::plan::{Check, Identities};

/// What a check tells the parsers of its output.
pub(super) fn options(check: &Check) -> Options {
    Options {
        success_pattern: check.success_pattern.clone(),
        failure_pattern: check.failure_pattern.clone(),
        identities: match &check.identities {
            Identities::Any => Vec::new(),
            Identities::Named(names) => names.clone(),
        },
        assertion_errors: check.assertion_errors.clone(),
        envelope: None,
        others: Vec::new(),
    }
}

pub(super) fn unreadable_report(check: &Check, why: &io::Error) -> Stop {
    Stop::new(Code::Unreadable, format!("the report of `{}` can't be read: {why}", check.id))
}

/// The report files that the run wrote, one after the other; `None` if there is none.
pub(super) fn written(check: &Check, reports: &Reports) -> Result<Option<Transcript>, Stop> {
    let read = || {
        let files = reports.written()?;
        let files = files.iter().map(|path| Ok((File::open(path)?, Stream::Merged)));
        let files = files.collect::<io::Result<Vec<_>>>()?;
        if files.is_empty() { Ok(None) } else { Transcript::from_files(files).map(Some) }
    };
    read().map_err(|why| unreadable_report(check, &why))
}

/// The sessions of runners that the check doesn't name.
pub(super) fn foreign(
    check: &Check,
    options: &Options,
    transcript: &Transcript,
) -> Result<Vec<Report>, Stop> {
    let own: Vec<Format> = check.parsers.iter().filter_map(|word| Format::find(word)).collect();
    redgreen_parsers::foreign(&own, options, |feed| transcript.feed(feed)).map_err(|why| {
        Stop::new(Code::Unreadable, format!("the output of `{}` can't be read again: {why}", check.id))
    })
}

/// What each parser of a check reads: in its transcript, or in the report that it wrote.
pub(super) fn readings(
    check: &Check,
    options: &Options,
    transcript: &Transcript,
    has_report: bool,
    report: Option<&Transcript>,
) -> Result<Vec<Reading>, Stop> {
    let formats = check.parsers.iter().filter_map(|word| Format::find(word));
    formats
        .map(|format| {
            let from = match has_report && format.is_structured() {
                true => report,
                false => Some(transcript),
            };
            let Some(from) = from else {
                return Ok(Reading { format, reports: vec![Report::empty(format)] });
            };
            let reports = read(format, options, |feed| from.feed(feed)).map_err(|why| {
                Stop::new(
                    Code::Unreadable,
                    format!("the output of `{}` can't be read again: {why}", check.id),
                )
            })?;
            Ok(Reading { format, reports })
        })
        .collect()
}

//! What an output is: read with the format that was asked for, or with those that are found in it.

use redgreen_parsers::{Candidate, Completeness, Format, Options, Report};
use serde::Serialize;

use super::Stop;
use super::output::Output;
use super::source::Source;
use crate::judge::{Code, Reading};

/// What was read in an output.
pub(super) struct Found {
    /// A report for each session, in the order of the output; at least one.
    pub(super) reports: Vec<Report>,
    /// The formats that found something, the best first; none where one was asked for.
    candidates: Vec<Candidate>,
    /// Two formats that fit alike.
    rivals: Option<(Format, Format)>,
    asked: Option<Format>,
}

/// Reads an output; without a format with those that are found in it.
///
/// # Errors
/// It can't be read.
pub(super) fn find(asked: Option<Format>, options: &Options, source: &Source) -> Result<Found, Stop> {
    let options = &Options { envelope: source.envelope()?, ..options.clone() };
    if let Some(format) = asked {
        let reports = source.read(format, options)?;
        return Ok(Found { reports, candidates: Vec::new(), rivals: None, asked });
    }
    let detected = source.detect(options)?;
    let mut reports = detected.sessions;
    if reports.is_empty() {
        // `generic` is the format of outputs that no parser knows.
        let format = Format::find("generic").or_else(|| Format::all().next());
        let nothing = || Stop::new(Code::NothingRecognised, "no format is known");
        reports.push(Report::empty(format.ok_or_else(nothing)?));
    }
    Ok(Found { reports, candidates: detected.candidates, rivals: detected.rivals, asked })
}

/// A format that an output may be of, as others read it.
#[derive(Serialize)]
pub(super) struct CandidateOut<'a> {
    format: &'static str,
    taken: bool,
    reason: &'a str,
}

impl<'a> CandidateOut<'a> {
    fn of(Candidate { format, taken, reason }: &'a Candidate) -> Self {
        Self { format: format.word(), taken: *taken, reason }
    }
}

impl Found {
    /// The formats that found something, the best first. None where there was nothing to choose: one was asked for, or
    /// one alone fits.
    pub(super) fn choice(&self) -> Vec<CandidateOut<'_>> {
        if self.candidates.len() < 2 {
            return Vec::new();
        }
        self.candidates.iter().map(CandidateOut::of).collect()
    }

    /// Whether something was found, and for certain.
    pub(super) fn recognised(&self) -> bool {
        self.rivals.is_none() && self.reports.iter().any(|report| report.completeness != Completeness::Empty)
    }

    /// Says how it was found, and what to do where it wasn't.
    pub(super) fn tell(&self, out: &mut Output) {
        for Candidate { format, taken, reason } in &self.candidates {
            let how = if *taken { "read as" } else { "not read as" };
            out.talk(&format!("{how} {}: {reason}", format.word()));
        }
        if let Some((one, two)) = self.rivals {
            let (one, two) = (one.word(), two.word());
            out.warn(&format!("it reads as {one} and as {two} alike; say which with `--as`"));
        } else if !self.recognised() {
            out.warn(&match self.asked {
                None => {
                    "nothing of a known format was found; name the format with `--as` to see why".to_owned()
                }
                Some(format) => format!(
                    "nothing of the format `{}` was found; `--as auto` finds the one that fits",
                    format.word()
                ),
            });
        }
    }

    /// The sessions of each format, as a judge takes them.
    pub(super) fn into_readings(self) -> Vec<Reading> {
        let mut readings: Vec<Reading> = Vec::new();
        for report in self.reports {
            match readings.iter_mut().find(|reading| reading.format == report.format) {
                Some(reading) => reading.reports.push(report),
                None => readings.push(Reading { format: report.format, reports: vec![report] }),
            }
        }
        readings
    }
}

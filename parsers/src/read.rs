//! Reading a whole output: one known format, or the one that fits.

use crate::{Completeness, Feed, Format, Lines, NoteCode, Options, Report, Stream};

/// Reads bytes that hold both streams.
///
/// At least one report comes back; several where the output holds several sessions.
#[must_use]
pub fn parse(format: Format, input: &[u8], options: &Options) -> Vec<Report> {
    let replay = |feed: &mut Feed<'_>| {
        feed.push(input, Stream::Merged);
        Ok::<(), std::convert::Infallible>(())
    };
    match read(format, options, replay) {
        Ok(reports) => reports,
        Err(never) => match never {},
    }
}

/// Reads an output that `replay` feeds block by block.
///
/// `replay` is called a second time when the stream on which this runner reports holds nothing of the format and the
/// other may: then that one is read, and a note says so.
///
/// # Errors
/// Those of `replay`.
pub fn read<E>(
    format: Format,
    options: &Options,
    mut replay: impl FnMut(&mut Feed<'_>) -> Result<(), E>,
) -> Result<Vec<Report>, E> {
    let (reports, saw) = read_once(format, options, &mut replay, false)?;
    let nothing = reports.iter().all(|report| report.completeness == Completeness::Empty);
    let other_spoke = match format.reports_on() {
        Some(Stream::Out) => saw[1],
        Some(Stream::Err) => saw[0],
        Some(Stream::Merged) | None => false,
    };
    if !(nothing && other_spoke) {
        return Ok(reports);
    }
    let (mut swapped, _) = read_once(format, options, &mut replay, true)?;
    if swapped.iter().all(|report| report.completeness == Completeness::Empty) {
        return Ok(reports);
    }
    for report in &mut swapped {
        let message = "the report stands on the stream where this runner does not report";
        report.note(NoteCode::StreamUnexpected, message, None);
    }
    Ok(swapped)
}

fn read_once<E>(
    format: Format,
    options: &Options,
    replay: &mut impl FnMut(&mut Feed<'_>) -> Result<(), E>,
    swapped: bool,
) -> Result<(Vec<Report>, [bool; 2]), E> {
    let mut parser = format.parser(options);
    let mut feed = Feed::new(parser.as_mut());
    if swapped {
        feed.swap_streams();
    }
    replay(&mut feed)?;
    feed.finish();
    let (saw, cut) = (feed.saw(), feed.cut());
    let mut reports = parser.end();
    if reports.is_empty() {
        reports.push(Report::empty(format));
    }
    if let (Some(line), Some(report)) = (cut, reports.first_mut()) {
        report.note(NoteCode::LeftOut, "a line of more than 16 MiB was cut", Some(Lines::one(line)));
    }
    Ok((reports, saw))
}

/// A format that an output may be of.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The format.
    pub format: Format,
    /// What it reads there.
    pub reports: Vec<Report>,
    /// Why it is where it is in the ranking, as a sentence.
    pub reason: String,
}

impl Candidate {
    /// Whether two candidates fit alike.
    #[must_use]
    pub fn fits_like(&self, other: &Self) -> bool {
        self.rank() == other.rank()
    }

    fn rank(&self) -> u8 {
        let best = self.reports.iter().map(|report| match report.completeness {
            Completeness::Complete => 2,
            Completeness::Truncated => 1,
            Completeness::Empty => 0,
        });
        best.max().unwrap_or(0)
    }
}

/// Reads an output with each format that knows its own output when it sees it, and ranks those that found something.
///
/// # Errors
/// Those of `replay`.
pub fn detect<E>(
    options: &Options,
    mut replay: impl FnMut(&mut Feed<'_>) -> Result<(), E>,
) -> Result<Vec<Candidate>, E> {
    let mut candidates = Vec::new();
    for format in Format::all().filter(|format| !format.grammar().signatures.is_empty()) {
        let reports = read(format, options, &mut replay)?;
        let mut candidate = Candidate { format, reports, reason: String::new() };
        candidate.reason = match candidate.rank() {
            2 => format!("{}: its own end is there", format.word()),
            1 => format!("{}: it began, and its end is missing", format.word()),
            _ => continue,
        };
        candidates.push(candidate);
    }
    candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.rank()));
    Ok(candidates)
}

//! Reading a whole output of a known format.

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
    let mut parser = match &options.envelope {
        Some(envelope) => envelope.around(format, options),
        None => format.parser(options),
    };
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
    if reports.len() > 1 {
        for report in &mut reports {
            report.session_lines = report.hull();
        }
    }
    if let (Some(line), Some(report)) = (cut, reports.first_mut()) {
        report.note(NoteCode::LeftOut, "a line of more than 16 MiB was cut", Some(Lines::one(line)));
    }
    Ok((reports, saw))
}

//! What must hold of every reading of any input. Shared with the libFuzzer target in `parsers/fuzz`.

use std::time::{Duration, Instant};

use redgreen_parsers::{Completeness, Feed, Format, NoteCode, Options, Report, Status, Stream, parse, read};

/// The longest that one input of this size may take: far above what linear work costs, far below what quadratic does.
const SLOW: Duration = Duration::from_millis(500);

/// How often an input that took longer is read again.
const AGAIN: u8 = 3;

/// At how many places each input is cut.
pub(crate) const CUTS: usize = 2;

/// The notes of a report that contradicts itself.
const CONTRADICTIONS: [NoteCode; 5] = [
    NoteCode::AmbiguousSummary,
    NoteCode::ContradictoryResult,
    NoteCode::HeadMissing,
    NoteCode::PlanMismatch,
    NoteCode::TotalsMismatch,
];

fn time(format: Format, input: &[u8], options: &Options) -> Duration {
    let begun = Instant::now();
    _ = caught(|| parse(format, input, options));
    begun.elapsed()
}

/// What is wrong with how a format reads this input, also when it is cut there; `None`: nothing.
pub(crate) fn objection(format: Format, input: &[u8], cuts: [usize; CUTS]) -> Option<String> {
    let options = options();
    let begun = Instant::now();
    let Some(reports) = caught(|| parse(format, input, &options)) else {
        return Some("it panicked".to_owned());
    };
    let took = begun.elapsed();
    // A busy machine is slow once; quadratic work is slow every time.
    if took > SLOW && (0..AGAIN).all(|_| time(format, input, &options) > SLOW) {
        return Some(format!("{} bytes took {took:?}", input.len()));
    }
    if reports.is_empty() {
        return Some("there is no report".to_owned());
    }
    let lines = u32::try_from(memchr::memchr_iter(b'\n', input).count() + 1).unwrap_or(u32::MAX);
    reports.iter().find_map(|report| inconsistent(report, lines)).or_else(|| {
        let most: u64 = reports.iter().map(passes).sum();
        cuts.into_iter()
            .find_map(|cut| disagrees_when_cut(format, input.split_at_checked(cut)?, most, &reports))
    })
}

/// What is wrong with the reading of the head alone, or of both parts one after the other.
fn disagrees_when_cut(
    format: Format,
    (head, tail): (&[u8], &[u8]),
    most: u64,
    whole: &[Report],
) -> Option<String> {
    let options = options();
    let at = head.len();
    let Some(reports) = caught(|| parse(format, head, &options)) else {
        return Some(format!("it panicked when cut at byte {at}"));
    };
    // Before the head of a run comes, what was printed earlier may stand for one.
    let has_head = |report: &&Report| whole.iter().any(|other| other.runner == report.runner);
    // A run whose own head is missing, and which says so, may be printed text as well.
    let complete = reports.iter().filter(|report| {
        report.completeness == Completeness::Complete && !report.has_note(NoteCode::HeadMissing)
    });
    let claimed: u64 = complete.filter(has_head).map(passes).sum();
    // Where damage left two runs that contradict each other, what comes later may take back what came before.
    // An output that no runner ends may end anywhere; within a line, the rest may overwrite what came before.
    let may_end_here = !format.grammar().signatures.is_empty() || head.ends_with(b"\n");
    if claimed > most && may_end_here && whole.iter().all(is_clean) {
        return Some(format!("cut at byte {at} it claims {claimed} passes, whole {most}"));
    }
    let replay = |feed: &mut Feed<'_>| {
        feed.push(head, Stream::Merged);
        feed.push(tail, Stream::Merged);
        Ok::<(), ()>(())
    };
    let in_blocks = read(format, &options, replay);
    (in_blocks.as_deref() != Ok(whole))
        .then(|| format!("in two blocks, cut at byte {at}, it says something else"))
}

/// How many tests passed, by cases, numbers, or the word that some did.
fn passes(report: &Report) -> u64 {
    let hidden = u64::from(report.has_note(NoteCode::NamesHidden));
    report.cases.count(Status::Passed).max(report.totals.passed.unwrap_or(hidden))
}

/// Whether a report says that all went well, and contradicts itself nowhere.
fn is_clean(report: &Report) -> bool {
    let contradicts = |code: &NoteCode| report.has_note(*code);
    report.completeness == Completeness::Complete
        && report.problems.is_empty()
        && [report.totals.failed, report.totals.errored].iter().all(|count| count.unwrap_or(0) == 0)
        && report.cases.count(Status::Failed) + report.cases.count(Status::Errored) == 0
        && !CONTRADICTIONS.iter().any(contradicts)
}

/// What this gives, unless it panics.
fn caught<T>(work: impl FnOnce() -> T) -> Option<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).ok()
}

/// A report must fit its input and itself.
fn inconsistent(report: &Report, lines: u32) -> Option<String> {
    let cases = report.cases.iter().map(|case| case.lines());
    let failures = report.cases.iter().flat_map(|case| case.failures()).map(|failure| failure.lines);
    let problems = report.problems.iter().map(|problem| problem.lines);
    let notes = report.notes.iter().filter_map(|note| note.lines);
    let bad = cases
        .chain(failures)
        .chain(problems)
        .chain(notes)
        .find(|at| at.first == 0 || at.first > at.last || at.last > lines);
    if let Some(at) = bad {
        return Some(format!("lines {}-{} of {lines}", at.first, at.last));
    }
    let unnamed = report.cases.iter().find(|case| !case.id().ends_with(case.name()) || case.id().is_empty());
    if let Some(case) = unnamed {
        return Some(format!("the id `{}` doesn't end with the name `{}`", case.id(), case.name()));
    }
    let says_nothing = report.completeness == Completeness::Empty && !report.cases.is_empty();
    says_nothing.then(|| "nothing was found, and there are cases".to_owned())
}

fn options() -> Options {
    Options {
        success_pattern: regex::bytes::Regex::new("^\\d+ passed").ok(),
        failure_pattern: regex::bytes::Regex::new("(?i)fail").ok(),
        ..Options::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_that_does_not_fit_is_found() {
        let format = Format::find("tap").unwrap();
        let mut report = parse(format, b"1..1\nok 1 - a\n", &Options::default()).remove(0);
        assert_eq!(inconsistent(&report, 3), None);
        assert!(inconsistent(&report, 1).is_some(), "line 2 of 1");
        report.completeness = Completeness::Empty;
        assert!(inconsistent(&report, 3).is_some());
    }

    #[test]
    fn a_head_that_claims_more_than_the_whole_is_found() {
        let format = Format::find("tap").unwrap();
        let (head, tail) = (&b"1..1\nok 1 - a\n"[..], &b"bye\n"[..]);
        let whole = parse(format, &[head, tail].concat(), &Options::default());
        assert_eq!(disagrees_when_cut(format, (head, tail), 1, &whole), None);
        let why = disagrees_when_cut(format, (head, tail), 0, &whole).unwrap();
        assert_eq!(why, "cut at byte 14 it claims 1 passes, whole 0");
        let other = parse(format, b"1..1\nok 1 - b\n", &Options::default());
        assert!(disagrees_when_cut(format, (head, tail), 1, &other).is_some());
    }
}

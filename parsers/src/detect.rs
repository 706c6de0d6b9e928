//! Which formats an output is of, and the sessions of each: a log of CI holds those of several runners.
//!
//! Every format whose signature stands in the output reads it. Sessions that lie apart are all taken. A session that
//! lies within the complete one of another format is what a test printed. Of two that speak of the same lines the one
//! that is whole is taken; if both are, nobody can tell, and they are rivals.

use crate::feed::Feed;
use crate::sniff::{signed, sniff};
use crate::{Completeness, Format, Lines, NoteCode, Options, Report, read};

/// What was found in an output.
#[derive(Debug, Clone, Default)]
pub struct Detected {
    /// The formats that found something, those taken first.
    pub candidates: Vec<Candidate>,
    /// What is taken: a report for each session, in the order of the output.
    pub sessions: Vec<Report>,
    /// Two formats that fit the same lines alike. Then nothing is to be taken for certain.
    pub rivals: Option<(Format, Format)>,
}

/// A format that an output may be of.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The format.
    pub format: Format,
    /// Whether a session of it is among those taken.
    pub taken: bool,
    /// Why, as a sentence without the format's word.
    pub reason: String,
}

/// Finds the formats and sessions of an output.
///
/// # Errors
/// Those of `replay`, which is called once for each format that may fit, and once before.
pub fn detect<E>(
    options: &Options,
    mut replay: impl FnMut(&mut Feed<'_>) -> Result<(), E>,
) -> Result<Detected, E> {
    let known = sniff(options, &mut replay)?;
    let known = if known.is_empty() { signed() } else { known };
    among(&known, options, &mut replay)
}

/// The whole sessions of other formats than `own`: runs of runners that nobody named. Where one of them could as well be
/// one of `own`, or what a test of it printed, it is none.
///
/// # Errors
/// Those of `replay`, which is called once where no other format may fit.
pub fn foreign<E>(
    own: &[Format],
    options: &Options,
    mut replay: impl FnMut(&mut Feed<'_>) -> Result<(), E>,
) -> Result<Vec<Report>, E> {
    let mut known = sniff(options, &mut replay)?;
    if known.iter().all(|format| own.contains(format)) {
        return Ok(Vec::new());
    }
    known.extend(own.iter().filter(|format| !format.grammar().signatures.is_empty()));
    known.sort_by_key(|format| format.word());
    known.dedup();
    let Detected { mut sessions, rivals, .. } = among(&known, options, &mut replay)?;
    let is_rival = |format| rivals.is_some_and(|(one, two)| format == one || format == two);
    sessions.retain(|session| {
        let whole = session.completeness == Completeness::Complete;
        whole && !own.contains(&session.format) && !is_rival(session.format)
    });
    Ok(sessions)
}

/// The sessions of these formats.
fn among<E>(
    known: &[Format],
    options: &Options,
    mut replay: &mut impl FnMut(&mut Feed<'_>) -> Result<(), E>,
) -> Result<Detected, E> {
    let mut found = Vec::new();
    let mut unstarted = Vec::new();
    for format in known {
        for report in read(*format, options, &mut replay)? {
            if report.completeness != Completeness::Empty {
                found.push(Session::of(report));
            } else if !report.problems.is_empty() {
                unstarted.push(Session::of(report));
            }
        }
    }
    // Where nothing ran, what a format has to say of that is the best there is.
    if found.is_empty() {
        found = unstarted;
    }
    let rivals = settle(&mut found);
    let mut found = without_neighbours(found, options, &mut replay)?;
    let mut detected = Detected { candidates: candidates(&found), sessions: Vec::new(), rivals };
    note_inner(&mut found);
    note_rivals(&mut found);
    let mut taken: Vec<Session> = found.into_iter().filter(|session| session.fate == Fate::Taken).collect();
    taken.sort_by_key(|session| session.lines.first);
    let several = taken.len() > 1;
    for Session { mut report, lines, .. } in taken {
        report.session_lines = several.then_some(lines);
        detected.sessions.push(report);
    }
    Ok(detected)
}

/// The lines of whole runs of other formats that are no part of what this format's runs say, in order.
fn runs_beside(format: Format, taken: &[Session]) -> Vec<Lines> {
    let (own, neighbours): (Vec<&Session>, Vec<&Session>) =
        taken.iter().partition(|session| session.report.format == format);
    let outside = |session: &&Session| session.is_complete() && own.iter().all(|own| !session.encloses(own));
    let mut others: Vec<Lines> =
        neighbours.into_iter().filter(outside).map(|session| session.lines).collect();
    others.sort_by_key(|lines| lines.first);
    others
}

/// Reads each format again without the lines of the others' runs: what those print may say something to it.
fn without_neighbours<E>(
    found: Vec<Session>,
    options: &Options,
    replay: &mut impl FnMut(&mut Feed<'_>) -> Result<(), E>,
) -> Result<Vec<Session>, E> {
    let (mut taken, mut found): (Vec<Session>, Vec<Session>) =
        found.into_iter().partition(|session| session.fate == Fate::Taken);
    let mut formats: Vec<Format> = taken.iter().map(|session| session.report.format).collect();
    formats.dedup();
    let mut again = Vec::new();
    for format in formats {
        let others = runs_beside(format, &taken);
        let reports = if others.is_empty() {
            None
        } else {
            Some(read(format, &Options { others, ..options.clone() }, &mut *replay)?)
        };
        again.push((format, reports));
    }
    for (format, reports) in again {
        let (own, rest): (Vec<Session>, Vec<Session>) =
            taken.into_iter().partition(|session| session.report.format == format);
        taken = rest;
        let reports = reports.filter(|reports| {
            let begun = |report: &&Report| report.completeness != Completeness::Empty;
            reports.iter().filter(begun).count() == own.len()
        });
        match reports {
            Some(reports) => found.extend(reports.into_iter().map(Session::of)),
            None => found.extend(own),
        }
    }
    Ok(found)
}

struct Session {
    report: Report,
    lines: Lines,
    fate: Fate,
    /// Another format that reads these lines as well.
    rival: Option<Format>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Taken,
    /// Output of a test of the session at these lines.
    Within(Format, Lines),
    /// Another format reads these lines better.
    Weaker(Format),
}

impl Session {
    fn of(report: Report) -> Self {
        // What has no place is said of the output from its start.
        let lines = report.hull().unwrap_or(Lines::one(1));
        Self { report, lines, fate: Fate::Taken, rival: None }
    }

    fn is_complete(&self) -> bool {
        self.report.completeness == Completeness::Complete
    }

    /// Whether the other lies within one of the places where this runner spoke.
    fn encloses(&self, other: &Self) -> bool {
        let within = |span: &Lines| {
            span.first <= other.lines.first
                && other.lines.last <= span.last
                && (span.first, span.last) != (other.lines.first, other.lines.last)
        };
        self.report.spans.iter().any(within)
    }

    fn never_began(&self) -> bool {
        self.report.completeness == Completeness::Empty
    }

    /// Whether its lines are those of the other and more.
    fn holds(&self, other: &Self) -> bool {
        self.lines != other.lines
            && self.lines.first <= other.lines.first
            && other.lines.last <= self.lines.last
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.lines.first <= other.lines.last && other.lines.first <= self.lines.last
    }
}

/// Says of each session whether it is taken. Gives the first two that fit the same lines alike.
fn settle(found: &mut [Session]) -> Option<(Format, Format)> {
    let mut rivals = None;
    for at in 0..found.len() {
        let mut rival = None;
        for other in 0..found.len() {
            let (Some(one), Some(two)) = (found.get(at), found.get(other)) else { continue };
            if at == other || one.report.format == two.report.format || two.fate != Fate::Taken {
                continue;
            }
            let fate = if two.is_complete() && two.encloses(one) {
                Fate::Within(two.report.format, two.lines)
            } else if one.never_began() && two.never_began() && two.holds(one) {
                // Who makes more of the same words knows them better.
                Fate::Weaker(two.report.format)
            } else if two.is_complete() && !one.is_complete() && one.overlaps(two) && !one.encloses(two) {
                Fate::Weaker(two.report.format)
            } else if one.is_complete() == two.is_complete() && one.lines == two.lines {
                rivals = rivals.or(Some((two.report.format, one.report.format)));
                rival = rival.or(Some(two.report.format));
                continue;
            } else {
                continue;
            };
            if let Some(one) = found.get_mut(at) {
                one.fate = fate;
            }
            rival = None;
            break;
        }
        if let (Some(rival), Some(one)) = (rival, found.get_mut(at)) {
            one.rival = Some(rival);
        }
    }
    rivals
}

/// Says in the report around it that a session within was taken for output.
fn note_inner(found: &mut [Session]) {
    for at in 0..found.len() {
        let Some((word, lines, outer)) = found.get(at).and_then(|session| match session.fate {
            Fate::Within(_, outer) => Some((session.report.format.word(), session.lines, outer)),
            _ => None,
        }) else {
            continue;
        };
        let around = found.iter_mut().find(|session| session.fate == Fate::Taken && session.lines == outer);
        if let Some(session) = around {
            let message = format!("what reads like a session of {word} is output of a test here");
            session.report.note(NoteCode::ForeignSession, message, Some(lines));
        }
    }
}

/// Says in each of two reports that fit the same lines alike that there is another.
fn note_rivals(found: &mut [Session]) {
    for session in found {
        if let Some(rival) = session.rival {
            let message = format!("these lines read as {} alike", rival.word());
            session.report.note(NoteCode::AmbiguousSummary, message, Some(session.lines));
        }
    }
}

/// A candidate for each format, those taken first, the whole before the broken off.
fn candidates(found: &[Session]) -> Vec<Candidate> {
    let mut ranked: Vec<&Session> = found.iter().collect();
    ranked.sort_by_key(|session| (session.fate != Fate::Taken, !session.is_complete(), session.lines.first));
    let mut candidates: Vec<Candidate> = Vec::new();
    for session in ranked {
        let Lines { first, last } = session.lines;
        let end = if session.is_complete() { "its own end is there" } else { "its end is missing" };
        let why = match session.fate {
            Fate::Taken => match session.rival {
                None => format!("lines {first} to {last}, {end}"),
                Some(rival) => format!("lines {first} to {last}, {end}, as {} reads them too", rival.word()),
            },
            Fate::Within(outer, _) => {
                format!("lines {first} to {last} are output of a test of {}", outer.word())
            }
            Fate::Weaker(other) => format!("lines {first} to {last} are read better as {}", other.word()),
        };
        match candidates.iter_mut().find(|candidate| candidate.format == session.report.format) {
            Some(candidate) => {
                candidate.reason.push_str("; ");
                candidate.reason.push_str(&why);
            }
            None => candidates.push(Candidate {
                format: session.report.format,
                taken: session.fate == Fate::Taken,
                reason: why,
            }),
        }
    }
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stream;

    const PYTEST: &str = "\
============================= test session starts ==============================
platform linux -- Python 3.11.7, pytest-8.3.5, pluggy-1.5.0
collected 1 item

test_a.py .                                                              [100%]

============================== 1 passed in 0.01s ===============================
";

    /// `format first-last` for each session taken.
    #[track_caller]
    fn check(output: &str, sessions: &[&str]) -> Detected {
        let replay = |feed: &mut Feed<'_>| {
            feed.push(output.as_bytes(), Stream::Merged);
            Ok::<(), ()>(())
        };
        let found = detect(&Options::default(), replay).unwrap();
        let taken = found.sessions.iter().map(|report| {
            let lines = report.hull().unwrap();
            format!("{} {}-{}", report.format.word(), lines.first, lines.last)
        });
        assert_eq!(taken.collect::<Vec<_>>(), sessions);
        found
    }

    #[test]
    fn sessions_that_lie_apart_are_all_taken() {
        let found = check(&format!("{PYTEST}make: done\n1..1\nok 1 - adds\n"), &["pytest 1-7", "tap 9-10"]);
        assert_eq!(found.sessions[1].session_lines, Some(Lines::new(9, 10)));
        assert!(found.candidates.iter().all(|candidate| candidate.taken));
        let found = check(PYTEST, &["pytest 1-7"]);
        assert_eq!(found.sessions[0].session_lines, None);
    }

    #[test]
    fn what_a_test_printed_is_no_session() {
        let output = PYTEST.replace("test_a.py .", "1..1\nok 1 - printed\ntest_a.py .");
        let found = check(&output, &["pytest 1-9"]);
        let note = found.sessions[0].notes.last().unwrap();
        assert_eq!(note.code, NoteCode::ForeignSession);
        assert_eq!(note.lines, Some(Lines::new(5, 6)));
        assert_eq!(found.candidates[1].reason, "lines 5 to 6 are output of a test of pytest");
        assert!(!found.candidates[1].taken);
    }

    #[test]
    fn sessions_of_formats_that_nobody_named() {
        let check = |own: &[&str], output: &str, want: &[&str]| {
            let own: Vec<Format> = own.iter().map(|word| Format::find(word).unwrap()).collect();
            let replay = |feed: &mut Feed<'_>| {
                feed.push(output.as_bytes(), Stream::Merged);
                Ok::<(), ()>(())
            };
            let found = foreign(&own, &Options::default(), replay).unwrap();
            assert_eq!(found.iter().map(|it| it.format.word()).collect::<Vec<_>>(), want, "{own:?}");
        };
        let both = format!("{PYTEST}1..1\nok 1 - adds\n");
        check(&["tap"], &both, &["pytest"]);
        check(&["pytest"], &both, &["tap"]);
        check(&["pytest", "tap"], &both, &[]);
        check(&["generic"], &both, &["pytest", "tap"]);
        check(&["pytest"], &PYTEST.replace("test_a.py .", "1..1\nok 1 - printed\ntest_a.py ."), &[]);
        check(&["tap"], &PYTEST.replace("=== 1 passed in 0.01s ===", ""), &[]);
        check(&["pytest"], "nothing\n", &[]);
    }

    #[test]
    fn what_follows_a_run_that_broke_off_is_taken() {
        let broken: String = PYTEST.lines().take(4).map(|line| format!("{line}\n")).collect();
        let found = check(&format!("{broken}Killed\n1..1\nok 1 - adds\n"), &["pytest 1-5", "tap 6-7"]);
        assert_eq!(found.sessions[0].completeness, Completeness::Truncated);
    }

    #[test]
    fn two_that_fit_alike_say_so() {
        let session = |word: &str| {
            let mut report = Report::empty(Format::find(word).unwrap());
            report.completeness = Completeness::Complete;
            report.spans.push(Lines::new(3, 9));
            Session::of(report)
        };
        let mut found = [session("tap"), session("unittest")];
        let rivals = settle(&mut found).unwrap();
        assert_eq!([rivals.0, rivals.1].map(Format::word), ["unittest", "tap"]);
        note_rivals(&mut found);
        for (session, rival) in found.iter().zip(["unittest", "tap"]) {
            let note = session.report.notes.last().unwrap();
            assert_eq!((note.code, note.lines), (NoteCode::AmbiguousSummary, Some(Lines::new(3, 9))));
            assert_eq!(note.message, format!("these lines read as {rival} alike"));
        }
        let reasons = candidates(&found).into_iter().map(|candidate| candidate.reason);
        assert_eq!(
            reasons.collect::<Vec<_>>(),
            [
                "lines 3 to 9, its own end is there, as unittest reads them too",
                "lines 3 to 9, its own end is there, as tap reads them too",
            ]
        );
    }

    #[test]
    fn what_never_began_is_told_by_what_it_says() {
        let said = "Error: Jest: Got error running globalSetup - /w/setup.js, reason: no database\n    \
             at module.exports (/w/setup.js:2:9)\n    at /w/node_modules/@jest/core/build/index.js:3190:17\n";
        let found = check(said, &["jest 1-3"]);
        assert_eq!(found.candidates[1].reason, "lines 1 to 1 are read better as jest");
        let found = check("/w/A.cs(3,5): error CS1002: ; expected [/w/A.csproj]\n", &["dotnet 1-1"]);
        assert_eq!(found.sessions[0].completeness, Completeness::Empty);
    }

    #[test]
    fn nothing_is_nothing() {
        check("", &[]);
        check("all is well\n", &[]);
    }
}

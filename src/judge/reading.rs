//! What red and green ask alike of a report: that it is whole, what broke outside any case, what it notes.

use std::collections::{BTreeSet, HashSet};

use redgreen_parsers::{Case, Completeness, Failure, Kind, Lines, NoteCode, Report, Status};

use super::findings::Findings;
use super::naming::Naming;
use super::run::{Expectations, Run};
use super::{Code, Note, Problem, say};
use crate::plan::{Flaky, Phase, Sessions};

/// The code of a problem in a report, and of a failure that red never accepts.
///
/// Outside any case there is no test whose assertion could have said no, so an assertion there, an exception and
/// what nobody explains are all the same to a judge.
pub(super) const fn code_of(kind: Kind) -> Code {
    match kind {
        Kind::Setup => Code::SetupFailure,
        Kind::Teardown => Code::TeardownFailure,
        Kind::Import => Code::ImportFailure,
        Kind::Syntax => Code::SyntaxFailure,
        Kind::Compile => Code::CompileFailure,
        Kind::Collection => Code::CollectionFailure,
        Kind::Startup => Code::StartupFailure,
        Kind::Timeout => Code::TimeoutFailure,
        Kind::Crash => Code::CrashFailure,
        Kind::Interrupted => Code::Interrupted,
        Kind::Assertion | Kind::Exception | Kind::Unknown => Code::OtherFailure,
    }
}

/// A kind in a sentence: "… failed `in_words`".
pub(super) const fn in_words(kind: Kind) -> &'static str {
    match kind {
        Kind::Assertion => "on an assertion",
        Kind::Exception => "on an exception",
        Kind::Setup => "in its set-up",
        Kind::Teardown => "in its teardown",
        Kind::Import => "on an import",
        Kind::Syntax => "on its syntax",
        Kind::Compile => "to compile",
        Kind::Collection => "while tests were gathered",
        Kind::Startup => "to start",
        Kind::Timeout => "by running out of time",
        Kind::Crash => "by a crash",
        Kind::Unknown => "without saying why",
        Kind::Interrupted => "because it was broken off",
    }
}

/// How a sentence about this kind ends in red. The first test of what isn't there yet is the commonest dead end.
pub(super) const fn way_out_of_red(kind: Kind) -> &'static str {
    match kind {
        Kind::Import => "; if it isn't there yet, add a stub that imports and returns a wrong value",
        Kind::Compile => "; if it isn't there yet, add a stub that compiles and returns a wrong value",
        Kind::Exception => "; a stub that returns a wrong value lets the assertion say no",
        _ => "",
    }
}

/// The runner's own end is there.
pub(super) fn whole(report: &Report, found: &mut Findings) {
    let word = report.format.word();
    match report.completeness {
        Completeness::Complete => {}
        Completeness::Truncated => {
            let hint = report.notes.iter().find(|note| note.code == NoteCode::NoEnd);
            found.reject(Code::ReportTruncated, || {
                let hint = hint.map(|note| format!("; {}", note.message)).unwrap_or_default();
                Problem::new(Code::ReportTruncated, format!("the end of the {word} run is missing{hint}"))
                    .at(report.session_lines)
            });
        }
        Completeness::Empty => found.reject(Code::ReportEmpty, || {
            Problem::new(
                Code::ReportEmpty,
                format!("nothing in the output is {word}'s; is it the right parser?"),
            )
        }),
    }
}

/// Nothing broke outside any case.
pub(super) fn nothing_broke_outside(report: &Report, phase: Phase, found: &mut Findings) {
    for problem in &report.problems {
        let code = code_of(problem.kind);
        found.reject(code, || {
            let subject = problem.subject.as_deref().map_or_else(|| "the run".to_owned(), say::quote);
            let said = say::in_brackets(problem.error.as_deref(), problem.message.as_deref());
            let what = match problem.kind {
                Kind::Interrupted => format!("{subject} was broken off{said}"),
                kind => format!("{subject} failed {}, outside any test{said}", in_words(kind)),
            };
            let way_out = if phase == Phase::Red { way_out_of_red(problem.kind) } else { "" };
            Problem::new(code, format!("{what}{way_out}")).at(problem.lines)
        });
    }
}

/// Carries over the notes of a report. Some are reasons to reject. `vouched`: a witness stands beside it.
pub(super) fn notes(
    report: &Report,
    phase: Phase,
    expected: &Expectations<'_>,
    vouched: bool,
    found: &mut Findings,
) {
    // Which of these reject is judged by itself.
    for note in report.notes.iter().filter(|note| note.code != NoteCode::NoAssertions) {
        let code = note_code(note.code);
        let said = || Problem::new(code, note.message.clone()).at(note.lines);
        // What stood on the wrong stream may be a test's own print; without a witness nothing vouches for it.
        let vouched = vouched && note.code == NoteCode::StreamUnexpected;
        if !vouched && rejects(note.code, phase, expected.flaky) {
            found.reject(code, said);
        } else {
            found.note(code, said);
        }
    }
}

/// Which notes of a report are contradictions that this phase doesn't accept.
fn rejects(note: NoteCode, phase: Phase, flaky: Flaky) -> bool {
    match note {
        // The plan of a run says how many tests there are to be: with another number nobody knows what was left out.
        NoteCode::PlanMismatch => true,
        NoteCode::TotalsMismatch
        | NoteCode::AmbiguousSummary
        | NoteCode::ContradictoryResult
        | NoteCode::StreamUnexpected => phase == Phase::Green,
        NoteCode::Flaky => phase == Phase::Green && flaky == Flaky::Reject,
        _ => false,
    }
}

const fn note_code(note: NoteCode) -> Code {
    match note {
        NoteCode::AmbiguousSummary => Code::AmbiguousSummary,
        NoteCode::ContradictoryResult => Code::ContradictoryResult,
        NoteCode::Flaky => Code::Flaky,
        NoteCode::ForeignSession => Code::ForeignSession,
        NoteCode::HeadMissing => Code::HeadMissing,
        NoteCode::InputRepaired => Code::InputRepaired,
        NoteCode::LeftOut => Code::LeftOut,
        NoteCode::NamelessCase => Code::NamelessCase,
        NoteCode::NamesHidden => Code::NamesHidden,
        NoteCode::NoAssertions => Code::NoAssertions,
        NoteCode::NoEnd => Code::NoEnd,
        NoteCode::PatternBoth => Code::PatternBoth,
        NoteCode::PatternNone => Code::PatternNone,
        NoteCode::PlanMismatch => Code::PlanMismatch,
        NoteCode::RepeatedName => Code::RepeatedName,
        NoteCode::StoppedEarly => Code::StoppedEarly,
        NoteCode::StreamUnexpected => Code::StreamUnexpected,
        NoteCode::TodoPassed => Code::TodoPassed,
        NoteCode::TotalsMismatch => Code::TotalsMismatch,
    }
}

/// More sessions than one, where the format's don't add up and the check doesn't say that they do.
pub(super) fn sessions(reports: &[Report], phase: Phase, expected: &Expectations<'_>, found: &mut Findings) {
    let Some((first, second)) = reports.first().zip(reports.get(1)) else {
        return;
    };
    if expected.sessions == Sessions::Many || Naming::of(first.format.word()).sessions_add_up {
        return;
    }
    let say = || -> Note {
        let message = format!(
            "the output holds {} sessions of {}; if that is meant, say `sessions = \"many\"`",
            reports.len(),
            first.format.word()
        );
        Problem::new(Code::SecondSession, message).at(second.session_lines)
    };
    match phase {
        Phase::Red => found.note(Code::SecondSession, say),
        Phase::Green => found.reject(Code::SecondSession, say),
    }
}

/// Sessions of formats that nobody named: worth knowing, and no green when they failed.
pub(super) fn foreign(run: &Run<'_>, phase: Phase, found: &mut Findings) {
    // The console beside the files of a structured report is another voice of the same run.
    let console_is_second =
        !run.readings.is_empty() && run.readings.iter().all(|it| it.format.is_structured());
    for report in run.foreign {
        let failed = has_failed(report);
        if console_is_second && !failed {
            continue;
        }
        let say = || {
            let how = if failed { ", and it failed" } else { "" };
            let word = report.format.word();
            let message = format!("the output holds a session of {word}, which `parser` doesn't name{how}");
            Problem::new(Code::ForeignSession, message).at(report.session_lines)
        };
        if failed && phase == Phase::Green {
            found.reject(Code::ForeignSession, say);
        } else {
            found.note(Code::ForeignSession, say);
        }
    }
}

fn has_failed(report: &Report) -> bool {
    let bad = |case: Case<'_>| matches!(case.status(), Status::Failed | Status::Errored);
    let counted = |total: Option<u64>| total.is_some_and(|count| count > 0);
    !report.problems.is_empty()
        || counted(report.totals.failed)
        || counted(report.totals.errored)
        || report.cases.iter().any(bad)
}

/// A non-zero exit code that nothing in the output explains, such as a coverage threshold.
pub(super) fn unexplained_exit(run: &Run<'_>, found: &mut Findings) {
    let Some(code) = run.ended.and_then(|ended| ended.exit_code()).filter(|code| *code != 0) else {
        return;
    };
    let mut reports = run.readings.iter().flat_map(|reading| &reading.reports).chain(run.foreign);
    let explains = |report: &Report| {
        report.completeness != Completeness::Complete
            || has_failed(report)
            || report.cases.iter().any(|case| case.status() == Status::Xpassed)
            || report.notes.iter().any(|note| note.code == NoteCode::PlanMismatch)
    };
    if !reports.any(explains) {
        found.note(Code::ExitUnexplained, || {
            let message = format!("the command exited with {code}, and nothing that it printed says why");
            Note::new(Code::ExitUnexplained, message)
        });
    }
}

/// The cases of which the runner itself says that they failed and then passed.
///
/// A note names the case in backticks, or stands at its lines.
#[derive(Debug, Default)]
pub(super) struct FlakyCases<'a> {
    names: HashSet<(usize, &'a str)>,
    lines: BTreeSet<(usize, Lines)>,
}

impl<'a> FlakyCases<'a> {
    /// Those of these reports.
    pub(super) fn of(reports: &[&'a Report]) -> Self {
        let mut flaky = Self::default();
        for (place, report) in reports.iter().enumerate() {
            for note in report.notes.iter().filter(|note| note.code == NoteCode::Flaky) {
                flaky.lines.extend(note.lines.map(|lines| (place, lines)));
                flaky.names.extend(note.message.split('`').skip(1).step_by(2).map(|name| (place, name)));
            }
        }
        flaky
    }

    /// Whether a case of the report at this place is one of them.
    pub(super) fn has(&self, place: usize, case: &Case<'_>) -> bool {
        self.names.contains(&(place, case.id())) || self.lines.contains(&(place, case.lines()))
    }
}

/// The failure that says best why a case did not pass: never an assertion when something else is there.
pub(super) fn worst<'c>(case: &Case<'c>) -> Option<&'c Failure> {
    let failures = case.failures();
    failures.iter().find(|failure| failure.kind != Kind::Assertion).or(failures.first())
}

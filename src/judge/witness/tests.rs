use redgreen_parsers::{Failure, Kind, Lines, NewCase, NoteCode, Report, Status, Totals};

use super::*;
use crate::judge::{Expectations, green, red};
use crate::plan::{Identities, Phase};

fn format(word: &str) -> Format {
    Format::find(word).unwrap()
}

/// A complete report of unittest, each case as `name status kind…`.
fn report(cases: &[&str]) -> Report {
    let mut report = Report { completeness: Completeness::Complete, ..Report::empty(format("unittest")) };
    for (at, case) in cases.iter().enumerate() {
        let mut words = case.split(' ');
        let id = format!("m.C.{}", words.next().unwrap());
        let status = words.next().unwrap();
        let status = Status::ALL.into_iter().find(|known| known.word() == status).unwrap();
        let lines = Lines::one(u32::try_from(at).unwrap() + 1);
        let new = NewCase { id: &id, name_len: id.len() - 4, status, lines };
        let key = report.cases.push(new, |_| vec!["m".to_owned(), "C".to_owned()]);
        for word in words {
            let kinds = [Kind::Assertion, Kind::Exception, Kind::Unknown, Kind::Setup];
            let kind = kinds.into_iter().find(|kind| kind.word() == word).unwrap();
            let failure = Failure { kind, error: None, message: None, file: None, line: None, lines };
            report.cases.add_failure(key, failure);
        }
    }
    report
}

fn found(found: WitnessFound) -> WitnessFacts {
    WitnessFacts { kind: Some("unittest-recorder".to_owned()), arguments: Vec::new(), sha256: None, found }
}

fn says(mut report: Report) -> WitnessFacts {
    redgreen_parsers::witness::forget_lines(&mut report);
    found(WitnessFound::Reports { console: format("unittest"), reports: vec![report] })
}

fn ended(phase: Phase) -> Ended {
    Ended::Exit(i32::from(phase == Phase::Red))
}

fn judge(phase: Phase, console: Report, witness: &WitnessFacts, identities: &[&str]) -> Verdict {
    let names = identities.iter().map(|name| (*name).to_owned()).collect();
    let identities = if identities.is_empty() { Identities::Any } else { Identities::Named(names) };
    let readings = [Reading { format: console.format, reports: vec![console] }];
    let ended = ended(phase);
    let run = Run { ended: Some(&ended), readings: &readings, foreign: &[], witness: Some(witness) };
    let expected = Expectations { identities, ..Expectations::default() };
    match phase {
        Phase::Red => red(&run, &expected),
        Phase::Green => green(&run, &expected),
    }
}

/// Judges a run and compares the codes of its problems and notes.
#[track_caller]
fn check(
    phase: Phase,
    console: Report,
    witness: WitnessFacts,
    identities: &[&str],
    problems: &[&str],
    notes: &[&str],
) -> Verdict {
    let verdict = judge(phase, console, &witness, identities);
    let words = |list: &[Problem]| list.iter().map(|problem| problem.code.word()).collect::<Vec<_>>();
    assert_eq!(words(&verdict.problems), problems, "{:#?}", verdict.problems);
    assert_eq!(words(&verdict.notes), notes, "{:#?}", verdict.notes);
    verdict
}

/// A console that names no test that passed.
fn quiet(mut report: Report) -> Report {
    report.note(NoteCode::NamesHidden, "-v names all", None);
    report
}

#[test]
fn a_witness_that_says_the_same_adds_nothing() {
    check(Phase::Green, report(&["t passed"]), says(report(&["t passed"])), &["t"], &[], &[]);
    let both = || report(&["t failed assertion", "u passed"]);
    check(Phase::Red, both(), says(both()), &["t"], &[], &[]);
}

#[test]
fn a_witness_that_is_not_there_rejects() {
    for (phase, case) in [(Phase::Green, "t passed"), (Phase::Red, "t failed assertion")] {
        let missing = found(WitnessFound::Missing);
        check(phase, report(&[case]), missing, &["t"], &["witness-missing"], &[]);
        let truncated = || Report { completeness: Completeness::Truncated, ..report(&[case]) };
        check(phase, report(&[case]), says(truncated()), &["t"], &["witness-truncated"], &[]);
        let empty = says(Report::empty(format("unittest")));
        check(phase, report(&[case]), empty, &["t"], &["witness-truncated"], &[]);
        let not_asked = WitnessFacts::not_asked(None, "why");
        check(phase, report(&[case]), not_asked, &["t"], &[], &["witness-not-asked"]);
    }
}

#[test]
fn a_run_that_was_cut_off_is_not_blamed_for_its_witness() {
    let readings = [Reading { format: format("unittest"), reports: vec![report(&["t passed"])] }];
    let missing = found(WitnessFound::Missing);
    let run =
        Run { ended: Some(&Ended::Timeout), readings: &readings, foreign: &[], witness: Some(&missing) };
    let problems = green(&run, &Expectations::default()).problems;
    assert_eq!(problems.iter().map(|it| it.code).collect::<Vec<_>>(), [Code::TimedOut]);
}

#[test]
fn green_needs_the_same_numbers_and_the_same_of_each_name() {
    let differs = |console: Report, witness: Report| {
        check(Phase::Green, console, says(witness), &[], &["witness-disagrees"], &[]);
    };
    differs(report(&["t passed"]), report(&["t passed", "u passed"]));
    differs(report(&["t passed", "u passed"]), report(&["t passed"]));
    let both = check(
        Phase::Green,
        report(&["t passed"]),
        says(report(&["t failed assertion"])),
        &[],
        &["witness-disagrees"; 3],
        &[],
    );
    assert_eq!(
        both.problems[0].message,
        "the console says that `m.C.t` is passed, the structured report failed"
    );
    // A name that one of them alone has says nothing, as long as the numbers are the same.
    check(Phase::Green, report(&["t passed"]), says(report(&["u passed"])), &[], &[], &[]);
}

trait WithTotals {
    fn with_failed(self, failed: u64) -> Self;
}

impl WithTotals for Report {
    fn with_failed(mut self, failed: u64) -> Self {
        self.totals = Totals { failed: Some(failed), ..self.totals };
        self
    }
}

#[test]
fn a_witness_names_what_a_quiet_console_hides() {
    let console = || quiet(report(&[]));
    let witness = || says(report(&["t passed", "u passed"]));
    check(Phase::Green, console(), witness(), &["t"], &[], &["names-hidden"]);
    check(Phase::Green, console(), witness(), &["v"], &["identity-not-named"], &["names-hidden"]);
    let skipped = || says(report(&["t skipped", "u passed"]));
    check(Phase::Green, console(), skipped(), &["u"], &["witness-disagrees"], &["names-hidden"]);
}

#[test]
fn a_witness_says_why_where_the_console_does_not() {
    let console = || report(&["t failed unknown"]);
    check(Phase::Red, console(), says(report(&["t failed assertion"])), &["t"], &[], &[]);
    check(Phase::Red, console(), says(report(&["t failed assertion"])), &[], &[], &[]);
    let raised = judge(Phase::Red, console(), &says(report(&["t failed exception"])), &["t"]);
    assert!(raised.problems.iter().any(|it| it.code == Code::IdentityRaised), "{raised:#?}");
    let setup = judge(Phase::Red, console(), &says(report(&["t failed setup"])), &["t"]);
    assert!(setup.problems.iter().any(|it| it.code == Code::SetupFailure), "{setup:#?}");
    // What the console says itself stays.
    check(Phase::Red, report(&["t failed assertion"]), says(report(&["t failed unknown"])), &["t"], &[], &[]);
}

#[test]
fn a_failure_that_is_counted_and_not_named_is_the_witness_s_to_name() {
    let counted = || report(&[]).with_failed(1);
    check(Phase::Red, counted(), says(report(&["t failed assertion"])), &["t"], &[], &[]);
    let other = judge(Phase::Red, counted(), &says(report(&["t failed assertion"])), &["u"]);
    assert_eq!(other.problems[0].code, Code::IdentityMissing);
    // What it names alone stands on no line.
    let raised = judge(Phase::Red, counted(), &says(report(&["t failed exception"])), &["t"]);
    assert!(raised.problems.iter().all(|problem| problem.lines.is_none()), "{raised:#?}");
}

#[test]
fn red_needs_each_expected_test_to_have_failed_in_the_witness() {
    let console = || report(&["t failed assertion", "u passed"]);
    let disagrees = &["witness-disagrees"];
    check(Phase::Red, console(), says(report(&["t passed", "u passed"])), &["t"], disagrees, &[]);
    check(Phase::Red, console(), says(report(&["u passed"])), &["t"], disagrees, &[]);
    // What nobody expects may differ.
    check(Phase::Red, console(), says(report(&["t failed assertion"])), &["t"], &[], &[]);
}

#[test]
fn a_console_that_says_nothing_has_its_witness_speak() {
    let nothing = || Report::empty(format("unittest"));
    check(Phase::Green, nothing(), says(report(&["t passed"])), &["t"], &[], &["console-unread"]);
    check(Phase::Green, nothing(), says(report(&[])), &[], &["no-test-passed"], &["console-unread"]);
    let failed = judge(Phase::Green, nothing(), &says(report(&["t failed assertion", "u passed"])), &[]);
    assert_eq!(failed.problems[0].code, Code::CaseFailed);
    check(
        Phase::Green,
        nothing(),
        WitnessFacts::not_asked(None, "x"),
        &[],
        &["report-empty", "no-test-passed"],
        &["witness-not-asked"],
    );
}

#[test]
fn a_report_on_the_wrong_stream_needs_a_witness() {
    let mut console = report(&["t passed"]);
    console.note(NoteCode::StreamUnexpected, "on the other stream", None);
    let code = &["stream-unexpected"];
    check(Phase::Green, console.clone(), says(report(&["t passed"])), &["t"], &[], code);
    let alone = judge(Phase::Green, console, &WitnessFacts::not_asked(None, "x"), &["t"]);
    assert_eq!(alone.problems[0].code, Code::StreamUnexpected);
}

#[test]
fn the_standing_is_that_of_the_verdict() {
    let standing = |witness: WitnessFacts, console| {
        let verdict = judge(Phase::Green, console, &witness, &[]);
        witness_standing(&witness, &verdict)
    };
    let passed = || report(&["t passed"]);
    assert_eq!(standing(says(passed()), passed()), WitnessStanding::Agrees);
    assert!(matches!(standing(says(report(&[])), passed()), WitnessStanding::Disagrees(_)));
    assert!(matches!(standing(found(WitnessFound::Missing), passed()), WitnessStanding::Missing(_)));
    let cut = says(Report { completeness: Completeness::Truncated, ..passed() });
    assert!(matches!(standing(cut, passed()), WitnessStanding::Truncated(_)));
    let why = WitnessStanding::NotAsked("why".to_owned());
    assert_eq!(standing(WitnessFacts::not_asked(None, "why"), passed()), why);
}

#[test]
fn hidden_cases_are_those_that_the_console_does_not_name() {
    let hidden = |console: Report, witness: Report| -> Vec<String> {
        let readings = [Reading { format: console.format, reports: vec![console] }];
        let (ended, witness) = (ended(Phase::Red), says(witness));
        let run = Run { ended: Some(&ended), readings: &readings, foreign: &[], witness: Some(&witness) };
        let reports = hidden_cases(&run);
        reports.iter().flat_map(|report| report.cases.iter()).map(|case| case.id().to_owned()).collect()
    };
    let both = || report(&["t failed assertion", "u passed"]);
    assert_eq!(hidden(both(), both()), [""; 0]);
    assert_eq!(hidden(quiet(report(&["t failed assertion"])), both()), ["m.C.u"]);
    assert_eq!(hidden(report(&[]).with_failed(1), both()), ["m.C.t"]);
}

#[test]
fn names_are_spelled_as_the_witness_does() {
    let check = |console, witness, id, wanted: &str| assert_eq!(spelled(console, witness, id), wanted);
    check("pytest", "junit", "tests/test_a.py::TestX::test_y[a/b::c]", "tests.test_a.TestX.test_y[a/b::c]");
    check("pytest", "junit", "test_a.py::test_y", "test_a.test_y");
    check("pytest", "junit", "docs/a.txt::a.txt", "docs.a.txt.a.txt");
    check("pytest", "pytest", "a.py::b", "a.py::b");
    check("unittest", "unittest", "a.B.c", "a.B.c");
}

#[test]
fn a_class_that_the_console_leaves_out_is_the_witness_s_to_tell() {
    let report = |word: &str, ids: &[&str], status| {
        let mut report = Report { completeness: Completeness::Complete, ..Report::empty(format(word)) };
        for id in ids {
            let name_len = id.len() - id.rfind('.').map_or(0, |at| at + 1);
            let new = NewCase { id, name_len, status, lines: Lines::one(1) };
            let dotted = |path: &str| path.trim_end_matches('.').split('.').map(str::to_owned).collect();
            let key = report.cases.push(new, dotted);
            if status == Status::Failed {
                let kind = Kind::Assertion;
                let failure =
                    Failure { kind, error: None, message: None, file: None, line: None, lines: new.lines };
                report.cases.add_failure(key, failure);
            }
        }
        report
    };
    for (phase, status) in [(Phase::Green, Status::Passed), (Phase::Red, Status::Failed)] {
        let trx = report("trx", &["Ns.X.Adds", "Ns.Y.Adds"], status);
        let facts = found(WitnessFound::Reports { console: format("dotnet"), reports: vec![trx] });
        let console = || report("dotnet", &["Adds", "Adds"], status);
        check(phase, console(), facts.clone(), &["X.Adds"], &[], &[]);
        let unheard = judge(phase, console(), &facts, &["Z.Adds"]);
        assert!(!unheard.accepted());
        let alone = judge(phase, console(), &WitnessFacts::not_asked(None, "x"), &["X.Adds"]);
        assert!(!alone.accepted(), "nobody can tell which of them it is");
    }
}

#[test]
fn tries_of_a_test_are_one_where_the_runner_names_each_once() {
    let report = |word: &str, ids: &[&str]| {
        let mut report = Report { completeness: Completeness::Complete, ..Report::empty(format(word)) };
        for id in ids {
            let new = NewCase { id, name_len: 1, status: Status::Passed, lines: Lines::one(1) };
            report.cases.push(new, |path| vec![path.trim_end_matches(['.', ':']).to_owned()]);
        }
        report
    };
    let beside = |console: Report, witness: Report| {
        let (of, reports) = (console.format, vec![witness]);
        let facts = found(WitnessFound::Reports { console: of, reports });
        judge(Phase::Green, console, &facts, &[]).accepted()
    };
    let pytest = || report("pytest", &["a.py::t", "a.py::u"]);
    assert!(beside(pytest(), report("junit", &["a.t", "a.u", "a.t"])));
    assert!(!beside(pytest(), report("junit", &["a.t", "a.t"])));
    let unittest = || report("unittest", &["a.t", "a.t"]);
    assert!(beside(unittest(), unittest()));
    assert!(!beside(unittest(), report("unittest", &["a.t"])));
}

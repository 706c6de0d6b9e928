use super::*;

const TEST: &str = "tests/test_a.py::test_y";

/// Judges one report as red, with exit code 1.
#[track_caller]
fn check(report: Report, expected: &Expectations<'_>, problems: &[&str], notes: &[&str]) -> Verdict {
    check_run(Phase::Red, Some(Ended::Exit(1)), vec![report], expected, problems, notes)
}

fn any() -> Expectations<'static> {
    Expectations::default()
}

fn good() -> Report {
    report("pytest").fails(TEST, Kind::Assertion).passes("tests/test_a.py::test_z")
}

#[track_caller]
fn check_ended(ended: Option<Ended>, problems: &[&str]) {
    check_run(Phase::Red, ended, vec![good()], &any(), problems, &[]);
}

#[test]
fn the_run_ends_by_itself_and_not_with_0() {
    check_ended(Some(Ended::Exit(1)), &[]);
    check_ended(Some(Ended::Exit(-1)), &[]);
    check_ended(Some(Ended::Exit(0)), &["exit-zero"]);
    check_ended(None, &["exit-unknown"]);
    check_ended(Some(Ended::Signal(11)), &["ended-by-signal"]);
    check_ended(Some(Ended::Timeout), &["timed-out"]);
    check_ended(Some(Ended::Inactivity), &["inactive"]);
    check_ended(Some(Ended::Cancelled(2)), &["cancelled"]);
    check_ended(Some(Ended::OutputLimit), &["output-limit"]);
}

#[test]
fn what_never_started_has_one_reason() {
    let ended = Some(Ended::NotStarted("no program `pytset`".to_owned()));
    let empty = Report::empty(Format::find("pytest").unwrap());
    check_run(Phase::Red, ended, vec![empty], &any(), &["startup-failure"], &[]);
}

#[test]
fn the_report_is_whole() {
    let cut = good().with(|report| report.completeness = Completeness::Truncated);
    let verdict =
        check(cut.noted(NoteCode::NoEnd, "leave `-qq` out"), &any(), &["report-truncated"], &["no-end"]);
    assert_eq!(verdict.problems[0].message, "the end of the pytest run is missing; leave `-qq` out");
    let empty = Report::empty(Format::find("pytest").unwrap());
    check(empty, &any(), &["no-assertion-failure", "report-empty"], &[]);
    check(good().noted(NoteCode::PlanMismatch, "1..3, 2 seen"), &any(), &["plan-mismatch"], &[]);
    check(good().noted(NoteCode::StoppedEarly, "-x"), &any(), &[], &["stopped-early"]);
    check(good().noted(NoteCode::TotalsMismatch, "2, 1"), &any(), &[], &["totals-mismatch"]);
    check(good().noted(NoteCode::AmbiguousSummary, "two"), &any(), &[], &["ambiguous-summary"]);
}

#[test]
fn an_assertion_failed() {
    check(good(), &any(), &[], &[]);
    check(report("pytest").passes(TEST), &any(), &["no-assertion-failure"], &["exit-unexplained"]);
    let raised = report("pytest").fails(TEST, Kind::Exception);
    check(raised, &any(), &["no-assertion-failure", "other-failure"], &[]);
    let quiet = report("pytest").with(|report| report.totals.failed = Some(1));
    check(quiet, &any(), &["no-assertion-failure"], &[]);
    let errored = report("pytest").case(TEST, Status::Errored, &[Kind::Assertion]);
    check(errored, &any(), &["case-errored", "no-assertion-failure"], &[]);
    let expected = report("pytest").case(TEST, Status::Xfailed, &[Kind::Assertion]);
    check(expected, &any(), &["no-assertion-failure"], &["exit-unexplained"]);
}

#[test]
fn nothing_broke_outside_any_case() {
    for (kind, code) in [
        (Kind::Setup, "setup-failure"),
        (Kind::Teardown, "teardown-failure"),
        (Kind::Import, "import-failure"),
        (Kind::Syntax, "syntax-failure"),
        (Kind::Compile, "compile-failure"),
        (Kind::Collection, "collection-failure"),
        (Kind::Startup, "startup-failure"),
        (Kind::Timeout, "timeout-failure"),
        (Kind::Crash, "crash-failure"),
        (Kind::Interrupted, "interrupted"),
        (Kind::Exception, "other-failure"),
        (Kind::Unknown, "other-failure"),
        (Kind::Assertion, "other-failure"),
    ] {
        let verdict = check(good().broke(kind), &named(&["test_y"]), &[code], &[]);
        assert_eq!(verdict.problems[0].lines, Some(Lines::one(3)));
    }
}

#[test]
fn no_case_broke_before_it_could_say_anything() {
    for (kind, code) in [
        (Kind::Setup, "setup-failure"),
        (Kind::Teardown, "teardown-failure"),
        (Kind::Import, "import-failure"),
        (Kind::Syntax, "syntax-failure"),
        (Kind::Compile, "compile-failure"),
        (Kind::Collection, "collection-failure"),
        (Kind::Startup, "startup-failure"),
        (Kind::Timeout, "timeout-failure"),
        (Kind::Crash, "crash-failure"),
    ] {
        check(good().fails("tests/test_b.py::test_q", kind), &named(&["test_y"]), &[code], &[]);
        check(good().fails("tests/test_b.py::test_q", kind), &any(), &[code], &[]);
        let expected = good().case("tests/test_b.py::test_q", Status::Xfailed, &[kind]);
        check(expected, &any(), &[], &[]);
        let both = report("pytest").case(TEST, Status::Failed, &[Kind::Assertion, kind]);
        check(both, &named(&["test_y"]), &[code], &[]);
    }
}

#[test]
fn the_runner_calls_no_case_an_error() {
    let errored = |kind| good().case("tests/test_b.py::test_q", Status::Errored, &[kind]);
    check(errored(Kind::Exception), &named(&["test_y"]), &["case-errored"], &[]);
    check(errored(Kind::Setup), &named(&["test_y"]), &["case-errored", "setup-failure"], &[]);
    let unexplained = good().case("tests/test_b.py::test_q", Status::Errored, &[Kind::Unknown]);
    check(unexplained, &named(&["test_q"]), &["case-errored", "identity-unexplained"], &[]);
    let counted = good().with(|report| report.totals.errored = Some(2));
    check(counted.clone(), &named(&["test_y"]), &["case-errored"], &[]);
    check(counted.broke(Kind::Import), &named(&["test_y"]), &["import-failure"], &[]);
    check(good().with(|report| report.totals.errored = Some(0)), &named(&["test_y"]), &[], &[]);
}

#[test]
fn an_identity_names_a_case_that_failed_on_an_assertion() {
    check(good(), &named(&["test_y"]), &[], &[]);
    check(good(), &named(&["test_y", "test_nope"]), &["identity-missing"], &[]);
    check(good(), &named(&["test_z"]), &["identity-passed"], &[]);
    let verdict = check(
        good().fails("tests/test_a.py::test_q", Kind::Exception),
        &named(&["test_q"]),
        &["identity-raised"],
        &[],
    );
    assert_eq!(
        verdict.problems[0].message,
        "`tests/test_a.py::test_q` failed on an exception (SomeError: it said so), not on an assertion; a stub that returns a wrong value lets the assertion say no"
    );
    assert_eq!(verdict.problems[0].lines, Some(Lines::new(12, 17)));
    check(
        good().fails("tests/test_a.py::test_q", Kind::Unknown),
        &named(&["test_q"]),
        &["identity-unexplained"],
        &[],
    );
    for status in [Status::Skipped, Status::Todo, Status::Xfailed] {
        check(
            good().case("tests/test_a.py::test_q", status, &[]),
            &named(&["test_q"]),
            &["identity-skipped"],
            &[],
        );
    }
    check(
        good().case("tests/test_a.py::test_q", Status::Xpassed, &[]),
        &named(&["test_q"]),
        &["identity-passed"],
        &[],
    );
}

#[test]
fn all_cases_of_an_identity_count() {
    let params = || report("pytest").fails("tests/test_a.py::test_y[p0]", Kind::Assertion);
    let verdict = check(
        params().passes("tests/test_a.py::test_y[p1]"),
        &named(&["test_y"]),
        &[],
        &["identity-also-passes"],
    );
    assert!(verdict.notes[0].message.contains("`tests/test_a.py::test_y[p1]`"));
    check(params().passes("tests/test_a.py::test_y[p1]"), &named(&["test_y[p0]"]), &[], &[]);
    check(
        params().fails("tests/test_a.py::test_y[p1]", Kind::Exception),
        &named(&["test_y"]),
        &["identity-raised"],
        &[],
    );
    check(
        params().case("tests/test_a.py::test_y[p1]", Status::Skipped, &[]),
        &named(&["test_y"]),
        &["identity-skipped"],
        &[],
    );
}

#[test]
fn an_identity_is_not_flaky() {
    let flaky = || report("pytest").fails("t.py::test_q", Kind::Assertion).passes(TEST);
    let message = "`tests/test_a.py::test_y` failed once and passed when it ran again";
    check(flaky().noted(NoteCode::Flaky, message), &named(&["test_y"]), &["identity-flaky"], &["flaky"]);
    check(flaky().noted(NoteCode::Flaky, message), &named(&["test_q"]), &[], &["flaky"]);
}

#[test]
fn parents_of_failed_tests_are_passed_over() {
    let parent = report("unittest").case("m.C.test_y", Status::Failed, &[]);
    let child = parent.clone().case("m.C.test_y (i=1)", Status::Failed, &[Kind::Assertion]);
    check(child.clone(), &named(&["test_y"]), &[], &[]);
    check(child, &any(), &[], &[]);
    check(parent, &named(&["test_y"]), &["identity-unexplained", "no-assertion-failure"], &[]);
    let tap = report("tap")
        .case("parses", Status::Failed, &[])
        .fails("parses > numbers", Kind::Assertion)
        .passes("parses > words");
    check(tap.clone(), &named(&["parses"]), &[], &["identity-also-passes"]);
    check(tap, &named(&["parses > words"]), &["identity-passed"], &[]);
}

#[test]
fn a_test_that_passed_unexpectedly_is_passed_over() {
    check(good().case("tests/test_a.py::test_q", Status::Xpassed, &[]), &any(), &[], &[]);
    let alone = report("pytest").case(TEST, Status::Xpassed, &[]);
    check(alone, &any(), &["no-assertion-failure"], &[]);
}

#[test]
fn others_that_failed_without_an_assertion_are_advisory_unless_any_will_do() {
    let raised = || good().fails("tests/test_a.py::test_q", Kind::Exception);
    check(raised(), &named(&["test_y"]), &[], &["other-failure"]);
    check(raised(), &any(), &["other-failure"], &[]);
    let unknown = || good().fails("tests/test_a.py::test_q", Kind::Unknown);
    check(unknown(), &named(&["test_y"]), &[], &["no-reason-given"]);
    check(unknown(), &any(), &["no-reason-given"], &[]);
    let asserted = || good().fails("tests/test_a.py::test_q", Kind::Assertion);
    check(asserted(), &named(&["test_y"]), &[], &[]);
    check(asserted(), &any(), &[], &[]);
}

#[test]
fn generic_needs_its_failure_pattern() {
    let generic = |id: &str, kind| report("generic").fails(id, kind);
    let seen = |report: Report| report.with(|report| report.identities_seen.push("totals add up".to_owned()));
    let failed = || generic("<output>", Kind::Assertion);
    check(failed(), &any(), &[], &[]);
    check(seen(failed()), &named(&["totals add up"]), &[], &[]);
    check(failed(), &named(&["totals add up"]), &["identity-missing"], &[]);
    check(seen(failed()), &named(&["totals"]), &["identity-missing"], &[]);
    let none = report("generic").noted(NoteCode::PatternNone, "none");
    check(
        none,
        &any(),
        &["failure-pattern-missed", "no-assertion-failure"],
        &["exit-unexplained", "pattern-none"],
    );
    let passed = report("generic").passes("<output>");
    check(passed, &any(), &["failure-pattern-missed", "no-assertion-failure"], &["exit-unexplained"]);
    // A line that matches `success_pattern` beside it says nothing against a red.
    check(failed().noted(NoteCode::PatternBoth, "both"), &any(), &[], &["pattern-both"]);
}

#[test]
fn of_several_parsers_one_is_red_and_none_saw_anything_break() {
    let run = |reports, problems: &[&str], notes: &[&str]| {
        check_run(Phase::Red, Some(Ended::Exit(1)), reports, &any(), problems, notes);
    };
    let empty = || Report::empty(Format::find("tap").unwrap());
    run(vec![good(), empty()], &[], &[]);
    run(vec![empty(), good()], &[], &[]);
    run(vec![good(), report("tap").passes("x")], &[], &[]);
    run(vec![good(), report("tap").passes("x").broke(Kind::Import)], &["import-failure"], &[]);
    run(vec![report("pytest").passes(TEST), empty()], &["no-assertion-failure", "report-empty"], &[]);
    let expected = named(&["test_y", "adds"]);
    let both = vec![good(), report("tap").fails("adds", Kind::Assertion)];
    check_run(Phase::Red, Some(Ended::Exit(1)), both, &expected, &[], &[]);
}

#[test]
fn a_second_session_is_noted() {
    let run = |format: &str, sessions, notes: &[&str]| {
        let reports =
            vec![report(format).fails("a", Kind::Assertion), report(format).fails("b", Kind::Assertion)];
        let expected = Expectations { sessions, ..any() };
        check_run(Phase::Red, Some(Ended::Exit(1)), reports, &expected, &[], notes);
    };
    run("pytest", Sessions::One, &["second-session"]);
    run("pytest", Sessions::Many, &[]);
}

#[test]
fn sessions_of_formats_that_nobody_named_are_noted() {
    let foreign = [report("tap").fails("x", Kind::Assertion)];
    let (ended, readings) = (Ended::Exit(1), readings(vec![good()]));
    let verdict = super::super::red(
        &Run { ended: Some(&ended), readings: &readings, foreign: &foreign, witness: None },
        &any(),
    );
    assert!(verdict.accepted());
    assert_eq!(verdict.notes[0].code, Code::ForeignSession);
}

#[test]
fn an_assertion_outside_the_tests_is_noted() {
    let check_paths = |globs: &[&str], notes: &[&str]| {
        let paths = crate::plan::PathSet::new(globs.iter().copied()).unwrap();
        let tests = Some(TestFiles { paths: &paths, root: "/srv/kit", cwd: "." });
        check(good(), &Expectations { tests, ..any() }, &[], notes);
    };
    check_paths(&["tests/**"], &["assertion-outside-tests"]);
    check_paths(&["tests/**", "src/product.py"], &[]);
}

#[test]
fn every_reason_is_listed() {
    let report = report("pytest")
        .fails(TEST, Kind::Exception)
        .case("tests/test_a.py::test_s", Status::Errored, &[Kind::Setup])
        .broke(Kind::Import)
        .with(|report| report.completeness = Completeness::Truncated);
    check_run(
        Phase::Red,
        Some(Ended::Exit(0)),
        vec![report],
        &named(&["test_y", "test_n"]),
        &[
            "case-errored",
            "exit-zero",
            "identity-missing",
            "identity-raised",
            "import-failure",
            "no-assertion-failure",
            "report-truncated",
            "setup-failure",
        ],
        &[],
    );
}

#[test]
fn what_is_not_there_yet_needs_a_stub() {
    let way_out = "; if it isn't there yet, add a stub that imports and returns a wrong value";
    let verdict = check(good().broke(Kind::Import), &any(), &["import-failure"], &[]);
    assert_eq!(
        verdict.problems[0].message,
        format!("`tests/test_b.py` failed on an import, outside any test{way_out}")
    );
    let inside = good().fails("tests/test_a.py::test_q", Kind::Import);
    let verdict = check(inside, &named(&["test_q"]), &["identity-raised", "import-failure"], &[]);
    assert!(verdict.problems.iter().all(|problem| problem.message.ends_with(way_out)));
}

#[test]
fn no_identity_at_all_is_any() {
    let raised = || good().fails("tests/test_a.py::test_q", Kind::Exception);
    check(raised(), &named(&[]), &["other-failure"], &[]);
}

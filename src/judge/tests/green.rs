use super::*;

const TEST: &str = "tests/test_a.py::test_y";

/// Judges one report as green, with exit code 0.
#[track_caller]
fn check(report: Report, expected: &Expectations<'_>, problems: &[&str], notes: &[&str]) -> Verdict {
    check_run(Phase::Green, Some(Ended::Exit(0)), vec![report], expected, problems, notes)
}

fn any() -> Expectations<'static> {
    Expectations::default()
}

fn approved() -> Expectations<'static> {
    Expectations { approved_skip_reason: Some("needs a database".to_owned()), ..any() }
}

fn good() -> Report {
    report("pytest").passes(TEST).passes("tests/test_a.py::test_z")
}

#[track_caller]
fn check_ended(ended: Option<Ended>, problems: &[&str], notes: &[&str]) {
    check_run(Phase::Green, ended, vec![good()], &any(), problems, notes);
}

#[test]
fn the_run_ends_by_itself_and_with_0() {
    check_ended(Some(Ended::Exit(0)), &[], &[]);
    check_ended(Some(Ended::Exit(2)), &["exit-nonzero"], &["exit-unexplained"]);
    check_ended(None, &["exit-unknown"], &[]);
    check_ended(Some(Ended::Signal(9)), &["ended-by-signal"], &[]);
    check_ended(Some(Ended::Timeout), &["timed-out"], &[]);
    check_ended(Some(Ended::Inactivity), &["inactive"], &[]);
    check_ended(Some(Ended::Cancelled(15)), &["cancelled"], &[]);
    check_ended(Some(Ended::OutputLimit), &["output-limit"], &[]);
    check_ended(Some(Ended::NotStarted("gone".to_owned())), &["startup-failure"], &[]);
}

#[test]
fn the_report_is_whole() {
    let cut = good().with(|report| report.completeness = Completeness::Truncated);
    check(cut, &any(), &["report-truncated"], &[]);
    let empty = Report::empty(Format::find("pytest").unwrap());
    check(empty, &any(), &["no-test-passed", "report-empty"], &[]);
}

#[test]
fn zero_tests_prove_nothing() {
    check(report("pytest"), &any(), &["no-test-passed"], &[]);
    let counted = |passed| report("pytest").with(|report| report.totals.passed = passed);
    check(counted(Some(1)), &any(), &[], &[]);
    check(counted(Some(0)), &any(), &["no-test-passed"], &[]);
    check(
        counted(Some(0)).noted(NoteCode::NamesHidden, "-q"),
        &any(),
        &["no-test-passed"],
        &["names-hidden"],
    );
    check(report("unittest").noted(NoteCode::NamesHidden, "-v"), &any(), &[], &["names-hidden"]);
    check(report("pytest").case(TEST, Status::Skipped, &[]), &approved(), &["no-test-passed"], &[]);
    check(report("pytest").case(TEST, Status::Xpassed, &[]), &approved(), &["no-test-passed"], &[]);
}

#[test]
fn a_test_that_asserted_in_red_asserts_in_green() {
    let silent = || good().noted(NoteCode::NoAssertions, &format!("`{TEST}` passed, and none is counted"));
    let counted = [TEST.to_owned()];
    let in_red = |identity| Expectations { counted_in_red: &counted, ..named(&[identity]) };
    check(silent(), &in_red("test_y"), &["no-assertions"], &[]);
    check(silent(), &in_red("test_z"), &[], &["no-assertions"]);
    check(silent(), &named(&["test_y"]), &[], &["no-assertions"]);
    check(silent(), &Expectations { counted_in_red: &counted, ..any() }, &[], &["no-assertions"]);
}

#[test]
fn nothing_failed_or_errored() {
    check(good().fails("t.py::test_q", Kind::Assertion), &any(), &["case-failed"], &[]);
    check(good().case("t.py::test_q", Status::Failed, &[]), &any(), &["case-failed"], &[]);
    check(good().case("t.py::test_q", Status::Errored, &[Kind::Setup]), &any(), &["case-errored"], &[]);
    check(good().broke(Kind::Import), &any(), &["import-failure"], &[]);
    check(good().broke(Kind::Interrupted), &any(), &["interrupted"], &[]);
    let counted = |change: fn(&mut Report)| good().with(change);
    check(counted(|report| report.totals.failed = Some(1)), &any(), &["case-failed"], &[]);
    check(counted(|report| report.totals.errored = Some(1)), &any(), &["case-errored"], &[]);
    check(counted(|report| report.totals.failed = Some(0)), &any(), &[], &[]);
    let said = counted(|report| report.totals.errored = Some(1)).broke(Kind::Import);
    check(said, &any(), &["import-failure"], &[]);
}

#[test]
fn thousands_of_failures_are_not_thousands_of_problems() {
    let many = (0..3_000).fold(good(), |report, n| report.fails(&format!("t.py::test_{n}"), Kind::Assertion));
    let verdict = judge(Phase::Green, Some(&Ended::Exit(0)), vec![many], &any());
    assert_eq!(verdict.problems.len(), 21);
    assert_eq!(verdict.problems[20].message, "and 2980 more of this kind");
}

#[test]
fn contradictions_are_no_green() {
    for (note, code) in [
        (NoteCode::TotalsMismatch, "totals-mismatch"),
        (NoteCode::AmbiguousSummary, "ambiguous-summary"),
        (NoteCode::PlanMismatch, "plan-mismatch"),
        (NoteCode::ContradictoryResult, "contradictory-result"),
        (NoteCode::StreamUnexpected, "stream-unexpected"),
    ] {
        let verdict = check(good().noted(note, "why"), &any(), &[code], &[]);
        assert_eq!(verdict.problems[0].lines, Some(Lines::one(40)));
    }
    for (note, code) in [
        (NoteCode::StoppedEarly, "stopped-early"),
        (NoteCode::HeadMissing, "head-missing"),
        (NoteCode::InputRepaired, "input-repaired"),
        (NoteCode::TodoPassed, "todo-passed"),
        (NoteCode::LeftOut, "left-out"),
        (NoteCode::RepeatedName, "repeated-name"),
        (NoteCode::NamelessCase, "nameless-case"),
    ] {
        check(good().noted(note, "why"), &any(), &[], &[code]);
    }
}

#[test]
fn skips_by_any_name_need_a_reason() {
    for status in [Status::Skipped, Status::Todo, Status::Xfailed, Status::Xpassed] {
        let skipped = || good().case("t.py::test_q", status, &[]);
        check(skipped(), &any(), &["skipped-unapproved"], &[]);
        check(skipped(), &approved(), &[], &[]);
    }
    let counted = || good().with(|report| report.totals.skipped = Some(2));
    check(counted(), &any(), &["skipped-unapproved"], &[]);
    check(counted(), &approved(), &[], &[]);
    check(good().with(|report| report.totals.deselected = Some(5)), &any(), &[], &[]);
}

#[test]
fn no_reason_excuses_an_identity_or_what_passed_in_red() {
    let skipped = || good().case("t.py::test_q", Status::Skipped, &[]);
    let identity =
        Expectations { approved_skip_reason: approved().approved_skip_reason, ..named(&["test_q"]) };
    check(skipped(), &identity, &["identity-not-passed"], &[]);
    let passed = ["t.py::test_q".to_owned()];
    check(skipped(), &Expectations { passed_in_red: &passed, ..approved() }, &["newly-skipped"], &[]);
    let passed = [TEST.to_owned()];
    check(skipped(), &Expectations { passed_in_red: &passed, ..approved() }, &[], &[]);
}

#[test]
fn flaky_is_a_note_unless_the_plan_rejects_it() {
    let flaky = || good().noted(NoteCode::Flaky, "`tests/test_a.py::test_y` failed once");
    check(flaky(), &any(), &[], &["flaky"]);
    check(flaky(), &Expectations { flaky: Flaky::Reject, ..any() }, &["flaky"], &[]);
}

#[test]
fn an_identity_names_cases_that_all_passed() {
    check(good(), &named(&["test_y", "tests/test_a.py::test_z"]), &[], &[]);
    check(good(), &named(&["test_nope"]), &["identity-not-named"], &[]);
    let params = || good().passes("t.py::test_p[0]");
    check(params().passes("t.py::test_p[1]"), &named(&["test_p"]), &[], &[]);
    check(
        params().fails("t.py::test_p[1]", Kind::Exception),
        &named(&["test_p"]),
        &["case-failed", "identity-not-passed"],
        &[],
    );
}

#[test]
fn hidden_names_are_said_to_be_hidden() {
    let quiet = report("pytest").with(|report| report.totals.passed = Some(2));
    let verdict = check(quiet, &named(&["test_y"]), &["identity-not-named"], &[]);
    assert_eq!(
        verdict.problems[0].message,
        "`test_y` isn't named, since the output doesn't name the tests that pass; run pytest with `-v` or `-rA`"
    );
}

fn in_red(ids: &[&str]) -> Vec<InventoryCase> {
    let report = ids.iter().fold(report("pytest"), |report, id| report.fails(id, Kind::Assertion));
    inventory("c", &[report])
}

#[track_caller]
fn check_vanished(red: &[&str], passed_in_red: &[&str], green: Report, vanished: usize) {
    let inventory = in_red(red);
    let passed: Vec<String> = passed_in_red.iter().map(|id| (*id).to_owned()).collect();
    let unseen = unseen(&inventory, &passed, &[&green]);
    assert_eq!(unseen.len(), vanished, "{unseen:?}");
}

#[test]
fn nothing_vanishes() {
    let inventory = in_red(&[TEST]);
    let expected = Expectations { inventory: &inventory, ..approved() };
    check(good(), &expected, &[], &[]);
    check(report("pytest").passes("tests/test_a.py::test_z"), &expected, &["red-case-vanished"], &[]);
    let skipped = report("pytest").passes("t.py::test_z").case(TEST, Status::Skipped, &[]);
    check(skipped, &expected, &["red-case-vanished"], &[]);
    let xfailed = report("pytest").passes("t.py::test_z").case(TEST, Status::Xfailed, &[]);
    check(xfailed, &expected, &["red-case-vanished"], &[]);
    check(good().case(TEST, Status::Skipped, &[]), &expected, &["red-case-vanished"], &[]);
}

#[test]
fn addresses_differ_from_run_to_run() {
    let green = || report("pytest").passes("t.py::test_p[<object at 0x7f00deadbeef>]");
    check_vanished(&["t.py::test_p[<object at 0x7f12ab34cd56>]"], &[], green(), 0);
    check_vanished(&["t.py::test_q[<object at 0x7f12ab34cd56>]"], &[], green(), 1);
    check_vanished(&["holds 0x7f12ab34cd56"], &[], report("tap").passes("holds 0x7f00deadbeef"), 0);
    check_vanished(&["holds 0xff"], &[], report("tap").passes("holds 0xee"), 1);
}

#[test]
fn a_parametrised_case_is_seen_when_as_many_pass() {
    let green = |ids: &[&str]| ids.iter().fold(report("pytest"), |report, id| report.passes(id));
    check_vanished(
        &["t.py::test_p[mon]", "t.py::test_p[tue]"],
        &[],
        green(&["t.py::test_p[wed]", "t.py::test_p[thu]"]),
        0,
    );
    check_vanished(&["t.py::test_p[mon]", "t.py::test_p[tue]"], &[], green(&["t.py::test_p[wed]"]), 2);
    check_vanished(&["t.py::test_p[mon]"], &["t.py::test_p[tue]"], green(&["t.py::test_p[tue]"]), 1);
    check_vanished(
        &["t.py::test_p[mon]"],
        &["t.py::test_p[tue]"],
        green(&["t.py::test_p[tue]", "t.py::test_p[x]"]),
        0,
    );
    let one_failed = green(&["t.py::test_p[wed]"]).fails("t.py::test_p[thu]", Kind::Assertion);
    check_vanished(&["t.py::test_p[mon]"], &[], one_failed, 1);
    check_vanished(&["t.py::test_p"], &[], green(&["t.py::test_q"]), 1);
}

#[test]
fn a_subtest_is_seen_when_its_test_passed() {
    let unittest =
        report("unittest").case("m.C.test_y", Status::Failed, &[]).fails("m.C.test_y (i=1)", Kind::Assertion);
    let two = inventory("c", &[unittest.clone().fails("m.C.test_y (i=2)", Kind::Assertion)]);
    assert!(unseen(&two, &[], &[&report("unittest").passes("m.C.test_y")]).is_empty());
    let red = inventory("c", &[unittest]);
    assert_eq!(
        red.iter().map(|case| (case.id.as_str(), case.test.as_str())).collect::<Vec<_>>(),
        [("m.C.test_y (i=1)", "m.C.test_y")]
    );
    let seen = |green: Report| unseen(&red, &[], &[&green]).is_empty();
    assert!(seen(report("unittest").passes("m.C.test_y")));
    assert!(seen(report("unittest").passes("m.C.test_y (i=1)")));
    assert!(!seen(report("unittest").passes("m.C.test_z")));
    assert!(!seen(report("unittest").case("m.C.test_y", Status::Skipped, &[])));
    assert!(!seen(
        report("unittest").case("m.C.test_y", Status::Failed, &[]).fails("m.C.test_y (i=2)", Kind::Assertion)
    ));
}

#[test]
fn generic_needs_its_success_pattern_alone() {
    let passed = || report("generic").passes("<output>");
    check(passed(), &any(), &[], &[]);
    let seen = passed().with(|report| report.identities_seen.push("export".to_owned()));
    check(seen, &named(&["export"]), &[], &[]);
    check(passed(), &named(&["export"]), &["identity-not-named"], &[]);
    let none = report("generic").noted(NoteCode::PatternNone, "none");
    check(none, &any(), &["no-test-passed", "success-pattern-missed"], &["pattern-none"]);
    let both = report("generic").fails("<output>", Kind::Assertion).noted(NoteCode::PatternBoth, "both");
    check(both, &any(), &["case-failed", "failure-pattern-matched", "no-test-passed"], &["pattern-both"]);
}

#[test]
fn all_parsers_are_green() {
    let run = |reports, problems: &[&str]| {
        check_run(Phase::Green, Some(Ended::Exit(0)), reports, &any(), problems, &[]);
    };
    run(vec![good(), report("tap").passes("x")], &[]);
    run(vec![good(), Report::empty(Format::find("tap").unwrap())], &["no-test-passed", "report-empty"]);
    run(vec![good(), report("tap")], &["no-test-passed"]);
}

#[test]
fn sessions_add_up_where_they_are_meant_to() {
    let run = |second: Report, sessions, problems: &[&str]| {
        let expected = Expectations { sessions, ..any() };
        check_run(Phase::Green, Some(Ended::Exit(0)), vec![good(), second], &expected, problems, &[]);
    };
    run(good(), Sessions::One, &["second-session"]);
    run(good(), Sessions::Many, &[]);
    run(report("pytest"), Sessions::Many, &["no-test-passed"]);
    let cut = good().with(|report| report.completeness = Completeness::Truncated);
    run(cut, Sessions::Many, &["report-truncated"]);
}

#[test]
fn a_foreign_session_that_failed_is_no_green() {
    let run = |foreign: Report| {
        let (ended, readings, foreign) = (Ended::Exit(0), readings(vec![good()]), [foreign]);
        super::super::green(
            &Run { ended: Some(&ended), readings: &readings, foreign: &foreign, witness: None },
            &any(),
        )
    };
    let failed = run(report("tap").fails("x", Kind::Assertion));
    assert_eq!(failed.problems[0].code, Code::ForeignSession);
    let passed = run(report("tap").passes("x"));
    assert!(passed.accepted());
    assert_eq!(passed.notes[0].code, Code::ForeignSession);
}

mod printed;

use crate::formats::shown::shown as show;
use crate::{Feed, Format, Kind, NoteCode, Options, Report, Status, Stream};

const THICK: &str = "======================================================================";
const THIN: &str = "----------------------------------------------------------------------";
const TRACE: &str = "Traceback (most recent call last):\n  File \"/w/t.py\", line 5, in";

fn read(input: &str) -> Vec<Report> {
    let input = input.replace("====\n", &format!("{THICK}\n")).replace("----\n", &format!("{THIN}\n"));
    crate::parse(Format::find("unittest").unwrap(), input.as_bytes(), &Options::default())
}

/// Reads one session and shows its cases as `id status kinds`, then problems, then the codes of notes.
fn shown(input: &str) -> Vec<String> {
    let reports = read(input);
    assert_eq!(reports.len(), 1, "{reports:#?}");
    show(&reports[0])
}

#[track_caller]
fn check(input: &str, want: &[&str]) {
    assert_eq!(shown(input), want, "{input}");
}

fn section(title: &str, body: &str) -> String {
    format!("====\n{title}\n----\n{body}\n\n")
}

fn end(ran: u32, verdict: &str) -> String {
    format!("----\nRan {ran} test{} in 0.001s\n\n{verdict}\n", if ran == 1 { "" } else { "s" })
}

#[test]
fn verbose_lines_in_both_layouts() {
    for (in_class, of_class) in [(".test_a", ".test_b"), ("", "")] {
        let input = format!(
            "test_a (m.C{in_class}) ... ok\ntest_b (m.C{of_class}) ... skipped \"it's\"\n\n{}",
            end(2, "OK (skipped=1)")
        );
        check(&input, &["m.C.test_a passed", "m.C.test_b skipped"]);
        let report = read(&input).remove(0);
        let case = report.cases.iter().nth(1).unwrap();
        assert_eq!(
            (case.reason(), case.name(), case.suite()),
            (Some("it's"), "test_b", &["m".into(), "C".into()][..])
        );
    }
}

#[test]
fn expected_failures_and_unexpected_successes() {
    check(
        &format!(
            "test_a (m.C.test_a) ... expected failure\ntest_b (m.C.test_b) ... unexpected success\n\n\
             ====\nUNEXPECTED SUCCESS: test_b (m.C.test_b)\n{}",
            end(2, "FAILED (expected failures=1, unexpected successes=1)")
        ),
        &["m.C.test_a xfailed", "m.C.test_b xpassed"],
    );
}

#[test]
fn a_docstring_holds_the_dots() {
    check(
        &format!(
            "test_a (m.C.test_a)\nOpens ... ok ... banner ... on\nok\ntest_b (m.C.test_b)\nDoc ... FAIL\n\n{}{}",
            section(
                "FAIL: test_b (m.C.test_b)\nDoc",
                &format!("{TRACE} test_b\n    x\nAssertionError: 1 != 2")
            ),
            end(2, "FAILED (failures=1)")
        ),
        &["m.C.test_a passed", "m.C.test_b failed assertion"],
    );
}

#[test]
fn output_stands_between_dots_and_result() {
    check(
        &format!(
            "test_a (m.C.test_a) ... hello\nworld\nok\ntest_b (m.C.test_b) ... bookok\n\
             test_c (m.C.test_c) ... ok\nFAIL\n\n{}{}",
            section("FAIL: test_c (m.C.test_c)", &format!("{TRACE} test_c\nAssertionError")),
            end(3, "FAILED (failures=1)")
        ),
        &["m.C.test_a passed", "m.C.test_b passed", "m.C.test_c failed assertion"],
    );
}

#[test]
fn errors_are_typed_by_what_ended_them() {
    let one = |title: &str, body: &str, verdict: &str| {
        shown(&format!("E\n{}{}", section(title, body), end(1, verdict))).remove(0)
    };
    let error = |frame: &str, last: &str| {
        let body = format!("{TRACE} {frame}\n    code\n{last}");
        one("ERROR: test_a (m.C.test_a)", &body, "FAILED (errors=1)")
    };
    assert_eq!(error("test_a", "ValueError: x"), "m.C.test_a errored exception");
    assert_eq!(error("test_a", "ModuleNotFoundError: No module named 'x'"), "m.C.test_a errored import");
    assert_eq!(error("test_a", "SyntaxError: invalid syntax"), "m.C.test_a errored syntax");
    assert_eq!(error("setUp", "ModuleNotFoundError: No module named 'x'"), "m.C.test_a errored setup");
    assert_eq!(error("asyncTearDown", "ValueError: x"), "m.C.test_a errored teardown");
    let body = format!("{TRACE} setUp\n    self.fail()\nAssertionError: x");
    assert_eq!(one("FAIL: test_a (m.C)", &body, "FAILED (failures=1)"), "m.C.test_a failed setup");
    let body = format!("{TRACE} test_a\n    f()\nm.Own: x\n\nStdout:\nModuleNotFoundError: y");
    assert_eq!(one("FAIL: test_a (m.C)", &body, "FAILED (failures=1)"), "m.C.test_a failed assertion");
}

#[test]
fn body_and_teardown_are_one_case() {
    let sections = section("ERROR: test_a (m.C.test_a)", &format!("{TRACE} tearDown\nValueError: x"))
        + &section("FAIL: test_a (m.C.test_a)", &format!("{TRACE} test_a\nAssertionError: x"));
    let verdict = end(1, "FAILED (failures=1, errors=1)");
    let want = ["m.C.test_a errored teardown+assertion"];
    check(
        &format!("test_a (m.C.test_a) ... FAIL\ntest_a (m.C.test_a) ... ERROR\n\n{sections}{verdict}"),
        &want,
    );
    let old = sections.replace("m.C.test_a", "m.C");
    check(&format!("test_a (m.C) ... FAIL\nERROR\n\n{old}{verdict}"), &want);
}

#[test]
fn subtests_are_cases_below_their_test() {
    let sections =
        section("FAIL: test_a (m.C.test_a) [why] (i=1)", &format!("{TRACE} test_a\nAssertionError"))
            + &section("FAIL: test_a (m.C.test_a) (i=2)", &format!("{TRACE} test_a\nAssertionError"));
    let input = format!(
        "test_a (m.C.test_a) ... \n  test_a (m.C.test_a) [why] (i=1) ... FAIL\n  test_a (m.C.test_a) (i=2) ... FAIL\n\
         test_b (m.C.test_b) ... ok\n\n{sections}{}",
        end(2, "FAILED (failures=2)")
    );
    check(
        &input,
        &[
            "m.C.test_a failed",
            "m.C.test_a [why] (i=1) failed assertion",
            "m.C.test_a (i=2) failed assertion",
            "m.C.test_b passed",
        ],
    );
    let report = read(&input).remove(0);
    let sub = report.cases.iter().nth(1).unwrap();
    assert_eq!((sub.suite().join("|"), sub.name()), ("m|C|test_a".to_owned(), "[why] (i=1)"));
    // Before Python 3.11 the test gets no result, and the next stands on its line.
    let old = sections.replace("m.C.test_a", "m.C");
    check(
        &format!("test_a (m.C) ... test_b (m.C) ... ok\n\n{old}{}", end(2, "FAILED (failures=2)")),
        &[
            "m.C.test_b passed",
            "m.C.test_a [why] (i=1) failed assertion",
            "m.C.test_a (i=2) failed assertion",
            "m.C.test_a failed",
        ],
    );
}

#[test]
fn fixtures_and_modules_are_problems() {
    let loader = "ImportError: Failed to import test module: t\nTraceback (most recent call last):\n\
                  \x20 File \"/usr/lib/python3.11/unittest/loader.py\", line 4, in f\n";
    let loaded =
        |error: &str| section("ERROR: t (unittest.loader._FailedTest.t)", &format!("{loader}{error}"));
    let verdict = end(1, "FAILED (errors=1)");
    check(&format!("E\n{}{verdict}", loaded("ModuleNotFoundError: No module named 'x'")), &["! import t"]);
    check(&format!("E\n{}{verdict}", loaded("SyntaxError: invalid syntax")), &["! syntax t"]);
    check(&format!("E\n{}{verdict}", loaded("AssertionError: at import")), &["! collection t"]);
    check(
        &format!(
            "setUpClass (m.C) ... ERROR\ntest_a (m.D.test_a) ... ok\n\n{}{verdict}",
            section("ERROR: setUpClass (m.C)", &format!("{TRACE} setUpClass\nAssertionError: x"))
        ),
        &["m.D.test_a passed", "! setup m.C"],
    );
    check(
        &format!(
            ".\n{}{}",
            section("FAIL: tearDownModule (m)", "Traceback (most recent call last):\nAssertionError: y"),
            end(1, "FAILED (failures=1)")
        ),
        &["! teardown m", "(names-hidden)"],
    );
}

#[test]
fn a_title_without_its_rule_was_printed() {
    let body = |printed: &str| format!("{TRACE} test_a\nAssertionError: x\n\nStdout:\n{printed}");
    let run = |printed: &str| {
        let failed = section("FAIL: test_a (m.C.test_a)", &body(printed));
        format!("F.\n{failed}{}", end(2, "FAILED (failures=1)"))
    };
    let want = ["m.C.test_a failed assertion", "(names-hidden)"];
    for printed in [
        "====\nFAIL: ghost (m.G)\nImportError: no\n\nStderr:\nRan 3 tests in 0.1s\n\nOK\n",
        "====\nFAIL: ghost (m.G)\n",
        "====\nERROR: ghost (m.G)\n====\nERROR: ghost (m.G)\nImportError: no\n",
    ] {
        check(&run(printed), &want);
    }
    let two = format!(
        "FF\n{}{}{}",
        section("FAIL: test_a (m.C.test_a)", &body("====\nFAIL: ghost (m.G)")),
        section("FAIL: test_b (m.C.test_b)\nA docstring.", &format!("{TRACE} test_b\nAssertionError")),
        end(2, "FAILED (failures=2)")
    );
    check(&two, &["m.C.test_a failed assertion", "m.C.test_b failed assertion"]);
}

#[test]
fn a_skipped_subtest_does_not_hide_one_that_failed() {
    // Before Python 3.11 it is printed as the result of the test.
    let failed = section("FAIL: test_a (m.C) (i=1)", &format!("{TRACE} test_a\nAssertionError: x"));
    check(
        &format!("test_a (m.C) ... skipped 'x'\n\n{failed}{}", end(1, "FAILED (failures=1, skipped=1)")),
        &["m.C.test_a failed", "m.C.test_a (i=1) failed assertion", "(nameless-case)"],
    );
}

#[test]
fn quiet_modes_hide_names() {
    check(&format!("..\n{}", end(2, "OK")), &["(names-hidden)"]);
    check(&end(2, "OK"), &["(names-hidden)"]);
    // Nothing is hidden where skips and expected failures account for all that ran.
    check(&format!("sss\n{}", end(3, "OK (skipped=3)")), &[]);
    check(&end(3, "OK (skipped=2, expected failures=1)"), &[]);
    check(&end(4, "OK (skipped=2, expected failures=1)"), &["(names-hidden)"]);
    let report = read(&format!("..\n{}", end(2, "OK (skipped=1)"))).remove(0);
    assert_eq!((report.totals.passed, report.totals.failed, report.totals.skipped), (None, Some(0), Some(1)));
}

#[test]
fn a_verdict_that_was_cut_is_one_where_nothing_can_follow() {
    let cut = |before: &str| shown(format!("{before}{}", end(1, "OK")).trim_end());
    assert_eq!(cut("test_a (m.C.test_a) ... ok\n"), ["m.C.test_a passed"]);
    assert_eq!(cut(".\n"), ["(names-hidden)"]);
    assert_eq!(cut("test_a (m.C.test_a) ... skipped 'x'\n"), ["m.C.test_a skipped", "Truncated"]);
    assert_eq!(cut("s\n"), ["Truncated"]);
    assert_eq!(cut(""), ["Truncated"]);
    check(end(1, "OK (skipped=1)").trim_end(), &[]);
}

#[test]
fn nothing_ran() {
    check(&end(0, "OK"), &["! collection -"]);
    check(&end(0, "NO TESTS RAN"), &["! collection -"]);
    check(&end(0, "OK (skipped=1)"), &[]);
}

#[test]
fn without_its_end_it_is_truncated() {
    check("test_a (m.C.test_a) ... ok\ntest_b (m.C.test_b) ... ", &["m.C.test_a passed", "Truncated"]);
    check("..F", &["Truncated"]);
    check("..\n----\nRan 2 tests in 0.001s\n\n", &["Truncated"]);
    check("..\n----\nRan 2 tests in 0.001s\n\nFAILED (failures=1", &["Truncated"]);
    check("hello\nOK\nRan 3 tests in 0.001s\nOK\n", &["Empty"]);
    check("", &["Empty"]);
}

#[test]
fn what_ended_the_run_is_a_problem() {
    let interrupt = format!(".{TRACE} test_b\n    sleep(9)\nKeyboardInterrupt\n");
    check(&interrupt, &["! interrupted -", "Truncated"]);
    check(
        &format!("{TRACE} <module>\n    import x\nModuleNotFoundError: No module named 'x'\n"),
        &["! import /w/t.py", "Empty"],
    );
    check("/usr/bin/python3: No module named unittest.x\n", &["! startup -", "Empty"]);
    check("..\nFatal Python error: Segmentation fault\n", &["! crash -", "Truncated"]);
    check("..Fatal Python error: Aborted\n\nCurrent thread\n", &["! crash -", "Truncated"]);
    check("test_a (m.C.test_a) ... Fatal Python error: Aborted\n", &["! crash -", "Truncated"]);
    // A logged traceback is output.
    check(&format!(".{TRACE} test_b\nValueError: x\n.\n{}", end(2, "OK")), &["(names-hidden)"]);
}

#[test]
fn two_ends_are_ambiguous_unless_each_fits() {
    let twice = format!(".{}.\n{}", format_args!("\n{}", end(5, "OK")), end(2, "OK"));
    check(&twice, &["(ambiguous-summary)", "(names-hidden)"]);
    let after = format!("test_a (m.C.test_a) ... ok\n\n{}{}", end(1, "OK"), end(5, "OK"));
    check(&after, &["m.C.test_a passed", "(ambiguous-summary)"]);
    let sessions = read(&format!("..\n{}...\n{}", end(2, "OK"), end(3, "OK")));
    assert_eq!(sessions.len(), 2);
    assert!(sessions.iter().all(|report| report.session_lines.is_some()));
}

#[test]
fn numbers_that_do_not_add_up_are_noted() {
    check(
        &format!("test_a (m.C.test_a) ... ok\n\n{}", end(2, "OK")),
        &["m.C.test_a passed", "(totals-mismatch)"],
    );
    // Python 3.12.1 does not count what a decorator skips.
    let skipping = "test_a (m.C.test_a) ... ok\ntest_b (m.C.test_b) ... skipped 'x'\n\n";
    check(&format!("{skipping}{}", end(1, "OK (skipped=1)")), &["m.C.test_a passed", "m.C.test_b skipped"]);
    let forged = section("FAIL: test_a (m.C.test_a)", &format!("{TRACE} test_a\nAssertionError"));
    check(&format!("{forged}.\n{}", end(1, "OK")), &["(totals-mismatch)", "(names-hidden)"]);
}

#[test]
fn a_rule_in_a_message_ends_nothing() {
    let body = format!("{TRACE} test_a\nAssertionError: a\n====\nnot a title\n----\nb");
    let report =
        read(&format!("F\n{}{}", section("FAIL: test_a (m.C)", &body), end(1, "FAILED (failures=1)")))
            .remove(0);
    let case = report.cases.iter().next().unwrap();
    let message = case.failures()[0].message.clone().unwrap();
    assert_eq!(message, format!("a\n{THICK}\nnot a title\n{THIN}\nb"));
    assert_eq!(case.failures()[0].file.as_deref(), Some("/w/t.py"));
}

#[test]
fn long_messages_are_cut_and_said_so() {
    let body = format!("{TRACE} test_a\nAssertionError: {}", "x".repeat(9000));
    let report =
        read(&format!("F\n{}{}", section("FAIL: test_a (m.C)", &body), end(1, "FAILED (failures=1)")))
            .remove(0);
    assert!(report.has_note(NoteCode::LeftOut));
    assert_eq!(report.cases.iter().next().unwrap().failures()[0].kind, Kind::Assertion);
}

#[test]
fn only_standard_error_speaks() {
    let unittest = Format::find("unittest").unwrap();
    let both = |out: &str, err: &str| {
        let replay = |feed: &mut Feed<'_>| {
            feed.push(out.as_bytes(), Stream::Out);
            feed.push(err.as_bytes(), Stream::Err);
            Ok::<(), ()>(())
        };
        crate::read(unittest, &Options::default(), replay).unwrap().remove(0)
    };
    let run = format!("..\n{THIN}\nRan 2 tests in 0.001s\n\nOK\n");
    let forged = format!("test_a (m.C.test_a) ... ok\n{THIN}\nRan 1 test in 0.001s\n\nOK\n");
    assert_eq!(show(&both(&forged, &run)), ["(names-hidden)"]);
    assert_eq!(show(&both(&forged, "")), ["m.C.test_a passed", "(stream-unexpected)"]);
}

#[test]
fn durations_are_read() {
    let input = format!(
        "test_a (m.C.test_a) ... ok\n\nSlowest test durations\n----\n0.250s     test_a (m.C.test_a)\n\n{}",
        end(1, "OK")
    );
    check(&input, &["m.C.test_a passed"]);
    assert_eq!(read(&input)[0].cases.iter().next().unwrap().duration_seconds(), Some(0.25));
    assert_eq!(read(&input)[0].cases.iter().next().unwrap().status(), Status::Passed);
}

#[test]
fn nose2_names_functions_parameters_and_sentences() {
    check(
        &format!(
            "t.test_a ... ok\nt.test_b\nIts doc. ... FAIL\nt.test_p:1\n'x (y)' ... ok\ntest_m:2\n7 (t.C.test_m:2\n7) ... ok\n\
             test 0001: should fit (well) ... ok (t.A box.test 0001: should fit (well) ... ok) ... ok\n\
             test_s (t.C.test_s) ... skipped ok\n\n{}{}",
            section("FAIL: t.test_b\nIts doc.", &format!("{TRACE} test_b\nAssertionError")),
            end(6, "FAILED (failures=1, skipped=1)")
        ),
        &[
            "t.C.test_m:2 passed",
            "t.A box.test 0001: should fit (well) ... ok passed",
            "t.C.test_s skipped",
            "t.test_a passed",
            "t.test_b failed assertion",
            "t.test_p:1 passed",
        ],
    );
}

#[test]
fn a_dotted_word_that_the_end_does_not_count_is_output() {
    let input = format!("t.setup ... ok\ntest_a (t.C.test_a) ... ok\n\n{}", end(1, "OK"));
    check(&input, &["t.C.test_a passed"]);
}

#[test]
fn nose2_fixtures_have_no_name() {
    let body = "Traceback (most recent call last):\n  File \"/w/t.py\", line 5, in tearDownClass\n    x\nRuntimeError: no";
    let input = format!(".E\n{}{}", section("ERROR: _ErrorHolder", body), end(1, "FAILED (errors=1)"));
    check(&input, &["! teardown -", "(names-hidden)"]);
}

/// As `check`, with rules of other lengths than unittest's.
#[track_caller]
fn check_as_is(input: &str, want: &[&str]) {
    let reports = crate::parse(Format::find("unittest").unwrap(), input.as_bytes(), &Options::default());
    assert_eq!(reports.len(), 1, "{reports:#?}");
    assert_eq!(show(&reports[0]), want, "{input}");
}

fn trial(tree: &str, sections: &str, end: &str) -> String {
    let (thick, thin) = ("=".repeat(79), "-".repeat(79));
    format!("{tree}\n{}{thin}\n{end}\n", sections.replace("=79", &thick))
}

#[test]
fn trial_has_a_tree_and_lists() {
    check_as_is(
        &trial(
            "t\n  C\n    test_a ...                [OK]\n    test_b ... hello\n                  [FAIL]\n\
             \x20                [ERROR]\nu\n    test_a ...                [OK]\n",
            "=79\n[FAIL]\nTraceback (most recent call last):\n  File \"/w/t.py\", line 4, in test_b\n    x\n\
             builtins.AssertionError: 1 != 2\n\nbeside\n\nt.C.test_b\n\
             =79\n[ERROR]\nTraceback (most recent call last):\n  File \"/w/t.py\", line 9, in tearDown\n    x\n\
             builtins.KeyError: 'lid'\n\nt.C.test_b\n",
            "Ran 3 tests in 0.010s\n\nFAILED (failures=1, errors=1, successes=2)",
        ),
        &["t.C.test_a passed", "u.C.test_a passed", "t.C.test_b errored assertion+teardown"],
    );
    check_as_is(&trial("..\n", "", "Ran 2 tests in 0.010s\n\nPASSED (successes=2)"), &["(names-hidden)"]);
    check_as_is(&trial("..\n", "", "Ran 2 tests in 0.010s\n\nPASSED (successes=x)"), &["Truncated"]);
    check_as_is("t.C.test_a ... [OK]\nt.C.test_b ... \n", &["t.C.test_a passed", "Truncated"]);
}

#[test]
fn what_trial_could_not_load_is_no_test() {
    check_as_is(
        &trial(
            "t ...                      [ERROR]\n",
            "=79\n[ERROR]\nTraceback (most recent call last):\n  File \"/l/twisted/trial/runner.py\", line 1, in find\n    x\n\
             builtins.ModuleNotFoundError: No module named 'x'\n\nt\n",
            "Ran 1 tests in 0.010s\n\nFAILED (errors=1)",
        ),
        &["! import t"],
    );
}

fn zope(tests: &str, counts: &str) -> String {
    format!(
        "Running t.Layer tests:\n  Set up t.Layer in 0.000 seconds.\n  Running:\n{tests}  Ran {counts} in 0.001 seconds.\n\
         Tearing down left over layers:\n  Tear down t.Layer in 0.000 seconds.\n"
    )
}

#[test]
fn zope_names_a_test_when_it_begins() {
    let tests = format!(
        " test_a (t.C.test_a)\n test_b (t.C.test_b)\n\nFailure in test test_b (t.C.test_b)\n{TRACE} test_b\n\
         AssertionError: 1 != 2\n\n\n test_c (t.C.test_c) (skipped)\n test_d (t.C.test_d)said\n"
    );
    let want =
        ["t.C.test_a passed", "t.C.test_b failed assertion", "t.C.test_c skipped", "t.C.test_d passed"];
    check_as_is(&zope(&tests, "4 tests with 1 failures, 0 errors and 1 skipped"), &want);
    let fewer = zope(&tests, "3 tests with 1 failures, 0 errors and 1 skipped");
    check_as_is(&fewer, &[&want[..], &["(totals-mismatch)"]].concat());
    let (cut, _) = fewer.split_once(" test_d").unwrap();
    check_as_is(cut, &["t.C.test_a passed", "t.C.test_b failed assertion", "Truncated"]);
}

#[test]
fn zope_layers_break_outside_any_test() {
    check_as_is(
        "Running t.L tests:\n  Set up t.L Traceback (most recent call last):\n  File \"/w/t.py\", line 5, in setUp\n    x\n\
         RuntimeError: no\n\nTotal: 0 tests, 0 failures, 1 errors and 0 skipped in 0.001 seconds.\n",
        &["! setup t.L"],
    );
}

#[test]
fn a_failure_without_a_name_is_a_note() {
    let body = format!("{TRACE} test_a\nAssertionError: 1 != 2");
    let sections = [section("FAIL: ", &body), section("FAIL: test_b (m.C.test_b)", &body)].concat();
    let input = format!("FF\n{sections}{}", end(2, "FAILED (failures=2)"));
    check(&input, &["m.C.test_b failed assertion", "(nameless-case)"]);
}

#[test]
fn a_title_that_was_cut_names_nothing() {
    check("F\n====\nFAIL: test_a (m.C.te", &["Truncated"]);
    check("F\n====\nFAIL: ", &["Truncated"]);
    check("F\n====\nFAIL: test_a (m.C.test_a)\n", &["m.C.test_a failed unknown", "Truncated"]);
}

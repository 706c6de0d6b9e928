//! Outputs of real runs, shortened.

mod expected;
mod plugins;
mod printed;

use std::fmt::Write;

use crate::{Completeness, Format, NoteCode, Options, Report, parse};

fn reports(input: &str) -> Vec<Report> {
    parse(Format::find("pytest").unwrap(), input.as_bytes(), &Options::default())
}

/// A report as lines: completeness; `id: status kind(error: message @ file:line)…`; `! kind subject: message`; `* note`.
fn show(report: &Report) -> String {
    let mut text = format!("{}\n", serde_json::to_value(report.completeness).unwrap().as_str().unwrap());
    for case in report.cases.iter() {
        write!(text, "{}: {}", case.id(), case.status().word()).unwrap();
        for failure in case.failures() {
            let part = |part: &Option<String>| part.clone().unwrap_or_default();
            write!(text, " {}({}: {}", failure.kind.word(), part(&failure.error), part(&failure.message))
                .unwrap();
            if let (Some(file), Some(line)) = (&failure.file, failure.line) {
                write!(text, " @ {file}:{line}").unwrap();
            }
            text.push(')');
        }
        if let Some(reason) = case.reason() {
            write!(text, " because {reason}").unwrap();
        }
        text.push('\n');
    }
    for problem in &report.problems {
        let subject = problem.subject.as_deref().unwrap_or("-");
        let message = problem.message.as_deref().unwrap_or("");
        writeln!(text, "! {} {subject}: {message}", problem.kind.word()).unwrap();
    }
    for note in &report.notes {
        writeln!(text, "* {}", note.code.word()).unwrap();
    }
    text
}

#[track_caller]
fn check(input: &str, want: &str) {
    check_all(&reports(input), want);
}

#[track_caller]
fn check_all(reports: &[Report], want: &str) {
    assert_eq!(reports.len(), 1, "one session: {reports:?}");
    let want: String = want.lines().map(|line| line.trim_start().to_owned() + "\n").collect();
    assert_eq!(show(&reports[0]), want);
}

const HEAD: &str = "============================= test session starts ==============================
platform linux -- Python 3.11.7, pytest-8.3.5, pluggy-1.7.0 -- /usr/bin/python3
rootdir: /srv/kit
collected 3 items

";
const FAILURES: &str = "=================================== FAILURES ===================================\n";
const ERRORS: &str = "==================================== ERRORS ====================================\n";
const SUMMARY: &str = "=========================== short test summary info ============================\n";
const STDOUT: &str = "----------------------------- Captured stdout call -----------------------------\n";

#[test]
fn a_failure_is_told_by_its_block() {
    let input = format!(
        "{HEAD}tests/test_a.py::TestX::test_y[p0] FAILED   [ 50%]
tests/test_a.py::test_b PASSED   [100%]

{FAILURES}_______________________________ TestX.test_y[p0] _______________________________

self = <test_a.TestX object at 0x7f>, v = 0

    def test_y(self, v):
>       assert v == 5
E       assert 0 == 5

tests/test_a.py:6: AssertionError
{STDOUT}E       KeyError: 1
{SUMMARY}FAILED tests/test_a.py::TestX::test_y[p0] - assert 0 == 5
========================= 1 failed, 1 passed in 0.02s ==========================
"
    );
    check(
        &input,
        "complete
        tests/test_a.py::TestX::test_y[p0]: failed assertion(AssertionError: assert 0 == 5 @ tests/test_a.py:6)
        tests/test_a.py::test_b: passed",
    );
    let report = &reports(&input)[0];
    let case = report.cases.iter().next().unwrap();
    assert_eq!((case.suite().join("|"), case.name()), ("tests/test_a.py|TestX".to_owned(), "test_y[p0]"));
    assert_eq!((case.lines().first, case.lines().last), (10, 20));
    assert_eq!(report.runner.version.as_deref(), Some("8.3.5"));
    assert_eq!((report.totals.passed, report.totals.failed, report.totals.todo), (Some(1), Some(1), Some(0)));
}

#[test]
fn short_progress_names_no_test() {
    check(
        &format!(
            "{HEAD}tests/test_a.py .F.s   [100%]\n\n{SUMMARY}FAILED tests/test_a.py::test_b - KeyError: 1\n=============== 1 failed, 2 passed, 1 skipped in 0.01s ================\n"
        ),
        "complete
        tests/test_a.py::test_b: failed exception(KeyError: 1)
        * names-hidden",
    );
}

#[test]
fn quiet_runs_have_neither_head_nor_rules() {
    check("..   [100%]\n2 passed in 0.01s\n", "complete\n* names-hidden");
    check(
        &format!("F   [100%]\n{SUMMARY}FAILED t.py::a - assert 1\n"),
        "truncated
        t.py::a: failed assertion(AssertionError: assert 1)
        * no-end",
    );
}

#[test]
fn without_a_summary_the_letters_tell_the_file() {
    check(
        &format!("{HEAD}t.py .\nu.py F   [100%]\n\n{FAILURES}____ X.a[p] ____\nno traceback\n========================= 1 failed, 1 passed in 0.02s ==========================\n").replace("t.py .\n", "t.py .   [ 50%]\n"),
        "complete
        u.py::X::a[p]: failed unknown(: no traceback)
        * names-hidden",
    );
}

#[test]
fn errors_are_set_up_and_teardown() {
    check(
        &format!(
            "{HEAD}t.py::a ERROR   [ 33%]
t.py::b FAILED   [ 66%]
t.py::b ERROR   [ 66%]
t.py::c PASSED   [100%]
t.py::c ERROR   [100%]

{ERRORS}_____________________________ ERROR at setup of a ______________________________
t.py:3: in fix
    assert 0
E   assert 0
____________________________ ERROR at teardown of b ____________________________
t.py:9: in td
    raise ValueError
E   ValueError
{FAILURES}______________________________________ b _______________________________________
t.py:7: in b
    import nope
E   ModuleNotFoundError: No module named 'nope'
{SUMMARY}FAILED t.py::b - ModuleNotFoundError: No module named 'nope'
ERROR t.py::a - assert 0
ERROR t.py::b - ValueError
ERROR t.py::c - KeyError: 1
==================== 1 failed, 1 passed, 3 errors in 0.02s =====================
"
        ),
        "complete
        t.py::a: errored setup(AssertionError: assert 0 @ t.py:3)
        t.py::b: errored teardown(ValueError:  @ t.py:9) import(ModuleNotFoundError: No module named 'nope' @ t.py:7)
        t.py::c: errored teardown(KeyError: 1)",
    );
}

#[test]
fn results_stand_alone_below_live_logs() {
    check(
        &format!(
            "{HEAD}t.py::a \n---- live log call ----\nWARNING  root:t.py:3 FAILED to warm\nPASSED   [ 50%]\nt.py::b no newlineSKIPPED (x)\nt.py::c[a b] textFAILED\n============== 1 failed, 1 passed in 0.02s ===============\n"
        ),
        "complete
        t.py::a: passed
        t.py::c[a b]: failed unknown(: )",
    );
}

#[test]
fn workers_report_in_their_own_form() {
    check(
        &format!(
            "{HEAD}t.py::ok \n[gw0] [ 50%] PASSED t.py::ok \n[gw1] node down: Not properly terminated\n[gw1] [100%] FAILED t.py::die \n\n{FAILURES}_____________________________________ t.py _____________________________________\n[gw1] linux -- Python 3.11.7 /usr/bin/python\nworker 'gw1' crashed while running 't.py::die'\n{SUMMARY}FAILED t.py::die - worker 'gw1' crashed while run...\n========================= 1 failed, 1 passed in 0.52s ==========================\n"
        ),
        "complete
        t.py::ok: passed
        t.py::die: failed crash(: worker 'gw1' crashed while running 't.py::die')",
    );
}

#[test]
fn subtests_are_cases_below_their_test() {
    check(
        &format!(
            "{HEAD}t.py::s SUBPASSED[m] (i=0)   [ 50%]\nt.py::s SUBFAILED[m] (i=1)   [ 50%]\nt.py::s FAILED   [ 50%]\nt.py::T::u PASSED   [100%]\n\n{FAILURES}_________________________________ s [m] (i=1) __________________________________\nt.py:4: in s\n    assert i != 1\nE   assert 1 != 1\n______________________________________ s _______________________________________\ncontains 1 failed subtest\n{SUMMARY}SUBFAILED[m] (i=1) t.py::s - assert 1 != 1\nFAILED t.py::s - contains 1 failed subtest\nSUBFAILED[l] (i=2) t.py::T::u - AssertionError: x\n=============== 3 failed, 1 passed, 1 subtests passed in 0.02s =================\n"
        ),
        "complete
        t.py::s [m] (i=0): passed
        t.py::s [m] (i=1): failed assertion(AssertionError: assert 1 != 1 @ t.py:4)
        t.py::s: failed
        t.py::T::u: failed
        t.py::T::u [l] (i=2): failed assertion(AssertionError: x)",
    );
}

#[test]
fn reruns_are_flaky_and_strict_xpass_is_no_failure() {
    check(
        &format!(
            "{HEAD}t.py::f RERUN   [ 50%]\nt.py::f PASSED   [ 50%]\nt.py::x FAILED   [100%]\n\n{FAILURES}______________________________________ x _______________________________________\n[XPASS(strict)] why\n{SUMMARY}FAILED t.py::x - [XPASS(strict)] why\n===================== 1 failed, 1 passed, 1 rerun in 0.01s =====================\n"
        ),
        "complete
        t.py::f: passed
        t.py::x: xpassed because why
        * flaky",
    );
}

#[test]
fn runs_that_are_broken_off_are_truncated() {
    check(
        &format!(
            "{HEAD}t.py::a PASSED   [ 50%]\nt.py::b \n\n!!!!!!!!!!!!!!!!!!!!!!!!!!!!!! KeyboardInterrupt !!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!\n/srv/t.py:2: KeyboardInterrupt\n============================== 1 passed in 0.14s ===============================\n"
        ),
        "truncated\nt.py::a: passed\n! interrupted -: KeyboardInterrupt",
    );
    check(
        &format!(
            "{HEAD}t.py .\n\n============================== 1 passed in 0.14s ===============================\n!!!!!!!!!!!!!!!!!!!!!!!!!! _pytest.outcomes.Exit: bye !!!!!!!!!!!!!!!!!!!!!!!!!!\n"
        ),
        "truncated\n! interrupted -: _pytest.outcomes.Exit: bye\n* names-hidden",
    );
    check(&format!("{HEAD}t.py ."), "truncated");
    check(
        &format!(
            "{HEAD}t.py F\n\n{SUMMARY}FAILED t.py::a - assert 0\n!!!!!!!!!!!!!!!!!!!!!!!!!! stopping after 1 failures !!!!!!!!!!!!!!!!!!!!!!!!!!!\n============================== 1 failed in 0.01s ===============================\n"
        ),
        "complete\nt.py::a: failed assertion(AssertionError: assert 0)\n* stopped-early",
    );
}

#[test]
fn a_run_that_does_not_start_is_a_problem() {
    check(
        "ERROR: usage: pytest [options] [file_or_dir] [...]\npytest: error: unrecognized arguments: --foo\n",
        "truncated\n! startup -: unrecognized arguments: --foo",
    );
    check(
        "ImportError while loading conftest '/srv/conftest.py'.\nconftest.py:1: in <module>\n    import nope\nE   ModuleNotFoundError: No module named 'nope'\n",
        "truncated\n! import /srv/conftest.py: No module named 'nope'",
    );
    check(
        "Error while loading plugin \"kit\".\nkit.py:3: in pytest_addoption\n    group.addoption(\nE   ValueError: option name --foo already added\n",
        "truncated\n! startup kit: option name --foo already added",
    );
    check(
        "Error while loading plugin \"kit\".\nkit.py:1: in <module>\n    import nope\nE   ModuleNotFoundError: No module named 'nope'\n",
        "truncated\n! import kit: No module named 'nope'",
    );
    check(
        &format!(
            "{HEAD}============================ no tests ran in 0.00s =============================\nERROR: file or directory not found: x\n\n"
        ),
        "complete\n! startup -: file or directory not found: x",
    );
    check(
        &format!("{HEAD}============================ 6 deselected in 0.01s =============================\n"),
        "complete\n! collection -: no tests ran: 6 deselected",
    );
    check(
        &format!(
            "{HEAD}t.py s   [100%]\n\nERROR: a log line\n============================== 1 skipped in 0.00s ==============================\n"
        ),
        "complete",
    );
    check("no pytest here\n5 passed, all fine\n", "empty");
}

#[test]
fn numbers_that_do_not_add_up_are_noted() {
    check(
        &format!(
            "{HEAD}t.py::a PASSED   [100%]\n============================== 2 passed in 0.02s ===============================\n"
        ),
        "complete\nt.py::a: passed\n* totals-mismatch",
    );
    check(
        "============================== 2 passed in 0.02s ===============================\n",
        "complete\n* head-missing\n* names-hidden",
    );
}

#[test]
fn no_prefix_and_no_damage_panics() {
    let input = format!(
        "{HEAD}t.py::a[é] FAILED   [100%]\n{FAILURES}__ a[é] __\nE   assert \u{1f600}\n{STDOUT}x\n{SUMMARY}FAILED t.py::a[é] - assert\n=== 1 failed in 0.01s ===\n"
    );
    let format = Format::find("pytest").unwrap();
    for at in 0..input.len() {
        let prefix = parse(format, &input.as_bytes()[..at], &Options::default());
        assert!(prefix.iter().all(|report| report.totals.passed.unwrap_or(0) == 0), "prefix of {at} bytes");
        let mut damaged = input.clone().into_bytes();
        damaged[at] ^= 0x55;
        assert!(!parse(format, &damaged, &Options::default()).is_empty());
    }
}

#[test]
fn an_unexpected_success_of_unittest_is_no_failure() {
    let input = format!(
        "{HEAD}t.py::T::a FAILED

{FAILURES}_____________________________________ T.a ______________________________________
Unexpected success
{SUMMARY}FAILED t.py::T::a - Failed: Unexpected success
============================== 1 failed in 0.02s ===============================
"
    );
    check(&input, "complete\nt.py::T::a: xpassed");
}

#[test]
fn the_last_try_of_a_test_counts() {
    let input = format!(
        "{HEAD}t.py::a PASSED  [ 50%]
t.py::a RERUN  [ 50%]
t.py::a PASSED  [ 50%]
t.py::a ERROR  [ 50%]
t.py::b RERUN  [100%]
t.py::b PASSED  [100%]

{ERRORS}___________________________ ERROR at teardown of a ____________________________
E   ValueError: x

t.py:3: ValueError
{SUMMARY}ERROR t.py::a - ValueError: x
================== 3 passed, 1 error, 2 rerun in 0.02s ========================
"
    );
    check(
        &input,
        "complete
        t.py::a: errored teardown(ValueError: x @ t.py:3)
        t.py::b: passed
        * flaky",
    );
}

#[test]
fn a_shell_that_finds_no_pytest_is_a_problem() {
    for text in ["/usr/bin/python3: No module named pytest", "bash: line 1: pytest: command not found"] {
        check(&format!("{text}\n"), &format!("truncated\n! startup -: {text}"));
    }
    check("bash: line 1: npm: command not found\n", "empty");
}

#[test]
fn a_dying_process_speaks_on_any_line() {
    let input = format!(
        "{HEAD}t.py::a PASSED\nt.py::b Fatal Python error: Segmentation fault\n\nCurrent thread 0x7f\n"
    );
    check(&input, "truncated\nt.py::a: passed\n! crash -: Fatal Python error: Segmentation fault");
}

#[test]
fn raw_text_has_the_class_of_the_summary() {
    let input = format!(
        "{HEAD}t.py::a FAILED
t.py::b FAILED

{FAILURES}______________________________________ a _______________________________________
out of range
and more
______________________________________ b _______________________________________
async def functions are not natively supported.
You need a plugin
{SUMMARY}FAILED t.py::a - Failed: out of ra...
FAILED t.py::b
============================== 2 failed in 0.02s ===============================
"
    );
    let report = reports(&input).remove(0);
    let said: Vec<_> = report.cases.iter().map(|case| case.failures()[0].clone()).collect();
    assert_eq!((said[0].kind.word(), said[0].error.as_deref()), ("assertion", Some("Failed")));
    assert_eq!(said[0].message.as_deref(), Some("out of range\nand more"));
    assert_eq!(said[1].kind.word(), "startup");
}

#[test]
fn an_error_in_source_shows_its_place_first() {
    check(
        &format!(
            "{HEAD}t.py F\n\n{FAILURES}/srv/t.py:3:   File \"<string>\", line 1\n{SUMMARY}FAILED t.py::a -   File \"<string>\", line 1\n========================= 1 failed in 0.02s ==========================\n"
        ),
        "complete
        t.py::a: failed syntax(SyntaxError:   File \"<string>\", line 1)",
    );
}

#[test]
fn a_coroutine_that_nobody_runs_did_not_start() {
    let end = "========================= 1 failed in 0.02s ==========================\n";
    let message = "Failed: async def functions are not natively";
    let place = "/opt/venv/lib/_pytest/python.py:177";
    check(
        &format!("{HEAD}t.py F\n\n{FAILURES}async def functions are not natively supported.\nYou need to install a suitable plugin\n{place}: {message} supported.\n{SUMMARY}FAILED t.py::a - {message}...\n{end}"),
        "complete
        t.py::a: failed startup(Failed: async def functions are not natively supported. @ /opt/venv/lib/_pytest/python.py:177)",
    );
    // The summary alone, cut to the terminal's width.
    check(
        &format!("{HEAD}t.py F\n\n{SUMMARY}FAILED t.py::a - Failed: async def functions ar...\n{end}"),
        "complete
        t.py::a: failed startup(Failed: async def functions ar...)",
    );
}

#[test]
fn a_reason_is_folded_at_the_edge() {
    check(
        &format!(
            "{HEAD}t.py::a SKIPPED (could not import 'x':\nNo module named\n'x')      [ 50%]\nt.py::b[p] XFAIL (no\nFAILED)   [ 75%]\nt.py::c PASSED   [100%]\n=============== 1 passed, 1 skipped, 1 xfailed in 0.01s ================\n"
        ),
        "complete
        t.py::a: skipped because could not import 'x': No module named 'x'
        t.py::b[p]: xfailed because no FAILED
        t.py::c: passed",
    );
    // With `-s`, output that looks so.
    check(
        &format!(
            "{HEAD}t.py::a SKIPPED (\nPASSED\nt.py::b XFAIL (x\nt.py::c PASSED\n============================== 2 passed in 0.01s ===============================\n"
        ),
        "complete
        t.py::a: passed
        t.py::c: passed",
    );
}

#[test]
fn an_internal_error_may_come_first() {
    check(
        "INTERNALERROR> Traceback (most recent call last):\nINTERNALERROR>   File \"c.py\", line 2\nINTERNALERROR> RuntimeError: hook\n\nno tests ran in 0.17s\n",
        "complete\n! exception -: hook",
    );
}

#[test]
fn a_failure_without_a_trace_is_a_plain_fail() {
    let run = |file: &str, name: &str, raw: &str| {
        format!(
            "{HEAD}{file} F\n\n{FAILURES}{:_^80}\n{raw}\n{SUMMARY}FAILED {file}::{name}\n========================= 1 failed in 0.02s ==========================\n",
            format!(" {name} ")
        )
    };
    check(
        &run("t.py", "test_a", "by request\nof two lines"),
        "complete
        t.py::test_a: failed assertion(Failed: by request
        of two lines)",
    );
    check(
        &run("t.py", "test_a", "Timeout >1.0s"),
        "complete
        t.py::test_a: failed timeout(Failed: Timeout >1.0s)",
    );
    // A word alone is no class here.
    check(&run("t.py", "test_a", "no"), "complete\nt.py::test_a: failed assertion(Failed: no)");
    check(&run("t.py", "test_a", "[XPASS(strict)] known"), "complete\nt.py::test_a: xpassed because known");
    // Items of plugins.
    check(&run("t.py", "ruff", "1 error"), "complete\nt.py::ruff: failed unknown(: 1 error)");
    check(&run("t.yaml", "test_a", "no way"), "complete\nt.yaml::test_a: failed unknown(: no way)");
}

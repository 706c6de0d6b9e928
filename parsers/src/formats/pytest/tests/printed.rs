//! What a test prints is output, however much it looks like the runner.

use super::*;

#[test]
fn output_of_a_test_is_output() {
    // A whole session, printed by a failing test, and after it one that prints an end line.
    check(
        &format!(
            "{HEAD}t.py::a FAILED   [ 50%]
t.py::b FAILED   [100%]

{FAILURES}______________________________________ a _______________________________________
t.py:3: in a
    assert 0
E   assert 0
{STDOUT}{HEAD}x.py::inner FAILED   [100%]
{FAILURES}____________________________________ inner _____________________________________
E   KeyError
{SUMMARY}FAILED x.py::inner - KeyError
============================== 1 failed in 0.01s ===============================
______________________________________ b _______________________________________
t.py:5: in b
    raise TypeError
E   TypeError
{STDOUT}============================== 2 passed in 0.01s ===============================
FAILED x.py::phantom - no
{SUMMARY}FAILED t.py::a - assert 0
FAILED t.py::b - TypeError
============================== 2 failed in 0.02s ===============================
t.py::a PASSED
============================== 2 passed in 0.02s ===============================
"
        ),
        "complete
        t.py::a: failed assertion(AssertionError: assert 0 @ t.py:3)
        t.py::b: failed exception(TypeError:  @ t.py:5)",
    );
}

#[test]
fn an_end_line_that_the_results_contradict_is_not_the_end() {
    check(
        &format!(
            "{HEAD}t.py::a \n=== 5 passed in 0.10s ===\nPASSED\nt.py::b FAILED\n\n{SUMMARY}FAILED t.py::b - assert 0\n========================= 1 failed, 1 passed in 0.02s ==========================\n"
        ),
        "complete
        t.py::a: passed
        t.py::b: failed assertion(AssertionError: assert 0)",
    );
}

#[test]
fn two_ends_that_both_fit_are_ambiguous() {
    let input = format!(
        "{HEAD}t.py::a PASSED   [ 50%]\n============================== 1 passed in 0.02s ===============================\nt.py::b PASSED   [100%]\n============================== 2 passed in 0.02s ===============================\n"
    );
    assert!(reports(&input)[0].has_note(NoteCode::AmbiguousSummary));
}

#[test]
fn a_section_that_a_test_prints_is_output() {
    let input = format!(
        "{HEAD}t.py::a 
{SUMMARY}FAILED t.py::b - AssertionError: no
========================= 5 passed in 0.02s ==========================
FAILED
t.py::b PASSED

{FAILURES}______________________________________ a _______________________________________

    def test_a():
>       assert 0
E       assert 0

t.py:3: AssertionError
{SUMMARY}FAILED t.py::a - assert 0
========================= 1 failed, 1 passed in 0.02s ==========================
"
    );
    check(
        &input,
        "complete
        t.py::a: failed assertion(AssertionError: assert 0 @ t.py:3)
        t.py::b: passed",
    );
}

#[test]
fn the_short_form_names_no_test() {
    let input = format!(
        "{HEAD}t.py Ft.py::a PASSED [ 50%]
t.py::b FAILED [100%]
.

{SUMMARY}FAILED t.py::a - assert 0
========================= 1 failed, 1 passed in 0.02s ==========================
"
    );
    check(
        &input,
        "complete
        t.py::a: failed assertion(AssertionError: assert 0)
        * names-hidden",
    );
}

#[test]
fn an_end_that_a_running_test_prints_is_none() {
    let end = "========================= 2 passed in 0.02s ==========================\n";
    let input = format!("{HEAD}t.py::a FAILED\nt.py::b hello\n{end}");
    check(&input, "truncated\nt.py::a: failed unknown(: )");
}

#[test]
fn a_result_that_a_running_test_prints_is_none() {
    let end =
        |numbers: &str| format!("========================= {numbers} in 0.02s ==========================\n");
    let printed = format!("{HEAD}t.py::a FAILED\nt.py::b t.py::a PASSED [ 50%]\n");
    check(
        &format!("{printed}{}", end("2 passed")),
        "truncated
        t.py::a: failed unknown(: )
        t.py::b: passed",
    );
    let input = format!(
        "{HEAD}t.py::a t.py::a FAILED [ 50%]\nPASSED\nt.py::b FAILED\n\n{SUMMARY}FAILED t.py::b - assert 0\n{}",
        end("1 failed, 1 passed")
    );
    check(
        &input,
        "complete
        t.py::a: passed
        t.py::b: failed assertion(AssertionError: assert 0)",
    );
}

#[test]
fn a_record_of_a_live_log_is_no_result() {
    let live = "-------------------------------- live log call ---------------------------------\n";
    check(
        &format!(
            "{HEAD}t.py::a \n{live}ERROR    kit:t.py:11 t.py::ghost FAILED\nINFO     kit:t.py:12 =PASSED\nFAILED     [ 50%]\nt.py::b \n{live}ERROR    kit:t.py:15 ERROR ERROR\nPASSED     [100%]\n\n{SUMMARY}FAILED t.py::a - assert 0\n========================= 1 failed, 1 passed in 0.02s ==========================\n"
        ),
        "complete
        t.py::a: failed assertion(AssertionError: assert 0)
        t.py::b: passed",
    );
}

#[test]
fn an_end_below_captured_output_that_neither_fits_nor_adds_up_is_none() {
    let session = |end: &str| {
        format!(
            "{HEAD}t.py::a FAILED   [ 50%]\nt.py::b PASSED   [100%]\n\n{FAILURES}______________________________________ a _______________________________________\nE   assert 0\n{STDOUT}{SUMMARY}FAILED t.py::a - assert 0\n{end}"
        )
    };
    check(
        &session("===== 5 passed in 0.01s =====\n"),
        "truncated
        t.py::a: failed assertion(AssertionError: assert 0)
        t.py::b: passed",
    );
    // As wide as the session, or with its numbers, it is the runner's own.
    for end in [
        "========================= 1 failed, 2 passed in 0.02s ==========================\n",
        "===== 1 failed, 1 passed in 0.02s =====\n",
    ] {
        assert_eq!(reports(&session(end))[0].completeness, Completeness::Complete, "{end}");
    }
}

#[test]
fn a_run_without_a_head_is_told_beside_the_one_with_a_head_that_it_printed() {
    // `pytest -q -s`: a test prints a run of its own liking, and then fails otherwise.
    let printed = format!(
        "{HEAD}x.py F                                                                   [100%]

{FAILURES}____________________________________ inner _____________________________________
E   assert 1 == 2

x.py:2: AssertionError
{SUMMARY}FAILED x.py::inner - assert 1 == 2
============================== 1 failed in 0.01s ===============================
"
    );
    let own = format!(
        "F
{FAILURES}______________________________________ a _______________________________________
E   TypeError

t.py:5: TypeError
{SUMMARY}FAILED t.py::a - TypeError
1 failed in 0.02s
"
    );
    let both = reports(&format!("{printed}{own}"));
    let ids: Vec<_> =
        both.iter().flat_map(|report| report.cases.iter()).map(|case| case.id().to_owned()).collect();
    assert_eq!(ids, ["x.py::inner", "t.py::a"]);
    // Its honest twin: what the tests of a run with a head print below it is none.
    assert_eq!(reports(&format!("{printed}1 failed in 0.02s\n")).len(), 1);
}

#[test]
fn a_bare_end_that_fits_nothing_is_output_where_output_is_shown() {
    let block = |name: &str, said: &str| {
        format!(
            "{:_^80}\nt.py:3: in {name}\n    assert 0\nE   assert 0\n{STDOUT}{said}\n",
            format!(" {name} ")
        )
    };
    // `-qq` prints no end at all.
    check(
        &format!(
            "FF   [100%]\n{FAILURES}{}{}{SUMMARY}FAILED t.py::a - assert 0\nFAILED t.py::b - assert 0\n",
            block("a", "1 failed, 2 passed in 0.03s"),
            block("b", "x")
        ),
        "truncated
        t.py::a: failed assertion(AssertionError: assert 0 @ t.py:3)
        t.py::b: failed assertion(AssertionError: assert 0 @ t.py:3)
        * no-end",
    );
    // `-q -rN` shows no summary: what stands below is the runner's where it fits.
    check(
        &format!("F   [100%]\n{FAILURES}{}1 failed in 0.03s\n", block("a", "1 failed, 2 passed in 0.03s")),
        "complete
        t.py::a: failed assertion(AssertionError: assert 0 @ t.py:3)",
    );
}

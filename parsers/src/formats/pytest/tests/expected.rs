//! Tests that are expected to fail.

use super::*;

#[test]
fn a_test_whose_teardown_failed_too_is_one() {
    check(
        &format!(
            "{HEAD}t.py::a XFAIL (r)   [ 33%]\nt.py::a XFAIL (r)   [ 33%]\nt.py::b XPASS (r)   [ 66%]\nt.py::b XFAIL (r)   [ 66%]\nt.py::c PASSED   [100%]\n=================== 1 passed, 3 xfailed, 1 xpassed in 0.04s ====================\n"
        ),
        "complete
        t.py::a: xfailed because r
        t.py::b: xpassed because r
        t.py::c: passed",
    );
    check(
        &format!(
            "{HEAD}t.py xx   [100%]\n\n{SUMMARY}XFAIL t.py::a - r\nXFAIL t.py::a - r\n============================== 2 xfailed in 0.04s ==============================\n"
        ),
        "complete\nt.py::a: xfailed because r",
    );
}

#[test]
fn one_line_of_a_strict_one_gives_no_place() {
    let run = |version: &str, lines: &str| {
        let end = "=========================== 1 failed, 1 passed in 0.04s ===========================\n";
        format!("{HEAD}t.py F.   [100%]\n\n{FAILURES}{lines}{SUMMARY}FAILED t.py::a\n{end}")
            .replace("8.3.5", version)
    };
    let passed = "complete\nt.py::a: xpassed\n* names-hidden";
    check(&run("8.3.5", "[XPASS(strict)] \n"), passed);
    check(&run("9.2.0", "[XPASS(strict)] \n[XPASS(strict)] \n"), passed);
    // More lines than failures: which one is of this test can't be told.
    check(
        &run("8.3.5", "[XPASS(strict)] \n[XPASS(strict)] \n"),
        "complete\nt.py::a: failed unknown(: )\n* names-hidden",
    );
}

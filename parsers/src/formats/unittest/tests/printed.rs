//! What a test says, where it looks like the runner.

use super::{check, end, section};

#[test]
fn a_docstring_may_look_like_a_line_of_progress() {
    let progress = "test_a (t.T)\ntest_x (u.U) ... FAIL ... ok\ntest_b (t.T) ... ok\n\n";
    check(&(progress.to_owned() + &end(2, "OK")), &["t.T.test_a passed", "t.T.test_b passed"]);
}

#[test]
fn the_word_of_a_fixture_is_not_that_of_the_test_before_it() {
    let run = |said: &str| {
        let of = |error: &str| {
            format!("Traceback (most recent call last):\n  File \"t.py\", line 3, in test_a\n{error}")
        };
        format!("test_a (t.T) ... {said}FAIL\nERROR\n\n")
            + &section("ERROR: tearDownClass (t.T)", &of("ValueError: h"))
            + &section("FAIL: test_a (t.T)", &of("AssertionError: 1"))
            + &end(1, "FAILED (failures=1, errors=1)")
    };
    let want: &[&str] = &["t.T.test_a failed assertion", "! teardown t.T"];
    check(&run(""), want);
    check(&run("printed"), want);
}

#[test]
fn a_call_that_a_test_prints_is_no_name_of_another_layout() {
    let progress = "test_a (t.T.test_a) ... connect (db.Pool) ...ok\ntest_b (t.T.test_b) ... 50% connect (db.Pool) ...\nok\n\n";
    check(&(progress.to_owned() + &end(2, "OK")), &["t.T.test_a passed", "t.T.test_b passed"]);
    let progress = "test_a (t.T.test_a) ... on\nconnect (db.Pool) ...\nok\ntest_b (t.T.test_b) ... ok\n\n";
    check(&(progress.to_owned() + &end(2, "OK")), &["t.T.test_a passed", "t.T.test_b passed"]);
}

#[test]
fn a_docstring_and_a_reason_may_both_hold_dots() {
    let progress = "test_a (t.T.test_a)\nAdds ... things ... skipped 'x ... ok'\n\n";
    check(&(progress.to_owned() + &end(1, "OK (skipped=1)")), &["t.T.test_a skipped"]);
}

//! Layouts and last words of plugins.

use super::*;
use crate::{Feed, Stream, read};

#[test]
fn sugar_has_its_own_head_and_end() {
    check(
        &format!(
            "Test session starts (platform: linux, Python 3.11.7, pytest 7.4.4, pytest-sugar 1.1.1)\nrootdir: /srv\n\n test_a.py ✓   17% █▋\n\n{SUMMARY}FAILED t.py::b - assert 1 == 2\n\nResults (0.05s):\n       4 passed\n       1 failed\n         - t.py:6 b\nlater\n       9 failed\n"
        ),
        "complete
        t.py::b: failed assertion(AssertionError: assert 1 == 2)
        * names-hidden",
    );
}

#[test]
fn pretty_has_the_end_of_sugar() {
    let run = |printed: &str, end: &str| format!("{HEAD}t.py .   [ 50%]\n{printed}t.py .   [100%]\n{end}");
    let want = "complete\n* names-hidden";
    check(&run("", "Results (0.05s):\n         2 passed\n"), want);
    // Where tests print, and where the letters contradict it, it is none.
    check(&run("Results (0.05s):\n         1 passed\n", ""), "truncated");
    check(&run("", "Results (0.05s):\n         3 passed\n"), "truncated");
    let own = "============================== 2 passed in 0.02s ===============================\n";
    check(&run("", &format!("Results (0.05s):\n         3 passed\n{own}")), want);
    // A table parts it from what the last failure printed.
    let input = format!(
        "{HEAD}t.py F   [100%]\n\n{FAILURES}______________________________________ a _______________________________________\nE   assert 0\n{STDOUT}Results (0.01s):\n    9 passed\n    Summary of Failures    \n┏━━━┓\nResults (0.05s):\n         1 failed\n"
    );
    check(&input, "complete\nt.py::a: failed assertion(AssertionError: assert 0)");
}

#[test]
fn a_clock_speaks_on_the_stream_of_the_session() {
    let out = format!(
        "{HEAD}t.py .++++++++++ Timeout ++++++++++\n~~~~ Stack of MainThread (1) ~~~~\n  File \"t.py\", line 7, in a\n++++++++++ Timeout ++++++++++\n"
    );
    let replay = |feed: &mut Feed<'_>| {
        feed.push(out.as_bytes(), Stream::Out);
        Ok::<(), std::convert::Infallible>(())
    };
    let reports = read(Format::find("pytest").unwrap(), &Options::default(), replay).unwrap();
    check_all(&reports, "truncated\n! timeout -: Timeout");
    check(&out, "truncated\n! timeout -: Timeout");
}

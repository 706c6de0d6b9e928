use crate::formats::shown::shown;
use crate::{Feed, Format, Options, Report, Stream};

fn read(input: &str) -> Vec<Report> {
    crate::parse(Format::find("tap").unwrap(), input.as_bytes(), &Options::default())
}

#[track_caller]
fn check(input: &str, want: &[&str]) {
    let reports = read(input);
    assert_eq!(reports.len(), 1, "{reports:#?}");
    assert_eq!(shown(&reports[0]), want, "{input}");
}

#[track_caller]
fn check_both(out: &str, err: &str, want: &[&str]) {
    let replay = |feed: &mut Feed<'_>| {
        feed.push(out.as_bytes(), Stream::Out);
        feed.push(err.as_bytes(), Stream::Err);
        Ok::<(), ()>(())
    };
    let reports = crate::read(Format::find("tap").unwrap(), &Options::default(), replay).unwrap();
    assert_eq!(shown(&reports[0]), want, "{out}\n{err}");
}

#[test]
fn plans_first_and_last() {
    check("1..2\nok 1 - a\nok 2 - b\n", &["a passed", "b passed"]);
    check("TAP version 14\nok 1 - a\nok\n1..2\n", &["a passed", "#2 passed"]);
    check("1234\nok 1 - a\n1..9 are digits\n1..1\nbye\n", &["a passed"]);
}

#[test]
fn a_point_that_was_cut_is_none() {
    check("1..1\nok 1 - a", &["(plan-mismatch)", "Truncated"]);
    check("1..2\nok 1 - a\nok 2 - b # SK", &["a passed", "(plan-mismatch)", "Truncated"]);
    check("ok 1 - a\n1..1", &["a passed"]);
}

#[test]
fn plans_that_do_not_hold() {
    check("ok 1 - a\n", &["a passed", "Truncated"]);
    check("1..2\nok 1 - a\n", &["a passed", "(plan-mismatch)", "Truncated"]);
    check("1..1\nok 1 - a\nok 2 - b\n", &["a passed", "b passed", "(plan-mismatch)"]);
    check("ok 1 - a\n1..2\n", &["a passed", "(plan-mismatch)"]);
    check("ok 1 - a\n1..1\nok 2 - b\n", &["a passed", "b passed", "(plan-mismatch)"]);
    check("1..1\nok 1 - a\n1..1\n", &["a passed", "(plan-mismatch)"]);
    check("ok 1 - a\nok 1 - b\n1..2\n", &["a passed", "b passed", "(plan-mismatch)"]);
    check("1..2\nok 1 - a\n# Looks like you planned 2 tests but ran 1.\n", &["a passed", "(plan-mismatch)"]);
}

#[test]
fn nothing_to_run() {
    check("1..0 # SKIP no db\n", &["! collection -"]);
    check("1..0\n", &["! collection -"]);
    check("hello\n", &["Empty"]);
    check("TAP version 13\n", &["Truncated"]);
}

#[test]
fn directives() {
    check(
        "1..4\nok 1 a # skip\nnot ok 2 b # TODO\nok 3 c # todo x\nnot ok 4 d # SKIP x\n",
        &["a skipped", "b todo", "c todo", "d failed unknown", "(todo-passed)"],
    );
}

#[test]
fn bail_outs() {
    check("TAP version 14\nBail out! no socket\n", &["! startup -", "Truncated"]);
    check(
        "1..2\nok 1 - a\nbail out!\nok 2 - b\n",
        &["a passed", "! interrupted -", "(plan-mismatch)", "Truncated"],
    );
}

#[test]
fn yaml_says_why() {
    let kind = |yaml: &str| {
        let body: String = yaml.lines().map(|line| format!("  {line}\n")).collect();
        let shown = shown(&read(&format!("1..2\nnot ok 1 - a\n  ---\n{body}  ...\nok 2 - b\n"))[0]);
        assert_eq!(shown.last().map(String::as_str), Some("b passed"), "{yaml}");
        shown[0].trim_start_matches("a failed ").to_owned()
    };
    assert_eq!(kind("operator: equal\nexpected: 1\nactual: 2"), "assertion");
    assert_eq!(kind("found: 1\nwanted: 2\ncompare: ==="), "assertion");
    assert_eq!(kind("message: no\ndata:\n  got: 1\n  expect: 2"), "assertion");
    assert_eq!(kind("failureType: 'testCodeFailure'\nerror: 'x'\ncode: 'ERR_ASSERTION'"), "assertion");
    assert_eq!(kind("failureType: 'testCodeFailure'\nerror: 'x'\nname: 'TypeError'"), "exception");
    assert_eq!(kind("failureType: 'testTimeoutFailure'\nerror: 'x'"), "timeout");
    assert_eq!(kind("failureType: 'hookFailed'\nerror: 'x'"), "setup");
    assert_eq!(kind("failureType: 'testCodeFailure'\nerror: \"Cannot find module 'x'\""), "import");
    assert_eq!(kind("failureType: 'cancelledByParent'\nerror: 'x'"), "unknown");
    assert_eq!(kind("error: |-\n  expected: 1\n  1..5\n  not ok 3"), "unknown");
    assert_eq!(kind("duration_ms: 3"), "unknown");
    assert_eq!(kind("  operator: equal\n  stack: |-\n    Error: x\n        at f (/w/a.js:1:2)"), "assertion");
    assert_eq!(kind("at:\n  line: 2\nstack: |\n  a.js:2:5\nsource: |\n  t.ok(0)"), "assertion");
    assert_eq!(kind("type: TypeError\ntapCaught: testFunctionThrow\nsource: |\n  x()"), "exception");
    assert_eq!(kind("name: AssertionError\nassertion: is\nat: 'a.mjs:2:40'"), "assertion");
}

#[test]
fn a_broken_block_ends_with_its_indentation() {
    check("1..2\nnot ok 1 - a\n  ---\n  operator: equal\nok 2 - b\n", &["a failed assertion", "b passed"]);
}

#[test]
fn a_place_is_taken_from_the_stack() {
    let input = "not ok 1 - a\n  ---\n  error: |-\n    two\n    lines\n  code: 'ERR_ASSERTION'\n  stack: |-\n    \
                 Test.run (node:internal/test:7:9)\n    f (file:///w/a.mjs:4:30)\n  ...\n1..1\n";
    let reports = read(input);
    let case = reports[0].cases.iter().next().unwrap();
    let failure = &case.failures()[0];
    assert_eq!((failure.file.as_deref(), failure.line), (Some("/w/a.mjs"), Some(4)));
    assert_eq!(failure.message.as_deref(), Some("two\nlines"));
}

#[test]
fn test_more_names_the_test_that_failed() {
    let points = "ok 1 - a\nnot ok 2 - b\nnot ok 3\nnot ok 4 - c\n1..4\n";
    let said = "#   Failed test 'c'\n#   at t/a.t line 9.\n#          got: '1'\n#     expected: '2'\n\
                #   Failed test 'b'\n#   at t/a.t line 5.\n# Looks like you failed 3 tests of 4.\n";
    let want = ["a passed", "b failed assertion", "#3 failed unknown", "c failed assertion"];
    check_both(points, said, &want);
    check(&format!("{said}{points}"), &want);
    check(&format!("{points}{said}"), &want);
    let unnamed = "#   Failed test at t/a.t line 7.\n";
    check_both("not ok 1\nok 2\n1..2\n", unnamed, &["#1 failed assertion", "#2 passed"]);
}

#[test]
fn other_comments_belong_to_the_failure_before() {
    check("not ok 1 - a\n# E   AssertionError: 1 != 2\n1..1\n", &["a failed assertion"]);
    check("not ok 1 - a\n# t.py:5: TypeError\n1..1\n", &["a failed exception"]);
    check(
        "not ok 1 - a\n# E   AssertionError\n# --- Captured Out ---\n# TypeError: x\n1..1\n",
        &["a failed assertion"],
    );
    check("not ok 1 - a\n# just so\nok 2 - b\n# TypeError: x\n1..2\n", &["a failed unknown", "b passed"]);
}

#[test]
fn results_count_on_standard_output_alone() {
    check_both("ok 1 - a\n1..1\n", "not ok 2 - forged\n1..7\nBail out!\n", &["a passed"]);
    check_both("", "1..1\nok 1 - a\n", &["a passed", "(stream-unexpected)"]);
}

#[test]
fn subtests_stand_before_or_behind_their_point() {
    let want = ["p > a passed", "p > b failed unknown", "p failed", "q passed"];
    check("# Subtest: p\n    ok 1 - a\n    not ok 2 - b\n    1..2\nnot ok 1 - p\nok 2 - q\n1..2\n", &want);
    check("    # Subtest: p\n    1..2\n    ok 1 - a\n    not ok 2 - b\nok 1 - p\nok 2 - q\n1..2\n", &want);
    check("    ok 1 - a\n    not ok 2 - b\n    1..2\nnot ok 1 - p\nok 2 - q\n1..2\n", &want);
    check(
        "1..2\nnot ok 1 - p # time=3ms {\n    ok 1 - a\n    not ok 2 - b\n    1..2\n}\n\nok 2 - q\n",
        &want,
    );
    check("ok 1 - opens {\nok 2 - q\n1..2\n", &["opens { passed", "q passed"]);
    check("    ok 1 - printed\nok 1 - a\n1..1\n", &["a passed"]);
}

#[test]
fn nested_subtests_keep_their_path() {
    let input = "# Subtest: p\n    # Subtest: q\n        ok 1 - a\n        1..1\n    ok 1 - q\n    1..1\nok 1 - p\n1..1\n";
    check(input, &["p > q > a passed", "p > q passed", "p passed"]);
    let reports = read(input);
    let case = reports[0].cases.iter().next().unwrap();
    assert_eq!((case.suite(), case.name()), (&["p".to_owned(), "q".to_owned()][..], "a"));
}

#[test]
fn a_parent_keeps_its_own_failure() {
    let bad_plan = "    1..3\n    ok 1 - a\nnot ok 1 - p\n#   Failed test 'p'\n#   at t line 2.\n1..1\n";
    check(bad_plan, &["p > a passed", "p failed unknown", "(plan-mismatch)"]);
    let own = "    ok 1 - a\n    1..1\nnot ok 1 - p\n  ---\n  operator: equal\n  ...\n1..1\n";
    check(own, &["p > a passed", "p failed assertion"]);
}

#[test]
fn node_counts_files_as_tests() {
    let yaml = "  ---\n  failureType: 'testCodeFailure'\n  exitCode: 1\n  error: 'test failed'\n  ...\n";
    check(
        &format!(
            "TAP version 13\n# Subtest: a\nok 1 - a\n# Error [ERR_X]: Cannot find module 'x'\n\
             # Subtest: /w/b.mjs\nnot ok 2 - /w/b.mjs\n{yaml}# SyntaxError: no\n# Subtest: /w/c.js\n\
             not ok 3 - /w/c.js\n{yaml}# Subtest: /w/d.js\nok 4 - /w/d.js\n1..4\n\
             # tests 4\n# suites 0\n# pass 2\n# fail 2\n# cancelled 0\n# skipped 0\n# todo 0\n"
        ),
        &["a passed", "! import /w/b.mjs", "! syntax /w/c.js", "(left-out)"],
    );
}

#[test]
fn node_names_files_relative_to_where_it_runs() {
    let none = "# Subtest: a.test.mjs\nok 1 - a.test.mjs\n  ---\n  type: 'test'\n  ...\n1..1\n\
                # tests 1\n# suites 0\n# pass 1\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0\n";
    check(none, &["! collection -", "(left-out)"]);
    let failed = |more: &str| {
        format!(
            "# Subtest: t/a.mjs\nnot ok 1 - t/a.mjs\n  ---\n  failureType: 'testCodeFailure'\n{more}  ...\n1..1\n"
        )
    };
    check(&failed("  location: '/w/t/a.mjs:1:1'\n  exitCode: 1\n"), &["! unknown t/a.mjs"]);
    check(&failed("  location: '/w/x.mjs:4:1'\n  operator: 'equal'\n"), &["t/a.mjs failed assertion"]);
    check("# Subtest: draws App.tsx\nok 1 - draws App.tsx\n1..1\n", &["draws App.tsx passed"]);
}

#[test]
fn a_trailer_is_the_runner_s_claim() {
    let trailer = "# tests 2\n# suites 0\n# pass 1\n# fail 1\n# cancelled 0\n# skipped 0\n# todo 0\n";
    let report = read(&format!("ok 1 - a\nnot ok 2 - b\n1..2\n{trailer}")).remove(0);
    assert_eq!((report.totals.passed, report.totals.failed, report.totals.todo), (Some(1), Some(1), Some(0)));
    check(
        &format!("ok 1 - a\nok 2 - b\n1..2\n{trailer}"),
        &["a passed", "b passed", "(totals-mismatch)", "(totals-mismatch)"],
    );
    check(
        &format!("ok 1 - a\nok 1 - b\n1..2\n{}", trailer.replace("s 1", "s 2").replace("l 1", "l 0")),
        &["a passed", "b passed"],
    );
}

#[test]
fn several_documents_are_several_sessions() {
    let reports = read("TAP version 13\nok 1 - a\n1..1\nTAP version 13\nok 1 - b\n1..1\n");
    assert_eq!(reports.len(), 2);
    assert!(reports.iter().all(|report| report.session_lines.is_some()));
}

#[test]
fn prove_adds_scripts_up() {
    let input = "t/a.t .. \n1..1\nok 1 - a\nok\nt/b.t .. \nok 1 - a\nnot ok 2 - b\n1..2\n\
                 Dubious, test returned 1 (wstat 256, 0x100)\nFailed 1/2 subtests \nt/c.t .. \n\
                 Dubious, test returned 2 (wstat 512, 0x200)\nNo subtests run \nt/d.t .. skipped: no db\n\n\
                 Test Summary Report\n-------------------\nt/b.t (Wstat: 256)\nFiles=4, Tests=3, 0 wallclock secs\n\
                 Result: FAIL\n";
    let died = "Can't locate Nope.pm in @INC (x) at t/c.t line 1.\nBEGIN failed--compilation aborted at t/c.t line 1.\n\
                #   Failed test 'b'\n#   at t/b.t line 3.\n";
    let want =
        ["t/a.t > a passed", "t/b.t > a passed", "b failed assertion", "t/d.t skipped", "! import t/c.t"];
    check_both(input, died, &want);
    check(&format!("{died}{input}"), &want);
    check("t/a.t .. \n1..1\nok 1 - a\nok\n", &["a passed", "Truncated"]);
}

#[test]
fn what_could_not_start() {
    check("sh: 1: tape: not found\n", &["! startup -", "Empty"]);
    check_both("", "Error: Cannot find module './x'\n", &["! import -", "Empty"]);
    check_both(
        "ok 1 - a\n",
        "oops at t/b.t line 3.\n# Looks like your test exited with 255 just after 1.\n",
        &["a passed", "! exception t/b.t", "Truncated"],
    );
}

#[test]
fn nesting_and_names_are_bounded() {
    let deep: String =
        (0..100_000).map(|depth| format!("{}ok 1 - a\n", " ".repeat(4 * (depth % 50)))).collect();
    let _ = read(&deep);
    let long = format!("    1..1\n    ok 1 - a\nok 1 - {}\n1..1\n", "é".repeat(1000));
    let report = read(&long).remove(0);
    let ids: Vec<_> = report.cases.iter().map(|case| case.id().len()).collect();
    assert_eq!(ids, [512 + " > a".len(), 2000]);
    assert_eq!(report.notes.len(), 1);
}

#[test]
fn mocha_prints_plain_lines() {
    let input = "not ok 1 a\n  Not so:\n  \n  TypeError: x\n  AssertionError [ERR_ASSERTION]: Not so:\n  \n  TypeError: x\n  \n\
                 \x20     at Context.<anonymous> (t/x.js:3:49)\nnot ok 2 b\n  null\n  TypeError: null\n      at f (t/x.js:9:1)\n\
                 ok 3 c\n# tests 3\n# pass 1\n# fail 2\n1..3\n";
    check(input, &["a failed assertion", "b failed exception", "c passed"]);
    let report = read(input).remove(0);
    assert_eq!((report.totals.passed, report.totals.failed), (Some(1), Some(2)));
    let failure = &report.cases.iter().next().unwrap().failures()[0];
    assert_eq!((failure.file.as_deref(), failure.line), (Some("t/x.js"), Some(3)));
    // Neither an error without a stack nor one behind other output speaks.
    check("not ok 1 a\n  AssertionError: x\n1..1\n", &["a failed unknown"]);
    check("not ok 1 a\nsaid\n  AssertionError: x\n      at f (t/x.js:9:1)\n1..1\n", &["a failed unknown"]);
    // Numbers that other lines part from the plan are output.
    let printed = read("ok 1 a\n# tests 9\n# pass 9\n# fail 0\nsaid\n1..1\n").remove(0);
    assert_eq!(printed.totals.passed, None);
}

#[test]
fn bats_says_which_command_failed() {
    let input = "1..4\nnot ok 1 eq\n# (in test file a.bats, line 3)\n#   `[ \"$output\" = b ]' failed\n# Error: x\n\
                 not ok 2 cmd\n# (in test file a.bats, line 5)\n#   `nope' failed with status 127\n\
                 not ok 3 s\n# (from function `assert' in file h.bash, line 1,\n#  from function `setup' in test file a.bats, line 1)\n#   `assert x' failed\n\
                 not ok 4 t\n# (from function `teardown' in test file a.bats, line 1)\n#   `false' failed\n\
                 not ok 5 f\n# (in test file a.bats, line 7)\n#   `grep -q x y' failed\n# AssertionError: x\n";
    check(
        &input.replace("1..4", "1..5"),
        &[
            "eq failed assertion",
            "cmd failed exception",
            "s failed setup",
            "t failed teardown",
            "f failed unknown",
        ],
    );
}

#[test]
fn a_script_that_dies_in_prove_is_a_problem() {
    let dubious = "boom at t/b.t line 1.\nt/b.t .. \nok 1 - b1\nDubious, test returned 255 (wstat 65280, 0xff00)\n\
                   All 1 subtests passed \n\nTest Summary Report\n-------------------\n\
                   t/b.t (Wstat: 65280 (exited 255) Tests: 1 Failed: 0)\nFiles=1, Tests=1,  1 wallclock secs\nResult: FAIL\n";
    check(dubious, &["b1 passed", "! exception t/b.t"]);
    let killed = "t/h.t .. \n1..2\nok 1 - h1\nFailed 1/2 subtests \n\nTest Summary Report\n-------------------\n\
                  t/h.t (Wstat: 9 (Signal: KILL) Tests: 1 Failed: 0)\nFiles=1, Tests=1,  0 wallclock secs\nResult: FAIL\n";
    check(killed, &["h1 passed", "! crash t/h.t", "(plan-mismatch)"]);
}

#[test]
fn a_wrong_plan_explains_the_exit_of_its_script() {
    let run = |said: &str| {
        format!(
            "{said}t/p.t .. \n1..3\nok 1 - a\nDubious, test returned 255 (wstat 65280, 0xff00)\nFailed 2/3 subtests \n\
             Files=1, Tests=1,  0 wallclock secs\nResult: FAIL\n"
        )
    };
    let planned = "# Looks like you planned 3 tests but ran 1.\n";
    check(&run(planned), &["a passed", "(plan-mismatch)"]);
    check(&run(""), &["a passed", "! unknown t/p.t", "(plan-mismatch)"]);
    check(
        &run(&format!("{planned}# Looks like your test exited with 255 just after 1.\n")),
        &["a passed", "! unknown t/p.t", "(plan-mismatch)"],
    );
    check(
        &run(&format!("boom at t/p.t line 2.\n{planned}")),
        &["a passed", "! exception t/p.t", "(plan-mismatch)"],
    );
}

#[test]
fn prove_without_names() {
    let quiet = "t/e.t .. ok\nAll tests successful.\nFiles=1, Tests=1,  0 wallclock secs\nResult: PASS\n";
    check(quiet, &["Empty"]);
    let failed = "t/a.t .. \nFailed 1/2 subtests \nFiles=1, Tests=2,  0 wallclock secs\nResult: FAIL\n";
    check(failed, &["(totals-mismatch)"]);
    check(
        "t/d.t .. skipped: not today\nFiles=1, Tests=0,  0 wallclock secs\nResult: NOTESTS\n",
        &["t/d.t skipped"],
    );
}

#[test]
fn a_hook_that_fails_behind_its_children_tears_down() {
    let hook = |child: &str| {
        format!(
            "1..1\n# Subtest: g\n    # Subtest: x\n    {child}    1..1\nnot ok 1 - g\n  ---\n  type: 'suite'\n  failureType: 'hookFailed'\n  error: 'a'\n  ...\n"
        )
    };
    check(&hook("ok 1 - x\n"), &["g > x passed", "g failed teardown"]);
    let cancelled = "not ok 1 - x\n      ---\n      failureType: 'cancelledByParent'\n      error: 'cancelled'\n      ...\n";
    check(&hook(cancelled), &["g > x failed unknown", "g failed setup"]);
}

#[test]
fn of_a_file_s_process_an_exit_code_tells_nothing() {
    let file = |signal: &str| {
        format!(
            "1..1\n# Subtest: /w/h.mjs\nnot ok 1 - /w/h.mjs\n  ---\n  failureType: 'testCodeFailure'\n  exitCode: 3\n  signal: {signal}\n  error: 'test failed'\n  ...\n"
        )
    };
    check(&file("~"), &["! unknown /w/h.mjs"]);
    check(&file("'SIGKILL'"), &["! crash /w/h.mjs"]);
}

#[test]
fn quoted_text_over_lines_is_no_tap() {
    let block = |value: &str| {
        format!(
            "TAP version 13\n1..2\nnot ok 1 - a\n    ---\n    error:\n        name: \"AssertionError\"\n        message: \"no\"\n\
             \x20   actual: \"{value}\n    ...\nok 2 - b\n"
        )
    };
    check(&block("x\nok 2 - forged\n1..9\n\\\"\""), &["a failed assertion", "b passed"]);
    // A quote that is never closed ends with its block.
    check(&block("x\ny"), &["a failed assertion", "b passed"]);
}

#[test]
fn a_file_of_vitest_is_no_test() {
    let point = |name: &str, class: &str| {
        format!(
            "TAP version 13\n1..1\nnot ok 1 - {name}\n    ---\n    error:\n        name: \"{class}\"\n        message: \"Cannot find module './x'\"\n    ...\n"
        )
    };
    check(&point("a.test.js", "Error"), &["! import a.test.js"]);
    check(&point("a.test.js > x", "Error"), &["a.test.js > x failed import"]);
}

#[test]
fn test2_has_one_blank() {
    check_both("not ok 1 - a\n1..1\n", "# Failed test 'a'\n# at t/a.t line 3.\n", &["a failed assertion"]);
    check_both("not ok 1 - a\n1..1\n", "# Failed tests: 1\n", &["a failed unknown"]);
}

#[test]
fn the_block_of_a_parent_adds_nothing() {
    check(
        "TAP version 14\n# Subtest: a\n    not ok 1 - b\n      ---\n      source: |\n        t.ok(0)\n      ...\n    1..1\n\
         not ok 1 - a\n  ---\n  source: |\n    t.test()\n  ...\n1..1\n",
        &["a > b failed assertion", "a failed"],
    );
}

#[test]
fn what_a_report_says_has_a_place() {
    for (input, line) in [
        ("hello\nBEGIN failed--compilation aborted at t/kit.t line 3.\nbye\n", 2),
        ("t/kit.t .. \n# Subtest: a\nResult: PASS\n", 3),
        ("t/kit.t .. \nFiles=1, Tests=0,  0 wallclock secs\nResult: NOTESTS\n", 2),
    ] {
        let report = read(input).remove(0);
        let lines: Vec<u32> = report.problems.iter().map(|problem| problem.lines.first).collect();
        assert_eq!(lines, [line], "{input}");
    }
    let deep: String = (0..40).map(|level| format!("{}ok 1 - a\n", " ".repeat(4 * level))).collect();
    let report = read(&deep).remove(0);
    let left_out = report.notes.iter().find(|note| note.code == crate::NoteCode::LeftOut).unwrap();
    assert_eq!(left_out.lines, Some(crate::Lines::one(33)));
}

#[test]
fn a_test_that_tape_ends_by_its_clock_failed_on_no_assertion() {
    let failed = |name: &str, at: &str| {
        format!(
            "TAP version 13\n# slow\nnot ok 1 {name}\n  ---\n    operator: fail\n{at}    stack: |-\n      Error: {name}\n          at Test.fail (/w/node_modules/tape/lib/test.js:222:8)\n          at listOnTimeout (internal/timers.js:581:17)\n  ...\n\n1..1\n# tests 1\n# pass  0\n# fail  1\n"
        )
    };
    check(&failed("slow timed out after 50ms", ""), &["slow timed out after 50ms failed timeout"]);
    let at = "    at: Test.<anonymous> (/w/test.js:3:22)\n";
    check(&failed("it timed out after 50ms", at), &["it timed out after 50ms failed assertion"]);
    check(&failed("slow timed out after a while", ""), &["slow timed out after a while failed assertion"]);
}

#[test]
fn a_subtest_may_be_indented_by_tabs() {
    let printed = "1..2\nok 1 - a\n# Subtest: x\n\tnot ok 1 - inner\n\t1..1\nok 2 - x\n";
    let report = read(printed).remove(0);
    let failed: Vec<_> = report
        .cases
        .iter()
        .filter(|case| case.status() == crate::Status::Failed)
        .map(|case| case.id().to_owned())
        .collect();
    assert_eq!(failed, ["x > inner", "x"]);
    // What is indented by tabs and is no TAP stays output.
    let report = read("1..1\nok 1 - a\n\tnot a point\n\tat frame (a.js:1:2)\n").remove(0);
    assert_eq!((report.cases.len(), report.problems.len()), (1, 0));
}

use crate::formats::shown::shown;
use crate::{Format, Kind, NoteCode, Options, Report, parse};

fn read(input: &str) -> Vec<Report> {
    parse(Format::find("jest").unwrap(), input.as_bytes(), &Options::default())
}

#[track_caller]
fn check(input: &str, want: &[&str]) {
    let reports = read(input);
    assert_eq!(reports.len(), 1, "{reports:#?}");
    assert_eq!(shown(&reports[0]), want, "{input}");
}

/// The end of a run, with what stands behind both words.
fn end(suites: &str, tests: &str) -> String {
    format!(
        "\nTest Suites: {suites} total\nTests:       {tests} total\nSnapshots:   0 total\nTime:        1.2 s\nRan all test suites.\n"
    )
}

/// A block of a failure, with the line of source that is marked.
fn block(title: &str, message: &str, source: &str, caret: usize) -> String {
    let caret = " ".repeat(caret);
    format!(
        "  ● {title}\n\n    {message}\n\n    > 3 | {source}\n        | {caret}^\n\n      at Object.<anonymous> (a.test.js:3:1)\n\n"
    )
}

const NO: &str = "expect(received).toBe(expected) // Object.is equality\n\n    Expected: 2\n    Received: 1";

#[test]
fn a_file_that_did_not_load_is_a_problem() {
    let input = format!(
        "PASS ./a.test.js\n  ✓ a (1 ms)\n\nFAIL ./b.test.js\n{}{}",
        block(
            "Test suite failed to run",
            "Cannot find module './nope' from 'b.test.js'",
            "require(\"./nope\")",
            7
        ),
        end("1 failed, 1 passed, 2", "1 passed, 1")
    );
    check(&input, &["a.test.js › a passed", "! import b.test.js"]);
}

#[test]
fn a_file_is_typed_by_what_it_says() {
    for (message, kind) in [
        ("SyntaxError: /w/a.test.js: Unexpected token (2:3)", "syntax"),
        ("Jest encountered an unexpected token\n\n    Jest failed to parse a file.", "syntax"),
        ("a.test.ts:2:7 - error TS2322: Type 'string' is not assignable.", "compile"),
        ("Your test suite must contain at least one test.", "collection"),
        (
            "A jest worker process (pid=7) was terminated by another process: signal=SIGKILL, exitCode=null.",
            "crash",
        ),
        ("Test environment jest-environment-x cannot be found. Make sure", "startup"),
        ("TypeError: Cannot read properties of undefined (reading 'x')", "exception"),
        (NO, "exception"),
    ] {
        let input = format!(
            "FAIL ./a.test.js\n  ● Test suite failed to run\n\n    {message}\n\n{}",
            end("1 failed, 1", "0")
        );
        check(&input, &[&format!("! {kind} a.test.js")]);
    }
}

#[test]
fn a_test_is_typed_by_its_block() {
    for (message, source, caret, kind) in [
        (NO, "  expect(1).toBe(2);", 12, "assertion"),
        ("assert.strictEqual(received, expected)", "  assert.strictEqual(1, 2);", 9, "assertion"),
        ("AssertionError: expected 1 to equal 2", "  (1).should.equal(2);", 13, "assertion"),
        ("TestingLibraryElementError: Unable to find", "  screen.getByText(1);", 9, "assertion"),
        ("expected 3 to be even", "  expect(3).toBeEven();", 12, "assertion"),
        ("no lid", "  throw new Error(\"no lid\");", 8, "exception"),
        ("TestingLibraryElementError: no", "  const error = new Error(text);", 16, "assertion"),
        (
            "TypeError: expect(received).toMatch(expected)\n\n    Matcher error: no",
            "  expect(1).toMatch(1)",
            12,
            "assertion",
        ),
        ("TypeError: expect(...).toBeEven is not a function", "  expect(1).toBeEven()", 12, "exception"),
        ("Hooks cannot be defined inside tests.", "test(\"a\", () => { beforeEach(f); });", 18, "exception"),
        ("TypeError: x is not a function", "  x();", 2, "exception"),
        ("thrown: 42", "test(\"a\", () => { throw 42; });", 0, "exception"),
        ("Cannot find module './b' from 'a.test.js'", "  const b = require('./b');", 12, "import"),
        (
            "Cannot find module './b' from 'a.js'",
            "  throw new Error(\"Cannot find module './b' from 'a.js'\");",
            8,
            "exception",
        ),
        (NO, "  throw new Error(text);", 8, "exception"),
        ("AssertionError: no", "  throw new Error(\"AssertionError: no\");", 8, "exception"),
        ("thrown: \"Exceeded timeout of 5000 ms for a test.", "test(\"a\", () => {", 0, "timeout"),
        ("Exceeded timeout of 5 ms for a test", "  throw new Error(message);", 8, "exception"),
        ("expect(received).toMatch(expected)\n\n    \"error TS1: x\"", "  same(text);", 2, "assertion"),
        ("expected 3 to be even", "  }).toBeEven();", 5, "assertion"),
        ("thrown: \"Exceeded timeout of 20 ms for a hook.", "  beforeEach(() => {", 2, "timeout"),
        ("no lid", "beforeAll(() => { throw new Error(\"no lid\"); });", 24, "setup"),
        (NO, "beforeEach(() => { expect(1).toBe(2); });", 29, "setup"),
        ("thrown: 42", "beforeEach(() => {", 0, "setup"),
        (NO, "afterEach(() => { expect(1).toBe(2); });", 28, "teardown"),
    ] {
        let input = format!(
            "FAIL ./a.test.js\n{}{}",
            block("a", message, source, caret),
            end("1 failed, 1", "1 failed, 1")
        );
        check(&input, &[&format!("a.test.js › a failed {kind}")]);
    }
}

#[test]
fn every_failure_of_a_test_is_kept() {
    let two = format!(
        "{}{}",
        block("box › a", NO, "expect(1).toBe(2)", 10),
        block("box › a", "thrown: 42", "afterEach(() => {", 0)
    );
    let input = format!("FAIL ./a.test.js\n  box\n    ✕ a\n\n{two}{}", end("1 failed, 1", "1 failed, 1"));
    check(&input, &["a.test.js › box › a failed assertion+teardown"]);
}

#[test]
fn a_skipped_test_stays_so_where_a_hook_fails_it() {
    let all = ["a", "b", "c"]
        .map(|name| block(name, "no lid", "beforeAll(() => { throw new Error(\"no lid\"); });", 24));
    let input = format!(
        "FAIL ./a.test.js\n  ✕ a\n  ○ skipped b\n  ✎ todo c\n\n{}{}",
        all.concat(),
        end("1 failed, 1", "1 failed, 1 skipped, 1 todo, 3")
    );
    check(&input, &["a.test.js › a failed setup", "a.test.js › b skipped", "a.test.js › c todo"]);
}

#[test]
fn tests_of_one_name_are_counted() {
    let two = format!("{0}{0}", block("a", NO, "expect(1).toBe(2)", 10));
    let input = format!("FAIL ./a.test.js\n  ✕ a\n  ✕ a\n\n{two}{}", end("1 failed, 1", "2 failed, 2"));
    check(&input, &["a.test.js › a failed assertion", "a.test.js › a failed assertion", "(repeated-name)"]);
    let input = format!("FAIL ./a.test.js\n{two}{}", end("1 failed, 1", "2 failed, 2"));
    check(&input, &["a.test.js › a failed assertion", "a.test.js › a failed assertion", "(repeated-name)"]);
    let input = format!("FAIL ./a.test.js\n{two}{}", end("1 failed, 1", "1 failed, 1"));
    check(&input, &["a.test.js › a failed assertion+assertion"]);
}

#[test]
fn a_test_may_be_called_as_what_speaks_of_a_file() {
    let title = "Test suite failed to run";
    let failed = block(title, "no lid", "throw new Error(\"no lid\");", 6);
    let input = format!("FAIL ./a.test.js\n{failed}{}", end("1 failed, 1", "1 failed, 1"));
    check(&input, &[&format!("a.test.js › {title} failed exception")]);
    let input = format!("FAIL ./a.test.js\n{failed}{}", end("1 failed, 1", "1 passed, 1"));
    check(&input, &["! exception a.test.js", "(names-hidden)"]);
}

#[test]
fn what_tests_print_is_no_result() {
    let input = format!(
        "PASS ./a.test.js\n  ● Console\n\n    console.log\n      ✕ not a test\n\n      at Object.log (a.test.js:3:34)\n\n    \
         console.error\n        ● a › b\n\n          expect(received).toBe(expected)\n\nPASS lib/b.test.js\n{}",
        end("2 passed, 2", "3 passed, 3")
    );
    check(&input, &["(names-hidden)"]);
}

#[test]
fn failures_that_are_printed_again_count_once() {
    let failed = format!("FAIL lib/a.test.js\n{}", block("a", NO, "expect(1).toBe(2)", 10));
    let input = format!(
        "{failed}PASS ./b.test.js\nSummary of all failing tests\n{failed}{}",
        end("1 failed, 1 passed, 2", "1 failed, 1 passed, 2")
    );
    check(&input, &["lib/a.test.js › a failed assertion", "(names-hidden)"]);
    let tail = format!(
        "Summary of all failing tests\n{failed}{}",
        end("1 failed, 1 passed, 2", "1 failed, 1 passed, 2")
    );
    check(&tail, &["lib/a.test.js › a failed assertion", "(names-hidden)", "(head-missing)"]);
}

#[test]
fn numbers_that_do_not_agree_are_a_note() {
    check(
        &format!("PASS ./a.test.js\n  ✓ a\n  ✓ b\n{}", end("1 passed, 1", "1 passed, 1")),
        &["a.test.js › a passed", "a.test.js › b passed", "(totals-mismatch)"],
    );
    check(
        &format!("PASS ./a.test.js\n  ✓ a\n{}", end("1 passed, 1", "2 passed, 2")),
        &["a.test.js › a passed", "(totals-mismatch)"],
    );
    check(
        &format!("FAIL ./a.test.js\n{}", end("1 failed, 1", "1 passed, 1")),
        &["! unknown a.test.js", "(names-hidden)"],
    );
    check(
        &format!("FAIL ./a.test.js\n{}", end("1 failed, 1", "1 failed, 1")),
        &["! unknown a.test.js", "(totals-mismatch)"],
    );
}

#[test]
fn an_end_must_be_whole() {
    check(
        "PASS ./a.test.js\n  ✓ a\n\nTest Suites: 1 passed, 1 total\nTests:       1 passed\n",
        &["a.test.js › a passed", "Truncated"],
    );
    check("PASS ./a.test.js\n\nTests:       1 passed, 1 total\n", &["Truncated"]);
    check("a line\n", &["Empty"]);
}

#[test]
fn a_run_that_was_stopped_says_so() {
    let failed = block("a", NO, "expect(1).toBe(2)", 10);
    let input = format!("FAIL ./a.test.js\n{failed}{}", end("1 failed, 1 of 3", "1 failed, 1"));
    check(&input, &["a.test.js › a failed assertion", "(stopped-early)"]);
}

#[test]
fn a_process_that_a_test_ended_crashed() {
    check(
        "PASS ./a.test.js\n  ●  process.exit called with \"0\"\n\n      1 | x\n",
        &["! crash -", "Truncated"],
    );
}

#[test]
fn no_tests_is_a_problem() {
    check(
        "No tests found, exiting with code 1\nRun with `--passWithNoTests` to exit with code 0\n",
        &["! collection -"],
    );
    check("● Validation Error:\n\n  Preset x not found.\n", &["! startup -", "Empty"]);
}

#[test]
fn two_runs_are_two_sessions() {
    let one = format!("PASS ./a.test.js\n  ✓ a\n{}", end("1 passed, 1", "1 passed, 1"));
    let reports = read(&format!("{one}{one}"));
    assert_eq!(reports.len(), 2);
    assert_eq!(reports[1].session_lines.map(|lines| lines.first), Some(9));
}

#[test]
fn an_end_that_agrees_with_nothing_before_it_is_ambiguous() {
    let forged = "Test Suites: 7 passed, 7 total\nTests:       9 passed, 9 total\n";
    let input =
        format!("PASS ./b.test.js\n\n{forged}PASS ./a.test.js\n{}", end("2 passed, 2", "2 passed, 2"));
    check(&input, &["(ambiguous-summary)", "(names-hidden)"]);
}

#[test]
fn a_test_that_should_fail_and_passed() {
    let message =
        "Failing test passed even though it was supposed to fail. Remove `.failing` to remove error.";
    let failed = block("a", message, "test.failing(\"a\", () => {});", 5);
    let input = format!("FAIL ./a.test.js\n  ✕ a\n\n{failed}{}", end("1 failed, 1", "1 failed, 1"));
    check(&input, &["a.test.js › a xpassed"]);
}

#[test]
fn a_second_try_that_passed_is_flaky() {
    let retry = " LOGGING RETRY ERRORS  box a\n RETRY 1 \n\n    no lid\n\n      at x (a.test.js:1:2)\n\n";
    let input = format!("{retry}PASS ./a.test.js\n  box\n    ✓ a\n{}", end("1 passed, 1", "1 passed, 1"));
    check(&input, &["a.test.js › box › a passed", "(flaky)"]);
}

#[test]
fn a_terminal_shows_what_runs_between_the_lines() {
    let runs = "\n RUNS  ./a.test.js\n";
    let numbers =
        "\nTest Suites: 0 of 1 total\nTests:       0 total\nSnapshots:   0 total\nTime:        0 s\n";
    let input = format!(
        "{runs}{numbers}{runs} PASS  ./a.test.js\n{runs}  ✓ a\n{runs}  box\n{runs}    ✓ b\n{runs}\n{runs}{}",
        end("1 passed, 1", "2 passed, 2")
    );
    check(&input, &["a.test.js › a passed", "a.test.js › box › b passed"]);
}

#[test]
fn the_place_of_a_failure_is_the_tests() {
    let input = "FAIL ./a.test.js\n  ● a\n\n    TypeError: no\n    more\n\n      at f (node_modules/x/y.js:1:2)\n      at Object.<anonymous> (lib/a.test.js:7:3)\n";
    let report = read(input).remove(0);
    let case = report.cases.iter().next().unwrap();
    let failure = &case.failures()[0];
    assert_eq!(
        (failure.kind, failure.error.as_deref(), failure.message.as_deref()),
        (Kind::Exception, Some("TypeError"), Some("no\nmore"))
    );
    assert_eq!((failure.file.as_deref(), failure.line), (Some("lib/a.test.js"), Some(7)));
    assert_eq!((failure.lines.first, failure.lines.last), (2, 8));
    assert!(!report.has_note(NoteCode::LeftOut));
}

#[test]
fn a_frame_tells_a_blank_in_a_path_from_a_project() {
    let failed = block("a", NO, "expect(1).toBe(2)", 10);
    let input = format!("FAIL my lib/a.test.js\n{failed}{}", end("1 failed, 1", "1 failed, 1"));
    check(&input, &["lib/a.test.js › a failed assertion"]);
    let input = input.replace("(a.test.js:3", "(my lib/a.test.js:3");
    check(&input, &["my lib/a.test.js › a failed assertion"]);
    let case = read(&input).remove(0);
    assert_eq!(case.cases.iter().next().unwrap().suite(), ["my lib/a.test.js".to_owned()]);
}

#[test]
fn what_is_still_open_after_the_end_is_no_test() {
    let input = format!(
        "PASS ./a.test.js\n  ✓ a\n{}\nJest has detected the following 1 open handle potentially keeping Jest from \
         exiting:\n\n  ●  TCPSERVERWRAP\n\n      1 | x\n",
        end("1 passed, 1", "1 passed, 1")
    );
    check(&input, &["a.test.js › a passed"]);
}

#[test]
fn a_failure_without_title_and_file_is_of_nobody() {
    let input = format!("{}{}", block("", NO, "expect(1).toBe(2)", 10), end("1 failed, 1", "1 failed, 1"));
    check(&input, &["! assertion -"]);
}

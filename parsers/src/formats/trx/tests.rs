use crate::{Format, Options, Report, parse};

fn report(results: &str, rest: &str) -> Report {
    let text = format!(
        "<?xml version=\"1.0\"?>\n<TestRun xmlns=\"http://microsoft.com/schemas/VisualStudio/TeamTest/2010\">\n<Results>\n{results}\n</Results>\n{rest}\n</TestRun>\n"
    );
    parse(Format::find("trx").unwrap(), text.as_bytes(), &Options::default()).remove(0)
}

fn counters(total: u64, executed: u64, passed: u64, failed: u64) -> String {
    format!(
        "<ResultSummary outcome=\"Failed\"><Counters total=\"{total}\" executed=\"{executed}\" passed=\"{passed}\" failed=\"{failed}\" notExecuted=\"0\"/>"
    )
}

fn told(report: &Report) -> Vec<String> {
    let totals = report.totals;
    let mut told = vec![format!(
        "{:?} {:?}",
        report.completeness,
        [totals.failed, totals.passed, totals.skipped].map(Option::unwrap_or_default)
    )];
    for case in report.cases.iter() {
        let kinds: String =
            case.failures().iter().map(|failure| format!(" {}", failure.kind.word())).collect();
        told.push(format!("{} {} {}{kinds}", case.status().word(), case.suite().join("/"), case.id()));
    }
    told.extend(report.problems.iter().map(|problem| format!("! {}", problem.kind.word())));
    told.extend(report.notes.iter().map(|note| format!("* {}", note.code.word())));
    told
}

#[track_caller]
fn check(results: &str, rest: &str, want: &[&str]) {
    assert_eq!(told(&report(results, rest)), want);
}

const ID: &str = "fbef54c5-be85-9e4b-132c-e22e95a1e4ad";

#[test]
fn results_and_their_classes() {
    let results = format!(
        "<UnitTestResult testId=\"{ID}\" testName=\"Adds\" outcome=\"Passed\" duration=\"00:00:00.5\"/>\n\
         <UnitTestResult testName=\"N.D.Sums(x: 1)\" outcome=\"NotExecuted\"/>\n\
         <UnitTestResult testName=\"N.D.Fails\" outcome=\"Failed\"><Output><StdOut>x</StdOut><ErrorInfo>\
         <Message>Assert.True() Failure</Message><StackTrace>   at N.D.Fails() in /w/D.cs:line 7</StackTrace></ErrorInfo></Output></UnitTestResult>"
    );
    let rest = format!(
        "<TestDefinitions><UnitTest id=\"{ID}\"><TestMethod className=\"N.C, X, Version=1.0\" name=\"Adds\"/></UnitTest></TestDefinitions>{}</ResultSummary>",
        counters(3, 2, 1, 1)
    );
    let want = [
        "Complete [1, 1, 1]",
        "passed N.C Adds",
        "skipped N.D N.D.Sums(x: 1)",
        "failed N.D N.D.Fails assertion",
    ];
    check(&results, &rest, &want);
    let report = report(&results, &rest);
    let case = report.cases.iter().nth(2).unwrap();
    assert_eq!(case.lines(), crate::Lines::one(6));
    assert_eq!(case.failures()[0].line, Some(7));
}

#[test]
fn a_result_that_holds_others_is_none() {
    let results = "<UnitTestResult testName=\"Pays\" outcome=\"Failed\"><InnerResults>\
                   <UnitTestResult testName=\"Pays (1)\" outcome=\"Passed\"/></InnerResults></UnitTestResult>";
    check(results, &(counters(1, 1, 1, 0) + "</ResultSummary>"), &["Complete [0, 1, 0]", "passed  Pays (1)"]);
}

#[test]
fn what_the_run_said_is_a_problem() {
    let run = |text: &str| {
        format!(
            "{}<RunInfos><RunInfo outcome=\"Error\"><Text>{text}</Text></RunInfo></RunInfos></ResultSummary>",
            counters(1, 1, 1, 0)
        )
    };
    let one = "<UnitTestResult testName=\"A\" outcome=\"Passed\"/>";
    let crash = "The active test run was aborted. Reason: Test host process crashed";
    check(one, &run(crash), &["Complete [0, 1, 0]", "passed  A", "! crash"]);
    check(one, &run("Exit code indicates failure: '134'."), &["Complete [0, 1, 0]", "passed  A", "! crash"]);
    check(one, &run("Exit code indicates failure: '2'."), &["Complete [0, 1, 0]", "passed  A"]);
    check(
        one,
        &run("TearDown failed for test fixture N.C"),
        &["Complete [0, 1, 0]", "passed  A", "! teardown"],
    );
}

#[test]
fn numbers_that_differ_are_noted() {
    let one = "<UnitTestResult testName=\"A\" outcome=\"Passed\"/>";
    let rest = counters(2, 2, 2, 0) + "</ResultSummary>";
    check(one, &rest, &["Complete [0, 2, 0]", "passed  A", "* totals-mismatch"]);
    check("", &(counters(0, 0, 0, 0) + "</ResultSummary>"), &["Complete [0, 0, 0]", "! collection"]);
}

#[test]
fn a_clock_and_a_hook() {
    let results = "<UnitTestResult testName=\"A\" outcome=\"Timeout\"/><UnitTestResult testName=\"[N.C ClassCleanup]\" outcome=\"Failed\"/>";
    let rest = counters(2, 2, 0, 2) + "</ResultSummary>";
    check(results, &rest, &["Complete [2, 0, 0]", "failed  A timeout", "! teardown"]);
}

#[test]
fn a_file_that_is_cut_off_is_truncated() {
    let text = "<TestRun xmlns=\"http://microsoft.com/schemas/VisualStudio/TeamTest/2010\"><Results>\n<UnitTestResult testName=\"A\" outcome=\"Passed\"/>\n<UnitTestResult testName=\"B\" outcome=\"Pa";
    let report = parse(Format::find("trx").unwrap(), text.as_bytes(), &Options::default()).remove(0);
    assert_eq!(told(&report)[..2], ["Truncated [0, 0, 0]", "passed  A"]);
}

#[test]
fn a_result_without_an_outcome_is_no_pass() {
    let result = |rest: &str| format!("<UnitTestResult testName=\"N.C.a\"{rest}/>");
    check(&result(""), "", &["Complete [0, 0, 0]", "errored N.C N.C.a unknown", "* input-repaired"]);
    check(
        &result(" outcome=\"Odd\""),
        "",
        &["Complete [0, 0, 0]", "errored N.C N.C.a unknown", "* input-repaired"],
    );
}

#[test]
fn a_result_without_a_name_is_told() {
    let result = |outcome: &str| format!("<UnitTestResult testName=\"\" outcome=\"{outcome}\"/>");
    check(&result("Passed"), "", &["Complete [0, 0, 0]", "* nameless-case"]);
    check(&result("Failed"), "", &["Complete [0, 0, 0]", "! unknown", "* nameless-case"]);
}

#[test]
fn a_test_that_is_defined_over_and_over_costs_once() {
    let many = 100_000;
    let result = format!("<UnitTestResult testName=\"a\" testId=\"{ID}\" outcome=\"Passed\"/>").repeat(many);
    let unit = format!("<UnitTest id=\"{ID}\"><TestMethod className=\"N.C\"/></UnitTest>").repeat(many);
    let report = report(&result, &format!("<TestDefinitions>{unit}</TestDefinitions>"));
    assert_eq!(report.cases.len(), many);
    assert!(report.cases.iter().all(|case| case.suite().join(".") == "N.C"));
}

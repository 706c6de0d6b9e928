use crate::formats::shown::shown;
use crate::{Format, Options, Report};

fn read(input: &str) -> Report {
    let reports = crate::parse(Format::find("junit").unwrap(), input.as_bytes(), &Options::default());
    assert_eq!(reports.len(), 1);
    reports.into_iter().next().unwrap()
}

#[track_caller]
fn check(input: &str, want: &[&str]) {
    assert_eq!(shown(&read(input)), want, "{input}");
}

/// A case of a suite, with this in it.
fn case(inner: &str) -> String {
    format!(
        "<testsuite><testcase classname='m.C' name='t'>{inner}</testcase><testcase name='p'/></testsuite>"
    )
}

/// What became of a case with this in it.
#[track_caller]
fn inner(inner: &str, want: &str) {
    assert_eq!(shown(&read(&case(inner)))[0], want, "{inner}");
}

#[test]
fn an_error_alone_is_no_pass() {
    let input = r#"<testsuites tests="2" failures="0" errors="1">
  <testsuite name="src/cart.test.ts" errors="0" failures="0" skipped="0" tests="1">
    <testcase classname="cart adds" name="cart adds" time="0.004"/>
  </testsuite>
  <testsuite name="src/refund.test.ts" errors="1" failures="0" skipped="0" tests="1">
    <testcase classname="Test suite failed to run" name="src/refund.test.ts" time="0">
      <error>Test suite failed to run

Cannot find module './ledger' from 'src/refund.ts'
</error></testcase></testsuite></testsuites>"#;
    check(input, &["cart adds passed", "! import src/refund.test.ts"]);
    let totals = read(input).totals;
    assert_eq!(
        (totals.failed, totals.errored, totals.skipped, totals.passed),
        (Some(0), Some(1), Some(0), None)
    );
}

#[test]
fn suites_nest() {
    let input = r#"<testsuites><testsuite name="auth">
      <testsuite name="auth.login"><testcase classname="auth.login" name="a b"/></testsuite>
      <testcase classname="auth" name="c"/></testsuite></testsuites>"#;
    check(input, &["auth.login.a b passed", "auth.c passed"]);
    let deep =
        format!("{}<testcase name='x'/>{}", "<testsuite>".repeat(100_000), "</testsuite>".repeat(100_000));
    check(&deep, &["x passed"]);
}

#[test]
fn an_empty_failure_is_a_failure() {
    inner("<failure/>", "m.C.t failed unknown");
    inner("<failure></failure>", "m.C.t failed unknown");
    inner("<error/>", "m.C.t errored unknown");
    inner("", "m.C.t passed");
    inner("<failure type='AssertionError'/>", "m.C.t failed assertion");
}

#[test]
fn several_results_in_a_case() {
    inner(
        "<failure type='AssertionError'/><failure>TypeError: x</failure>",
        "m.C.t failed assertion+exception",
    );
    inner("<failure type='AssertionError'/><error type='ValueError'/>", "m.C.t errored assertion+exception");
    inner("<skipped/><failure type='AssertionError'/>", "m.C.t failed assertion");
}

#[test]
fn kinds_by_the_class() {
    inner("<failure type='java.lang.AssertionError' message='x'/>", "m.C.t failed assertion");
    inner("<failure type='org.opentest4j.AssertionFailedError'>x</failure>", "m.C.t failed assertion");
    inner("<error type='java.lang.IllegalStateException' message='x'>y</error>", "m.C.t errored exception");
    inner(
        "<failure type='PHPUnit\\Framework\\ExpectationFailedException'>x</failure>",
        "m.C.t failed assertion",
    );
    inner("<failure type='RSpec::Expectations::ExpectationNotMetError'/>", "m.C.t failed assertion");
    inner("<failure message='x == 1' type='REQUIRE'/>", "m.C.t failed assertion");
    inner("<error message='x' type='REQUIRE'/>", "m.C.t errored exception");
    inner(
        "<failure type='AssertionError' message='ModuleNotFoundError: x'>y</failure>",
        "m.C.t failed assertion",
    );
    inner("<failure type='failure'>no</failure>", "m.C.t failed unknown");
}

#[test]
fn kinds_by_the_text() {
    inner(
        "<failure message='assert 1 == 2'>E x\n\na.py:7: AssertionError</failure>",
        "m.C.t failed assertion",
    );
    inner("<failure message='Boom: x'>E x\n\na.py:7: Boom</failure>", "m.C.t failed exception");
    inner("<failure message='Failed: Timeout (&gt;1.0s) from pytest-timeout.'/>", "m.C.t failed timeout");
    inner("<failure>Error: expect(received).toBe(expected)\n\n1</failure>", "m.C.t failed assertion");
    inner("<failure>TypeError: x is not a function\n    at f</failure>", "m.C.t failed exception");
    inner(
        "<failure message='a.cc:5&#10;Expected equality of these values:' type=''/>",
        "m.C.t failed assertion",
    );
    inner("<failure>panic: x</failure>", "m.C.t failed exception");
    inner("<failure>he said AssertionError: no</failure>", "m.C.t failed unknown");
    let traceback = "Traceback (most recent call last):\n  File \"a.py\", line 3, in t\n    x\nValueError: x";
    inner(&format!("<failure>{traceback}</failure>"), "m.C.t failed exception");
    let hook = traceback.replace("in t", "in setUp");
    inner(&format!("<error type='ValueError'>{hook}</error>"), "m.C.t errored setup");
}

#[test]
fn fixtures() {
    inner(
        "<error message='failed on setup with \"ValueError: x\"'>a.py:1: ValueError</error>",
        "m.C.t errored setup",
    );
    inner("<error message='failed on teardown with \"assert 0\"'>x</error>", "m.C.t errored teardown");
    inner("<failure type='AssertionError' message='Setup failed:&#10;x'/>", "m.C.t failed setup");
    inner(
        "<failure type='AssertionError' message='1 != 2&#10;&#10;Also teardown failed:&#10;x'/>",
        "m.C.t failed assertion+teardown",
    );
}

#[test]
fn skips_and_their_kin() {
    inner("<skipped/>", "m.C.t skipped");
    inner("<skipped type='pytest.xfail' message='x'/>", "m.C.t xfailed");
    inner("<skipped type='todo'/>", "m.C.t todo");
    inner("<failure message='[XPASS(strict)] x'>[XPASS(strict)] x</failure>", "m.C.t xpassed");
    check("<testsuite><testcase name='a' status='notrun'/></testsuite>", &["a skipped"]);
    check("<testsuite><testcase name='a' status='run' result='suppressed'/></testsuite>", &["a skipped"]);
    check("<testsuite><testcase name='a' status='failed'/></testsuite>", &["a failed"]);
    let reason = |xml: &str| read(&case(xml)).cases.iter().next().unwrap().reason().map(str::to_owned);
    assert_eq!(reason("<skipped message='no db'/>").as_deref(), Some("no db"));
    assert_eq!(reason("<skipped>no db</skipped>").as_deref(), Some("no db"));
}

#[test]
fn tries_of_a_test_are_one_case() {
    let tries = |first: &str, second: &str| {
        format!(
            "<testsuite><testcase name='a'>{first}</testcase><testcase name='a'>{second}</testcase></testsuite>"
        )
    };
    let failed = "<failure type='AssertionError'/>";
    check(&tries(failed, ""), &["a passed", "(flaky)"]);
    check(&tries(failed, failed), &["a failed assertion"]);
    check(&tries("", failed), &["a failed assertion"]);
    let torn = "<error message='failed on teardown with \"x\"'/>";
    check(&tries(failed, torn), &["a errored assertion+teardown"]);
    check(&tries("", torn), &["a errored teardown"]);
    inner("<flakyFailure type='AssertionError'><stackTrace>x</stackTrace></flakyFailure>", "m.C.t passed");
    inner(&format!("{failed}<rerunFailure type='E'>x</rerunFailure>"), "m.C.t failed assertion");
    check("<testsuite><testcase name='a'><flakyError/></testcase></testsuite>", &["a passed", "(flaky)"]);
    check(
        "<testsuites><testsuite><testcase name='a'/></testsuite><testsuite><testcase name='a'/></testsuite></testsuites>",
        &["a passed", "a passed", "(repeated-name)"],
    );
}

#[test]
fn what_has_no_name() {
    check("<testsuite><testcase/><testcase name='a'/></testsuite>", &["a passed", "(nameless-case)"]);
    check(
        "<testsuite name='s'><testcase name='' classname='C'><error type='E.X'/></testcase></testsuite>",
        &["! exception C", "(nameless-case)"],
    );
}

#[test]
fn what_broke_outside_a_test() {
    check(
        "<testsuite name='s'><error type='java.lang.Error'>x</error><testcase name='a'/></testsuite>",
        &["a passed", "! exception s"],
    );
    check(
        "<testsuite><testcase classname='' name='tests.test_b'><error message='collection failure'>E   ModuleNotFoundError: No module named 'x'\n</error></testcase></testsuite>",
        &["! import tests.test_b"],
    );
    check(
        "<testsuite><testcase name='setUpClass (m.C)'><error type='ValueError'/></testcase></testsuite>",
        &["! setup m.C"],
    );
    check(
        "<testsuite><testcase name='cart \"before each\" hook for \"a\"'><failure>x</failure></testcase></testsuite>",
        &["! setup cart \"before each\" hook for \"a\""],
    );
    check("<testsuites></testsuites>", &["! collection -"]);
}

#[test]
fn claims_that_do_not_hold() {
    check(
        "<testsuite tests='1' failures='0' errors='0' skipped='0'><testcase name='a'/></testsuite>",
        &["a passed"],
    );
    check("<testsuite tests='2'><testcase name='a'/></testsuite>", &["a passed", "(totals-mismatch)"]);
    check("<testsuite failures='1'><testcase name='a'/></testsuite>", &["a passed", "(totals-mismatch)"]);
    // More than any number holds.
    let most = "99999999999999999999";
    check(
        &format!("<testsuite tests='{most}'><testcase name='a'/></testsuite>"),
        &["a passed", "(totals-mismatch)"],
    );
    check(
        &format!("<testsuite skipped='{most}' disabled='{most}'><testcase name='a'/></testsuite>"),
        &["a passed", "(totals-mismatch)"],
    );
    check(
        "<testsuites failures='0'><testsuite errors='1'><testcase name='a'/></testsuite></testsuites>",
        &["a passed", "(totals-mismatch)"],
    );
    check(
        "<testsuite tests='2' skipped='1'><testcase name='a'><skipped/></testcase><testsuite tests='1'><testcase name='b'/></testsuite></testsuite>",
        &["a skipped", "b passed"],
    );
}

#[test]
fn documents_add_up() {
    let one = "<?xml version='1.0'?>\n<testsuite tests='1' failures='1'><testcase name='a'><failure/></testcase></testsuite>\n";
    let two = "log\n<testsuites failures='2'><testsuite failures='2'><testcase name='b'><failure/></testcase><testcase name='c'><failure/></testcase></testsuite></testsuites>";
    let input = format!("{one}{two}");
    check(&input, &["a failed unknown", "b failed unknown", "c failed unknown"]);
    assert_eq!(read(&input).totals.failed, Some(3));
    check(&format!("{one}<testsuite>"), &["a failed unknown", "Truncated"]);
    check("no xml\n", &["Empty"]);
}

#[test]
fn a_cut_document_keeps_its_cases() {
    check("<testsuite tests='9'><testcase name='a'/><testcase name='b'>", &["a passed", "Truncated"]);
    check(
        "<testsuite><testcase name='b'><failure type='AssertionError'>x",
        &["b failed assertion", "Truncated"],
    );
    check("<testsuite><testcase name='b'><failure type='Asser", &["Truncated"]);
}

#[test]
fn a_test_of_go_says_nothing_beside_its_subtests() {
    let failed = |name: &str, text: &str| {
        format!("<testcase classname='p' name='{name}'><failure message='Failed'>{text}</failure></testcase>")
    };
    let line = "    a_test.go:9: got 1";
    let (parent, middle) = (failed("TestT", ""), failed("TestT/a", "=== RUN   TestT/a"));
    let child = failed("TestT/a/b", line);
    let own = failed("TestT", line);
    let suite = |cases: [&str; 3]| format!("<testsuite>{}</testsuite>", cases.concat());
    check(
        &suite([&parent, &middle, &child]),
        &["p.TestT failed", "p.TestT/a failed", "p.TestT/a/b failed assertion"],
    );
    check(
        &suite([&child, &middle, &parent]),
        &["p.TestT/a/b failed assertion", "p.TestT/a failed", "p.TestT failed"],
    );
    check(&suite([&own, &child, ""]), &["p.TestT failed assertion", "p.TestT/a/b failed assertion"]);
    check(&suite([&parent, "", ""]), &["p.TestT failed unknown"]);
}

#[test]
fn what_other_writers_say() {
    let failure = |message: &str, text: &str| format!("<failure message=\"{message}\">{text}</failure>");
    let playwright = |text: &str| {
        let heading = "  [chromium] › cart.spec.ts:7:5 › removes ─────────────";
        failure("cart.spec.ts:7:5 removes", &format!("<![CDATA[{heading}\n\n    {text}\n]]>"))
    };
    inner(&playwright("Error: expect(received).toBe(expected)"), "m.C.t failed assertion");
    inner(
        &playwright("Error: Timed out 5000ms waiting for expect(locator).toBeVisible()"),
        "m.C.t failed assertion",
    );
    inner(&playwright("TypeError: x is not a function"), "m.C.t failed exception");
    inner(&playwright("Test timeout of 30000ms exceeded."), "m.C.t failed timeout");
    inner(&playwright("Expectations are high"), "m.C.t failed unknown");
    inner(
        &failure("1 failure, see stacktrace", "Failure:\nExpected: 2\n  Actual: 1"),
        "m.C.t failed assertion",
    );
    inner("<failure type='AssertionFailure' message='expected 1 to equal 2'/>", "m.C.t failed assertion");
    check(
        "<testsuite><testcase classname='a.B' name='@BeforeMethod setUp'><error type='X'/></testcase><testcase name='p'/></testsuite>",
        &["p passed", "! setup a.B.@BeforeMethod setUp"],
    );
    let phpunit = "<testcase name='t'><failure type='PHPUnit\\Framework\\ExpectationFailedException'>CTest::t\nFailed asserting.</failure></testcase>";
    let report = read(&format!("<testsuite>{phpunit}</testsuite>"));
    assert_eq!(
        report.cases.iter().next().unwrap().failures()[0].message.as_deref(),
        Some("Failed asserting.")
    );
}

#[test]
fn capitals_hide_no_failure() {
    inner("<Failure message='assert 1 == 2' type='AssertionError'/>", "m.C.t failed assertion");
    inner("<ERROR type='KeyError'>KeyError: 1</ERROR>", "m.C.t errored exception");
    inner("<Skipped/>", "m.C.t skipped");
    inner("<Failures-seen-before/>", "m.C.t passed");
}

#[test]
fn a_case_without_an_assertion_is_noted_where_others_are_counted() {
    let suite = |counts: [&str; 3]| {
        let [p, q, skipped] = counts;
        format!(
            "<testsuite><testcase name='p'{p}/><testcase name='q'{q}/>\
             <testcase name='s'{skipped}><skipped/></testcase></testsuite>"
        )
    };
    let notes = |counts| read(&suite(counts)).notes.iter().map(|it| it.message.clone()).collect::<Vec<_>>();
    let (none, one) = (" assertions='0'", " assertions='1'");
    assert_eq!(notes([one, none, none]), ["`q` passed, and no assertion is counted in it"]);
    assert_eq!(notes([none, none, none]), [""; 0]);
    assert_eq!(notes([one, "", none]), [""; 0]);
}

#[test]
fn an_empty_tag_says_what_an_element_without_content_says() {
    let attributes = [
        "classname='a.B' name='t'",
        "name='t' classname='a.B' time='0.25'",
        "classname='a.B' name='t' file='a.py' line='3'",
        "classname='a.B' name='t' file='b.py'",
        "classname='a.B' name='u' time='1,234.5'",
        "classname='a.B' name=' u '",
        "classname='a.B' name='&lt;u>'",
        "classname='a.B' name=''",
        "classname='' name='t'",
        "classname='t' name='t'",
        "name='t'",
        "classname='a.B' name='t' time='x' time='1'",
        "classname='a.B' name='t' status='skipped'",
        "classname='a.B' name='t' assertions='0'",
        "classname='a.B' name='t' assertions='2'",
        "class='a.B' name='t'",
    ];
    let failed = "<testcase classname='a.B' name='t'><failure/></testcase>";
    let skipped = "<testcase classname='a.B' name='u'><skipped/></testcase>";
    for first in attributes {
        for second in attributes {
            for between in ["", failed, skipped, "<testsuite name='s'>"] {
                let ends = if between.starts_with("<testsuite") { "</testsuite>" } else { "" };
                let document = |end: &str| {
                    format!(
                        "<testsuite name='all' tests='3'>\n<testcase {first}{end}{between}\n<testcase {second}\n{end}{ends}</testsuite>"
                    )
                };
                let (tag, element) = (read(&document("/>")), read(&document("></testcase>")));
                assert_eq!(tag, element, "{}", document("/>"));
                let times = |report: &Report| {
                    report.cases.iter().map(|case| case.duration_seconds()).collect::<Vec<_>>()
                };
                assert_eq!(times(&tag), times(&element), "{}", document("/>"));
            }
        }
    }
}

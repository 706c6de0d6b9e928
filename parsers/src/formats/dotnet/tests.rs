//! Readings of whole outputs, each for one thing.

use crate::{Completeness, Format, Options, Report, Status, Stream, parse, read};

const VSTEST: &str = "Test run for /w/bin/Debug/net10.0/X.dll (.NETCoreApp,Version=v10.0)\n\
                      A total of 1 test files matched the specified pattern.\n";
const PLATFORM: &str = "Running tests from /w/X.dll (net10.0|x64)\n";
const OWN: &str = "xUnit.net v3 In-Process Runner v4.0.2+0c7 (64-bit .NET 10.0.12)\n";

fn dotnet() -> Format {
    Format::find("dotnet").unwrap()
}

fn report(text: &str) -> Report {
    let mut reports = parse(dotnet(), text.as_bytes(), &Options::default());
    assert_eq!(reports.len(), 1);
    reports.remove(0)
}

/// All that was read, a line each: completeness and numbers, cases with kinds, problems, notes.
fn told(report: &Report) -> Vec<String> {
    let count = |count: Option<u64>| count.map_or("-".to_owned(), |count| count.to_string());
    let totals = report.totals;
    let [failed, passed, skipped] = [totals.failed, totals.passed, totals.skipped].map(count);
    let mut told = vec![format!("{:?} {failed} {passed} {skipped}", report.completeness)];
    for case in report.cases.iter() {
        let kinds: String =
            case.failures().iter().map(|failure| format!(" {}", failure.kind.word())).collect();
        told.push(format!("{} {}{kinds}", case.status().word(), case.id()));
    }
    told.extend(report.problems.iter().map(|problem| format!("! {}", problem.kind.word())));
    told.extend(report.notes.iter().map(|note| format!("* {}", note.code.word())));
    told
}

#[track_caller]
fn check(text: &str, want: &[&str]) {
    assert_eq!(told(&report(text)), want, "{text}");
}

/// What is told of one failed test by its message and its stack trace on VSTest's console.
#[track_caller]
fn kind(name: &str, message: &str, stack: &str, want: &str) {
    let stack = if stack.is_empty() { String::new() } else { format!("  Stack Trace:\n  {stack}\n") };
    let text = format!(
        "{VSTEST}  Failed {name} [1 ms]\n  Error Message:\n   {message}\n{stack}\n\
         Failed!  - Failed:     1, Passed:     0, Skipped:     0, Total:     1, Duration: 1 ms - X.dll (net10.0)\n"
    );
    let report = report(&text);
    let kinds: Vec<_> =
        report.cases.iter().flat_map(|case| case.failures()).map(|one| one.kind.word()).collect();
    assert_eq!(kinds.join(" "), want, "{text}");
}

fn end(failed: u64, passed: u64, skipped: u64) -> String {
    let total = failed + passed + skipped;
    let word = if failed > 0 { "Failed" } else { "Passed" };
    format!(
        "\n{word}!  - Failed: {failed}, Passed: {passed}, Skipped: {skipped}, Total: {total}, Duration: 1 s - X.dll (net10.0)\n"
    )
}

fn summary(failed: u64, passed: u64, skipped: u64) -> String {
    let total = failed + passed + skipped;
    format!(
        "\nTest run summary: Failed!\n  total: {total}\n  failed: {failed}\n  succeeded: {passed}\n  skipped: {skipped}\n  duration: 1s 002ms\n"
    )
}

#[test]
fn a_quiet_run_has_numbers_alone() {
    check(&format!("{VSTEST}{}", end(0, 2, 1)), &["Complete 0 2 1"]);
    check(VSTEST, &["Truncated - - -"]);
    check("hello\n", &["Empty - - -"]);
}

#[test]
fn a_quiet_run_before_one_that_names_its_assemblies_counts() {
    let quiet = end(0, 3, 0).replace("X.dll", "Y.dll");
    check(&format!("{quiet}{VSTEST}{}", end(0, 2, 1)), &["Complete 0 5 1"]);
    // Behind the head it is what a test printed.
    check(&format!("{VSTEST}{quiet}{}", end(0, 2, 1)), &["Complete 0 2 1"]);
}

#[test]
fn rows_and_the_block_of_a_normal_run() {
    let text = format!(
        "{VSTEST}  Passed N.C.A [12 ms]\n  Skipped N.C.B [1 ms]\n  Failed N.C.D [< 1 ms]\n  Error Message:\n   Assert.True() Failure\n\
         \nTest Run Failed.\nTotal tests: 3\n     Passed: 1\n     Failed: 1\n    Skipped: 1\n Total time: 1.5 Seconds\n"
    );
    check(&text, &["Complete 1 1 1", "passed N.C.A", "skipped N.C.B", "failed N.C.D assertion"]);
    let report = report(&text);
    let case = report.cases.iter().next().unwrap();
    assert_eq!((case.suite(), case.name()), (["N.C".to_owned()].as_slice(), "A"));
    assert!((case.duration_seconds().unwrap() - 0.012).abs() < 1e-6);
    assert_eq!(report.cases.iter().nth(2).unwrap().lines(), crate::Lines::new(5, 7));
}

#[test]
fn a_message_is_whole() {
    let text = format!(
        "{VSTEST}  Failed A [1 ms]\n  Error Message:\n     Expected: 3\n  But was:  2\n\n  Stack Trace:\n     at N.C.A()\n"
    );
    let report = report(&text);
    let case = report.cases.iter().next().unwrap();
    assert_eq!(case.failures()[0].message.as_deref(), Some("Expected: 3\n  But was:  2"));
    assert_eq!((case.suite(), case.lines()), (["N.C".to_owned()].as_slice(), crate::Lines::new(3, 9)));
}

#[test]
fn an_aborted_run_is_no_pass() {
    let text = format!(
        "{VSTEST}The active test run was aborted. Reason: Test host process crashed : Fatal error.\n{}Test Run Aborted.\n",
        end(0, 2, 0)
    );
    check(&text, &["Complete 0 2 0", "! crash"]);
    // Without the words that follow it a test printed that.
    let text = format!("{VSTEST}The active test run was aborted. Reason: x\n{}", end(0, 2, 0));
    check(&text, &["Complete 0 2 0"]);
    check(&format!("{VSTEST}\nTest Run Aborted.\n"), &["Truncated - - -", "! crash"]);
    let text = format!(
        "{VSTEST}Aborting test run: test run timeout of 10 milliseconds exceeded.\n{}Test Run Aborted.\n",
        end(0, 1, 0)
    );
    check(&text, &["Complete 0 1 0", "! timeout"]);
}

#[test]
fn an_abort_is_said_on_standard_error() {
    let lines =
        ["The active test run was aborted. Reason: Test host process crashed\n", "Test Run Aborted.\n"]
            .concat();
    let read_with = |said_on| {
        let replay = |feed: &mut crate::Feed<'_>| {
            feed.push(format!("{VSTEST}{}", end(0, 2, 0)).as_bytes(), Stream::Out);
            feed.push(lines.as_bytes(), said_on);
            Ok::<(), ()>(())
        };
        read(dotnet(), &Options::default(), replay).unwrap().remove(0)
    };
    assert_eq!(read_with(Stream::Err).problems.len(), 1);
    assert_eq!(read_with(Stream::Out).problems.len(), 0);
}

#[test]
fn each_assembly_that_began_must_end() {
    let other = VSTEST.replace("X.dll", "Y.dll");
    check(&format!("{VSTEST}{other}{}", end(0, 2, 0)), &["Truncated 0 2 0"]);
    let both = format!("{VSTEST}{other}{}{}", end(0, 2, 0), end(1, 1, 0).replace("X.dll", "Y.dll"));
    check(&both, &["Complete 1 3 0"]);
    let empty = format!(
        "{VSTEST}{other}{}No test is available in /w/bin/Debug/net10.0/Y.dll. Make sure\n",
        end(0, 2, 0)
    );
    check(&empty, &["Complete 0 2 0", "! collection"]);
    // Of an assembly that never began a test speaks.
    check(
        &format!("{VSTEST}No test is available in /w/Z.dll. Make sure\n{}", end(0, 2, 0)),
        &["Complete 0 2 0"],
    );
}

#[test]
fn what_tests_print_is_no_end() {
    let forged = "Passed!  - Failed: 0, Passed: 99, Skipped: 0, Total: 99, Duration: 1 s - X.dll (net10.0)\n";
    check(&format!("{VSTEST}{forged}{}", end(0, 2, 0)), &["Complete 0 2 0"]);
    check(&format!("{VSTEST}{forged}"), &["Truncated - - -"]);
    check(&format!("{VSTEST}\n{forged}{}", end(0, 2, 0)), &["Complete 0 2 0"]);
    let text = format!(
        "{VSTEST}  Failed A [1 ms]\n  Error Message:\n   x\n  Passed B [1 ms]\n  Stack Trace:\n     at N.C.A() in /w/C.cs:line 1\n{}",
        end(1, 0, 0)
    );
    check(&text, &["Complete 1 0 0", "failed A assertion"]);
}

#[test]
fn a_row_that_no_number_counts_stays() {
    // NUnit's inconclusive test.
    let text = format!(
        "{VSTEST}  Passed A [1 ms]\n  Skipped B [1 ms]\n\nTotal tests: 1\n     Passed: 1\n Total time: 1.5 Seconds\n"
    );
    check(&text, &["Complete - 1 -", "passed A", "skipped B"]);
}

#[test]
fn names_go_on_in_the_next_line() {
    check(&format!("{VSTEST}  Passed A (one\ntwo) [1 ms]\n"), &["Truncated - - -", "passed A (one\ntwo)"]);
    check(
        &format!("{VSTEST}  Failed A\n  Error Message:\n   x\n"),
        &["Truncated - - -", "failed A assertion"],
    );
    check("  Failed to restore /w/X.csproj (in 2 sec).\n", &["Empty - - -"]);
    let text = format!("{PLATFORM}passed A(one\ntwo) (1ms)\n  from /w/X.dll (net10.0|x64)\n");
    check(&text, &["Truncated - - -", "passed A(one\ntwo)"]);
}

#[test]
fn a_parent_of_rows_of_data_is_none_of_them() {
    let text = format!(
        "{VSTEST}  Failed Pays [9 ms]\n  Failed Pays (1) [1 ms]\n  Error Message:\n   Assert.AreEqual failed. x\n{}",
        end(1, 0, 0)
    );
    check(&text, &["Complete 1 0 0", "failed Pays (1) assertion"]);
}

#[test]
fn the_platform_names_the_module_below_each_row() {
    let row = "failed A (12ms)\n  from /w/X.dll (net10.0|x64)\n  Assert.Equal() Failure\n    at N.C.A() in /w/C.cs:7\n";
    let over = "/w/X.dll (net10.0|x64) failed with 1 error(s) (1s 464ms)\nExit code: 2\n";
    let text = format!("{PLATFORM}{row}{over}{}", summary(1, 0, 0));
    check(&text, &["Complete 1 0 0", "failed A assertion"]);
    let case = report(&text);
    let case = case.cases.iter().next().unwrap();
    assert_eq!(case.suite(), ["N.C".to_owned()]);
    let failure = &case.failures()[0];
    assert_eq!((failure.file.as_deref(), failure.line), (Some("/w/C.cs"), Some(7)));
    assert_eq!(case.lines(), crate::Lines::new(2, 5));
}

#[test]
fn text_before_the_module_is_the_tests_own() {
    let text = format!(
        "{PLATFORM}failed A (1ms)\n  [Test Failure] InvalidOperationException: log:\npassed B (1ms)\n{}  from /w/X.dll (net10.0|x64)\n",
        summary(0, 9, 0)
    );
    check(&text, &["Truncated - - -", "failed A unknown"]);
}

#[test]
fn a_modules_exit_code_tells_what_nothing_else_does() {
    let run = |code: u64, failed, passed| {
        format!(
            "{PLATFORM}/w/X.dll (net10.0|x64) failed (1s 000ms)\nExit code: {code}\n{}",
            summary(failed, passed, 0)
        )
    };
    check(&run(134, 0, 2), &["Complete 0 2 0", "! crash"]);
    check(&run(3, 0, 2), &["Complete 0 2 0", "! unknown"]);
    check(&run(8, 0, 0), &["Complete 0 0 0", "! collection"]);
    check(&run(9, 0, 2), &["Complete 0 2 0", "! collection"]);
    check(&run(2, 1, 2), &["Complete 1 2 0"]);
}

#[test]
fn a_host_that_left_early_is_no_pass() {
    let text = format!(
        "{PLATFORM}/w/X.dll (net10.0|x64) passed (1s 000ms)\n\
         The following exception occurred when running the test module with RunCommand '/w/X' and RunArguments '':\n\
         System.InvalidOperationException: A test session start event was received without a corresponding test session end.\n{}",
        summary(0, 2, 0)
    );
    check(&text, &["Complete 0 2 0", "! crash"]);
}

#[test]
fn a_program_by_itself_names_no_module() {
    let text = format!(
        "passed A (1ms)\nfailed B (1s 002ms)\n  Assert.True() Failure\n{}",
        summary(1, 1, 0).replace("Failed!", "Failed! - /w/X.dll (net10.0|x64)")
    );
    check(&text, &["Complete 1 1 0", "passed A", "failed B assertion"]);
    check("failed to connect\nskipped lunch\n", &["Empty - - -"]);
}

#[test]
fn the_terminal_logger_makes_errors_of_tests() {
    let text = "    /w/CTests.cs(7): error TESTERROR: \n      N.CTests.Adds (12ms): Error Message: Assert.Equal() Failure\n      Expected: 1\n\
                \x20     Stack Trace:\n         at N.CTests.Adds() in /w/CTests.cs:line 7\n\n\
                Test summary: total: 3, failed: 1, succeeded: 2, skipped: 0, duration: 7.0s\nBuild failed with 1 error(s) in 9.9s\n";
    check(text, &["Complete 1 2 0", "failed N.CTests.Adds assertion"]);
}

#[test]
fn the_platform_run_by_msbuild() {
    let text = "  Run tests: '/w/X.dll' [net8.0|x64]\n\
                /w/C.cs(14): error test failed: N.C.Adds (30ms): Assert.AreEqual failed. x [/w/X.csproj]\n\
                \x20 Failed! - Failed: 1, Passed: 2, Skipped: 0, Total: 3, Duration: 67ms - X.dll (net8.0|x64)\n";
    check(text, &["Complete 1 2 0", "failed N.C.Adds assertion"]);
}

#[test]
fn rows_of_vstest_16() {
    let text = "A total of 1 test files matched the specified pattern.\n  √ N.C.A [3ms]\n  X N.C.B [4ms]\n  Error Message:\n   Assert.Equal() Failure\n  ! N.C.D [1ms]\n\
                \nTest Run Failed.\nTotal tests: 3\n     Passed: 1\n     Failed: 1\n    Skipped: 1\n Total time: 1.3 Seconds\n";
    check(text, &["Complete 1 1 1", "passed N.C.A", "failed N.C.B assertion", "skipped N.C.D"]);
}

#[test]
fn xunits_own_console() {
    let text = format!(
        "{OWN}    N.C.A [FAIL]\n      Assert.True() Failure\n      Stack Trace:\n        C.cs(7,0): at N.C.A()\n    N.C.B [SKIP]\n      why\n\
         === TEST EXECUTION SUMMARY ===\n   X  Total: 4, Errors: 0, Failed: 1, Skipped: 1, Not Run: 0, Time: 1.6s\n"
    );
    check(&text, &["Complete 1 - 1", "failed N.C.A assertion", "skipped N.C.B", "* names-hidden"]);
    let verbose = format!("{OWN}    N.C.A [STARTING]\n    N.C.A [FINISHED] Time: 0.1s\n");
    check(&verbose, &["Truncated - - -", "passed N.C.A"]);
}

#[test]
fn errors_of_the_build() {
    let error = "/w/A/A.cs(7,3): error CS0103: no 'x' [/w/A/A.csproj]\n";
    check(&format!("{error}{error}"), &["Empty - - -", "! compile"]);
    check("/w/A.csproj : error NU1101: no package\n", &["Empty - - -", "! startup"]);
    check("MSBUILD : error MSB1009: Project file does not exist.\n", &["Empty - - -", "! startup"]);
    check("    /w/A.cs(7,3): error CS0103: no 'x'\n", &["Empty - - -", "! compile"]);
    // A project whose tests ran was built, and one from elsewhere is a test's.
    let own = error.replace("A.csproj", "X.csproj");
    check(&format!("{VSTEST}{own}{}", end(0, 1, 0)), &["Complete 0 1 0"]);
    let elsewhere = error.replace("/w/A/", "/src/");
    check(&format!("{VSTEST}{elsewhere}{}", end(0, 1, 0)), &["Complete 0 1 0"]);
    check(&format!("{VSTEST}{error}{}", end(0, 1, 0)), &["Complete 0 1 0", "! compile"]);
}

#[test]
fn hooks_that_no_test_can_be_blamed_for() {
    let text = format!(
        "{VSTEST}TearDown failed for test fixture N.C\nTearDown : System.Exception : x\n{}",
        end(0, 1, 0)
    );
    check(&text, &["Complete 0 1 0", "! teardown"]);
    let text = format!(
        "{VSTEST}[xUnit.net 00:00:02.98]     [Test Class Cleanup Failure (N.C)] System.Exception\n{}",
        end(0, 1, 0)
    );
    check(&text, &["Complete 0 1 0", "! teardown"]);
    let text = format!(
        "{VSTEST}  Failed [N.C ClassCleanup]\n  Error Message:\n   Class Cleanup method C.M failed.\n{}",
        end(1, 1, 0)
    );
    check(&text, &["Complete 1 1 0", "! teardown"]);
}

#[test]
fn a_quiet_console_leaves_the_names_to_xunit() {
    let said = "[xUnit.net 00:00:00.20]     N.C.A [FAIL]\n[xUnit.net 00:00:00.20]     N.C.B [SKIP]\n";
    check(&format!("{VSTEST}{said}{}", end(1, 1, 0)), &["Complete 1 1 0", "failed N.C.A unknown"]);
    check(&format!("{VSTEST}{said}{}", end(0, 1, 0)), &["Complete 0 1 0"]);
}

#[test]
fn kinds_of_xunit() {
    let body =
        "   at N.C.A() in /w/C.cs:line 7\n   at System.Reflection.MethodBaseInvoker.InvokeWithNoArgs()";
    kind("N.C.A", "Assert.Equal() Failure: Values differ", body, "assertion");
    kind("N.C.A", "a plain text", body, "assertion");
    kind("N.C.A", "System.NullReferenceException : x", body, "exception");
    kind("N.C.A", "System.InvalidOperationException : x", "   at N.C..ctor() in /w/C.cs:line 3", "setup");
    kind(
        "N.C.A",
        "System.InvalidOperationException : x",
        "   at N.C.Dispose() in /w/C.cs:line 3",
        "teardown",
    );
    kind(
        "N.C.A",
        "System.InvalidOperationException : x",
        "   at N.D..ctor() in /w/D.cs:line 1\n   at N.C.A() in /w/C.cs:line 7",
        "exception",
    );
    kind("N.C.A", "Class fixture type 'N.F' threw in its constructor", "", "setup");
    kind("N.C.A", "Test execution timed out after 50 milliseconds", "", "timeout");
    kind("N.C.A", "Test execution timed out after 50 milliseconds", body, "assertion");
    let both = "System.AggregateException : One or more errors occurred. (a) (b)\n---- Assert.True() Failure\n---- System.Exception : b";
    let stacks = "----- Inner Stack Trace #1 -----\n   at N.C.A() in /w/C.cs:line 7\n----- Inner Stack Trace #2 -----\n   at N.C.Dispose() in /w/C.cs:line 9";
    kind("N.C.A", both, stacks, "assertion teardown");
}

#[test]
fn kinds_of_nunit() {
    let thrown =
        "   at N.C.A() in /w/C.cs:line 7\n   at System.Reflection.MethodBaseInvoker.InvokeWithNoArgs()";
    let told = "   at N.C.A() in /w/C.cs:line 7";
    kind("A", "  Expected: 1\n  But was:  2", told, "assertion");
    kind("A", "System.InvalidOperationException : x", thrown, "exception");
    // Its own assertion leaves no frame of the runtime.
    kind("A", "System.InvalidOperationException : x", told, "assertion");
    kind("A", "SetUp : System.InvalidOperationException : x", "", "setup");
    kind("A", "  Expected: 1\n  But was:  2\nTearDown : System.Exception : x", told, "assertion teardown");
    kind("A", "  Expected: 1\n  But was:  2", "   at N.C.SetUp() in /w/C.cs:line 7", "setup");
    kind("A", "Test exceeded Timeout value of 150ms", "", "timeout");
}

#[test]
fn kinds_of_mstest_and_tunit() {
    kind("A", "Assert.AreEqual failed. Expected:<1>. Actual:<2>.", "", "assertion");
    kind(
        "A",
        "Test method N.C.A threw exception: \nSystem.Exception: x",
        "   at N.C.A() in /w/C.cs:line 7",
        "exception",
    );
    kind("A", "Test method N.C.A threw exception: \nShouldly.ShouldAssertException: x", "", "assertion");
    kind("A", "Initialization method N.C.M threw exception. System.Exception: x.", "", "setup");
    kind(
        "A",
        "One or more errors occurred. (Assertion failed. x) (TestCleanup method N.C.M threw exception. y.)",
        "",
        "assertion teardown",
    );
    kind("A", "[Test Failure] AssertionException: Expected to be 3", "", "assertion");
    kind("A", "[Test Failure] KeyNotFoundException: x", "", "exception");
    kind("A", "[Test Failure] BeforeTestException: BeforeTest hook failed: x", "", "setup");
    kind("A", "[Test Failure] TestExecutionException: After(Test) hook failed: x", "", "teardown");
}

#[test]
fn the_language_of_the_console_does_not_matter() {
    let text = "Testlauf für \"/w/X.dll\" (.NETCoreApp,Version=v10.0)\nInsgesamt 1 Testdateien stimmten mit dem angegebenen Muster überein.\n\
                \x20 Fehler N.C.A [< 1 ms]\n  Fehlermeldung:\n   Assert.True() Failure\n  Stapelverfolgung:\n     at N.C.A() in /w/C.cs:line 7\n\
                \nFehler!      : Fehler:     1, erfolgreich:     8, übersprungen:     0, gesamt:     9, Dauer: 179 ms - X.dll (net10.0)\n";
    check(text, &["Complete 1 8 0", "failed N.C.A assertion"]);
}

#[test]
fn assertion_libraries_of_the_caller_count() {
    let options = Options { assertion_errors: vec!["OddException".to_owned()], ..Options::default() };
    let text =
        format!("{VSTEST}  Failed N.C.A [1 ms]\n  Error Message:\n   My.OddException : x\n{}", end(1, 0, 0));
    let report = parse(dotnet(), text.as_bytes(), &options).remove(0);
    assert_eq!(report.cases.iter().next().unwrap().failures()[0].kind, crate::Kind::Assertion);
    assert_eq!(report.completeness, Completeness::Complete);
    assert_eq!(report.cases.count(Status::Failed), 1);
}

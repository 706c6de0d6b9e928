//! Outputs of `dotnet test`, and TRX files.

use std::io::Write as _;

use super::outputs::{Output, log_line};

/// A line into memory, which can't fail.
macro_rules! line {
    ($to:expr, $($text:tt)*) => {{
        let _ = writeln!($to, $($text)*);
    }};
}

/// Passing tests on VSTest's console, a line each.
pub(super) const DENSE: Output =
    Output { name: "dotnet, dense", format: "dotnet", bytes_a_case: 55, head, case, noise: None, end };

/// Log lines between the tests and the end.
pub(super) const NOISE: Output =
    Output { name: "dotnet, noise", bytes_a_case: 100_000, noise: Some(log_line), ..DENSE };

/// Passing tests in a TRX file.
pub(super) const TRX_DENSE: Output = Output {
    name: "TRX, dense",
    format: "trx",
    bytes_a_case: 320,
    head: trx_head,
    case: |to, n| trx_case(to, n, 0),
    noise: None,
    end: trx_end,
};

/// The same, with 2 KiB of output each.
pub(super) const TRX_FAT: Output = Output {
    name: "TRX, 2 KiB of output a case",
    bytes_a_case: 2450,
    case: |to, n| trx_case(to, n, 2048),
    ..TRX_DENSE
};

fn head(to: &mut Vec<u8>, _: u64) {
    line!(to, "Test run for /srv/kit/bin/Debug/net10.0/Kit.Tests.dll (.NETCoreApp,Version=v10.0)");
    line!(to, "A total of 1 test files matched the specified pattern.");
}

fn case(to: &mut Vec<u8>, n: u64) {
    line!(to, "  Passed Kit.Tests.ReportTests.Writes_{n:09} [{} ms]", n % 97);
}

fn end(to: &mut Vec<u8>, cases: u64) {
    line!(to, "");
    line!(to, "Test Run Successful.");
    line!(to, "Total tests: {cases}");
    line!(to, "     Passed: {cases}");
    line!(to, " Total time: 61.0200 Seconds");
}

fn trx_head(to: &mut Vec<u8>, _: u64) {
    line!(to, "<?xml version=\"1.0\" encoding=\"utf-8\"?>");
    line!(to, "<TestRun id=\"1\" xmlns=\"http://microsoft.com/schemas/VisualStudio/TeamTest/2010\">");
    line!(to, "  <Results>");
}

fn trx_case(to: &mut Vec<u8>, n: u64, printed: usize) {
    let _ = write!(
        to,
        "    <UnitTestResult executionId=\"{n:032x}\" testId=\"{n:032x}\" testName=\"Kit.Tests.ReportTests.Writes_{n:09}\" \
         computerName=\"kit\" duration=\"00:00:00.0011269\" testType=\"13cdc9d9-ddb5-4fa4-a97d-d965ccfc6d4b\" outcome=\"Passed\""
    );
    if printed == 0 {
        line!(to, " />");
        return;
    }
    let _ = write!(to, "><Output><StdOut>");
    let end = to.len() + printed;
    while to.len() < end {
        log_line(to, n);
    }
    line!(to, "</StdOut></Output></UnitTestResult>");
}

fn trx_end(to: &mut Vec<u8>, cases: u64) {
    line!(to, "  </Results>");
    line!(to, "  <ResultSummary outcome=\"Completed\">");
    line!(to, "    <Counters total=\"{cases}\" executed=\"{cases}\" passed=\"{cases}\" failed=\"0\" />");
    line!(to, "  </ResultSummary>");
    line!(to, "</TestRun>");
}

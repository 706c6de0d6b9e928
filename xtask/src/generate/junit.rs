//! JUnit XML in any size.

use std::io::Write as _;

use super::outputs::Output;

/// Passing tests, a line each.
pub(crate) const JUNIT_DENSE: Output = Output {
    name: "JUnit XML, dense",
    format: "junit",
    bytes_a_case: 105,
    head,
    case: |to, n| {
        let _ = writeln!(
            to,
            "    <testcase classname=\"tests.test_reports.ReportTests\" name=\"test_{n:09}\" time=\"0.0{:02}\"/>",
            n % 100
        );
    },
    noise: None,
    end,
};

/// Passing tests that each printed 2 KB.
pub(crate) const JUNIT_FAT: Output = Output {
    name: "JUnit XML, 2 KB of output a case",
    format: "junit",
    bytes_a_case: 2_250,
    head,
    case: |to, n| {
        let _ = writeln!(
            to,
            "    <testcase classname=\"tests.test_reports.ReportTests\" name=\"test_{n:09}\" time=\"0.012\"><system-out>"
        );
        for line in 0..20 {
            let _ = writeln!(
                to,
                "2026-01-02 03:04:05,{line:03} INFO  app.server handled request {n} in 12 ms path=/api/items?a=1&amp;b=2 ok"
            );
        }
        let _ = writeln!(to, "</system-out></testcase>");
    },
    noise: None,
    end,
};

fn head(to: &mut Vec<u8>, cases: u64) {
    let _ = writeln!(to, "<?xml version=\"1.0\" encoding=\"utf-8\"?>");
    let _ = writeln!(
        to,
        "<testsuites><testsuite name=\"tests\" tests=\"{cases}\" failures=\"0\" errors=\"0\" skipped=\"0\">"
    );
}

fn end(to: &mut Vec<u8>, _: u64) {
    let _ = writeln!(to, "</testsuite></testsuites>");
}

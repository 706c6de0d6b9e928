//! Outputs of runners in any size, block by block.

use std::io::Write as _;

/// How large a block is, about.
const BLOCK: usize = 1 << 16;

/// A kind of output.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    pub(crate) name: &'static str,
    pub(crate) format: &'static str,
    /// How many bytes of output there are for each case, about.
    bytes_a_case: u64,
    head: fn(&mut Vec<u8>, u64),
    case: fn(&mut Vec<u8>, u64),
    /// What comes after each case, or after the cases, until the size is reached.
    noise: Option<fn(&mut Vec<u8>, u64)>,
    end: fn(&mut Vec<u8>, u64),
}

impl Output {
    /// Writes about this many bytes in blocks, as long as `sink` takes them, and returns the number of cases.
    ///
    /// # Errors
    /// Those of `sink`.
    pub(crate) fn write<E>(
        &self,
        bytes: u64,
        mut sink: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<u64, E> {
        let cases = (bytes / self.bytes_a_case).max(1);
        let mut block = Vec::with_capacity(2 * BLOCK);
        let mut written = 0;
        (self.head)(&mut block, cases);
        for case in 0..cases {
            (self.case)(&mut block, case);
            written += flush(&mut block, BLOCK, &mut sink)?;
        }
        if let Some(noise) = self.noise {
            let mut line = 0;
            while written < bytes {
                noise(&mut block, line);
                line += 1;
                written += flush(&mut block, BLOCK, &mut sink)?;
            }
        }
        (self.end)(&mut block, cases);
        flush(&mut block, 1, &mut sink)?;
        Ok(cases)
    }

    /// The same as one piece.
    pub(crate) fn bytes(&self, bytes: u64) -> (Vec<u8>, u64) {
        let mut whole = Vec::with_capacity(usize::try_from(bytes).unwrap_or(0) + 4 * BLOCK);
        let keep = |block: &[u8]| {
            whole.extend_from_slice(block);
            Ok::<(), std::convert::Infallible>(())
        };
        let cases = match self.write(bytes, keep) {
            Ok(cases) => cases,
            Err(never) => match never {},
        };
        (whole, cases)
    }
}

fn flush<E>(block: &mut Vec<u8>, at: usize, sink: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<u64, E> {
    if block.len() < at {
        return Ok(0);
    }
    sink(block)?;
    let written = block.len() as u64;
    block.clear();
    Ok(written)
}

/// A line into memory, which can't fail.
macro_rules! line {
    ($to:expr, $($text:tt)*) => {{
        let _ = writeln!($to, $($text)*);
    }};
}

/// The lines by which `generic` is read, as patterns: success, failure.
pub(crate) const GENERIC_PATTERNS: [&str; 2] = ["^GATE PASSED$", "^GATE FAILED$"];

pub(crate) const OUTPUTS: [Output; 9] = [
    PYTEST_DENSE,
    PYTEST_NOISE,
    UNITTEST_DENSE,
    TAP_DENSE,
    JUNIT_DENSE,
    Output {
        name: "JUnit XML, 2 KB of output a case",
        bytes_a_case: 2_200,
        case: |to, n| {
            line!(to, "{JUNIT_CASE}{n:09}\" time=\"0.001\"><system-out>");
            (0..20).for_each(|line| log_line(to, n + line));
            line!(to, "</system-out></testcase>");
        },
        ..JUNIT_DENSE
    },
    Output {
        name: "TAP, noise",
        format: "tap",
        bytes_a_case: 100_000,
        head: |to, _| line!(to, "TAP version 13"),
        case: |to, n| line!(to, "ok {} - exports number {n:09}", n + 1),
        noise: Some(log_line),
        end: |to, cases| line!(to, "1..{cases}"),
    },
    Output {
        name: "unittest -v, noise",
        format: "unittest",
        bytes_a_case: 100_000,
        head: |_, _| {},
        case: |to, n| line!(to, "test_{n:09} (tests.test_reports.ReportTests.test_{n:09}) ... ok"),
        noise: Some(log_line),
        end: unittest_end,
    },
    Output {
        name: "generic, noise",
        format: "generic",
        bytes_a_case: u64::MAX,
        head: |_, _| {},
        case: |to, _| line!(to, "GATE PASSED"),
        noise: Some(log_line),
        end: |_, _| {},
    },
];

pub(crate) const UNITTEST_DENSE: Output = Output {
    name: "unittest -v, dense",
    format: "unittest",
    bytes_a_case: 70,
    head: |_, _| {},
    case: |to, n| line!(to, "test_{n:09} (tests.test_reports.ReportTests.test_{n:09}) ... ok"),
    noise: None,
    end: unittest_end,
};

pub(crate) const TAP_DENSE: Output = Output {
    name: "TAP, dense",
    format: "tap",
    bytes_a_case: 36,
    head: |to, _| line!(to, "TAP version 13"),
    case: |to, n| line!(to, "ok {} - exports number {n:09}", n + 1),
    noise: None,
    end: |to, cases| line!(to, "1..{cases}"),
};

const JUNIT_CASE: &str = "    <testcase classname=\"tests.test_reports.ReportTests\" name=\"test_";

pub(crate) const JUNIT_DENSE: Output = Output {
    name: "JUnit XML, dense",
    format: "junit",
    bytes_a_case: 94,
    head: |to, cases| {
        line!(to, "<?xml version=\"1.0\" encoding=\"utf-8\"?>");
        line!(to, "<testsuites name=\"pytest tests\" tests=\"{cases}\" failures=\"0\" errors=\"0\">");
        line!(
            to,
            "  <testsuite name=\"pytest\" errors=\"0\" failures=\"0\" skipped=\"0\" tests=\"{cases}\" time=\"61.02\">"
        );
    },
    case: |to, n| line!(to, "{JUNIT_CASE}{n:09}\" time=\"0.001\"/>"),
    noise: None,
    end: |to, _| {
        line!(to, "  </testsuite>");
        line!(to, "</testsuites>");
    },
};

/// `pytest -rA -q`, whose summary names every test.
pub(crate) const PYTEST_SUMMARY: Output = Output {
    name: "pytest -rA",
    head: |to, cases| {
        pytest_head(to, cases);
        line!(to, "=========================== short test summary info ============================");
    },
    case: |to, n| line!(to, "PASSED tests/test_reports.py::ReportTests::test_{n:09}[p{}]", n % 10),
    ..PYTEST_DENSE
};

/// Passing tests, a line each.
pub(crate) const PYTEST_DENSE: Output = Output {
    name: "pytest -v, dense",
    format: "pytest",
    bytes_a_case: 79,
    head: pytest_head,
    case: pytest_case,
    noise: None,
    end: |to, cases| {
        line!(to, "");
        line!(
            to,
            "============================= {cases} passed in 61.02s (0:01:01) ============================="
        );
    },
};

/// One failing test whose captured output is all of it, beside passing ones.
pub(crate) const PYTEST_NOISE: Output = Output {
    name: "pytest -v, noise",
    format: "pytest",
    bytes_a_case: 200_000,
    head: pytest_head,
    case: |to, n| {
        if n > 0 {
            pytest_case(to, n);
            return;
        }
        line!(to, "tests/test_reports.py::test_big FAILED                                   [ 12%]");
    },
    noise: Some(|to, n| {
        if n == 0 {
            line!(to, "");
            line!(to, "=================================== FAILURES ===================================");
            line!(to, "___________________________________ test_big ___________________________________");
            line!(to, "");
            line!(to, "    def test_big():");
            line!(to, ">       assert run() == 1");
            line!(to, "E       assert 0 == 1");
            line!(to, "E        +  where 0 = run()");
            line!(to, "");
            line!(to, "tests/test_reports.py:7: AssertionError");
            line!(to, "----------------------------- Captured stdout call -----------------------------");
        }
        log_line(to, n);
    }),
    end: |to, cases| {
        line!(to, "=========================== short test summary info ============================");
        line!(to, "FAILED tests/test_reports.py::test_big - assert 0 == 1");
        line!(
            to,
            "=================== 1 failed, {} passed in 61.02s (0:01:01) ====================",
            cases - 1
        );
    },
};

fn pytest_head(to: &mut Vec<u8>, cases: u64) {
    line!(to, "============================= test session starts ==============================");
    line!(to, "platform linux -- Python 3.11.7, pytest-8.3.5, pluggy-1.5.0 -- /usr/bin/python3");
    line!(to, "cachedir: .pytest_cache");
    line!(to, "rootdir: /srv/reports");
    line!(to, "collecting ... collected {cases} items");
    line!(to, "");
}

fn pytest_case(to: &mut Vec<u8>, n: u64) {
    line!(to, "tests/test_reports.py::ReportTests::test_{n:09}[p{}] PASSED          [ 12%]", n % 10);
}

fn unittest_end(to: &mut Vec<u8>, cases: u64) {
    line!(to, "");
    line!(to, "----------------------------------------------------------------------");
    line!(to, "Ran {cases} tests in 61.020s");
    line!(to, "");
    line!(to, "OK");
}

fn log_line(to: &mut Vec<u8>, n: u64) {
    line!(
        to,
        "2026-01-02 03:04:05,{:03} INFO  app.server handled request {n} in {} ms path=/api/items status=200",
        n % 1000,
        n % 97
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_has_its_size_and_its_cases() {
        for output in OUTPUTS {
            let (bytes, cases) = output.bytes(1_000_000);
            let off = bytes.len().abs_diff(1_000_000);
            assert!(off < 100_000, "{}: {} bytes", output.name, bytes.len());
            let results = bytes.split(|&byte| byte == b'\n').filter(|line| {
                line.ends_with(b"%]")
                    || line.ends_with(b" ... ok")
                    || line.starts_with(b"ok ")
                    || line.starts_with(JUNIT_CASE.as_bytes())
                    || *line == b"GATE PASSED"
            });
            assert_eq!(results.count() as u64, cases, "{}", output.name);
            assert!(bytes.ends_with(b"\n"), "{}", output.name);
        }
    }

    #[test]
    fn a_sink_that_is_full_ends_the_writing() {
        let mut taken = 0;
        let full = OUTPUTS[0].write(10_000_000, |_| {
            taken += 1;
            if taken == 3 { Err("full") } else { Ok(()) }
        });
        assert_eq!((full, taken), (Err("full"), 3));
    }
}

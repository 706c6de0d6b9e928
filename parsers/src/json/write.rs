//! The JSON of a report again, for large ones: 100 MB of passing lines are 268 MB of JSON, and serde takes twice the
//! time for it that reading the lines took. Only the form of a case that passed is written by hand; all else goes
//! through [`Serialize`], and a test holds the two against each other.

use std::io::{self, Write};

use serde::Serialize;

use super::REPORT_SCHEMA;
use crate::{Case, Cases, Report};

/// How much is collected before it is handed on.
const BLOCK: usize = 64 << 10;

impl Report {
    /// Writes the JSON that [`Serialize`] gives, in large pieces.
    ///
    /// # Errors
    /// Those of `to`.
    pub fn write_json(&self, to: &mut impl Write) -> io::Result<()> {
        let mut out = Vec::with_capacity(2 * BLOCK);
        field(&mut out, "{\"schema\":", REPORT_SCHEMA)?;
        field(&mut out, ",\"format\":", &self.format)?;
        field(&mut out, ",\"runner\":", &self.runner)?;
        field(&mut out, ",\"completeness\":", &self.completeness)?;
        field(&mut out, ",\"totals\":", &self.totals)?;
        out.extend_from_slice(b",\"cases\":[");
        cases(&self.cases, &mut out, to)?;
        out.push(b']');
        field(&mut out, ",\"problems\":", &self.problems)?;
        field(&mut out, ",\"notes\":", &self.notes)?;
        if let Some(lines) = &self.session_lines {
            field(&mut out, ",\"session_lines\":", lines)?;
        }
        out.push(b'}');
        to.write_all(&out)
    }
}

fn field<T: Serialize + ?Sized>(out: &mut Vec<u8>, name: &str, value: &T) -> io::Result<()> {
    out.extend_from_slice(name.as_bytes());
    Ok(serde_json::to_writer(out, value)?)
}

fn cases(cases: &Cases, out: &mut Vec<u8>, to: &mut impl Write) -> io::Result<()> {
    // Cases of one suite follow each other: its JSON is made once for all of them.
    let mut suite: &[String] = &[];
    let mut suite_json = b"[]".to_vec();
    for (at, case) in cases.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        if !std::ptr::eq(suite, case.suite()) {
            suite = case.suite();
            suite_json = serde_json::to_vec(suite)?;
        }
        if is_plain(&case) {
            plain(&case, &suite_json, out)?;
        } else {
            serde_json::to_writer(&mut *out, &case)?;
        }
        if out.len() >= BLOCK {
            to.write_all(out)?;
            out.clear();
        }
    }
    Ok(())
}

/// Whether there is nothing to say of a case but that it ran, and nothing in its id to escape. The name is a part of
/// the id.
fn is_plain(case: &Case<'_>) -> bool {
    // No early end: so the compiler looks at many bytes at once.
    let escapes = |bad: bool, byte: &u8| bad | (*byte < 0x20) | (*byte == b'"') | (*byte == b'\\');
    case.failures().is_empty() && case.reason().is_none() && !case.id().as_bytes().iter().fold(false, escapes)
}

fn plain(case: &Case<'_>, suite: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
    out.extend_from_slice(b"{\"id\":\"");
    out.extend_from_slice(case.id().as_bytes());
    out.extend_from_slice(b"\",\"suite\":");
    out.extend_from_slice(suite);
    out.extend_from_slice(b",\"name\":\"");
    out.extend_from_slice(case.name().as_bytes());
    out.extend_from_slice(b"\",\"status\":\"");
    out.extend_from_slice(case.status().word().as_bytes());
    out.extend_from_slice(b"\",\"failures\":[],\"reason\":null,\"duration_seconds\":");
    match case.duration_seconds() {
        None => out.extend_from_slice(b"null"),
        Some(seconds) => serde_json::to_writer(&mut *out, &seconds)?,
    }
    out.extend_from_slice(b",\"lines\":[");
    let lines = case.lines();
    number(lines.first, out);
    out.push(b',');
    number(lines.last, out);
    out.extend_from_slice(b"]}");
    Ok(())
}

/// Through `write!` the two numbers of a case would cost as much as all else of it.
fn number(mut number: u32, out: &mut Vec<u8>) {
    let mut digits = [0; 10];
    let mut used = 0;
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + u8::try_from(number % 10).unwrap_or(0);
        number /= 10;
        used += 1;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(digits.get(digits.len() - used..).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use crate::{Failure, Format, Kind, Lines, NewCase, Options, Report, Status, parse};

    #[track_caller]
    fn check(report: &Report) {
        let mut written = Vec::new();
        report.write_json(&mut written).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), serde_json::to_string(report).unwrap());
    }

    fn read(format: &str, text: &str) -> Vec<Report> {
        parse(Format::find(format).unwrap(), text.as_bytes(), &Options::default())
    }

    #[test]
    fn what_is_written_is_what_serde_gives() {
        for (format, text) in [
            ("pytest", ""),
            ("tap", "1..2\nok 1 - a\nnot ok 2 - \"b\\\" # TODO x\n"),
            ("tap", "1..2\nok 1 - tab\there é\nok 2 - a # SKIP because\n# Subtest: s\n"),
            (
                "unittest",
                "test_a (t.A.test_a) ... ok\ntest_b (t.B.test_b) ... ok\n\nRan 2 tests in 0.1s\n\nOK\n",
            ),
        ] {
            read(format, text).iter().for_each(check);
        }
    }

    #[test]
    fn numbers_suites_and_details_are_the_same() {
        let mut report = Report::empty(Format::find("tap").unwrap());
        let ids = ["s::a", "s::b", "r::\u{7f}c", "r::\u{1}d", "r::\\", "", "s::e"];
        for (at, id) in ids.into_iter().enumerate() {
            let lines = Lines::new(10_u32.pow(at as u32), [0, 7, u32::MAX][at % 3]);
            let name_len = id.len().min(1);
            let status = if at == 1 { Status::Errored } else { Status::Passed };
            let case = NewCase { id, name_len, status, lines };
            let key = report.cases.push(case, |prefix| vec![prefix.trim_end_matches(':').to_owned()]);
            match at {
                0 => report.cases.set_duration(key, 0.25),
                2 => report.cases.set_reason(key, "because"),
                6 => {
                    let failure = Failure {
                        kind: Kind::Assertion,
                        error: None,
                        message: None,
                        file: None,
                        line: None,
                        lines,
                    };
                    report.cases.add_failure(key, failure);
                }
                _ => {}
            }
        }
        check(&report);
        report.session_lines = Some(Lines::new(1, 2));
        check(&report);
    }
}

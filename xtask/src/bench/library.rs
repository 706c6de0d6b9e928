//! Parsers alone, on one core, on input in memory.

use std::hint::black_box;
use std::time::Duration;

use redgreen::plan::patterns::{failure_pattern, success_pattern};
use redgreen_parsers::{Format, Options, Report, parse};

use super::Row;
use super::timing::{median_of, rate, worked};
use crate::generate::{GENERIC_PATTERNS, OUTPUTS, Output, PYTEST_DENSE, PYTEST_NOISE};
use crate::shell::Done;

const BYTES: u64 = 100_000_000;
const TRIES: usize = 5;

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for output in OUTPUTS.iter().filter(|output| Format::find(output.format).is_some()) {
        eprintln!("bench: {}", output.name);
        let (input, cases) = output.bytes(BYTES);
        let limit =
            lines_alone(&input).map_or_else(|why| why.to_string(), |limit| format!("lines alone: {limit}"));
        rows.push(Row::new(
            format!("library, {}, 100 MB", output.name),
            parser(output, &input, cases),
            limit,
        ));
    }
    eprintln!("bench: growth");
    for output in [PYTEST_DENSE, PYTEST_NOISE] {
        let (ours, bare) =
            growth(&output).map_or_else(|why| (Err(why), String::new()), |(ours, bare)| (Ok(ours), bare));
        rows.push(Row::new(
            format!("library, {}: growth from 10 MB to 1 GB", output.name),
            ours,
            format!("bar: exponent 1.05; lines alone: {bare}"),
        ));
    }
    rows
}

/// By which power of the size the time grows: that of the parser, and that of a look at each byte. The second is above 1
/// where the small input fits into a cache and the large one doesn't.
fn growth(output: &Output) -> Done<(String, String)> {
    let times = |bytes, tries| -> Done<[Duration; 2]> {
        let (input, cases) = output.bytes(bytes);
        Ok([parse_all(output, &input, cases, tries)?, find_lines(&input, tries)?])
    };
    let (small, large) = (times(10_000_000, 5 * TRIES)?, times(1_000_000_000, 3)?);
    let [ours, bare] = [0, 1].map(|at| {
        let exponent = (large[at].as_secs_f64() / small[at].as_secs_f64()).log(100.0);
        format!("exponent {exponent:.2}")
    });
    Ok((ours, bare))
}

fn parser(output: &Output, input: &[u8], cases: u64) -> Done<String> {
    let took = parse_all(output, input, cases, TRIES)?;
    let each_second = cases as f64 / took.as_secs_f64() / 1e6;
    Ok(format!("{:.0} MB/s, {each_second:.2} M cases/s", rate(input.len() as u64, took)))
}

pub(super) fn parse_all(output: &Output, input: &[u8], cases: u64, tries: usize) -> Done<Duration> {
    let format = Format::find(output.format).ok_or("there is no parser of this format")?;
    let [success, failure] = GENERIC_PATTERNS;
    let options = Options {
        success_pattern: Some(success_pattern(success)?),
        failure_pattern: Some(failure_pattern(failure)?),
        ..Options::default()
    };
    let mut read = 0;
    let took = median_of(tries, || {
        let (took, reports) = worked(|| parse(format, black_box(input), &options));
        read = reports.iter().map(count).sum();
        Ok(took)
    })?;
    // A parser that reads nothing is fast.
    if read == cases { Ok(took) } else { Err(format!("it read {read} of {cases} cases").into()) }
}

fn count(report: &Report) -> u64 {
    report.cases.iter().count() as u64
}

/// What finding the ends of the lines costs, which no reader can do without.
fn lines_alone(input: &[u8]) -> Done<String> {
    Ok(format!("{:.0} MB/s", rate(input.len() as u64, find_lines(input, TRIES)?)))
}

fn find_lines(input: &[u8], tries: usize) -> Done<Duration> {
    median_of(tries, || {
        let (took, _) =
            worked(|| black_box(memchr::memchr_iter(b'\n', black_box(input)).map(black_box).count()));
        Ok(took)
    })
}

//! Parsers alone, on one core, on input in memory.

use std::convert::Infallible;
use std::hint::black_box;
use std::time::Duration;

use redgreen::plan::patterns::{failure_pattern, success_pattern};
use redgreen_parsers::{Feed, Format, Options, Report, Stream, parse, read};

use super::Row;
use super::timing::{least_of, median_of, rate, worked};
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
        let work = format!("library, {}: growth from 10 MB to 1 GB", output.name);
        rows.push(Row::new(work, growth(&output), "bar: exponent 1.05"));
    }
    rows
}

/// By which power of the size the time grows.
///
/// Both inputs are generated block by block, as a pipe brings them. Held in memory, the small one would stay in a cache
/// and the large one wouldn't, and that would count as growth.
fn growth(output: &Output) -> Done<String> {
    const SMALL: u64 = 10_000_000;
    const LARGE: u64 = 1_000_000_000;
    // The processor's clock ticks in milliseconds: a small input is read many times.
    let (small, large) = (streamed(output, SMALL, 20)?, streamed(output, LARGE, 1)?);
    let exponent = (large.as_secs_f64() / small.as_secs_f64()).log(LARGE as f64 / SMALL as f64);
    Ok(format!("exponent {exponent:.2}"))
}

/// How long reading so much takes when it comes block by block, without what generating the blocks takes.
fn streamed(output: &Output, bytes: u64, times: u32) -> Done<Duration> {
    const TRIES: usize = 3;
    let format = Format::find(output.format).ok_or("there is no parser of this format")?;
    let generate = |sink: &mut dyn FnMut(&[u8])| {
        output.write(bytes, |block| {
            sink(black_box(block));
            Ok::<(), Infallible>(())
        })
    };
    let parse_all = |feed: &mut Feed<'_>| generate(&mut |block| feed.push(block, Stream::Merged)).map(|_| ());
    // Two figures of different times are set against each other: what is asked of the machine changes between them.
    let all_times = |work: &dyn Fn()| least_of(TRIES, || worked(|| (0..times).for_each(|_| work())).0);
    let generating = all_times(&|| {
        black_box(generate(&mut |_| {})).unwrap_or_default();
    });
    let both = all_times(&|| {
        black_box(read(format, &Options::default(), parse_all)).unwrap_or_default();
    });
    Ok(both.saturating_sub(generating) / times)
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
    Ok(format!("{:.0} MB/s", rate(input.len() as u64, find_lines(input)?)))
}

fn find_lines(input: &[u8]) -> Done<Duration> {
    /// Once is too short for the clock.
    const TIMES: u32 = 10;
    median_of(TRIES, || {
        let once = || memchr::memchr_iter(b'\n', black_box(input)).map(black_box).count();
        let (took, _) = worked(|| {
            (0..TIMES).for_each(|_| {
                black_box(once());
            })
        });
        Ok(took / TIMES)
    })
}

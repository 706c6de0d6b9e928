//! The crates that read JUnit XML.

use std::hint::black_box;
use std::time::Duration;

use super::super::timing::{median_of, worked};
use crate::shell::Done;

/// The cases that a crate finds, and how long the median try took.
pub(super) fn timed(read: fn(&str) -> Done<usize>, input: &[u8]) -> Done<(u64, Duration)> {
    let text = std::str::from_utf8(input)?;
    let mut found = 0;
    let took = median_of(3, || {
        let (took, cases) = worked(|| read(black_box(text)));
        found = cases? as u64;
        Ok(took)
    })?;
    Ok((found, took))
}

pub(super) fn quick_junit(text: &str) -> Done<usize> {
    let report = quick_junit::Report::deserialize_from_str(text)?;
    Ok(report.test_suites.iter().map(|suite| suite.test_cases.len()).sum())
}

pub(super) fn junit_parser(text: &str) -> Done<usize> {
    let suites = junit_parser::from_reader(std::io::Cursor::new(text))?;
    Ok(suites.suites.iter().map(|suite| suite.cases.len()).sum())
}

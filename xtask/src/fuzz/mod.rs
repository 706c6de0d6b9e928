//! `cargo xtask fuzz`: damaged recordings, read by each parser for a while. No nightly toolchain is needed.
//!
//! Each finding is written to `target/fuzz/` and named with the seed that makes it again.

mod mutate;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use redgreen_parsers::{Completeness, Format, Options, Report, parse};

use self::mutate::{Random, mutate};
use crate::shell::{Done, root, target};

/// The longest that one input of this size may take: far above what linear work costs, far below what quadratic does.
const SLOW: Duration = Duration::from_millis(500);

/// The largest input that is made.
const LARGEST: usize = 1 << 20;

/// Reads the task's arguments, and runs it.
pub(crate) fn command(arguments: &[&str]) -> Done {
    let (mut each, mut seed, mut only) = (Duration::from_secs(60), 1, None);
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match *word {
            "--for" => each = redgreen::plan::units::duration(value()?)?,
            "--seed" => seed = value()?.parse()?,
            format => only = Some(format),
        }
    }
    run(each, seed, only)
}

/// Reads damaged recordings with each format, for `each` per format.
fn run(each: Duration, seed: u64, only: Option<&str>) -> Done {
    let seeds = recordings(&root().join("corpus"))?;
    if seeds.is_empty() {
        return Err("the corpus holds no recording to start from".into());
    }
    let mut findings = 0;
    for format in Format::all().filter(|format| only.is_none_or(|only| only == format.word())) {
        let (tried, found) = fuzz(format, &seeds, each, seed)?;
        println!("{:<10} {tried} inputs, {found} findings", format.word());
        findings += found;
    }
    if findings == 0 { Ok(()) } else { Err(format!("{findings} findings; see target/fuzz").into()) }
}

fn fuzz(format: Format, seeds: &[Vec<u8>], each: Duration, seed: u64) -> Done<(u64, u64)> {
    let mut random = Random::new(seed);
    let begun = Instant::now();
    let (mut tried, mut findings) = (0, 0);
    while begun.elapsed() < each && findings < 10 {
        let state = random.state();
        let input = mutate(&mut random, seeds, LARGEST);
        tried += 1;
        if let Some(why) = objection(format, &input) {
            findings += 1;
            let path = keep(format, state, &input)?;
            eprintln!("{}: {why} (seed {state}): {}", format.word(), path.display());
        }
    }
    Ok((tried, findings))
}

/// What is wrong with how a format reads this input; `None`: nothing.
fn objection(format: Format, input: &[u8]) -> Option<String> {
    let options = options();
    let begun = Instant::now();
    let read = std::panic::catch_unwind(|| parse(format, input, &options));
    let took = begun.elapsed();
    let Ok(reports) = read else { return Some("it panicked".to_owned()) };
    if took > SLOW {
        return Some(format!("{} bytes took {took:?}", input.len()));
    }
    if reports.is_empty() {
        return Some("there is no report".to_owned());
    }
    let lines = u32::try_from(memchr::memchr_iter(b'\n', input).count() + 1).unwrap_or(u32::MAX);
    reports.iter().find_map(|report| inconsistent(report, lines))
}

/// A report must fit its input and itself.
fn inconsistent(report: &Report, lines: u32) -> Option<String> {
    let cases = report.cases.iter().map(|case| case.lines());
    let failures = report.cases.iter().flat_map(|case| case.failures()).map(|failure| failure.lines);
    let problems = report.problems.iter().map(|problem| problem.lines);
    let notes = report.notes.iter().filter_map(|note| note.lines);
    let bad = cases
        .chain(failures)
        .chain(problems)
        .chain(notes)
        .find(|at| at.first == 0 || at.first > at.last || at.last > lines);
    if let Some(at) = bad {
        return Some(format!("lines {}-{} of {lines}", at.first, at.last));
    }
    let unnamed = report.cases.iter().find(|case| !case.id().ends_with(case.name()) || case.id().is_empty());
    if let Some(case) = unnamed {
        return Some(format!("the id `{}` doesn't end with the name `{}`", case.id(), case.name()));
    }
    let says_nothing = report.completeness == Completeness::Empty && !report.cases.is_empty();
    says_nothing.then(|| "nothing was found, and there are cases".to_owned())
}

fn options() -> Options {
    Options {
        success_pattern: regex::bytes::Regex::new("^\\d+ passed").ok(),
        failure_pattern: regex::bytes::Regex::new("(?i)fail").ok(),
        ..Options::default()
    }
}

fn keep(format: Format, state: u64, input: &[u8]) -> Done<PathBuf> {
    let folder = target().join("fuzz");
    fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{}-{state}", format.word()));
    fs::write(&path, input)?;
    Ok(path)
}

/// The outputs of every recording.
fn recordings(folder: &Path) -> Done<Vec<Vec<u8>>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(|why| format!("{}: {why}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(recordings(&path)?);
        } else if matches!(name.as_str(), "merged" | "stdout" | "stderr") {
            found.push(fs::read(&path)?);
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_that_does_not_fit_is_found() {
        let format = Format::find("tap").unwrap();
        let mut report = parse(format, b"1..1\nok 1 - a\n", &Options::default()).remove(0);
        assert_eq!(inconsistent(&report, 3), None);
        assert!(inconsistent(&report, 1).is_some(), "line 2 of 1");
        report.completeness = Completeness::Empty;
        assert!(inconsistent(&report, 3).is_some());
    }

    #[test]
    fn a_short_run_finds_nothing() {
        run(Duration::from_millis(300), 7, None).unwrap();
    }
}

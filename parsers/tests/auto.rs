//! What must hold of every recording when nobody says which format it is of.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "tests read the corpus, and say what went wrong by panicking"
)]

use std::fs;
use std::path::{Path, PathBuf};

use redgreen_parsers::{Completeness, Detected, Envelope, Format, Options, Report, Stream, detect, parse};

struct Log {
    format: Format,
    folder: PathBuf,
    bytes: Vec<u8>,
}

fn logs() -> Vec<Log> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let (mut folders, mut logs) = (vec![corpus], Vec::new());
    while let Some(folder) = folders.pop() {
        if folder.join("recording.toml").is_file() {
            let word = folder.ancestors().nth(2).unwrap().file_name().unwrap().to_str().unwrap();
            let read = |name: &str| fs::read(folder.join(name)).unwrap_or_default();
            let bytes = ["merged", "stdout", "stderr"].map(read).concat();
            logs.push(Log { format: Format::find(word).unwrap(), folder, bytes });
            continue;
        }
        folders.extend(
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()),
        );
    }
    logs.sort_by(|one, two| one.folder.cmp(&two.folder));
    logs
}

fn read(bytes: &[u8]) -> Detected {
    let options = Options { envelope: Envelope::of(bytes), ..Options::default() };
    let replay = |feed: &mut redgreen_parsers::Feed<'_>| {
        feed.push(bytes, Stream::Merged);
        Ok::<(), ()>(())
    };
    detect(&options, replay).unwrap()
}

/// As a CI system keeps it: each line with its time.
fn stamped(bytes: &[u8]) -> Vec<u8> {
    let mut log = Vec::new();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        log.extend_from_slice(b"2026-11-30T22:01:02.1234567Z ");
        log.extend_from_slice(line);
    }
    log
}

/// What a report says, but for the places.
fn said(report: &Report) -> Vec<String> {
    let mut said = vec![format!("{:?} {:?} {:?}", report.format, report.completeness, report.totals)];
    for case in report.cases.iter() {
        let kinds: Vec<_> = case.failures().iter().map(|failure| failure.kind).collect();
        said.push(format!("{} {:?} {kinds:?}", case.id(), case.status()));
    }
    said.extend(report.problems.iter().map(|problem| format!("{:?} {:?}", problem.kind, problem.subject)));
    said
}

#[track_caller]
fn fails(failed: &[String], of: usize) {
    let first = &failed[..failed.len().min(20)];
    assert!(failed.is_empty(), "{} of {of} recordings fail:\n{}", failed.len(), first.join("\n"));
}

/// Found as what it is, stamped or not; whatever else it may look like.
#[test]
fn each_is_found_as_what_it_is() {
    let logs = logs();
    let mut failed = Vec::new();
    for log in &logs {
        let own: Vec<Vec<String>> = parse(log.format, &log.bytes, &Options::default())
            .iter()
            .filter(|report| report.completeness != Completeness::Empty)
            .map(said)
            .collect();
        // A few marks of progress may be of anybody.
        let told =
            |report: &Report| report.completeness == Completeness::Complete || !report.cases.is_empty();
        if !parse(log.format, &log.bytes, &Options::default()).iter().any(told) {
            continue;
        }
        for bytes in [log.bytes.clone(), stamped(&log.bytes)] {
            let found = read(&bytes);
            let sessions: Vec<Vec<String>> = found.sessions.iter().map(said).collect();
            if sessions != own || found.rivals.is_some() {
                let candidates: Vec<String> = found
                    .candidates
                    .iter()
                    .map(|candidate| format!("{}: {}", candidate.format.word(), candidate.reason))
                    .collect();
                failed.push(format!("{}\n    {}", log.folder.display(), candidates.join("\n    ")));
                break;
            }
        }
    }
    fails(&failed, logs.len());
}

/// In a log between the runs of two others it says the same, and so do they.
#[test]
fn neighbours_change_nothing() {
    let logs = logs();
    let neighbours = [
        ("pytest", "pytest-9.2.0/classes--v"),
        ("tap", "tape-5.10.2/tape-kinds"),
        ("unittest", "python-3.12.1/all-pass--v"),
    ];
    let neighbours: Vec<&Log> = neighbours
        .iter()
        .filter_map(|(format, folder)| {
            logs.iter().find(|log| log.format.word() == *format && log.folder.ends_with(folder))
        })
        .collect();
    let mut failed = Vec::new();
    for log in logs.iter().filter(|log| has_begun(log)) {
        let mut others = neighbours.iter().filter(|other| other.format != log.format);
        let (before, after) = (others.next().unwrap(), others.next().unwrap());
        let mut bytes = Vec::new();
        let mut expected = Vec::new();
        for (log, step) in [(*before, "one"), (log, "two"), (*after, "three")] {
            bytes.extend_from_slice(format!("##[group]Run {step}\nmake {step}\n##[endgroup]\n").as_bytes());
            bytes.extend_from_slice(&log.bytes);
            bytes.extend_from_slice(b"\n##[error]Process completed with exit code 1.\n");
            expected.extend(parse(log.format, &log.bytes, &Options::default()).iter().map(said));
        }
        let found = read(&stamped(&bytes));
        let sessions: Vec<Vec<String>> = found.sessions.iter().map(said).collect();
        if sessions != expected {
            let differs = (0..).find(|at| sessions.get(*at) != expected.get(*at)).unwrap();
            let why: Vec<_> =
                found.candidates.iter().map(|one| format!("{}: {}", one.format.word(), one.reason)).collect();
            failed.push(format!(
                "{}\n  {:?}\n  {:?}\n  {why:?}",
                log.folder.display(),
                sessions.get(differs),
                expected.get(differs)
            ));
        }
    }
    fails(&failed, logs.len());
}

/// Whether it is whole, or names a test.
fn has_begun(log: &Log) -> bool {
    parse(log.format, &log.bytes, &Options::default())
        .iter()
        .all(|report| report.completeness == Completeness::Complete || !report.cases.is_empty())
}

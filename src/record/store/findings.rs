//! What is wrong with the state folder, in the order in which it would be met.

use std::collections::BTreeSet;
use std::io::ErrorKind;

use bstr::ByteSlice as _;

use super::append::TRANSCRIPT_LIMIT;
use super::chain::Chain;
use super::layout::{Layout, parse_record_name};
use super::{Store, StoreError, disk};
use crate::digest::Sha256;
use crate::record::redact;
use crate::record::wire::{Check, Evidence, LogLine, LogState};

/// What every writer looks at before it writes: the log, which files are there, and whether the last record, the task
/// and the frozen set can be read.
pub(super) fn quick(store: &Store) -> Result<Vec<StoreError>, StoreError> {
    let mut findings = of_log(store, &record_files(&store.layout)?);
    if let Some(last) = store.records().last() {
        findings.extend(evidence(store, last).err());
    }
    findings.extend(bound_files(store).1);
    Ok(findings)
}

/// The same, and every record, file map and output byte by byte.
pub(super) fn full(layout: &Layout) -> Result<Vec<StoreError>, StoreError> {
    let (store, mut findings) = of_files(layout)?;
    let (mut maps, others) = bound_files(&store);
    for line in store.records() {
        match evidence(&store, line) {
            Ok(evidence) => {
                maps.insert(evidence.files.sha256);
                findings.extend(evidence.checks.iter().filter_map(|check| transcript(&store, line, check)));
            }
            // Its absence is told with the log.
            Err(StoreError::Broken { path, .. }) if !path.exists() => {}
            Err(error) => findings.push(error),
        }
    }
    findings.extend(others);
    findings.extend(maps.into_iter().filter_map(|map| store.map_bytes(map).err()));
    Ok(findings)
}

/// Whether log and files fit, for who holds no lock.
pub(super) fn of_files(layout: &Layout) -> Result<(Store, Vec<StoreError>), StoreError> {
    // The folder before the log: a record that a writer finishes meanwhile is then in the log and not in the list,
    // which is no finding, while the other order would make it a file that no line names.
    let files = record_files(layout)?;
    let store = Store::open(&layout.folder)?;
    let findings = of_log(&store, &files);
    Ok((store, findings))
}

/// The names in the folder of records that are those of records, or look so.
fn record_files(layout: &Layout) -> Result<Vec<String>, StoreError> {
    let folder = layout.evidence();
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(StoreError::unreadable(&folder)(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.map_err(StoreError::unreadable(&folder))?.file_name();
        let name = name.to_string_lossy();
        if name.ends_with(".json") {
            names.push(name.into_owned());
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Whether log and files fit.
fn of_log(store: &Store, files: &[String]) -> Vec<StoreError> {
    let Store { layout, chain } = store;
    let mut findings: Vec<StoreError> =
        chain.breaks().iter().map(|why| StoreError::broken(layout.log(), why)).collect();
    let gone = |line: &&LogLine| !layout.record(&line.record).exists();
    findings.extend(chain.records().iter().filter(gone).map(|line| {
        StoreError::broken(layout.record(&line.record), "the log says that it was finished, and it is gone")
    }));
    let known = known_names(chain);
    findings.extend(
        files.iter().filter(|name| !known.contains(name.as_str())).map(|name| {
            StoreError::broken(layout.record(name), "no line of the log says that it was written")
        }),
    );
    findings
}

/// The records that may be there: finished, or about to be.
fn known_names(chain: &Chain) -> BTreeSet<&str> {
    let abandoned = |line: &&LogLine| line.state == LogState::Abandoned;
    let abandoned: BTreeSet<u64> = chain.lines().iter().filter(abandoned).map(|line| line.n).collect();
    chain
        .lines()
        .iter()
        .filter(|line| !abandoned.contains(&line.n))
        .map(|line| line.record.as_str())
        .collect()
}

/// A record that is what its line says.
fn evidence(store: &Store, line: &LogLine) -> Result<Evidence, StoreError> {
    let evidence = store.read(line)?;
    let stage = parse_record_name(&line.record).map(|(stage, _)| stage);
    let same = evidence.task == line.task
        && evidence.phase == line.phase
        && evidence.passed == line.passed
        && evidence.previous == line.previous
        && Some(evidence.stage.as_str()) == stage;
    let path = || store.layout.record(&line.record);
    if same {
        Ok(evidence)
    } else {
        Err(StoreError::broken(path(), "it isn't what its line in the log says"))
    }
}

/// What is wrong with the copy of a check's output. It may be missing; and of one that is cut, or that a secret was taken
/// out of, the record doesn't name the hash.
fn transcript(store: &Store, line: &LogLine, check: &Check) -> Option<StoreError> {
    let path = store.transcript(line, &check.id);
    let bytes = match disk::read(&path).transpose()? {
        Ok(bytes) => bytes,
        Err(error) => return Some(error),
    };
    let is_another = check.output_bytes > TRANSCRIPT_LIMIT || bytes.find(redact::MARK).is_some();
    if is_another || Sha256::of(&bytes) == check.output_sha256 {
        return None;
    }
    let why = format!("it isn't the output whose hash `{}` names", line.record);
    Some(StoreError::Corrupt { path, why })
}

/// The task and the frozen set: which maps they name, and what is wrong with them.
fn bound_files(store: &Store) -> (BTreeSet<Sha256>, Vec<StoreError>) {
    let (mut maps, mut findings) = (BTreeSet::new(), Vec::new());
    let task = match store.task() {
        Ok(task) => task,
        Err(error) => return (maps, vec![error]),
    };
    match task {
        None if store.records().is_empty() => {}
        None => findings.push(StoreError::broken(store.layout.task(), "there are records, and no task")),
        Some(task) => {
            maps.extend(task.baseline.values().map(|baseline| baseline.files.sha256));
            if store.records().last().is_some_and(|last| last.task > task.task) {
                findings.push(StoreError::broken(store.layout.task(), "there are records of a later task"));
            }
            // What is wrong with the record that names the frozen set is told with the records.
            if let Err(error) = store.frozen()
                && error.path() == store.layout.frozen()
            {
                findings.push(error);
            }
        }
    }
    (maps, findings)
}

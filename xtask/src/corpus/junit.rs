//! JUnit XML: the files that a tool wrote are the recording, and the seed's header says what is true.
//!
//! What the files claim is read here by a strict reader of its own, which shares no line with the parser; of a file that
//! it can't read, the header says it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::launch::{self, Invocation};
use super::told::Told;
use crate::shell::Done;

/// Where a seed's command leaves what it reports: one file, or several in one folder. Else it is what it printed.
const REPORT: &str = "report.xml";
const REPORTS: &str = "reports";

/// The bytes of all report files, in the order of their paths; `None` if there is none.
pub(super) fn collect(invocation: &Invocation, project: &Path, scratch: &Path) -> Done<Option<Vec<u8>>> {
    let mut files = Vec::new();
    below(&project.join(REPORTS), &mut files)?;
    files.sort();
    files.extend(Some(project.join(REPORT)).filter(|path| path.is_file()));
    let mut bytes = Vec::new();
    for file in &files {
        bytes.extend(launch::read(file, invocation, project, scratch)?);
        if files.len() > 1 && !bytes.ends_with(b"\n") {
            bytes.push(b'\n');
        }
    }
    Ok((!files.is_empty()).then(|| without_host(&bytes)))
}

fn below(folder: &Path, files: &mut Vec<PathBuf>) -> Done {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            below(&path, files)?;
        } else if path.extension().is_some_and(|end| end == "xml") {
            files.push(path);
        }
    }
    Ok(())
}

/// The machine's name doesn't matter.
pub(super) fn without_host(bytes: &[u8]) -> Vec<u8> {
    const KEY: &[u8] = b"hostname=\"";
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = memchr::memmem::find(rest, KEY) {
        let (before, value) = rest.split_at(at + KEY.len());
        out.extend_from_slice(before);
        out.extend_from_slice(b"kit");
        rest = &value[memchr::memchr(b'"', value).unwrap_or(value.len())..];
    }
    out.extend_from_slice(rest);
    out
}

pub(super) fn told() -> Told {
    Told {
        source: "by construction",
        completeness: "complete",
        totals: Some(BTreeMap::new()),
        ..Told::default()
    }
}

/// The numbers that the documents claim: those of each root, and where it has none those of the suites below it.
pub(super) fn claimed(report: &[u8]) -> BTreeMap<String, u64> {
    let mut totals = BTreeMap::new();
    let text = String::from_utf8_lossy(report);
    for document in text.split("<?xml ").filter(|document| document.contains("<testsuite")) {
        let start = document.find("<testsuite").unwrap_or(0);
        for (word, count) in document_claims(&document[start..]) {
            *totals.entry(word).or_insert(0) += count;
        }
    }
    totals
}

fn document_claims(document: &str) -> BTreeMap<String, u64> {
    let mut reader = Reader::from_str(document);
    reader.config_mut().check_end_names = false;
    let mut depth = 0;
    let mut root = BTreeMap::new();
    let mut below: BTreeMap<String, u64> = BTreeMap::new();
    while let Ok(event) = reader.read_event() {
        let (start, opens) = match &event {
            Event::Start(start) => (start, true),
            Event::Empty(start) => (start, false),
            Event::End(_) => {
                depth -= 1;
                continue;
            }
            Event::Eof => break,
            _ => continue,
        };
        if start.name().as_ref().starts_with("testsuite") {
            match depth {
                0 => root = counts(start),
                1 => counts(start)
                    .into_iter()
                    .for_each(|(word, count)| *below.entry(word).or_insert(0) += count),
                _ => {}
            }
        }
        depth += i32::from(opens);
    }
    for (word, count) in below {
        root.entry(word).or_insert(count);
    }
    root
}

fn counts(start: &BytesStart<'_>) -> BTreeMap<String, u64> {
    const KEYS: [(&str, &str); 6] = [
        ("failures", "failed"),
        ("errors", "errored"),
        ("skipped", "skipped"),
        ("skip", "skipped"),
        ("skips", "skipped"),
        ("disabled", "skipped"),
    ];
    let mut counts = BTreeMap::new();
    for attribute in start.attributes().flatten() {
        let word = KEYS.iter().find(|(key, _)| *key == attribute.key.as_ref());
        if let (Some((_, word)), Ok(count)) = (word, attribute.value.parse::<u64>()) {
            *counts.entry((*word).to_owned()).or_insert(0) += count;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(report: &str, want: &[(&str, u64)]) {
        let want = want.iter().map(|(word, count)| ((*word).to_owned(), *count)).collect();
        assert_eq!(claimed(report.as_bytes()), want);
    }

    #[test]
    fn claims_are_those_of_the_root() {
        check(
            "<?xml version='1.0'?><testsuites failures='1'><testsuite failures='1' errors='2'/></testsuites>",
            &[("failed", 1), ("errored", 2)],
        );
        check(
            "<testsuite failures='0' skipped='1' disabled='1'><testsuite failures='9'/></testsuite>",
            &[("failed", 0), ("skipped", 2)],
        );
        check(
            "<?xml version='1.0'?><testsuite errors='1'/>\n<?xml version='1.0'?><testsuite errors='1'/>",
            &[("errored", 2)],
        );
    }

    #[test]
    fn the_machine_has_no_name() {
        assert_eq!(without_host(b"<a hostname=\"x\" b=\"1\">"), b"<a hostname=\"kit\" b=\"1\">");
    }
}

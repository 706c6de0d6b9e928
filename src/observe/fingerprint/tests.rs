use std::io::Write as _;
use std::process::{Command, Stdio};

use bstr::BString;
use serde::Deserialize;

use super::*;
use crate::observe::facts::Entry;

const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/reference/fingerprint-vectors.json");
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/reference/fingerprint.py");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vectors {
    about: String,
    maps: Vec<MapVector>,
    combined: Vec<CombinedVector>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MapVector {
    name: String,
    entries: Vec<VectorEntry>,
    fingerprint: Sha256,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VectorEntry {
    kind: char,
    path: Option<String>,
    path_hex: Option<String>,
    content: Option<String>,
    content_hex: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CombinedVector {
    name: String,
    fingerprints: BTreeMap<String, Sha256>,
    fingerprint: Sha256,
}

fn vectors() -> Vectors {
    serde_json::from_slice(&std::fs::read(VECTORS).unwrap()).unwrap()
}

fn bytes(text: Option<&String>, hex: Option<&String>) -> Vec<u8> {
    match (text, hex) {
        (Some(text), None) => text.clone().into(),
        (None, Some(hex)) => {
            (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
        }
        _ => panic!("a field is text or hex"),
    }
}

fn compute(entries: &[VectorEntry]) -> Sha256 {
    let (mut files, mut env) = (Vec::new(), Vec::new());
    for entry in entries {
        let path = bytes(entry.path.as_ref(), entry.path_hex.as_ref());
        let content = bytes(entry.content.as_ref(), entry.content_hex.as_ref());
        match EntryKind::of_letter(u8::try_from(entry.kind).unwrap()) {
            Some(kind) => {
                files.push(Entry { path: path.into(), kind, mode: 0, sha256: Sha256::of(&content) })
            }
            None => env.push((String::from_utf8(path).unwrap(), Some(content))),
        }
    }
    fingerprint(&FileMap::new(files), &env)
}

#[test]
fn vectors_hold() {
    let vectors = vectors();
    assert!(!vectors.about.is_empty());
    for vector in &vectors.maps {
        assert_eq!(compute(&vector.entries), vector.fingerprint, "{}", vector.name);
    }
    for vector in &vectors.combined {
        assert_eq!(combined(&vector.fingerprints), vector.fingerprint, "{}", vector.name);
    }
}

#[test]
fn vectors_are_told_apart() {
    let mut seen = std::collections::BTreeSet::new();
    for vector in vectors().maps {
        assert!(seen.insert(vector.fingerprint), "{} has the fingerprint of another", vector.name);
    }
}

/// `None`, with a line that says so, where there is no Python.
fn python() -> Option<Command> {
    let there = Command::new("python3").arg("-c").arg("pass").status().is_ok_and(|status| status.success());
    if !there {
        eprintln!("not run: there is no python3 to compare with");
    }
    there.then(|| Command::new("python3"))
}

#[test]
fn another_language_comes_to_the_same() {
    let Some(mut python) = python() else { return };
    let output = python.args([SCRIPT, "--check", VECTORS]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let mut child =
        Command::new("python3").arg(SCRIPT).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let list = br#"[{"kind": "f", "path": "a", "content": "b"}]"#;
    child.stdin.take().unwrap().write_all(list).unwrap();
    let printed = child.wait_with_output().unwrap().stdout;
    let entry = Entry { path: "a".into(), kind: EntryKind::File, mode: 0, sha256: Sha256::of(b"b") };
    let expected = fingerprint(&FileMap::new(vec![entry]), &[]);
    assert_eq!(String::from_utf8(printed).unwrap().trim(), expected.to_string());
}

#[test]
fn no_file_is_the_hash_of_nothing() {
    assert_eq!(fingerprint(&FileMap::default(), &[]), Sha256::of(b""));
}

#[test]
fn a_variable_that_is_unset_is_not_an_empty_one() {
    let map = FileMap::default();
    let value = |value: Option<&str>| fingerprint(&map, &[("CI".to_owned(), value.map(Into::into))]);
    assert_eq!(value(None), Sha256::of(b""));
    assert_ne!(value(Some("")), value(None));
    assert_ne!(value(Some("")), value(Some("1")));
}

#[test]
fn variables_come_by_name() {
    let one = ("A".to_owned(), Some(b"1".to_vec()));
    let two = ("B".to_owned(), Some(b"2".to_vec()));
    let map = FileMap::default();
    assert_eq!(fingerprint(&map, &[one.clone(), two.clone()]), fingerprint(&map, &[two, one]));
}

#[test]
fn a_map_larger_than_a_block() {
    let entry = |at: u32| Entry {
        path: format!("{at:08}/{}", "long/".repeat(60)).into(),
        kind: EntryKind::File,
        mode: 0,
        sha256: Sha256::of(&at.to_be_bytes()),
    };
    let map = FileMap::new((0..1_000).map(entry).collect());
    let mut bytes = Vec::new();
    for entry in map.entries() {
        let line: [&[u8]; 5] = [b"f\0", &entry.sha256.hex(), b"\0", &entry.path, b"\0"];
        bytes.extend(line.concat());
    }
    assert_eq!(fingerprint(&map, &[]), Sha256::of(&bytes));
}

#[test]
fn below_keeps_paths_and_leaves_neighbours() {
    let entry =
        |path: &str| Entry { path: path.into(), kind: EntryKind::File, mode: 0, sha256: Sha256::of(b"") };
    let map = FileMap::new(["app/a", "app.txt", "app/b/c", "b"].map(entry).to_vec());
    let paths =
        |map: &FileMap| map.entries().iter().map(|entry| entry.path.clone()).collect::<Vec<BString>>();
    assert_eq!(paths(&below(&map, b"app")), ["app/a", "app/b/c"]);
    assert_eq!(below(&map, b""), map);
}

//! The secret detector on lines that are labelled, and on lines of everyday.

use std::fs;
use std::path::{Path, PathBuf};

use redgreen::judge::secrets;

struct Labelled {
    /// The kind that has to be found; `None`: none.
    kind: Option<String>,
    text: String,
}

fn labelled() -> Vec<Labelled> {
    let lines =
        include_str!("labelled.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let parts = lines.map(|line| line.split_once(" | ").unwrap_or((line, "no label")));
    parts
        .map(|(label, line)| Labelled {
            kind: (label != "-").then(|| label.to_owned()),
            text: line.replace('·', "").replace('⏎', "\n"),
        })
        .collect()
}

#[test]
fn every_labelled_secret_is_found_and_nothing_else() {
    let labelled = labelled();
    let secret = labelled.iter().filter(|line| line.kind.is_some()).count();
    assert!(secret >= 300 && labelled.len() - secret >= 100, "{secret} of {}", labelled.len());
    let mut wrong = Vec::new();
    for Labelled { kind, text } in &labelled {
        let found: Vec<_> = secrets(text.as_bytes()).iter().map(|secret| secret.kind).collect();
        let right = match kind {
            None => found.is_empty(),
            Some(kind) => found == [kind.as_str()],
        };
        if !right {
            wrong.push(format!("{} in {text}: found {found:?}", kind.as_deref().unwrap_or("nothing")));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), labelled.len(), wrong.join("\n"));
}

/// Files of this repository in which no secret is: outputs of runners, lock files, sources, books.
fn everyday() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["corpus", "src", "parsers/src", "xtask/src", "docs", "grammars", "tests/e2e"];
    let files = folders.iter().flat_map(|folder| walkdir::WalkDir::new(root.join(folder)));
    let files = files.map(Result::unwrap).filter(|entry| entry.file_type().is_file());
    let made_up = |path: &PathBuf| path.starts_with(root.join("src/judge/secrets"));
    let files = files.map(walkdir::DirEntry::into_path).filter(|path| !made_up(path));
    files.chain([root.join("Cargo.lock")]).collect()
}

#[test]
fn everyday_lines_hold_none() {
    let (mut lines, mut alarms) = (0, Vec::new());
    for path in everyday() {
        let text = fs::read(&path).unwrap();
        lines += text.iter().filter(|byte| **byte == b'\n').count();
        for secret in secrets(&text) {
            let line = text[..secret.range.start].iter().filter(|byte| **byte == b'\n').count() + 1;
            let what = String::from_utf8_lossy(&text[secret.range]).into_owned();
            alarms.push(format!("{}:{line}: {} {what}", path.display(), secret.kind));
        }
    }
    assert!(lines > 10_000, "{lines} lines");
    assert!(alarms.len() * 10_000 <= lines, "{} in {lines} lines:\n{}", alarms.len(), alarms.join("\n"));
}

//! Every code has its page, and every page its code.

use std::collections::BTreeSet;
use std::path::Path;

use redgreen::judge::Code;

const SECTIONS: [&str; 4] = ["What it is", "Why it matters", "Example", "What to do"];

/// What is wrong with a page; empty: nothing.
fn objections(word: &str, page: &str) -> Vec<String> {
    let mut objections = Vec::new();
    let mut lines = page.lines();
    if lines.next() != Some(format!("# {word}").as_str()) {
        objections.push(format!("must begin with `# {word}`"));
    }
    let summary: Vec<&str> = lines.by_ref().skip(1).take_while(|line| !line.is_empty()).collect();
    if summary.len() != 1 {
        objections.push("must say in one line what it is".to_owned());
    }
    let sections: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    if sections != SECTIONS {
        objections.push(format!("has the sections {sections:?}, not {SECTIONS:?}"));
    }
    for part in page.split("\n## ").skip(1) {
        let (title, text) = part.split_once('\n').unwrap_or((part, ""));
        if text.trim().is_empty() {
            objections.push(format!("has nothing under `{title}`"));
        }
    }
    objections
}

#[test]
fn every_code_has_a_page_with_the_fixed_sections() {
    for code in Code::ALL {
        let objections = objections(code.word(), code.page());
        assert!(objections.is_empty(), "docs/codes/{code}.md {}", objections.join("; "));
    }
}

#[test]
fn no_page_is_without_its_code() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/codes");
    let pages: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let codes: BTreeSet<String> = Code::ALL.iter().map(|code| format!("{code}.md")).collect();
    assert_eq!(pages, codes);
}

#[test]
fn a_page_that_lacks_something_is_found() {
    let good = "# x\n\nOne line.\n\n## What it is\n\na\n\n## Why it matters\n\nb\n\n## Example\n\nc\n\n## What to do\n\nd\n";
    assert_eq!(objections("x", good), [""; 0]);
    for (from, to) in
        [("# x", "# y"), ("One line.", "One\nline."), ("## Example", "## Sample"), ("\nc\n", "")]
    {
        assert_eq!(objections("x", &good.replacen(from, to, 1)).len(), 1, "{from:?} → {to:?}");
    }
}

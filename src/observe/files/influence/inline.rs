//! Tests inside product files: their items are frozen, and the rest stays free.

mod rust;

use bstr::{BStr, ByteSlice as _};

use super::{FilesError, Search};
use crate::digest::Sha256;
use crate::observe::facts::{EntryKind, Weight};

/// A test inside a product file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Item {
    /// What it is called, such as `mod tests`.
    name: String,
    text: String,
}

/// Adds the test items of the files that the plan names.
pub(super) fn add(search: &mut Search<'_>) -> Result<(), FilesError> {
    let tree = search.tree;
    if tree.inline.is_empty() {
        return Ok(());
    }
    for entry in tree.map.iter().filter(|entry| entry.kind != EntryKind::Submodule) {
        let meant = tree.below_prefix(&entry.path).is_some_and(|path| tree.inline.matches(path));
        if !meant || tree.is_test(&entry.path) {
            continue;
        }
        let Some(text) = search.text(&entry.path)? else { continue };
        let text = text.to_str_lossy();
        let items = match entry.path.rsplit(|byte| *byte == b'.').next() {
            Some(b"rs") => rust::items(&text),
            Some(b"py" | b"pyi" | b"md" | b"rst" | b"txt") => doctests(&text),
            _ => {
                let why = "`inline` knows the tests of Rust files and the doctests of Python files alone";
                search.refused.push((entry.path.clone(), why.to_owned()));
                continue;
            }
        };
        for (number, item) in items.iter().enumerate() {
            let same = items.iter().take(number).filter(|other| other.name == item.name).count();
            let name = if same == 0 { item.name.clone() } else { format!("{} ({})", item.name, same + 1) };
            let sha256 = Sha256::of(item.text.as_bytes());
            search.slices.insert((entry.path.clone(), name), (Weight::Inline, sha256));
        }
    }
    Ok(())
}

/// A former file with the tests of today in the place of its own: the items under a test attribute are taken out of it,
/// and today's follow at its end. `None`: tests and product can't be put apart.
#[must_use]
pub fn with_tests(path: &BStr, former: &[u8], today: &[u8]) -> Option<Vec<u8>> {
    if !path.ends_with(b".rs") {
        return None;
    }
    let (former, today) = (former.to_str().ok()?, today.to_str().ok()?);
    let (before, after) = (rust::items(former), rust::items(today));
    let is_part = |item: &&Item| item.name != rust::DOCTESTS && item.name != rust::WHOLE;
    // Examples stand in the comments of the product, and a whole file of tests has no product.
    if !before.iter().filter(|item| !is_part(item)).eq(after.iter().filter(|item| !is_part(item))) {
        return None;
    }
    let mut text = former.to_owned();
    for item in before.iter().filter(is_part) {
        text = text.replacen(&item.text, "", 1);
    }
    for item in after.iter().filter(is_part) {
        text.extend(["\n", &item.text, "\n"]);
    }
    Some(text.into_bytes())
}

/// Python's examples: from `>>>` to the next blank line.
fn doctests(text: &str) -> Vec<Item> {
    let mut examples = String::new();
    let mut inside = false;
    for line in text.lines().map(str::trim) {
        inside = line.starts_with(">>>") || (inside && !line.is_empty());
        if inside {
            examples.extend([line, "\n"]);
        }
    }
    if examples.is_empty() { Vec::new() } else { vec![Item { name: "doctests".to_owned(), text: examples }] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_put_into_the_file_of_then() {
        #[track_caller]
        fn check(path: &str, former: &str, today: &str, want: Option<&str>) {
            let got = with_tests(path.into(), former.as_bytes(), today.as_bytes());
            assert_eq!(got.as_deref(), want.map(str::as_bytes), "{former:?} {today:?}");
        }
        let test = |name: &str| format!("#[cfg(test)]\nmod {name} {{ #[test] fn a() {{}} }}");
        let (one, other) = (test("one"), test("other"));
        check(
            "a.rs",
            "fn f() {}\n",
            &format!("fn g() {{}}\n{one}\n"),
            Some(&format!("fn f() {{}}\n\n{one}\n")),
        );
        check("a.rs", &format!("{other}\nfn f() {{}}"), &one, Some(&format!("\nfn f() {{}}\n{one}\n")));
        check("a.rs", &format!("{other} fn f() {{}}"), "fn g() {}", Some(" fn f() {}"));
        check("a.rs", "fn f() {}", "/// ```\n/// f();\n/// ```\nfn f() {}", None);
        check("a.rs", "fn f() {}", "#![cfg(test)]\nfn f() {}", None);
        check("a.py", "", "", None);
    }

    #[test]
    fn examples_end_at_a_blank_line_or_a_docstring() {
        let text = "def f():\n    \"\"\"Says.\n\n    >>> f()\n    1\n\n    More.\n    \"\"\"\n    return 1\n";
        assert_eq!(doctests(text), [Item { name: "doctests".to_owned(), text: ">>> f()\n1\n".to_owned() }]);
        assert_eq!(doctests("x = '>>'\n"), []);
    }
}

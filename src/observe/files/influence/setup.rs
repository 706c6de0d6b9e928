//! The files that a configuration names, which the runner loads before the tests or between them and itself.

use std::collections::BTreeSet;

use bstr::{BString, ByteSlice as _};
use regex::Regex;

use super::Tree;
use super::command::{below, join, parent};

/// What may be left out at the end of a name.
const ENDINGS: &[&str] = &[
    "",
    ".js",
    ".cjs",
    ".mjs",
    ".jsx",
    ".ts",
    ".cts",
    ".mts",
    ".tsx",
    ".json",
    "/index.js",
    "/index.cjs",
    "/index.mjs",
    "/index.ts",
];

/// The files of the tree that a configuration at `path` names: under one of these keys, or by importing them.
pub(super) fn files(text: &[u8], keys: &[String], path: &BString, tree: Tree<'_>) -> BTreeSet<BString> {
    let text = text.to_str_lossy();
    let folder = parent(path);
    let named = under_keys(&text, keys).into_iter().chain(imported(&text));
    let resolved = |name: String| {
        let name = name.strip_prefix("<rootDir>/").unwrap_or(&name);
        let stem = below(folder, name)?;
        let paths = ENDINGS.iter().map(|ending| BString::from([stem.as_slice(), ending.as_bytes()].concat()));
        paths.into_iter().find(|path| tree.holds(path))
    };
    named.filter_map(resolved).collect()
}

/// The texts that stand under keys: one, a list, or the values of a table; in JavaScript, JSON and YAML.
fn under_keys(text: &str, keys: &[String]) -> Vec<String> {
    let keys = keys.iter().map(|key| regex::escape(key)).collect::<Vec<_>>().join("|");
    let Ok(pattern) = Regex::new(&format!(r#"(?m)(?:^|[\s{{,"'`])(?:{keys})["'`]?[ \t]*[:=][ \t]*"#)) else {
        return Vec::new();
    };
    let values = pattern.find_iter(text).filter_map(|key| text.get(key.end()..));
    values.flat_map(value).collect()
}

/// The texts of the value that this begins with.
fn value(text: &str) -> Vec<String> {
    match text.chars().next() {
        Some(open @ ('[' | '{')) => literals(balanced(text, open)),
        Some('"' | '\'' | '`') => literals(text).into_iter().take(1).collect(),
        _ => yaml(text),
    }
}

/// A bracket with all in it.
fn balanced(text: &str, open: char) -> &str {
    let close = if open == '[' { ']' } else { '}' };
    let mut depth = 0_usize;
    let end = text.char_indices().find(|(_, sign)| {
        if *sign == open {
            depth += 1;
        } else if *sign == close {
            depth = depth.saturating_sub(1);
            return depth == 0;
        }
        false
    });
    end.and_then(|(at, _)| text.get(..=at)).unwrap_or(text)
}

/// Every text in quotes.
fn literals(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(['"', '\'', '`']) {
        let (_, after) = rest.split_at(start);
        let mut signs = after.chars();
        let Some(quote) = signs.next() else { break };
        let after = signs.as_str();
        let Some(end) = after.find(quote) else { break };
        found.extend(after.get(..end).map(ToOwned::to_owned));
        rest = after.get(end + 1..).unwrap_or_default();
    }
    found
}

/// A plain text up to the end of its line, or a list of lines that begin with a dash.
fn yaml(text: &str) -> Vec<String> {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default().trim().trim_end_matches(',');
    if !first.is_empty() {
        return vec![first.to_owned()];
    }
    let items = lines.map_while(|line| line.trim_start().strip_prefix('-'));
    items.map(|item| item.trim().trim_matches(['"', '\'']).to_owned()).collect()
}

/// Modules beside a configuration that it imports.
fn imported(text: &str) -> Vec<String> {
    let Ok(pattern) =
        Regex::new(r#"(?:\brequire\(\s*|\bfrom\s*|\bimport\s*\(?\s*)["'`](\.{1,2}/[^"'`]+)["'`]"#)
    else {
        return Vec::new();
    };
    pattern.captures_iter(text).filter_map(|found| Some(found.get(1)?.as_str().to_owned())).collect()
}

/// The file that a Python module's name means in one of these folders.
pub(super) fn python_module(name: &str, folders: &BTreeSet<BString>, tree: Tree<'_>) -> Option<BString> {
    let path = name.replace('.', "/");
    let ends = [format!("{path}.py"), format!("{path}/__init__.py")];
    let paths = folders.iter().flat_map(|folder| ends.iter().map(|end| join(folder, end.as_bytes())));
    paths.into_iter().find(|path| tree.holds(path))
}

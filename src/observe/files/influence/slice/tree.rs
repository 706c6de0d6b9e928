//! TOML and JSON by keys.

use std::fmt::Write as _;

use redgreen_parsers::glob;
use serde_json::{Map, Value};

use super::{Reached, Slice};

pub(super) fn toml(bytes: &[u8], keys: &[String]) -> Vec<Slice> {
    let text = std::str::from_utf8(bytes).ok();
    let value = text.and_then(|text| toml::from_str::<toml::Table>(text).ok());
    match value.and_then(|table| serde_json::to_value(table).ok()) {
        Some(value) => of_keys(&value, keys),
        None => Slice::unreadable(bytes),
    }
}

pub(super) fn json(bytes: &[u8], keys: &[String]) -> Vec<Slice> {
    match parse(bytes) {
        Some(value) => of_keys(&value, keys),
        None => Slice::unreadable(bytes),
    }
}

/// The scripts that a command reaches, each a slice of its own.
pub(super) fn scripts(bytes: &[u8], reached: &Reached) -> Vec<Slice> {
    let Some(value) = parse(bytes) else { return Slice::unreadable(bytes) };
    let Some(scripts) = value.get("scripts").and_then(Value::as_object) else { return Vec::new() };
    let reached = scripts.iter().filter(|(name, _)| reached.contains(*name));
    reached.map(|(name, script)| Slice::new(format!("scripts.{name}"), canonical(script))).collect()
}

/// Where a `package.json` says which version of a package is wanted.
const DEPENDENCIES: &[&str] = &[
    "dependencies",
    "devDependencies",
    "optionalDependencies",
    "peerDependencies",
    "overrides",
    "resolutions",
    "pnpm.overrides",
];

/// The versions that are wanted of some packages, each a slice of its own.
pub(super) fn versions(bytes: &[u8], packages: &[String]) -> Vec<Slice> {
    let Some(value) = parse(bytes) else { return Slice::unreadable(bytes) };
    wanted(&value, packages)
        .map(|(list, package, version)| Slice::new(format!("{list}.{package}"), canonical(version)))
        .collect()
}

/// The packages among these that are wanted from a path: their names and versions.
pub(in crate::observe::files::influence) fn local_runners(
    bytes: &[u8],
    packages: &[String],
) -> Vec<(String, String)> {
    let Some(value) = parse(bytes) else { return Vec::new() };
    let texts =
        wanted(&value, packages).filter_map(|(_, package, version)| Some((package, version.as_str()?)));
    texts
        .filter(|(_, version)| is_a_path(version))
        .map(|(package, version)| (package.clone(), version.to_owned()))
        .collect()
}

/// What npm, yarn and pnpm take for a path.
fn is_a_path(version: &str) -> bool {
    let schemes = ["file:", "link:", "portal:", "./", "../", "/", "~/"];
    schemes.iter().any(|scheme| version.starts_with(scheme))
}

fn wanted<'v>(
    value: &'v Value,
    packages: &'v [String],
) -> impl Iterator<Item = (&'static str, &'v String, &'v Value)> {
    let lists = DEPENDENCIES.iter().filter_map(move |list| {
        let found = list.split('.').try_fold(value, |value, key| value.get(key))?;
        Some((*list, found.as_object()?))
    });
    lists.flat_map(move |(list, entries)| {
        // `jest@^29` and `**/jest` name the package in lists of overrides.
        let named = |key: &str| {
            let key = key.strip_prefix("**/").unwrap_or(key);
            let end =
                key.char_indices().skip(1).find(|(_, sign)| *sign == '@').map_or(key.len(), |(at, _)| at);
            let name = key.get(..end).unwrap_or(key);
            packages.iter().any(|package| glob(package, name))
        };
        entries.iter().filter(move |(key, _)| named(key)).map(move |(key, version)| (list, key, version))
    })
}

fn parse(bytes: &[u8]) -> Option<Value> {
    serde_json::from_slice(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)).ok()
}

fn of_keys(value: &Value, keys: &[String]) -> Vec<Slice> {
    let mut slices = Vec::new();
    for key in keys {
        let path: Vec<&str> = key.split('.').collect();
        let mut text = String::new();
        find(value, &path, &mut String::new(), &mut |at, found| {
            let _ = writeln!(text, "{at}={}", canonical(found));
        });
        if !text.is_empty() {
            slices.push(Slice::new(key.as_str(), text));
        }
    }
    slices
}

/// Calls `found` for each value under a path, with where it is.
fn find(value: &Value, path: &[&str], at: &mut String, found: &mut impl FnMut(&str, &Value)) {
    let Some((key, rest)) = path.split_first() else {
        found(at, value);
        return;
    };
    let length = at.len();
    let mut below = |name: &str, value: &Value| {
        let _ = write!(at, "/{name}");
        find(value, rest, at, found);
        at.truncate(length);
    };
    match value {
        Value::Object(entries) if *key == "*" => {
            sorted(entries).into_iter().for_each(|(name, value)| below(name, value));
        }
        Value::Array(list) if *key == "*" => {
            list.iter().enumerate().for_each(|(number, value)| below(&number.to_string(), value));
        }
        Value::Object(entries) => {
            if let Some(value) = entries.get(*key) {
                below(key, value);
            }
        }
        _ => {}
    }
}

/// JSON without blanks, its keys in order.
fn canonical(value: &Value) -> String {
    match value {
        Value::Object(entries) => {
            let entries = sorted(entries)
                .into_iter()
                .map(|(key, value)| format!("{}:{}", Value::String(key.clone()), canonical(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
        }
        Value::Array(list) => {
            format!("[{}]", list.iter().map(canonical).collect::<Vec<_>>().join(","))
        }
        plain => plain.to_string(),
    }
}

fn sorted(entries: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut entries: Vec<_> = entries.iter().collect();
    entries.sort_unstable_by_key(|(key, _)| *key);
    entries
}

//! What is looked for without a rule of the plan, as `built_in.toml` has it.

use std::sync::{LazyLock, OnceLock};

use regex::bytes::Regex;
use serde::Deserialize;

use crate::plan::patterns::pattern;
use crate::plan::{Level, PathSet};

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BuiltIn {
    #[serde(rename = "rule")]
    pub(super) rules: Vec<About>,
    #[serde(rename = "marker")]
    pub(super) markers: Vec<Marker>,
}

/// A rule: what a finding means.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct About {
    pub(super) id: String,
    pub(super) level: Level,
    pub(super) message: String,
}

/// A pattern of a rule.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Marker {
    pub(super) rule: String,
    #[serde(default)]
    pub(super) tests: bool,
    files: Vec<String>,
    pattern: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests try them"))]
    pub(super) example: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests try them"))]
    pub(super) counterexample: Vec<String>,
    #[serde(skip)]
    made: OnceLock<Option<(PathSet, Regex)>>,
}

impl BuiltIn {
    pub(super) fn get() -> &'static Self {
        // A test reads the file.
        static BUILT_IN: LazyLock<BuiltIn> =
            LazyLock::new(|| toml::from_str(include_str!("built_in.toml")).unwrap_or_default());
        &BUILT_IN
    }
}

impl Marker {
    /// Its pattern, if it is one for this file.
    pub(super) fn pattern_for(&self, path: &[u8]) -> Option<&Regex> {
        let make = || {
            Some((PathSet::new(self.files.iter().map(String::as_str)).ok()?, pattern(&self.pattern).ok()?))
        };
        let (files, pattern) = self.made.get_or_init(make).as_ref()?;
        files.matches(path).then_some(pattern)
    }
}

/// Whether a line says nothing to a program: a marker in it does nothing.
pub(super) fn is_comment(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    [&b"//"[..], b"/*", b"* ", b"# ", b"-- ", b"<!--"].iter().any(|mark| line.starts_with(mark))
        || line == b"*"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_marker_holds_its_examples() {
        let built_in: BuiltIn = toml::from_str(include_str!("built_in.toml")).unwrap();
        let mut wrong = Vec::new();
        for marker in &built_in.markers {
            assert!(built_in.rules.iter().any(|rule| rule.id == marker.rule), "{}", marker.rule);
            assert!(PathSet::new(marker.files.iter().map(String::as_str)).is_ok(), "{:?}", marker.files);
            let pattern = pattern(&marker.pattern).unwrap();
            assert!(!marker.example.is_empty() && !marker.counterexample.is_empty());
            for (lines, wanted) in [(&marker.example, true), (&marker.counterexample, false)] {
                for line in lines {
                    if pattern.is_match(line.as_bytes()) != wanted {
                        wrong.push(format!("{} {:?}: {line}", marker.rule, marker.files));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        for rule in &built_in.rules {
            assert!(built_in.markers.iter().any(|marker| marker.rule == rule.id), "{}", rule.id);
        }
    }
}

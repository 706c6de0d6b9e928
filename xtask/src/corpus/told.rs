//! What a channel told of a run, before the seed's header and the console have had their say.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;

use super::recording::{TrueCase, TrueProblem};
use crate::shell::Done;

/// What is known of a run without reading its console.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub(super) source: &'static str,
    pub(super) completeness: &'static str,
    pub(super) totals: Option<BTreeMap<String, u64>>,
    pub(super) cases: Vec<TrueCase>,
    pub(super) problems: Vec<TrueProblem>,
    pub(super) plan_mismatch: bool,
    /// Of each case the script that it comes from, where there are several.
    pub(super) scripts: Vec<String>,
}

impl Told {
    /// Adds what is known of another script of the same run.
    pub(super) fn add(&mut self, script: &str, other: Self) {
        self.source = other.source;
        if other.completeness != "complete" {
            self.completeness = other.completeness;
        }
        self.scripts.extend(other.cases.iter().map(|_| script.to_owned()));
        self.cases.extend(other.cases);
        self.problems.extend(other.problems);
        self.plan_mismatch |= other.plan_mismatch;
    }

    /// Cases of one name in several scripts are told apart by the script.
    pub(super) fn tell_apart(&mut self) {
        let ids: Vec<String> = self.cases.iter().map(|case| case.id.clone()).collect();
        for (case, script) in self.cases.iter_mut().zip(&self.scripts) {
            if ids.iter().filter(|id| **id == case.id).count() > 1 {
                case.id = format!("{script} > {}", case.id);
            }
        }
    }
}

/// A file of one JSON object a line. A last line that a killed process left half is left out.
pub(super) fn lines<T: DeserializeOwned>(text: &str) -> Done<Vec<T>> {
    let mut list = Vec::new();
    for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
        list.push(serde_json::from_str(line).map_err(|error| format!("{error} in {line}"))?);
    }
    Ok(list)
}

pub(super) fn case(id: &str, status: &str, mut kinds: Vec<String>) -> TrueCase {
    kinds.sort();
    TrueCase { id: id.to_owned(), status: status.to_owned(), kinds, also_kinds: Vec::new(), visible: true }
}

pub(super) fn problem(kind: &str, subject: Option<&str>) -> TrueProblem {
    TrueProblem {
        kind: kind.to_owned(),
        subject: subject.map(str::to_owned),
        also_kinds: Vec::new(),
        optional: false,
    }
}

//! What a check proves: who reads its output, which tests it is about, in which phases.

use std::collections::HashSet;

use redgreen_parsers::Format;
use regex::bytes::Regex;

use super::later::Later;
use crate::plan::fault::{Faults, quoted};
use crate::plan::model::{Identities, Phase};
use crate::plan::node::{Fields, Node, Value};
use crate::plan::patterns::{BadPattern, failure_pattern, success_pattern};

/// The format that is read by the plan's own patterns and names no cases.
const GENERIC: &str = "generic";

pub(super) struct Proof {
    pub(super) parsers: Vec<String>,
    pub(super) identities: Identities,
    pub(super) phases: Vec<Phase>,
    pub(super) success_pattern: Option<Regex>,
    pub(super) failure_pattern: Option<Regex>,
}

pub(super) fn read(fields: Fields<'_>, later: &Later, faults: &mut Faults<'_>) -> Proof {
    let parser = fields.required("parser", faults);
    let parsers = parser.map_or_else(Vec::new, |node| parsers(node, later, faults));
    let identities = identities(fields, faults);
    let phases = phases(fields, identities.is_some(), faults);
    if phases.contains(&Phase::Red) && identities.is_none() && parsers.iter().any(|word| word != GENERIC) {
        let at = fields.get("identities").or(fields.get("phases")).map_or(fields.at, |node| node.at);
        let how = "name the tests that must fail, or write `identities = \"any\"`";
        faults.add(at, format!("a red phase needs identities: {how}"));
    }
    let success_pattern = pattern(fields, "success_pattern", success_pattern, faults);
    let failure_pattern = pattern(fields, "failure_pattern", failure_pattern, faults);
    for (key, phase) in [("success_pattern", Phase::Green), ("failure_pattern", Phase::Red)] {
        // What can't be compiled is given all the same.
        let given =
            fields.get(key).filter(|node| !matches!(&node.value, Value::Text(text) if text.is_empty()));
        let generic = parsers.iter().any(|word| word == GENERIC);
        match given {
            Some(node) if !generic && !parsers.is_empty() => {
                faults.add(node.at, format!("only the parser `generic` reads {}; leave it out", quoted(key)));
            }
            None if generic && phases.contains(&phase) => {
                let at = parser.map_or(fields.at, |node| node.at);
                let phase = phase.word();
                faults.add(at, format!("the parser `generic` needs {} for its {phase} phase", quoted(key)));
            }
            _ => {}
        }
    }
    let identities = identities.unwrap_or(Identities::Named(Vec::new()));
    Proof { parsers, identities, phases, success_pattern, failure_pattern }
}

/// The formats, by their words; an alias stands for its word.
fn parsers(node: &Node, later: &Later, faults: &mut Faults<'_>) -> Vec<String> {
    let nodes = match &node.value {
        Value::Text(_) => std::slice::from_ref(node),
        Value::List(list) if list.is_empty() => {
            faults.add(node.at, "the list of parsers is empty");
            return Vec::new();
        }
        Value::List(list) => list,
        _ => return node.expected("the word of a format, or a list of them", faults).unwrap_or_default(),
    };
    let (mut words, mut seen) = (Vec::new(), HashSet::new());
    for node in nodes {
        let Some(text) = node.text(faults) else { continue };
        let word = Format::resolve(text);
        if !seen.insert(word) {
            faults.add(node.at, format!("the parser {} is named twice", quoted(word)));
        } else if Format::is_announced(word) {
            let have: Vec<_> = Format::all().map(|format| quoted(format.word())).collect();
            let have = have.join(", ");
            faults.add(
                node.at,
                format!("not yet: the format {} can't be read; those that can: {have}", quoted(text)),
            );
        } else if Format::find(word).is_none() && !later.parsers.contains(word) {
            let mut known: Vec<&str> = Format::words().collect();
            let mut valid: Vec<&str> = Format::all().map(Format::word).collect();
            for own in &later.parsers {
                known.push(own);
                valid.push(own);
            }
            faults.unknown_near(node.at, "parser", text, &known, &valid);
        }
        // Kept although unknown, so that the rest of the check is read as the author meant it.
        words.push(word.to_owned());
    }
    words
}

/// The tests that the check is about; `None` when it names none.
fn identities(fields: Fields<'_>, faults: &mut Faults<'_>) -> Option<Identities> {
    let node = fields.get("identities")?;
    match &node.value {
        Value::Text(text) if text == "any" => return Some(Identities::Any),
        Value::List(_) => {}
        _ => {
            node.wrong("a list of tests, or `\"any\"`", faults);
            // Something was meant; saying that identities are missing as well would be wrong.
            return Some(Identities::Any);
        }
    }
    let names = node.texts(faults)?;
    for (name, at) in &names {
        if name.trim().is_empty() {
            faults.add(*at, "this identity is empty; it would name every test");
        }
    }
    let names: Vec<_> = names.into_iter().map(|(name, _)| name.to_owned()).collect();
    if names.is_empty() { None } else { Some(Identities::Named(names)) }
}

/// The phases; left out, both with identities and green alone without.
fn phases(fields: Fields<'_>, identities: bool, faults: &mut Faults<'_>) -> Vec<Phase> {
    let left_out = if identities { vec![Phase::Red, Phase::Green] } else { vec![Phase::Green] };
    let Some(node) = fields.get("phases") else { return left_out };
    let Value::List(list) = &node.value else {
        return node.expected("a list of phases, such as `[\"red\", \"green\"]`", faults).unwrap_or(left_out);
    };
    if list.is_empty() {
        faults.add(node.at, "a check without a phase never runs; name one or leave `phases` out");
        return left_out;
    }
    let mut phases = Vec::new();
    for node in list {
        let Some(phase) = node.word(&[("red", Phase::Red), ("green", Phase::Green)], faults) else {
            return left_out;
        };
        if phases.contains(&phase) {
            faults.add(node.at, format!("the phase {} is named twice", quoted(phase.word())));
        }
        phases.push(phase);
    }
    phases.sort_unstable();
    phases
}

/// A pattern; an empty one is none.
fn pattern(
    fields: Fields<'_>,
    key: &str,
    compile: fn(&str) -> Result<Regex, BadPattern>,
    faults: &mut Faults<'_>,
) -> Option<Regex> {
    let node = fields.get(key)?;
    let text = node.text(faults).filter(|text| !text.is_empty())?;
    compile(text).map_err(|bad| faults.add(node.at, bad.to_string())).ok()
}

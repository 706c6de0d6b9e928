//! What a check runs, and its bounds.

use std::collections::BTreeMap;
use std::time::Duration;

use super::values::{no_nul, variable_name};
use crate::plan::fault::{Faults, quoted};
use crate::plan::node::{Fields, Node, Value};
use crate::plan::units;

/// The program and its arguments, under `command` or, as stage runners write it, `argv`.
pub(super) fn command(fields: Fields<'_>, faults: &mut Faults<'_>) -> Vec<String> {
    let node = match (fields.get("command"), fields.entry("argv")) {
        (Some(_), Some(argv)) => {
            faults.add(argv.key_at, "`argv` is another word for `command`; give one of them");
            return Vec::new();
        }
        (None, Some(argv)) => &argv.node,
        (_, None) => match fields.required("command", faults) {
            Some(node) => node,
            None => return Vec::new(),
        },
    };
    let Value::List(list) = &node.value else {
        let how = "a list, such as `[\"python3\", \"-m\", \"pytest\"]`, as there is no shell";
        return node.expected(how, faults).unwrap_or_default();
    };
    if list.is_empty() {
        faults.add(node.at, "the command is empty; write the program and its arguments");
    }
    let texts = node.texts(faults).unwrap_or_default();
    if let (Some((program, at)), Some(first)) = (texts.first(), list.first())
        && *at == first.at
        && program.trim().is_empty()
    {
        faults.add(*at, "the program of the command is empty");
    }
    for (argument, at) in &texts {
        no_nul(argument, *at, faults);
    }
    texts.into_iter().map(|(text, _)| text.to_owned()).collect()
}

/// Variables that the command gets.
pub(super) fn env(fields: Fields<'_>, faults: &mut Faults<'_>) -> BTreeMap<String, String> {
    let Some(node) = fields.get("env") else { return BTreeMap::new() };
    let Value::Table(entries) = &node.value else {
        return node.expected("a table, such as `{ TZ = \"UTC\" }`", faults).unwrap_or_default();
    };
    let mut env = BTreeMap::new();
    for entry in entries {
        variable_name(&entry.key, entry.key_at, faults);
        if let Some(value) = entry.node.text(faults) {
            no_nul(value, entry.node.at, faults);
            env.insert(entry.key.clone(), value.to_owned());
        }
    }
    env
}

/// A duration; `off` is none.
pub(super) fn time_limit(
    fields: Fields<'_>,
    key: &str,
    default: Option<Duration>,
    faults: &mut Faults<'_>,
) -> Option<Duration> {
    match fields.get(key) {
        None => default,
        Some(Node { value: Value::Text(text), .. }) if text == "off" => None,
        Some(node) => duration(node, faults),
    }
}

/// A duration that can't be `off`.
pub(super) fn duration(node: &Node, faults: &mut Faults<'_>) -> Option<Duration> {
    if let Value::Integer(number) = node.value {
        faults.add(node.at, format!("a duration has a unit: `\"{number}s\"`, `\"{number}m\"`"));
        return None;
    }
    let text = node.text(faults)?;
    units::duration(text).map_err(|why| faults.add(node.at, format!("{}: {why}", quoted(text)))).ok()
}

/// A size: a number of bytes, or a text with a unit.
pub(super) fn output_limit(fields: Fields<'_>, faults: &mut Faults<'_>) -> Option<u64> {
    let node = fields.get("output_limit")?;
    let text = match &node.value {
        Value::Integer(number) => number.to_string(),
        Value::Text(text) => text.clone(),
        _ => return node.expected("a size, such as `\"64MiB\"`", faults),
    };
    units::size(&text).map_err(|why| faults.add(node.at, format!("{}: {why}", quoted(&text)))).ok()
}

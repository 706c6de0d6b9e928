//! A plan's text → [`Plan`]: every rule of the schema, and every fault at once.

mod checks;
mod later;
mod outcomes;
mod proof;
mod repositories;
mod run;
mod services;
mod settings;
mod stages;
#[cfg(test)]
mod tests;
mod values;

use super::fault::{Faults, PlanError};
use super::model::Plan;
use super::node::{Fields, Node, Value};
use super::notation;
use super::source::{Place, Source, Text};

/// The version of the schema that is read here.
const VERSION: i128 = 1;

const KEYS: &[&str] = &[
    "version",
    "revision",
    "repositories",
    "freeze",
    "guard",
    "fingerprint",
    "deliver",
    "secrets",
    "checks",
    "services",
    "outcomes",
    "stages",
    "rules",
    "parsers",
];

/// Reads a plan. It is JSON when its name ends in `.json` or its first sign is `{`, else TOML.
///
/// # Errors
/// Everything that is wrong with it, each with its place.
pub fn read(source: &Source<'_>) -> Result<Plan, PlanError> {
    let bytes = source.text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(source.text);
    let decoded = String::from_utf8_lossy(bytes);
    let mut text = Text::new(source.name, &decoded);
    if let Err(error) = std::str::from_utf8(bytes) {
        let at = error.valid_up_to();
        return Err(broken(&text, vec![(Place::Span(at, at), not_utf8(bytes).to_owned())]));
    }
    if decoded.trim().is_empty() {
        let empty = "the plan is empty; `verify init` writes one to start from".to_owned();
        return Err(broken(&text, vec![(Place::Span(0, 0), empty)]));
    }
    let json = source.name.ends_with(".json") || decoded.trim_start().starts_with('{');
    let root = if json { notation::json(&mut text) } else { notation::toml(&text) };
    match root {
        Ok(root) => plan(&root, source.folder_name, Faults::new(&text)),
        Err(places) => Err(broken(&text, places)),
    }
}

fn not_utf8(bytes: &[u8]) -> &'static str {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        "this is UTF-16; save the plan as UTF-8"
    } else {
        "this byte is not UTF-8; save the plan as UTF-8"
    }
}

/// The error of a text that is not even TOML or JSON.
fn broken(text: &Text<'_>, places: Vec<(Place, String)>) -> PlanError {
    let mut faults = Faults::new(text);
    for (place, message) in places {
        faults.add(place, message);
    }
    faults.into_error()
}

fn plan(root: &Node, folder_name: &str, mut faults: Faults<'_>) -> Result<Plan, PlanError> {
    if let Some((at, version)) = newer_version(root) {
        // What else such a plan says can't be judged here.
        faults.add(at, format!("this plan is of version {version}; it needs a newer `verify`"));
        return Err(faults.into_error());
    }
    let to = &mut faults;
    let Some(root) = Fields::open(root, KEYS, to) else { return Err(faults.into_error()) };
    if let Some(node) = root.required("version", to)
        && !matches!(node.value, Value::Integer(VERSION))
    {
        to.add(node.at, "the version of a plan is the number 1");
    }
    let repositories = repositories::read(root, folder_name, to);
    let later = later::read(root, &repositories, to);
    let services = services::read(root, to);
    let checks = checks::read(root, &repositories, &services, &later, to);
    let plan = Plan {
        revision: root.get("revision").and_then(|node| revision(node, to)),
        freeze: settings::freeze(root, &repositories, to),
        guard: settings::guard(root, to),
        fingerprint: settings::fingerprint(root, to),
        deliver: settings::deliver(root, to),
        outcomes: outcomes::read(root, &checks, to),
        stages: stages::read(root, &repositories, to),
        repositories: repositories.into_list(),
        checks: checks.into_list(),
        services: services.into_list(),
    };
    if faults.is_empty() { Ok(plan) } else { Err(faults.into_error()) }
}

/// The version, when it is one that is still to come.
fn newer_version(root: &Node) -> Option<(Place, i128)> {
    let Value::Table(entries) = &root.value else { return None };
    let node = &entries.iter().find(|entry| entry.key == "version")?.node;
    match node.value {
        Value::Integer(version) if version > VERSION => Some((node.at, version)),
        _ => None,
    }
}

/// The revision is free: a text, or a number as it stands there.
fn revision(node: &Node, faults: &mut Faults<'_>) -> Option<String> {
    match &node.value {
        Value::Text(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        _ => node.expected("a number or a text", faults),
    }
}

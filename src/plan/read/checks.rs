//! `[[checks]]`

use std::collections::BTreeMap;
use std::time::Duration;

use redgreen_parsers::Format;

use super::later::Later;
use super::repositories::Repositories;
use super::services::Services;
use super::values::{Ids, choice, globs, relative_path, words};
use super::{proof, run};
use crate::plan::fault::{Faults, quoted};
use crate::plan::model::{Check, Flaky, Phase, Sessions, Witness};
use crate::plan::node::{Fields, Value};
use crate::plan::paths::PathSet;

const KEYS: &[&str] = &[
    "id",
    "command",
    "argv",
    "parser",
    "identities",
    "phases",
    "repository",
    "depends",
    "cwd",
    "timeout",
    "inactivity_timeout",
    "output_limit",
    "env",
    "needs",
    "witness",
    "report",
    "sessions",
    "flaky",
    "assertion_errors",
    "may_write",
    "approved_skip_reason",
    "success_pattern",
    "failure_pattern",
];

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10 * 60);
const DEFAULT_OUTPUT_LIMIT: u64 = 2 << 30;

/// The checks of a plan, also those that were found wrong, so that what names them isn't wrong as well.
#[derive(Debug)]
pub(super) struct Checks {
    list: Vec<Check>,
    by_id: BTreeMap<String, usize>,
}

impl Checks {
    pub(super) fn into_list(self) -> Vec<Check> {
        self.list
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|check| check.id.as_str())
    }

    pub(super) fn phases(&self, id: &str) -> Option<&[Phase]> {
        self.list.get(*self.by_id.get(id)?).map(|check| check.phases.as_slice())
    }
}

pub(super) fn read(
    root: Fields<'_>,
    repositories: &Repositories,
    services: &Services,
    later: &Later,
    faults: &mut Faults<'_>,
) -> Checks {
    let tables = root.tables("checks", KEYS, faults);
    let mut ids = Ids::default();
    let mut checks = Checks { list: Vec::new(), by_id: BTreeMap::new() };
    for fields in &tables {
        let id = ids.take(*fields, "id", faults).unwrap_or_default().to_owned();
        checks.by_id.insert(id.clone(), checks.list.len());
        checks.list.push(check(id, *fields, repositories, services, later, faults));
    }
    let readable = match root.get("checks").map(|node| &node.value) {
        None => !root.misspells("checks"),
        Some(Value::List(list)) => list.len() == tables.len(),
        Some(_) => false,
    };
    // Where a check couldn't even be opened, a fault says so already.
    if readable && !checks.list.iter().any(|check| check.phases.contains(&Phase::Green)) {
        let at = tables.first().map_or(root.at, |fields| fields.at);
        faults.add(at, "a plan needs a check with a green phase");
    }
    checks
}

fn check(
    id: String,
    fields: Fields<'_>,
    repositories: &Repositories,
    services: &Services,
    later: &Later,
    faults: &mut Faults<'_>,
) -> Check {
    let proof = proof::read(fields, later, faults);
    let report = report(fields, &proof.parsers, faults);
    Check {
        id,
        command: run::command(fields, faults),
        parsers: proof.parsers,
        identities: proof.identities,
        phases: proof.phases,
        repository: repositories.of_check(fields, faults),
        depends: depends(fields, repositories, faults),
        cwd: fields
            .get("cwd")
            .and_then(|node| relative_path(node, false, faults))
            .unwrap_or_else(|| ".".to_owned()),
        timeout: run::time_limit(fields, "timeout", Some(DEFAULT_TIMEOUT), faults),
        inactivity_timeout: run::time_limit(fields, "inactivity_timeout", None, faults),
        output_limit: run::output_limit(fields, faults).unwrap_or(DEFAULT_OUTPUT_LIMIT),
        env: run::env(fields, faults),
        needs: services.needed(fields, faults),
        witness: choice(fields, "witness", [("auto", Witness::Auto), ("off", Witness::Off)], faults),
        sessions: choice(fields, "sessions", [("one", Sessions::One), ("many", Sessions::Many)], faults),
        flaky: choice(fields, "flaky", [("note", Flaky::Note), ("reject", Flaky::Reject)], faults),
        assertion_errors: words(fields, "assertion_errors", faults),
        may_write: may_write(fields, &report, faults),
        report,
        approved_skip_reason: skip_reason(fields, faults),
        success_pattern: proof.success_pattern,
        failure_pattern: proof.failure_pattern,
    }
}

/// The structured report, and what the command may write because of it.
fn report(fields: Fields<'_>, parsers: &[String], faults: &mut Faults<'_>) -> String {
    let reads_one = |word: &String| Format::find(word).is_some_and(Format::is_structured);
    let text = fields.get("report").and_then(|node| Some((node, node.text(faults)?.to_owned())));
    let Some((node, text)) = text.filter(|(_, text)| !text.is_empty()) else {
        if let Some(word) = parsers.iter().find(|word| reads_one(word)) {
            let at = fields.get("parser").map_or(fields.at, |node| node.at);
            let what = format!(
                "the parser {} reads a report: say which file the command writes, `report = \"path\"`, or `\"-\"` for its \
                 standard output",
                quoted(word)
            );
            faults.add(at, what);
        }
        return String::new();
    };
    if !parsers.is_empty() && !parsers.iter().any(reads_one) {
        faults.add(node.at, "none of these parsers reads a report; leave `report` out, or name `junit`");
    } else if text != "-"
        && let Err(bad) = PathSet::new([text.as_str()])
    {
        faults.add(node.at, format!("the glob {} can't be used: {}", quoted(&text), bad.why));
        return String::new();
    }
    text
}

/// What the command may write: also its report.
fn may_write(fields: Fields<'_>, report: &str, faults: &mut Faults<'_>) -> PathSet {
    let own = globs(fields, "may_write", faults);
    if report.is_empty() || report == "-" {
        return own;
    }
    PathSet::new(own.patterns().iter().map(String::as_str).chain([report])).unwrap_or(own)
}

fn depends(fields: Fields<'_>, repositories: &Repositories, faults: &mut Faults<'_>) -> Option<Vec<String>> {
    let names = fields.get("depends")?.texts(faults)?;
    for (name, at) in &names {
        repositories.named(name, *at, faults);
    }
    Some(names.into_iter().map(|(name, _)| name.to_owned()).collect())
}

fn skip_reason(fields: Fields<'_>, faults: &mut Faults<'_>) -> String {
    let Some(node) = fields.get("approved_skip_reason") else { return String::new() };
    let reason = node.text(faults).unwrap_or_default();
    if !reason.is_empty() && reason.trim().is_empty() {
        faults.add(node.at, "a reason of blanks says nothing");
    }
    reason.to_owned()
}

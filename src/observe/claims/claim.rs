//! A claim from its JSON, in both dialects. Keys are read wherever a dialect may have them.

use serde_json::{Map, Value};

use super::artifact;
use super::fields::Fields;
use crate::observe::facts::claims::{Audit, Claim, Dialect, GateWord, Passed, Shipped};

/// What a claim may hold at its top.
const KNOWN: &[&str] = &[
    "status",
    "evidence",
    "audit",
    "regressions",
    "ship",
    "pending_actions",
    "session",
    "oracle",
    "project",
    "mission",
    "summary",
    "commit",
    "started_at",
    "finished_at",
    "duration_secs",
    "todos_total",
    "todos_completed",
    "not_done",
    "scope",
    "corroboration",
    "artifacts",
    "lifecycle",
    "executor",
    "verify_command",
    "verify_exit_code",
    "verify_stdout",
    "verify_stderr",
    "grader",
];

/// What its evidence may hold.
const EVIDENCE: &[&str] = &[
    "executor",
    "verify_command",
    "verify_exit_code",
    "verify_stdout",
    "verify_stderr",
    "commit",
    "artifacts",
    "started_at",
    "finished_at",
];

/// What its audit may hold.
const AUDIT: &[&str] = &["gates_required", "gates_passed", "scores", "verdict", "grader"];

/// Words of a gate's verdict.
const SATISFIED: &[&str] = &["satisfied", "pass", "passed", "approved", "accepted", "ok"];
const REFUSED: &[&str] =
    &["unsatisfied", "not_satisfied", "not satisfied", "refused", "rejected", "fail", "failed", "blocked"];

/// The dialect: by what the claim holds, and by its name where that tells nothing.
pub(super) fn dialect(name: &str, object: Option<&Map<String, Value>>) -> Dialect {
    let has = |key| object.is_some_and(|object| object.contains_key(key));
    if has("oracle") {
        Dialect::Oracle
    } else if has("evidence") {
        Dialect::Documented
    } else if name.starts_with("oracle-") {
        Dialect::Oracle
    } else if name.starts_with("worker-") || (has("session") && !has("audit")) {
        Dialect::Worker
    } else {
        Dialect::Documented
    }
}

/// What a claim says.
pub(super) fn read(object: &Map<String, Value>) -> Claim {
    let mut claim = Claim::default();
    let mut top = Fields::new(object, "");
    claim.unknown.extend(top.beyond(KNOWN));
    claim.status = top.text("status");
    if claim.status.is_none() && top.get("status").is_none_or(Value::is_string) {
        claim.violations.push("`status` is missing".to_owned());
    }
    claim.session = top.text("session").or_else(|| top.text("oracle"));
    proof(&mut claim, &mut top);
    if let Some(evidence) = top.object("evidence") {
        let mut evidence = Fields::new(evidence, "evidence.");
        claim.unknown.extend(evidence.beyond(EVIDENCE));
        proof(&mut claim, &mut evidence);
        claim.violations.extend(evidence.wrong());
    }
    if let Some(object) = top.object("audit") {
        claim.audit = Some(audit(object, &mut claim));
    }
    if let Some(audit) = &mut claim.audit
        && audit.graders.is_empty()
    {
        audit.graders.extend(top.texts("grader").into_iter().flatten());
    }
    claim.regressions = regressions(&mut top);
    claim.ship = match top.get("ship") {
        Some(Value::Object(object)) => Some(ship(object)),
        Some(Value::String(word)) => Some(Shipped { result: Some(word.trim().to_owned()), deploy: None }),
        Some(Value::Bool(_)) | None => None,
        Some(other) => {
            top.say("ship", other, "an object");
            None
        }
    };
    claim.pending_actions = top.list("pending_actions").unwrap_or_default().to_vec();
    work_left(&mut claim, &mut top);
    claim.violations.extend(top.wrong());
    claim
}

/// What proves it: at the top in one dialect, below `evidence` in the other.
fn proof(claim: &mut Claim, fields: &mut Fields<'_>) {
    let or = |old: &mut Option<String>, new: Option<String>| *old = new.or_else(|| old.take());
    or(&mut claim.executor, fields.text("executor"));
    claim.command = fields.command("verify_command").or_else(|| claim.command.take());
    claim.exit_code = fields.integer("verify_exit_code").or(claim.exit_code);
    claim.stdout |= is_captured(fields, "verify_stdout");
    claim.stderr |= is_captured(fields, "verify_stderr");
    claim.finished_at = fields.moment("finished_at").or(claim.finished_at);
    claim.commits.extend(fields.text("commit"));
    for value in fields.list("artifacts").unwrap_or_default() {
        match artifact::read(value) {
            artifact::Found::Commit(name) => claim.commits.push(name),
            artifact::Found::Other(artifact) => claim.artifacts.push(artifact),
            artifact::Found::Broken => fields.say("artifacts", value, "an object with a `kind`"),
        }
    }
    claim.commits.dedup();
}

/// An empty capture is one; lines in a list are one too.
fn is_captured(fields: &mut Fields<'_>, key: &str) -> bool {
    match fields.get(key) {
        None => false,
        Some(Value::String(_) | Value::Array(_)) => true,
        Some(other) => {
            fields.say(key, other, "text");
            false
        }
    }
}

fn audit(object: &Map<String, Value>, claim: &mut Claim) -> Audit {
    let mut fields = Fields::new(object, "audit.");
    claim.unknown.extend(fields.beyond(AUDIT));
    let mut audit =
        Audit { required: fields.texts("gates_required").unwrap_or_default(), ..Audit::default() };
    audit.passed = match fields.get("gates_passed") {
        Some(Value::Bool(all)) => Some(Passed::All(*all)),
        _ => fields.texts("gates_passed").map(Passed::Named),
    };
    if let Some(scores) = fields.object("scores") {
        for (gate, value) in scores {
            match value {
                Value::Number(score) => {
                    audit.scores.extend(score.as_f64().map(|score| (gate.trim().to_owned(), score)));
                }
                Value::Object(details) => {
                    let score = details.get("score").and_then(Value::as_f64);
                    audit.scores.extend(score.map(|score| (gate.trim().to_owned(), score)));
                    let verdict = details.get("verdict").and_then(word);
                    audit.verdicts.extend(verdict.map(|verdict| (gate.trim().to_owned(), verdict)));
                }
                Value::Null => {}
                other => fields.say(&format!("scores.{gate}"), other, "a number"),
            }
        }
    }
    match fields.get("verdict") {
        None => {}
        Some(Value::Object(verdicts)) => {
            for (gate, value) in verdicts {
                match word(value) {
                    Some(word) => {
                        audit.verdicts.insert(gate.trim().to_owned(), word);
                    }
                    None if value.is_null() => {}
                    None => fields.say(&format!("verdict.{gate}"), value, "text"),
                }
            }
        }
        Some(value) => match word(value) {
            Some(word) => audit.verdict = Some(word),
            None => fields.say("verdict", value, "text, or an object by gate"),
        },
    }
    audit.graders = fields.texts("grader").unwrap_or_default();
    audit.graders.retain(|grader| !grader.is_empty());
    claim.violations.extend(fields.wrong());
    audit
}

fn word(value: &Value) -> Option<GateWord> {
    match value {
        Value::Bool(true) => Some(GateWord::Satisfied),
        Value::Bool(false) => Some(GateWord::Refused),
        Value::String(text) => {
            let word = text.trim().to_ascii_lowercase();
            Some(if SATISFIED.contains(&word.as_str()) {
                GateWord::Satisfied
            } else if REFUSED.contains(&word.as_str()) {
                GateWord::Refused
            } else {
                GateWord::Unknown(text.trim().to_owned())
            })
        }
        _ => None,
    }
}

fn regressions(top: &mut Fields<'_>) -> Option<usize> {
    match top.get("regressions")? {
        Value::Array(list) => Some(list.len()),
        Value::Number(number) if number.as_u64().is_some() => {
            number.as_u64().map(|number| usize::try_from(number).unwrap_or(usize::MAX))
        }
        other => {
            top.say("regressions", other, "a list");
            None
        }
    }
}

fn ship(object: &Map<String, Value>) -> Shipped {
    let result = object.get("result").and_then(Value::as_str).map(|word| word.trim().to_owned());
    // Whoever polls writes the state under one of these names: as a word, or as the list of all that was seen.
    let deploy = ["deploy_poll", "deploy_status", "deploy_state", "deploy", "poll"];
    let deploy = deploy.iter().filter_map(|key| object.get(*key)).find_map(last_state);
    Shipped { result, deploy }
}

/// The last state of a poll.
fn last_state(value: &Value) -> Option<String> {
    match value {
        Value::String(word) => Some(word.trim().to_owned()),
        Value::Array(seen) => seen.last().and_then(last_state),
        Value::Object(object) => ["state", "status", "result", "final", "states"]
            .iter()
            .filter_map(|key| object.get(*key))
            .find_map(last_state),
        _ => None,
    }
}

fn work_left(claim: &mut Claim, top: &mut Fields<'_>) {
    let not_done = top.list("not_done").unwrap_or_default();
    for item in not_done {
        let item = item.as_str().map_or_else(|| item.to_string(), str::to_owned);
        claim.work_left.push(format!("`not_done` says: {item}"));
    }
    if let (Some(total), Some(completed)) = (top.integer("todos_total"), top.integer("todos_completed"))
        && completed < total
    {
        claim.work_left.push(format!("{completed} of {total} todos are completed"));
    }
}

//! What was asked for: briefs, scopes, questions, and the thresholds of audits.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use serde_json::{Map, Value};

use super::LARGEST;
use super::fields::Fields;
use crate::digest::Sha256;
use crate::observe::facts::claims::{Brief, Question, Scope};
use crate::observe::foreign;

/// A brief.
pub(super) fn brief(object: &Map<String, Value>) -> Brief {
    let mut fields = Fields::new(object, "");
    let mut brief = Brief {
        session: fields.text("session"),
        issued_at: fields.moment("issued_at"),
        base: fields.text("base"),
        verify_command: fields.command("verify_command"),
        gates_required: fields.texts("gates_required").unwrap_or_default(),
        files_owned: fields.texts("files_owned").unwrap_or_default(),
        parent: fields.text("parent"),
        children: fields.texts("children").unwrap_or_default(),
        cwd: fields.text("cwd"),
        ..Brief::default()
    };
    if let Some(thresholds) = fields.object("thresholds") {
        for (gate, value) in thresholds {
            match value.as_f64() {
                Some(threshold) => {
                    brief.thresholds.insert(gate.trim().to_owned(), threshold);
                }
                None => fields.say(&format!("thresholds.{gate}"), value, "a number"),
            }
        }
    }
    brief.ship = match fields.get("ship") {
        Some(Value::Object(ship)) => ship.get("requested").and_then(Value::as_bool).unwrap_or(true),
        _ => fields.flag("ship").unwrap_or(false),
    };
    brief.violations = fields.wrong();
    brief
}

/// A scope; `session` is that of its file name.
pub(super) fn scope(session: &str, object: &Map<String, Value>) -> Scope {
    let mut fields = Fields::new(object, "");
    Scope {
        session: fields.text("session").unwrap_or_else(|| session.to_owned()),
        files_owned: fields.texts("files_owned").unwrap_or_default(),
    }
}

/// A question; `session` is that of its file name. A file that says none asks nothing.
pub(super) fn question(session: &str, object: &Map<String, Value>, sha256: Sha256) -> Option<Question> {
    let mut fields = Fields::new(object, "");
    let answered = ["answer", "answered_at", "answered"]
        .iter()
        .filter_map(|key| fields.get(key))
        .any(|value| !matches!(value, Value::Bool(false)) && value.as_str() != Some(""));
    Some(Question {
        session: fields.text("session").unwrap_or_else(|| session.to_owned()),
        text: fields.text("question")?,
        answered,
        sha256,
    })
}

/// The thresholds of the gates that a folder of audits describes: `<gate>.json` with a `threshold`, a JSON object of
/// numbers by gate, or a text with a line `threshold: 90`. Files that say none are passed over; of one that can't be
/// read the reason is kept, since it may ask for more than anything else does.
///
/// # Errors
/// When the folder can't be read.
pub fn thresholds(folder: &Path) -> io::Result<BTreeMap<String, Result<f64, String>>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let Some(gate) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
        let gate = gate.strip_prefix("audit-").unwrap_or(gate).to_owned();
        if path.is_dir() {
            continue;
        }
        let text = match foreign::read(&path, LARGEST) {
            Ok(Some(bytes)) => String::from_utf8_lossy(&bytes).into_owned(),
            Ok(None) => continue,
            Err(error) => {
                found.insert(gate, Err(error.to_string()));
                continue;
            }
        };
        let is_json = path.extension().is_some_and(|end| end == "json");
        match serde_json::from_str(&text) {
            Ok(Value::Object(object)) => of_object(&gate, &object, &mut found),
            Err(error) if is_json => _ = found.insert(gate, Err(format!("it is no JSON: {error}"))),
            _ => found.extend(text.lines().find_map(of_line).map(|threshold| (gate, Ok(threshold)))),
        }
    }
    Ok(found)
}

fn of_object(gate: &str, object: &Map<String, Value>, found: &mut BTreeMap<String, Result<f64, String>>) {
    if let Some(threshold) = object.get("threshold") {
        let named = ["gate", "name"].iter().find_map(|key| object.get(*key).and_then(Value::as_str));
        let least = number(threshold).ok_or_else(|| format!("its threshold is `{threshold}`, no number"));
        found.insert(named.unwrap_or(gate).to_owned(), least);
    } else {
        let by_gate = object.get("thresholds").and_then(Value::as_object).unwrap_or(object);
        found.extend(by_gate.iter().filter_map(|(gate, value)| Some((gate.clone(), Ok(value.as_f64()?)))));
    }
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| of_text(value.as_str()?))
}

/// `threshold: 90`, also as an item or with Markdown's marks.
fn of_line(line: &str) -> Option<f64> {
    let (name, number) = line.split_once([':', '='])?;
    let name = name.trim_matches(|sign: char| sign.is_whitespace() || "*_-+#>`".contains(sign));
    name.eq_ignore_ascii_case("threshold").then(|| of_text(number))?
}

fn of_text(text: &str) -> Option<f64> {
    let is_mark = |sign: char| sign.is_whitespace() || "*_`%".contains(sign);
    text.trim_matches(is_mark).parse().ok().filter(|number: &f64| number.is_finite())
}

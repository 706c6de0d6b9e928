//! An artifact from its JSON: `{"kind": …}`, or the kind as the only key.

use serde_json::{Map, Value};

use super::fields::Fields;
use crate::observe::facts::claims::Artifact;

pub(super) enum Found {
    /// A git artifact names this commit.
    Commit(String),
    /// Another artifact.
    Other(Artifact),
    /// It isn't one.
    Broken,
}

pub(super) fn read(value: &Value) -> Found {
    let Value::Object(object) = value else {
        // A note may be bare text.
        return value.as_str().map_or(Found::Broken, |text| Found::Other(Artifact::Other(text.to_owned())));
    };
    match object.get("kind") {
        Some(Value::String(kind)) => of_kind(kind, object),
        Some(_) => Found::Broken,
        None => match object.iter().next() {
            Some((kind, Value::Object(inner))) if object.len() == 1 => of_kind(kind, inner),
            _ => Found::Other(Artifact::Other(value.to_string())),
        },
    }
}

fn of_kind(kind: &str, object: &Map<String, Value>) -> Found {
    let mut fields = Fields::new(object, "");
    let mut first = |keys: &[&str]| keys.iter().find_map(|key| fields.text(key));
    let found = match kind {
        "git_sha" | "git" | "commit" | "git_commit" => {
            return match first(&["sha", "commit", "hash", "ref"]) {
                Some(name) => Found::Commit(name),
                None => Found::Broken,
            };
        }
        "git_branch" | "branch" => first(&["name", "branch"]).map(Artifact::Branch),
        "file_path" | "file" | "path" => {
            first(&["path", "file"]).map(|path| Artifact::File { path, sha256: first(&["sha256"]) })
        }
        "command" => {
            let exit_code = fields.integer("exit_code");
            let expected = fields.integer("expected_exit_code");
            let captured =
                ["stdout", "output"].iter().any(|key| fields.get(key).is_some_and(Value::is_string));
            fields.command("cmd").or_else(|| fields.command("command")).map(|command| Artifact::Command {
                command,
                exit_code,
                expected,
                captured,
            })
        }
        _ => Some(Artifact::Other(kind.to_owned())),
    };
    found.map_or(Found::Broken, Found::Other)
}

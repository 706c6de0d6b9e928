//! Reading JSON that others write: what isn't there is nothing, what is of another shape is said and passed over.

use serde_json::{Map, Value};

use crate::observe::facts::Timestamp;
use crate::observe::facts::claims::Command;

/// An object, and what was wrong with it.
pub(super) struct Fields<'v> {
    object: &'v Map<String, Value>,
    /// Where it stands, with a full stop behind: `evidence.`, or nothing.
    at: &'static str,
    wrong: Vec<String>,
}

impl<'v> Fields<'v> {
    pub(super) fn new(object: &'v Map<String, Value>, at: &'static str) -> Self {
        Self { object, at, wrong: Vec::new() }
    }

    /// What isn't of its shape, one sentence each.
    pub(super) fn wrong(self) -> Vec<String> {
        self.wrong
    }

    /// The keys that aren't among these.
    pub(super) fn beyond<'k>(&'k self, known: &'k [&str]) -> impl Iterator<Item = String> + 'k {
        let unknown = self.object.keys().filter(|key| !known.contains(&key.as_str()));
        unknown.map(|key| format!("{}{key}", self.at))
    }

    /// What stands there; `null` is nothing.
    pub(super) fn get(&self, key: &str) -> Option<&'v Value> {
        self.object.get(key).filter(|value| !value.is_null())
    }

    pub(super) fn say(&mut self, key: &str, value: &Value, wanted: &str) {
        self.wrong.push(format!("`{}{key}` is {}, and {wanted} is expected", self.at, kind(value)));
    }

    pub(super) fn text(&mut self, key: &str) -> Option<String> {
        let value = self.get(key)?;
        let text = value.as_str().map(|text| text.trim().to_owned());
        if text.is_none() {
            self.say(key, value, "text");
        }
        text.filter(|text| !text.is_empty())
    }

    pub(super) fn object(&mut self, key: &str) -> Option<&'v Map<String, Value>> {
        let value = self.get(key)?;
        let object = value.as_object();
        if object.is_none() {
            self.say(key, value, "an object");
        }
        object
    }

    pub(super) fn list(&mut self, key: &str) -> Option<&'v [Value]> {
        let value = self.get(key)?;
        let list = value.as_array().map(Vec::as_slice);
        if list.is_none() {
            self.say(key, value, "a list");
        }
        list
    }

    /// A list of texts; one text alone is a list of one.
    pub(super) fn texts(&mut self, key: &str) -> Option<Vec<String>> {
        let value = self.get(key)?;
        if let Some(text) = value.as_str() {
            return Some(vec![text.trim().to_owned()]);
        }
        let texts = value.as_array().and_then(|list| {
            list.iter().map(|item| item.as_str().map(|text| text.trim().to_owned())).collect()
        });
        if texts.is_none() {
            self.say(key, value, "a list of texts");
        }
        texts
    }

    pub(super) fn integer(&mut self, key: &str) -> Option<i64> {
        let value = self.get(key)?;
        let integer = value.as_i64();
        if integer.is_none() {
            self.say(key, value, "a whole number");
        }
        integer
    }

    pub(super) fn flag(&mut self, key: &str) -> Option<bool> {
        let value = self.get(key)?;
        if value.as_bool().is_none() {
            self.say(key, value, "true or false");
        }
        value.as_bool()
    }

    /// A moment by RFC 3339, one without a zone (which is taken for UTC), or seconds since 1970.
    pub(super) fn moment(&mut self, key: &str) -> Option<Timestamp> {
        let value = self.get(key)?;
        let moment = match value {
            Value::String(text) => moment(text),
            Value::Number(seconds) => seconds.as_f64().and_then(Timestamp::of_seconds),
            _ => None,
        };
        if moment.is_none() {
            self.say(key, value, "a moment such as 2026-01-02T03:04:05Z");
        }
        moment
    }

    /// Text for a shell, or a list of words.
    pub(super) fn command(&mut self, key: &str) -> Option<Command> {
        let value = self.get(key)?;
        let command = match value {
            Value::String(text) => Some(Command::Text(text.trim().to_owned())),
            Value::Array(words) => {
                let words =
                    words.iter().map(|word| word.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>();
                words.map(Command::Words)
            }
            _ => None,
        };
        if command.is_none() {
            self.say(key, value, "text or a list of words");
        }
        command.filter(|command| match command {
            Command::Text(text) => !text.is_empty(),
            Command::Words(words) => !words.is_empty(),
        })
    }
}

fn moment(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    text.parse().ok().or_else(|| format!("{text}Z").parse().ok())
}

/// What a value is, in words.
pub(super) const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

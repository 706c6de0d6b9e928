//! One small tree for both notations of a plan, in which each value knows its place.

use super::fault::{Faults, nearest, quoted};
use super::source::Place;

/// A value with its place.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) at: Place,
    pub(crate) value: Value,
}

#[derive(Debug)]
pub(crate) enum Value {
    Text(String),
    Integer(i128),
    Bool(bool),
    List(Vec<Node>),
    Table(Vec<Entry>),
    /// What no key of a plan takes, by its name.
    Other(&'static str),
}

/// A key with its value.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_at: Place,
    pub(crate) node: Node,
}

impl Node {
    fn kind(&self) -> &'static str {
        match self.value {
            Value::Text(_) => "a text",
            Value::Integer(_) => "a number",
            Value::Bool(_) => "a truth value",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
            Value::Other(kind) => kind,
        }
    }

    /// Says that something else was expected here.
    pub(crate) fn wrong(&self, expected: &str, faults: &mut Faults<'_>) {
        faults.add(self.at, format!("expected {expected}, found {}", self.kind()));
    }

    /// The same, in place of a value.
    pub(crate) fn expected<T>(&self, what: &str, faults: &mut Faults<'_>) -> Option<T> {
        self.wrong(what, faults);
        None
    }

    pub(crate) fn text(&self, faults: &mut Faults<'_>) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => self.expected("a text in quotes", faults),
        }
    }

    pub(crate) fn boolean(&self, faults: &mut Faults<'_>) -> Option<bool> {
        match self.value {
            Value::Bool(yes) => Some(yes),
            _ => self.expected("`true` or `false`", faults),
        }
    }

    /// The texts of a list; what is none is named and left out.
    pub(crate) fn texts(&self, faults: &mut Faults<'_>) -> Option<Vec<(&str, Place)>> {
        let list = match &self.value {
            Value::List(list) => list,
            _ => return self.expected("a list of texts", faults),
        };
        Some(list.iter().filter_map(|node| Some((node.text(faults)?, node.at))).collect())
    }

    /// One of a few words.
    pub(crate) fn word<T: Copy>(&self, words: &[(&'static str, T)], faults: &mut Faults<'_>) -> Option<T> {
        let text = self.text(faults)?;
        let found = words.iter().find(|(word, _)| *word == text).map(|(_, meaning)| *meaning);
        if found.is_none() {
            faults.unknown(self.at, "word", text, words.iter().map(|(word, _)| *word));
        }
        found
    }
}

/// A table whose keys are known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields<'n> {
    pub(crate) at: Place,
    entries: &'n [Entry],
    known: &'n [&'static str],
}

impl<'n> Fields<'n> {
    /// Opens a table, naming each key that isn't known in it.
    pub(crate) fn open(node: &'n Node, known: &'n [&'static str], faults: &mut Faults<'_>) -> Option<Self> {
        let Value::Table(entries) = &node.value else { return node.expected("a table", faults) };
        for entry in entries {
            if !known.contains(&entry.key.as_str()) {
                faults.unknown(entry.key_at, "key", &entry.key, known.iter().copied());
            }
        }
        Some(Self { at: node.at, entries, known })
    }

    pub(crate) fn entry(&self, key: &str) -> Option<&'n Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'n Node> {
        self.entry(key).map(|entry| &entry.node)
    }

    /// Whether a key that isn't known is most like this one: then it was meant, and isn't missing as well.
    pub(crate) fn misspells(&self, key: &str) -> bool {
        let unknown = self.entries.iter().filter(|entry| !self.known.contains(&entry.key.as_str()));
        // A table with more than a few unknown keys is no slip of the pen.
        unknown.take(10).any(|entry| nearest(&entry.key, self.known) == Some(key))
    }

    /// The value of a key that has to be there.
    pub(crate) fn required(&self, key: &str, faults: &mut Faults<'_>) -> Option<&'n Node> {
        let node = self.get(key);
        if node.is_none() && !self.misspells(key) {
            faults.add(self.at, format!("the key {} is missing", quoted(key)));
        }
        node
    }

    /// A table below this one; `None` when it isn't there.
    pub(crate) fn table(
        &self,
        key: &str,
        known: &'n [&'static str],
        faults: &mut Faults<'_>,
    ) -> Option<Self> {
        Self::open(self.get(key)?, known, faults)
    }

    /// The tables of a list below this one, `[[key]]`.
    pub(crate) fn tables(&self, key: &str, known: &'n [&'static str], faults: &mut Faults<'_>) -> Vec<Self> {
        let Some(node) = self.get(key) else { return Vec::new() };
        let Value::List(list) = &node.value else {
            node.wrong(&format!("a list of tables, `[[{key}]]`"), faults);
            return Vec::new();
        };
        list.iter().filter_map(|node| Self::open(node, known, faults)).collect()
    }
}

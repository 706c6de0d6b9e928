//! JSON into the tree. Places are JSON Pointers; a key that stands twice in an object is refused.

use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::plan::fault::quoted;
use crate::plan::node::{Entry, Node, Value};
use crate::plan::source::{Place, Step, Text};

/// The tree, or what breaks the notation and where.
pub(in crate::plan) fn read(text: &mut Text<'_>) -> Result<Node, Vec<(Place, String)>> {
    let mut steps = vec![Step { from: None, key: String::new() }];
    let mut twice = Vec::new();
    let mut json = serde_json::Deserializer::from_str(text.text);
    let root = Seed { step: 0, steps: &mut steps, twice: &mut twice }
        .deserialize(&mut json)
        .and_then(|root| json.end().map(|()| root))
        .map_err(|error| {
            let at = text.offset(error.line(), error.column());
            let message = error.to_string();
            // The place is said once, before the message.
            let what = message.rsplit_once(" at line ").map_or(message.as_str(), |(what, _)| what);
            vec![(Place::Span(at, at), what.to_owned())]
        })?;
    text.pointers = steps;
    if twice.is_empty() { Ok(root) } else { Err(twice) }
}

struct Seed<'s> {
    step: usize,
    steps: &'s mut Vec<Step>,
    twice: &'s mut Vec<(Place, String)>,
}

impl Seed<'_> {
    /// The seed of what lies one step below.
    fn below(&mut self, key: String) -> Seed<'_> {
        let step = self.steps.len();
        self.steps.push(Step { from: Some(self.step), key });
        Seed { step, steps: self.steps, twice: self.twice }
    }

    fn node(&self, value: Value) -> Node {
        Node { at: Place::Step(self.step), value }
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Node, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(self.node(Value::Text(text.to_owned())))
    }

    fn visit_bool<E>(self, yes: bool) -> Result<Node, E> {
        Ok(self.node(Value::Bool(yes)))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Node, E> {
        Ok(self.node(Value::Integer(number.into())))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Node, E> {
        Ok(self.node(Value::Integer(number.into())))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Node, E> {
        Ok(self.node(Value::Other("a fraction")))
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(self.node(Value::Other("null; leave the key out for its default")))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut from: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(node) = from.next_element_seed(self.below(list.len().to_string()))? {
            list.push(node);
        }
        Ok(self.node(Value::List(list)))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut from: A) -> Result<Node, A::Error> {
        let mut entries = Vec::new();
        let mut seen = HashSet::new();
        while let Some(key) = from.next_key::<String>()? {
            let seed = self.below(key.clone());
            let key_at = Place::Step(seed.step);
            let node = from.next_value_seed(seed)?;
            if !seen.insert(key.clone()) {
                self.twice.push((key_at, format!("the key {} stands twice in its object", quoted(&key))));
            }
            entries.push(Entry { key, key_at, node });
        }
        Ok(self.node(Value::Table(entries)))
    }
}

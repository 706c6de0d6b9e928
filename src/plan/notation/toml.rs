//! TOML into the tree. Places are spans of the text.

use std::borrow::Cow;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::plan::node::{Entry, Node, Value};
use crate::plan::source::{Place, Text};

/// The tree, or what breaks the notation and where.
pub(in crate::plan) fn read(text: &Text<'_>) -> Result<Node, Vec<(Place, String)>> {
    let root = DeTable::parse(text.text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        vec![(place(&span), error.message().lines().collect::<Vec<_>>().join(", "))]
    })?;
    // The root's span is the whole text; what is missing there is missing at its start.
    Ok(Node { at: Place::Span(0, 0), value: table(root.into_inner()) })
}

fn place(span: &Range<usize>) -> Place {
    Place::Span(span.start, span.end)
}

fn table(entries: DeTable<'_>) -> Value {
    let entry = |(key, value): (Spanned<Cow<'_, str>>, Spanned<DeValue<'_>>)| Entry {
        key_at: place(&key.span()),
        key: key.into_inner().into_owned(),
        node: node(value),
    };
    Value::Table(entries.into_iter().map(entry).collect())
}

fn node(value: Spanned<DeValue<'_>>) -> Node {
    let at = place(&value.span());
    let value = match value.into_inner() {
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Integer(number) => i128::from_str_radix(number.as_str(), number.radix())
            .map_or(Value::Other("a number that is too large"), Value::Integer),
        DeValue::Boolean(yes) => Value::Bool(yes),
        DeValue::Array(list) => Value::List(list.into_iter().map(node).collect()),
        DeValue::Table(entries) => table(entries),
        DeValue::Float(_) => Value::Other("a fraction"),
        DeValue::Datetime(_) => Value::Other("a date"),
    };
    Node { at, value }
}

//! JSON Schemas of everything that `verify` writes and prints, made from the types themselves.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

use super::wire;

type Make = fn(&mut SchemaGenerator) -> Schema;

const SCHEMAS: &[(&str, Make)] = &[
    ("evidence", make::<wire::Evidence>),
    ("report", make::<wire::Report>),
    ("reports", make::<wire::Reports>),
    ("judgement", make::<wire::Judgement>),
    ("status", make::<wire::Status>),
    ("fingerprint", make::<wire::Fingerprint>),
    ("task", make::<wire::Task>),
    ("frozen", make::<wire::Frozen>),
    ("files", make::<wire::Files>),
    ("error", make::<wire::Error>),
    ("code", make::<wire::CodePage>),
    ("log", make::<wire::LogLine>),
    ("gate", make::<wire::Gate>),
    ("gate-block", make::<wire::GateBlock>),
    ("gate-details", make::<wire::GateDetails>),
    ("test-results", make::<wire::TestResults>),
    ("recognition", make::<wire::Recognition>),
    ("judge-answer", make::<wire::JudgeAnswer>),
    ("manifest", make::<wire::Manifest>),
    ("completion", make::<wire::Completion>),
    ("verdict", make::<wire::ClaimVerdict>),
    ("patrol", make::<wire::Patrol>),
    ("patrol-state", make::<wire::PatrolState>),
];

fn make<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.root_schema_for::<T>()
}

/// The names that [`schema`] knows.
pub fn names() -> impl Iterator<Item = &'static str> {
    SCHEMAS.iter().map(|(name, _)| *name)
}

/// The JSON Schema (draft 2020-12) of a document.
///
/// Every key that is always written is `required`, also those that may be null. Unknown keys are allowed: a later
/// version may write one more under the same `schema`, and whoever validates should go on reading it.
#[must_use]
pub fn schema(name: &str) -> Option<Value> {
    let (_, make) = SCHEMAS.iter().find(|(known, _)| *known == name)?;
    // What is described is what is written, where a key that may be null is there all the same.
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    Some(make(&mut generator).to_value())
}

#[cfg(test)]
mod tests;

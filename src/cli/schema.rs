//! `verify schema`: the JSON Schema of a file or an answer.

use clap::Args;

use super::output::Output;
use super::{Exit, Stop};
use crate::judge::Code;
use crate::record::schema;

/// Prints the JSON Schema of what verify reads or writes
#[derive(Debug, Args)]
pub(super) struct Schema {
    /// Its name, e.g. evidence, report, status
    name: String,
}

/// Runs the command.
///
/// # Errors
/// There is no schema of that name.
pub(super) fn run(schema: &Schema, out: &mut Output) -> Result<Exit, Stop> {
    let Some(found) = schema::schema(&schema.name) else {
        let names: Vec<_> = schema::names().collect();
        let names = names.join(", ");
        let why = format!("there is no schema `{}`; there are: {names}", schema.name);
        return Err(Stop::new(Code::NoSuchName, why));
    };
    out.line(&format!("{found:#}"));
    Ok(Exit::Good)
}

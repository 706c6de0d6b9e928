//! `verify schema`: the JSON Schema of a file or an answer.

use clap::Args;

use super::output::Output;
use super::{Exit, Stop};
use crate::judge::Code;
use crate::record::schema;

/// Prints the JSON Schema of what verify reads or writes
#[derive(Debug, Args)]
pub(super) struct Schema {
    #[arg(help = format!("Its name: {}", names()))]
    name: String,
}

/// Runs the command.
///
/// # Errors
/// There is no schema of that name.
pub(super) fn run(schema: &Schema, out: &mut Output) -> Result<Exit, Stop> {
    let Some(found) = schema::schema(&schema.name) else {
        let why = format!("there is no schema `{}`; there are: {}", schema.name, names());
        return Err(Stop::new(Code::NoSuchName, why));
    };
    out.line(&format!("{found:#}"));
    Ok(Exit::Good)
}

fn names() -> String {
    schema::names().collect::<Vec<_>>().join(", ")
}

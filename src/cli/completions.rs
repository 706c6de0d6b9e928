//! `verify completions`: completion scripts for shells.

use clap::Args;
use clap_complete::Shell;

use super::output::Output;
use super::{Exit, Stop};

/// Prints a completion script for a shell
#[derive(Debug, Args)]
pub(super) struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs the command.
///
/// # Errors
/// None of its own.
pub(super) fn run(completions: &Completions, out: &mut Output) -> Result<Exit, Stop> {
    let mut script = Vec::new();
    clap_complete::generate(completions.shell, &mut super::command(), "verify", &mut script);
    out.raw(&script);
    Ok(Exit::Good)
}

//! `verify man`: the manual page.

use clap::Args;

use super::output::Output;
use super::{Exit, Stop};
use crate::judge::Code;

/// Prints the manual page of verify, or of one of its commands
#[derive(Debug, Args)]
pub(super) struct Man {
    /// The command, e.g. red
    command: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// There is no command of that name.
pub(super) fn run(man: &Man, out: &mut Output) -> Result<Exit, Stop> {
    let mut whole = super::command();
    whole.build();
    let command = match &man.command {
        None => whole,
        Some(name) => match whole.find_subcommand(name) {
            Some(command) => command.clone(),
            None => {
                let why = format!("there is no command `{name}`; `verify --help` lists them");
                return Err(Stop::new(Code::NoSuchName, why));
            }
        },
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command)
        .render(&mut page)
        .map_err(|why| Stop::new(Code::Unreadable, format!("the page can't be made: {why}")))?;
    out.raw(&page);
    Ok(Exit::Good)
}

//! `verify init`: finds the project's runners and writes a plan. It never overwrites one.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;

use super::options::Global;
use super::output::Output;
use super::plan_file::PLAN_NAME;
use super::{Exit, Stop};
use crate::judge::Code;
use crate::observe::project;
use crate::plan::template::{self, Found};
use crate::present::text::safe;

/// Finds the project's test runners and writes a plan that works at once
#[derive(Debug, Args)]
pub(super) struct Init {
    /// Print the plan instead of writing it
    #[arg(long)]
    dry_run: bool,
}

/// Runs the command.
///
/// # Errors
/// A plan is there, no runner was found, or the folder can't be read or written.
pub(super) fn run(init: &Init, global: &Global, out: &mut Output) -> Result<Exit, Stop> {
    let plan = global.plan.clone().unwrap_or_else(|| PathBuf::from(PLAN_NAME));
    let folder = plan
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .map_or(PathBuf::from("."), PathBuf::from);
    if plan.exists() && !init.dry_run {
        return Err(there(&plan));
    }
    let found = project::look(&folder)
        .map_err(|why| Stop::new(Code::Unreadable, format!("the folder can't be read: {why}")).on(&folder))?;
    let Some(text) = template::write(&found) else {
        say_unread(&found, out);
        return Err(nothing_found(&found).on(&folder));
    };
    if init.dry_run {
        out.raw(text.as_bytes());
        return Ok(Exit::Good);
    }
    // Made new or not at all, so that two at once can't overwrite each other either.
    let written = File::create_new(&plan).and_then(|mut file| file.write_all(text.as_bytes()));
    match written {
        Ok(()) => {}
        Err(why) if why.kind() == io::ErrorKind::AlreadyExists => return Err(there(&plan)),
        Err(why) => {
            return Err(
                Stop::new(Code::StoreUnwritable, format!("the plan can't be written: {why}")).on(&plan)
            );
        }
    }
    out.line(&format!("wrote {}", safe(&plan.to_string_lossy())));
    for runner in &found.runners {
        out.line(&format!("  {}, found by {}", safe(&runner.command.join(" ")), safe(&runner.evidence)));
    }
    say_unread(&found, out);
    out.talk("next: read what it says, then verify begin");
    Ok(Exit::Good)
}

fn nothing_found(found: &Found) -> Stop {
    let what = if found.unread.is_empty() {
        "no test runner was found"
    } else {
        "no test runner was found whose output can be read yet"
    };
    let why = format!(
        "{what}; write `verify.toml` by hand: `verify explain nothing-found` shows one for any command, read by two patterns"
    );
    Stop::new(Code::NothingFound, why)
}

fn there(plan: &std::path::Path) -> Stop {
    let why =
        "a plan is there already and stays as it is; `verify init --dry-run` prints what would be written";
    Stop::new(Code::PlanExists, why).on(plan)
}

fn say_unread(found: &Found, out: &mut Output) {
    for unread in &found.unread {
        out.talk(&format!(
            "  {}, found by {}, can't be read yet",
            safe(&unread.name),
            safe(&unread.evidence)
        ));
    }
}

//! `verify patrol`: what workers claim, turned into what is true.

mod beside;
mod cycle;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::output::Output;
use super::{Exit, Stop};
use crate::judge::Code;
use crate::observe::claims::{Wake, Watcher};
use crate::observe::process::Cancel;
use crate::present;
use cycle::{Cycle, Rounds};

/// How long a watch waits before it looks at everything again, events or not.
const BEAT: Duration = Duration::from_secs(10);

/// How long a file that doesn't parse has to stand still in a watch to be taken for what it is.
const SETTLE: Duration = Duration::from_secs(2);

/// Turns claims of done into what is true, a verdict file beside each
///
/// Reads `*.done.json` in a folder, in two dialects, and what was asked for: `<name>.brief.json`, `scope-<session>.json`.
/// What it proves is a floor: something changed and nothing that was looked at is red, not that the right thing was built.
#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 every claim is what it says, 1 one isn't, 3 the folder can't be read.")]
pub(super) struct Patrol {
    /// The folder with the claims
    state_dir: PathBuf,

    /// One cycle (the default)
    #[arg(long, conflicts_with = "watch")]
    once: bool,

    /// Follow the folder until stopped
    #[arg(long)]
    watch: bool,

    /// Where the briefs are; without it, beside the claims
    #[arg(long, value_name = "DIR")]
    brief_dir: Option<PathBuf>,

    /// A folder with one file a gate, which names its least score
    #[arg(long, value_name = "DIR")]
    audits: Option<PathBuf>,

    /// The least score of a gate for which neither an audit nor the brief names one
    #[arg(long, value_name = "SCORE", default_value_t = 85.0, value_parser = score)]
    threshold: f64,

    /// Run the verify command of each claim of done again
    #[arg(long)]
    rerun: bool,

    /// Where rejections are appended; without it, decisions.md beside the verdicts
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,

    /// Where the verdicts are written; without it, beside the claims
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// A command that is run for each new verdict done_clean or failed, with the verdict's file as its last argument
    #[arg(long, value_name = "ARGV")]
    on_final: Option<String>,
}

fn score(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(score) if f64::is_finite(score) => Ok(score),
        _ => Err("a number is expected".to_owned()),
    }
}

/// Runs the command.
///
/// # Errors
/// A folder that can't be read or written, or an option that can't be meant.
pub(super) fn run(options: &Patrol, out: &mut Output, cancel: &Cancel) -> Result<Exit, Stop> {
    let mut rounds = Rounds::open(options)?;
    if options.watch {
        return follow(options, &mut rounds, out, cancel);
    }
    let cycle = rounds.cycle(Duration::ZERO, true, cancel)?;
    if let Some(cycle) = &cycle {
        print(cycle, out);
        rounds.tell(cycle, out, cancel)?;
    }
    Ok(match (cancel.signal(), cycle) {
        (Some(signal), _) => Exit::Cancelled(signal),
        (None, Some(cycle)) if cycle.all_stand() => Exit::Good,
        (None, _) => Exit::Rejected,
    })
}

/// Goes round until it is told to stop.
fn follow(
    options: &Patrol,
    rounds: &mut Rounds<'_>,
    out: &mut Output,
    cancel: &Cancel,
) -> Result<Exit, Stop> {
    let folders = [Some(&options.state_dir), options.brief_dir.as_ref()];
    // Before the first cycle, so that nothing comes between.
    let watcher = Watcher::new(folders.into_iter().flatten().map(PathBuf::as_path)).map_err(|error| {
        Stop::new(Code::Unreadable, format!("the folder can't be watched: {error}")).on(&options.state_dir)
    })?;
    let mut full = true;
    loop {
        let cycle = rounds.cycle(SETTLE, full, cancel)?;
        let mut time = BEAT;
        if let Some(cycle) = &cycle {
            if cycle.is_news {
                print(cycle, out);
                out.flush();
            }
            rounds.tell(cycle, out, cancel)?;
            if cycle.document.waiting > 0 {
                time = SETTLE;
            }
        }
        full = match watcher.wait(time, cancel) {
            Wake::Changed => false,
            Wake::TimeOver => time == BEAT,
            Wake::Cancelled(signal) => return Ok(Exit::Cancelled(signal)),
        };
    }
}

fn print(cycle: &Cycle, out: &mut Output) {
    if out.is_json() {
        out.json(&cycle.document);
        return;
    }
    if !out.is_quiet() {
        for line in present::patrol::patrol(&cycle.document, out.is_verbose()) {
            out.line(&line);
        }
    }
    out.line(&present::patrol::summary(&cycle.document));
}

//! Runs a command and tells what it did: how it ended, what it printed, what it left behind.

mod cancel;
#[cfg(unix)]
mod family;
#[cfg(unix)]
mod program;
#[cfg(unix)]
mod watch;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use redgreen_parsers::Stream;

use super::facts::{Ended, RunFacts};
use super::transcript::Transcript;

pub use cancel::Cancel;

/// A command to run. Standard input is empty; no shell is involved.
#[derive(Debug, Clone)]
pub struct Command {
    /// The program and its arguments, as given.
    pub argv: Vec<OsString>,
    /// Where it runs.
    pub cwd: PathBuf,
    /// What differs from the environment of `verify` itself, in order: a name and its value, or `None` to remove it.
    pub env: Vec<(OsString, Option<OsString>)>,
    /// It is ended when it runs for longer.
    pub timeout: Option<Duration>,
    /// It is ended when it prints nothing for longer.
    pub inactivity_timeout: Option<Duration>,
    /// It is ended when it prints more bytes than this, both streams together.
    pub output_limit: u64,
}

/// What a command did.
#[derive(Debug)]
pub struct Finished {
    /// How it ended, and beside what.
    pub facts: RunFacts,
    /// What it printed.
    pub transcript: Transcript,
}

/// Why a run could not be observed, though the command may be fine.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The output could not be kept.
    #[error(
        "can't keep the command's output in a temporary file in {folder:?}: {source}; free space there, or set TMPDIR"
    )]
    Store {
        /// Where temporary files are made.
        folder: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A call to the system failed.
    #[error("can't {what}: {source}")]
    System {
        /// What was tried.
        what: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

impl RunError {
    fn store(source: io::Error) -> Self {
        Self::Store { folder: std::env::temp_dir(), source }
    }

    #[cfg(unix)]
    fn system(what: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::System { what, source }
    }
}

/// Runs a command to its end, in a process group of its own, and ends whatever it leaves behind.
///
/// On Linux this process becomes the parent of what the command's processes leave behind (a *subreaper*) while a run
/// lasts. Children that were there before, and those in this process's own group, are never touched; a caller that
/// meanwhile starts children of its own in other groups would see them ended with the run.
///
/// # Errors
/// Only for trouble of our own; nothing of the command is left running then. A command that can't be started is
/// [`Ended::NotStarted`].
pub fn run(command: &Command, cancel: &Cancel) -> Result<Finished, RunError> {
    run_and_tell(command, cancel, &mut |_, _| {})
}

/// The same, and `tell` hears what the command prints as it comes, in blocks that end anywhere.
///
/// # Errors
/// As [`run`].
#[cfg(unix)]
pub fn run_and_tell(
    command: &Command,
    cancel: &Cancel,
    tell: &mut dyn FnMut(Stream, &[u8]),
) -> Result<Finished, RunError> {
    if let Some(signal) = cancel.signal() {
        return not_run(Ended::Cancelled(signal));
    }
    let path = match program::find(command) {
        Ok(path) => path,
        Err(why) => return not_run(Ended::NotStarted(why)),
    };
    let hashing = program::hash_beside(&path);
    let family = match family::Family::start(program::prepare(command, &path)) {
        Ok(family) => family,
        Err(error) => return not_run(Ended::NotStarted(program::why_not(&path, &error))),
    };
    let mut finished = watch::watch(command, cancel, family, tell)?;
    finished.facts.program = Some(hashing.join(path));
    Ok(finished)
}

/// Runs nothing: processes are not observed on this system.
///
/// # Errors
/// None here.
#[cfg(not(unix))]
pub fn run_and_tell(_: &Command, _: &Cancel, _: &mut dyn FnMut(Stream, &[u8])) -> Result<Finished, RunError> {
    not_run(Ended::NotStarted("running commands is not supported on this system".to_owned()))
}

/// The number of a signal's name, e.g. `SIGKILL`.
#[cfg(unix)]
#[must_use]
pub fn signal_of_name(name: &str) -> Option<i32> {
    (1..=64).find(|number| signal_hook::low_level::signal_name(*number) == Some(name))
}

/// Signals have no names here.
#[cfg(not(unix))]
#[must_use]
pub fn signal_of_name(_: &str) -> Option<i32> {
    None
}

impl Command {
    /// A command with the environment of `verify` itself and no limits.
    pub fn new<S: Into<OsString>>(argv: impl IntoIterator<Item = S>, cwd: impl Into<PathBuf>) -> Self {
        Self {
            argv: argv.into_iter().map(Into::into).collect(),
            cwd: cwd.into(),
            env: Vec::new(),
            timeout: None,
            inactivity_timeout: None,
            output_limit: u64::MAX,
        }
    }

    /// The same, without this variable.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.env.push((name.into(), None));
        self
    }
}

/// The run of a command that isn't started, for this reason.
///
/// # Errors
/// None here.
pub fn not_started(why: String) -> Result<Finished, RunError> {
    not_run(Ended::NotStarted(why))
}

fn not_run(ended: Ended) -> Result<Finished, RunError> {
    let transcript = Transcript::from_reader(io::empty(), Stream::Merged);
    let facts = RunFacts { ended, duration: Duration::ZERO, program: None, orphans: Vec::new() };
    Ok(Finished { facts, transcript: transcript.map_err(RunError::store)? })
}

#[cfg(test)]
#[cfg(unix)]
mod tests;

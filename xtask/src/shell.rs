//! Where the repository lies, and how commands are run in it.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a task returns. The message is for the person at the terminal.
pub(crate) type Done<T = ()> = Result<T, Box<dyn Error>>;

/// The repository's root.
pub(crate) fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

/// The folder for what is built, as cargo is told.
pub(crate) fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

/// The cargo that runs this task, in the repository's root.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

/// Runs a command whose output goes to the terminal, and fails if it does.
pub(crate) fn run(command: &mut Command) -> Done {
    let shown = shown(command);
    eprintln!("$ {shown}");
    let status = command.status().map_err(|error| format!("`{shown}` could not be started: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{shown}` failed: {status}").into()) }
}

/// Runs a command and returns what it printed on standard output, without blanks at both ends.
pub(crate) fn read(command: &mut Command) -> Done<String> {
    let shown = shown(command);
    let output = command.output().map_err(|error| format!("`{shown}` could not be started: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.trim().lines().last().unwrap_or("it said nothing").to_owned();
    Err(format!("`{shown}` failed: {}: {last}", output.status).into())
}

fn shown(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy().into_owned()];
    words.extend(command.get_args().map(|argument| argument.to_string_lossy().into_owned()));
    words.join(" ")
}

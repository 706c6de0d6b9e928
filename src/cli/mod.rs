//! The commands: parse arguments, call the rooms in order, map to an exit code.

pub mod init;

use std::process::ExitCode;

/// Runs `verify` with the arguments of this process.
#[must_use]
pub fn main() -> ExitCode {
    ExitCode::SUCCESS
}

//! The command `verify`.

use std::process::ExitCode;

fn main() -> ExitCode {
    redgreen::cli::main()
}

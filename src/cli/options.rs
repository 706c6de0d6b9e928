//! The options that every command has.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

/// The options that every command has.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Everywhere")]
pub(super) struct Global {
    /// The plan; without it, `verify.toml` in this folder or the nearest one above
    #[arg(long, global = true, value_name = "FILE", env = "VERIFY_PLAN", hide_env_values = true)]
    pub(super) plan: Option<PathBuf>,

    /// Where records are kept; without it, `.verify` beside the plan
    #[arg(long, global = true, value_name = "DIR", env = "VERIFY_STATE_DIR", hide_env_values = true)]
    pub(super) state_dir: Option<PathBuf>,

    /// How long to wait for another verify that holds the state folder, e.g. 30s
    #[arg(long, global = true, value_name = "TIME", value_parser = duration)]
    pub(super) wait: Option<Duration>,

    /// What to print on standard output
    #[arg(long, global = true, value_enum, default_value_t = Format::Human)]
    pub(super) format: Format,

    /// When to use colour
    #[arg(long, global = true, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub(super) color: Colour,

    /// Say the verdict alone, without reasons and hints; warnings and errors stay
    #[arg(long, short, global = true)]
    pub(super) quiet: bool,

    /// Say more: every note, every test
    #[arg(long, short, global = true)]
    pub(super) verbose: bool,

    /// How many checks may run at once
    #[arg(long, global = true, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) jobs: u16,
}

/// What a command prints on standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For a person.
    Human,
    /// One JSON value.
    Json,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Colour {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

fn duration(text: &str) -> Result<Duration, String> {
    crate::plan::units::duration(text)
}

//! The corpus: recordings of real runners, made from seed projects, and how many of them read as their truth says.

mod dotnet;
mod jest;
mod junit;
mod launch;
mod pytest;
mod record;
#[path = "../../../tests/support/recording.rs"]
mod recording;
mod score;
mod seed;
mod tap;
mod told;
mod tools;
mod unittest;
mod verdict;

use crate::shell::Done;

pub(crate) use score::page;

/// `cargo xtask corpus …`.
pub(crate) fn run(arguments: &[&str]) -> Done {
    match arguments {
        ["record", format, seeds @ ..] => record::run(format, seeds),
        ["score"] => score::run(false),
        ["score", "--all"] => score::run(true),
        _ => Err("say `corpus record FORMAT [SEED…]` or `corpus score [--all]`".into()),
    }
}

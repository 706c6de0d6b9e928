//! What happened: the only room that touches processes, the work tree, git and the clock.

pub mod clock;
pub mod facts;
pub mod project;
pub mod process;
pub mod transcript;
pub mod files;
pub mod fingerprint;
pub mod git;

#[cfg(test)]
mod scratch;

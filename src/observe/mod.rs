//! What happened: the only room that touches processes, the work tree, git and the clock.

pub mod bytecode;
pub mod clock;
pub mod environment;
pub mod facts;
pub mod files;
pub mod fingerprint;
pub mod git;
mod ini;
pub mod process;
pub mod project;
pub mod reports;
pub mod service;
pub mod transcript;
pub mod witness;

#[cfg(test)]
mod scratch;

//! The library behind `verify`: it says whether a claim of "done" is backed by what really happened.
//!
//! What happens to a byte of test output can be read off the modules, in one direction:
//!
//! [`plan`] (what is promised) → [`observe`] (what happened) → the crate `redgreen-parsers` (what the runner said) →
//! [`judge`] (what to think of it) → [`record`] (what is kept) → [`present`] (what is shown). [`cli`] calls the rooms
//! in that order and maps the result to an exit code. `cargo xtask rooms` keeps the direction.

pub mod cli;
pub mod digest;
pub mod judge;
pub mod observe;
pub mod plan;
pub mod present;
pub mod record;

//! What to think of it: pure functions from observations to a verdict.

mod code;
mod verdict;

pub use code::{Code, Family};
pub use verdict::{Note, Place, Problem, Verdict};

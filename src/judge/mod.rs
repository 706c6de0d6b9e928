//! What to think of it: pure functions from observations to a verdict.
//!
//! [`red`] and [`green`] judge the run of a check.

mod code;
mod ended;
mod findings;
mod green;
mod identities;
mod inventory;
mod naming;
mod reading;
mod red;
mod run;
mod say;
#[cfg(test)]
mod tests;
mod verdict;

pub use code::{Code, Family};
pub use green::green;
pub use inventory::{InventoryCase, inventory, passed, unseen};
pub use red::red;
pub use run::{Expectations, Reading, Run, TestFiles};
pub use verdict::{Note, Place, Problem, Verdict};

//! What benchmarks measure on: outputs of runners, and projects.

mod junit;
mod outputs;
mod project;

pub(crate) use outputs::{GENERIC_PATTERNS, OUTPUTS, Output, PYTEST_DENSE, PYTEST_NOISE};
pub(crate) use project::Project;

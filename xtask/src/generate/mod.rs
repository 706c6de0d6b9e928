//! What benchmarks measure on: outputs of runners, and projects.

mod outputs;
mod project;

pub(crate) use outputs::{OUTPUTS, Output, PYTEST_NOISE};
pub(crate) use project::Project;

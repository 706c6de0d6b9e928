//! What benchmarks measure on: outputs of runners, and projects.

mod outputs;
mod project;

pub(crate) use outputs::{
    GENERIC_PATTERNS, JUNIT_DENSE, OUTPUTS, Output, PYTEST_DENSE, PYTEST_NOISE, PYTEST_SUMMARY, TAP_DENSE,
    UNITTEST_DENSE,
};
pub(crate) use project::Project;

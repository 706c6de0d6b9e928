//! What benchmarks measure on: outputs of runners, projects, and folders of claims.

mod claims;
mod dotnet;
mod outputs;
mod project;

pub(crate) use claims::Claims;
pub(crate) use outputs::{
    GENERIC_PATTERNS, JUNIT_DENSE, OUTPUTS, Output, PYTEST_DENSE, PYTEST_NOISE, PYTEST_SUMMARY, TAP_DENSE,
    UNITTEST_DENSE,
};
pub(crate) use project::Project;

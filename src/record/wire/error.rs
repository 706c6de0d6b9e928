//! What a command prints instead of its answer when it couldn't do its work.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::tag;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Error {
    /// `redgreen/error/1`
    pub schema: tag::Error,
    /// Which reason.
    pub code: String,
    /// What failed, on what, and what to do next.
    pub message: String,
    /// The file that it is about.
    pub path: Option<String>,
}

impl Error {
    /// An error of this code.
    pub fn new(code: impl Into<String>, message: impl Into<String>, path: Option<String>) -> Self {
        Self { schema: tag::Error::V1, code: code.into(), message: message.into(), path }
    }
}

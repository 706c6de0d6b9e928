//! The page of a code, as `explain` prints it for another program.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::tag;

/// What a code means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CodePage {
    /// `redgreen/code/1`
    pub schema: tag::CodePage,
    /// The code.
    pub code: String,
    /// Its page, in Markdown.
    pub page: String,
}

impl CodePage {
    /// The page of this code.
    pub fn new(code: impl Into<String>, page: impl Into<String>) -> Self {
        Self { schema: tag::CodePage::V1, code: code.into(), page: page.into() }
    }
}

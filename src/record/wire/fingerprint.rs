//! What `verify fingerprint` prints.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::tag;
use crate::digest::Sha256;
use crate::observe::facts::Hashed;

/// The state of the files, in one hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fingerprint {
    /// `redgreen/fingerprint/1`
    pub schema: tag::Fingerprint,
    /// One hash over all repositories.
    pub fingerprint: Sha256,
    /// One hash a repository, by id.
    pub fingerprints: BTreeMap<String, Sha256>,
    /// How many files count.
    pub files: u64,
    /// Whether every file was read.
    pub hashed: Hashed,
    /// What was passed over.
    pub left_out: Vec<String>,
}

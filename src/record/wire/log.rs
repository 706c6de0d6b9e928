//! A line of `log.jsonl`, the chain that binds the records.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::TaskNumber;
use crate::digest::Sha256;
use crate::observe::facts::Timestamp;
use crate::plan::Phase;

/// What is said of a record, in one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogLine {
    /// The number of the record in the log, from 1, without gaps. The lines of one record share it.
    pub n: u64,
    /// How far it has come.
    pub state: LogState,
    /// The record's file name below `evidence/`.
    pub record: String,
    /// The hash of the record's bytes.
    pub sha256: Sha256,
    /// The hash of the finished record before it.
    #[serde(deserialize_with = "Option::deserialize")]
    pub previous: Option<Sha256>,
    /// The task that it belongs to.
    pub task: TaskNumber,
    /// What was judged; `null` where that was no phase.
    #[serde(deserialize_with = "Option::deserialize")]
    pub phase: Option<Phase>,
    /// Whether it was accepted.
    pub passed: bool,
    /// When the attempt finished.
    pub at: Timestamp,
}

/// How far a record has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LogState {
    /// Its bytes are on the disk under a temporary name.
    Intent,
    /// It is in place.
    Done,
    /// It never came into place: the program was stopped before.
    Abandoned,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_to_be_there() {
        let line = format!(
            r#"{{"n":1,"state":"done","record":"guard-0001.json","sha256":"{}","previous":null,"task":"0001","phase":null,"passed":true,"at":"2026-01-02T03:04:05.678Z"}}"#,
            "0".repeat(64)
        );
        assert!(serde_json::from_str::<LogLine>(&line).is_ok());
        for key in ["n", "state", "record", "sha256", "previous", "task", "phase", "passed", "at"] {
            // One byte of it was flipped.
            let flipped = line.replacen(&format!("\"{key}\":"), &format!("\"{}\":", key.to_uppercase()), 1);
            assert!(serde_json::from_str::<LogLine>(&flipped).is_err(), "{key}");
        }
    }
}

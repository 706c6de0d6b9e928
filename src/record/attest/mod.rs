//! Signed deliveries: what was proved, bound to the files, so that it can be believed elsewhere.
//!
//! Beside an accepted delivery's record lies `<record>.intoto.jsonl`: two envelopes of DSSE, one a line, each with an
//! in-toto statement about the same files. The first says what was tested, in the words that in-toto has for it
//! (<https://in-toto.io/attestation/test-result/v0.1>); the second says how it was proved, and names the record by its
//! hash, and with it every record before.

mod dsse;
mod keys;
mod statement;

use std::collections::BTreeMap;

use serde::Deserialize;

pub use dsse::{Envelope, PAYLOAD_TYPE};
pub use keys::{KeyError, SigningKey, VerifyingKey};
pub use statement::{
    CheckProof, DELIVERY, Delivery, GitTree, RecordName, Statement, Subject, TEST_RESULT, TestResult,
    subjects,
};

use crate::digest::Sha256;

/// The statements of a delivery, signed: the text of its `.intoto.jsonl`.
///
/// # Errors
/// When a value has no JSON; none that statements hold.
pub fn sign(
    key: &SigningKey,
    subjects: &[Subject],
    result: &TestResult,
    delivery: &Delivery,
) -> Result<Vec<u8>, serde_json::Error> {
    let mut lines = Vec::new();
    for payload in [
        serde_json::to_vec(&Statement::new(subjects, TEST_RESULT, result))?,
        serde_json::to_vec(&Statement::new(subjects, DELIVERY, delivery))?,
    ] {
        serde_json::to_writer(&mut lines, &Envelope::sign(key, &payload))?;
        lines.push(b'\n');
    }
    Ok(lines)
}

/// Why a signature doesn't hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unsigned {
    /// A line is no envelope, or its payload no statement.
    #[error("line {line} is no signed statement: {why}")]
    Malformed {
        /// From 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
    /// The signature isn't that of this key over these bytes.
    #[error("the signature in line {line} is not of this key, or what it signs was changed")]
    Signature {
        /// From 1.
        line: usize,
    },
    /// A statement isn't there.
    #[error("it has no statement `{0}`")]
    Missing(&'static str),
    /// It was made for another record.
    #[error("it was signed for another record than this")]
    OtherRecord,
    /// The statements are about different files.
    #[error("its two statements were signed for different files")]
    OtherFiles,
}

/// Checks that these lines hold both statements of a delivery, signed by this key, about the record of this hash.
///
/// # Errors
/// The first thing that is wrong.
pub fn check(lines: &[u8], key: &VerifyingKey, record: Sha256) -> Result<(), Unsigned> {
    #[derive(Deserialize)]
    struct Head {
        #[serde(rename = "_type")]
        kind: String,
        #[serde(rename = "predicateType")]
        predicate_type: String,
        subject: serde_json::Value,
        predicate: serde_json::Value,
    }
    let mut statements: BTreeMap<String, Head> = BTreeMap::new();
    for (at, json) in lines.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty()) {
        let line = at + 1;
        let malformed = |why: String| Unsigned::Malformed { line, why };
        let envelope: Envelope = serde_json::from_slice(json).map_err(|why| malformed(why.to_string()))?;
        let payload = envelope.open(key).map_err(|why| match why {
            dsse::OpenError::Malformed(why) => malformed(why),
            dsse::OpenError::Signature => Unsigned::Signature { line },
        })?;
        let head: Head = serde_json::from_slice(&payload).map_err(|why| malformed(why.to_string()))?;
        if head.kind != statement::STATEMENT {
            return Err(malformed(format!("its type is `{}`", head.kind)));
        }
        if let Some(first) = statements.insert(head.predicate_type.clone(), head) {
            return Err(malformed(format!("it is a second statement `{}`", first.predicate_type)));
        }
    }
    let result = statements.get(TEST_RESULT).ok_or(Unsigned::Missing(TEST_RESULT))?;
    let delivery = statements.get(DELIVERY).ok_or(Unsigned::Missing(DELIVERY))?;
    let named = delivery.predicate.pointer("/record/sha256").and_then(serde_json::Value::as_str);
    if named != Some(record.to_string().as_str()) {
        return Err(Unsigned::OtherRecord);
    }
    // Only the delivery names the record: a result that the same key signed for other files could stand beside it.
    if result.subject == delivery.subject { Ok(()) } else { Err(Unsigned::OtherFiles) }
}

#[cfg(test)]
mod tests;

//! Documents: JSON that names its shape and the shape's version in `schema`.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A JSON document with a `schema` of its own.
pub trait Document: Serialize + DeserializeOwned {
    /// The value of its `schema`: a name and a version, `redgreen/evidence/1`.
    const SCHEMA: &'static str;
}

/// Makes, for each document, the type of its `schema` key: a single word, which is written always and is the only one
/// that reads.
macro_rules! documents {
    ($($document:ty, $module:ident = $word:literal;)*) => {
        $(impl Document for $document {
            const SCHEMA: &'static str = $word;
        })*

        /// The types of the `schema` keys.
        pub mod tag {
            use super::{Deserialize, JsonSchema, Serialize};
            $(
                #[doc = concat!("The `schema` of a document: `", $word, "`.")]
                #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
                #[schemars(inline)]
                pub enum $module {
                    #[doc = concat!("`", $word, "`")]
                    #[default]
                    #[serde(rename = $word)]
                    V1,
                }
            )*
        }
    };
}

documents! {
    super::Evidence, Evidence = "redgreen/evidence/1";
    super::Report, Report = "redgreen/report/1";
    super::Reports, Reports = "redgreen/reports/1";
    super::Judgement, Judgement = "redgreen/judgement/1";
    super::Status, Status = "redgreen/status/1";
    super::Fingerprint, Fingerprint = "redgreen/fingerprint/1";
    super::Error, Error = "redgreen/error/1";
    super::CodePage, CodePage = "redgreen/code/1";
    super::Task, Task = "redgreen/task/1";
    super::Frozen, Frozen = "redgreen/frozen/1";
    super::Files, Files = "redgreen/files/1";
    super::Gate, Gate = "redgreen/gate/1";
    super::Recognition, Recognition = "redgreen/recognition/1";
    super::ClaimVerdict, ClaimVerdict = "redgreen/verdict/1";
    super::Patrol, Patrol = "redgreen/patrol/1";
    super::PatrolState, PatrolState = "redgreen/patrol-state/1";
}

/// Why a document can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Its `schema` has a greater version than this program knows.
    #[error("its schema is `{found}`, and this version reads up to `{known}`")]
    Newer {
        /// What it says.
        found: String,
        /// What can be read.
        known: &'static str,
    },
    /// It is something else, or broken.
    #[error("it is no `{known}`: {why}")]
    Broken {
        /// What was expected.
        known: &'static str,
        /// What is wrong.
        why: String,
    },
}

/// Reads a document.
///
/// # Errors
/// [`ReadError::Newer`] when it is a later version of the same document, else [`ReadError::Broken`] when it isn't
/// JSON, names another schema, or misses a key.
pub fn read<D: Document>(bytes: &[u8]) -> Result<D, ReadError> {
    // The schema is looked at only after a failure, which spares a second pass over every good document.
    serde_json::from_slice(bytes).map_err(|error| match version_beyond::<D>(bytes) {
        Some(found) => ReadError::Newer { found, known: D::SCHEMA },
        None => ReadError::Broken { known: D::SCHEMA, why: error.to_string() },
    })
}

fn version_beyond<D: Document>(bytes: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Head {
        schema: String,
    }
    let Head { schema } = serde_json::from_slice(bytes).ok()?;
    let (name, version) = schema.rsplit_once('/')?;
    let (known_name, known_version) = D::SCHEMA.rsplit_once('/')?;
    let (version, known_version) = (version.parse::<u64>().ok()?, known_version.parse::<u64>().ok()?);
    (name == known_name && version > known_version).then_some(schema)
}

/// The bytes of a document: compact JSON and one line feed.
///
/// # Errors
/// When a value has no JSON, as a map whose keys are no strings; no document here holds one.
pub fn write<D: Serialize>(document: &D) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = serde_json::to_vec(document)?;
    bytes.push(b'\n');
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::super::Error;
    use super::*;

    #[track_caller]
    fn check(json: &str, want: &str) {
        let got = match read::<Error>(json.as_bytes()) {
            Ok(_) => "read".to_owned(),
            Err(ReadError::Newer { found, .. }) => format!("newer {found}"),
            Err(ReadError::Broken { .. }) => "broken".to_owned(),
        };
        assert_eq!(got, want, "{json}");
    }

    #[test]
    fn the_schema_decides_what_is_read() {
        check(r#"{"schema":"redgreen/error/1","code":"c","message":"m","path":null}"#, "read");
        check(r#"{"schema":"redgreen/error/1","code":"c","message":"m","path":null,"more":1}"#, "read");
        check(
            r#"{"schema":"redgreen/error/2","code":"c","message":"m","path":null}"#,
            "newer redgreen/error/2",
        );
        check(r#"{"schema":"redgreen/error/10","else":[]}"#, "newer redgreen/error/10");
        check(r#"{"schema":"redgreen/error/0","code":"c","message":"m","path":null}"#, "broken");
        check(r#"{"schema":"redgreen/task/2","code":"c","message":"m","path":null}"#, "broken");
        check(r#"{"schema":"redgreen/error/x","code":"c","message":"m","path":null}"#, "broken");
        check(r#"{"code":"c","message":"m","path":null}"#, "broken");
        check(r#"{"schema":"redgreen/error/1","code":"c","path":null}"#, "broken");
        check(r#"{"schema":"redgreen/error/1","code":"c","message":"m","#, "broken");
        check("", "broken");
    }
}

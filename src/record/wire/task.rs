//! `task.json`: the task, and what it began with.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use bstr::{BString, ByteSlice};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{FilesRef, PathText, tag};
use crate::digest::Sha256;
use crate::observe::facts::Timestamp;
use crate::observe::facts::{ChangeKind, GitFacts, IgnoreOrigin, IgnoreSource};

/// The task in hand, or the last one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Task {
    /// `redgreen/task/1`
    pub schema: tag::Task,
    /// Its number.
    pub task: TaskNumber,
    /// Whether it is still to be delivered.
    pub open: bool,
    /// When it began.
    pub started_at: Timestamp,
    /// The plan that it is bound to.
    pub plan: PlanRef,
    /// Every time that plan, tests and influence were taken anew.
    pub rebinds: Vec<Rebind>,
    /// The iteration of the runner that began it, where that was said.
    pub iteration: Option<u64>,
    /// What it began with, by repository.
    pub baseline: BTreeMap<String, Baseline>,
}

/// The number of a task: `0001`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaskNumber(pub u32);

impl TaskNumber {
    /// The number after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for TaskNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}", self.0)
    }
}

impl Serialize for TaskNumber {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TaskNumber {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        match text.parse() {
            // Only the one spelling that is written: otherwise one task could have two names.
            Ok(number) if Self(number).to_string() == text => Ok(Self(number)),
            _ => Err(serde::de::Error::custom(format_args!("`{text}` is no task number, such as `0001`"))),
        }
    }
}

impl JsonSchema for TaskNumber {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "TaskNumber".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[0-9]{4,10}$" })
    }
}

/// The plan of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanRef {
    /// Where it lies.
    pub path: String,
    /// The hash of its bytes when the task was bound to it.
    pub sha256: Sha256,
    /// What its author calls this state of it.
    pub revision: Option<String>,
    /// The hash of the value that approves a rebind, where this state of it asks for one.
    pub rebind_sha256: Option<Sha256>,
}

/// A time when plan, tests and influence were taken anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rebind {
    /// When.
    pub at: Timestamp,
    /// Why, in the words of whoever did it.
    pub reason: String,
    /// What had changed: checks by id, files by path.
    pub changed: Vec<String>,
    /// The record that holds its verdict.
    pub record: String,
}

/// What a repository was like when the task began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Baseline {
    /// Whether git was there.
    pub git: bool,
    /// The commit of HEAD; `null`: unborn, or no git.
    pub head: Option<String>,
    /// The branch that HEAD is on; `null`: detached, or no git.
    pub branch: Option<String>,
    /// The digest of the index's entries.
    pub index_sha256: Option<Sha256>,
    /// The digest of the index's flags.
    pub index_flags_sha256: Option<Sha256>,
    /// The digest of which files a sparse checkout holds; `null`: it isn't one, or no git.
    pub sparse_sha256: Option<Sha256>,
    /// Whether `core.fileMode` makes git pass over execute bits.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub modes_ignored: bool,
    /// Nested repositories that are no submodules.
    pub nested: Vec<PathText>,
    /// The text of every ignore source.
    pub ignore: Vec<IgnoreText>,
    /// The file map.
    pub files: FilesRef,
    /// What was changed before the task began.
    pub preexisting: Vec<Preexisting>,
    /// Without git: fingerprints of what rules and the secret detector found in the files as they were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<String>,
    /// When this was seen.
    pub at: Timestamp,
}

impl Baseline {
    /// What git said; `None`: no git.
    #[must_use]
    pub fn git_facts(&self) -> Option<GitFacts> {
        self.git.then(|| GitFacts {
            head: self.head.clone(),
            branch: self.branch.clone(),
            index: self.index_sha256,
            index_flags: self.index_flags_sha256,
            sparse: self.sparse_sha256,
            // No task begins where git looks elsewhere.
            elsewhere: None,
            modes_ignored: self.modes_ignored,
        })
    }

    /// What was found in a file before the task had a hand in it.
    #[must_use]
    pub fn findings_before(&self, path: &[u8]) -> &[String] {
        if !self.git {
            return &self.findings;
        }
        let change = self.preexisting.iter().find(|change| change.path_bytes().is_some_and(|of| of == path));
        change.filter(|change| !change.adopted).map_or(&[], |change| &change.findings)
    }

    /// The ignore rules. `None`: a hex text is broken.
    #[must_use]
    pub fn ignore_rules(&self) -> Option<Vec<IgnoreSource>> {
        self.ignore.iter().map(IgnoreText::source).collect()
    }
}

/// A text that tells git what to ignore.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IgnoreText {
    /// The folder that its patterns start from, below the root; empty for the root.
    pub folder: String,
    /// The folder's bytes in hex, when it isn't UTF-8.
    pub folder_hex: Option<String>,
    /// Where it comes from: `folder`, `exclude`, `global`.
    #[schemars(with = "String")]
    pub origin: IgnoreOrigin,
    /// Its text.
    pub text: String,
    /// The text's bytes in hex, when it isn't UTF-8.
    pub text_hex: Option<String>,
}

impl From<&IgnoreSource> for IgnoreText {
    fn from(source: &IgnoreSource) -> Self {
        let folder = PathText::new(source.folder.as_bstr());
        let text = PathText::new(source.text.as_bstr());
        Self {
            folder: folder.path,
            folder_hex: folder.path_hex,
            origin: source.origin,
            text: text.path,
            text_hex: text.path_hex,
        }
    }
}

impl IgnoreText {
    fn source(&self) -> Option<IgnoreSource> {
        Some(IgnoreSource {
            folder: PathText::bytes(&self.folder, self.folder_hex.as_deref())?,
            origin: self.origin,
            text: PathText::bytes(&self.text, self.text_hex.as_deref())?,
        })
    }
}

/// A file that was changed before the task began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Preexisting {
    /// Below the repository's root.
    pub path: String,
    /// The path's bytes in hex, when it isn't UTF-8.
    pub path_hex: Option<String>,
    /// How it differed from HEAD.
    pub change: ChangeKind,
    /// The hash of its content; `null`: it was deleted.
    pub sha256: Option<Sha256>,
    /// Whether the task has taken it over.
    pub adopted: bool,
    /// Fingerprints of what rules and the secret detector found in it then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<String>,
}

impl Preexisting {
    /// The bytes of its path. `None`: `path_hex` is no hex.
    #[must_use]
    pub fn path_bytes(&self) -> Option<BString> {
        PathText::bytes(&self.path, self.path_hex.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_has_one_name() {
        for (text, want) in
            [("0001", Some(1)), ("12345", Some(12345)), ("1", None), ("00001", None), ("x", None)]
        {
            let got: Option<TaskNumber> = serde_json::from_value(text.into()).ok();
            assert_eq!(got, want.map(TaskNumber), "{text}");
        }
    }

    #[test]
    fn ignore_texts_come_back_byte_by_byte() {
        let source = IgnoreSource {
            folder: "a\n".into(),
            origin: IgnoreOrigin::Exclude,
            text: b"*.log\n\xfe\n".as_slice().into(),
        };
        assert_eq!(IgnoreText::from(&source).source(), Some(source));
    }
}

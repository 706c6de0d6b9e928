//! `frozen.json`: the tests, and what steers their runner, as red saw them.

use std::collections::BTreeMap;

use bstr::{BString, ByteSlice};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Kind, PathText, TaskNumber, tag};
use crate::digest::Sha256;
use crate::observe::facts::Timestamp;
use crate::observe::facts::{Entry, EntryKind, Influence, Weight};

/// The frozen set of a task. The hash of its bytes is the `frozen_sha256` of records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Frozen {
    /// `redgreen/frozen/1`
    pub schema: tag::Frozen,
    /// The task that it belongs to.
    pub task: TaskNumber,
    /// When it was taken.
    pub at: Timestamp,
    /// The hash of the plan's bytes.
    pub plan_sha256: Sha256,
    /// The checks whose red it rests on.
    pub checks: Vec<FrozenCheck>,
    /// By repository: the tests in order of their paths' bytes, then the rest in order of path and slice.
    pub files: BTreeMap<String, Vec<FrozenEntry>>,
    /// The cases that red saw fail.
    pub inventory: Vec<InventoryCase>,
}

impl Frozen {
    /// How many files and slices it holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.values().map(Vec::len).sum()
    }

    /// Whether it holds none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A check whose red was accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FrozenCheck {
    /// Its id.
    pub id: String,
    /// The hash of its definition then.
    pub check_sha256: Sha256,
    /// The record of its red.
    pub record: String,
}

/// A frozen file, or a slice of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FrozenEntry {
    /// Below the repository's root.
    pub path: String,
    /// The path's bytes in hex, when it isn't UTF-8.
    pub path_hex: Option<String>,
    /// `f` a file, `x` an executable one, `l` a link, `s` a submodule.
    pub kind: char,
    /// Its permission bits; 0 where the system has none.
    pub mode: u32,
    /// The hash of its content, of a link's target, or of the slice.
    pub sha256: Sha256,
    /// Why it is frozen.
    pub role: FrozenRole,
    /// The name of the part that is frozen; `null`: all of it.
    pub slice: Option<String>,
}

/// Why something is frozen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FrozenRole {
    /// It lies below `test_paths`.
    Test,
    /// It can change what the runner does.
    Influence,
    /// It steers the product as well: a change is a note.
    Shared,
    /// It is a test inside a product file.
    Inline,
}

impl FrozenEntry {
    /// A whole file.
    #[must_use]
    pub fn new(entry: &Entry, role: FrozenRole) -> Self {
        let PathText { path, path_hex } = PathText::new(entry.path.as_bstr());
        Self {
            path,
            path_hex,
            kind: char::from(entry.kind.letter()),
            mode: entry.mode,
            sha256: entry.sha256,
            role,
            slice: None,
        }
    }

    /// The entry again. `None`: its kind or its `path_hex` is none.
    #[must_use]
    pub fn entry(&self) -> Option<Entry> {
        Some(Entry {
            path: self.path_bytes()?,
            kind: u8::try_from(self.kind).ok().and_then(EntryKind::of_letter)?,
            mode: self.mode,
            sha256: self.sha256,
        })
    }

    /// The same of what was frozen beside the tests.
    #[must_use]
    pub fn influence(&self) -> Option<Influence> {
        let weight = match self.role {
            FrozenRole::Test => return None,
            FrozenRole::Influence => Weight::Steers,
            FrozenRole::Shared => Weight::Shared,
            FrozenRole::Inline => Weight::Inline,
        };
        Some(Influence { entry: self.entry()?, slice: self.slice.clone(), weight })
    }

    /// The bytes of its path. `None`: `path_hex` is no hex.
    #[must_use]
    pub fn path_bytes(&self) -> Option<BString> {
        PathText::bytes(&self.path, self.path_hex.as_deref())
    }
}

impl From<&Influence> for FrozenEntry {
    fn from(influence: &Influence) -> Self {
        let role = match influence.weight {
            Weight::Steers => FrozenRole::Influence,
            Weight::Shared => FrozenRole::Shared,
            Weight::Inline => FrozenRole::Inline,
        };
        Self { slice: influence.slice.clone(), ..Self::new(&influence.entry, role) }
    }
}

/// A case that red saw fail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InventoryCase {
    /// The check that saw it.
    pub check: String,
    /// The case's id.
    pub id: String,
    /// The hash of the id as the runner wrote it. Only there when a secret was taken out of `id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id_sha256: Option<Sha256>,
    /// The id of its test: without parameters, and of a subtest its test's.
    pub test: String,
    /// Why it failed; `null` where the output didn't say.
    pub kind: Option<Kind>,
    /// The file that the output names.
    pub file: Option<String>,
}

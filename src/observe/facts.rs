//! What was observed, as plain data that judges and records can hold. Nothing here touches the world.

pub mod claims;
mod diff;
mod service;
mod stamps;
mod timestamp;

use std::time::Duration;

use bstr::BString;
use redgreen_parsers::{Format, Report};
use serde::{Deserialize, Serialize};

use crate::digest::Sha256;

pub use diff::{ChangeSource, Changed, Diff, NoDiff, Unknown};
pub use service::ServiceFacts;
pub use stamps::{Stamp, Stamps, Time, Touch};
pub use timestamp::Timestamp;

/// How the run of a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// It left by itself with this code.
    Exit(i32),
    /// A signal that `verify` did not send ended it.
    Signal(i32),
    /// It ran longer than its timeout.
    Timeout,
    /// It printed nothing for longer than its inactivity timeout.
    Inactivity,
    /// It printed more than its output limit.
    OutputLimit,
    /// `verify` itself was told to stop, by this signal.
    Cancelled(i32),
    /// It could not be started; this says why, and what to do.
    NotStarted(String),
}

impl Ended {
    /// The exit code, if it left by itself.
    #[must_use]
    pub const fn exit_code(&self) -> Option<i32> {
        match self {
            Self::Exit(code) => Some(*code),
            _ => None,
        }
    }

    /// The word of a record's `reason`; `None` when it left by itself.
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        Some(match self {
            Self::Exit(_) => return None,
            Self::Signal(signal) => format!("signal:{signal}"),
            Self::Timeout => "timeout".to_owned(),
            Self::Inactivity => "inactivity".to_owned(),
            Self::OutputLimit => "output-limit".to_owned(),
            Self::Cancelled(_) => "cancelled".to_owned(),
            Self::NotStarted(_) => "not-started".to_owned(),
        })
    }
}

/// What a command did, beside its output.
#[derive(Debug, Clone)]
pub struct RunFacts {
    /// How it ended.
    pub ended: Ended,
    /// How long it ran.
    pub duration: Duration,
    /// The file that was run, where it was found.
    pub program: Option<Program>,
    /// Processes that it left behind and that were ended after it, one sentence each.
    pub orphans: Vec<String>,
}

/// A variable that a command wasn't given, or not as a whole.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Removed {
    /// Its name.
    pub name: String,
    /// What it said.
    pub value: String,
}

/// The file that a command runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Its path.
    pub path: String,
    /// The hash of its content, if it can be read.
    pub sha256: Option<Sha256>,
}

/// The structured report that a runner was asked for, or why it wasn't.
#[derive(Debug, Clone)]
pub struct WitnessFacts {
    /// What kind of report; `None`: the check's formats know none.
    pub kind: Option<String>,
    /// What was added to the command or its environment to get it.
    pub arguments: Vec<String>,
    /// The hash of the report's bytes.
    pub sha256: Option<Sha256>,
    /// What became of it.
    pub found: WitnessFound,
}

/// What became of a witness.
#[derive(Debug, Clone)]
pub enum WitnessFound {
    /// The runner wasn't asked, for this reason.
    NotAsked(String),
    /// It was asked, and there is no report.
    Missing,
    /// What the report says.
    Reports {
        /// The format of the console that this is beside.
        console: Format,
        /// A report for each session in it, at least one, without lines.
        reports: Vec<Report>,
    },
}

impl WitnessFacts {
    /// A witness that wasn't asked for.
    #[must_use]
    pub fn not_asked(kind: Option<String>, reason: impl Into<String>) -> Self {
        Self { kind, arguments: Vec::new(), sha256: None, found: WitnessFound::NotAsked(reason.into()) }
    }
}

/// What a path of the work tree is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EntryKind {
    /// A file; `f`.
    File,
    /// A file with an execute bit; `x`.
    Executable,
    /// A symbolic link, whose content is its target as stored; `l`.
    Link,
    /// A submodule, whose content is its HEAD and, when checked out, its inner fingerprint; `s`.
    Submodule,
}

impl EntryKind {
    /// The letter of the fingerprint.
    #[must_use]
    pub const fn letter(self) -> u8 {
        match self {
            Self::File => b'f',
            Self::Executable => b'x',
            Self::Link => b'l',
            Self::Submodule => b's',
        }
    }

    /// The kind behind a letter.
    #[must_use]
    pub const fn of_letter(letter: u8) -> Option<Self> {
        Some(match letter {
            b'f' => Self::File,
            b'x' => Self::Executable,
            b'l' => Self::Link,
            b's' => Self::Submodule,
            _ => return None,
        })
    }
}

/// One path of the work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its path below the repository's root, in bytes with `/`.
    pub path: BString,
    /// What it is.
    pub kind: EntryKind,
    /// Its permission bits (`0o7777`); 0 where the system has none.
    pub mode: u32,
    /// The hash of its content.
    pub sha256: Sha256,
}

/// Every file of a work tree that counts, in order of the paths' bytes; no path twice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileMap {
    entries: Vec<Entry>,
}

impl FileMap {
    /// A map of these entries, which may come in any order.
    #[must_use]
    pub fn new(mut entries: Vec<Entry>) -> Self {
        entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        entries.dedup_by(|a, b| a.path == b.path);
        Self { entries }
    }

    /// A map of entries that are in order already, none of them twice.
    #[must_use]
    pub(super) fn of_sorted(entries: Vec<Entry>) -> Self {
        debug_assert!(entries.is_sorted_by(|a, b| a.path < b.path), "a walk meets each path once, in order");
        Self { entries }
    }

    /// The entries in order.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry of a path.
    #[must_use]
    pub fn get(&self, path: &[u8]) -> Option<&Entry> {
        let at = self.entries.binary_search_by(|entry| entry.path.as_slice().cmp(path)).ok()?;
        self.entries.get(at)
    }

    /// How this map differs from an earlier one, in order of the paths.
    #[must_use]
    pub fn changes_since(&self, earlier: &Self) -> Vec<FileChange> {
        let mut changes = Vec::new();
        let (mut old, mut new) = (earlier.entries.iter().peekable(), self.entries.iter().peekable());
        loop {
            let order = match (old.peek(), new.peek()) {
                (None, None) => return changes,
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (Some(a), Some(b)) => a.path.cmp(&b.path),
            };
            let (before, after) = match order {
                std::cmp::Ordering::Less => (old.next(), None),
                std::cmp::Ordering::Greater => (None, new.next()),
                std::cmp::Ordering::Equal => (old.next(), new.next()),
            };
            if let Some(change) = FileChange::between(before, after) {
                changes.push(change);
            }
        }
    }
}

/// How a path changed.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// It wasn't there before.
    Added,
    /// Its content changed.
    Edited,
    /// It is gone.
    Deleted,
    /// Its content is the same and it became executable, or was; of frozen files also any other permission bit.
    Mode,
    /// It became a link, was one, or points elsewhere.
    Link,
    /// Another spelling of its name took its place.
    Case,
}

impl ChangeKind {
    /// The word used in JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Edited => "edited",
            Self::Deleted => "deleted",
            Self::Mode => "mode",
            Self::Link => "link",
            Self::Case => "case",
        }
    }
}

/// One changed path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Below the repository's root.
    pub path: BString,
    /// How it changed.
    pub kind: ChangeKind,
}

impl FileChange {
    fn between(before: Option<&Entry>, after: Option<&Entry>) -> Option<Self> {
        let (path, kind) = match (before, after) {
            (None, None) => return None,
            (None, Some(new)) => (&new.path, ChangeKind::Added),
            (Some(old), None) => (&old.path, ChangeKind::Deleted),
            (Some(old), Some(new)) => {
                let link = (old.kind == EntryKind::Link) || (new.kind == EntryKind::Link);
                let same = old.sha256 == new.sha256;
                let kind = match (link, same) {
                    (true, true) if old.kind == new.kind => return None,
                    (true, _) => ChangeKind::Link,
                    (false, false) => ChangeKind::Edited,
                    (false, true) if old.kind == new.kind => return None,
                    (false, true) => ChangeKind::Mode,
                };
                (&new.path, kind)
            }
        };
        Some(Self { path: path.clone(), kind })
    }
}

/// A text that tells git, and us, what to ignore.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IgnoreSource {
    /// The folder below the root that its patterns start from, in bytes with `/`; empty for the root.
    pub folder: BString,
    /// What kind of source it is.
    pub origin: IgnoreOrigin,
    /// Its text as it was read.
    pub text: BString,
}

/// Where an ignore rule comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IgnoreOrigin {
    /// A `.gitignore` in a folder.
    Folder,
    /// `info/exclude` of the repository.
    Exclude,
    /// The user's own file, `core.excludesFile`.
    Global,
}

/// Every ignore rule of a work tree.
pub type IgnoreRules = Vec<IgnoreSource>;

/// What git says of a repository. Read without running git.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitFacts {
    /// The commit that HEAD names; `None`: unborn.
    pub head: Option<String>,
    /// The branch that HEAD is on, e.g. `refs/heads/main`; `None`: detached.
    pub branch: Option<String>,
    /// A digest of the index's entries: path, mode, stage, object id. `None`: no index.
    pub index: Option<Sha256>,
    /// A digest of the flags in the index that can hide an edit from git.
    pub index_flags: Option<Sha256>,
    /// A digest of which files a sparse checkout holds; `None`: it holds all.
    pub sparse: Option<Sha256>,
    /// Where `core.worktree` leads git, when that isn't the work tree itself.
    pub elsewhere: Option<String>,
    /// Whether `core.fileMode` makes git pass over execute bits.
    pub modes_ignored: bool,
}

/// What was seen of one repository at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryFacts {
    /// Its id in the plan.
    pub id: String,
    /// The work tree's root: absolute, without links, in bytes with `/`.
    pub root: BString,
    /// Where the plan's `path` lies below the work tree's root, in bytes with `/` and without one at the end; empty
    /// when it is the root. Paths in maps and records are below the root, globs start here.
    pub prefix: BString,
    /// Every file that counts.
    pub map: FileMap,
    /// When the files that count, and those that may be frozen, were touched.
    pub stamps: Stamps,
    /// What git says; `None`: no git here.
    pub git: Option<GitFacts>,
    /// Today's ignore rules.
    pub ignore: IgnoreRules,
    /// Files that only today's ignore rules would hide, and that count all the same.
    pub hidden_by_new_rule: Vec<BString>,
    /// FIFOs, sockets and devices, which are never opened.
    pub special: Vec<BString>,
    /// What was passed over by name: caches, the state folder, `[guard] ignore`.
    pub left_out: Vec<BString>,
    /// Nested repositories that are no submodules: folders with a `.git` of their own, whose files are plain files here.
    pub nested: Vec<BString>,
    /// Links that lead out of the repository.
    pub leaving_links: Vec<BString>,
    /// What a frozen set would hold: the files below `test_paths` that count or that a runner could load, and what links
    /// among them point to. Always read anew, in order of the paths.
    pub frozen: Vec<Entry>,
    /// What is below `test_paths` and can't be frozen, with the reason.
    pub frozen_refused: Vec<(BString, String)>,
    /// What steers the runners of this repository's checks, in order of path and slice. Always read anew.
    pub influence: Vec<Influence>,
    /// Runners that are asked for from a path, not from a registry.
    pub local_runners: Vec<LocalRunner>,
    /// Pairs of frozen paths that are one path where case or Unicode form doesn't count.
    pub collisions: Vec<(BString, BString)>,
    /// Whether every file's content was read, or the cache was trusted for those that can't have changed.
    pub hashed: Hashed,
}

/// A file, or a slice of one, that can change what a runner does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Influence {
    /// The file; of a slice `sha256` is that of its canonical form, and neither kind nor mode count.
    pub entry: Entry,
    /// Which part of it; `None`: all.
    pub slice: Option<String>,
    /// What a change means.
    pub weight: Weight,
}

/// What a change of something that was frozen beside the tests means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Weight {
    /// It steers the runner: a reason to reject.
    Steers,
    /// It steers the product too: worth knowing.
    Shared,
    /// It is a test inside a product file, as frozen as any.
    Inline,
}

/// A runner that a package asks for from a path: whoever can write there writes the runner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalRunner {
    /// The file that asks.
    pub path: BString,
    /// The runner's package.
    pub package: String,
    /// The version that is asked for.
    pub version: String,
}

/// Whether bytes are those of a text: one with a NUL byte near its start is none, as for git.
#[must_use]
pub fn is_text(bytes: &[u8]) -> bool {
    const NEAR: usize = 8000;
    !bytes.get(..bytes.len().min(NEAR)).unwrap_or_default().contains(&0)
}

/// Whether bytes say at their beginning that they are text in UTF-16. (Four bytes of this kind begin UTF-32.)
#[must_use]
pub fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xfe\xff") || bytes.starts_with(b"\xff\xfe") && bytes.get(2..4) != Some(&[0, 0])
}

/// How the hashes of a file map came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Hashed {
    /// Every file was read.
    All,
    /// Files that can't have changed since they were last read were not read again.
    Changed,
}

impl RepositoryFacts {
    /// The path as globs see it: below the plan's `path`. `None`: it lies elsewhere in the work tree.
    #[must_use]
    pub fn below_path<'p>(&self, path: &'p [u8]) -> Option<&'p [u8]> {
        if self.prefix.is_empty() {
            return Some(path);
        }
        path.strip_prefix(self.prefix.as_slice())?.strip_prefix(b"/")
    }
}

//! Claims and what was asked for, as others wrote them; and what was seen of what they say.

use std::collections::BTreeMap;

use bstr::BString;
use serde_json::Value;

use super::Timestamp;
use crate::digest::Sha256;

/// Which shape a claim has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// `evidence`, `audit`, `regressions`, `ship`.
    Documented,
    /// `worker-<session>.done.json`.
    Worker,
    /// `oracle-<key>.done.json`.
    Oracle,
}

/// A command as text for `sh -c`, or as words.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Command {
    /// For a shell.
    Text(String),
    /// A program and its arguments.
    Words(Vec<String>),
}

/// What a claim says, whatever its dialect. What it doesn't say is `None` or empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Claim {
    /// The word of `status`, also one that isn't known.
    pub status: Option<String>,
    /// Who works under which name.
    pub session: Option<String>,
    /// Who did the work.
    pub executor: Option<String>,
    /// Its own verify command.
    pub command: Option<Command>,
    /// How that is said to have ended.
    pub exit_code: Option<i64>,
    /// Whether its standard output was captured; an empty one is.
    pub stdout: bool,
    /// Whether its standard error was captured.
    pub stderr: bool,
    /// What the graders say; `None`: there is no audit.
    pub audit: Option<Audit>,
    /// How many regressions it names; `None`: it doesn't say.
    pub regressions: Option<usize>,
    /// What it says of shipping.
    pub ship: Option<Shipped>,
    /// What it says is still to be done, word for word.
    pub pending_actions: Vec<Value>,
    /// What else says that work is left, one sentence each.
    pub work_left: Vec<String>,
    /// The commits that its git artifacts name.
    pub commits: Vec<String>,
    /// Its other artifacts.
    pub artifacts: Vec<Artifact>,
    /// When it says to have finished.
    pub finished_at: Option<Timestamp>,
    /// What isn't of the shape that its key has, one sentence each.
    pub violations: Vec<String>,
    /// Keys that nothing here reads.
    pub unknown: Vec<String>,
}

/// What the graders say.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Audit {
    /// The gates that it says were required.
    pub required: Vec<String>,
    /// The gates that it says were passed; `None`: it doesn't say.
    pub passed: Option<Passed>,
    /// The score of a gate.
    pub scores: BTreeMap<String, f64>,
    /// The verdict on all of them.
    pub verdict: Option<GateWord>,
    /// The verdict on a gate.
    pub verdicts: BTreeMap<String, GateWord>,
    /// Who graded.
    pub graders: Vec<String>,
}

/// Which gates were passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Passed {
    /// All of them, or not.
    All(bool),
    /// These.
    Named(Vec<String>),
}

/// A verdict's word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GateWord {
    /// It is satisfied.
    Satisfied,
    /// It isn't.
    Refused,
    /// A word that isn't known.
    Unknown(String),
}

/// What a claim says of shipping.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shipped {
    /// The word of `result`.
    pub result: Option<String>,
    /// The last word of the deploy poll.
    pub deploy: Option<String>,
}

/// Something that a claim names as its proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Artifact {
    /// A file, below the working folder or absolute, and the hash that it is said to have.
    File {
        /// Where.
        path: String,
        /// Its hash in hex.
        sha256: Option<String>,
    },
    /// A branch.
    Branch(String),
    /// A command that was run, and how it ended.
    Command {
        /// The command.
        command: Command,
        /// Its exit code.
        exit_code: Option<i64>,
        /// The exit code that was to be expected, where that isn't 0.
        expected: Option<i64>,
        /// Whether its output was captured.
        captured: bool,
    },
    /// Nothing that can be looked at from here: a URL, a note, a kind that isn't known.
    Other(String),
}

/// What was asked for: `<name>.brief.json`, or a `scope-<session>.json`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Brief {
    /// Who it was given to.
    pub session: Option<String>,
    /// When.
    pub issued_at: Option<Timestamp>,
    /// The commit that the work starts from.
    pub base: Option<String>,
    /// How the work is verified.
    pub verify_command: Option<Command>,
    /// The gates that it has to pass.
    pub gates_required: Vec<String>,
    /// The least score of a gate.
    pub thresholds: BTreeMap<String, f64>,
    /// What it may touch. Empty: nothing is said.
    pub files_owned: Vec<String>,
    /// Whether it has to be shipped.
    pub ship: bool,
    /// Whose part it is.
    pub parent: Option<String>,
    /// Its parts.
    pub children: Vec<String>,
    /// Where the work is.
    pub cwd: Option<String>,
    /// What can't be read of it, one sentence each. What it asks for is then not known.
    pub violations: Vec<String>,
}

/// Which files a session says are its own: `scope-<session>.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// The session.
    pub session: String,
    /// Paths, folders and globs.
    pub files_owned: Vec<String>,
}

/// A question that stops a worker: `worker-blocked-<session>.json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Who asks.
    pub session: String,
    /// What is asked.
    pub text: String,
    /// Whether somebody answered.
    pub answered: bool,
    /// The hash of the file.
    pub sha256: Sha256,
}

/// What was seen of what a claim says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// What became of the verify command, run again.
    pub rerun: Rerun,
    /// The commits that the claim names, in its order.
    pub commits: Vec<CommitSeen>,
    /// The artifacts that could be looked at.
    pub artifacts: Vec<ArtifactSeen>,
    /// When the claim's file was written.
    pub written_at: Option<Timestamp>,
}

/// What became of a verify command that was run again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Rerun {
    /// It wasn't.
    #[default]
    NotRun,
    /// It exited with 0.
    Passed,
    /// It didn't; this says how it ended.
    Failed(String),
}

/// What git says of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitSeen {
    /// As the claim names it.
    pub name: String,
    /// What it is.
    pub is: CommitState,
}

/// What git says of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitState {
    /// There is no git to ask, or it can't be read; this says why.
    Unseen(String),
    /// There is no such commit.
    Missing,
    /// It is there.
    Found {
        /// Whether the brief's base is an ancestor of it; `None`: there is no base, or it isn't known.
        descends: Option<bool>,
        /// The paths that differ from the base, or without one from its first parent; what went wrong.
        changed: Result<Vec<BString>, String>,
    },
}

/// What was seen of an artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactSeen {
    /// What it is, in words.
    pub what: String,
    /// Why it isn't what the claim says; `None`: it is.
    pub wrong: Option<String>,
}

impl Command {
    /// The command as a person types it.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Words(words) => words.join(" "),
        }
    }

    /// Whether both are the same command, however written.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Words(one), Self::Words(two)) => one == two,
            _ => self.text().split_whitespace().eq(other.text().split_whitespace()),
        }
    }
}

impl Audit {
    /// What it says of a gate.
    #[must_use]
    pub fn verdict_of(&self, gate: &str) -> Option<&GateWord> {
        self.verdicts.get(gate).or(self.verdict.as_ref())
    }

    /// Whether it says that a gate was passed; `None`: it names none.
    #[must_use]
    pub fn passed(&self, gate: &str) -> Option<bool> {
        Some(match self.passed.as_ref()? {
            Passed::All(all) => *all,
            Passed::Named(gates) => gates.iter().any(|passed| passed == gate),
        })
    }
}

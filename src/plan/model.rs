//! The plan as the other rooms see it: complete, with every default filled in.

use std::collections::BTreeMap;
use std::time::Duration;

use regex::bytes::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::paths::{ByRepository, PathSet};
use super::service::Service;

/// A plan that was read and found right.
#[derive(Debug, Clone)]
pub struct Plan {
    /// What the author calls this state of the plan.
    pub revision: Option<String>,
    /// The repositories, in order of their ids; at least one.
    pub repositories: Vec<Repository>,
    /// What is frozen at an accepted red.
    pub freeze: Freeze,
    /// What guards look at and what they don't.
    pub guard: Guard,
    /// What counts for the fingerprint.
    pub fingerprint: Fingerprint,
    /// What a delivery has to show.
    pub deliver: Deliver,
    /// The checks, in the plan's order; at least one has a green phase.
    pub checks: Vec<Check>,
    /// What runs beside them.
    pub services: Vec<Service>,
    /// The results that are promised.
    pub outcomes: Vec<Outcome>,
    /// What stages may write.
    pub stages: Vec<Stage>,
}

/// A work tree that the plan speaks of.
#[derive(Debug, Clone)]
pub struct Repository {
    /// Its id in records.
    pub id: String,
    /// Where it lies, relative to the plan's folder. The whole work tree that holds it is walked and guarded; globs
    /// start here.
    pub path: String,
    /// Whether the task may write in it.
    pub access: Access,
}

/// What a task may do in a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Its stages write here.
    Write,
    /// Any edit fails the stage.
    Read,
}

/// What is frozen at an accepted red.
#[derive(Debug, Clone)]
pub struct Freeze {
    /// The tests.
    pub test_paths: ByRepository,
    /// Product files that hold tests: their test items are frozen.
    pub inline: PathSet,
    /// Files that may change though they steer a runner.
    pub allow: PathSet,
    /// Who may rebind.
    pub rebind: RebindPolicy,
}

/// Who may rebind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RebindPolicy {
    /// Whoever gives a reason.
    Anyone,
    /// Who holds the value with this SHA-256 in `VERIFY_APPROVE`.
    Token(crate::digest::Sha256),
}

/// What guards look at.
#[derive(Debug, Clone)]
pub struct Guard {
    /// Whether HEAD may move.
    pub head: HeadPolicy,
    /// What never counts, for scope, freeze and fingerprint.
    pub ignore: PathSet,
}

/// Whether HEAD, branch and index may move during the task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadPolicy {
    /// They stay as they were at `begin`.
    Fixed,
    /// They may; commits count as the task's.
    MayAdvance,
}

/// What counts for the fingerprint.
#[derive(Debug, Clone)]
pub struct Fingerprint {
    /// Ignored files that count all the same, as globs.
    pub include: PathSet,
    /// Environment variables whose values count.
    pub env: Vec<String>,
    /// Which files count.
    pub of: FingerprintOf,
}

/// Which files of a repository count for its fingerprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FingerprintOf {
    /// The whole work tree.
    Tree,
    /// What lies below the repository's `path`.
    Path,
}

/// What a delivery has to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deliver {
    /// Whether red is proved again on the baseline's sources.
    pub replay: bool,
    /// Whether a task that changed nothing may be delivered.
    pub allow_empty: bool,
}

/// A command whose output a parser reads.
#[derive(Debug, Clone)]
pub struct Check {
    /// Its id.
    pub id: String,
    /// The program and its arguments; no shell. Never empty.
    pub command: Vec<String>,
    /// The words of the formats that read its output, at least one.
    pub parsers: Vec<String>,
    /// The tests that the plan expects to fail in red and to pass in green.
    pub identities: Identities,
    /// The phases in which it runs.
    pub phases: Vec<Phase>,
    /// The id of its repository.
    pub repository: String,
    /// The repositories beyond its own that it rests on; `None`: all.
    pub depends: Option<Vec<String>>,
    /// Where it runs, relative to the repository's `path`.
    pub cwd: String,
    /// After how long it is ended; `None`: never.
    pub timeout: Option<Duration>,
    /// After how long without output it is ended; `None`: never.
    pub inactivity_timeout: Option<Duration>,
    /// After how many bytes of output it is ended.
    pub output_limit: u64,
    /// Variables that it gets.
    pub env: BTreeMap<String, String>,
    /// The ids of the services that run beside it.
    pub needs: Vec<String>,
    /// Whether the runner is asked for a structured report.
    pub witness: Witness,
    /// Where its structured report comes from: a glob of files that the command writes, relative to the repository's
    /// `path`; `-` for its standard output; empty for none.
    pub report: String,
    /// Whether its output may hold several sessions.
    pub sessions: Sessions,
    /// What to think of a test that failed and then passed.
    pub flaky: Flaky,
    /// Class names of the project's own assertion library.
    pub assertion_errors: Vec<String>,
    /// Files that the command may change.
    pub may_write: PathSet,
    /// Why tests may be skipped; empty: they may not.
    pub approved_skip_reason: String,
    /// `generic`: what success looks like.
    pub success_pattern: Option<Regex>,
    /// `generic`: what failure looks like.
    pub failure_pattern: Option<Regex>,
}

/// The tests that a check is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identities {
    /// Any assertion will do, said on purpose.
    Any,
    /// These.
    Named(Vec<String>),
}

/// A phase of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// It must fail on an assertion.
    Red,
    /// It must pass.
    Green,
}

impl Phase {
    /// The word used in JSON, and the stage of the command's own word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Red => "red",
            Self::Green => "green",
        }
    }
}

/// Whether the runner is asked for a structured report of the same run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Witness {
    /// Where the format knows how.
    Auto,
    /// Never.
    Off,
}

/// How many sessions an output may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sessions {
    /// One; a second is a contradiction.
    One,
    /// Several, which add up.
    Many,
}

/// What to think of a test that failed and then passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flaky {
    /// It is noted.
    Note,
    /// It is a reason to reject.
    Reject,
}

/// A result that the plan promises.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Its id.
    pub id: String,
    /// What is promised, in words.
    pub text: String,
    /// The checks that prove it, at least one with a green phase.
    pub checks: Vec<String>,
}

/// A named step of the task.
#[derive(Debug, Clone)]
pub struct Stage {
    /// Its id.
    pub id: String,
    /// What it may write.
    pub writes: ByRepository,
}

impl Plan {
    /// The check of this id.
    #[must_use]
    pub fn check(&self, id: &str) -> Option<&Check> {
        self.checks.iter().find(|check| check.id == id)
    }

    /// The stage of this id, if the plan lists it.
    #[must_use]
    pub fn stage(&self, id: &str) -> Option<&Stage> {
        self.stages.iter().find(|stage| stage.id == id)
    }

    /// The repository of this id.
    #[must_use]
    pub fn repository(&self, id: &str) -> Option<&Repository> {
        self.repositories.iter().find(|repository| repository.id == id)
    }

    /// The checks that have this phase, in the plan's order.
    pub fn checks_in(&self, phase: Phase) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(move |check| check.phases.contains(&phase))
    }
}

//! What `verify gate` reads and writes. Others wrote and read most of it before: the keys are theirs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{PathText, tag};
use crate::judge::gate::{self, Blocked, Outcome, Results, Seen};
use crate::observe::facts::{ChangeSource, Diff, Timestamp};

/// The most changed files that a document names; it says how many there are.
const NAMED: usize = 100;

/// The results of a test run, as another program wrote them. Any key may be missing or be something else.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestResults {
    /// When the tests ran.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub timestamp: Value,
    /// The runner; `none`: there is no suite.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub runner: Value,
    /// Whether the tests passed; only `true` and `false` count.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub pass: Value,
    /// How it ended; `no_tests_run` counts.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub status: Value,
    /// The coverage that was asked for.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub min_coverage: Value,
    /// A sentence about it.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub summary: Value,
    /// Everything else.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

impl TestResults {
    /// Reads such a file; `None`: it is no JSON object. Text that isn't UTF-8 spoils itself alone.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        serde_json::from_str(&super::lenient_text(bytes)).ok()
    }

    /// What counts of it.
    #[must_use]
    pub fn results(&self) -> Results {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        Results {
            runner: text(&self.runner),
            pass: self.pass.as_bool(),
            status: text(&self.status),
            summary: text(&self.summary),
        }
    }
}

/// The file that says that work is blocked, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GateBlock {
    /// `blocked`
    pub status: String,
    /// `true`
    pub blocked: bool,
    /// When.
    pub blocked_at: Timestamp,
    /// The round of the loop.
    pub iteration: u64,
    /// `empty_diff`, `tests_red` or `empty_diff_and_tests_red`.
    pub reason: String,
    /// What was seen.
    pub checks: GateChecks,
    /// Why, for a person: at most five texts without a pipe sign.
    pub failures: Vec<String>,
}

/// What was seen when work was blocked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GateChecks {
    /// What changed.
    pub diff: GateDiffCheck,
    /// What the tests say.
    pub tests: GateTestsCheck,
}

/// What changed, in a block file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GateDiffCheck {
    /// Whether it doesn't block.
    pub ok: bool,
    /// The commit that the run began at; empty: none is known.
    pub base_sha: String,
    /// How many paths changed.
    pub files_changed: u64,
    /// Where changes were looked for, with ` empty` where there is none.
    pub sources: String,
}

/// What the tests say, in a block file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GateTestsCheck {
    /// Whether it doesn't block.
    pub ok: bool,
    /// The runner; empty: it isn't known.
    pub runner: String,
    /// Whether they passed; `null`: it can't be said.
    pub pass: Option<bool>,
}

/// The file that says what the gate saw, blocked or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GateDetails {
    /// When.
    pub recorded_at: Timestamp,
    /// The round of the loop.
    pub iteration: u64,
    /// `pass` or `block`. Where nothing blocks and the strict policy doesn't accept what can't be said, it is `block`.
    pub verdict: String,
    /// What changed.
    pub diff: GateDiff,
    /// What the tests say.
    pub tests: GateTests,
    /// The reason of a block file that somebody else wrote and that was therefore left. Only there when it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_file_kept: Option<String>,
}

/// What changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GateDiff {
    /// Whether it doesn't block.
    pub ok: bool,
    /// The commit that the run began at; empty: none is known.
    pub base_sha: String,
    /// How many paths changed.
    pub files_changed: u64,
    /// Whether it can't be said.
    pub inconclusive: bool,
    /// Why not: `no_git_repo`, `no_run_start_sha`, `base_unreachable` or `work_tree_unreadable`; empty: it can.
    pub inconclusive_reason: String,
}

/// What a delivery's own look at the diff says, in its record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeliveryGate {
    /// `pass` or `block`.
    pub verdict: String,
    /// What changed since the task began.
    pub diff: GateDiff,
}

/// What the tests say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GateTests {
    /// Whether it doesn't block.
    pub ok: bool,
    /// The runner; empty: it isn't known.
    pub runner: String,
    /// Whether they passed; `null`: it can't be said.
    pub pass: Option<bool>,
    /// Whether it can't be said.
    pub inconclusive: bool,
    /// Why not: `no_test_runner`, `no_tests_executed`, `no_test_results`, `evidence_stale`, `evidence_incomplete` or
    /// `evidence_unreadable`; empty: it can.
    pub inconclusive_reason: String,
    /// `evidence`: records of `verify` itself. `file`: the results that another program wrote.
    pub source: String,
}

/// What `verify gate` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Gate {
    /// `redgreen/gate/1`
    pub schema: tag::Gate,
    /// `loop` or `strict`.
    pub policy: String,
    /// `pass`, `block`, `inconclusive` (the policy is strict), or `off`: nothing was looked at.
    pub verdict: String,
    /// Why it is blocked: `empty_diff`, `tests_red` or `empty_diff_and_tests_red`; empty: it isn't.
    pub reason: String,
    /// When.
    pub recorded_at: Timestamp,
    /// The round of the loop.
    pub iteration: u64,
    /// What changed; `null`: the gate is off.
    pub diff: Option<GateDiff>,
    /// What the tests say; `null`: the gate is off.
    pub tests: Option<GateTests>,
    /// The changed files in order of their paths, at most 100.
    pub files: Vec<GateFile>,
    /// Why it is blocked, for a person.
    pub failures: Vec<String>,
    /// What could not be written, or was left as it is.
    pub notes: Vec<String>,
}

/// A changed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GateFile {
    /// Below the work tree's root, with U+FFFD for what isn't UTF-8; behind the repository's id and a colon where there
    /// are several.
    pub path: String,
    /// The path's bytes in hex; `null` when `path` is exact.
    pub path_hex: Option<String>,
    /// Where the change lies: `committed`, `staged`, `unstaged`, `untracked`, or `since-baseline`.
    pub sources: Vec<String>,
}

impl GateBlock {
    /// The file for this answer; `None`: it doesn't block.
    #[must_use]
    pub fn new(gate: &gate::Gate, at: Timestamp, iteration: u64) -> Option<Self> {
        let Outcome::Block(reason) = gate.outcome else { return None };
        let (diff, tests) = (GateDiff::from(&gate.diff), GateTests::from(&gate.tests));
        let words: Vec<_> = gate::SOURCES.iter().map(|source| source.word()).collect();
        let empty = if diff.ok { "" } else { " empty" };
        Some(Self {
            status: "blocked".to_owned(),
            blocked: true,
            blocked_at: at,
            iteration,
            reason: reason.word().to_owned(),
            checks: GateChecks {
                diff: GateDiffCheck {
                    ok: diff.ok,
                    base_sha: diff.base_sha,
                    files_changed: diff.files_changed,
                    sources: format!("{} union{empty}", words.join("|")),
                },
                tests: GateTestsCheck { ok: tests.ok, runner: tests.runner, pass: tests.pass },
            },
            failures: gate.failures.clone(),
        })
    }

    /// Whose block file this is: its reason, where that isn't one of the gate's. `None`: it is the gate's own, or no
    /// block file at all, and may go.
    #[must_use]
    pub fn foreign_reason(bytes: &[u8]) -> Option<String> {
        let object: Map<String, Value> = serde_json::from_str(&super::lenient_text(bytes)).ok()?;
        let reason = object.get("reason").and_then(Value::as_str).unwrap_or("");
        (!Blocked::ALL.iter().any(|ours| ours.word() == reason)).then(|| reason.to_owned())
    }
}

impl GateDetails {
    /// The file for this answer.
    #[must_use]
    pub fn new(gate: &gate::Gate, at: Timestamp, iteration: u64, block_file_kept: Option<String>) -> Self {
        let verdict = if gate.outcome == Outcome::Pass { "pass" } else { "block" };
        Self {
            recorded_at: at,
            iteration,
            verdict: verdict.to_owned(),
            diff: (&gate.diff).into(),
            tests: (&gate.tests).into(),
            block_file_kept,
        }
    }
}

impl Gate {
    /// What is printed for this answer.
    #[must_use]
    pub fn new(gate: &gate::Gate, at: Timestamp, iteration: u64, notes: Vec<String>) -> Self {
        let (verdict, reason) = match gate.outcome {
            Outcome::Pass => ("pass", ""),
            Outcome::Block(reason) => ("block", reason.word()),
            Outcome::Inconclusive => ("inconclusive", ""),
        };
        Self {
            schema: tag::Gate::V1,
            policy: gate.policy.word().to_owned(),
            verdict: verdict.to_owned(),
            reason: reason.to_owned(),
            recorded_at: at,
            iteration,
            diff: Some((&gate.diff).into()),
            tests: Some((&gate.tests).into()),
            files: files(&gate.diff),
            failures: gate.failures.clone(),
            notes,
        }
    }

    /// What is printed when the gate is off.
    #[must_use]
    pub fn off(policy: gate::Policy, at: Timestamp, iteration: u64) -> Self {
        Self {
            schema: tag::Gate::V1,
            policy: policy.word().to_owned(),
            verdict: "off".to_owned(),
            reason: String::new(),
            recorded_at: at,
            iteration,
            diff: None,
            tests: None,
            files: Vec::new(),
            failures: Vec::new(),
            notes: Vec::new(),
        }
    }
}

fn files(diff: &Diff) -> Vec<GateFile> {
    let Diff::Known(changed) = diff else { return Vec::new() };
    let file = |(path, sources): (&bstr::BString, &std::collections::BTreeSet<ChangeSource>)| {
        let PathText { path, path_hex } = PathText::new(path.as_ref());
        GateFile { path, path_hex, sources: sources.iter().map(|source| source.word().to_owned()).collect() }
    };
    changed.files.iter().take(NAMED).map(file).collect()
}

impl From<&Diff> for GateDiff {
    fn from(diff: &Diff) -> Self {
        match diff {
            Diff::Known(changed) => Self {
                ok: !changed.files.is_empty(),
                base_sha: changed.base.clone().unwrap_or_default(),
                files_changed: changed.files.len() as u64,
                inconclusive: false,
                inconclusive_reason: String::new(),
            },
            Diff::Unknown(unknown) => Self {
                ok: true,
                base_sha: unknown.base.clone(),
                files_changed: 0,
                inconclusive: true,
                inconclusive_reason: unknown.reason.word().to_owned(),
            },
        }
    }
}

impl From<&gate::Tests> for GateTests {
    fn from(tests: &gate::Tests) -> Self {
        let (pass, reason) = match tests.seen {
            Seen::Green => (Some(true), ""),
            Seen::Red => (Some(false), ""),
            Seen::Inconclusive(reason) => (None, reason.word()),
        };
        Self {
            ok: tests.seen != Seen::Red,
            runner: tests.runner.clone(),
            pass,
            inconclusive: pass.is_none(),
            inconclusive_reason: reason.to_owned(),
            source: tests.source.word().to_owned(),
        }
    }
}

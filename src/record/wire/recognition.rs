//! What `verify recognize` reads and writes. Others wrote and read most of it before: the keys are theirs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::tag;
use crate::digest::Sha256;
use crate::judge::recognition::{self, Action, Claim, Requirement, Said, Status, Verdict};
use crate::observe::facts::Timestamp;

/// The `source` of what this command writes.
const SOURCE: &str = "reuse-done-recognition";

/// What a judge answers. Any key may be missing or be something else.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JudgeAnswer {
    /// `done`, `incomplete` or `inconclusive`.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub verdict: Value,
    /// One sentence.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub summary: Value,
    /// What it says of the tests: `{"passed", "total", "green"}`. It never counts.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub tests: Value,
    /// A list of `{"id", "title", "status": "met|unmet|uncertain", "evidence": "path[:line[-line]]"}`.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub requirements: Value,
    /// Everything else.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

impl JudgeAnswer {
    /// Reads an answer: from the first `{` to the last `}`, whatever stands around. `None`: there is no such object.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let first = bytes.iter().position(|byte| *byte == b'{')?;
        let last = bytes.iter().rposition(|byte| *byte == b'}')?;
        serde_json::from_slice(bytes.get(first..=last)?).ok()
    }

    /// What it says. `exists` tells whether cited evidence is there.
    #[must_use]
    pub fn claim(&self, exists: impl Fn(&str) -> bool) -> Claim {
        let verdict = match self.verdict.as_str().map(str::trim) {
            Some("done") => Some(Said::Done),
            Some("incomplete") => Some(Said::Incomplete),
            Some("inconclusive") => Some(Said::Inconclusive),
            _ => None,
        };
        let requirement = |value: &Value| {
            let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or("").trim().to_owned();
            let evidence = match value.get("evidence") {
                Some(Value::Array(list)) => {
                    list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
                }
                _ => text("evidence"),
            };
            let status = match text("status").as_str() {
                "met" => Status::Met,
                "unmet" => Status::Unmet,
                _ => Status::Uncertain,
            };
            Requirement { title: text("title"), status, evidence_exists: exists(&evidence), evidence }
        };
        let requirements = self.requirements.as_array().map(Vec::as_slice).unwrap_or_default();
        Claim {
            verdict,
            summary: self.summary.as_str().unwrap_or("").to_owned(),
            requirements: requirements.iter().map(requirement).collect(),
        }
    }
}

/// The file that says what need not be built again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Manifest {
    /// The SHA-256 of the spec that it is about.
    pub prd_sha: Sha256,
    /// When.
    pub generated_at: Timestamp,
    /// The titles of what is satisfied.
    pub satisfied: Vec<String>,
    /// `reuse-done-recognition`
    pub source: String,
}

impl Manifest {
    /// The file for an answer.
    #[must_use]
    pub fn new(prd_sha: Sha256, at: Timestamp, satisfied: &[String]) -> Self {
        Self { prd_sha, generated_at: at, satisfied: satisfied.to_vec(), source: SOURCE.to_owned() }
    }

    /// The titles of a manifest that is about this spec; none where it is about another, or is no manifest.
    #[must_use]
    pub fn satisfied(bytes: &[u8], prd_sha: Sha256) -> Vec<String> {
        let Some(object) = object(bytes) else { return Vec::new() };
        let is_current = object.get("prd_sha").and_then(Value::as_str) == Some(prd_sha.to_string().as_str());
        let titles = object.get("satisfied").and_then(Value::as_array).filter(|_| is_current);
        titles.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// Whether this command wrote these bytes.
    #[must_use]
    pub fn is_ours(bytes: &[u8]) -> bool {
        object(bytes).is_some_and(|object| object.get("source").and_then(Value::as_str) == Some(SOURCE))
    }
}

fn object(bytes: &[u8]) -> Option<Map<String, Value>> {
    serde_json::from_str(&super::lenient_text(bytes)).ok()
}

/// The record that says that a spec is satisfied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Completion {
    /// `complete`
    pub outcome: String,
    /// `reuse-done-recognition`
    pub source: String,
    /// `done`
    pub verdict: String,
    /// The judge's sentence.
    pub summary: String,
    /// How many requirements are met.
    pub requirements_met: u64,
    /// How many there are.
    pub requirements_total: u64,
    /// When.
    pub verified_at: Timestamp,
}

impl Completion {
    /// The record for an answer.
    #[must_use]
    pub fn new(answer: &recognition::Recognition, at: Timestamp) -> Self {
        Self {
            outcome: "complete".to_owned(),
            source: SOURCE.to_owned(),
            verdict: "done".to_owned(),
            summary: answer.claim.as_ref().map(|claim| claim.summary.clone()).unwrap_or_default(),
            requirements_met: answer.met as u64,
            requirements_total: answer.total as u64,
            verified_at: at,
        }
    }
}

/// What `verify recognize` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Recognition {
    /// `redgreen/recognition/1`
    pub schema: tag::Recognition,
    /// `done`, `incomplete` or `inconclusive`.
    pub verdict: String,
    /// Why it isn't done; empty: it is.
    pub reason: String,
    /// `reuse`, `user-owned`, `update` or `generate`.
    pub action: String,
    /// The SHA-256 of the spec.
    pub prd_sha: Sha256,
    /// When.
    pub recorded_at: Timestamp,
    /// How many requirements are met.
    pub requirements_met: u64,
    /// How many there are, by the judge and by the spec's own list.
    pub requirements_total: u64,
    /// `green`, `red`, `none` where there is no suite; `null`: no check was run.
    pub tests: Option<String>,
    /// The judge's sentence; empty: it wasn't asked.
    pub summary: String,
    /// What the judge says of each requirement.
    pub requirements: Vec<RequirementOut>,
    /// What isn't met, by title.
    pub unmet: Vec<String>,
    /// What the spec asks for and the judge says nothing of.
    pub uncovered: Vec<String>,
    /// What need not be built again.
    pub satisfied: Vec<String>,
    /// The ways out: how to rebuild and how to extend.
    pub next: String,
}

/// What a judge says of a requirement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RequirementOut {
    /// Its title.
    pub title: String,
    /// `met`, `unmet` or `uncertain`.
    pub status: String,
    /// What it cites.
    pub evidence: String,
    /// Whether that is there.
    pub evidence_exists: bool,
}

impl Recognition {
    /// What is printed for an answer.
    #[must_use]
    pub fn new(
        answer: &recognition::Recognition,
        action: Action,
        prd_sha: Sha256,
        at: Timestamp,
        next: &str,
    ) -> Self {
        let (verdict, reason) = match answer.verdict {
            Verdict::Done => ("done", ""),
            Verdict::Incomplete(reason) => ("incomplete", reason.word()),
            Verdict::Inconclusive(reason) => ("inconclusive", reason.word()),
        };
        let requirement = |requirement: &Requirement| RequirementOut {
            title: requirement.title.clone(),
            status: requirement.status.word().to_owned(),
            evidence: requirement.evidence.clone(),
            evidence_exists: requirement.evidence_exists,
        };
        let claim = answer.claim.as_ref();
        Self {
            schema: tag::Recognition::V1,
            verdict: verdict.to_owned(),
            reason: reason.to_owned(),
            action: action.word().to_owned(),
            prd_sha,
            recorded_at: at,
            requirements_met: answer.met as u64,
            requirements_total: answer.total as u64,
            tests: answer.suite.map(|suite| suite.word().to_owned()),
            summary: claim.map(|claim| claim.summary.clone()).unwrap_or_default(),
            requirements: claim.into_iter().flat_map(|claim| &claim.requirements).map(requirement).collect(),
            unmet: answer.unmet.clone(),
            uncovered: answer.uncovered.clone(),
            satisfied: answer.satisfied.clone(),
            next: next.to_owned(),
        }
    }
}

/// A list of tasks, each as it was written.
#[derive(Debug)]
pub enum TaskList {
    /// A list alone.
    List(Vec<Box<RawValue>>),
    /// A list under `tasks`, beside other keys.
    Object(Map<String, Value>),
}

impl TaskList {
    /// Reads a list of tasks.
    ///
    /// # Errors
    /// It is neither a JSON list, nor an object with a list under `tasks`.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let text = super::lenient_text(bytes);
        if let Ok(list) = serde_json::from_str(&text) {
            return Ok(Self::List(list));
        }
        let object: Map<String, Value> = serde_json::from_str(&text).map_err(|why| why.to_string())?;
        match object.get("tasks") {
            Some(Value::Array(_)) => Ok(Self::Object(object)),
            _ => Err("it has no list under `tasks`".to_owned()),
        }
    }

    /// Drops the tasks whose title says so.
    pub fn retain(&mut self, keeps: impl Fn(&str) -> bool) {
        let keep = |task: &Value| task.get("title").and_then(Value::as_str).is_none_or(&keeps);
        match self {
            Self::List(list) => {
                list.retain(|task| {
                    serde_json::from_str::<Value>(task.get()).map_or(true, |task| keep(&task))
                });
            }
            Self::Object(object) => {
                if let Some(Value::Array(list)) = object.get_mut("tasks") {
                    list.retain(keep);
                }
            }
        }
    }

    /// The bytes of the list.
    ///
    /// # Errors
    /// When a task has no JSON; each was read from it.
    pub fn write(&self) -> Result<Vec<u8>, serde_json::Error> {
        match self {
            Self::List(list) => super::write(list),
            Self::Object(object) => super::write(object),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, verdict: Option<&str>) {
        let read = JudgeAnswer::read(text.as_bytes());
        assert_eq!(read.map(|answer| answer.verdict), verdict.map(Value::from), "{text}");
    }

    #[test]
    fn an_answer_is_what_stands_between_the_braces() {
        check(r#"{"verdict":"done"}"#, Some("done"));
        check("Here:\n```json\n{\"verdict\":\"done\"}\n```\nBye.", Some("done"));
        check("", None);
        check("done", None);
        check("} {", None);
        check(r#"{"verdict":"done"} {"verdict":"done"}"#, None);
        check("{", None);
    }

    #[test]
    fn what_is_not_said_in_known_words_is_uncertain() {
        let text = r#"{"verdict":"DONE!","requirements":[1,{"title":" a ","status":"met","evidence":["x","y"]},{"status":"yes"}]}"#;
        let claim = JudgeAnswer::read(text.as_bytes()).unwrap().claim(|cited| cited == "x, y");
        assert_eq!(claim.verdict, None);
        let got: Vec<_> = claim
            .requirements
            .iter()
            .map(|one| (one.title.as_str(), one.status, one.evidence_exists))
            .collect();
        assert_eq!(
            got,
            [("", Status::Uncertain, false), ("a", Status::Met, true), ("", Status::Uncertain, false)]
        );
    }

    #[test]
    fn tasks_stay_as_they_were_written() {
        let drop = |text: &str| {
            let mut list = TaskList::read(text.as_bytes()).unwrap();
            list.retain(|title| title != "a");
            String::from_utf8(list.write().unwrap()).unwrap()
        };
        assert_eq!(
            drop(r#"[{"title":"b", "z":1.0, "a":2}, {"title":"a"}, 3]"#),
            "[{\"title\":\"b\", \"z\":1.0, \"a\":2},3]\n"
        );
        assert_eq!(drop(r#"{"tasks":[{"title":"a"},{"id":1}],"v":1}"#), "{\"tasks\":[{\"id\":1}],\"v\":1}\n");
        assert!(TaskList::read(b"{}").is_err() && TaskList::read(b"x").is_err());
    }
}

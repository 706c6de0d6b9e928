//! The gate: every row of its table under both policies, every rule, and the honest twin of what it refuses.

mod begin;
mod evidence;
mod files;
mod sources;
mod story;
mod table;

use serde_json::Value;

use crate::support::{Project, Run};

/// A repository with one commit and the files of Loki Mode's convention: the base is that commit.
pub fn repository() -> Project {
    let project = Project::git(">> a\none\n>> b\none\n");
    project.write(".loki/state/start-sha", &format!("{}\n", project.head()));
    project
}

/// What the results of a green run look like.
pub const GREEN: &str = r#"{"timestamp":"2026-01-02T03:04:05Z","runner":"jest","pass":true,"min_coverage":80,"summary":"5 passed"}"#;
/// What those of a red run look like.
pub const RED: &str = r#"{"timestamp":"2026-01-02T03:04:05Z","runner":"jest","pass":false,"min_coverage":80,"summary":"1 failed | 4 passed"}"#;
/// What they look like where there is no suite.
pub const NO_SUITE: &str = r#"{"runner":"none","pass":true}"#;

pub fn results(project: &Project, text: &str) {
    project.write(".loki/quality/test-results.json", text);
}

/// The gate by the convention's paths.
pub fn loki(project: &Project, words: &str) -> Run {
    project.verify(&format!("gate --profile loki {words}"))
}

/// The details that the gate wrote by the convention.
pub fn details(project: &Project) -> Value {
    serde_json::from_str(&project.read(".loki/council/evidence-gate-details.json")).unwrap()
}

pub fn block(project: &Project) -> Value {
    serde_json::from_str(&project.read(".loki/council/evidence-block.json")).unwrap()
}

/// What changed, as `gate --format json` lists it: each path with its sources.
pub fn changed(run: &Run) -> Vec<(String, String)> {
    let value = run.value();
    let files = value["files"].as_array().unwrap();
    assert_eq!(value["diff"]["files_changed"], files.len());
    let words = |file: &Value| {
        let words = file["sources"].as_array().unwrap().iter().map(|word| word.as_str().unwrap());
        (file["path"].as_str().unwrap().to_owned(), words.collect::<Vec<_>>().join(" "))
    };
    files.iter().map(words).collect()
}

//! Folders of claims, as a crowd of workers leaves them.

use std::path::Path;

use serde_json::json;

use super::Project;
use crate::shell::Done;

/// One claim in so many is cut off in the middle.
const MALFORMED: usize = 100;

/// A repository with a folder of claims.
pub(crate) struct Claims {
    project: Project,
    number: usize,
}

impl Claims {
    /// The folder of the claims and their briefs, in the repository.
    pub(crate) const FOLDER: &str = "claims";

    /// A folder with this many claims of done, each with its brief, about one commit.
    pub(crate) fn new(number: usize) -> Done<Self> {
        let project = Project::new(0)?;
        let folder = project.root().join(Self::FOLDER);
        std::fs::create_dir(&folder)?;
        let claim = json!({
            "status": "done_clean",
            "evidence": {
                "executor": "worker", "verify_command": "true", "verify_exit_code": 0, "verify_stdout": "",
                "verify_stderr": "", "finished_at": "2026-01-01T00:10:00Z",
            },
            "artifacts": [{"kind": "git_sha", "sha": "HEAD"}],
            "audit": {
                "gates_required": ["lint"], "gates_passed": ["lint"], "scores": {"lint": 90}, "verdict": "satisfied",
                "grader": "grader",
            },
            "regressions": [], "pending_actions": [],
        });
        let claim = claim.to_string();
        let brief = json!({
            "issued_at": "2026-01-01T00:00:00Z", "verify_command": "true", "gates_required": ["lint"],
            "files_owned": ["tests/**", "*.toml", ".gitignore"],
        });
        let brief = brief.to_string();
        for at in 0..number {
            let half = claim.get(..claim.len() / 2).unwrap_or_default();
            let text = if at % MALFORMED == 0 { half } else { &claim };
            std::fs::write(folder.join(format!("task-{at:06}.done.json")), text)?;
            std::fs::write(folder.join(format!("task-{at:06}.brief.json")), &brief)?;
        }
        Ok(Self { project, number })
    }

    /// The repository.
    pub(crate) fn root(&self) -> &Path {
        self.project.root()
    }

    /// How many of them are done, and how many can't be read.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let malformed = self.number.div_ceil(MALFORMED);
        (self.number - malformed, malformed)
    }
}

//! The rows of the adversarial suite: what is tried, and what must come of it.
//!
//! The tests judge by these, and the page of them is generated from these, so that neither can say otherwise.

#![allow(dead_code, reason = "the tests and the page use a part of this each")]

use serde::Deserialize;

/// The tricks and their honest twins, a file a family; and the limits, which are not caught.
pub(crate) const FAMILIES: [Family; 12] = [
    Family { name: "python", title: "Python: pytest", text: include_str!("../e2e/adversary/python.toml") },
    Family {
        name: "unittest",
        title: "Python: unittest",
        text: include_str!("../e2e/adversary/unittest.toml"),
    },
    Family {
        name: "red",
        title: "What is passed off as red",
        text: include_str!("../e2e/adversary/red.toml"),
    },
    Family {
        name: "javascript",
        title: "JavaScript",
        text: include_str!("../e2e/adversary/javascript.toml"),
    },
    Family { name: "dotnet", title: ".NET", text: include_str!("../e2e/adversary/dotnet.toml") },
    Family { name: "tap", title: "TAP", text: include_str!("../e2e/adversary/tap.toml") },
    Family { name: "git", title: "Git", text: include_str!("../e2e/adversary/git.toml") },
    Family { name: "files", title: "Files", text: include_str!("../e2e/adversary/files.toml") },
    Family { name: "cycle", title: "The loop", text: include_str!("../e2e/adversary/cycle.toml") },
    Family { name: "replay", title: "Replay", text: include_str!("../e2e/adversary/replay.toml") },
    Family { name: "claims", title: "Claims", text: include_str!("../e2e/adversary/claims.toml") },
    Family { name: LIMITS, title: "Limits", text: include_str!("../e2e/adversary/limits.toml") },
];

/// The family of what is not caught.
pub(crate) const LIMITS: &str = "limits";

/// Rows that belong together.
pub(crate) struct Family {
    /// The module of their tests.
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    text: &'static str,
}

impl Family {
    /// Its rows, in the order of the file.
    pub(crate) fn rows(&self) -> Result<Vec<Row>, String> {
        let file: File = toml::from_str(self.text).map_err(|error| format!("{}.toml: {error}", self.name))?;
        Ok(file.row)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    row: Vec<Row>,
}

/// One thing that is tried.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    /// The name of its test.
    pub(crate) id: String,
    /// The rule that answers, or that lets an honest one through: a key of [`RULES`].
    pub(crate) rule: String,
    pub(crate) tried: String,
    /// The command whose verdict this is.
    #[serde(default = "green")]
    pub(crate) at: String,
    /// With which it leaves, where that is neither 0 for an accepted one nor 1 for a refused one.
    #[serde(default)]
    exit: Option<i32>,
    /// The problems that must be named; none: accepted.
    #[serde(default)]
    pub(crate) codes: Vec<String>,
    /// The notes that must be there.
    #[serde(default)]
    pub(crate) notes: Vec<String>,
    /// What the witness of the first check must have turned out to be.
    #[serde(default)]
    pub(crate) witness: Option<String>,
    /// What is like it and honest: a row that must be accepted. A row without is an honest one, or a limit.
    #[serde(default)]
    pub(crate) twin: Option<String>,
}

impl Row {
    pub(crate) fn exit(&self) -> i32 {
        self.exit.unwrap_or(i32::from(!self.codes.is_empty()))
    }
}

fn green() -> String {
    "green".to_owned()
}

/// The rules by which everything is answered.
pub(crate) const RULES: [(&str, &str); 14] = [
    (
        "witness",
        "Several witnesses: exit code, console, the runner's own totals, and a report that `verify` asked for",
    ),
    ("influence", "What steers the runner is frozen with the tests"),
    ("environment", "Variables that steer a runner or git reach no check"),
    ("nothing", "Nothing counts for nothing: zero tests are never green"),
    ("skips", "A skip by any name needs a reason, and what red saw fail can't be skipped"),
    ("vanished", "What red saw fail has to be seen to pass"),
    ("eyes", "The tree is walked and hashed by `verify` itself"),
    ("hashes", "Files are hashed before and after a run"),
    ("contradiction", "A contradiction is a rejection"),
    (
        "structure",
        "A result counts where the runner's structure puts it; a red needs an assertion that said no",
    ),
    ("frozen", "Tests are hashed at red; a stage writes what it may"),
    (
        "replay",
        "Frozen tests are red on the sources that the task began with, or it is said why that is unknown",
    ),
    (
        "claims",
        "What somebody says of their own work is a claim: it is held against what was asked and what is seen",
    ),
    ("chain", "Records are chained, and belong to one task and plan"),
];

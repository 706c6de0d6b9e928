//! Recording `dotnet test`: seed projects in C# and F#, their truth from the TRX file of the same run.
//!
//! A TRX file knows names and outcomes. Why a test fails is what its author says in the seed's header: a failed test
//! without a declared kind stops the recorder, and so does a declared failure that did not happen. Nothing is guessed.

mod run;
mod truth;
mod trx;

use std::collections::BTreeMap;

use serde::Deserialize;

use super::recording::TrueProblem;
use crate::shell::Done;

pub(super) use run::{provision, record};

/// How the projects of a tool are made and run.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stack {
    /// On Microsoft.Testing.Platform, and not on VSTest.
    #[serde(default)]
    pub(super) platform: bool,
    /// The ending of the project file.
    #[serde(default = "csharp")]
    pub(super) ending: String,
    /// The project file that a seed without one gets.
    #[serde(default)]
    pub(super) project: String,
    /// What `{{name}}` in a seed's files stands for.
    #[serde(default)]
    pub(super) vars: BTreeMap<String, String>,
    /// The arguments that make it write a TRX file.
    #[serde(default)]
    pub(super) trx: Vec<String>,
}

fn csharp() -> String {
    "csproj".to_owned()
}

/// What the flag sets of `dotnet test` have beside those of other runners.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Flags {
    /// The arguments on the platform, where they differ.
    pub(super) platform_args: Option<Vec<String>>,
    /// No TRX file in the recorded run: truth comes from a second run of the same build.
    #[serde(default)]
    pub(super) no_trx: bool,
    /// The TRX file is kept beside the recording.
    #[serde(default)]
    pub(super) keep_trx: bool,
    /// Not every test runs: a declared failure need not happen.
    #[serde(default)]
    pub(super) partial: bool,
}

/// The `[dotnet]` table of a seed.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    /// The folder of a tool and the flag sets that it is run with.
    pub(super) runs: Vec<(String, Vec<String>)>,
    /// The stem of the project file, where the tool's own is used.
    #[serde(default = "shop")]
    pub(super) project: String,
    /// What is handed to `dotnet test`.
    #[serde(default)]
    pub(super) target: Vec<String>,
    /// Nothing is built ahead.
    #[serde(default)]
    pub(super) no_build: bool,
    /// Shell lines before each run.
    #[serde(default)]
    pub(super) before: Vec<String>,
    /// A shell line in place of `dotnet test`; `{flags}` and `{trx}` stand for the arguments.
    pub(super) command: Option<String>,
    /// The run writes no TRX file.
    #[serde(default)]
    pub(super) no_trx: bool,
    /// Only the cases of the header count.
    #[serde(default)]
    pub(super) by_hand: bool,
    pub(super) exit: Option<i32>,
    #[serde(default)]
    pub(super) truth: Declared,
    /// What holds with some flags or tools alone.
    #[serde(default)]
    pub(super) only: Vec<Only>,
}

fn shop() -> String {
    "Shop.Tests".to_owned()
}

/// What the author of a project says of its runs. `*` in a name stands for any text.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Declared {
    /// `name = kind`: why a test fails.
    #[serde(default)]
    pub(super) kinds: Vec<String>,
    /// `name = kind, kind`: kinds that are right too.
    #[serde(default)]
    pub(super) also_kinds: Vec<String>,
    /// `status name` or `status:kind name`: cases that no TRX file can know.
    #[serde(default)]
    pub(super) cases: Vec<String>,
    #[serde(default)]
    pub(super) problems: Vec<TrueProblem>,
    /// Names that stand in the text of another test alone.
    #[serde(default)]
    pub(super) unseen: Vec<String>,
    /// Hooks that the runner lists among its tests.
    #[serde(default)]
    pub(super) hooks: Vec<String>,
    pub(super) totals: Option<BTreeMap<String, u64>>,
    pub(super) completeness: Option<String>,
    pub(super) why_not: Option<String>,
}

/// What holds with some flags or tools alone.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Only {
    #[serde(default)]
    pub(super) flags: Option<String>,
    #[serde(default)]
    pub(super) tools: Option<String>,
    pub(super) truth: Declared,
}

impl Header {
    /// All that is declared of a run with this tool and these flags.
    pub(super) fn declared(&self, tool: &str, flags: &str) -> Declared {
        let mut all = self.truth.clone();
        let fits =
            |wanted: &Option<String>, name: &str| wanted.as_ref().is_none_or(|glob| matches(glob, name));
        for only in self.only.iter().filter(|only| fits(&only.flags, flags) && fits(&only.tools, tool)) {
            let more = only.truth.clone();
            all.kinds.extend(more.kinds);
            all.also_kinds.extend(more.also_kinds);
            all.cases.extend(more.cases);
            all.problems.extend(more.problems);
            all.unseen.extend(more.unseen);
            all.hooks.extend(more.hooks);
            all.totals = more.totals.or(all.totals);
            all.completeness = more.completeness.or(all.completeness);
            all.why_not = more.why_not.or(all.why_not);
        }
        all
    }
}

/// Whether a name is of this shape. `*` stands for any text, also for none.
pub(super) fn matches(glob: &str, name: &str) -> bool {
    let mut parts = glob.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Splits `name = kinds` at its last ` = `.
fn declaration(line: &str) -> Done<(&str, &str)> {
    line.rsplit_once(" = ").ok_or_else(|| format!("`{line}` is no `name = kind`").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        for (glob, name, want) in [
            ("*.Adds", "N.C.Adds", true),
            ("*.Adds", "N.C.Adds2", false),
            ("Adds(*)", "Adds(1, 2)", true),
            ("*C*s", "N.C.Adds", true),
            ("Adds", "Adds", true),
            ("Adds", "Adds2", false),
        ] {
            assert_eq!(matches(glob, name), want, "{glob} {name}");
        }
    }

    #[test]
    fn what_holds_with_some_flags_is_added() {
        let header: Header = toml::from_str(
            "runs = [[\"a-1\", [\"plain\", \"quiet\"]]]\n[truth]\nkinds = [\"A = setup\"]\n\
             [[only]]\nflags = \"q*\"\n[only.truth]\ncompleteness = \"truncated\"\n",
        )
        .unwrap();
        assert_eq!(header.declared("a-1", "quiet").completeness.as_deref(), Some("truncated"));
        let plain = header.declared("a-1", "plain");
        assert_eq!((plain.completeness, plain.kinds), (None, vec!["A = setup".to_owned()]));
    }
}

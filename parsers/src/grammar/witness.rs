//! `[witness]` of a grammar file: how a runner is asked for a structured report of the same run.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Pattern;
use crate::Status;

/// How a runner is asked for a structured report.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Witness {
    /// What kind of report it is, as records call it.
    pub kind: String,
    /// Which reader takes it: the word of a format, or one of [`crate::witness::READERS`].
    pub read: String,
    /// The name of the file in the folder that is made for it. With a `*` in it there may be several.
    pub file: String,
    /// The heads of commands that are plainly this runner, as words: `pytest`, `python -m pytest`, `dotnet test`.
    /// `python` stands for every Python interpreter, with its own options in between.
    pub runner: Vec<String>,
    /// A Python script is this runner when a line of it matches.
    #[serde(default)]
    pub script: Option<Matching>,
    /// Words that are put in front of the module or script that Python is given.
    #[serde(default)]
    pub before: Vec<String>,
    /// Words that are put directly behind the runner's own. `{file}` stands for the report's path, `{folder}` for its
    /// folder, `{recorder}` for the format's recorder.
    #[serde(default)]
    pub behind: Vec<String>,
    /// Variables that the command is given, with the same placeholders.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Launchers that this way of asking would disturb, each with the reason.
    #[serde(default)]
    pub not_behind: BTreeMap<String, String>,
    /// A word of the command, or of what configures the runner, by which the project has settled the matter itself:
    /// it asks for such a report on its own, or forbids it.
    #[serde(default)]
    pub settled: Option<Matching>,
    /// What a failure says whose assertion is one of those that the report counts; left out: any.
    #[serde(default)]
    pub counted: Option<Matching>,
    /// Variables whose words count as words of the command.
    #[serde(default)]
    pub variables: Vec<String>,
    /// Files whose words count too: the nearest upward from where the command runs.
    #[serde(default)]
    pub configuration: Vec<Configuration>,
    /// Whether a name that stands in the report again is another try of the same test.
    #[serde(default)]
    pub tries: bool,
    /// What the report's own words for a status mean, where its reader asks.
    #[serde(default)]
    pub words: BTreeMap<String, Status>,
    /// Files that tell that the runner takes no such words: the nearest upward, by name or its end.
    #[serde(default)]
    pub refused: Vec<Refused>,
    /// What is asked of the runner that such a file names instead.
    #[serde(default)]
    pub restored: Option<Restored>,
    /// By which other words the report may call what the console calls so.
    #[serde(default)]
    pub status: BTreeMap<Status, Vec<Status>>,
}

/// A pattern with its examples.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Matching {
    /// Matched against one word, or one line of a script.
    pub pattern: Pattern,
    /// Texts that must match.
    pub example: Vec<String>,
    /// Texts that must not.
    pub counterexample: Vec<String>,
}

/// A file that tells that the runner takes no such words.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refused {
    /// Its name, or with a `*` in front the end of its name.
    pub file: String,
    /// What a line of it says.
    pub line: Matching,
    /// Why the runner isn't asked then.
    pub reason: String,
    /// Where words for the other runner go. Without it, it is never asked.
    #[serde(default)]
    pub restored: Option<Words>,
}

/// Where words for a runner stand that another program starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Words {
    /// Among the words of that program.
    Among,
    /// Behind its `--`.
    BehindDashes,
}

/// What a runner understands, by the packages that its projects have restored: an unknown option would end the run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Restored {
    /// What the name and version of the runner's own package, `Name/1.2.3`, begin with.
    pub platform: String,
    /// A word of the command by which the project uses the folder of results itself.
    pub settled: Matching,
    /// How it is asked; the first whose package every project has.
    pub way: Vec<Way>,
}

/// One way to ask.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Way {
    /// What the name and version of the package that understands it begin with.
    pub package: String,
    /// The words, with the placeholders of [`Witness::behind`].
    pub behind: Vec<String>,
    /// The name of the file, as [`Witness::file`].
    pub file: String,
}

/// A place in a file that holds words for the runner.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Configuration {
    /// The file's name. Its end tells how it is read: `.toml`, or else sections and keys in the manner of `.ini`.
    pub file: String,
    /// The section, or dotted table, that holds them.
    pub table: String,
    /// The key.
    pub key: String,
}

impl Witness {
    /// All its patterns, with their examples.
    pub(super) fn matching(&self) -> impl Iterator<Item = &Matching> {
        let own = [&self.script, &self.settled, &self.counted].into_iter().flatten();
        let refused = self.refused.iter().map(|refused| &refused.line);
        own.chain(refused).chain(self.restored.iter().map(|restored| &restored.settled))
    }

    /// Whether a console that calls a test by the first word and a report that calls it by the second agree.
    #[must_use]
    pub fn same_status(&self, console: Status, report: Status) -> bool {
        console == report || self.other_words(console).contains(&report)
    }

    /// By which other words the report may call a test that the console calls so.
    #[must_use]
    pub fn other_words(&self, console: Status) -> &[Status] {
        self.status.get(&console).map_or(&[], Vec::as_slice)
    }
}

//! A recording of the corpus: what a runner printed, what is true of the run, and where a reading differs from that.
//!
//! Truth comes from an independent channel of the same run, or from the person who made the output; never from our own
//! parser.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use redgreen::judge::{self, Expectations, Reading, Run, Verdict};
use redgreen::observe::facts::Ended;
use redgreen_parsers::{Completeness, Format, Options, Report, Stream, Totals};
use serde::{Deserialize, Serialize};

/// `recording.toml`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Recording {
    /// `recorded`, `reduced` or `written`.
    pub(crate) kind: String,
    pub(crate) tool: String,
    pub(crate) version: String,
    pub(crate) argv: Vec<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) env: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) exit_code: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) signal: Option<i32>,
    /// The seed project, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) seed: Option<String>,
    pub(crate) why: String,
    pub(crate) truth: Truth,
}

/// What is true of a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Truth {
    /// The channel that says so.
    pub(crate) source: String,
    /// `complete`, `truncated`, `empty`; `any` where the runner never began and no rule says which it is.
    #[serde(default = "complete")]
    pub(crate) completeness: String,
    pub(crate) red: bool,
    pub(crate) green: bool,
    /// `false`: no reader of this console could know it all. Then a reading may say less, and may not say otherwise.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub(crate) recoverable: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) why_not: Option<String>,
    /// What the runner itself claims on the console; a word that it doesn't claim is not here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) totals: Option<BTreeMap<String, u64>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) cases: Vec<TrueCase>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) problems: Vec<TrueProblem>,
}

/// What became of one test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrueCase {
    pub(crate) id: String,
    pub(crate) status: String,
    /// The kinds of its failures, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) kinds: Vec<String>,
    /// Kinds that are right too, as where the console does not tell a hook from the body. `any`: it tells nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) also_kinds: Vec<String>,
    /// Whether the console names it.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub(crate) visible: bool,
}

/// What broke outside any case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrueProblem {
    pub(crate) kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) subject: Option<String>,
    /// Kinds that are right too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) also_kinds: Vec<String>,
    /// The console need not name it: the listed cases say it already, or only a signal tells.
    #[serde(default, skip_serializing_if = "is_no")]
    pub(crate) optional: bool,
}

impl TrueCase {
    /// Whether these kinds, sorted, are those of its failures.
    fn has_kinds(&self, kinds: &[&str]) -> bool {
        let is_right = |kind: &&str| {
            let mut right = self.kinds.iter().chain(&self.also_kinds);
            right.any(|right| right == kind || right == "any")
        };
        self.kinds == kinds || !self.also_kinds.is_empty() && !kinds.is_empty() && kinds.iter().all(is_right)
    }
}

fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_yes(value: &bool) -> bool {
    *value
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_no(value: &bool) -> bool {
    !*value
}

fn complete() -> String {
    "complete".to_owned()
}

/// What the score counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Figure {
    Totals,
    Statuses,
    Kinds,
    Verdicts,
}

/// One thing in which a reading differs from the truth.
#[derive(Debug, Clone)]
pub(crate) struct Disagreement {
    pub(crate) figure: Figure,
    pub(crate) what: String,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let figure = match self.figure {
            Figure::Totals => "totals",
            Figure::Statuses => "statuses",
            Figure::Kinds => "kinds",
            Figure::Verdicts => "verdicts",
        };
        write!(f, "{figure}: {}", self.what)
    }
}

/// A recording with its bytes.
pub(crate) struct Recorded {
    pub(crate) format: Format,
    pub(crate) recording: Recording,
    blocks: Vec<(Stream, Vec<u8>)>,
}

impl Recorded {
    /// Loads the recording of this folder; the message names what is wrong with it.
    pub(crate) fn load(folder: &Path) -> Result<Self, String> {
        let at = |error: &dyn fmt::Display| format!("{}: {error}", folder.display());
        let text = std::fs::read_to_string(folder.join("recording.toml")).map_err(|error| at(&error))?;
        let recording: Recording = toml::from_str(&text).map_err(|error| at(&error))?;
        let word = folder.ancestors().nth(2).and_then(Path::file_name).and_then(|name| name.to_str());
        let format = word.and_then(Format::find).ok_or_else(|| at(&"it lies below no format's folder"))?;
        let mut blocks = Vec::new();
        for (name, stream) in [("merged", Stream::Merged), ("stdout", Stream::Out), ("stderr", Stream::Err)] {
            match std::fs::read(folder.join(name)) {
                Ok(bytes) => blocks.push((stream, bytes)),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(at(&error)),
            }
        }
        if blocks.is_empty() {
            return Err(at(&"there is neither `merged` nor `stdout` nor `stderr`"));
        }
        Ok(Self { format, recording, blocks })
    }

    /// What the parser of its format reads in it.
    pub(crate) fn read(&self) -> Vec<Report> {
        let replay = |feed: &mut redgreen_parsers::Feed<'_>| {
            for (stream, bytes) in &self.blocks {
                feed.push(bytes, *stream);
            }
            Ok::<(), std::convert::Infallible>(())
        };
        match redgreen_parsers::read(self.format, &Options::default(), replay) {
            Ok(reports) => reports,
            Err(never) => match never {},
        }
    }

    /// Everything in which these reports, and the verdicts on them, differ from the truth.
    pub(crate) fn disagreements(&self, reports: &[Report]) -> Vec<Disagreement> {
        let mut found = Differences { truth: &self.recording.truth, list: Vec::new() };
        match reports {
            [report] => found.report(report),
            _ => found.add(Figure::Totals, format!("{} sessions were read", reports.len())),
        }
        let readings = [Reading { format: self.format, reports: reports.to_vec() }];
        let ended = self.recording.signal.map(Ended::Signal).or(self.recording.exit_code.map(Ended::Exit));
        let run = Run { ended: ended.as_ref(), readings: &readings, foreign: &[], witness: None };
        let expected = Expectations {
            approved_skip_reason: Some("truth is told with skips approved".to_owned()),
            ..Expectations::default()
        };
        found.verdict("red", self.recording.truth.red, &judge::red(&run, &expected));
        found.verdict("green", self.recording.truth.green, &judge::green(&run, &expected));
        found.list
    }
}

struct Differences<'t> {
    truth: &'t Truth,
    list: Vec<Disagreement>,
}

impl Differences<'_> {
    fn add(&mut self, figure: Figure, what: String) {
        self.list.push(Disagreement { figure, what });
    }

    fn report(&mut self, report: &Report) {
        let completeness = match report.completeness {
            Completeness::Complete => "complete",
            Completeness::Truncated => "truncated",
            Completeness::Empty => "empty",
        };
        let open = self.truth.completeness == "any";
        if completeness != self.truth.completeness && !open {
            let truth = &self.truth.completeness;
            self.add(Figure::Totals, format!("the run is {truth}, and was read as {completeness}"));
        }
        self.totals(&report.totals);
        self.cases(report);
        self.problems(report);
    }

    fn totals(&mut self, read: &Totals) {
        let Some(truth) = &self.truth.totals else { return };
        let read = [
            ("passed", read.passed),
            ("failed", read.failed),
            ("errored", read.errored),
            ("skipped", read.skipped),
            ("todo", read.todo),
            ("xfailed", read.xfailed),
            ("xpassed", read.xpassed),
            ("deselected", read.deselected),
        ];
        for (word, read) in read {
            let truth = truth.get(word).copied();
            // A word that the console doesn't say may be read as none of it.
            if read != truth && !(truth.is_none() && read == Some(0)) {
                let shown = |count: Option<u64>| count.map_or("nothing".to_owned(), |n| n.to_string());
                let what = format!("the runner says {} {word}, and {} was read", shown(truth), shown(read));
                self.add(Figure::Totals, what);
            }
        }
    }

    /// Each case that the console names has its status and its kinds, and there is no case that never was.
    fn cases(&mut self, report: &Report) {
        let mut left: BTreeMap<&str, Vec<&TrueCase>> = BTreeMap::new();
        for case in self.truth.cases.iter().rev() {
            left.entry(&case.id).or_default().push(case);
        }
        for case in report.cases.iter() {
            let (id, status) = (case.id(), case.status().word());
            let mut kinds: Vec<&str> = case.failures().iter().map(|failure| failure.kind.word()).collect();
            kinds.sort_unstable();
            let Some(truths) = left.get_mut(id).filter(|truths| !truths.is_empty()) else {
                self.add(Figure::Statuses, format!("`{id}` was read as {status}, and never ran"));
                continue;
            };
            // Of two cases of one name that one is meant which agrees.
            let at = truths
                .iter()
                .rposition(|truth| truth.status == status && truth.has_kinds(&kinds))
                .or_else(|| truths.iter().rposition(|truth| truth.status == status))
                .unwrap_or(truths.len() - 1);
            let truth = truths.remove(at);
            if truth.status != status {
                self.add(Figure::Statuses, format!("`{id}` is {}, and was read as {status}", truth.status));
            } else if !truth.has_kinds(&kinds) {
                let (truth, kinds) = (truth.kinds.join("+"), kinds.join("+"));
                if self.truth.recoverable {
                    self.add(Figure::Kinds, format!("`{id}` is {truth}, and was read as {kinds}"));
                }
            }
        }
        if self.truth.recoverable {
            for case in left.values().flatten().filter(|case| case.visible) {
                self.add(Figure::Statuses, format!("`{}` is {}, and was not read", case.id, case.status));
            }
        }
    }

    fn problems(&mut self, report: &Report) {
        let mut left: Vec<&TrueProblem> = self.truth.problems.iter().collect();
        for problem in &report.problems {
            let (kind, subject) = (problem.kind.word(), problem.subject.as_deref());
            let fits = |truth: &&TrueProblem| {
                let is_kind = truth.kind == kind || truth.also_kinds.iter().any(|also| also == kind);
                is_kind && (truth.subject.is_none() || truth.subject.as_deref() == subject)
            };
            match left.iter().position(fits) {
                Some(at) => _ = left.remove(at),
                None => {
                    self.add(Figure::Kinds, format!("a problem {kind} of {subject:?} was read, and is none"))
                }
            }
        }
        if self.truth.recoverable {
            for truth in left.into_iter().filter(|truth| !truth.optional) {
                self.add(
                    Figure::Kinds,
                    format!("the problem {} of {:?} was not read", truth.kind, truth.subject),
                );
            }
        }
    }

    /// What can't be known may be refused; it may never be accepted wrongly.
    fn verdict(&mut self, phase: &str, truth: bool, read: &Verdict) {
        let accepted = read.accepted();
        if accepted == truth || (!self.truth.recoverable && !accepted) {
            return;
        }
        let codes: Vec<String> = read.problems.iter().map(|problem| problem.code.to_string()).collect();
        let said = if accepted { "accepted".to_owned() } else { format!("rejected ({})", codes.join(", ")) };
        let should = if truth { "acceptable" } else { "not acceptable" };
        self.add(Figure::Verdicts, format!("it is {should} as {phase}, and was {said}"));
    }
}

/// Every folder below this one that holds a recording, in order.
pub(crate) fn folders(root: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        if folder.join("recording.toml").is_file() {
            found.push(folder);
            continue;
        }
        for entry in std::fs::read_dir(&folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() && entry.file_name() != "_seed" {
                open.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

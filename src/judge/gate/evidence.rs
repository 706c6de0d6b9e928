//! What is known of the tests: by records of our own, else by a file that somebody else wrote.

use crate::judge::{Fingerprints, is_fresh};
use crate::plan::Check;

/// What the tests say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tests {
    /// Green, red, or neither.
    pub seen: Seen,
    /// The runner, as whoever saw it names it; empty: nobody does.
    pub runner: String,
    /// Who saw it.
    pub source: TestSource,
    /// One sentence for a person.
    pub says: String,
    /// What is red, a text each; empty unless it is red.
    pub failures: Vec<String>,
}

/// Green, red, or neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Seen {
    /// Tests ran and passed.
    Green,
    /// Tests ran and didn't pass.
    Red,
    /// It can't be said.
    Inconclusive(NoTests),
}

/// Why it can't be said whether tests pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NoTests {
    /// There is no suite.
    NoTestRunner,
    /// A suite ran no test.
    NoTestsExecuted,
    /// Nobody says anything that can be read.
    NoTestResults,
    /// Files moved since the evidence.
    EvidenceStale,
    /// Some checks have evidence, and others have none.
    EvidenceIncomplete,
    /// The evidence can't be read.
    EvidenceUnreadable,
}

impl NoTests {
    /// The reason as it stands in JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::NoTestRunner => "no_test_runner",
            Self::NoTestsExecuted => "no_tests_executed",
            Self::NoTestResults => "no_test_results",
            Self::EvidenceStale => "evidence_stale",
            Self::EvidenceIncomplete => "evidence_incomplete",
            Self::EvidenceUnreadable => "evidence_unreadable",
        }
    }
}

/// Who saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TestSource {
    /// `verify` itself: records of the task.
    Evidence,
    /// Somebody else, who wrote a file.
    File,
}

impl TestSource {
    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Evidence => "evidence",
            Self::File => "file",
        }
    }
}

/// A check with a green phase, and the latest record of the task that judged it green or not.
#[derive(Debug, Clone)]
pub struct LatestGreen<'a> {
    /// The check as the plan has it now.
    pub check: &'a Check,
    /// What the record says; `None`: there is none.
    pub evidence: Option<Evidence<'a>>,
}

/// What a record says of a check.
#[derive(Debug, Clone)]
pub struct Evidence<'a> {
    /// The record's name.
    pub record: &'a str,
    /// Whether it was accepted.
    pub accepted: bool,
    /// Whether it is of the check as the plan has it now.
    pub same_check: bool,
    /// The files that it speaks of.
    pub fingerprints: &'a Fingerprints,
    /// The codes of its problems.
    pub codes: Vec<String>,
}

/// What the task's own records say, given the files as they are; `None`: there is no record yet.
#[must_use]
pub fn own_tests(checks: &[LatestGreen<'_>], now: &Fingerprints) -> Option<Tests> {
    let judged: Vec<_> =
        checks.iter().filter_map(|latest| Some((latest.check, latest.evidence.as_ref()?))).collect();
    if judged.is_empty() {
        return None;
    }
    let is_current = |check: &Check, evidence: &Evidence<'_>| {
        evidence.same_check && is_fresh(check, evidence.fingerprints, now)
    };
    let failures: Vec<String> = judged
        .iter()
        .filter(|(check, evidence)| !evidence.accepted && is_current(check, evidence))
        .map(|(check, evidence)| {
            let why = if evidence.codes.is_empty() {
                String::new()
            } else {
                format!(": {}", evidence.codes.join(", "))
            };
            format!("check {} was rejected on these files ({}){why}", check.id, evidence.record)
        })
        .collect();
    let stale: Vec<&str> = judged
        .iter()
        .filter(|(check, evidence)| !is_current(check, evidence))
        .map(|(check, _)| check.id.as_str())
        .collect();
    let missing: Vec<&str> = checks
        .iter()
        .filter(|latest| latest.evidence.is_none())
        .map(|latest| latest.check.id.as_str())
        .collect();
    let (seen, says) = if !failures.is_empty() {
        (Seen::Red, "red by verify's own records, on these files".to_owned())
    } else if !stale.is_empty() {
        let says = format!("files moved since the green of {}; run `verify green` again", stale.join(", "));
        (Seen::Inconclusive(NoTests::EvidenceStale), says)
    } else if !missing.is_empty() {
        let says = format!("no green yet of {}; run `verify green`", missing.join(", "));
        (Seen::Inconclusive(NoTests::EvidenceIncomplete), says)
    } else {
        (Seen::Green, "green by verify's own records, on these files".to_owned())
    };
    Some(Tests { seen, runner: runners(checks), source: TestSource::Evidence, says, failures })
}

/// The parsers of all checks, each once.
fn runners(checks: &[LatestGreen<'_>]) -> String {
    let mut words: Vec<&str> = Vec::new();
    for word in checks.iter().flat_map(|latest| &latest.check.parsers) {
        if !words.contains(&word.as_str()) {
            words.push(word);
        }
    }
    words.join(",")
}

/// What somebody else says of a test run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Results {
    /// The runner; `none`: there is no suite.
    pub runner: Option<String>,
    /// Whether it passed, where that is said by `true` or `false` and nothing else.
    pub pass: Option<bool>,
    /// A word for how it ended.
    pub status: Option<String>,
    /// A sentence about it.
    pub summary: Option<String>,
}

/// The longest part of somebody's summary that is repeated, in signs.
const SUMMARY: usize = 200;

/// What somebody else's file says. `results` is `None` where it can't be read, and `why` says why.
#[must_use]
pub fn claimed_tests(results: Option<&Results>, why: &str) -> Tests {
    let inconclusive = |reason, runner: &str, says: &str| Tests {
        seen: Seen::Inconclusive(reason),
        runner: runner.to_owned(),
        source: TestSource::File,
        says: says.to_owned(),
        failures: Vec::new(),
    };
    let Some(results) = results else { return inconclusive(NoTests::NoTestResults, "", why) };
    let runner = results.runner.as_deref().unwrap_or("");
    if runner == "none" {
        return inconclusive(NoTests::NoTestRunner, runner, "there is no test suite, the results say");
    }
    if results.pass == Some(false) {
        let summary = results.summary.as_deref().map(one_line).filter(|summary| !summary.is_empty());
        let of = if runner.is_empty() { String::new() } else { format!(" of {runner}") };
        let failure =
            format!("tests{of} are red{}", summary.map(|text| format!(": {text}")).unwrap_or_default());
        return Tests {
            seen: Seen::Red,
            runner: runner.to_owned(),
            source: TestSource::File,
            says: "red by the results file".to_owned(),
            failures: vec![failure],
        };
    }
    if results.status.as_deref() == Some("no_tests_run") {
        return inconclusive(NoTests::NoTestsExecuted, runner, "no test ran, the results say");
    }
    if results.pass == Some(true) {
        return Tests {
            seen: Seen::Green,
            runner: runner.to_owned(),
            source: TestSource::File,
            says: "green by the results file, which was not produced by verify".to_owned(),
            failures: Vec::new(),
        };
    }
    inconclusive(
        NoTests::NoTestResults,
        runner,
        "the results file says neither `\"pass\": true` nor `\"pass\": false`",
    )
}

fn one_line(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(SUMMARY) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or("")),
        None => text,
    }
}

/// What is known of the tests. Own records come first; only where they are inconclusive does a file that says red
/// count beside them, and one that says green never does.
#[must_use]
pub fn tests_of(own: Option<Tests>, claimed: impl FnOnce() -> Tests) -> Tests {
    match own {
        None => claimed(),
        Some(own) if matches!(own.seen, Seen::Inconclusive(_)) => {
            let claimed = claimed();
            if claimed.seen == Seen::Red { claimed } else { own }
        }
        Some(own) => own,
    }
}

impl Tests {
    /// The records of the task can't be read.
    #[must_use]
    pub fn unreadable(why: &str) -> Self {
        Self {
            seen: Seen::Inconclusive(NoTests::EvidenceUnreadable),
            runner: String::new(),
            source: TestSource::Evidence,
            says: format!("verify's own records can't be read: {why}"),
            failures: Vec::new(),
        }
    }
}

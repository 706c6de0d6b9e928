//! What the witness, a structured report of the same run, adds to the console and where it differs.
//!
//! A quiet console hides names and reasons: what the witness says of those is heard in its place. What both say must be
//! the same.

mod compare;
mod fill;

use std::borrow::Cow;

use redgreen_parsers::{Completeness, Format, Report, Status};

use super::findings::Findings;
use super::identities::{Named, look_up_in_witness};
use super::run::{Reading, Run};
use super::{Code, Note, Problem, Verdict, say};
use crate::observe::facts::{Ended, WitnessFacts, WitnessFound};

pub(super) use compare::spelled;

/// What one parser read, with what the witness adds to it.
#[derive(Debug)]
pub(super) struct Heard<'a> {
    pub(super) format: Format,
    /// The console's reports; reasons that it hides are filled in.
    pub(super) reports: Cow<'a, [Report]>,
    /// The cases that the console counts and doesn't name, and what broke outside any of which it doesn't say what.
    pub(super) beside: Option<Report>,
    /// All that a complete witness says.
    pub(super) witness: &'a [Report],
    /// The console says nothing of its format, and the witness speaks for the run.
    pub(super) unread: bool,
}

impl Heard<'_> {
    /// What is heard of the run, from the console and in its place.
    pub(super) fn reports(&self) -> impl Iterator<Item = &Report> {
        let console = if self.unread { &[] } else { self.reports.as_ref() };
        console.iter().chain(&self.beside)
    }
}

/// Listens to console and witness. A witness that isn't there, or has no end, is a reason to reject.
pub(super) fn listen<'a>(run: &Run<'a>, found: &mut Findings) -> Vec<Heard<'a>> {
    let account = run.witness.and_then(|facts| account(facts, run.ended, found));
    let hear = |reading: &'a Reading| match account {
        Some((console, witness)) if console == reading.format => fill::fill(reading, witness),
        _ => Heard {
            format: reading.format,
            reports: Cow::Borrowed(&reading.reports),
            beside: None,
            witness: &[],
            unread: false,
        },
    };
    run.readings.iter().map(hear).collect()
}

/// A complete witness, and the format of the console that it is beside.
fn account<'a>(
    facts: &'a WitnessFacts,
    ended: Option<&Ended>,
    found: &mut Findings,
) -> Option<(Format, &'a [Report])> {
    // Who was cut off could not write it, and that was said.
    let by_itself = matches!(ended, Some(Ended::Exit(_)));
    match &facts.found {
        WitnessFound::NotAsked(why) => {
            found.note(Code::WitnessNotAsked, || {
                Note::new(Code::WitnessNotAsked, format!("no structured report was asked for: {why}"))
            });
            None
        }
        WitnessFound::Missing => {
            if by_itself {
                found.reject(Code::WitnessMissing, || Problem::new(Code::WitnessMissing, missing(facts)));
            }
            None
        }
        WitnessFound::Reports { console, reports } => {
            let whole = reports.iter().all(|report| report.completeness == Completeness::Complete);
            if !whole && by_itself {
                found.reject(Code::WitnessTruncated, || {
                    Problem::new(Code::WitnessTruncated, truncated(facts))
                });
            }
            whole.then_some((*console, reports.as_slice()))
        }
    }
}

fn kind(facts: &WitnessFacts) -> &str {
    facts.kind.as_deref().unwrap_or("report")
}

fn missing(facts: &WitnessFacts) -> String {
    format!("the runner was asked for a structured report ({}) and wrote none", kind(facts))
}

fn truncated(facts: &WitnessFacts) -> String {
    format!("the end of the structured report ({}) is missing: the runner didn't run to its end", kind(facts))
}

/// What a witness turned out to be worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WitnessStanding {
    /// It says the same as the console.
    Agrees,
    /// It says something else, and what.
    Disagrees(String),
    /// It was asked for and isn't there.
    Missing(String),
    /// Its end is missing.
    Truncated(String),
    /// The runner wasn't asked, and why.
    NotAsked(String),
}

/// What a witness turned out to be worth in this verdict.
#[must_use]
pub fn witness_standing(facts: &WitnessFacts, verdict: &Verdict) -> WitnessStanding {
    match &facts.found {
        WitnessFound::NotAsked(why) => WitnessStanding::NotAsked(why.clone()),
        WitnessFound::Missing => WitnessStanding::Missing(missing(facts)),
        WitnessFound::Reports { reports, .. } => {
            let disagrees = verdict.problems.iter().find(|problem| problem.code == Code::WitnessDisagrees);
            if reports.iter().any(|report| report.completeness != Completeness::Complete) {
                WitnessStanding::Truncated(truncated(facts))
            } else if let Some(problem) = disagrees {
                WitnessStanding::Disagrees(problem.message.clone())
            } else {
                WitnessStanding::Agrees
            }
        }
    }
}

/// A green console and its witness say the same: the same numbers, and of each test that both name the same.
pub(super) fn agree(heard: &[Heard<'_>], found: &mut Findings) {
    for one in heard.iter().filter(|one| !one.witness.is_empty()) {
        if one.unread {
            found.note(Code::ConsoleUnread, || {
                let word = one.format.word();
                let message =
                    format!("the output holds nothing of {word}; the structured report speaks for it");
                Note::new(Code::ConsoleUnread, message)
            });
            continue;
        }
        for difference in compare::differences(one) {
            found.reject(Code::WitnessDisagrees, || Problem::new(Code::WitnessDisagrees, difference));
        }
    }
}

/// The cases of a run that the console hides: names that only the witness has.
#[must_use]
pub fn hidden_cases(run: &Run<'_>) -> Vec<Report> {
    listen(run, &mut Findings::default()).into_iter().filter_map(|heard| heard.beside).collect()
}

/// Red needs each expected test to have failed in the witness too.
pub(super) fn failed_too(named: &Named<'_>, heard: &[Heard<'_>], found: &mut Findings) {
    let bad = |status| matches!(status, Status::Failed | Status::Errored);
    let failed = named.cases.iter().any(|named| bad(named.case.status()));
    let witness: Vec<&Report> = heard.iter().flat_map(|heard| heard.witness).collect();
    if !failed || witness.is_empty() {
        return;
    }
    let there = look_up_in_witness(named.identity, &witness);
    if there.cases.iter().any(|named| bad(named.case.status())) {
        return;
    }
    found.reject(Code::WitnessDisagrees, || {
        let how = match there.cases.first() {
            Some(named) => format!("says that it is {}", named.case.status().word()),
            None => "doesn't name it".to_owned(),
        };
        let identity = say::quote(named.identity);
        let message = format!("{identity} failed on the console, and the structured report {how}");
        Problem::new(Code::WitnessDisagrees, message)
    });
}

#[cfg(test)]
mod tests;

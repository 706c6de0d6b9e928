//! A record for a person: the verdict, each check, every reason with its lines, what to do next.

use redgreen_parsers::Status;

use super::problems::{headline, notes, problems, undecided};
use super::text::{count, safe};
use super::theme::{BAD, FAINT, GOOD, WORD, paint};
use crate::judge::ReplayAnswer;
use crate::record::wire::{Check, Evidence, Rule, Sources};

/// Gives a line of a check's transcript by its number.
pub type QuoteOf<'a> = &'a dyn Fn(&str, u32) -> Option<Vec<u8>>;

/// A record in lines.
#[must_use]
pub fn evidence(record: &Evidence, quote: QuoteOf<'_>, all: bool) -> Vec<String> {
    let reasons =
        record.problems.len() + record.checks.iter().map(|check| check.problems.len()).sum::<usize>();
    let answer = record.replay.as_ref().and_then(|replay| replay.answer);
    let mut out = match answer {
        Some(ReplayAnswer::NotIsolated) => vec![undecided(&title(record), reasons)],
        _ => vec![headline(&title(record), record.passed, reasons)],
    };
    out.extend(answer.map(|answer| format!("  {}", says(answer))));
    out.extend(problems(&record.problems, &|_| None));
    out.extend(record.rules.iter().filter(|rule| rule.level == "advisory").map(advice));
    for check in &record.checks {
        out.push(format!("  {}", about(check)));
        let in_check = |number| quote(&check.id, number);
        out.extend(problems(&check.problems, &in_check));
        if all || check.passed {
            out.extend(notes(&check.notes));
        }
    }
    if let Some(delivery) = &record.delivery {
        if record.passed && delivery.stale.is_empty() && delivery.reran.is_empty() {
            out.push("  nothing moved since the evidence was taken".to_owned());
        }
        if !delivery.stale.is_empty() {
            let files = count(delivery.stale.len(), "file");
            out.push(format!("  {files} moved since the evidence was taken"));
        }
        if !delivery.reran.is_empty() {
            out.push(format!("  run again on the files as they are: {}", safe(&delivery.reran.join(", "))));
        }
    }
    let delivered = record.delivery.as_ref().and_then(|delivery| delivery.replay);
    out.extend(delivered.map(|answer| format!("  {}", says(answer))));
    out.extend(notes(&record.notes));
    if let Some(claim) = &record.claim {
        out.push(format!("  claimed, and not counted: {}", safe(&claim.text)));
    }
    out.push(paint(FAINT, &format!("  fingerprint {}", record.fingerprint)));
    out
}

/// `src/a.py:3  Remove the print (rule `no-print`)`
fn advice(rule: &Rule) -> String {
    let place = paint(FAINT, &format!("{}:{}", safe(&rule.path), rule.line));
    format!("  {place}  {} (rule `{}`)", safe(&rule.message), safe(&rule.id))
}

fn title(record: &Evidence) -> String {
    let word = match record.phase {
        Some(phase) => phase.word(),
        None if record.delivery.is_some() => "deliver",
        None if record.replay.is_some() => "replay",
        None => "guard",
    };
    if word == record.stage { word.to_owned() } else { format!("{word} of stage {}", record.stage) }
}

const fn says(answer: ReplayAnswer) -> &'static str {
    match answer {
        ReplayAnswer::RedAgain => "on the sources that the task began with the tests are red again",
        ReplayAnswer::NotRed => "on the sources that the task began with the tests are not red",
        ReplayAnswer::NotIsolated => {
            "whether the tests are red on the sources that the task began with can't be said"
        }
    }
}

/// `adding  accepted: 1 failed, 2 passed  (exit 1, 0.02 s)`
fn about(check: &Check) -> String {
    let id = paint(WORD, &safe(&check.id));
    let verdict = if check.passed { paint(GOOD, "accepted") } else { paint(BAD, "rejected") };
    let ended = match (check.exit_code, check.reason.as_deref()) {
        (Some(code), _) => format!("exit {code}"),
        (None, Some(reason)) => safe(reason),
        (None, None) => "unknown end".to_owned(),
    };
    let cases = cases(check);
    let seen = if cases.is_empty() { String::new() } else { format!(": {cases}") };
    let whose = if check.sources == Sources::Baseline { " on the baseline's sources" } else { "" };
    format!(
        "{id}  {verdict}{whose}{seen}  {}",
        paint(FAINT, &format!("({ended}, {:.2} s)", check.duration_seconds))
    )
}

/// `1 failed, 2 passed`, by the named cases; the runner's own totals where a quiet mode names none.
fn cases(check: &Check) -> String {
    let reports: Vec<_> =
        check.reports().unwrap_or_default().iter().filter_map(crate::record::wire::Report::report).collect();
    let of = |status: Status| {
        let claimed = |report: &redgreen_parsers::Report| match status {
            Status::Failed => report.totals.failed,
            Status::Errored => report.totals.errored,
            Status::Passed => report.totals.passed,
            Status::Skipped => report.totals.skipped,
            Status::Todo => report.totals.todo,
            Status::Xfailed => report.totals.xfailed,
            Status::Xpassed => report.totals.xpassed,
        };
        let counts =
            reports.iter().map(|report| claimed(report).unwrap_or(0).max(report.cases.count(status)));
        counts.fold(0, u64::saturating_add)
    };
    [
        Status::Failed,
        Status::Errored,
        Status::Passed,
        Status::Skipped,
        Status::Todo,
        Status::Xfailed,
        Status::Xpassed,
    ]
    .into_iter()
    .map(|status| (of(status), status.word()))
    .filter(|(number, _)| *number > 0)
    .map(|(number, word)| format!("{number} {word}"))
    .collect::<Vec<_>>()
    .join(", ")
}

//! A report for a person: what the runner said, in short.

use redgreen_parsers::{Completeness, Report, Status, Totals};

use super::problems::{Quote, quoted};
use super::text::{cut, safe};
use super::theme::{BAD, CARE, FAINT, GOOD, WORD, paint};

/// How many cases that did not pass are listed, unless all are asked for.
const LISTED: usize = 50;

/// A report in lines.
#[must_use]
pub fn report(report: &Report, all: bool, quote: Quote<'_>) -> Vec<String> {
    let mut out = vec![headline(report)];
    let mut left = 0_usize;
    let mut listed = 0_usize;
    for case in report.cases.iter().filter(|case| all || case.status() != Status::Passed) {
        if listed == LISTED && !all {
            left += 1;
            continue;
        }
        listed += 1;
        let style = match case.status() {
            Status::Passed => GOOD,
            Status::Failed | Status::Errored => BAD,
            _ => CARE,
        };
        let lines = case.lines();
        let place = paint(FAINT, &format!("line {}", lines.first));
        out.push(format!("  {:<9} {}  {place}", paint(style, case.status().word()), safe(case.id())));
        for failure in case.failures() {
            let error = failure.error.as_deref().unwrap_or("");
            let message = failure.message.as_deref().unwrap_or("").lines().next().unwrap_or("");
            let said = if error.is_empty() || message.is_empty() {
                format!("{error}{message}")
            } else {
                format!("{error}: {message}")
            };
            out.push(format!("      {}  {}", paint(WORD, failure.kind.word()), cut(&safe(&said), 160)));
            if all {
                out.extend(quoted(failure.lines, quote));
            }
        }
        if let Some(reason) = case.reason() {
            out.push(format!("      {}", cut(&safe(reason), 160)));
        }
    }
    if left > 0 {
        out.push(format!("  … and {left} more; `--verbose` lists all"));
    }
    for problem in &report.problems {
        let subject = safe(problem.subject.as_deref().unwrap_or("the run"));
        let error = problem.error.as_deref().unwrap_or("");
        let message = problem.message.as_deref().unwrap_or("").lines().next().unwrap_or("");
        let said = if error.is_empty() { message.to_owned() } else { format!("{error}: {message}") };
        out.push(format!("  {}  {subject}: {}", paint(BAD, problem.kind.word()), cut(&safe(&said), 160)));
        out.extend(quoted(problem.lines, quote));
    }
    for note in &report.notes {
        out.push(format!(
            "  {}  {}",
            paint(CARE, &format!("note {}", note.code.word())),
            safe(&note.message)
        ));
    }
    out
}

fn headline(report: &Report) -> String {
    let version = report.runner.version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
    let state = match report.completeness {
        Completeness::Complete => "complete",
        Completeness::Truncated => "truncated: its end is missing",
        Completeness::Empty => "nothing found",
    };
    let runner = safe(&format!("{}{version}", report.runner.name));
    let numbers = numbers(report);
    format!("{}, {state}{}{numbers}", paint(WORD, &runner), if numbers.is_empty() { "" } else { ": " })
}

/// The runner's own numbers, else the counted cases.
fn numbers(report: &Report) -> String {
    let counted = |status| Some(report.cases.count(status)).filter(|count| *count > 0);
    let Totals { passed, failed, errored, skipped, todo, xfailed, xpassed, deselected } = report.totals;
    [
        (failed.or_else(|| counted(Status::Failed)), "failed"),
        (errored.or_else(|| counted(Status::Errored)), "errored"),
        (passed.or_else(|| counted(Status::Passed)), "passed"),
        (skipped.or_else(|| counted(Status::Skipped)), "skipped"),
        (todo.or_else(|| counted(Status::Todo)), "todo"),
        (xfailed.or_else(|| counted(Status::Xfailed)), "xfailed"),
        (xpassed.or_else(|| counted(Status::Xpassed)), "xpassed"),
        (deselected, "deselected"),
    ]
    .iter()
    .filter_map(|(number, word)| number.filter(|number| *number > 0).map(|number| format!("{number} {word}")))
    .collect::<Vec<_>>()
    .join(", ")
}

//! The state of a task for a person.

use super::text::{count, safe};
use super::theme::{BAD, CARE, GOOD, WORD, paint};
use crate::record::wire::{Answer, Change, Status};

/// How many changed files are named.
const NAMED: usize = 20;

/// A task's state in lines.
#[must_use]
pub fn status(status: &Status) -> Vec<String> {
    let mut out = Vec::new();
    match status.task {
        None => out.push("no task yet".to_owned()),
        Some(task) if status.open => out.push(format!("task {task} is open")),
        Some(task) => out.push(format!("task {task} is closed")),
    }
    if status.plan.changed {
        out.push(format!("  {} since the task took it", paint(BAD, "the plan changed")));
    }
    for check in &status.checks {
        let id = paint(WORD, &safe(&check.id));
        let stale = if check.green == Answer::Accepted && !check.fresh {
            paint(CARE, ", stale")
        } else {
            String::new()
        };
        out.push(format!("  {id}  red {}, green {}{stale}", answer(check.red), answer(check.green)));
    }
    if let Some(sha256) = status.frozen.sha256 {
        let files = usize::try_from(status.frozen.files).unwrap_or(usize::MAX);
        let intact = if status.frozen.intact { paint(GOOD, "intact") } else { paint(BAD, "changed") };
        let short: String = sha256.to_string().chars().take(12).collect();
        out.push(format!("  frozen: {}, {intact} ({short})", count(files, "file")));
        out.extend(changes(&status.frozen.changed));
    }
    if !status.stale.is_empty() {
        out.push(format!(
            "  {} since the evidence: {}",
            paint(CARE, "moved"),
            count(status.stale.len(), "file")
        ));
        out.extend(changes(&status.stale));
    }
    for rebind in &status.rebinds {
        out.push(format!("  rebound at {}: {}", rebind.at, safe(&rebind.reason)));
    }
    if let Some(next) = &status.next {
        out.push(format!("next: {}", paint(WORD, &safe(next))));
    }
    out
}

/// Changed files, a line each.
#[must_use]
pub fn changes(changes: &[Change]) -> Vec<String> {
    let mut out: Vec<String> = changes
        .iter()
        .take(NAMED)
        .map(|change| format!("    {} {}", change.change.word(), safe(&change.path)))
        .collect();
    if changes.len() > NAMED {
        out.push(format!("    … and {} more", changes.len() - NAMED));
    }
    out
}

const fn answer(answer: Answer) -> &'static str {
    match answer {
        Answer::Accepted => "accepted",
        Answer::Rejected => "rejected",
        Answer::Missing => "missing",
        Answer::NotNeeded => "not needed",
    }
}

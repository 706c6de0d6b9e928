//! What a patrol found, for a person.

use super::problems::{Said, problems};
use super::text::{count, safe};
use super::theme::{BAD, CARE, FAINT, GOOD, WORD, paint};
use crate::record::wire::{ClaimProblem, ClaimVerdict, Condition, Patrol};

/// How many claims are shown one by one.
const SHOWN: usize = 50;

impl<'a> From<&'a ClaimProblem> for Said<'a> {
    fn from(problem: &'a ClaimProblem) -> Self {
        Self { code: &problem.code, message: &problem.message, path: None, lines: None }
    }
}

/// A cycle in lines: the claims that aren't what they say, with what was seen and what to do. With `all` the others too.
#[must_use]
pub fn patrol(patrol: &Patrol, all: bool) -> Vec<String> {
    let mut out = Vec::new();
    let shown = |verdict: &&ClaimVerdict| all || !verdict.stands() || !verdict.problems.is_empty();
    let worth: Vec<&ClaimVerdict> = patrol.verdicts.iter().filter(shown).collect();
    let limit = if all { usize::MAX } else { SHOWN };
    for verdict in worth.iter().take(limit) {
        out.extend(claim(verdict, all));
    }
    if worth.len() > limit {
        out.push(format!("… and {} more; their verdict files say why, or `-v`", worth.len() - limit));
    }
    if !patrol.problems.is_empty() {
        out.push("beside the claims".to_owned());
        out.extend(problems(&patrol.problems, &|_| None));
    }
    if all {
        for (claim, keys) in &patrol.unknown {
            let keys: Vec<String> = keys.iter().map(|key| format!("`{}`", safe(key))).collect();
            out.push(paint(
                FAINT,
                &format!("{} has keys that nothing reads: {}", safe(claim), keys.join(", ")),
            ));
        }
    }
    out
}

/// How many claims there are, and how many stand.
#[must_use]
pub fn summary(patrol: &Patrol) -> String {
    let total = usize::try_from(patrol.counts.values().sum::<u64>()).unwrap_or(usize::MAX);
    let mut parts: Vec<String> =
        patrol.counts.iter().map(|(status, count)| format!("{count} {status}")).collect();
    if patrol.waiting > 0 {
        parts.push(format!("{} still being written", patrol.waiting));
    }
    let stand = usize::try_from(patrol.stand).unwrap_or(usize::MAX);
    let verdict = match total - stand.min(total) {
        0 => paint(GOOD, "all are what they say"),
        wrong => paint(BAD, &format!("{wrong} aren't what they say")),
    };
    let parts = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
    format!("{}{parts}: {verdict}", count(total, "claim"))
}

fn claim(verdict: &ClaimVerdict, all: bool) -> Vec<String> {
    let claimed = verdict.claimed.as_deref().map_or_else(|| "nothing readable".to_owned(), safe);
    let style = if verdict.stands() { GOOD } else { BAD };
    let status = paint(style, &verdict.status);
    let name = paint(WORD, &safe(&verdict.claim));
    let mut out = vec![if verdict.stands() {
        format!("{name} is {status}, as it says")
    } else {
        format!("{name} claims {claimed} and is {status}")
    }];
    out.extend(problems(&verdict.problems, &|_| None));
    // Where no reason rejects, what isn't known is why it isn't done.
    let explain = !verdict.stands() && verdict.problems.is_empty();
    let conditions =
        verdict.conditions.iter().filter(|condition| all || (explain && condition.result != "pass"));
    out.extend(conditions.map(line));
    if let Some(rung) = &verdict.broken_rung {
        out.push(format!("  the rung that broke: {}", safe(rung)));
    }
    for action in &verdict.pending_actions {
        let action = action.as_str().map_or_else(|| action.to_string(), str::to_owned);
        out.push(format!("  to do: {}", safe(&action)));
    }
    out
}

fn line(condition: &Condition) -> String {
    let style = match condition.result.as_str() {
        "pass" => GOOD,
        "fail" => BAD,
        _ => CARE,
    };
    let result = paint(style, &safe(&condition.result));
    format!("  {} {result}: {} ({})", safe(&condition.id), safe(&condition.detail), safe(&condition.source))
}

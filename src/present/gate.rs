//! The gate's answer for a person: what was claimed, what was seen, what to do.

use super::text::{count, safe, safe_bytes};
use super::theme::{BAD, CARE, GOOD, WORD, paint};
use crate::judge::gate::{self, Gate, Outcome, Seen};
use crate::observe::facts::{ChangeSource, Diff};

/// How many changed files are named.
const NAMED: usize = 10;

/// The answer in lines; the first is the verdict.
#[must_use]
pub fn gate(gate: &Gate, all: bool) -> Vec<String> {
    let mut out = vec![headline(gate)];
    let diff_word = match &gate.diff {
        Diff::Unknown(_) => CARE,
        Diff::Known(changed) if changed.files.is_empty() => BAD,
        Diff::Known(_) => GOOD,
    };
    out.push(format!("  {}   {}", paint(diff_word, "diff"), safe(&diff(&gate.diff))));
    out.extend(files(&gate.diff, all));
    let tests_word = match gate.tests.seen {
        Seen::Green => GOOD,
        Seen::Red => BAD,
        Seen::Inconclusive(_) => CARE,
    };
    let reason = match gate.tests.seen {
        Seen::Inconclusive(reason) => format!(" [{}]", reason.word()),
        Seen::Green | Seen::Red => String::new(),
    };
    out.push(format!("  {}  {}{reason}", paint(tests_word, "tests"), safe(&gate.tests.says)));
    out.extend(gate.failures.iter().map(|failure| format!("    {}", safe(failure))));
    out.extend(next(gate).into_iter().map(|next| format!("next: {next}")));
    out
}

fn headline(gate: &Gate) -> String {
    let policy = gate.policy.word();
    match gate.outcome {
        Outcome::Pass if is_unsaid(gate) => {
            format!(
                "gate {}: nothing seen speaks against it, and not everything could be seen",
                paint(GOOD, "passes")
            )
        }
        Outcome::Pass => {
            format!("gate {}: something changed, and the tests are not red", paint(GOOD, "passes"))
        }
        Outcome::Block(reason) => {
            format!(
                "gate {}: done was claimed, and what was seen says otherwise [{}]",
                paint(BAD, "blocks"),
                reason.word()
            )
        }
        Outcome::Inconclusive => {
            format!(
                "gate {}: not everything could be seen, and the policy is {policy}",
                paint(CARE, "is inconclusive")
            )
        }
    }
}

fn is_unsaid(gate: &Gate) -> bool {
    matches!(gate.diff, Diff::Unknown(_)) || matches!(gate.tests.seen, Seen::Inconclusive(_))
}

fn diff(diff: &Diff) -> String {
    match diff {
        Diff::Unknown(unknown) if unknown.base.is_empty() => {
            format!("{} [{}]", unknown.says, unknown.reason.word())
        }
        Diff::Unknown(unknown) => format!("{}: {} [{}]", unknown.base, unknown.says, unknown.reason.word()),
        Diff::Known(changed) if changed.files.is_empty() => format!("nothing changed {}", gate::since(diff)),
        Diff::Known(changed) => {
            let by = |source: &ChangeSource| {
                let count = changed.count(*source);
                (count > 0 && *source != ChangeSource::SinceBaseline)
                    .then(|| format!("{count} {}", source.word()))
            };
            let by: Vec<_> = ChangeSource::ALL.iter().filter_map(by).collect();
            let by = if by.is_empty() { String::new() } else { format!(" ({})", by.join(", ")) };
            format!("{} changed {}{by}", count(changed.files.len(), "file"), gate::since(diff))
        }
    }
}

fn files(diff: &Diff, all: bool) -> Vec<String> {
    let Diff::Known(changed) = diff else { return Vec::new() };
    let most = if all { usize::MAX } else { NAMED };
    let mut out: Vec<_> =
        changed.files.keys().take(most).map(|path| format!("    {}", safe_bytes(path))).collect();
    if changed.files.len() > out.len() {
        out.push(format!("    … and {} more", changed.files.len() - out.len()));
    }
    out
}

/// What to do; none where there is nothing to do.
fn next(gate: &Gate) -> Option<String> {
    let word = |text| paint(WORD, text);
    Some(match (gate.outcome, gate.tests.seen, &gate.diff) {
        (Outcome::Pass, ..) => return None,
        (Outcome::Block(gate::Blocked::EmptyDiff), ..) => {
            "do the work; if it went to an ignored file or another repository, the gate can't see it there"
                .to_owned()
        }
        (Outcome::Block(_), ..) => {
            format!("make the tests pass, then {}", word("verify green, or run your tests again"))
        }
        (Outcome::Inconclusive, _, Diff::Unknown(_)) => {
            format!(
                "name the commit that the run began at: {}, or begin with {}",
                word("--base SHA"),
                word("verify begin")
            )
        }
        (Outcome::Inconclusive, ..) => {
            format!(
                "run the tests: {}, or name their results with {}",
                word("verify green"),
                word("--test-results FILE")
            )
        }
    })
}

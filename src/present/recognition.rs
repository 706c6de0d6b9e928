//! Whether a spec is already satisfied, for a person: what was claimed, what was seen, what to do.

use super::text::{cut, safe};
use super::theme::{BAD, CARE, GOOD, paint};
use crate::judge::recognition::{Recognition, Requirement, Status, Suite, Verdict};

/// The ways out, which every answer ends with.
pub const WAYS_OUT: &str = "to rebuild everything: make the spec anew (--action generate); to extend it: change the spec, then --action update";

/// How wide a claim is shown.
const WIDTH: usize = 200;

/// The answer in lines; the first is the verdict, the last the ways out. `why` is what more is known of the reason.
#[must_use]
pub fn recognition(answer: &Recognition, why: &str) -> Vec<String> {
    let counts = format!("{} of {} requirements met", answer.met, answer.total);
    let more = if why.is_empty() { String::new() } else { format!(": {}", safe(why)) };
    let mut out = vec![match answer.verdict {
        Verdict::Done => format!("{}: {counts}; there is nothing to build", paint(GOOD, "done")),
        Verdict::Incomplete(reason) => {
            format!("{}: {counts}; {}{more} [{}]", paint(BAD, "incomplete"), reason.says(), reason.word())
        }
        Verdict::Inconclusive(reason) => {
            format!("{}: {counts}; {}{more} [{}]", paint(CARE, "inconclusive"), reason.says(), reason.word())
        }
    }];
    out.extend(answer.suite.map(|suite| format!("  checks, run just now: {}", says(suite))));
    if let Some(claim) = &answer.claim {
        if !claim.summary.is_empty() {
            out.push(format!("  claimed by the judge: {}", cut(&safe(&claim.summary), WIDTH)));
        }
        out.extend(claim.requirements.iter().map(requirement));
    }
    out.extend(answer.uncovered.iter().map(|title| format!("  not judged  {}", safe(title))));
    if matches!(answer.verdict, Verdict::Incomplete(_)) && !answer.unmet.is_empty() {
        let unmet: Vec<_> = answer.unmet.iter().map(|title| safe(title)).collect();
        out.push(format!("to build: {}", unmet.join("; ")));
    }
    out.push(WAYS_OUT.to_owned());
    out
}

const fn says(suite: Suite) -> &'static str {
    match suite {
        Suite::Green => "green",
        Suite::Red => "red",
        Suite::Absent => "there are none, so that evidence has to be there for each requirement",
    }
}

fn requirement(requirement: &Requirement) -> String {
    let status = match requirement.status {
        Status::Met => paint(GOOD, "met       "),
        Status::Unmet => paint(BAD, "unmet     "),
        Status::Uncertain => paint(CARE, "uncertain "),
    };
    let evidence = match (requirement.evidence.is_empty(), requirement.evidence_exists) {
        (true, _) => String::new(),
        (false, true) => format!("  ({})", cut(&safe(&requirement.evidence), WIDTH)),
        (false, false) => format!("  ({}, which isn't there)", cut(&safe(&requirement.evidence), WIDTH)),
    };
    format!("  {status}  {}{evidence}", safe(&requirement.title))
}

/// The summary of a spec that is satisfied, as Markdown.
#[must_use]
pub fn summary(answer: &Recognition, at: &str) -> String {
    let claim = answer.claim.as_ref();
    let mut text = format!(
        "# The spec is satisfied\n\nChecked at {at}. {} of {} requirements are met. Checks, run just now: {}.\n",
        answer.met,
        answer.total,
        answer.suite.map_or("not run", says)
    );
    if let Some(claim) = claim.filter(|claim| !claim.summary.is_empty()) {
        text += &format!("\nThe judge says: {}\n", inline(&claim.summary));
    }
    text += "\n## Evidence\n\n";
    for requirement in claim.into_iter().flat_map(|claim| &claim.requirements) {
        let evidence = match (requirement.evidence.is_empty(), requirement.evidence_exists) {
            (true, _) => "none cited".to_owned(),
            (false, true) => inline(&requirement.evidence),
            (false, false) => format!("{} (no such place in a file)", inline(&requirement.evidence)),
        };
        text += &format!("- {}: {}, {evidence}\n", requirement.status.word(), inline(&requirement.title));
    }
    text += &format!(
        "\nThis is a floor: the checks pass, and a judge found each requirement in the code.\n\n{WAYS_OUT}\n"
    );
    text
}

/// Text from outside within a line of Markdown.
fn inline(text: &str) -> String {
    let mut out = String::new();
    for sign in safe(text).chars() {
        if matches!(sign, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|') {
            out.push('\\');
        }
        out.push(sign);
    }
    out
}

//! 2: the gates, and 6: who graded.

use std::collections::BTreeSet;

use super::asked::Findings;
use super::{Case, ConditionId, Source};
use crate::judge::Code;
use crate::observe::facts::claims::{Audit, Claim, Dialect, GateWord, Passed};

/// What stands against a gate.
enum Against {
    /// It never ran, as far as the claim says.
    Missing(String),
    /// Its score or verdict is missing.
    Unscored(String),
    /// It wasn't passed, or the claim contradicts itself.
    Refused(String),
    /// Its verdict is a word that isn't known.
    Unclear(String),
}

/// 2: each required gate ran, scored at or over its threshold, has a satisfied verdict, and stands in `gates_passed`.
pub(super) fn gates(case: Case<'_>, found: &mut Findings) {
    const ID: ConditionId = ConditionId::Gates;
    let by_brief = case.brief.is_some_and(|brief| !brief.gates_required.is_empty());
    let required = required(case);
    let Some(audit) = &case.claim.audit else {
        if !by_brief {
            return found.unknown(ID, Source::Claim, "no gate is asked for", false);
        }
        if case.dialect == Dialect::Documented {
            for gate in &required {
                found.absence(
                    Code::GateMissing,
                    format!("the gate `{gate}` is required, and there is no audit"),
                );
            }
        }
        return found.unknown(ID, Source::Brief, "there is no audit", true);
    };
    let named = match &audit.passed {
        Some(Passed::Named(gates)) => gates.as_slice(),
        _ => &[],
    };
    // What a claim says was passed has to be so, asked for or not.
    let judged: BTreeSet<&str> = required.iter().copied().chain(named.iter().map(String::as_str)).collect();
    let against: Vec<Against> = judged
        .iter()
        .filter_map(|gate| against(gate, audit, threshold(case, gate)))
        .chain(required.iter().filter_map(|gate| left_out(gate, audit)))
        .collect();
    let mut refused = None;
    let mut open = None;
    for against in against {
        match against {
            Against::Missing(why) => {
                found.absence(Code::GateMissing, why.clone());
                open.get_or_insert(why);
            }
            Against::Unscored(why) => {
                found.absence(Code::ScoresMissing, why.clone());
                open.get_or_insert(why);
            }
            Against::Refused(why) => {
                found.lie(Code::VerdictContradictsScore, why.clone());
                refused.get_or_insert(why);
            }
            Against::Unclear(why) => {
                open.get_or_insert(why);
            }
        }
    }
    match (refused, open) {
        (Some(why), _) => found.fail(ID, Source::Claim, why),
        (None, Some(why)) => found.unknown(ID, Source::Claim, why, true),
        (None, None) if judged.is_empty() => found.unknown(ID, Source::Claim, "no gate is asked for", false),
        (None, None) => found.pass(ID, Source::Claim, format!("{} scored enough", all(&judged))),
    }
}

/// What the brief requires; where it requires nothing, what the claim says was required.
fn required(case: Case<'_>) -> Vec<&str> {
    let by_brief = case.brief.map(|brief| brief.gates_required.as_slice()).filter(|gates| !gates.is_empty());
    let by_claim = case.claim.audit.as_ref().map(|audit| audit.required.as_slice());
    by_brief.or(by_claim).unwrap_or_default().iter().map(String::as_str).collect()
}

/// The least score: an audit's, else the brief's, else the one for all.
fn threshold<'c>(case: Case<'c>, gate: &str) -> Result<f64, &'c str> {
    let by_brief = case.brief.and_then(|brief| brief.thresholds.get(gate)).map(|least| Ok(*least));
    let by_audit =
        case.thresholds.audits.get(gate).map(|least| least.as_ref().copied().map_err(String::as_str));
    by_audit.or(by_brief).unwrap_or(Ok(case.thresholds.default))
}

fn against(gate: &str, audit: &Audit, threshold: Result<f64, &str>) -> Option<Against> {
    let passed = audit.passed(gate);
    let score = audit.scores.get(gate);
    if score.is_none() && passed != Some(true) && !audit.verdicts.contains_key(gate) {
        return Some(Against::Missing(format!("the gate `{gate}` is required, and it didn't run")));
    }
    let Some(score) = score else {
        return Some(Against::Unscored(format!("the gate `{gate}` has no score")));
    };
    let threshold = match threshold {
        Ok(threshold) => threshold,
        Err(why) => {
            return Some(Against::Unclear(format!("the audit of the gate `{gate}` can't be read: {why}")));
        }
    };
    if *score < threshold {
        let said = match (audit.verdict_of(gate), passed) {
            (Some(GateWord::Satisfied), _) => ", and its verdict says that it is satisfied",
            (_, Some(true)) => ", and `gates_passed` names it",
            _ => "",
        };
        return Some(Against::Refused(format!(
            "the gate `{gate}` scored {score}, under its threshold of {threshold}{said}"
        )));
    }
    match audit.verdict_of(gate) {
        Some(GateWord::Satisfied) => {}
        Some(GateWord::Refused) => {
            return Some(Against::Refused(format!("the gate `{gate}` was refused, with a score of {score}")));
        }
        Some(GateWord::Unknown(word)) => {
            return Some(Against::Unclear(format!(
                "the gate `{gate}` has the verdict `{word}`, which isn't known"
            )));
        }
        None => return Some(Against::Unscored(format!("the gate `{gate}` has a score and no verdict"))),
    }
    match passed {
        Some(true) => None,
        Some(false) => {
            Some(Against::Missing(format!("the gate `{gate}` is required, and `gates_passed` lacks it")))
        }
        None => {
            Some(Against::Missing(format!("the gate `{gate}` is required, and there is no `gates_passed`")))
        }
    }
}

/// What the claim says was required can't be less than what is.
fn left_out(gate: &str, audit: &Audit) -> Option<Against> {
    let says_otherwise = !audit.required.is_empty() && !audit.required.iter().any(|said| said == gate);
    let ran = audit.scores.contains_key(gate) && audit.passed(gate) == Some(true);
    (says_otherwise && ran).then(|| {
        Against::Missing(format!("the gate `{gate}` is required, and the claim's `gates_required` lacks it"))
    })
}

fn all(gates: &BTreeSet<&str>) -> String {
    gates.iter().map(|gate| format!("`{gate}`")).collect::<Vec<_>>().join(", ")
}

/// 6: the grader is not the executor.
pub(super) fn independent_grader(claim: &Claim, found: &mut Findings) {
    const ID: ConditionId = ConditionId::IndependentGrader;
    let graders = claim.audit.as_ref().map(|audit| audit.graders.as_slice()).unwrap_or_default();
    let workers = [claim.executor.as_deref(), claim.session.as_deref()];
    let same = |one: &str, two: &str| one.trim().eq_ignore_ascii_case(two.trim());
    let own = graders.iter().find(|grader| workers.into_iter().flatten().any(|worker| same(grader, worker)));
    if let Some(grader) = own {
        let why = format!("`{grader}` did the work and graded it");
        found.lie(Code::SelfGraded, why.clone());
        found.fail(ID, Source::Claim, why);
    } else if graders.is_empty() {
        found.unknown(ID, Source::Claim, "nobody is named who graded", false);
    } else if workers.iter().all(Option::is_none) {
        found.unknown(ID, Source::Claim, "nobody is named who did the work", false);
    } else {
        found.pass(ID, Source::Claim, format!("graded by `{}`", graders.join("`, `")));
    }
}

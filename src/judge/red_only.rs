//! A check that is red alone leaves its cases to others: a green check of its repository and format has to show each
//! of them passed.

use redgreen_parsers::Report;

use super::inventory::{InventoryCase, unseen};
use super::{Code, Problem, say};
use crate::plan::{Check, Phase, Plan};

/// The checks that are red alone, each with the green checks that may show its cases.
pub fn red_only(plan: &Plan) -> impl Iterator<Item = (&Check, Vec<&Check>)> {
    let alone = plan.checks_in(Phase::Red).filter(|check| !check.phases.contains(&Phase::Green));
    alone.map(|check| {
        let same = |green: &&Check| {
            green.repository == check.repository
                && green.parsers.iter().any(|parser| check.parsers.contains(parser))
        };
        (check, plan.checks_in(Phase::Green).filter(same).collect())
    })
}

/// The cases of this red-only check that no green check shows passed. `reports` are all that those checks showed.
#[must_use]
pub fn vanished_with_its_check(
    check: &Check,
    others: &[&Check],
    inventory: &[InventoryCase],
    passed_in_red: &[String],
    reports: &[&Report],
) -> Vec<Problem> {
    let by = match others {
        [] => format!("no green check reads the format of {}; give it a green phase", say::quote(&check.id)),
        others => {
            let ids: Vec<_> = others.iter().map(|other| say::quote(&other.id)).collect();
            format!(
                "of {}, which is red alone, and {} didn't show it passed",
                say::quote(&check.id),
                ids.join(", ")
            )
        }
    };
    let message = |case: &InventoryCase| format!("{} failed in red: {by}", say::quote(&case.id));
    unseen(inventory, passed_in_red, reports)
        .into_iter()
        .map(|case| Problem::new(Code::RedCaseVanished, message(case)))
        .collect()
}

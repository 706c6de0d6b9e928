//! `[[outcomes]]`

use super::checks::Checks;
use super::values::Ids;
use crate::plan::fault::{Faults, quoted};
use crate::plan::model::{Outcome, Phase};
use crate::plan::node::Fields;

pub(super) fn read(root: Fields<'_>, checks: &Checks, faults: &mut Faults<'_>) -> Vec<Outcome> {
    let mut ids = Ids::default();
    let mut outcomes = Vec::new();
    for fields in root.tables("outcomes", &["id", "text", "checks"], faults) {
        let Some(id) = ids.take(fields, "id", faults) else { continue };
        let text = fields.get("text").and_then(|node| node.text(faults)).unwrap_or(id);
        let Some(node) = fields.get("checks") else {
            faults
                .add(fields.at, format!("no check proves the outcome {}; name them in `checks`", quoted(id)));
            continue;
        };
        let Some(names) = node.texts(faults) else { continue };
        let (mut unknown, mut proven) = (false, false);
        for (name, at) in &names {
            match checks.phases(name) {
                Some(phases) => proven |= phases.contains(&Phase::Green),
                None => {
                    unknown = true;
                    faults.unknown(*at, "check", name, checks.ids());
                }
            }
        }
        if !proven && !unknown {
            let why = format!("no check with a green phase proves the outcome {}", quoted(id));
            faults.add(node.at, why);
        }
        outcomes.push(Outcome {
            id: id.to_owned(),
            text: text.to_owned(),
            checks: names.into_iter().map(|(name, _)| name.to_owned()).collect(),
        });
    }
    outcomes
}

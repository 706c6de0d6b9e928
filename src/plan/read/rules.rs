//! `[[rules]]` and `[secrets]`

use super::repositories::Repositories;
use super::values::{Ids, by_repository, choice, words};
use crate::plan::fault::Faults;
use crate::plan::model::{Level, Rule};
use crate::plan::node::Fields;
use crate::plan::patterns::pattern;

pub(super) fn rules(root: Fields<'_>, repositories: &Repositories, faults: &mut Faults<'_>) -> Vec<Rule> {
    let mut ids = Ids::default();
    let mut rules = Vec::new();
    for fields in root.tables("rules", &["id", "pattern", "paths", "level", "message"], faults) {
        let id = ids.take(fields, "id", faults);
        let pattern = fields.required("pattern", faults).and_then(|node| match pattern(node.text(faults)?) {
            Ok(pattern) => Some(pattern),
            Err(bad) => {
                faults.add(node.at, bad.to_string());
                None
            }
        });
        let paths = fields.get("paths").map(|node| by_repository(node, repositories, faults));
        let levels = [("blocking", Level::Blocking), ("advisory", Level::Advisory)];
        let level = choice(fields, "level", levels, faults);
        let message = fields.get("message").and_then(|node| node.text(faults)).unwrap_or_default();
        if let (Some(id), Some(pattern)) = (id, pattern) {
            rules.push(Rule { id: id.to_owned(), pattern, paths, level, message: message.to_owned() });
        }
    }
    rules
}

/// Fingerprints of findings that are none.
pub(super) fn allowed(root: Fields<'_>, faults: &mut Faults<'_>) -> Vec<String> {
    let fields = root.table("secrets", &["allow"], faults);
    fields.map(|fields| words(fields, "allow", faults)).unwrap_or_default()
}

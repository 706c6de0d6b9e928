//! `[[rules]]`, `[[parsers]]`: read and validated, and refused until something acts on them.

use std::collections::BTreeSet;

use super::repositories::Repositories;
use super::values::{Ids, by_repository, relative_path};
use crate::plan::fault::{Faults, quoted};
use crate::plan::node::Fields;
use crate::plan::patterns::pattern;
use redgreen_parsers::Format;

/// The names that these tables give, for others to refer to.
#[derive(Debug, Default)]
pub(super) struct Later {
    pub(super) parsers: BTreeSet<String>,
}

/// Refuses a key that nothing acts on yet: accepting it would promise what isn't done.
pub(super) fn refuse(fields: Fields<'_>, key: &str, why: &str, faults: &mut Faults<'_>) {
    if let Some(entry) = fields.entry(key) {
        faults.add(entry.key_at, format!("{why}; leave {} out", quoted(key)));
    }
}

pub(super) fn read(root: Fields<'_>, repositories: &Repositories, faults: &mut Faults<'_>) -> Later {
    let later = Later { parsers: parsers(root, faults) };
    rules(root, repositories, faults);
    later
}

fn rules(root: Fields<'_>, repositories: &Repositories, faults: &mut Faults<'_>) {
    let mut ids = Ids::default();
    for fields in root.tables("rules", &["id", "pattern", "paths", "level", "message"], faults) {
        faults.add(fields.at, "not yet: rules aren't applied; leave `[[rules]]` out");
        ids.take(fields, "id", faults);
        if let Some(node) = fields.required("pattern", faults)
            && let Some(Err(bad)) = node.text(faults).map(pattern)
        {
            faults.add(node.at, bad.to_string());
        }
        if let Some(node) = fields.get("paths") {
            by_repository(node, repositories, faults);
        }
        if let Some(node) = fields.get("level") {
            node.word(&[("blocking", ()), ("advisory", ())], faults);
        }
        if let Some(node) = fields.get("message") {
            node.text(faults);
        }
    }
}

fn parsers(root: Fields<'_>, faults: &mut Faults<'_>) -> BTreeSet<String> {
    let (mut ids, mut names) = (Ids::default(), BTreeSet::new());
    for fields in root.tables("parsers", &["name", "grammar"], faults) {
        faults.add(fields.at, "not yet: grammars of your own can't be loaded; leave `[[parsers]]` out");
        if let Some(name) = ids.take(fields, "name", faults) {
            if Format::find(name).is_some() || Format::is_announced(name) {
                let at = fields.get("name").map_or(fields.at, |node| node.at);
                faults.add(at, format!("{} is the word of a format already", quoted(name)));
            }
            names.insert(name.to_owned());
        }
        if let Some(node) = fields.required("grammar", faults) {
            relative_path(node, false, faults);
        }
    }
    names
}

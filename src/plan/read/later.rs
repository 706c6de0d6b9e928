//! `[[parsers]]`: read and validated, and refused until something acts on them.

use std::collections::BTreeSet;

use super::values::{Ids, relative_path};
use crate::plan::fault::{Faults, quoted};
use crate::plan::node::Fields;
use redgreen_parsers::Format;

/// The names that these tables give, for others to refer to.
#[derive(Debug, Default)]
pub(super) struct Later {
    pub(super) parsers: BTreeSet<String>,
}

pub(super) fn read(root: Fields<'_>, faults: &mut Faults<'_>) -> Later {
    Later { parsers: parsers(root, faults) }
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

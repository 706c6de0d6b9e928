//! `[[services]]`, `[[parsers]]`: read and validated, and refused until something acts on them.

use std::collections::BTreeSet;

use super::run;
use super::values::{Ids, relative_path};
use crate::plan::fault::{Faults, quoted};
use crate::plan::node::Fields;
use crate::plan::patterns::pattern;
use redgreen_parsers::Format;

/// The names that these tables give, for others to refer to.
#[derive(Debug, Default)]
pub(super) struct Later {
    pub(super) services: BTreeSet<String>,
    pub(super) parsers: BTreeSet<String>,
}

/// Refuses a key that nothing acts on yet: accepting it would promise what isn't done.
pub(super) fn refuse(fields: Fields<'_>, key: &str, why: &str, faults: &mut Faults<'_>) {
    if let Some(entry) = fields.entry(key) {
        faults.add(entry.key_at, format!("{why}; leave {} out", quoted(key)));
    }
}

pub(super) fn read(root: Fields<'_>, faults: &mut Faults<'_>) -> Later {
    Later { services: services(root, faults), parsers: parsers(root, faults) }
}

fn services(root: Fields<'_>, faults: &mut Faults<'_>) -> BTreeSet<String> {
    let (mut ids, mut names) = (Ids::default(), BTreeSet::new());
    for fields in root.tables("services", &["id", "command", "argv", "ready", "timeout"], faults) {
        faults.add(fields.at, "not yet: services can't be started; leave `[[services]]` out");
        names.extend(ids.take(fields, "id", faults).map(str::to_owned));
        run::command(fields, faults);
        if let Some(node) = fields.get("timeout") {
            run::duration(node, faults);
        }
        let Some(ready) = fields.required("ready", faults) else { continue };
        let known = &["pattern", "tcp", "http", "file"];
        let Some(ready) = Fields::open(ready, known, faults) else { continue };
        let given: Vec<_> = known.iter().filter_map(|key| ready.get(key)).collect();
        if given.len() != 1 {
            faults.add(ready.at, "`ready` takes one of `pattern`, `tcp`, `http`, `file`");
        }
        for node in given {
            node.text(faults);
        }
        if let Some(node) = ready.get("pattern")
            && let Some(Err(bad)) = node.text(faults).map(pattern)
        {
            faults.add(node.at, bad.to_string());
        }
    }
    names
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

//! `[repositories.ID]`

use std::collections::BTreeMap;

use super::values::{relative_path, well_formed_id};
use crate::plan::fault::{Faults, quoted};
use crate::plan::model::{Access, Repository};
use crate::plan::node::{Fields, Node, Value};
use crate::plan::source::Place;

/// The repositories of a plan, by id.
#[derive(Debug)]
pub(super) struct Repositories(BTreeMap<String, Repository>);

/// Reads the repositories. Without any, the plan's own folder is the only one, and may be written.
pub(super) fn read(root: Fields<'_>, folder_name: &str, faults: &mut Faults<'_>) -> Repositories {
    let mut found = BTreeMap::new();
    let mut paths: BTreeMap<String, &str> = BTreeMap::new();
    let entries = match root.get("repositories") {
        Some(Node { value: Value::Table(entries), .. }) => entries.as_slice(),
        Some(node) => {
            node.wrong("a table of repositories", faults);
            &[]
        }
        None => &[],
    };
    for entry in entries {
        well_formed_id(&entry.key, entry.key_at, faults);
        let Some(fields) = Fields::open(&entry.node, &["path", "access"], faults) else { continue };
        let path = fields.get("path").and_then(|node| relative_path(node, true, faults));
        let path = path.unwrap_or_else(|| ".".to_owned());
        if let Some(other) = paths.insert(plain(&path), &entry.key) {
            let at = fields.get("path").map_or(entry.key_at, |node| node.at);
            faults.add(at, format!("the repository {} has this path already", quoted(other)));
        }
        let access = [("write", Access::Write), ("read", Access::Read)];
        let access =
            fields.get("access").and_then(|node| node.word(&access, faults)).unwrap_or(Access::Write);
        let id = entry.key.clone();
        found.insert(id.clone(), Repository { id, path, access });
    }
    if found.is_empty() {
        let id = default_id(folder_name);
        found.insert(id.clone(), Repository { id, path: ".".to_owned(), access: Access::Write });
    }
    Repositories(found)
}

/// A path without the parts that change nothing.
fn plain(path: &str) -> String {
    let parts: Vec<_> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    parts.join("/")
}

/// The folder's name as an id: lower-case, other signs as `-`.
pub(super) fn default_id(folder_name: &str) -> String {
    let sign = |char: char| match char.to_ascii_lowercase() {
        plain @ ('a'..='z' | '0'..='9' | '.' | '_' | '-') => plain,
        _ => '-',
    };
    let id: String = folder_name.chars().map(sign).collect();
    let id: String = id.trim_start_matches(['.', '_', '-']).chars().take(64).collect();
    if id.is_empty() { "repository".to_owned() } else { id }
}

impl Repositories {
    pub(super) fn into_list(self) -> Vec<Repository> {
        self.0.into_values().collect()
    }

    pub(super) fn access(&self, id: &str) -> Option<Access> {
        self.0.get(id).map(|repository| repository.access)
    }

    pub(super) fn any_writable(&self) -> bool {
        self.0.values().any(|repository| repository.access == Access::Write)
    }

    /// Says so when no repository has this id.
    pub(super) fn named(&self, id: &str, at: Place, faults: &mut Faults<'_>) {
        if !self.0.contains_key(id) {
            faults.unknown(at, "repository", id, self.0.keys().map(String::as_str));
        }
    }

    /// The repository of a check: the one that it names, else the only one.
    pub(super) fn of_check(&self, check: Fields<'_>, faults: &mut Faults<'_>) -> String {
        if let Some(node) = check.get("repository") {
            let Some(id) = node.text(faults) else { return String::new() };
            self.named(id, node.at, faults);
            return id.to_owned();
        }
        let mut ids = self.0.keys();
        match (ids.next(), ids.next()) {
            (Some(only), None) => only.clone(),
            _ => {
                let ids: Vec<_> = self.0.keys().take(10).map(|id| quoted(id)).collect();
                let which = format!("the key `repository` is missing; it is one of {}", ids.join(", "));
                faults.add(check.at, which);
                String::new()
            }
        }
    }
}

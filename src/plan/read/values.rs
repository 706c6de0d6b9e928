//! Values that several tables share.

use std::collections::{BTreeMap, HashMap};

use super::repositories::Repositories;
use crate::plan::fault::{Faults, quoted};
use crate::plan::model::Access;
use crate::plan::node::{Fields, Node, Value};
use crate::plan::paths::{ByRepository, PathSet};
use crate::plan::source::Place;

/// The ids of one kind of table; each may stand there once.
#[derive(Debug, Default)]
pub(super) struct Ids<'n> {
    seen: HashMap<&'n str, Place>,
}

impl<'n> Ids<'n> {
    /// The id of a table, under its key. `None` when it is missing or wrong; a fault says so.
    pub(super) fn take(&mut self, fields: Fields<'n>, key: &str, faults: &mut Faults<'_>) -> Option<&'n str> {
        let node = fields.required(key, faults)?;
        let id = node.text(faults)?;
        well_formed_id(id, node.at, faults);
        if let Some(first) = self.seen.insert(id, node.at) {
            let first = faults.whereabouts(first);
            faults.add(node.at, format!("{} is taken already, at {first}", quoted(id)));
        }
        Some(id)
    }
}

/// Says what an id may look like when this one doesn't.
pub(super) fn well_formed_id(id: &str, at: Place, faults: &mut Faults<'_>) {
    if !is_id(id) {
        let rule = "an id is 1 to 64 of `a-z`, `0-9`, `.`, `_`, `-` and starts with a letter or a digit";
        faults.add(at, format!("{} is no id: {rule}", quoted(id)));
    }
}

fn is_id(id: &str) -> bool {
    let mut bytes = id.bytes();
    let starts = bytes.next().is_some_and(|first| first.is_ascii_lowercase() || first.is_ascii_digit());
    starts
        && id.len() <= 64
        && bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-".contains(&byte))
}

/// The texts under a key, none of them empty; none when it isn't there.
pub(super) fn words(fields: Fields<'_>, key: &str, faults: &mut Faults<'_>) -> Vec<String> {
    let Some(texts) = fields.get(key).and_then(|node| node.texts(faults)) else { return Vec::new() };
    for (text, at) in &texts {
        if text.trim().is_empty() {
            faults.add(*at, "this is empty");
        }
    }
    texts.into_iter().map(|(text, _)| text.to_owned()).collect()
}

/// The globs under a key; none when it isn't there.
pub(super) fn globs(fields: Fields<'_>, key: &str, faults: &mut Faults<'_>) -> PathSet {
    fields.get(key).map_or_else(PathSet::none, |node| path_set(node, faults))
}

/// A list of globs.
fn path_set(node: &Node, faults: &mut Faults<'_>) -> PathSet {
    let Some(texts) = node.texts(faults) else { return PathSet::none() };
    let mut good = Vec::new();
    for (glob, at) in texts {
        match PathSet::new([glob]) {
            Ok(_) => good.push(glob),
            Err(bad) => faults.add(at, format!("the glob {} can't be used: {}", quoted(glob), bad.why)),
        }
    }
    match PathSet::new(good) {
        Ok(set) => set,
        Err(bad) => {
            faults.add(node.at, format!("these globs can't be used together: {}", bad.why));
            PathSet::none()
        }
    }
}

/// A list of globs, or one for each repository that is named.
pub(super) fn by_repository(
    node: &Node,
    repositories: &Repositories,
    faults: &mut Faults<'_>,
) -> ByRepository {
    match &node.value {
        Value::List(_) => return ByRepository::All(path_set(node, faults)),
        Value::Table(entries) => {
            let mut sets = BTreeMap::new();
            for entry in entries {
                repositories.named(&entry.key, entry.key_at, faults);
                sets.insert(entry.key.clone(), path_set(&entry.node, faults));
            }
            return ByRepository::Each(sets);
        }
        _ => {}
    }
    let _: Option<()> = node.expected("a list of globs, or `{ repository = list }`", faults);
    ByRepository::All(PathSet::none())
}

/// Globs that a stage may write: none in a repository that is only read.
pub(super) fn writable(node: &Node, repositories: &Repositories, faults: &mut Faults<'_>) -> ByRepository {
    let writes = by_repository(node, repositories, faults);
    if let Value::Table(entries) = &node.value {
        for entry in entries {
            if repositories.access(&entry.key) == Some(Access::Read) {
                let message = format!("the repository {} has `access = \"read\"`", quoted(&entry.key));
                faults.add(entry.key_at, format!("{message}; no stage may write in it"));
            }
        }
    }
    let some = matches!(&writes, ByRepository::All(set) if !set.is_empty());
    if some && !repositories.any_writable() {
        faults.add(node.at, "every repository has `access = \"read\"`; no stage may write in them");
    }
    writes
}

/// One of a few words; the first is meant when the key isn't there.
pub(super) fn choice<T: Copy, const N: usize>(
    fields: Fields<'_>,
    key: &str,
    words: [(&'static str, T); N],
    faults: &mut Faults<'_>,
) -> T {
    const { assert!(N > 0) };
    fields.get(key).and_then(|node| node.word(&words, faults)).unwrap_or(words[0].1)
}

/// No system passes a NUL byte to a program.
pub(super) fn no_nul(text: &str, at: Place, faults: &mut Faults<'_>) {
    if text.contains('\0') {
        faults.add(at, "a NUL byte can't be passed to a program");
    }
}

/// Names of environment variables.
pub(super) fn variable_name(name: &str, at: Place, faults: &mut Faults<'_>) {
    if name.is_empty() || name.contains(|char: char| char == '=' || char.is_whitespace() || char.is_control())
    {
        faults.add(at, format!("{} is no name of an environment variable", quoted(name)));
    }
}

/// A path that has to be relative. Whether it may leave where it starts is the caller's to say.
pub(super) fn relative_path(node: &Node, may_leave: bool, faults: &mut Faults<'_>) -> Option<String> {
    let path = node.text(faults)?;
    no_nul(path, node.at, faults);
    if path.trim().is_empty() {
        faults.add(node.at, "this path is empty; `.` is the folder itself");
    } else if path.starts_with('/') || path.starts_with('\\') || matches!(path.get(1..3), Some(":\\" | ":/"))
    {
        faults.add(node.at, format!("the path {} is absolute; write it relative", quoted(path)));
    } else if !may_leave && leaves(path) {
        faults.add(node.at, format!("the path {} leaves the repository's `path`", quoted(path)));
    }
    Some(path.to_owned())
}

/// Whether a path climbs above its start anywhere on its way.
fn leaves(path: &str) -> bool {
    let mut depth = 0_usize;
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if depth == 0 => return true,
            ".." => depth -= 1,
            _ => depth += 1,
        }
    }
    false
}

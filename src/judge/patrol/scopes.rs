//! Scopes that overlap: two sessions that may write the same file.

use std::collections::BTreeMap;

use super::owned::{is_glob, plain};
use crate::observe::facts::claims::Scope;
use crate::plan::PathSet;

/// Two sessions that own the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Overlap {
    /// The first session.
    pub first: String,
    /// The second one.
    pub second: String,
    /// What each of them says: path, folder or glob.
    pub owned: (String, String),
}

/// The first overlap of each two sessions, in order.
#[must_use]
pub fn overlaps(scopes: &[Scope]) -> Vec<Overlap> {
    let mut all: Vec<(&str, String, String)> = Vec::new();
    let mut by_place: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for scope in scopes {
        for owned in &scope.files_owned {
            let owned = plain(owned);
            let place = fixed(&owned).to_owned();
            by_place.entry(place.clone()).or_default().push(all.len());
            all.push((&scope.session, owned, place));
        }
    }
    let mut found: BTreeMap<(&str, &str), Overlap> = BTreeMap::new();
    for (at, (session, owned, place)) in all.iter().enumerate() {
        // Two overlap only where the fixed part of one lies at or above that of the other.
        for above in above(place) {
            for other in by_place.get(above).into_iter().flatten().filter(|other| **other != at) {
                let (second, theirs, _) = &all[*other];
                if session != second && touch(owned, theirs) {
                    let (first, second, owned) = if *session <= *second {
                        (*session, *second, (owned.clone(), theirs.clone()))
                    } else {
                        (*second, *session, (theirs.clone(), owned.clone()))
                    };
                    found.entry((first, second)).or_insert_with(|| Overlap {
                        first: first.to_owned(),
                        second: second.to_owned(),
                        owned,
                    });
                }
            }
        }
    }
    found.into_values().collect()
}

/// The folder before the first sign of a pattern; of a plain path all of it.
fn fixed(owned: &str) -> &str {
    match owned.find(['*', '?', '[', '{']) {
        None => owned,
        Some(at) => owned
            .get(..at)
            .and_then(|before| before.rfind('/'))
            .and_then(|end| owned.get(..end))
            .unwrap_or(""),
    }
}

/// A path and every folder above it, the root as nothing.
fn above(path: &str) -> impl Iterator<Item = &str> {
    let folders =
        path.char_indices().rev().filter(|(_, sign)| *sign == '/').filter_map(|(at, _)| path.get(..at));
    std::iter::once(path).chain(folders).chain((!path.is_empty()).then_some(""))
}

/// Whether a file may be owned by both.
fn touch(one: &str, two: &str) -> bool {
    match (is_glob(one), is_glob(two)) {
        (false, false) => is_above(one, two) || is_above(two, one),
        (true, false) => matches(one, two) || is_above(two, fixed(one)),
        (false, true) => matches(two, one) || is_above(one, fixed(two)),
        // Nothing says that two patterns share no file, except the ends of the names that they ask for.
        (true, true) => match (ending(one), ending(two)) {
            (Some(one), Some(two)) => one == two,
            _ => true,
        },
    }
}

fn is_above(folder: &str, path: &str) -> bool {
    folder.is_empty()
        || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn matches(glob: &str, path: &str) -> bool {
    PathSet::new([glob]).is_ok_and(|set| set.matches(path.as_bytes()))
}

/// What every name that a pattern matches ends in: `.rs` of `src/**/*.rs`.
fn ending(glob: &str) -> Option<&str> {
    let at = glob.rfind(['*', '?', ']', '}'])?;
    glob.get(at + 1..).filter(|ending| ending.starts_with('.') && !ending.contains('/'))
}

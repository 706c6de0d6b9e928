//! `influence-*`: what steers the runner is what it was at red. Tests inside product files are judged here too, as
//! frozen tests.

use std::collections::BTreeMap;

use bstr::BString;

use super::{Guarded, show};
use crate::judge::findings::Findings;
use crate::judge::{Code, Problem};
use crate::observe::facts::{ChangeKind, EntryKind, Influence, RepositoryFacts, Weight};

/// A change of something that was frozen beside the tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InfluenceChange<'a> {
    /// As it is now; when it is gone, as it was.
    pub of: &'a Influence,
    /// How it changed.
    pub kind: ChangeKind,
}

pub(super) fn judge(guarded: &Guarded<'_>, now: &RepositoryFacts, found: &mut Findings) {
    let is_allowed =
        |path: &BString| now.below_path(path).is_some_and(|path| guarded.plan.freeze.allow.matches(path));
    for local in now.local_runners.iter().filter(|local| !is_allowed(&local.path)) {
        found.reject(Code::InfluenceIsLocal, || {
            let message = format!(
                "{} takes the runner `{}` from `{}`, a path that anybody can write to; take it from the registry{}",
                show(&local.path),
                local.package,
                local.version,
                way_out(now, &local.path)
            );
            Problem::new(Code::InfluenceIsLocal, message).on(&now.id, local.path.clone())
        });
    }
    let Some(frozen) = guarded.frozen else { return };
    let none = Vec::new();
    let then = frozen.influence.get(&now.id).unwrap_or(&none);
    for change in influence_changes(then, &now.influence) {
        let path = &change.of.entry.path;
        let code = code_of(change);
        let what = match change.kind {
            ChangeKind::Added => "is new",
            ChangeKind::Deleted => "is gone",
            _ => "was changed",
        };
        let name = match &change.of.slice {
            Some(slice) => format!("`{slice}` in {}", show(path)),
            None => show(path),
        };
        match change.of.weight {
            Weight::Steers if is_allowed(path) => {}
            Weight::Steers => found.reject(code, || {
                let message =
                    format!("{name} {what} since red, and it steers the runner; put it back{}", way_out(now, path));
                Problem::new(code, message).on(&now.id, path.clone())
            }),
            Weight::Shared => found.note(code, || {
                let message = format!("{name} {what} since red; it steers the product, and the runner too");
                Problem::new(code, message).on(&now.id, path.clone())
            }),
            Weight::Inline => found.reject(code, || {
                let message = format!(
                    "the frozen test {name} {what} since red; put it back, or take the tests anew with `verify red \
                     --rebind --reason TEXT`"
                );
                Problem::new(code, message).on(&now.id, path.clone())
            }),
        }
    }
}

/// How a message ends: the line for the plan, and that a rebind costs nothing.
fn way_out(now: &RepositoryFacts, path: &BString) -> String {
    let rebind = "`verify red --rebind --reason TEXT` takes it as it is, and unchanged checks keep their red";
    match now.below_path(path).map(|path| glob_of(&path.to_owned().into())) {
        Some(glob) => format!(", or let it change with `allow = [{glob}]` under `[freeze]`; {rebind}"),
        // Globs start at the repository's `path`, and can't name what lies above it.
        None => format!("; {rebind}"),
    }
}

/// A glob that means this path alone, as TOML.
fn glob_of(path: &BString) -> String {
    let path = path.to_string();
    let mut glob = String::new();
    for sign in path.chars() {
        if "*?[]{}\\".contains(sign) {
            glob.push('\\');
        }
        glob.push(sign);
    }
    // As a debug string it has TOML's escapes, but for those of control characters.
    if glob.contains('\\') && !glob.contains('\'') { format!("'{glob}'") } else { format!("{glob:?}") }
}

const fn code_of(change: InfluenceChange<'_>) -> Code {
    match (change.of.weight, change.kind) {
        (Weight::Shared, _) => Code::InfluenceShared,
        (Weight::Inline, ChangeKind::Added) => Code::FrozenAdded,
        (Weight::Inline, ChangeKind::Deleted) => Code::FrozenDeleted,
        (Weight::Inline, _) => Code::FrozenEdited,
        (Weight::Steers, ChangeKind::Added) => Code::InfluenceAdded,
        (Weight::Steers, ChangeKind::Deleted) => Code::InfluenceDeleted,
        (Weight::Steers, _) => Code::InfluenceChanged,
    }
}

/// How what was frozen beside the tests differs from what it was, in order of path and slice.
#[must_use]
pub fn influence_changes<'a>(then: &'a [Influence], now: &'a [Influence]) -> Vec<InfluenceChange<'a>> {
    let mut both: BTreeMap<_, (Option<&Influence>, Option<&Influence>)> = BTreeMap::new();
    for was in then {
        both.entry((&was.entry.path, &was.slice)).or_default().0 = Some(was);
    }
    for is in now {
        both.entry((&is.entry.path, &is.slice)).or_default().1 = Some(is);
    }
    let change = |(was, is): (Option<&'a Influence>, Option<&'a Influence>)| match (was, is) {
        (None, None) => None,
        (Some(of), None) => Some(InfluenceChange { of, kind: ChangeKind::Deleted }),
        (None, Some(of)) => Some(InfluenceChange { of, kind: ChangeKind::Added }),
        (Some(was), Some(of)) => differs(was, of).map(|kind| InfluenceChange { of, kind }),
    };
    both.into_values().filter_map(change).collect()
}

fn differs(was: &Influence, is: &Influence) -> Option<ChangeKind> {
    let link = |of: &Influence| of.entry.kind == EntryKind::Link;
    match () {
        () if link(was) != link(is) => Some(ChangeKind::Link),
        () if was.entry.sha256 != is.entry.sha256 => Some(ChangeKind::Edited),
        () if is.slice.is_none() && !link(is) && was.entry.mode != is.entry.mode => Some(ChangeKind::Mode),
        () => None,
    }
}

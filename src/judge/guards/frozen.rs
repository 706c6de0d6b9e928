//! `frozen-*`: the tests are the ones that red saw fail. Modes are compared to the bit.

use std::collections::HashMap;

use bstr::{BString, ByteSlice};

use super::{Guarded, show};
use crate::judge::findings::Findings;
use crate::judge::{Code, Problem};
use crate::observe::facts::{ChangeKind, Entry, EntryKind, FileChange, RepositoryFacts};

pub(super) fn judge(guarded: &Guarded<'_>, now: &RepositoryFacts, found: &mut Findings) {
    refused(guarded, now, found);
    let Some(frozen) = guarded.frozen else {
        return;
    };
    let none = Vec::new();
    let then = frozen.repositories.get(&now.id).unwrap_or(&none);
    for change in frozen_changes(then, &now.frozen) {
        let code = code_of(change.kind);
        found.reject(code, || {
            let what = match change.kind {
                ChangeKind::Added => "was added",
                ChangeKind::Edited => "was edited",
                ChangeKind::Deleted => "was deleted",
                ChangeKind::Mode => "got other permissions",
                ChangeKind::Link => "became a link, was one, or points elsewhere",
                ChangeKind::Case => "changed the case of its letters",
            };
            let message = format!(
                "the frozen {} {what} since red; put it back, or take the tests anew with `verify red --rebind \
                 --reason TEXT`",
                show(&change.path)
            );
            Problem::new(code, message).on(&now.id, change.path.clone())
        });
    }
}

/// What can't be frozen is refused before red as well as after it: a test must not rest on it.
fn refused(guarded: &Guarded<'_>, now: &RepositoryFacts, found: &mut Findings) {
    for (path, why) in &now.frozen_refused {
        found.reject(Code::FrozenRefused, || {
            let message = format!("{} can't be frozen: {why}", show(path));
            Problem::new(Code::FrozenRefused, message).on(&now.id, path.clone())
        });
    }
    for path in &now.special {
        let is_test =
            now.below_path(path).is_some_and(|path| guarded.plan.freeze.test_paths.matches(&now.id, path));
        if !is_test {
            found.note(Code::LeftOut, || {
                let message =
                    format!("{} is no file (a FIFO, socket or device) and was not opened", show(path));
                Problem::new(Code::LeftOut, message).on(&now.id, path.clone())
            });
        } else if now.frozen_refused.iter().all(|(refused, _)| refused != path) {
            found.reject(Code::FrozenRefused, || {
                let message = format!("{} can't be frozen: it is a FIFO, socket or device", show(path));
                Problem::new(Code::FrozenRefused, message).on(&now.id, path.clone())
            });
        }
    }
    for (one, other) in &now.collisions {
        found.note(Code::FrozenCase, || {
            let (one, other) = (show(one), show(other));
            let message = format!("{one} and {other} are one file where case or Unicode form doesn't count");
            Problem::new(Code::FrozenCase, message).on(&now.id, None)
        });
    }
}

const fn code_of(change: ChangeKind) -> Code {
    match change {
        ChangeKind::Added => Code::FrozenAdded,
        ChangeKind::Edited => Code::FrozenEdited,
        ChangeKind::Deleted => Code::FrozenDeleted,
        ChangeKind::Mode => Code::FrozenMode,
        ChangeKind::Link => Code::FrozenLink,
        ChangeKind::Case => Code::FrozenCase,
    }
}

/// How frozen files differ from what was frozen, in order of the paths. A file that is gone and one whose name
/// differs from it in case alone are one change.
#[must_use]
pub fn frozen_changes(then: &[Entry], now: &[Entry]) -> Vec<FileChange> {
    let before: HashMap<&BString, &Entry> = then.iter().map(|entry| (&entry.path, entry)).collect();
    let after: HashMap<&BString, &Entry> = now.iter().map(|entry| (&entry.path, entry)).collect();
    let mut changes = Vec::new();
    // Several names may be one where case doesn't count.
    let mut gone: HashMap<Vec<u8>, Vec<&BString>> = HashMap::new();
    for old in then {
        match after.get(&old.path) {
            None => gone.entry(old.path.to_lowercase()).or_default().push(&old.path),
            Some(new) => {
                if let Some(kind) = change(old, new) {
                    changes.push(FileChange { path: old.path.clone(), kind });
                }
            }
        }
    }
    for new in now.iter().filter(|new| !before.contains_key(&new.path)) {
        let kind = match gone.get_mut(&new.path.to_lowercase()).and_then(Vec::pop) {
            Some(_) => ChangeKind::Case,
            None => ChangeKind::Added,
        };
        changes.push(FileChange { path: new.path.clone(), kind });
    }
    for path in gone.into_values().flatten() {
        changes.push(FileChange { path: path.clone(), kind: ChangeKind::Deleted });
    }
    changes.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    changes
}

fn change(old: &Entry, new: &Entry) -> Option<ChangeKind> {
    let link = old.kind == EntryKind::Link || new.kind == EntryKind::Link;
    if link && (old.kind != new.kind || old.sha256 != new.sha256) {
        return Some(ChangeKind::Link);
    }
    if old.sha256 != new.sha256 {
        return Some(ChangeKind::Edited);
    }
    // The bits of a link mean nothing, and differ between systems.
    (!link && (old.kind != new.kind || old.mode != new.mode)).then_some(ChangeKind::Mode)
}

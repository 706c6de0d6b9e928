//! `outside-scope`, `read-only-edited`: a stage writes where it may.

use bstr::BString;

use super::{Guarded, Scope, show, views};
use crate::judge::findings::Findings;
use crate::judge::{Code, Problem};
use crate::observe::facts::{FileChange, RepositoryFacts};
use crate::plan::{Access, Stage};

pub(super) fn judge(guarded: &Guarded<'_>, now: &RepositoryFacts, found: &mut Findings) {
    hidden(now, found);
    let Some(repository) = guarded.plan.repository(&now.id) else {
        return;
    };
    let exempt = |path: &BString| {
        !guarded.owns(now, path)
            || guarded.is_plan_file(now, path)
            || guarded.may_be_written_by_a_check(now, path)
    };
    match repository.access {
        // A read-only repository is as it was at the start of the task, whichever stage edited it.
        Access::Read => {
            let Some(then) = guarded.baseline.repositories.get(&now.id) else {
                return;
            };
            for change in now.map.changes_since(&then.map).iter().filter(|change| !exempt(&change.path)) {
                found.reject(Code::ReadOnlyEdited, || {
                    let message = format!(
                        "{} is {}, and the repository `{}` is `access = \"read\"`",
                        show(&change.path),
                        in_words(change),
                        now.id
                    );
                    Problem::new(Code::ReadOnlyEdited, message).on(&now.id, change.path.clone())
                });
            }
        }
        Access::Write => {
            let Some((writers, why)) = writers(guarded) else {
                return;
            };
            let Some(start) = guarded.start(&now.id) else {
                return;
            };
            for change in now.map.changes_since(start) {
                let path = &change.path;
                if is_allowed(guarded, now, path, &writers) || exempt(path) || guarded.is_frozen(now, path) {
                    continue;
                }
                found.reject(Code::OutsideScope, || {
                    let message = format!("{} is {}, and {why}", show(path), in_words(&change));
                    Problem::new(Code::OutsideScope, message).on(&now.id, path.clone())
                });
            }
        }
    }
}

/// The stages whose `writes` count, and why others may not; `None`: everything may be written.
fn writers<'a>(guarded: &Guarded<'a>) -> Option<(Vec<&'a Stage>, String)> {
    match guarded.scope {
        Scope::Stage { id, .. } => {
            guarded.plan.stage(id).map(|stage| (vec![stage], format!("the stage `{id}` may not write it")))
        }
        Scope::Delivery if guarded.plan.stages.is_empty() => None,
        Scope::Delivery => {
            Some((guarded.plan.stages.iter().collect(), "no stage of the plan writes there".to_owned()))
        }
    }
}

/// Whether one of these stages may write a file, under the name of any repository that may be written.
fn is_allowed(guarded: &Guarded<'_>, now: &RepositoryFacts, path: &BString, writers: &[&Stage]) -> bool {
    views(guarded.now, now, path).any(|view| {
        let repository = guarded.plan.repository(&view.of.id);
        repository.is_some_and(|repository| repository.access == Access::Write)
            && view
                .below()
                .is_some_and(|path| writers.iter().any(|stage| stage.writes.matches(&view.of.id, path)))
    })
}

fn in_words(change: &FileChange) -> &'static str {
    use crate::observe::facts::ChangeKind as Kind;
    match change.kind {
        Kind::Added => "added",
        Kind::Edited => "edited",
        Kind::Deleted => "deleted",
        Kind::Mode => "changed in its mode",
        Kind::Link => "changed as a link",
        Kind::Case => "renamed",
    }
}

/// A new line in an ignore file hides nothing from a task that began without it.
fn hidden(now: &RepositoryFacts, found: &mut Findings) {
    for path in &now.hidden_by_new_rule {
        found.note(Code::HiddenByNewRule, || {
            let message =
                format!("{} counts, though an ignore rule made during the task would hide it", show(path));
            Problem::new(Code::HiddenByNewRule, message).on(&now.id, path.clone())
        });
    }
}

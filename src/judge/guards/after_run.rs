//! `check-changed-files`, `touched-during-run`, `tree-moved`: the files that a check ran on are the files that its evidence
//! is bound to.

use std::collections::BTreeSet;

use bstr::ByteSlice as _;

use super::{Guards, may_write, show};
use crate::judge::findings::Findings;
use crate::judge::frozen::Maps;
use crate::judge::{Code, Problem};
use crate::observe::facts::{ChangeKind, FileChange, RepositoryFacts, Touch};
use crate::plan::Check;

/// What changed, or was written and holds the same again, while these checks ran, but for what they may write.
#[must_use]
pub fn after_run(before: &[RepositoryFacts], after: &[RepositoryFacts], ran: &[&Check]) -> Guards {
    let mut found = Findings::default();
    let who = match ran {
        [one] => format!("the check `{}`", one.id),
        _ => "one of the checks".to_owned(),
    };
    for facts in after {
        let Some(before) = before.iter().find(|before| before.id == facts.id) else { continue };
        let changes = facts.map.changes_since(&before.map);
        for change in &changes {
            if may_write(ran, after, facts, &change.path) {
                continue;
            }
            found.reject(Code::CheckChangedFiles, || {
                let message = format!(
                    "{who} {} {}; {}",
                    in_words(change.kind),
                    show(&change.path),
                    way_out(change, ran.len())
                );
                Problem::new(Code::CheckChangedFiles, message).on(&facts.id, change.path.clone())
            });
        }
        let changed: BTreeSet<_> = changes.iter().map(|change| change.path.as_bstr()).collect();
        for (path, touch) in facts.stamps.touched_since(&before.stamps) {
            if !changed.contains(path) && !may_write(ran, after, facts, &path.to_owned()) {
                touched(&who, facts, path, touch, &mut found);
            }
        }
    }
    let (problems, notes) = found.into_parts();
    Guards { problems, notes }
}

fn touched(who: &str, facts: &RepositoryFacts, path: &bstr::BStr, touch: Touch, found: &mut Findings) {
    let path_text = show(path);
    let say = |message: String| Problem::new(Code::TouchedDuringRun, message).on(&facts.id, path.to_owned());
    match touch {
        Touch::Written => found.reject(Code::TouchedDuringRun, || {
            say(format!(
                "{path_text} was written or exchanged while {who} ran, and holds the same again; find what writes it, or \
                 name it in the check's `may_write`"
            ))
        }),
        Touch::OnlyChanged => found.note(Code::TouchedDuringRun, || {
            say(format!(
                "the change time of {path_text} moved while {who} ran, and nothing else of it: a `chmod` does that, and so \
                 does an edit that was put back with its times"
            ))
        }),
    }
}

/// What changed while nothing of ours ran: between two checks, or before the record is written.
#[must_use]
pub fn tree_moved(before: &Maps, after: &[RepositoryFacts]) -> Vec<Problem> {
    let mut found = Findings::default();
    for (facts, change) in changes(before, after) {
        found.reject(Code::TreeMoved, || {
            let message = format!(
                "something {} {} in between; run again when nothing else writes here",
                in_words(change.kind),
                show(&change.path)
            );
            Problem::new(Code::TreeMoved, message).on(&facts.id, change.path.clone())
        });
    }
    found.into_parts().0
}

fn changes<'f>(before: &Maps, after: &'f [RepositoryFacts]) -> Vec<(&'f RepositoryFacts, FileChange)> {
    let mut changes = Vec::new();
    for facts in after {
        if let Some(before) = before.get(&facts.id) {
            changes.extend(facts.map.changes_since(before).into_iter().map(|change| (facts, change)));
        }
    }
    changes
}

const fn in_words(change: ChangeKind) -> &'static str {
    match change {
        ChangeKind::Added => "wrote",
        ChangeKind::Edited => "changed",
        ChangeKind::Deleted => "deleted",
        ChangeKind::Mode => "changed the mode of",
        ChangeKind::Link => "changed the link",
        ChangeKind::Case => "renamed",
    }
}

/// The way on depends on what kind of file it is; its name tells.
fn way_out(change: &FileChange, ran: usize) -> &'static str {
    let name = change.path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let ends = |end: &[u8]| name.ends_with(end);
    if ran > 1 {
        "run it with `--jobs 1` to see which"
    } else if ends(b".lock") || name == b"package-lock.json" || name == b"go.sum" || ends(b"lock.yaml") {
        "a lock file that was out of date: run once more, or name it in the check's `may_write`"
    } else if ends(b".snap") || ends(b".snap.new") || ends(b".ambr") || ends(b".verified.txt") {
        "write snapshots before red, and run the check so that it writes none (`--ci`)"
    } else if change.kind == ChangeKind::Added {
        "if the run leaves it behind, add it to `[guard] ignore` and rebind, or have git ignore it and `verify begin \
         --fresh`"
    } else {
        "if it may, name it in the check's `may_write`"
    }
}

//! `check-changed-files`, `tree-moved`: the files that a check ran on are the files that its evidence is bound to.

use super::{may_write, show};
use crate::judge::findings::Findings;
use crate::judge::frozen::Maps;
use crate::judge::{Code, Problem};
use crate::observe::facts::{ChangeKind, FileChange, RepositoryFacts};
use crate::plan::Check;

/// What changed while these checks ran, but for what they may write.
#[must_use]
pub fn after_run(before: &Maps, after: &[RepositoryFacts], ran: &[&Check]) -> Vec<Problem> {
    let mut found = Findings::default();
    for (facts, change) in changes(before, after) {
        if may_write(ran, after, facts, &change.path) {
            continue;
        }
        found.reject(Code::CheckChangedFiles, || {
            let who = match ran {
                [one] => format!("the check `{}`", one.id),
                _ => "one of the checks".to_owned(),
            };
            let message = format!(
                "{who} {} {}; {}",
                in_words(change.kind),
                show(&change.path),
                way_out(&change, ran.len())
            );
            Problem::new(Code::CheckChangedFiles, message).on(&facts.id, change.path.clone())
        });
    }
    found.into_parts().0
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

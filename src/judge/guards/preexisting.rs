//! `preexisting-touched`: what somebody had changed before the task is still as they left it.

use super::{Guarded, show};
use crate::judge::findings::Findings;
use crate::judge::frozen::Preexisting;
use crate::judge::{Code, Problem};
use crate::observe::facts::RepositoryFacts;
use crate::plan::Plan;

pub(super) fn judge(guarded: &Guarded<'_>, now: &RepositoryFacts, found: &mut Findings) {
    let Some(then) = guarded.baseline.repositories.get(&now.id) else {
        return;
    };
    // Where there is no commit yet everything is uncommitted, and nobody's edits stand apart from the rest.
    if then.git.as_ref().is_some_and(|git| git.head.is_none()) {
        return;
    }
    for change in then.preexisting.iter().filter(|change| !change.adopted) {
        let path = &change.path;
        let untouched = now.map.get(path).map(|entry| entry.sha256) == change.sha256;
        // The plan has a rule of its own, and is often not committed yet when a task begins.
        if untouched
            || !guarded.owns(now, path)
            || guarded.is_plan_file(now, path)
            || guarded.may_be_written_by_a_check(now, path)
        {
            continue;
        }
        found.reject(Code::PreexistingTouched, || {
            let message = format!(
                "{} had changes before the task and differs from them now; put it back, or commit it before \
                 `verify begin`, or take it into the task with `verify begin --adopt`",
                show(path)
            );
            Problem::new(Code::PreexistingTouched, message).on(&now.id, path.clone())
        });
    }
}

/// The changes from before the task that it may have to touch: those below a stage's `writes` or `test_paths`. They
/// are to be committed or adopted before the task goes on.
#[must_use]
pub fn to_adopt<'p>(
    plan: &Plan,
    now: &RepositoryFacts,
    preexisting: &'p [Preexisting],
) -> Vec<&'p Preexisting> {
    let wanted = |path: &[u8]| {
        plan.freeze.test_paths.matches(&now.id, path)
            || plan.stages.iter().any(|stage| stage.writes.matches(&now.id, path))
    };
    let open = preexisting.iter().filter(|change| !change.adopted);
    open.filter(|change| now.below_path(&change.path).is_some_and(wanted)).collect()
}

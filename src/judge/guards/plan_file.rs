//! `plan-changed`: the plan is the one that the task took.

use super::Guarded;
use crate::judge::findings::Findings;
use crate::judge::{Code, Problem};

pub(super) fn judge(guarded: &Guarded<'_>, found: &mut Findings) {
    let file = guarded.plan_file;
    if file.taken == file.now {
        return;
    }
    found.reject(Code::PlanChanged, || {
        let message = "the plan isn't the one that this task took; put it back, or take the new one with \
                       `verify red --rebind --reason TEXT`";
        Problem { place: file.place.cloned(), ..Problem::new(Code::PlanChanged, message) }
    });
}

//! `head-moved`, `branch-moved`, `index-moved`, `index-flag-set`, `sparse-changed`, `worktree-moved`,
//! `nested-repository-changed`: git is where it was when the task began, and looks where it looked.

use bstr::BString;

use super::{Guarded, show};
use crate::digest::Sha256;
use crate::judge::findings::Findings;
use crate::judge::{Code, Problem};
use crate::observe::facts::{GitFacts, RepositoryFacts};
use crate::plan::HeadPolicy;

pub(super) fn judge(guarded: &Guarded<'_>, now: &RepositoryFacts, found: &mut Findings) {
    let Some(then) = guarded.baseline.repositories.get(&now.id) else {
        return;
    };
    nested(&then.nested, now, found);
    match (&then.git, &now.git) {
        (None, None) => {}
        (Some(then), Some(now_git)) => {
            if guarded.plan.guard.head == HeadPolicy::Fixed {
                moved(&now.id, then, now_git, found);
            }
            flags(&now.id, then, now_git, found);
            modes(&now.id, then, now_git, found);
            sparse(&now.id, then, now_git, found);
            work_tree(&now.id, then, now_git, found);
        }
        (Some(_), None) => found.reject(Code::HeadMoved, || {
            problem(&now.id, Code::HeadMoved, "git was here when the task began and is gone".to_owned())
        }),
        // Commits count as the task's where HEAD may move, and the first is no exception.
        (None, Some(_)) if guarded.plan.guard.head == HeadPolicy::MayAdvance => {}
        (None, Some(_)) => found.reject(Code::HeadMoved, || {
            let message = format!("there was no git here when the task began; {LINE}");
            problem(&now.id, Code::HeadMoved, message)
        }),
    }
}

const LINE: &str = "if the task may commit, say `head = \"may-advance\"` under `[guard]`";

fn moved(id: &str, then: &GitFacts, now: &GitFacts, found: &mut Findings) {
    if then.head != now.head {
        found.reject(Code::HeadMoved, || {
            let name = |head: &Option<String>| head.clone().unwrap_or_else(|| "no commit".to_owned());
            let message = format!("HEAD moved from {} to {}; {LINE}", name(&then.head), name(&now.head));
            problem(id, Code::HeadMoved, message)
        });
    }
    if then.branch != now.branch {
        found.reject(Code::BranchMoved, || {
            let name =
                |branch: &Option<String>| branch.clone().unwrap_or_else(|| "a detached HEAD".to_owned());
            let message =
                format!("the branch was {} and is {}; {LINE}", name(&then.branch), name(&now.branch));
            problem(id, Code::BranchMoved, message)
        });
    }
    if then.index != now.index {
        found.reject(Code::IndexMoved, || {
            problem(id, Code::IndexMoved, format!("what is staged changed since the task began; {LINE}"))
        });
    }
}

/// Flags that hide an edit from git have no power here, since bytes are read anyway. Who sets one during the task
/// wants something hidden all the same.
fn flags(id: &str, then: &GitFacts, now: &GitFacts, found: &mut Findings) {
    // The digest of no flag at all is that of no bytes.
    let hiding = |facts: &GitFacts| facts.index_flags.filter(|flags| *flags != Sha256::of(b""));
    let Some(flags) = hiding(now) else {
        return;
    };
    if hiding(then) == Some(flags) {
        found.note(Code::IndexFlagSet, || {
            let message = "the index hides edits of some files from git since before the task; they are read all the same";
            problem(id, Code::IndexFlagSet, message.to_owned())
        });
    } else {
        found.reject(Code::IndexFlagSet, || {
            let message = "flags in the index that hide edits from git changed during the task; undo them with \
                           `git update-index --no-assume-unchanged --no-skip-worktree PATH`";
            problem(id, Code::IndexFlagSet, message.to_owned())
        });
    }
}

/// `core.fileMode=false` hides execute bits from git as the flags hide edits.
fn modes(id: &str, then: &GitFacts, now: &GitFacts, found: &mut Findings) {
    if !now.modes_ignored {
        return;
    }
    if then.modes_ignored {
        found.note(Code::IndexFlagSet, || {
            let message = "`core.fileMode=false` hides execute bits from git since before the task; they are read all the same";
            problem(id, Code::IndexFlagSet, message.to_owned())
        });
    } else {
        found.reject(Code::IndexFlagSet, || {
            let message = "`core.fileMode` was turned off during the task and hides execute bits from git; `git config \
                           --unset core.fileMode`, or set it to true";
            problem(id, Code::IndexFlagSet, message.to_owned())
        });
    }
}

/// What a sparse checkout leaves out isn't in the work tree, where everybody sees that it isn't. Changed during the task,
/// it takes files away that nobody deleted.
fn sparse(id: &str, then: &GitFacts, now: &GitFacts, found: &mut Findings) {
    if now.sparse == then.sparse {
        if now.sparse.is_some() {
            found.note(Code::SparseChanged, || {
                let message =
                    "this is a sparse checkout since before the task; what it leaves out is not looked at";
                problem(id, Code::SparseChanged, message.to_owned())
            });
        }
        return;
    }
    found.reject(Code::SparseChanged, || {
        let message = "which files a sparse checkout holds changed during the task; put it back with `git \
                       sparse-checkout set` or `disable`";
        problem(id, Code::SparseChanged, message.to_owned())
    });
}

fn work_tree(id: &str, then: &GitFacts, now: &GitFacts, found: &mut Findings) {
    let Some(elsewhere) = now.elsewhere.as_ref().filter(|_| now.elsewhere != then.elsewhere) else {
        return;
    };
    found.reject(Code::WorktreeMoved, || {
        let message = format!(
            "`core.worktree` leads git to `{elsewhere}` since the task began; `git config --unset core.worktree`"
        );
        problem(id, Code::WorktreeMoved, message)
    });
}

/// The files of a nested repository are files like others here, but git passes over them.
fn nested(then: &[BString], now: &RepositoryFacts, found: &mut Findings) {
    let at = |path: &BString, message: String| {
        Problem::new(Code::NestedRepositoryChanged, message).on(&now.id, path.clone())
    };
    for path in &now.nested {
        if then.contains(path) {
            found.note(Code::NestedRepositoryChanged, || {
                at(path, format!("{} is a repository of its own since before the task", show(path)))
            });
        } else {
            found.reject(Code::NestedRepositoryChanged, || {
                at(path, format!("{} became a repository of its own during the task", show(path)))
            });
        }
    }
    for path in then.iter().filter(|path| !now.nested.contains(path)) {
        found.reject(Code::NestedRepositoryChanged, || {
            at(path, format!("{} was a repository of its own when the task began", show(path)))
        });
    }
}

fn problem(id: &str, code: Code, message: String) -> Problem {
    Problem::new(code, message).on(id, None)
}

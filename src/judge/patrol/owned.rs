//! 4: which files a claim's commits touch, and 8: whether those commits are what it says.

use std::cell::OnceCell;

use bstr::{BStr, BString, ByteSlice as _};

use super::asked::Findings;
use super::claim::{found_commits, is_unreadable};
use super::{Case, ConditionId, Source};
use crate::judge::Code;
use crate::observe::facts::claims::CommitState;
use crate::plan::PathSet;

/// How many paths are named.
const NAMED: usize = 5;

/// 4: what lies between the base and the claim's commit is what the brief gives away.
pub(super) fn ownership(case: Case<'_>, found: &mut Findings) {
    const ID: ConditionId = ConditionId::Ownership;
    if case.brief.is_some_and(is_unreadable) {
        return found.unknown(ID, Source::Brief, "the brief can't be read", true);
    }
    let Some(brief) = case.brief.filter(|brief| !brief.files_owned.is_empty()) else {
        return found.unknown(ID, Source::Brief, "no brief says which files are owned", false);
    };
    let owned = Owned::new(&brief.files_owned);
    let mut outside: Vec<&BString> = Vec::new();
    let mut looked = false;
    for (_, is) in found_commits(case.seen) {
        if let CommitState::Found { changed: Ok(changed), .. } = is {
            looked = true;
            outside.extend(changed.iter().filter(|path| !owned.holds(path.as_bstr())));
        }
    }
    outside.sort_unstable();
    outside.dedup();
    if !outside.is_empty() {
        let why = format!("{} outside `files_owned`: {}", files(outside.len()), names(&outside));
        found.lie(Code::OutsideOwnedFiles, format!("the claim's commit touches {why}"));
        found.fail(ID, Source::Observed, why);
    } else if !looked {
        found.unknown(ID, Source::Observed, "no commit of the claim could be looked at", true);
    } else if brief.base.is_none() {
        found.pass(
            ID,
            Source::Observed,
            "only owned files; the brief has no base, so the commit alone was looked at",
        );
    } else {
        found.pass(ID, Source::Observed, "only owned files were touched");
    }
}

/// 8: a git artifact names a commit that exists, descends from the brief's base and changes files.
pub(super) fn commit(case: Case<'_>, found: &mut Findings) {
    const ID: ConditionId = ConditionId::Commit;
    let base = case.brief.and_then(|brief| brief.base.as_deref());
    let asked = base.is_some() || case.brief.is_some_and(is_unreadable);
    if case.seen.commits.is_empty() {
        if base.is_some() {
            found.absence(
                Code::CommitUnknown,
                "the brief has a base, and no git artifact of the claim names a commit",
            );
        }
        return found.unknown(ID, Source::Claim, "no git artifact names a commit", asked);
    }
    let (mut wrong, mut open) = (None, None);
    for commit in &case.seen.commits {
        let name = &commit.name;
        match &commit.is {
            CommitState::Unseen(why) => {
                open.get_or_insert_with(|| format!("`{name}` can't be looked at: {why}"));
            }
            CommitState::Missing => {
                let why = format!("there is no commit `{name}`");
                found.lie(Code::CommitUnknown, why.clone());
                wrong.get_or_insert(why);
            }
            CommitState::Found { descends: Some(false), .. } => {
                let why =
                    format!("`{name}` doesn't descend from the brief's base `{}`", base.unwrap_or_default());
                found.lie(Code::CommitNotDescendant, why.clone());
                wrong.get_or_insert(why);
            }
            CommitState::Found { changed: Err(why), .. } => {
                open.get_or_insert_with(|| why.clone());
            }
            CommitState::Found { changed: Ok(changed), .. } if changed.is_empty() => {
                let why = format!("`{name}` changes no file");
                found.lie(Code::CommitEmpty, why.clone());
                wrong.get_or_insert(why);
            }
            CommitState::Found { .. } => {}
        }
    }
    match (wrong, open) {
        (Some(why), _) => found.fail(ID, Source::Observed, why),
        (None, Some(why)) => found.unknown(ID, Source::Observed, why, asked),
        (None, None) if base.is_none() => found.pass(ID, Source::Observed, "it exists and changes files"),
        (None, None) => {
            found.pass(ID, Source::Observed, "it exists, descends from the base and changes files")
        }
    }
}

/// Paths, folders and globs that somebody owns.
struct Owned {
    plain: Vec<String>,
    /// Building them costs more than all the rest of a claim, and few claims need any.
    globs: OnceCell<Vec<PathSet>>,
}

impl Owned {
    fn new(owned: &[String]) -> Self {
        Self { plain: owned.iter().map(|owned| plain(owned)).collect(), globs: OnceCell::new() }
    }

    fn holds(&self, path: &BStr) -> bool {
        // A name may hold what a glob reads as a pattern, `app/[id]/page.tsx`: it counts as both.
        self.plain.iter().any(|owned| is_below(path, owned) || is_all_below(path, owned))
            || self.globs().iter().any(|glob| glob.matches(path))
    }

    fn globs(&self) -> &[PathSet] {
        let globs = || self.plain.iter().filter(|owned| is_glob(owned) && folder(owned).is_none());
        self.globs.get_or_init(|| globs().filter_map(|glob| PathSet::new([glob.as_str()]).ok()).collect())
    }
}

/// The folder of which a pattern means all that lies below: `src` of `src/**`.
fn folder(owned: &str) -> Option<&str> {
    owned.strip_suffix("/**").filter(|folder| !folder.is_empty() && !is_glob(folder))
}

/// Whether a path lies below the folder of such a pattern.
fn is_all_below(path: &BStr, owned: &str) -> bool {
    folder(owned)
        .and_then(|folder| path.strip_prefix(folder.as_bytes()))
        .is_some_and(|rest| rest.starts_with(b"/"))
}

/// A path of `files_owned` without `./` before it and `/` after.
pub(super) fn plain(owned: &str) -> String {
    let mut path = owned.trim();
    while let Some(rest) = path.strip_prefix("./") {
        path = rest.trim_start_matches('/');
    }
    let path = path.trim_end_matches('/');
    if path == "." { String::new() } else { path.to_owned() }
}

/// Whether it is a pattern.
pub(super) fn is_glob(owned: &str) -> bool {
    owned.contains(['*', '?', '[', '{'])
}

/// Whether a path is this one or lies below it; everything lies below the empty one.
fn is_below(path: &BStr, folder: &str) -> bool {
    folder.is_empty()
        || path.strip_prefix(folder.as_bytes()).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

fn files(number: usize) -> String {
    format!("{number} file{}", if number == 1 { "" } else { "s" })
}

fn names(paths: &[&BString]) -> String {
    let mut names: Vec<String> = paths.iter().take(NAMED).map(|path| format!("`{path}`")).collect();
    if paths.len() > NAMED {
        names.push(format!("and {} more", paths.len() - NAMED));
    }
    names.join(", ")
}

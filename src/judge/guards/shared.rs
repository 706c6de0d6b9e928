//! Repositories of a plan that share files: two folders of one work tree, or one repository within another.
//!
//! Each sees such a file under a name of its own. A rule speaks of it once, for the repository whose folder is nearest;
//! what any of them allows is allowed.

use bstr::{BString, ByteSlice};

use crate::observe::facts::RepositoryFacts;
use crate::plan::{Access, Plan};

/// A file as one of the repositories names it.
#[derive(Debug)]
pub(super) struct View<'a> {
    /// Who sees it.
    pub(super) of: &'a RepositoryFacts,
    /// Below the root of that one's work tree.
    pub(super) path: BString,
}

impl View<'_> {
    /// The path as that repository's globs see it.
    pub(super) fn below(&self) -> Option<&[u8]> {
        self.of.below_path(&self.path)
    }
}

/// How every repository whose work tree holds this file of `now` names it.
pub(super) fn views<'a>(
    all: &'a [RepositoryFacts],
    now: &'a RepositoryFacts,
    path: &BString,
) -> impl Iterator<Item = View<'a>> {
    let others = all.iter().filter(|other| other.id != now.id);
    let others: Vec<_> = others
        .filter_map(|of| Some(View { of, path: below(&joined(&now.root, path), &of.root)?.into() }))
        .collect();
    std::iter::once(View { of: now, path: path.clone() }).chain(others)
}

/// The repository that a file of `now` is judged in: the one with the nearest folder around it; where no folder is, one
/// that may be written, in the nearest work tree.
pub(super) fn owner<'a>(
    plan: &Plan,
    all: &'a [RepositoryFacts],
    now: &'a RepositoryFacts,
    path: &BString,
) -> Option<&'a RepositoryFacts> {
    let rank = |view: &View<'_>| {
        let folder = view.below().map(|_| view.of.root.len() + view.of.prefix.len());
        let write = plan.repository(&view.of.id).is_some_and(|of| of.access == Access::Write);
        (folder, view.of.root.len(), write)
    };
    // The first of equals, in the order of the plan.
    let first = |view: &View<'_>| std::cmp::Reverse(all.iter().position(|of| of.id == view.of.id));
    views(all, now, path).max_by_key(|view| (rank(view), first(view))).map(|view| view.of)
}

/// A path below a folder, both absolute. `Some("")` is the folder itself.
fn below<'p>(path: &'p [u8], folder: &[u8]) -> Option<&'p [u8]> {
    let rest = path.strip_prefix(folder)?;
    if rest.is_empty() || folder.ends_with(b"/") { Some(rest) } else { rest.strip_prefix(b"/") }
}

fn joined(root: &BString, path: &BString) -> Vec<u8> {
    let end = if root.ends_with(b"/") { "" } else { "/" };
    [root.as_bytes(), end.as_bytes(), path.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::tests::world;

    fn facts(id: &str, root: &str, prefix: &str) -> RepositoryFacts {
        RepositoryFacts { root: root.into(), prefix: prefix.into(), ..world::facts(id, Vec::new()) }
    }

    /// `app` may be written, `lib` not.
    #[track_caller]
    fn check(app: (&str, &str), lib: (&str, &str), seen_by_app: &str, owned_by: &str, names: usize) {
        let all = [facts("app", app.0, app.1), facts("lib", lib.0, lib.1)];
        let path = seen_by_app.into();
        let [app, _] = &all;
        assert_eq!(views(&all, app, &path).count(), names);
        assert_eq!(owner(&world::plan(), &all, app, &path).map(|of| of.id.as_str()), Some(owned_by));
    }

    #[test]
    fn the_nearest_folder_owns_a_file() {
        check(("/a", ""), ("/b", ""), "x", "app", 1);
        check(("/a", ""), ("/ab", ""), "x", "app", 1);
        check(("/w", "app"), ("/w", "lib"), "app/x", "app", 2);
        check(("/w", "app"), ("/w", "lib"), "lib/x", "lib", 2);
        check(("/w", "app"), ("/w", "lib"), "library/x", "app", 2);
        check(("/w", ""), ("/w", "lib"), "lib/x", "lib", 2);
        check(("/w", ""), ("/w/lib", ""), "lib/x", "lib", 2);
        check(("/w", ""), ("/w/lib", ""), "lib", "lib", 2);
        check(("/w", ""), ("/w", ""), "x", "app", 2);
        check(("/", ""), ("/lib", ""), "lib/x", "lib", 2);
    }
}

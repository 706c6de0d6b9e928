//! Where Python imports a project's own modules from.
//!
//! An editable install leads to the work tree by a line in the environment's `site-packages`. What stands in
//! `PYTHONPATH` comes before that, so the same folders of the copy go there.

use std::collections::BTreeSet;

use bstr::{BString, ByteSlice as _};

use crate::observe::facts::FileMap;

/// Files that make their folder one that can be installed.
const PROJECTS: &[&[u8]] = &[b"pyproject.toml", b"setup.py", b"setup.cfg"];

/// Folders of a project that its packages often lie in.
const LAYOUTS: &[&[u8]] = &[b"src", b"lib", b"python"];

/// The folders below the root that an editable install would name, the project's own folder after those in it.
pub(super) fn import_roots(map: &FileMap) -> Vec<BString> {
    let sources = || map.entries().iter().map(|entry| &entry.path).filter(|path| path.ends_with(b".py"));
    // All that has a module below it; and all that holds a module, or a package, itself.
    let above: BTreeSet<&[u8]> = sources().flat_map(|path| folders_above(path)).collect();
    let holds = sources().filter_map(|path| match split(path) {
        (folder, b"__init__.py") => (!folder.is_empty()).then(|| split(folder).0),
        (_, b"setup.py") => None,
        (folder, _) => Some(folder),
    });
    let holds: BTreeSet<&[u8]> = holds.collect();
    let mut roots: Vec<BString> = Vec::new();
    for entry in map.entries() {
        let (folder, name) = split(&entry.path);
        if !PROJECTS.contains(&name) {
            continue;
        }
        let within = LAYOUTS.iter().map(|name| join(folder, name));
        let within = within.filter(|layout| above.contains(layout.as_slice()));
        let own = holds.contains(folder).then(|| folder.into());
        roots.extend(within.chain(own).filter(|root| !roots.contains(root)).collect::<Vec<_>>());
    }
    roots
}

fn folders_above(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.rfind_iter(b"/").filter_map(|slash| path.get(..slash))
}

/// The folder of a path, empty for the root, and its last part.
fn split(path: &[u8]) -> (&[u8], &[u8]) {
    path.rsplit_once_str(b"/").unwrap_or((b"", path))
}

fn join(folder: &[u8], name: &[u8]) -> BString {
    if folder.is_empty() { name.into() } else { [folder, b"/", name].concat().into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::Sha256;
    use crate::observe::facts::{Entry, EntryKind};

    #[track_caller]
    fn check(paths: &[&str], want: &[&str]) {
        let entry = |path: &&str| Entry {
            path: (*path).into(),
            kind: EntryKind::File,
            mode: 0o644,
            sha256: Sha256::of(b""),
        };
        let map = FileMap::new(paths.iter().map(entry).collect());
        assert_eq!(import_roots(&map), want, "{paths:?}");
    }

    #[test]
    fn roots_are_those_of_projects() {
        check(&["app.py"], &[]);
        check(&["pyproject.toml", "Cargo.toml", "src/lib.rs"], &[]);
        check(&["pyproject.toml", "src/app/__init__.py", "tests/test_a.py"], &["src"]);
        check(&["setup.py", "app/__init__.py"], &[""]);
        check(&["pyproject.toml", "src/ns/app.py", "tool.py", "app/__init__.py"], &["src", ""]);
        check(&["setup.cfg", "lib/app.py", "README"], &["lib"]);
        check(
            &["packages/a/pyproject.toml", "packages/a/src/a/b.py", "packages/b/b.py"],
            &["packages/a/src"],
        );
    }
}

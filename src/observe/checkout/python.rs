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
pub(super) fn import_roots(map: &FileMap) -> impl Iterator<Item = BString> {
    let mut roots: Vec<BString> = Vec::new();
    let modules: BTreeSet<&[u8]> = map
        .entries()
        .iter()
        .filter(|entry| entry.path.ends_with(b".py"))
        .flat_map(|entry| {
            let folder = parent(&entry.path);
            // A module, or a package, lies in the folder that it is imported from.
            [folder, parent(folder)]
        })
        .collect();
    let projects = map.entries().iter().filter(|entry| {
        let name = entry.path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        PROJECTS.contains(&name)
    });
    for project in projects {
        let folder = parent(&project.path);
        let within = LAYOUTS.iter().map(|name| join(folder, name));
        for root in within.chain([folder.into()]) {
            if modules.contains(root.as_slice()) && !roots.contains(&root) {
                roots.push(root);
            }
        }
    }
    roots.into_iter()
}

fn parent(path: &[u8]) -> &[u8] {
    path.rfind_byte(b'/').and_then(|slash| path.get(..slash)).unwrap_or_default()
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
        assert_eq!(import_roots(&map).collect::<Vec<_>>(), want, "{paths:?}");
    }

    #[test]
    fn roots_are_those_of_projects() {
        check(&["app.py"], &[]);
        check(&["pyproject.toml", "Cargo.toml", "src/lib.rs"], &[]);
        check(&["pyproject.toml", "src/app/__init__.py", "tests/test_a.py"], &["src", ""]);
        check(&["setup.py", "app/__init__.py"], &[""]);
        check(&["setup.cfg", "lib/app.py", "README"], &["lib", ""]);
        check(
            &["packages/a/pyproject.toml", "packages/a/src/a/b.py", "packages/b/b.py"],
            &["packages/a/src"],
        );
    }
}

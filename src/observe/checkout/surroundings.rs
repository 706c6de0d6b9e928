//! What lies in a work tree beside the files that count, and what becomes of it in a copy.
//!
//! | what | in the copy |
//! |---|---|
//! | `.git`, the state folder, caches, what a build makes | isn't there |
//! | `node_modules` | a folder of its own; each package a link to the installed one, each link made anew |
//! | a virtual environment | a link |
//! | anything else that is ignored | a copy while it is small, else a link |

use std::fs::{self, DirEntry, FileType};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice as _};

use super::Tree;
use crate::observe::facts::{EntryKind, FileMap};
use crate::observe::files::is_cache;

/// Folders that tools make anew, wherever they lie.
const MADE: &[&str] = &[
    ".cache",
    ".gradle",
    ".next",
    ".nox",
    ".nuxt",
    ".nyc_output",
    ".parcel-cache",
    ".svelte-kit",
    ".tox",
    ".turbo",
    ".vite",
    ".vite-temp",
    ".vitest",
    "build",
    "coverage",
    "dist",
    "htmlcov",
    "out",
    "target",
];

/// A folder with more than this is linked.
const MOST_FILES: usize = 10_000;
const MOST_BYTES: u64 = 64 << 20;

/// What a copy is made of. Paths are below the root.
#[derive(Debug, Default)]
pub(super) struct Surroundings {
    /// Folders, those above others first.
    pub(super) folders: Vec<PathBuf>,
    /// Files to copy.
    pub(super) copies: Vec<PathBuf>,
    /// Links to make anew, with their targets.
    pub(super) links: Vec<(PathBuf, PathBuf)>,
    /// What is linked to where it lies.
    pub(super) shared: Vec<PathBuf>,
}

impl Surroundings {
    /// Looks through a work tree.
    ///
    /// # Errors
    /// A folder can't be read.
    pub(super) fn look(tree: &Tree<'_>, state_dir: &Path) -> io::Result<Self> {
        let mut found = Self::default();
        let state_dir = state_dir.canonicalize().unwrap_or_else(|_| state_dir.to_owned());
        Look { tree, state_dir: &state_dir }.folder(Path::new(""), &mut found)?;
        Ok(found)
    }
}

struct Look<'a> {
    tree: &'a Tree<'a>,
    state_dir: &'a Path,
}

impl Look<'_> {
    /// A folder with files that count.
    fn folder(&self, folder: &Path, found: &mut Surroundings) -> io::Result<()> {
        let entries = list(&self.tree.root.join(folder))?;
        for (entry, kind) in &entries {
            let path = folder.join(entry.file_name());
            if entry.file_name() == ".git" || entry.path() == self.state_dir {
                continue;
            }
            if !kind.is_dir() {
                leaf(entry, *kind, path, found)?;
                continue;
            }
            let bytes = slashed(&path);
            match counts(self.tree.map, &bytes) {
                Counts::Inside => {
                    found.folders.push(path.clone());
                    self.folder(&path, found)?;
                }
                Counts::Submodule => self.whole(path, found)?,
                Counts::Nothing => self.ignored(path, &entries, found)?,
            }
        }
        Ok(())
    }

    /// A folder in which nothing counts.
    fn ignored(
        &self,
        path: PathBuf,
        beside: &[(DirEntry, FileType)],
        found: &mut Surroundings,
    ) -> io::Result<()> {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        let is = |names: &[&str]| names.iter().any(|known| known.as_bytes() == name);
        let has_project = || beside.iter().any(|(entry, _)| entry.path().extension().is_some_and(is_dotnet));
        if is_cache(name) || is(MADE) || (is(&["bin", "obj"]) && has_project()) {
            return Ok(());
        }
        if is(&["node_modules"]) {
            return packages(self.tree.root, path, found);
        }
        if self.tree.root.join(&path).join("pyvenv.cfg").is_file() {
            found.shared.push(path);
            return Ok(());
        }
        self.whole(path, found)
    }

    /// All that is in a folder, unless that is much.
    fn whole(&self, path: PathBuf, found: &mut Surroundings) -> io::Result<()> {
        let mut inner = Surroundings::default();
        if self.gather(&path, &mut inner, &mut 0)? {
            found.folders.push(path);
            found.folders.extend(inner.folders);
            found.copies.extend(inner.copies);
            found.links.extend(inner.links);
        } else {
            found.shared.push(path);
        }
        Ok(())
    }

    /// `false`: it is too much.
    fn gather(&self, folder: &Path, found: &mut Surroundings, bytes: &mut u64) -> io::Result<bool> {
        for (entry, kind) in list(&self.tree.root.join(folder))? {
            let path = folder.join(entry.file_name());
            if entry.file_name() == ".git" || entry.path() == self.state_dir {
                continue;
            }
            if kind.is_dir() {
                if is_cache(entry.file_name().as_encoded_bytes()) {
                    continue;
                }
                found.folders.push(path.clone());
                if !self.gather(&path, found, bytes)? {
                    return Ok(false);
                }
                continue;
            }
            if kind.is_file() {
                *bytes += entry.metadata().map_or(0, |meta| meta.len());
            }
            leaf(&entry, kind, path, found)?;
            if found.copies.len() + found.links.len() > MOST_FILES || *bytes > MOST_BYTES {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// A file or link. FIFOs, sockets and devices are passed over.
fn leaf(entry: &DirEntry, kind: FileType, path: PathBuf, found: &mut Surroundings) -> io::Result<()> {
    if kind.is_symlink() {
        found.links.push((path, fs::read_link(entry.path())?));
    } else if kind.is_file() {
        found.copies.push(path);
    }
    Ok(())
}

/// Installed packages. A link among them may lead to a package of the work tree: made anew, it leads to the copy's.
fn packages(root: &Path, folder: PathBuf, found: &mut Surroundings) -> io::Result<()> {
    found.folders.push(folder.clone());
    for (entry, kind) in list(&root.join(&folder))? {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        let path = folder.join(entry.file_name());
        if kind.is_symlink() {
            found.links.push((path, fs::read_link(entry.path())?));
        } else if kind.is_dir() && (name.starts_with(b"@") || name == b".bin") {
            packages(root, path, found)?;
        } else if kind.is_file() || !MADE.iter().any(|made| made.as_bytes() == name) {
            found.shared.push(path);
        }
    }
    Ok(())
}

/// What a folder is by the files that count.
enum Counts {
    Inside,
    Submodule,
    Nothing,
}

fn counts(map: &FileMap, folder: &BString) -> Counts {
    if map.get(folder).is_some_and(|entry| entry.kind == EntryKind::Submodule) {
        return Counts::Submodule;
    }
    let start = [folder.as_slice(), b"/"].concat();
    let at = map.entries().partition_point(|entry| entry.path.as_slice() < start.as_slice());
    let inside = map.entries().get(at).is_some_and(|entry| entry.path.starts_with(&start));
    if inside { Counts::Inside } else { Counts::Nothing }
}

fn is_dotnet(extension: &std::ffi::OsStr) -> bool {
    ["csproj", "fsproj", "vbproj"].iter().any(|known| extension == *known)
}

/// What is in a folder, in order of the names; nothing, when it is gone or nobody may look into it.
fn list(folder: &Path) -> io::Result<Vec<(DirEntry, FileType)>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(error),
    };
    let mut listed = entries
        .map(|entry| entry.and_then(|entry| entry.file_type().map(|kind| (entry, kind))))
        .collect::<io::Result<Vec<_>>>()?;
    listed.sort_by_key(|(entry, _)| entry.file_name());
    Ok(listed)
}

fn slashed(path: &Path) -> BString {
    let bytes = gix::path::into_bstr(path).unwrap_or_default();
    gix::path::to_unix_separators_on_windows(bytes.as_bstr()).into_owned()
}

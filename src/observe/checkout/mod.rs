//! A copy of work trees in a temporary folder, where checks run on other sources than those of the work tree.
//!
//! It is made of the files themselves. The repository's index, HEAD and list of work trees are not touched, and nothing
//! is written below the work tree. What git ignores and a runner may need (installed packages, a virtual environment,
//! settings) is copied or linked; what a build makes is not there, so that nothing built from other sources is found.

mod command;
mod former;
mod python;
mod surroundings;

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use bstr::{BStr, ByteSlice as _};
use rayon::prelude::*;
use tempfile::TempDir;

use super::facts::{EntryKind, FileMap, RepositoryFacts};
use surroundings::Surroundings;

pub use former::Former;

/// A work tree to copy.
#[derive(Debug, Clone, Copy)]
pub struct Tree<'a> {
    /// Its root, absolute and without links.
    pub root: &'a Path,
    /// Its files that count.
    pub map: &'a FileMap,
}

/// What is put in a file's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// What it is: a file or a link.
    pub kind: EntryKind,
    /// Its permission bits.
    pub mode: u32,
    /// Its bytes; of a link its target.
    pub bytes: Vec<u8>,
}

/// A copy of one or several work trees, which lie to each other as the originals do. It goes with this value.
#[derive(Debug)]
pub struct Checkout {
    folder: TempDir,
    /// Where the copies lie.
    base: PathBuf,
    /// The folder of which `base` is the copy.
    origin: PathBuf,
    /// The roots of the original work trees.
    roots: Vec<PathBuf>,
    /// Folders of the copy from which Python imports the product.
    import_roots: Vec<PathBuf>,
}

impl Checkout {
    /// Copies work trees as they are. `plan` is the folder that paths of the plan start from.
    ///
    /// # Errors
    /// A folder can't be read, or the copy can't be written.
    pub fn of(trees: &[Tree<'_>], plan: &Path, state_dir: &Path) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let folder = builder.prefix("verify-replay-").tempdir()?;
        let base = folder.path().canonicalize()?.join("tree");
        let mut roots: Vec<PathBuf> = trees.iter().map(|tree| tree.root.to_owned()).collect();
        roots.sort();
        roots.dedup();
        let origin = common(roots.iter().map(PathBuf::as_path).chain([plan]));
        // A tool may name what it makes after the folder that it runs in.
        let origin = origin.parent().unwrap_or(&origin).to_owned();
        let mut checkout = Self { folder, base, origin, roots, import_roots: Vec::new() };
        fs::create_dir_all(checkout.at(plan))?;
        let mut done: Vec<&Path> = Vec::new();
        for tree in trees {
            if !done.contains(&tree.root) {
                done.push(tree.root);
                checkout.copy(tree, state_dir)?;
                let root = checkout.at(tree.root);
                let folders = python::import_roots(tree.map).into_iter();
                let folders = folders.filter_map(|folder| match folder.is_empty() {
                    true => Some(root.clone()),
                    false => Some(root.join(gix::path::from_bstr(&folder).ok()?)),
                });
                checkout.import_roots.extend(folders);
            }
        }
        Ok(checkout)
    }

    fn copy(&self, tree: &Tree<'_>, state_dir: &Path) -> io::Result<()> {
        let found = Surroundings::look(tree, state_dir)?;
        let to = self.at(tree.root);
        fs::create_dir_all(&to)?;
        for folder in &found.folders {
            fs::create_dir_all(to.join(folder))?;
        }
        found.copies.par_iter().try_for_each(|path| {
            match fs::copy(tree.root.join(path), to.join(path)) {
                // Gone since it was met: what moved is looked for at the end.
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
                copied => copied.map(|_| ()),
            }
        })?;
        for (path, target) in &found.links {
            let target = self.relinked(&tree.root.join(path), target);
            link(&target, &to.join(path))?;
        }
        for path in &found.shared {
            link(&tree.root.join(path), &to.join(path))?;
        }
        if tree.root.join(".git").symlink_metadata().is_ok() {
            make_repository(&to.join(".git"))?;
        }
        Ok(())
    }

    /// Where the copy of a path lies. What isn't copied lies where it is.
    #[must_use]
    pub fn at(&self, original: &Path) -> PathBuf {
        original
            .strip_prefix(&self.origin)
            .map_or_else(|_| original.to_owned(), |below| self.base.join(below))
    }

    /// A folder beside the copies, for what `verify` itself keeps.
    #[must_use]
    pub fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Puts other content in a file's place; `None`: takes it away. `path` is below the work tree's root.
    ///
    /// # Errors
    /// The copy can't be written.
    pub fn put(&self, root: &Path, path: &BStr, content: Option<&Content>) -> io::Result<()> {
        let place = self.at(root).join(gix::path::from_bstr(path).map_err(io::Error::other)?);
        if !place.starts_with(&self.base) || place.components().any(|part| part == Component::ParentDir) {
            return Err(io::Error::other("a path leads out of the copy"));
        }
        let Some(content) = content else { return self.remove(&place) };
        if let Some(folder) = place.parent() {
            self.make_folder(folder)?;
        }
        self.remove(&place)?;
        if content.kind == EntryKind::Link {
            let target = gix::path::from_byte_slice(&content.bytes).map_err(io::Error::other)?;
            let original = root.join(gix::path::from_bstr(path).map_err(io::Error::other)?);
            return link(&self.relinked(&original, target), &place);
        }
        fs::write(&place, &content.bytes)?;
        #[cfg(unix)]
        if content.mode != 0 {
            fs::set_permissions(&place, std::os::unix::fs::PermissionsExt::from_mode(content.mode & 0o7777))?;
        }
        Ok(())
    }

    /// How many bytes a file of the work tree holds; `None`: nothing is there.
    #[must_use]
    pub fn size(root: &Path, path: &BStr) -> Option<u64> {
        Some(fs::symlink_metadata(root.join(gix::path::from_bstr(path).ok()?)).ok()?.len())
    }

    /// What a file of the work tree holds now; `None`: nothing that could be copied.
    ///
    /// # Errors
    /// It can't be read.
    pub fn original(root: &Path, path: &BStr) -> io::Result<Option<Content>> {
        let place = root.join(gix::path::from_bstr(path).map_err(io::Error::other)?);
        let meta = match fs::symlink_metadata(&place) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            meta => meta?,
        };
        if meta.is_symlink() {
            let target = gix::path::into_bstr(fs::read_link(&place)?).map_err(io::Error::other)?.into_owned();
            return Ok(Some(Content { kind: EntryKind::Link, mode: 0, bytes: target.into() }));
        }
        if !meta.is_file() {
            return Ok(None);
        }
        Ok(Some(Content { kind: EntryKind::File, mode: mode(&meta), bytes: fs::read(&place)? }))
    }

    /// Makes a folder of the copy. A link on the way to it, which may lead back to the work tree, gives way.
    fn make_folder(&self, folder: &Path) -> io::Result<()> {
        let mut at = self.base.clone();
        for part in folder.strip_prefix(&self.base).map_err(io::Error::other)?.components() {
            at.push(part);
            match fs::symlink_metadata(&at) {
                Ok(meta) if meta.is_dir() => continue,
                Ok(_) => fs::remove_file(&at)?,
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
            fs::create_dir(&at)?;
        }
        Ok(())
    }

    /// Takes away what lies at a place of the copy, unless a link leads there.
    fn remove(&self, place: &Path) -> io::Result<()> {
        let is_linked = |folder: &&Path| folder.symlink_metadata().is_ok_and(|meta| meta.is_symlink());
        if place
            .ancestors()
            .skip(1)
            .take_while(|folder| folder.starts_with(&self.base))
            .any(|it| is_linked(&it))
        {
            return Ok(());
        }
        match fs::symlink_metadata(place) {
            Ok(meta) if meta.is_dir() => fs::remove_dir_all(place),
            Ok(_) => fs::remove_file(place),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The target that a link has in the copy: where it led within the work trees it leads within the copy, and where
    /// it led out of them it leads there still.
    fn relinked(&self, link: &Path, target: &Path) -> PathBuf {
        let folder = link.parent().unwrap_or(link);
        let leads = normal(&folder.join(target));
        let is_copied = self.roots.iter().any(|root| leads.starts_with(root));
        match (is_copied, target.is_absolute()) {
            (true, false) => target.to_owned(),
            (true, true) => self.at(&leads),
            (false, _) => leads,
        }
    }
}

/// The root of a repository's work tree.
#[must_use]
pub fn root_of(facts: &RepositoryFacts) -> PathBuf {
    gix::path::from_bstr(facts.root.as_bstr()).map(std::borrow::Cow::into_owned).unwrap_or_default()
}

/// A file that no language and no reader of data takes for one of its own. The path tells which that would be.
#[must_use]
pub fn unloadable(path: &BStr) -> Vec<u8> {
    const TEXT: &[u8] = b"} ] ) this file can't be loaded\n\xff\xfe\0\n";
    let start: &[u8] = if path.ends_with(b".php") { b"<?php " } else { b"" };
    [start, TEXT].concat()
}

/// The folder that holds all of these paths, or is one of them.
fn common<'p>(mut paths: impl Iterator<Item = &'p Path>) -> PathBuf {
    let first = paths.next().unwrap_or(Path::new("/"));
    paths.fold(first.to_owned(), |common, path| {
        common.ancestors().find(|folder| path.starts_with(folder)).unwrap_or(Path::new("/")).to_owned()
    })
}

/// A path without `.` and `..`, by its words alone.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => _ = normal.pop(),
            part => normal.push(part),
        }
    }
    normal
}

/// An empty repository: tools look for one upward, and must not find that of a folder above.
fn make_repository(git: &Path) -> io::Result<()> {
    for folder in ["objects", "refs"] {
        fs::create_dir_all(git.join(folder))?;
    }
    fs::write(git.join("HEAD"), "ref: refs/heads/main\n")?;
    fs::write(git.join("config"), "[core]\n\trepositoryformatversion = 0\n")
}

#[cfg(unix)]
fn mode(meta: &fs::Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o7777
}

#[cfg(not(unix))]
fn mode(_: &fs::Metadata) -> u32 {
    0
}

#[cfg(unix)]
fn link(target: &Path, place: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, place)
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

#[cfg(test)]
#[cfg(unix)]
mod tests;

//! The tree that git would write of a work tree: what `git add -A && git write-tree` gives, without running git.
//!
//! What git changes on its way in is done here too: line ends (`core.autocrlf`, `text`, `eol`), `ident`,
//! `working-tree-encoding`. A filter of a driver would be a program to run; nothing is run, and the answer is that
//! nobody knows.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::Path;

use bstr::{BStr, BString, ByteSlice as _, ByteVec as _};
use gix::index::entry::{Flags, Mode};

use super::open::is_repository;
use super::{Git, GitError, full_path};
use crate::digest::Sha256;
use crate::observe::facts::{Entry, EntryKind, FileMap};

/// The tree of a work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tree {
    /// Its id in hex.
    Id(String),
    /// Nobody knows, for this reason.
    Unknown(String),
}

/// What a tree holds at a path.
struct Leaf {
    path: BString,
    mode: Mode,
    id: gix::ObjectId,
}

impl Git {
    /// The tree that git would write of the files of a map. `nested` are the repositories in it that are no submodules.
    ///
    /// # Errors
    /// Git's data or a file can't be read.
    pub fn tree_of(&self, map: &FileMap, nested: &[BString]) -> Result<Tree, GitError> {
        let mut writer = Writer::new(self)?;
        let mut leaves = Vec::new();
        for entry in map.entries() {
            if writer.passes_over(entry, nested) {
                continue;
            }
            match writer.leaf(entry)? {
                Ok(Some(leaf)) => leaves.push(leaf),
                Ok(None) => {}
                Err(why) => return Ok(Tree::Unknown(why)),
            }
        }
        if let Some(nested) = nested.iter().find(|nested| !writer.is_ignored(nested, Some(Mode::DIR))) {
            let why =
                format!("`{nested}` is a repository within this one, which git would write as a submodule");
            return Ok(Tree::Unknown(why));
        }
        match writer.uncounted(map)? {
            Ok(more) => leaves.extend(more),
            Err(why) => return Ok(Tree::Unknown(why)),
        }
        leaves.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        let id = write(&leaves, 0, self.repository.object_hash())
            .map_err(|why| GitError::new(&self.root, format!("its tree can't be hashed: {why}")))?;
        Ok(Tree::Id(id.to_string()))
    }
}

/// What makes an object of a file.
struct Writer<'g> {
    git: &'g Git,
    index: gix::index::State,
    filters: gix::filter::plumbing::Pipeline,
    attributes: gix::worktree::Stack,
    /// Names of drivers that change what goes in.
    drivers: BTreeSet<BString>,
    ignore: gix::worktree::Stack,
    modes_count: bool,
}

/// An object, or why nobody knows it.
type Known<T> = Result<T, String>;

impl<'g> Writer<'g> {
    fn new(git: &'g Git) -> Result<Self, GitError> {
        let unreadable =
            |error: gix::Error| GitError::caused(&git.root, "what changes its files can't be read", &error);
        let repository = &git.repository;
        let index = git.index.as_ref().map_or_else(
            || gix::index::State::new(repository.object_hash()),
            |index| (**index.file()).clone(),
        );
        let (filters, _) = repository.filter_pipeline(None).map_err(unreadable)?;
        let (mut filters, attributes) = filters.into_parts();
        let drivers = std::mem::take(&mut filters.options_mut().drivers);
        let changing =
            drivers.into_iter().filter(|driver| driver.clean.is_some() || driver.process.is_some());
        let source = gix::worktree::stack::state::ignore::Source::WorktreeThenIdMappingIfNotSkipped;
        let ignore = repository.excludes(&index, None, source).map_err(unreadable)?.detach();
        Ok(Self {
            git,
            filters,
            attributes,
            drivers: changing.map(|driver| driver.name).collect(),
            ignore,
            modes_count: cfg!(unix) && repository.config_snapshot().boolean("core.fileMode").unwrap_or(true),
            index,
        })
    }

    fn is_ignored(&mut self, path: &BString, mode: Option<Mode>) -> bool {
        let at = self.ignore.at_entry(path.as_bstr(), mode, &self.git.repository.objects);
        at.is_ok_and(|platform| platform.is_excluded())
    }

    /// Whether git would not take it: it is ignored, and not tracked.
    fn passes_over(&mut self, entry: &Entry, nested: &[BString]) -> bool {
        let inside = |folder: &BString| {
            entry.path.strip_prefix(folder.as_slice()).is_some_and(|rest| rest.first() == Some(&b'/'))
        };
        nested.iter().any(inside)
            || self.index.entry_by_path(entry.path.as_bstr()).is_none()
                && self.is_ignored(&entry.path, Some(Mode::FILE))
    }

    fn leaf(&mut self, entry: &Entry) -> Result<Known<Option<Leaf>>, GitError> {
        let full = full_path(&self.git.root, entry.path.as_bstr());
        let path = entry.path.clone();
        if entry.kind == EntryKind::Submodule {
            return self.submodule(&full, path).map(Ok);
        }
        let unreadable = |why: std::io::Error| GitError::new(&full, why.to_string());
        let bytes = if entry.kind == EntryKind::Link {
            let target = std::fs::read_link(&full).map_err(unreadable)?;
            Vec::from_path_buf(target).unwrap_or_default()
        } else {
            std::fs::read(&full).map_err(unreadable)?
        };
        if Sha256::of(&bytes) != entry.sha256 {
            return Ok(Err(format!("`{path}` moved meanwhile")));
        }
        let mode = match entry.kind {
            EntryKind::Link => Mode::SYMLINK,
            _ if !self.modes_count => self.mode_of_index(path.as_bstr()),
            // To git a file is a program when its owner may run it, whoever else may.
            EntryKind::Executable if entry.mode & 0o100 != 0 => Mode::FILE_EXECUTABLE,
            _ => Mode::FILE,
        };
        let id = if mode == Mode::SYMLINK {
            self.hash(&bytes)?
        } else {
            match self.cleaned(path.as_bstr(), bytes)? {
                Ok(bytes) => self.hash(&bytes)?,
                Err(why) => return Ok(Err(why)),
            }
        };
        Ok(Ok(Some(Leaf { path, mode, id })))
    }

    fn mode_of_index(&self, path: &BStr) -> Mode {
        let mode = self.index.entry_by_path(path).map(|entry| entry.mode);
        mode.filter(|mode| *mode == Mode::FILE_EXECUTABLE).unwrap_or(Mode::FILE)
    }

    fn submodule(&self, full: &Path, path: BString) -> Result<Option<Leaf>, GitError> {
        let known = self.index.entry_by_path(path.as_bstr()).map(|entry| entry.id);
        let head = if is_repository(&full.join(".git"))? { Git::open(full)?.head()?.0 } else { None };
        let id = head.and_then(|head| gix::ObjectId::from_hex(head.as_bytes()).ok()).or(known);
        Ok(id.map(|id| Leaf { path, mode: Mode::COMMIT, id }))
    }

    /// The bytes as git would store them.
    fn cleaned(&mut self, path: &BStr, bytes: Vec<u8>) -> Result<Known<Vec<u8>>, GitError> {
        let root = &self.git.root;
        let failed = |why: String| GitError::new(&full_path(root, path), why);
        let relative = gix::path::from_bstr(path).map_err(|why| failed(why.to_string()))?;
        let objects = &self.git.repository.objects;
        let place =
            self.attributes.at_path(&*relative, None, objects).map_err(|why| failed(why.to_string()))?;
        let mut driver = None;
        let drivers = &self.drivers;
        let index = &self.index;
        let cleaned = self.filters.convert_to_git(
            bytes.as_slice(),
            &relative,
            &mut |_, found| {
                place.matching_attributes(found);
                for set in found.iter_selected() {
                    if let gix::attrs::StateRef::Value(value) = set.assignment.state
                        && set.assignment.name.as_str() == "filter"
                        && drivers.contains(value.as_bstr())
                    {
                        driver = Some(value.as_bstr().to_owned());
                    }
                }
            },
            &mut |buffer| {
                let Some(entry) = index.entry_by_path(path) else { return Ok(None) };
                let found = gix::prelude::FindExt::find_blob(objects, &entry.id, buffer).is_ok();
                Ok(found.then_some(()))
            },
        );
        if let Some(driver) = driver {
            return Ok(Err(format!(
                "`{path}` goes through the filter `{driver}`, and no filter is run here"
            )));
        }
        match cleaned {
            Ok(gix::filter::plumbing::pipeline::convert::ToGitOutcome::Unchanged(_)) => Ok(Ok(bytes)),
            Ok(mut outcome) => {
                let mut cleaned = Vec::new();
                outcome.read_to_end(&mut cleaned).map_err(|why| failed(why.to_string()))?;
                Ok(Ok(cleaned))
            }
            Err(why) => Ok(Err(format!("`{path}` can't be turned into what git stores: {why}"))),
        }
    }

    /// What is tracked and doesn't count here: it is left out by name, or a sparse checkout doesn't hold it.
    fn uncounted(&mut self, map: &FileMap) -> Result<Known<Vec<Leaf>>, GitError> {
        let tracked: Vec<_> = self
            .index
            .entries()
            .iter()
            .map(|entry| (entry.path(&self.index).to_owned(), entry.mode, entry.id, entry.flags))
            .filter(|(path, ..)| map.get(path).is_none())
            .collect();
        let mut leaves = Vec::new();
        for (path, mode, id, flags) in tracked {
            if mode == Mode::DIR {
                return Ok(Err("its index is sparse".to_owned()));
            }
            let full = full_path(&self.git.root, path.as_bstr());
            let meta = full.symlink_metadata();
            let permissions = meta.as_ref().map_or(0, permissions);
            let kind = match meta {
                Ok(meta) if meta.is_symlink() => EntryKind::Link,
                Ok(meta) if meta.is_file() && permissions & 0o111 != 0 => EntryKind::Executable,
                Ok(meta) if meta.is_file() => EntryKind::File,
                _ if flags.contains(Flags::SKIP_WORKTREE) => {
                    leaves.push(Leaf { path, mode, id });
                    continue;
                }
                _ => continue,
            };
            let content = match kind {
                EntryKind::Link => {
                    std::fs::read_link(&full).map(|to| Vec::from_path_buf(to).unwrap_or_default())
                }
                _ => std::fs::read(&full),
            };
            let sha256 = Sha256::of(&content.map_err(|why| GitError::new(&full, why.to_string()))?);
            match self.leaf(&Entry { path, kind, mode: permissions, sha256 })? {
                Ok(leaf) => leaves.extend(leaf),
                Err(why) => return Ok(Err(why)),
            }
        }
        Ok(Ok(leaves))
    }

    fn hash(&self, bytes: &[u8]) -> Result<gix::ObjectId, GitError> {
        gix::objs::compute_hash(self.git.repository.object_hash(), gix::objs::Kind::Blob, bytes)
            .map_err(|why| GitError::new(&self.git.root, why.to_string()))
    }
}

/// The id of the tree of these leaves, which all lie in one folder whose path, with its `/`, has `depth` bytes. They are
/// in order of their paths, and so is a tree: git compares a folder's name as if it ended in `/`.
fn write(leaves: &[Leaf], depth: usize, kind: gix::hash::Kind) -> gix::error::Result<gix::ObjectId> {
    let mut bytes = Vec::new();
    let mut rest = leaves;
    while let Some(first) = rest.first() {
        let name = first.path.get(depth..).unwrap_or_default();
        match name.find_byte(b'/') {
            None => {
                entry(&mut bytes, first.mode.bits(), name, first.id);
                rest = rest.get(1..).unwrap_or_default();
            }
            Some(slash) => {
                let folder = first.path.get(..depth + slash + 1).unwrap_or_default();
                let inside = rest.iter().take_while(|leaf| leaf.path.starts_with(folder)).count();
                let (inside, after) = rest.split_at(inside);
                let id = write(inside, depth + slash + 1, kind)?;
                entry(&mut bytes, 0o40000, name.get(..slash).unwrap_or_default(), id);
                rest = after;
            }
        }
    }
    gix::objs::compute_hash(kind, gix::objs::Kind::Tree, &bytes)
}

fn entry(bytes: &mut Vec<u8>, mode: u32, name: &[u8], id: gix::ObjectId) {
    bytes.extend_from_slice(format!("{mode:o} ").as_bytes());
    bytes.extend_from_slice(name);
    bytes.push(0);
    bytes.extend_from_slice(id.as_bytes());
}

#[cfg(unix)]
fn permissions(meta: &std::fs::Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o7777
}

/// Here modes don't count.
#[cfg(not(unix))]
fn permissions(_: &std::fs::Metadata) -> u32 {
    0
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::observe::content::tests::facts;
    use crate::observe::scratch::Scratch;

    fn tree(scratch: &Scratch) -> Tree {
        let facts = facts(scratch);
        Git::discover(scratch.root()).unwrap().unwrap().tree_of(&facts.map, &facts.nested).unwrap()
    }

    /// What git itself writes, asked of a copy of the index.
    #[track_caller]
    fn check(scratch: &Scratch) {
        let ours = tree(scratch);
        scratch.git(&["add", "-A"]);
        assert_eq!(ours, Tree::Id(scratch.git(&["write-tree"])));
        assert_eq!(ours, tree(scratch), "the index is no matter");
    }

    #[test]
    fn it_is_the_tree_that_git_writes() {
        let scratch = Scratch::repository();
        scratch.write("src/deep/er/c", "c\n");
        scratch.write("src.b", "sorts before the folder\n");
        scratch.write("src0", "and after it\n");
        scratch.write("run.sh", "#!/bin/sh\n");
        scratch.chmod("run.sh", 0o755);
        scratch.link("link", "src/b");
        scratch.write(".gitignore", "ignored\n");
        scratch.write("ignored", "i");
        scratch.write("name\nwith\u{e4}", "n");
        scratch.remove("a");
        check(&scratch);
    }

    #[test]
    fn a_program_is_what_its_owner_may_run() {
        let scratch = Scratch::repository();
        scratch.write("__pycache__/tracked", "left out of the map, and in the tree\n");
        scratch.git(&["add", "-A"]);
        scratch.git(&["commit", "-qm", "x"]);
        for (path, mode) in [("owner", 0o744), ("group", 0o654), ("others", 0o645), ("nobody", 0o644)] {
            scratch.write(path, "#!/bin/sh\n");
            scratch.chmod(path, mode);
        }
        scratch.chmod("__pycache__/tracked", 0o755);
        check(&scratch);
    }

    #[test]
    fn an_unborn_branch_has_a_tree_too() {
        let scratch = Scratch::unborn();
        scratch.write("a/b", "b");
        check(&scratch);
    }

    #[test]
    fn line_ends_are_turned_as_git_turns_them() {
        let scratch = Scratch::repository();
        scratch.write("crlf.txt", "a\r\nb\r\n");
        scratch.write("binary.bin", "a\r\n\0b\r\n");
        scratch.git(&["config", "core.autocrlf", "true"]);
        check(&scratch);
        let scratch = Scratch::repository();
        scratch.write(
            ".gitattributes",
            "*.txt text\n*.raw -text\n*.id ident\n*.u16 text working-tree-encoding=UTF-16LE\n",
        );
        scratch.write("crlf.txt", "a\r\nb\r\n");
        scratch.write("crlf.raw", "a\r\n");
        scratch.write("x.id", "$Id: 1234 $\n");
        scratch.write("x.u16", b"h\0i\0\r\0\n\0");
        check(&scratch);
    }

    #[test]
    fn a_filter_is_not_run() {
        let scratch = Scratch::repository();
        scratch.write(".gitattributes", "*.big filter=large\n");
        scratch.write("a.big", "x");
        // A driver that isn't configured does nothing, for git as well.
        check(&scratch);
        scratch.git(&["config", "filter.large.clean", "touch ran; cat"]);
        assert!(
            matches!(tree(&scratch), Tree::Unknown(why) if why.contains("`a.big` goes through the filter `large`"))
        );
        assert!(!scratch.path("ran").exists());
    }

    #[test]
    fn a_repository_within_is_nothing_that_is_known() {
        let scratch = Scratch::repository();
        scratch.init("inner");
        scratch.write("inner/x", "x");
        scratch.git_in("inner", &["add", "-A"]);
        scratch.git_in("inner", &["commit", "-qm", "x"]);
        assert!(matches!(tree(&scratch), Tree::Unknown(why) if why.contains("`inner` is a repository")));
        scratch.write(".gitignore", "inner\n");
        assert!(matches!(tree(&scratch), Tree::Id(_)));
    }
}

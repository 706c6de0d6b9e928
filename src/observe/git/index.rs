//! Which files git tracks.

use std::ops::Range;
use std::path::Path;

use bstr::{BStr, BString, ByteSlice as _};
use gix::index::entry::{Flags, Mode};
use sha2::Digest as _;

use super::{GitError, Tracked};
use crate::digest::Sha256;

/// The flags that make git not look at a file, or not see that it is new.
const HIDING: [(Flags, u8); 3] =
    [(Flags::ASSUME_VALID, b'h'), (Flags::SKIP_WORKTREE, b'S'), (Flags::INTENT_TO_ADD, b'N')];

/// The entries of an index, sorted by path.
#[derive(Debug)]
pub(crate) struct Index {
    file: gix::index::File,
}

impl Index {
    /// Reads the index of a repository; `None` if there is none yet.
    pub(super) fn read(repository: &gix::Repository, root: &Path) -> Result<Option<Self>, GitError> {
        let path = repository.index_path();
        match path.symlink_metadata() {
            Ok(meta) if meta.is_file() || path.is_file() => {}
            Ok(_) => return Err(GitError::new(&path, "the index is not a file")),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(GitError::new(&path, error.to_string())),
        }
        // The checksum is not verified, as in git: it costs more than all the rest of reading an index.
        let file = gix::index::File::at(
            &path,
            repository.object_hash(),
            true,
            gix::index::decode::Options::default(),
        )
        .map_err(|error| GitError::caused(root, "its index can't be read", &error))?;
        Ok(Some(Self { file }))
    }

    pub(super) fn file(&self) -> &gix::index::File {
        &self.file
    }

    /// A digest of path, mode, stage and object id of every entry.
    pub(crate) fn digest(&self) -> Sha256 {
        self.digest_of(|entry, bytes| {
            bytes.extend_from_slice(entry.path(&self.file));
            bytes.push(0);
            bytes.extend_from_slice(&entry.mode.bits().to_be_bytes());
            bytes.extend_from_slice(&entry.flags.stage_raw().to_be_bytes());
            bytes.extend_from_slice(entry.id.as_bytes());
        })
    }

    /// A digest of the flags that can hide an edit from git, with the paths that have them.
    pub(crate) fn flags_digest(&self) -> Sha256 {
        self.digest_of(|entry, bytes| {
            let set =
                HIDING.iter().filter(|(flag, _)| entry.flags.contains(*flag)).map(|(_, letter)| *letter);
            let before = bytes.len();
            bytes.extend(set);
            if bytes.len() > before {
                bytes.push(b' ');
                bytes.extend_from_slice(entry.path(&self.file));
                bytes.push(0);
            }
        })
    }

    /// A digest of what a function writes of each entry.
    fn digest_of(&self, write: impl Fn(&gix::index::Entry, &mut Vec<u8>)) -> Sha256 {
        const BLOCK: usize = 64 * 1024;
        let mut hash = sha2::Sha256::new();
        let mut block = Vec::with_capacity(BLOCK);
        for entry in self.file.entries() {
            write(entry, &mut block);
            if block.len() > BLOCK - 512 {
                hash.update(&block);
                block.clear();
            }
        }
        hash.update(&block);
        Sha256(hash.finalize().into())
    }

    pub(super) fn tracked(&self) -> impl Iterator<Item = Tracked> {
        self.file.entries().iter().map(|entry| Tracked {
            path: entry.path(&self.file).to_owned(),
            mode: entry.mode.bits(),
            oid: entry.id.to_string(),
        })
    }

    /// All entries.
    pub(crate) fn all(&self) -> Range<usize> {
        0..self.file.entries().len()
    }

    /// Those of `within` whose paths lie below a folder.
    pub(crate) fn below(&self, within: &Range<usize>, folder: &BStr) -> Range<usize> {
        let bound = |last: u8| {
            self.partition(within, |path| {
                let (head, tail) = path.split_at_checked(folder.len()).unwrap_or((path, &[]));
                head.cmp(folder.as_bytes()).then_with(|| tail.cmp(&[last])).is_lt()
            })
        };
        // '0' is the byte after '/'.
        bound(b'/')..bound(b'0')
    }

    /// What the index says of a path, and where: `None` if it isn't tracked. All of `within` lies below the folder that
    /// the path is in. `hint` is where the path is if nothing lies between it and the one asked for before.
    pub(crate) fn find(&self, within: &Range<usize>, hint: usize, path: &BStr) -> Option<(usize, Found)> {
        let is_here = |at: &usize| {
            let entry = self.file.entries().get(*at).filter(|_| within.contains(at));
            entry.is_some_and(|entry| entry.path(&self.file) == path)
        };
        let name_at = path.rfind_byte(b'/').map_or(0, |slash| slash + 1);
        let name = path.get(name_at..)?;
        let search = || self.partition(within, |other| other.get(name_at..).unwrap_or_default() < name);
        let at = Some(hint).filter(is_here).or_else(|| Some(search()).filter(is_here))?;
        let entry = self.file.entries().get(at)?;
        let found =
            if entry.mode == Mode::COMMIT { Found::Submodule(entry.id.to_string()) } else { Found::File };
        Some((at, found))
    }

    /// The index's mode of a path says that it is executable. For systems whose files have no such bit.
    #[cfg(not(unix))]
    pub(crate) fn is_executable(&self, path: &BStr) -> bool {
        self.file.entry_by_path(path).is_some_and(|entry| entry.mode == Mode::FILE_EXECUTABLE)
    }

    /// The `.gitignore` files that a sparse checkout left out of the work tree, with their object ids.
    pub(super) fn sparse_ignore_files(&self) -> impl Iterator<Item = (&BStr, gix::ObjectId)> {
        self.file.entries().iter().filter(|entry| entry.flags.contains(Flags::SKIP_WORKTREE)).filter_map(
            |entry| {
                let path = entry.path(&self.file);
                let name = path.rsplit_once_str("/").map_or(path.as_bytes(), |(_, name)| name);
                (name == b".gitignore").then_some((path, entry.id))
            },
        )
    }

    fn partition(&self, within: &Range<usize>, before: impl Fn(&[u8]) -> bool) -> usize {
        let entries = self.file.entries().get(within.clone()).unwrap_or_default();
        within.start + entries.partition_point(|entry| before(entry.path(&self.file)))
    }
}

/// A tracked path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    /// A file or link.
    File,
    /// A submodule, at this commit.
    Submodule(String),
}

/// The path of a `.gitignore` without its name.
pub(super) fn folder_of(path: &BStr) -> BString {
    path.rsplit_once_str("/").map(|(folder, _)| folder.into()).unwrap_or_default()
}

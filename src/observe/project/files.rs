//! The names of a project's files, and the beginnings of their texts.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// How deep a project is looked into.
const DEPTH: usize = 6;
/// How many files are looked at.
const MOST: usize = 20_000;
/// How many bytes of a file are read: imports and settings stand at its beginning.
const READ: u64 = 256 * 1024;
/// Folders that hold other people's files, also where nothing ignores them.
const FOREIGN: &[&str] = &[
    ".git",
    ".verify",
    "node_modules",
    "target",
    "vendor",
    "venv",
    ".venv",
    ".tox",
    "__pycache__",
    "site-packages",
];

/// The files below a folder.
pub(super) struct Files {
    folder: PathBuf,
    /// Their paths with `/`, in order; those whose names aren't UTF-8 are left out.
    paths: Vec<String>,
}

impl Files {
    pub(super) fn list(folder: &Path) -> io::Result<Self> {
        std::fs::read_dir(folder)?;
        let walk = ignore::WalkBuilder::new(folder)
            .hidden(false)
            .require_git(false)
            .max_depth(Some(DEPTH))
            .filter_entry(|entry| {
                !entry.file_name().to_str().is_some_and(|name| entry.depth() > 0 && FOREIGN.contains(&name))
            })
            .build();
        let mut paths: Vec<String> = walk
            .filter_map(Result::ok)
            .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
            .filter_map(|entry| Some(entry.path().strip_prefix(folder).ok()?.to_str()?.replace('\\', "/")))
            .take(MOST)
            .collect();
        paths.sort_unstable();
        Ok(Self { folder: folder.to_owned(), paths })
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().map(String::as_str)
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.paths.binary_search_by(|other| other.as_str().cmp(path)).is_ok()
    }

    /// Whether there is a file below this folder.
    pub(super) fn has_folder(&self, folder: &str) -> bool {
        self.paths().any(|path| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
    }

    /// The beginning of a file, empty if it can't be read.
    pub(super) fn text(&self, path: &str) -> String {
        let mut bytes = Vec::new();
        if let Ok(file) = File::open(self.folder.join(path)) {
            // What was read before an error is as good as the beginning of a long file.
            let _ = file.take(READ).read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// The last part of a path.
pub(super) fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The folder of a path; empty for the top.
pub(super) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// Whether a path can stand in a glob, and in a shell's command, as it is.
pub(super) fn is_plain(path: &str) -> bool {
    !path.starts_with('-')
        && path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-/+@".contains(&byte))
}

//! The report files that a command writes: which were there before it ran, and which it wrote.
//!
//! A file that lies there from an earlier run says nothing of this one. It stays where it is; only what was written
//! since counts.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use walkdir::WalkDir;

use crate::plan::PathSet;

/// The files that a glob means, as they were before a run.
#[derive(Debug)]
pub struct Reports {
    root: PathBuf,
    glob: PathSet,
    before: BTreeMap<PathBuf, Stamp>,
}

/// By what a file that was written again is known.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    length: u64,
    #[cfg(unix)]
    inode: (u64, i64, i64),
}

impl Stamp {
    fn of(about: &Metadata) -> Self {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt as _;
        Self {
            modified: about.modified().ok(),
            length: about.len(),
            #[cfg(unix)]
            inode: (about.ino(), about.ctime(), about.ctime_nsec()),
        }
    }
}

impl Reports {
    /// Looks at what lies below `root` and is meant by `glob`.
    ///
    /// # Errors
    /// A folder can't be read.
    pub fn before_run(root: &Path, glob: &PathSet) -> io::Result<Self> {
        let before = found(root, glob)?.into_iter().collect();
        Ok(Self { root: root.to_owned(), glob: glob.clone(), before })
    }

    /// The files that were written since, in order of their paths.
    ///
    /// # Errors
    /// A folder can't be read.
    pub fn written(&self) -> io::Result<Vec<PathBuf>> {
        let mut written: Vec<PathBuf> = found(&self.root, &self.glob)?
            .into_iter()
            .filter(|(path, stamp)| self.before.get(path) != Some(stamp))
            .map(|(path, _)| path)
            .collect();
        written.sort();
        Ok(written)
    }
}

/// The regular files below `root` that the glob means. Only folders that may hold some are looked into; no link is
/// followed.
fn found(root: &Path, glob: &PathSet) -> io::Result<Vec<(PathBuf, Stamp)>> {
    let mut files = Vec::new();
    for pattern in glob.patterns() {
        let plain = pattern.strip_prefix("./").unwrap_or(pattern);
        let is_plain = |part: &&str| !part.contains(['*', '?', '[', '{', '\\']);
        let parts: Vec<&str> = plain.split('/').collect();
        let fixed: Vec<&str> = parts.iter().copied().take_while(is_plain).collect();
        let start = fixed.iter().fold(root.to_owned(), |path, part| path.join(part));
        let depth =
            if plain.contains("**") || plain.ends_with('/') { usize::MAX } else { parts.len() - fixed.len() };
        let git = |name: &std::ffi::OsStr| name == ".git";
        for entry in
            WalkDir::new(&start).max_depth(depth).into_iter().filter_entry(|entry| !git(entry.file_name()))
        {
            let entry = match entry {
                Ok(entry) => entry,
                Err(why) if why.io_error().is_some_and(|why| why.kind() == io::ErrorKind::NotFound) => {
                    continue;
                }
                Err(why) => return Err(why.into()),
            };
            let Ok(below) = entry.path().strip_prefix(root) else { continue };
            if entry.file_type().is_file() && glob.matches(below.as_os_str().as_encoded_bytes()) {
                files.push((entry.path().to_owned(), Stamp::of(&entry.metadata()?)));
            }
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(globs: &[&str], before: &[&str], write: &[&str], want: &[&str]) {
        let folder = tempfile::tempdir().unwrap();
        let put = |path: &&str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        before.iter().for_each(|path| put(path, "old"));
        let reports = Reports::before_run(folder.path(), &PathSet::new(globs.to_vec()).unwrap()).unwrap();
        write.iter().for_each(|path| put(path, "newer"));
        let written = reports.written().unwrap();
        let written: Vec<_> =
            written.iter().map(|path| path.strip_prefix(folder.path()).unwrap().to_str().unwrap()).collect();
        assert_eq!(written, want);
    }

    #[test]
    fn only_what_was_written_counts() {
        check(&["report.xml"], &[], &["report.xml"], &["report.xml"]);
        check(&["report.xml"], &["report.xml"], &[], &[]);
        check(&["report.xml"], &["report.xml"], &["report.xml"], &["report.xml"]);
        check(&["report.xml"], &[], &["other.xml"], &[]);
    }

    #[test]
    fn globs_mean_several() {
        check(
            &["out/TEST-*.xml"],
            &["out/TEST-a.xml"],
            &["out/TEST-b.xml", "out/x.xml"],
            &["out/TEST-b.xml"],
        );
        check(&["**/r.xml"], &[], &["a/r.xml", "b/c/r.xml", ".git/r.xml"], &["a/r.xml", "b/c/r.xml"]);
        check(&["out/"], &[], &["out/a.xml", "out/b/c.xml"], &["out/a.xml", "out/b/c.xml"]);
    }
}

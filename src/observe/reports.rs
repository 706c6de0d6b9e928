//! The report files that a command writes.
//!
//! A file that lies there from an earlier run says nothing of this one, and a command could give it today's time. So it is
//! moved aside while the command runs: what lies there afterwards, the command wrote.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::plan::PathSet;

/// The files that a glob means. Those of earlier runs are aside; what the command doesn't write anew comes back when
/// this value goes.
#[derive(Debug)]
pub struct Reports {
    root: PathBuf,
    glob: PathSet,
    state_dir: PathBuf,
    /// In the state folder.
    aside: PathBuf,
    /// Below `root`, and below `aside`.
    moved: Vec<PathBuf>,
}

impl Reports {
    /// Moves what lies below `root` and is meant by `glob` into the state folder, to a place of this check's own.
    ///
    /// # Errors
    /// A folder can't be read, or a file can't be moved.
    pub fn before_run(root: &Path, glob: &PathSet, state_dir: &Path, check: &str) -> io::Result<Self> {
        let (root, state_dir) = (root.to_owned(), state_dir.to_owned());
        let aside = state_dir.join("reports").join(check);
        let mut reports = Self { root, glob: glob.clone(), state_dir, aside, moved: Vec::new() };
        reports.return_what_a_killed_run_left();
        for path in reports.found()? {
            let Ok(below) = path.strip_prefix(&reports.root) else { continue };
            let below = below.to_owned();
            shift(&path, &reports.aside.join(&below))?;
            reports.moved.push(below);
        }
        Ok(reports)
    }

    /// A run that was killed couldn't put back what it moved: it goes where it was, or away where there is a newer one.
    /// Nothing may lie in the state folder that nobody has taken the secrets out of.
    fn return_what_a_killed_run_left(&mut self) {
        let files =
            WalkDir::new(&self.aside).into_iter().flatten().filter(|entry| !entry.file_type().is_dir());
        self.moved = files
            .filter_map(|entry| entry.path().strip_prefix(&self.aside).ok().map(Path::to_owned))
            .collect();
        self.put_back();
        self.moved.clear();
    }

    fn put_back(&self) {
        for below in &self.moved {
            let (path, aside) = (self.root.join(below), self.aside.join(below));
            // What can't come back stays aside, where nothing reads it.
            let _ = match fs::symlink_metadata(&path) {
                Ok(_) => fs::remove_file(&aside),
                Err(_) => shift(&aside, &path),
            };
        }
        // Only what is empty goes: a run that was killed may have left something.
        for below in &self.moved {
            let aside = self.aside.join(below);
            let folders = aside.ancestors().skip(1).take_while(|folder| folder.starts_with(&self.aside));
            let _ = folders.map(fs::remove_dir).take_while(Result::is_ok).count();
        }
    }

    /// The files that were written since, in order of their paths.
    ///
    /// # Errors
    /// A folder can't be read.
    pub fn written(&self) -> io::Result<Vec<PathBuf>> {
        let mut written = self.found()?;
        written.sort();
        Ok(written)
    }

    /// The regular files below `root` that the glob means. Only folders that may hold some are looked into; no link is
    /// followed.
    fn found(&self) -> io::Result<Vec<PathBuf>> {
        let (root, glob) = (self.root.as_path(), &self.glob);
        let mut files = Vec::new();
        for pattern in glob.patterns() {
            let plain = pattern.strip_prefix("./").unwrap_or(pattern);
            let is_plain = |part: &&str| !part.contains(['*', '?', '[', '{', '\\']);
            let parts: Vec<&str> = plain.split('/').collect();
            let fixed: Vec<&str> = parts.iter().copied().take_while(is_plain).collect();
            let start = fixed.iter().fold(root.to_owned(), |path, part| path.join(part));
            let depth = if plain.contains("**") || plain.ends_with('/') {
                usize::MAX
            } else {
                parts.len() - fixed.len()
            };
            let ours =
                |entry: &walkdir::DirEntry| entry.file_name() == ".git" || entry.path() == self.state_dir;
            for entry in WalkDir::new(&start).max_depth(depth).into_iter().filter_entry(|entry| !ours(entry))
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
                    files.push(entry.path().to_owned());
                }
            }
        }
        Ok(files)
    }
}

impl Drop for Reports {
    fn drop(&mut self) {
        self.put_back();
    }
}

/// Moves a file, over the border of a file system too.
fn shift(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    match fs::rename(from, to) {
        Err(why) if why.kind() == io::ErrorKind::CrossesDevices => {
            fs::copy(from, to)?;
            fs::remove_file(from)
        }
        done => done,
    }
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
        let (glob, state) = (PathSet::new(globs.to_vec()).unwrap(), folder.path().join(".verify"));
        let reports = Reports::before_run(folder.path(), &glob, &state, "a").unwrap();
        assert!(
            before.iter().all(|path| reports.moved.iter().any(|it| it == Path::new(path))
                != folder.path().join(path).exists())
        );
        write.iter().for_each(|path| put(path, "newer"));
        let written = reports.written().unwrap();
        let written: Vec<_> =
            written.iter().map(|path| path.strip_prefix(folder.path()).unwrap().to_str().unwrap()).collect();
        assert_eq!(written, want);
        drop(reports);
        // What wasn't written anew is back, and nothing is left aside.
        for path in before.iter().chain(write) {
            let text = std::fs::read_to_string(folder.path().join(path)).unwrap();
            assert_eq!(text, if write.contains(path) { "newer" } else { "old" });
        }
        assert!(!state.join("reports/a").exists());
    }

    #[test]
    fn only_what_was_written_counts() {
        check(&["report.xml"], &[], &["report.xml"], &["report.xml"]);
        check(&["report.xml"], &["report.xml"], &[], &[]);
        check(&["report.xml"], &["report.xml"], &["report.xml"], &["report.xml"]);
        check(&["report.xml"], &[], &["other.xml"], &[]);
    }

    #[test]
    fn what_a_killed_run_left_aside_comes_back_or_goes() {
        let folder = tempfile::tempdir().unwrap();
        let (glob, state) = (PathSet::new(["out/*.xml"]).unwrap(), folder.path().join(".verify"));
        std::fs::create_dir_all(folder.path().join("out")).unwrap();
        for name in ["a.xml", "b.xml"] {
            std::fs::write(folder.path().join("out").join(name), "old").unwrap();
        }
        std::mem::forget(Reports::before_run(folder.path(), &glob, &state, "a").unwrap());
        assert!(state.join("reports/a/out/a.xml").exists());
        std::fs::write(folder.path().join("out/b.xml"), "newer").unwrap();
        let reports = Reports::before_run(folder.path(), &glob, &state, "a").unwrap();
        assert_eq!(reports.written().unwrap(), [""; 0].map(PathBuf::from));
        drop(reports);
        let text = |name: &str| std::fs::read_to_string(folder.path().join("out").join(name)).unwrap();
        assert_eq!((text("a.xml"), text("b.xml")), ("old".to_owned(), "newer".to_owned()));
        assert!(!state.join("reports/a").exists());
        // Nor does it stay when the plan doesn't mean that file any more.
        std::mem::forget(Reports::before_run(folder.path(), &glob, &state, "a").unwrap());
        drop(Reports::before_run(folder.path(), &PathSet::new(["x"]).unwrap(), &state, "a").unwrap());
        assert!(!state.join("reports/a").exists() && folder.path().join("out/a.xml").exists());
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

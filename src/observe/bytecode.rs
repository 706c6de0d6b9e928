//! Where a task's Python code is compiled to: a folder of its own, so that no compiled file of the work tree counts.
//!
//! The interpreter takes a compiled file when the source has the size and the modification time that it names, and
//! both can be set by whoever edits. The time of the last change can't: what was compiled before it is thrown away.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rayon::prelude::*;
use walkdir::WalkDir;

const PREFIX: &str = "bytecode-";

/// The folder of a task, below the cache of the state folder. Those of other tasks are deleted.
#[must_use]
pub fn folder(cache: &Path, task: &str) -> PathBuf {
    let own = format!("{PREFIX}{task}");
    for entry in fs::read_dir(cache).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name != own) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    cache.join(own)
}

/// Throws away what was compiled before its source changed last. To be called before each run.
///
/// A file that can't be deleted is left to the interpreter's own rule: nothing is lost but a guard against whoever can
/// write to the state folder, who isn't kept out here.
pub fn drop_stale(folder: &Path) {
    files(folder).par_iter().for_each(|path| {
        let is_good = || -> io::Result<bool> {
            let Some(source) = source_of(folder, path) else { return Ok(false) };
            let compiled = fs::symlink_metadata(path)?.modified()?;
            let meta = fs::symlink_metadata(&source)?;
            // A link to a source changes when it is made to lead elsewhere, and its target when it is edited.
            let is_older = !meta.is_symlink() || changed(&fs::metadata(&source)?)? < compiled;
            Ok(is_older && changed(&meta)? < compiled)
        };
        if !is_good().unwrap_or(false) {
            let _ = fs::remove_file(path);
        }
    });
}

/// What is compiled: every run has to look at a few hundred files.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = WalkDir::new(folder).into_iter().flatten();
    entries.filter(|entry| !entry.file_type().is_dir()).map(walkdir::DirEntry::into_path).collect()
}

/// Throws away what was compiled since `began` of sources that `holds` is true of: nothing below the state folder may
/// hold a secret, and compiled code holds the texts of its source.
pub fn drop_compiled(folder: &Path, began: SystemTime, holds: &(dyn Fn(&[u8]) -> bool + Sync)) {
    // A file system's clock may be a tick behind.
    let since = began.checked_sub(Duration::from_secs(1)).unwrap_or(began);
    files(folder).par_iter().for_each(|path| {
        let modified = fs::symlink_metadata(path).and_then(|meta| meta.modified());
        if !modified.is_ok_and(|at| at >= since) {
            return;
        }
        let source = source_of(folder, path).and_then(|source| fs::read(source).ok());
        // A compiler puts texts together that stand apart in the source.
        let is_held = |source: Vec<u8>| holds(&source) || fs::read(path).is_ok_and(|code| holds(&code));
        if source.is_none_or(is_held) {
            let _ = fs::remove_file(path);
        }
    });
}

/// The source of a compiled file: `<folder>/a/b.cpython-311.pyc` is of `/a/b.py`.
fn source_of(folder: &Path, compiled: &Path) -> Option<PathBuf> {
    let below = compiled.strip_prefix(folder).ok()?;
    let name = below.file_name()?.to_str()?;
    let tag = name.find(".cpython-").or_else(|| name.find(".pypy")).or_else(|| name.find('.'))?;
    Some(Path::new("/").join(below.parent()?).join(format!("{}.py", name.get(..tag)?)))
}

/// When a file's content, or anything else of it, changed last. A program can't set it.
#[cfg(unix)]
fn changed(meta: &Metadata) -> io::Result<SystemTime> {
    use std::os::unix::fs::MetadataExt as _;
    let seconds = Duration::from_secs(meta.ctime().try_into().unwrap_or(0));
    let nanos = Duration::from_nanos(meta.ctime_nsec().try_into().unwrap_or(0));
    Ok(SystemTime::UNIX_EPOCH + seconds + nanos)
}

/// Here it can be: nothing compiled is kept.
#[cfg(not(unix))]
fn changed(_: &Metadata) -> io::Result<SystemTime> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn what_was_compiled_before_its_source_changed_is_gone() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let (cache, sources) = (root.join("cache"), root.join("src"));
        let compiled =
            |name: &str| cache.join("bytecode-0001").join(sources.strip_prefix("/").unwrap()).join(name);
        fs::create_dir_all(compiled("x").parent().unwrap()).unwrap();
        fs::create_dir_all(&sources).unwrap();
        fs::create_dir_all(cache.join("bytecode-0000/x")).unwrap();
        fs::write(cache.join("files-app"), "").unwrap();
        for source in ["a.py", "b.py"] {
            fs::write(sources.join(source), "").unwrap();
        }
        let at = |name: &str, time: SystemTime| {
            fs::write(compiled(name), "").unwrap();
            fs::File::options().write(true).open(compiled(name)).unwrap().set_modified(time).unwrap();
        };
        let (before, later) = (SystemTime::UNIX_EPOCH, SystemTime::now() + Duration::from_secs(60));
        at("a.cpython-311.pyc", later);
        at("a.cpython-311-pytest-8.3.5.pyc", later);
        at("b.cpython-311.opt-1.pyc", before);
        at("gone.cpython-311.pyc", later);

        let folder = folder(&cache, "0001");
        assert_eq!(folder, cache.join("bytecode-0001"));
        drop_stale(&folder);
        let left = fs::read_dir(compiled("x").parent().unwrap()).unwrap();
        let mut left: Vec<_> = left.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        left.sort();
        assert_eq!(left, ["a.cpython-311-pytest-8.3.5.pyc", "a.cpython-311.pyc"]);
        assert!(!cache.join("bytecode-0000").exists() && cache.join("files-app").exists());
    }

    #[test]
    fn what_was_compiled_of_a_source_with_a_secret_is_gone() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let folder = root.join("cache");
        let compiled = folder.join(root.strip_prefix("/").unwrap());
        fs::create_dir_all(&compiled).unwrap();
        for (name, text) in [("a", "secret"), ("b", "plain"), ("old", "secret")] {
            fs::write(root.join(format!("{name}.py")), text).unwrap();
            fs::write(compiled.join(format!("{name}.cpython-311.pyc")), "").unwrap();
        }
        let old = fs::File::options().write(true).open(compiled.join("old.cpython-311.pyc")).unwrap();
        old.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        fs::write(compiled.join("gone.cpython-311.pyc"), "").unwrap();
        // Two texts that stand apart in the source.
        fs::write(root.join("folded.py"), "'sec' + 'ret'").unwrap();
        fs::write(compiled.join("folded.cpython-311.pyc"), "secret").unwrap();
        drop_compiled(&folder, SystemTime::now(), &|source| source == b"secret");
        let mut left: Vec<_> =
            fs::read_dir(&compiled).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["b.cpython-311.pyc", "old.cpython-311.pyc"]);
    }
}

//! Which file a command runs, and why it doesn't.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread::JoinHandle;

use rustix::fs::{Access, access};
use rustix::io::Errno;
use sha2::Digest as _;

use super::Command;
use crate::digest::Sha256;
use crate::observe::facts::Program;

/// Where `execvp` looks when there is no PATH.
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// The file that the command's first word names, as `execvp` would find it in the command's folder and environment.
///
/// # Errors
/// Why it can't be run, and what to do.
pub(super) fn find(command: &Command) -> Result<PathBuf, String> {
    let Some(name) = command.argv.first().filter(|name| !name.is_empty()) else {
        return Err("the command is empty: give it a program".to_owned());
    };
    match fs::metadata(&command.cwd) {
        Ok(about) if about.is_dir() => {}
        Ok(_) => return Err(format!("the working folder {:?} is no folder: correct `cwd`", command.cwd)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(format!(
                "the working folder {:?} isn't there: create it, or correct `cwd`",
                command.cwd
            ));
        }
        Err(error) => return Err(format!("can't enter the working folder {:?}: {error}", command.cwd)),
    }
    let cwd = std::path::absolute(&command.cwd).unwrap_or_else(|_| command.cwd.clone());
    if name.as_bytes().contains(&b'/') {
        let path = plain(&cwd.join(name));
        return match state(&path) {
            Ok(()) => Ok(path),
            Err(error) => Err(why_not(&path, &error)),
        };
    }
    let mut refused = None;
    for folder in std::env::split_paths(&search_path(command)) {
        let path = plain(&cwd.join(folder).join(name));
        match state(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                refused.get_or_insert(why_not(&path, &error));
            }
            Err(_) => {}
        }
    }
    Err(refused.unwrap_or_else(|| {
        format!("no program {name:?} on PATH: install it, or correct the first word of the command")
    }))
}

/// The same path without `.` in it.
fn plain(path: &Path) -> PathBuf {
    path.components().collect()
}

fn search_path(command: &Command) -> OsString {
    let changed = command.env.iter().rev().find(|(name, _)| name == "PATH");
    let path = match changed {
        Some((_, value)) => value.clone(),
        None => std::env::var_os("PATH"),
    };
    path.unwrap_or_else(|| DEFAULT_PATH.into())
}

fn state(path: &Path) -> io::Result<()> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    Ok(access(path, Access::EXEC_OK)?)
}

/// Why this file could not be run, and what to do.
pub(super) fn why_not(path: &Path, error: &io::Error) -> String {
    if error.raw_os_error() == Some(Errno::NOEXEC.raw_os_error()) {
        return format!(
            "{path:?} is neither a program for this system nor a script with a `#!` line: add one, or put its \
             interpreter first in the command"
        );
    }
    match error.kind() {
        io::ErrorKind::NotFound if path.exists() => {
            format!(
                "the interpreter that the first line of {path:?} names isn't there: install it, or correct the line"
            )
        }
        io::ErrorKind::NotFound => {
            format!("the program {path:?} isn't there: create it, or correct the first word of the command")
        }
        io::ErrorKind::PermissionDenied if path.is_dir() => {
            format!("{path:?} is a folder: correct the first word of the command")
        }
        io::ErrorKind::PermissionDenied => {
            format!("permission to run {path:?} was refused: make it executable with `chmod +x`")
        }
        _ => format!("{path:?} could not be started: {error}"),
    }
}

/// The command, ready to be started: `path` is run, the arguments are as given.
pub(super) fn prepare(command: &Command, path: &Path) -> std::process::Command {
    let mut words = command.argv.iter();
    let mut prepared = std::process::Command::new(path);
    prepared
        .arg0(words.next().map_or(OsStr::new(""), OsString::as_os_str))
        .args(words)
        .current_dir(&command.cwd)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    for (name, value) in &command.env {
        match value {
            Some(value) => prepared.env(name, value),
            None => prepared.env_remove(name),
        };
    }
    prepared
}

/// The hash of a program, taken while the program runs.
pub(super) struct Hashing(Option<JoinHandle<io::Result<Sha256>>>);

pub(super) fn hash_beside(path: &Path) -> Hashing {
    // Opened before the program starts, so that one that replaces itself is hashed as it was started.
    let Ok(file) = File::open(path) else { return Hashing(None) };
    Hashing(std::thread::Builder::new().name("hash".to_owned()).spawn(|| hash(file)).ok())
}

impl Hashing {
    pub(super) fn join(self, path: PathBuf) -> Program {
        let sha256 = self.0.and_then(|thread| thread.join().ok()).and_then(Result::ok);
        Program { path: path.to_string_lossy().into_owned(), sha256 }
    }
}

fn hash(mut file: File) -> io::Result<Sha256> {
    let mut hash = sha2::Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(Sha256(hash.finalize().into())),
            Ok(read) => hash.update(&buffer[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

//! Running a tool on a project, so that the same run at another time leaves the same bytes but for durations.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::shell::Done;

/// Where every recorded project says that it lies.
const PROJECT: &str = "/srv/kit";

/// Where the channel of truth lies, should a traceback show it.
const SCRATCH: &str = "/srv/channel";

/// Longer than any seed takes.
const PATIENCE: Duration = Duration::from_secs(300);

/// How a tool is run.
#[derive(Debug, Clone, Default)]
pub(super) struct Invocation {
    pub(super) program: PathBuf,
    pub(super) args: Vec<String>,
    pub(super) env: BTreeMap<String, String>,
    /// Both streams go to one file, in the order in which they were written.
    pub(super) merged: bool,
    /// Paths of this machine, and what stands for them in the recording.
    pub(super) replace: Vec<(String, String)>,
}

/// What a run left.
#[derive(Debug, Default)]
pub(super) struct Ran {
    pub(super) exit_code: Option<i32>,
    pub(super) signal: Option<i32>,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
}

/// Runs it in the project's folder, with nothing of this process's environment but `PATH`.
pub(super) fn run(invocation: &Invocation, project: &Path, scratch: &Path) -> Done<Ran> {
    let (out, err) = (scratch.join("stdout"), scratch.join("stderr"));
    let file = File::create(&out)?;
    let mut command = Command::new(&invocation.program);
    command.args(&invocation.args).current_dir(project).stdin(Stdio::null());
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", scratch).env("LANG", "C.UTF-8").env("TZ", "UTC").env("PYTHONDONTWRITEBYTECODE", "1");
    command.envs(&invocation.env);
    command.stderr(if invocation.merged { file.try_clone()? } else { File::create(&err)? });
    command.stdout(file);
    let mut child = command
        .spawn()
        .map_err(|error| format!("`{}` did not start: {error}", invocation.program.display()))?;
    let began = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if began.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            return Err(format!("`{}` did not end", invocation.program.display()).into());
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let read = |path: &Path| read(path, invocation, project, scratch);
    Ok(Ran {
        exit_code: status.code(),
        signal: signal(status),
        stdout: read(&out)?,
        stderr: if invocation.merged { Vec::new() } else { read(&err)? },
    })
}

/// Where the toolchain manager of Rust keeps what it installed, which it looks for below `HOME`.
pub(super) fn toolchains() -> BTreeMap<String, String> {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")]
        .into_iter()
        .map(|(key, folder)| {
            let path = std::env::var_os(key).map_or_else(|| home.join(folder), PathBuf::from);
            (key.to_owned(), path.display().to_string())
        })
        .collect()
}

/// A file with the paths of this machine replaced; empty if there is none.
pub(super) fn read(path: &Path, invocation: &Invocation, project: &Path, scratch: &Path) -> Done<Vec<u8>> {
    let mut replace = invocation.replace.clone();
    replace.push((project.display().to_string(), PROJECT.to_owned()));
    replace.push((scratch.display().to_string(), SCRATCH.to_owned()));
    if !path.exists() {
        return Ok(Vec::new());
    }
    let mut bytes = std::fs::read(path)?;
    for (from, to) in &replace {
        bytes = replaced(&bytes, from.as_bytes(), to.as_bytes());
    }
    Ok(bytes)
}

#[cfg(unix)]
fn signal(status: std::process::ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: std::process::ExitStatus) -> Option<i32> {
    None
}

fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = memchr::memmem::find(rest, from) {
        text.extend_from_slice(&rest[..at]);
        text.extend_from_slice(to);
        rest = &rest[at + from.len()..];
    }
    text.extend_from_slice(rest);
    text
}

/// The text without escape sequences, for looking up names.
pub(super) fn plain(bytes: &[u8]) -> String {
    let mut text = Vec::with_capacity(bytes.len());
    let mut rest = bytes.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte == 0x1b && rest.peek() == Some(&b'[') {
            rest.by_ref().skip(1).find(|byte| (0x40..=0x7e).contains(byte));
        } else if byte != b'\r' {
            text.push(byte);
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_replaced_wherever_they_stand() {
        assert_eq!(replaced(b"a /tmp/x/t.py /tmp/x", b"/tmp/x", b"/k"), b"a /k/t.py /k");
    }

    #[test]
    fn escapes_are_no_text() {
        assert_eq!(plain(b"\x1b[31mFAILED\x1b[0m a::b\r\n"), "FAILED a::b\n");
    }

    #[test]
    fn the_environment_is_the_recorders() {
        let folder = tempfile::tempdir().unwrap();
        let mut invocation = Invocation { program: "/bin/sh".into(), ..Invocation::default() };
        invocation.args = vec!["-c".to_owned(), "pwd; echo $CARGO$X >&2; exit 3".to_owned()];
        invocation.env.insert("X".to_owned(), "y".to_owned());
        let project = folder.path().canonicalize().unwrap();
        let ran = run(&invocation, &project, &project).unwrap();
        assert_eq!((ran.exit_code, ran.signal), (Some(3), None));
        assert_eq!(
            (ran.stdout.as_slice(), ran.stderr.as_slice()),
            (b"/srv/kit\n".as_slice(), b"y\n".as_slice())
        );
    }
}

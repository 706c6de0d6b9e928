//! Projects in temporary folders, and `verify` run on them.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

#[path = "../support/runners.rs"]
pub mod runners;

/// A project in a folder of its own, which goes with this value.
pub struct Project {
    folder: TempDir,
}

impl Project {
    /// An empty folder without git.
    pub fn bare() -> Self {
        Self { folder: tempfile::Builder::new().prefix("redgreen-test-").tempdir().unwrap() }
    }

    /// A git repository with these files, committed. A line `>> path` starts a file.
    pub fn git(files: &str) -> Self {
        let project = Self::bare();
        project.files(files);
        project.run("git", ["init", "-q", "-b", "main"]);
        project.commit("start");
        project
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Writes several files from one text. A line `>> path` starts a file.
    pub fn files(&self, text: &str) {
        for part in text.split(">> ").skip(1) {
            let (path, content) = part.split_once('\n').unwrap();
            self.write(path.trim(), content);
        }
    }

    pub fn write(&self, path: &str, content: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub fn edit(&self, path: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.at(path)).unwrap();
        assert!(text.contains(from), "{path} does not hold {from:?}");
        self.write(path, &text.replacen(from, to, 1));
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap()
    }

    pub fn remove(&self, path: &str) {
        fs::remove_file(self.at(path)).unwrap();
    }

    pub fn commit(&self, message: &str) {
        self.run("git", ["add", "-A"]);
        self.run("git", ["commit", "-q", "--allow-empty", "-m", message]);
    }

    /// Runs a program that must succeed, and gives what it printed.
    pub fn run<A: AsRef<OsStr>>(&self, program: &str, args: impl IntoIterator<Item = A>) -> String {
        let output = hermetic(program, self.path()).args(args).output().unwrap();
        assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The hash of the commit that is checked out.
    pub fn head(&self) -> String {
        self.run("git", ["rev-parse", "HEAD"]).trim().to_owned()
    }

    /// The command `verify` in this folder, ready for more.
    pub fn command<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Command {
        let mut command = hermetic(env!("CARGO_BIN_EXE_verify"), self.path());
        command.args(args);
        command
    }

    /// Runs `verify` with words split at blanks.
    pub fn verify(&self, words: &str) -> Run {
        Run::of(self.command(words.split_whitespace()))
    }

    /// Runs `verify … --format json` with words that may hold blanks.
    pub fn json_words(&self, words: &[&str]) -> Run {
        Run::of(self.command(words.iter().copied().chain(["--format", "json"])))
    }

    /// Runs `verify … --format json`.
    pub fn json(&self, words: &str) -> Run {
        Run::of(self.command(words.split_whitespace().chain(["--format", "json"])))
    }
}

/// A command without the user's git configuration, and without what would steer `verify`.
pub fn hermetic(program: &str, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(folder)
        .stdin(Stdio::null())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_NAME", "a")
        .env("GIT_AUTHOR_EMAIL", "a@example.test")
        .env("GIT_COMMITTER_NAME", "a")
        .env("GIT_COMMITTER_EMAIL", "a@example.test")
        .env_remove("VERIFY_PLAN")
        .env_remove("VERIFY_STATE_DIR")
        .env_remove("VERIFY_APPROVE")
        .env_remove("VERIFY_GATE")
        .env_remove("VERIFY_RECOGNIZE")
        .env_remove("LOKI_EVIDENCE_GATE")
        .env_remove("LOKI_DONE_RECOGNITION")
        .env_remove("LOKI_REUSE_DONE_RECOG")
        .env_remove("_LOKI_RUN_START_SHA")
        .env_remove("TARGET_DIR")
        .env_remove("PYTEST_ADDOPTS")
        .env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

/// How a run of `verify` ended.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Run {
    pub fn of(mut command: Command) -> Self {
        let output = command.output().unwrap();
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Fails the test unless it left with this code.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "stdout: {}\nstderr: {}", self.out, self.err);
        self
    }

    /// What it printed on standard output as JSON.
    #[track_caller]
    pub fn value(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|why| panic!("{why}: {self:?}"))
    }

    /// The codes of every problem of a record, its own first, then those of its checks.
    #[track_caller]
    pub fn codes(&self) -> Vec<String> {
        codes_of(&self.value())
    }

    /// Fails the test unless this code is among the record's problems.
    #[track_caller]
    pub fn names(self, code: &str) -> Self {
        assert!(self.codes().iter().any(|found| found == code), "no {code}: {:#}", self.value());
        self
    }

    /// Fails the test unless either stream holds this text.
    #[track_caller]
    pub fn says(self, text: &str) -> Self {
        assert!(self.out.contains(text) || self.err.contains(text), "does not say {text:?}: {self:#?}");
        self
    }
}

/// The codes of a record's problems.
pub fn codes_of(record: &Value) -> Vec<String> {
    let own = record["problems"].as_array().into_iter().flatten();
    let parts = ["checks", "verdicts"].into_iter().filter_map(|key| record[key].as_array()).flatten();
    own.chain(parts.flat_map(|part| part["problems"].as_array().into_iter().flatten()))
        .map(|problem| problem["code"].as_str().unwrap().to_owned())
        .collect()
}

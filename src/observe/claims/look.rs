//! Looking at what a claim says: its commits, its artifacts, its verify command.

use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::ClaimFile;
use crate::digest::Sha256;
use crate::observe::facts::Ended;
use crate::observe::facts::claims::{
    Artifact, ArtifactSeen, Brief, Claim, Command, CommitSeen, CommitState, Rerun, Seen,
};
use crate::observe::git::{Commit, Git, GitError};
use crate::observe::process::{self, Cancel};

/// How long a verify command may run.
const TIMEOUT: Duration = Duration::from_secs(30 * 60);

/// What was looked at already: many claims speak of one repository.
#[derive(Debug, Default)]
pub struct Eyes {
    folders: HashMap<PathBuf, Repository>,
}

#[derive(Debug)]
struct Repository {
    git: Result<Git, String>,
    seen: HashMap<(String, Option<String>), CommitState>,
}

impl Eyes {
    /// Looks at everything that a claim says and that can be seen from here, without running anything.
    pub fn look(&mut self, file: &ClaimFile, claim: &Claim, brief: Option<&Brief>) -> Seen {
        let cwd = folder(brief);
        let base = brief.and_then(|brief| brief.base.as_deref());
        let mut commits: Vec<_> = claim
            .commits
            .iter()
            .map(|name| CommitSeen { name: name.clone(), is: self.repository(&cwd).commit(name, base) })
            .collect();
        if commits.is_empty() {
            // Who names a branch alone means what it holds.
            let tips = claim.artifacts.iter().filter_map(|artifact| self.tip(&cwd, artifact, base));
            commits.extend(tips);
        }
        let artifacts = claim.artifacts.iter().filter_map(|artifact| self.artifact(&cwd, artifact)).collect();
        Seen { rerun: Rerun::NotRun, commits, artifacts, written_at: file.written_at }
    }

    fn repository(&mut self, cwd: &Path) -> &mut Repository {
        self.folders.entry(cwd.to_owned()).or_insert_with(|| {
            let git = match Git::discover(cwd) {
                Ok(Some(git)) => Ok(git),
                Ok(None) => Err(format!("git knows no repository at {cwd:?}")),
                Err(error) => Err(error.to_string()),
            };
            Repository { git, seen: HashMap::new() }
        })
    }

    fn tip(&mut self, cwd: &Path, artifact: &Artifact, base: Option<&str>) -> Option<CommitSeen> {
        let Artifact::Branch(name) = artifact else { return None };
        let repository = self.repository(cwd);
        let reference = repository.git.as_ref().ok()?.branch(name)?;
        Some(CommitSeen { name: name.clone(), is: repository.commit(&reference, base) })
    }

    fn artifact(&mut self, cwd: &Path, artifact: &Artifact) -> Option<ArtifactSeen> {
        match artifact {
            Artifact::File { path, sha256 } => Some(file(&cwd.join(path), path, sha256.as_deref())),
            Artifact::Branch(name) => {
                let git = self.repository(cwd).git.as_ref().ok()?;
                let wrong = git.branch(name).is_none().then(|| "there is no such branch".to_owned());
                Some(ArtifactSeen { what: format!("the branch `{name}`"), wrong })
            }
            Artifact::Command { .. } | Artifact::Other(_) => None,
        }
    }
}

impl Repository {
    fn commit(&mut self, name: &str, base: Option<&str>) -> CommitState {
        let git = match &self.git {
            Ok(git) => git,
            Err(why) => return CommitState::Unseen(why.clone()),
        };
        let key = (name.to_owned(), base.map(str::to_owned));
        if let Some(seen) = self.seen.get(&key) {
            return seen.clone();
        }
        let state = commit(git, name, base).unwrap_or_else(|error| CommitState::Unseen(error.to_string()));
        self.seen.insert(key, state.clone());
        state
    }
}

fn commit(git: &Git, name: &str, base: Option<&str>) -> Result<CommitState, GitError> {
    let Some(commit) = git.commit(name)? else { return Ok(CommitState::Missing) };
    let paths = |base: Option<Commit>| git.changed(base, commit).map_err(|error| error.to_string());
    Ok(match base {
        None => CommitState::Found { descends: None, changed: paths(None) },
        Some(base) => match git.commit(base)? {
            Some(base) => {
                CommitState::Found { descends: Some(git.descends(commit, base)?), changed: paths(Some(base)) }
            }
            None => {
                let why = format!("the brief's base `{base}` is no commit here");
                CommitState::Found { descends: None, changed: Err(why) }
            }
        },
    })
}

fn file(path: &Path, shown: &str, sha256: Option<&str>) -> ArtifactSeen {
    let wrong = match (fs::metadata(path), sha256) {
        (Err(error), _) => Some(format!("it can't be found: {error}")),
        (Ok(_), None) => None,
        // A pipe or a device may have no end, and is never opened.
        (Ok(meta), Some(_)) if !meta.is_file() => Some("it has no hash: it is not a file".to_owned()),
        (Ok(meta), Some(said)) => {
            match File::open(path).and_then(|file| Sha256::of_start(file, meta.len())) {
                Ok(hash) if hash.to_string().eq_ignore_ascii_case(said.trim()) => None,
                Ok(_) => Some("its hash is another".to_owned()),
                Err(error) => Some(format!("it can't be read: {error}")),
            }
        }
    };
    ArtifactSeen { what: format!("the file `{shown}`"), wrong }
}

/// Where the work of a claim is: as its brief says, else here.
fn folder(brief: Option<&Brief>) -> PathBuf {
    brief.and_then(|brief| brief.cwd.as_deref()).map_or_else(|| PathBuf::from("."), PathBuf::from)
}

/// Runs a verify command where the brief says. Text runs under `sh -c`, a list as it is.
#[must_use]
pub fn rerun(command: &Command, brief: Option<&Brief>, cancel: &Cancel) -> Rerun {
    let argv = match command {
        Command::Text(text) => vec!["sh".to_owned(), "-c".to_owned(), text.clone()],
        Command::Words(words) => words.clone(),
    };
    let mut command = process::Command::new(argv, folder(brief));
    command.timeout = Some(TIMEOUT);
    match process::run(&command, cancel).map(|finished| finished.facts.ended) {
        Ok(Ended::Exit(0)) => Rerun::Passed,
        Ok(Ended::Exit(code)) => Rerun::Failed(format!("it exited with {code}")),
        Ok(Ended::Signal(signal)) => Rerun::Failed(format!("signal {signal} ended it")),
        Ok(Ended::NotStarted(why)) => Rerun::Failed(why),
        Ok(Ended::Timeout) => Rerun::Failed("it ran for longer than 30 minutes".to_owned()),
        // Nothing is known of a run that was broken off.
        Ok(Ended::Cancelled(_)) => Rerun::NotRun,
        Ok(other) => Rerun::Failed(other.reason().unwrap_or_default()),
        Err(error) => Rerun::Failed(error.to_string()),
    }
}

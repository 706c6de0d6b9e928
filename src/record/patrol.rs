//! The files that a patrol writes beside claims: verdicts, the decisions log, and what it keeps from cycle to cycle.
//!
//! Each is there whole or not at all, and none is written again when nothing changed. Thousands of verdicts may be due at
//! once: all of them are written under other names, one call waits until the disk has them, and then each gets its name.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::redact::Redactor;
use super::wire::{self, ClaimVerdict, PatrolState, tag};
use crate::digest::Sha256;
use crate::judge::Code;
use crate::judge::patrol::Cycles;
use crate::observe::facts::Timestamp;

/// From how many files on one wait for the whole file system is quicker than one a file.
const MANY: usize = 32;

/// The name of what is kept from cycle to cycle.
const STATE: &str = ".patrol.json";

/// Where verdicts are written.
#[derive(Debug)]
pub struct Verdicts {
    folder: PathBuf,
    /// The verdicts as they stand on the disk.
    written: BTreeMap<OsString, ClaimVerdict>,
}

/// A file that can't be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{path:?} can't be {what}: {source}")]
pub struct PatrolError {
    what: &'static str,
    /// The file.
    pub path: PathBuf,
    source: io::Error,
}

impl PatrolError {
    fn new(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self { what, path: path.to_owned(), source }
    }
}

impl Verdicts {
    /// The verdicts in a folder, which is made if it isn't there.
    ///
    /// # Errors
    /// When it can't be made.
    pub fn open(folder: &Path) -> Result<Self, PatrolError> {
        fs::create_dir_all(folder).map_err(PatrolError::new("created", folder))?;
        Ok(Self { folder: folder.to_owned(), written: BTreeMap::new() })
    }

    /// Where the verdict on a claim of this name lies.
    #[must_use]
    pub fn path(&self, name: &OsStr) -> PathBuf {
        let mut file = name.to_owned();
        file.push(".verdict.json");
        self.folder.join(file)
    }

    /// Writes those that aren't what they were, and gives their places in the list. A verdict that stays the same keeps
    /// the moment at which it was judged first.
    ///
    /// # Errors
    /// When a file can't be written; those before it are.
    pub fn write(&mut self, verdicts: &mut [(OsString, ClaimVerdict)]) -> Result<Vec<usize>, PatrolError> {
        // A claim's own words are in it; they aren't to travel further than the claim.
        verdicts.par_iter_mut().for_each(|(_, verdict)| {
            if let Some(redacted) = Redactor::default().document(verdict) {
                *verdict = redacted;
            }
        });
        let known = &self.written;
        let folder = &*self;
        let changed: Vec<usize> = verdicts
            .par_iter_mut()
            .enumerate()
            .filter_map(|(at, (name, verdict))| {
                let before = match known.get(name) {
                    Some(before) => Some(before.clone()),
                    None => fs::read(folder.path(name)).ok().and_then(|bytes| wire::read(&bytes).ok()),
                };
                let same = before.is_some_and(|before| {
                    let now = std::mem::replace(&mut verdict.judged_at, before.judged_at);
                    let same = *verdict == before;
                    if !same {
                        verdict.judged_at = now;
                    }
                    same
                });
                (!same).then_some(at)
            })
            .collect();
        let files = changed.par_iter().filter_map(|at| verdicts.get(*at));
        let files = files.map(|(name, verdict)| Ok((self.path(name), wire::write(verdict)?)));
        let files: Result<Vec<_>, serde_json::Error> = files.collect();
        let files = files.map_err(|error| PatrolError::new("written", &self.folder)(error.into()))?;
        replace_all(&self.folder, &files)?;
        self.written.extend(verdicts.iter().cloned());
        Ok(changed)
    }

    /// What was kept from the cycles before; nothing when it can't be read.
    #[must_use]
    pub fn cycles(&self) -> Cycles {
        let kept =
            fs::read(self.folder.join(STATE)).ok().and_then(|bytes| wire::read::<PatrolState>(&bytes).ok());
        Cycles::new(kept.into_iter().flat_map(|kept| kept.rejected))
    }

    /// Keeps it for the next cycle.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn keep(&self, cycles: &Cycles) -> Result<(), PatrolError> {
        let path = self.folder.join(STATE);
        let rejected: BTreeMap<_, _> = cycles
            .counts()
            .map(|(claim, codes)| {
                (claim.to_owned(), codes.map(|(code, cycles)| (code.to_owned(), cycles)).collect())
            })
            .collect();
        if rejected.is_empty() && !path.exists() {
            return Ok(());
        }
        let state = PatrolState { schema: tag::PatrolState::V1, rejected };
        let bytes = wire::write(&state).map_err(|error| PatrolError::new("written", &path)(error.into()))?;
        if fs::read(&path).is_ok_and(|before| before == bytes) {
            return Ok(());
        }
        replace_all(&self.folder, &[(path, bytes)])
    }
}

/// Replaces files of one folder: the old bytes of each or its new ones are there at any instant.
fn replace_all(folder: &Path, files: &[(PathBuf, Vec<u8>)]) -> Result<(), PatrolError> {
    if files.is_empty() {
        return Ok(());
    }
    let at_once = files.len() >= MANY && cfg!(target_os = "linux");
    let stage = |(path, bytes): &'_ (PathBuf, Vec<u8>)| {
        let staged = staged(path);
        let write = || {
            let mut file = File::create(&staged)?;
            file.write_all(bytes)?;
            if at_once { Ok(()) } else { file.sync_all() }
        };
        write().map_err(|error| {
            // On a full disk the half-written file would take what room there is.
            let _ = fs::remove_file(&staged);
            PatrolError::new("written", path)(error)
        })?;
        Ok(staged)
    };
    // Files of one folder are made one after the other in any case: threads would only keep each other waiting.
    let staged: Result<Vec<PathBuf>, PatrolError> =
        if at_once { files.iter().map(stage).collect() } else { files.par_iter().map(stage).collect() };
    let staged = staged?;
    if at_once {
        sync_all(folder).map_err(PatrolError::new("written", folder))?;
    }
    for (staged, (path, _)) in staged.iter().zip(files) {
        fs::rename(staged, path).map_err(PatrolError::new("written", path))?;
    }
    // Elsewhere a folder can't be opened as a file, and names are written with the file.
    let synced = if cfg!(unix) { File::open(folder).and_then(|folder| folder.sync_all()) } else { Ok(()) };
    synced.map_err(PatrolError::new("written", folder))
}

/// A name that no reader of claims looks at.
fn staged(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".tmp");
    path.with_file_name(name)
}

/// Waits until all that was written to the file system of a folder is on the disk.
#[cfg(target_os = "linux")]
fn sync_all(folder: &Path) -> io::Result<()> {
    Ok(rustix::fs::syncfs(File::open(folder)?)?)
}

#[cfg(not(target_os = "linux"))]
fn sync_all(_: &Path) -> io::Result<()> {
    Ok(())
}

/// The decisions log: Markdown, one line for each cause for which a claim was rejected.
#[derive(Debug)]
pub struct Decisions {
    path: PathBuf,
    /// What was said already: the lines without their times and messages.
    said: BTreeSet<String>,
    /// Whether the last line lacks its end: whoever wrote it was stopped.
    is_torn: bool,
}

/// A line of the decisions log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Why.
    pub code: Code,
    /// What is decided: `reopened`, `escalated`, `noted`.
    pub what: &'static str,
    /// The file that it is about.
    pub file: String,
    /// The hash of its bytes; what is about no one file has none.
    pub sha256: Option<Sha256>,
    /// What, and on what.
    pub message: String,
}

impl Decisions {
    /// The log at a path, with what it says already. It is made when there is something to say.
    ///
    /// # Errors
    /// When it is there and can't be read.
    pub fn open(path: &Path) -> Result<Self, PatrolError> {
        let text = match fs::read(path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(PatrolError::new("read", path)(error)),
        };
        let said = text.lines().filter_map(|line| line.strip_prefix("- ")?.split_once(' ')).filter_map(
            |(_, rest)| {
                let (head, _) = rest.split_once("`: ")?;
                Some(head.to_owned())
            },
        );
        let is_torn = !text.is_empty() && !text.ends_with('\n');
        Ok(Self { path: path.to_owned(), said: said.collect(), is_torn })
    }

    /// Appends what wasn't said yet of the same bytes, and gives it.
    ///
    /// # Errors
    /// When the log can't be written.
    pub fn say(&mut self, at: Timestamp, decisions: Vec<Decision>) -> Result<Vec<Decision>, PatrolError> {
        let new: Vec<_> =
            decisions.into_iter().filter(|decision| self.said.insert(decision.head())).collect();
        if new.is_empty() {
            return Ok(new);
        }
        let mut lines = if self.is_torn { "\n".to_owned() } else { String::new() };
        for decision in &new {
            let mut message = one_line(&decision.message);
            Redactor::default().string(&mut message);
            lines += &format!("- {at} {}`: {message}\n", decision.head());
        }
        let append = || {
            let mut file = OpenOptions::new().create(true).append(true).open(&self.path)?;
            // One write: what others append stands before it or after.
            file.write_all(lines.as_bytes())?;
            file.sync_all()
        };
        append().map_err(PatrolError::new("written", &self.path))?;
        self.is_torn = false;
        Ok(new)
    }
}

impl Decision {
    /// What it is said of, without the last backtick.
    fn head(&self) -> String {
        let sha256 = self.sha256.map(|sha256| sha256.to_string().chars().take(12).collect::<String>());
        // A backtick or a line break in a name would end it early.
        let file = one_line(&self.file).replace('`', "\\u{60}");
        format!("{} {} {} `{file}", self.what, self.code, sha256.as_deref().unwrap_or("-"))
    }
}

/// Text without what would end its line or steer a terminal.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for sign in text.chars() {
        if sign.is_control() { line.extend(sign.escape_unicode()) } else { line.push(sign) }
    }
    line
}

#[cfg(test)]
mod tests;

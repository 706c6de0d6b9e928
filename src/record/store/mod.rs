//! The state folder: the only code that writes below it.
//!
//! ```text
//! task.json  frozen.json  evidence/<stage>-<NNNN>.json  evidence/<stage>-<NNNN>.<check>.log
//! evidence/deliver-<NNNN>.intoto.jsonl
//! maps/<sha256>.json  log.jsonl  cache/  lock  .gitignore
//! ```
//!
//! A record comes into being in four steps: it is staged under a temporary name; `log.jsonl` gets an `intent` line
//! with its hash; it is renamed; the log gets a `done` line. Each step is on the disk before the next begins, but for the
//! `done` line: what it says can be seen without it. Whoever
//! opens the folder for writing finishes an intent whose bytes are there and abandons any other, so a kill leaves
//! either the whole record or none. A finished record whose file is gone or changed, a file that no line
//! names, a line that doesn't fit its neighbours: no kill makes these, so each of them breaks the chain.
//!
//! The chain has no key. Whoever rewrites all of it, hashes included, can't be found out by it.

mod append;
mod chain;
mod disk;
mod error;
mod findings;
mod kept;
mod layout;
mod lock;
mod step;
mod writer;

use std::path::{Path, PathBuf};

use chain::Chain;
use layout::Layout;

pub use append::{Attest, Entry, RecordRef, Transcript};
pub use error::StoreError;
pub use kept::Keep;
pub use writer::Writer;

use crate::digest::Sha256;
use crate::judge::{Maps, Problem};
use crate::record::wire::{self, Document, Evidence, Files, FilesRef, Frozen, LogLine, Task, TaskNumber};

/// The state folder, for reading. It takes no lock and writes nothing but the cache.
#[derive(Debug)]
pub struct Store {
    layout: Layout,
    chain: Chain,
}

impl Store {
    /// Opens the state folder for reading. Where there is none, or one without records, the store is empty.
    ///
    /// A broken chain is no error here: [`Store::check`] tells of it, and [`Store::read`] where it concerns a record.
    ///
    /// # Errors
    /// When the log is there and can't be read.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        if folder.exists() && !folder.is_dir() {
            return Err(StoreError::NotAFolder { path: folder.to_owned() });
        }
        let layout = Layout { folder: folder.to_owned() };
        let chain = Chain::read(&disk::read(&layout.log())?.unwrap_or_default());
        Ok(Self { layout, chain })
    }

    /// Opens the state folder for who says where things stand: its log is whole, and fits the files.
    ///
    /// # Errors
    /// Those of [`Store::open`], and the first thing that doesn't fit.
    pub fn open_whole(folder: &Path) -> Result<Self, StoreError> {
        let (store, mut findings) = findings::of_files(&Layout { folder: folder.to_owned() })?;
        if findings.is_empty() { Ok(store) } else { Err(findings.swap_remove(0)) }
    }

    /// The state folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.layout.folder
    }

    /// The task in hand, or the last one; `None` before the first.
    ///
    /// # Errors
    /// When `task.json` can't be read.
    pub fn task(&self) -> Result<Option<Task>, StoreError> {
        self.document(&self.layout.task())
    }

    /// The frozen set of the current task, with the hash of its bytes; `None` before the freeze.
    ///
    /// # Errors
    /// When `frozen.json` can't be read, or isn't the one that the task's last record names.
    pub fn frozen(&self) -> Result<Option<(Frozen, Sha256)>, StoreError> {
        let Some(task) = self.task()?.map(|task| task.task) else { return Ok(None) };
        let frozen = self.frozen_of(task)?;
        if self.names_frozen(task, frozen.as_ref())? {
            return Ok(frozen);
        }
        // A writer may have frozen since the log was read.
        let now = Self::open(self.folder())?;
        let frozen = now.frozen_of(task)?;
        if now.names_frozen(task, frozen.as_ref())? {
            return Ok(frozen);
        }
        let path = self.layout.frozen();
        Err(StoreError::Corrupt { path, why: "its hash isn't the one in the task's last record".to_owned() })
    }

    /// Whether the task's last record names this frozen set, or none; or one that is just coming into place does.
    fn names_frozen(&self, task: TaskNumber, frozen: Option<&(Frozen, Sha256)>) -> Result<bool, StoreError> {
        let sha256 = frozen.map(|(_, sha256)| *sha256);
        if let Some(pending) = self.chain.pending()
            && let Some(bytes) = self.pending_bytes(pending)?
            && wire::read::<Evidence>(&bytes).is_ok_and(|evidence| evidence.frozen_sha256 == sha256)
        {
            return Ok(true);
        }
        let Some(last) = self.records_of(task).next_back() else { return Ok(true) };
        let named = self.read(last)?.frozen_sha256;
        Ok(named.is_none() || named == sha256)
    }

    /// The bytes of a record that is meant: in place, or staged.
    fn pending_bytes(&self, pending: &LogLine) -> Result<Option<Vec<u8>>, StoreError> {
        for path in [self.layout.record(&pending.record), self.layout.staged_record(&pending.record)] {
            if let Some(bytes) = disk::read(&path)?
                && Sha256::of(&bytes) == pending.sha256
            {
                return Ok(Some(bytes));
            }
        }
        Ok(None)
    }

    fn frozen_of(&self, task: TaskNumber) -> Result<Option<(Frozen, Sha256)>, StoreError> {
        let path = self.layout.frozen();
        let Some(bytes) = disk::read(&path)? else { return Ok(None) };
        let frozen: Frozen = parse(&path, &bytes)?;
        // That of an earlier task stays until the next freeze: deleting it would be a step of its own to be killed in.
        Ok((frozen.task == task).then(|| (frozen, Sha256::of(&bytes))))
    }

    /// The file maps of all repositories.
    ///
    /// # Errors
    /// When it isn't there or isn't what its hash says.
    pub fn maps(&self, files: &FilesRef) -> Result<Maps, StoreError> {
        let (path, bytes) = self.map_bytes(files.sha256)?;
        parse::<Files>(&path, &bytes).map(|files| files.0)
    }

    fn map_bytes(&self, sha256: Sha256) -> Result<(PathBuf, Vec<u8>), StoreError> {
        // The hash names the file: a path that a record gives is for people.
        let path = self.layout.maps().join(format!("{sha256}.json"));
        let corrupt = |why: &str| StoreError::Corrupt { path: path.clone(), why: why.to_owned() };
        let bytes = disk::read(&path)?.ok_or_else(|| corrupt("it is gone, and a record names it"))?;
        if Sha256::of(&bytes) != sha256 {
            return Err(corrupt("its content isn't what its name says"));
        }
        Ok((path, bytes))
    }

    /// The finished records of all tasks, in order.
    #[must_use]
    pub fn records(&self) -> &[LogLine] {
        self.chain.records()
    }

    /// The finished records of a task, in order.
    pub fn records_of(&self, task: TaskNumber) -> impl DoubleEndedIterator<Item = &LogLine> {
        self.records().iter().filter(move |line| line.task == task)
    }

    /// Every line of the log, also intents and what was abandoned.
    #[must_use]
    pub fn log(&self) -> &[LogLine] {
        self.chain.lines()
    }

    /// The finished record of this name: `red-0001.json`, `red-0001`, or its path below the state folder.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&LogLine> {
        let name = name.strip_prefix("evidence/").unwrap_or(name);
        let stem = name.strip_suffix(".json").unwrap_or(name);
        self.records().iter().find(|line| line.record.strip_suffix(".json") == Some(stem))
    }

    /// A record.
    ///
    /// # Errors
    /// When it is gone, or isn't what the log says.
    pub fn read(&self, record: &LogLine) -> Result<Evidence, StoreError> {
        let bytes = self.record_bytes(record)?;
        parse(&self.layout.record(&record.record), &bytes)
    }

    /// The bytes of a record, as they were written.
    ///
    /// # Errors
    /// When it is gone, or isn't what the log says.
    pub fn record_bytes(&self, record: &LogLine) -> Result<Vec<u8>, StoreError> {
        let path = self.layout.record(&record.record);
        let Some(bytes) = disk::read(&path)? else {
            return Err(StoreError::broken(path, "the log says that it was finished, and it is gone"));
        };
        if Sha256::of(&bytes) != record.sha256 {
            // What can't be read at all is damage; what reads well and is something else was put there.
            parse::<Evidence>(&path, &bytes)?;
            return Err(StoreError::broken(path, "its hash isn't the one in the log"));
        }
        Ok(bytes)
    }

    /// The signed statements about a record; `None`: it isn't signed.
    ///
    /// # Errors
    /// When they are there and can't be read.
    pub fn attestation(&self, record: &LogLine) -> Result<Option<Vec<u8>>, StoreError> {
        disk::read(&self.layout.attestation(&record.record))
    }

    /// Where the copy of a check's output lies. It may be missing.
    #[must_use]
    pub fn transcript(&self, record: &LogLine, check: &str) -> PathBuf {
        self.layout.transcript(&record.record, check)
    }

    /// Everything that is wrong with the chain, and with what its records name. Empty: it is whole.
    ///
    /// `chain-broken`: records and log don't fit each other (a record was edited, deleted, swapped or put in).
    /// `record-corrupt`: a file can't be read, or isn't the one whose hash a record names. `record-newer`: a later
    /// version wrote it.
    ///
    /// # Errors
    /// When the folder or its log can't be read.
    pub fn check(&self) -> Result<Vec<Problem>, StoreError> {
        Ok(findings::full(&self.layout)?.iter().map(Problem::from).collect())
    }

    /// A file of the cache. `None`: it isn't there, or can't be read.
    #[must_use]
    pub fn cached(&self, name: &str) -> Option<Vec<u8>> {
        layout::is_id(name).then(|| std::fs::read(self.layout.cache().join(name)).ok())?
    }

    /// Writes a file of the cache. It does nothing where that can't be done, since a cache may always be missing.
    pub fn cache(&self, name: &str, bytes: &[u8]) {
        if layout::is_id(name)
            && let Ok(mut file) = tempfile::NamedTempFile::new_in(self.layout.cache())
            && std::io::Write::write_all(&mut file, bytes).is_ok()
        {
            let _ = file.persist(self.layout.cache().join(name));
        }
    }

    fn document<D: Document>(&self, path: &Path) -> Result<Option<D>, StoreError> {
        disk::read(path)?.map(|bytes| parse(path, &bytes)).transpose()
    }
}

fn parse<D: Document>(path: &Path, bytes: &[u8]) -> Result<D, StoreError> {
    wire::read(bytes).map_err(|error| StoreError::of_read(path, &error))
}

#[cfg(test)]
mod tests;

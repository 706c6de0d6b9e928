//! The state folder, for writing.

use std::fs;
use std::io::ErrorKind;
use std::ops::Deref;
use std::path::Path;
use std::time::Duration;

use super::chain::Chain;
use super::disk::Sync;
use super::lock::Lock;
use super::step::{Step, Steps};
use super::{Layout, Store, StoreError, disk, findings, layout};
use crate::digest::Sha256;
use crate::judge::Maps;
use crate::record::redact::{self, Redactor};
use crate::record::wire::{self, Files, FilesRef, Frozen, LogLine, LogState, Task};

/// The state folder, for writing. It holds the lock until it is dropped.
#[derive(Debug)]
pub struct Writer {
    store: Store,
    pub(super) steps: Steps,
    /// A write failed half-way: what is on the disk has to be read again before the next.
    pub(super) unsure: bool,
    /// What every text passes before it is written.
    pub(super) redactor: Redactor,
    _lock: Lock,
}

impl Deref for Writer {
    type Target = Store;

    fn deref(&self) -> &Store {
        &self.store
    }
}

impl Writer {
    /// Opens the state folder for writing, and makes it where there is none. What an earlier writer left unfinished is
    /// finished or abandoned.
    ///
    /// # Errors
    /// When another writer is at work for longer than `wait`, when the folder can't be written, or when something in it
    /// is damaged, of a later version, or no part of the chain. Nothing is changed then.
    pub fn open(folder: &Path, wait: Duration) -> Result<Self, StoreError> {
        let layout = Layout { folder: folder.to_owned() };
        refuse_other_folders(&layout)?;
        make_folder(folder)?;
        let lock = Lock::take(&layout.lock(), folder, wait)?;
        let mut writer = Self {
            store: Store { layout, chain: Chain::default() },
            steps: Steps::default(),
            unsure: true,
            redactor: Redactor::default(),
            _lock: lock,
        };
        writer.recover()?;
        Ok(writer)
    }

    /// From now on this takes secrets out of what is written; before, only what the detector knows goes.
    pub fn redact_with(&mut self, redactor: Redactor) {
        self.redactor = redactor;
    }

    /// What takes secrets out of what is written.
    #[must_use]
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// Reads what is there, and finishes or abandons what is pending.
    pub(super) fn recover(&mut self) -> Result<(), StoreError> {
        let layout = self.store.layout.clone();
        self.store = Store::open(&layout.folder)?;
        // Before anything is written: a folder that isn't understood stays as it is.
        if let Some(error) = findings::quick(&self.store)?.into_iter().next() {
            return Err(error);
        }
        for folder in [layout.evidence(), layout.maps(), layout.cache()] {
            make_folder(&folder)?;
        }
        if disk::read(&layout.gitignore())?.is_none() {
            disk::replace(&layout.gitignore(), b"*\n")?;
        }
        match disk::read(&layout.log())? {
            None => disk::replace(&layout.log(), b"")?,
            Some(log) if log.len() as u64 > self.store.chain.length() => {
                disk::truncate(&layout.log(), self.store.chain.length())?;
            }
            Some(_) => {}
        }
        if let Some(pending) = self.store.chain.pending().cloned() {
            if self.store.pending_bytes(&pending)?.is_some() {
                self.finish(&pending)?
            } else {
                self.abandon(pending)?
            }
        }
        self.unsure = false;
        Ok(())
    }

    /// Brings a record whose intent is written, and all that belongs to it, into place.
    pub(super) fn finish(&mut self, intent: &LogLine) -> Result<(), StoreError> {
        let layout = self.store.layout.clone();
        let record = layout.record(&intent.record);
        let was_there = record.exists();
        if !was_there {
            disk::publish(&layout.staged_record(&intent.record), &record)?;
        }
        disk::sync_folder(&layout.evidence())?;
        self.reached(Step::Renamed)?;
        let mut moved = false;
        for (staged, place) in layout.companions(&intent.record) {
            if staged.exists() {
                disk::publish(&staged, &place)?;
                moved = true;
            }
        }
        // Who finishes what another began can't know what that one moved and had no time to sync.
        if moved || was_there {
            disk::sync_folder(&layout.evidence())?;
            disk::sync_folder(&layout.folder)?;
        }
        self.reached(Step::Bound)?;
        // Should the line get lost with the power, the intent and the record are there, and the next writer adds it.
        self.log(LogLine { state: LogState::Done, ..intent.clone() }, Sync::Later)?;
        self.reached(Step::Done)
    }

    fn abandon(&mut self, intent: LogLine) -> Result<(), StoreError> {
        let layout = self.store.layout.clone();
        let companions = layout.companions(&intent.record).map(|(staged, _)| staged);
        for staged in companions.iter().chain([&layout.staged_record(&intent.record)]) {
            match fs::remove_file(staged) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(StoreError::unwritable(staged)(error));
                }
                _ => {}
            }
        }
        self.log(LogLine { state: LogState::Abandoned, ..intent }, Sync::Now)
    }

    /// Adds a line to the log.
    pub(super) fn log(&mut self, line: LogLine, sync: Sync) -> Result<(), StoreError> {
        let path = self.store.layout.log();
        let bytes = encode(&path, &line)?;
        disk::append(&path, self.store.chain.length(), &bytes, sync)?;
        self.store.chain.push(line, bytes.len() as u64);
        Ok(())
    }

    pub(super) fn reached(&self, step: Step) -> Result<(), StoreError> {
        self.steps.reached(step).map_err(StoreError::unwritable(&self.store.layout.folder))
    }

    /// Begins a task. A plan without a red phase freezes at once.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn begin(&mut self, task: &Task, frozen: Option<&Frozen>) -> Result<(), StoreError> {
        // The frozen set first: one of a task that isn't there yet counts for nothing.
        if let Some(frozen) = frozen {
            let path = self.store.layout.frozen();
            disk::replace(&path, &encode(&path, &self.redactor.frozen(frozen))?)?;
        }
        self.set_task(task)
    }

    /// Writes `task.json` anew. What has to change together with a record goes with [`super::Entry::task`] instead.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn set_task(&mut self, task: &Task) -> Result<(), StoreError> {
        let path = self.store.layout.task();
        disk::replace(&path, &encode(&path, &self.redactor.task(task))?)
    }

    /// Deletes what is cached of the work tree: a name in it holds a secret.
    fn forget_names(&self) {
        let cached = fs::read_dir(self.store.layout.cache()).into_iter().flatten().flatten();
        for file in cached.filter(|file| file.file_name().to_string_lossy().starts_with("files-")) {
            // Without the cache the next look is slower, and as right.
            let _ = fs::remove_file(file.path());
        }
    }

    /// Keeps the file maps of all repositories. Equal ones are kept once.
    ///
    /// # Errors
    /// When it can't be written, or what lies under its name is something else.
    pub fn put_maps(&mut self, maps: &Maps) -> Result<FilesRef, StoreError> {
        let folder = self.store.layout.maps();
        let redacted = redact::maps(maps);
        if redacted.is_some() {
            self.forget_names();
        }
        let maps = redacted.as_ref().unwrap_or(maps);
        let bytes = Files::to_json(maps).map_err(|error| StoreError::unwritable(&folder)(error.into()))?;
        let sha256 = Sha256::of(&bytes);
        let name = format!("{sha256}.json");
        let path = folder.join(&name);
        if path.exists() {
            self.store.map_bytes(sha256)?;
        } else {
            disk::replace(&path, &bytes)?;
        }
        Ok(FilesRef { sha256, path: format!("maps/{name}") })
    }
}

pub(super) fn encode<D: serde::Serialize>(path: &Path, document: &D) -> Result<Vec<u8>, StoreError> {
    wire::write(document).map_err(|error| StoreError::unwritable(path)(error.into()))
}

/// Keeps a wrong `--state-dir` from making a folder of the project one that git ignores and no guard looks at.
fn refuse_other_folders(layout: &Layout) -> Result<(), StoreError> {
    let Ok(entries) = fs::read_dir(&layout.folder) else {
        // It isn't there yet, or making it will say what is wrong.
        return Ok(());
    };
    if layout.log().exists() {
        return Ok(());
    }
    for entry in entries {
        let name = entry.map_err(StoreError::unreadable(&layout.folder))?.file_name();
        let name = name.to_string_lossy();
        if !layout::is_ours(&name) {
            return Err(StoreError::Occupied { path: layout.folder.clone(), name: name.into_owned() });
        }
    }
    Ok(())
}

fn make_folder(folder: &Path) -> Result<(), StoreError> {
    if folder.is_dir() {
        return Ok(());
    }
    match fs::create_dir_all(folder) {
        Ok(()) => match folder.parent() {
            Some(parent) if parent.as_os_str().is_empty() => disk::sync_folder(Path::new(".")),
            Some(parent) => disk::sync_folder(parent),
            None => Ok(()),
        },
        Err(_) if folder.exists() && !folder.is_dir() => {
            Err(StoreError::NotAFolder { path: folder.to_owned() })
        }
        Err(error) => Err(StoreError::unwritable(folder)(error)),
    }
}

//! Files that are there whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use super::StoreError;

/// When bytes have to be on the disk. Waiting for it takes 0.3 ms on an idle disk, and ten times that on a busy one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sync {
    /// Before anything else is done.
    Now,
    /// When the system finds time. They are whole or not there only as long as the machine runs.
    Later,
}

impl Sync {
    fn wait(self, file: &File) -> std::io::Result<()> {
        match self {
            Self::Now => file.sync_all(),
            Self::Later => Ok(()),
        }
    }
}

/// The bytes of a file; `None` when there is none.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::unreadable(path)(error)),
    }
}

/// Writes a file under a name that nobody reads yet, and waits until it is on the disk.
pub(super) fn stage(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    stage_with(path, Sync::Now, |file| file.write_all(bytes))
}

/// [`stage`] for bytes that come piece by piece.
pub(super) fn stage_with(
    path: &Path,
    sync: Sync,
    write: impl FnOnce(&mut File) -> std::io::Result<()>,
) -> Result<(), StoreError> {
    let staged = File::create(path).and_then(|mut file| {
        write(&mut file)?;
        sync.wait(&file)
    });
    staged.map_err(|error| {
        // On a full disk the half-written file would take what room there is.
        let _ = fs::remove_file(path);
        StoreError::unwritable(path)(error)
    })
}

/// Gives a staged file its name. The folder is still to be synced.
pub(super) fn publish(staged: &Path, path: &Path) -> Result<(), StoreError> {
    fs::rename(staged, path).map_err(StoreError::unwritable(path))
}

/// Replaces a file: its old bytes or its new ones are there at any instant.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let staged = super::layout::with_suffix(path, ".tmp");
    stage(&staged, bytes)?;
    publish(&staged, path)?;
    path.parent().map_or(Ok(()), sync_folder)
}

/// Waits until the names in a folder are on the disk.
pub(super) fn sync_folder(folder: &Path) -> Result<(), StoreError> {
    // Elsewhere a folder can't be opened as a file, and names are written with the file.
    if cfg!(unix) { File::open(folder).and_then(|file| file.sync_all()) } else { Ok(()) }
        .map_err(StoreError::unwritable(folder))
}

/// Adds to a file that must have this length.
pub(super) fn append(path: &Path, length: u64, bytes: &[u8], sync: Sync) -> Result<(), StoreError> {
    let replaced = || StoreError::Replaced { path: path.to_owned() };
    let mut file = match OpenOptions::new().append(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(replaced()),
        Err(error) => return Err(StoreError::unwritable(path)(error)),
    };
    if file.metadata().map_err(StoreError::unwritable(path))?.len() != length {
        return Err(replaced());
    }
    file.write_all(bytes).and_then(|()| sync.wait(&file)).map_err(|error| {
        // Best effort: a half line at the end is passed over by readers and cut by the next writer.
        let _ = file.set_len(length);
        StoreError::unwritable(path)(error)
    })
}

/// Cuts a file to this length.
pub(super) fn truncate(path: &Path, length: u64) -> Result<(), StoreError> {
    OpenOptions::new()
        .write(true)
        .open(path)
        .and_then(|file| {
            file.set_len(length)?;
            file.sync_all()
        })
        .map_err(StoreError::unwritable(path))
}

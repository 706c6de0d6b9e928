//! One writer at a time. The kernel holds the lock, so the dead hold none.

use std::fs::{File, OpenOptions};
use std::path::Path;
use std::time::Duration;

use super::StoreError;

const PAUSE: Duration = Duration::from_millis(20);

/// A lock that is held until this is dropped.
#[derive(Debug)]
pub(super) struct Lock(#[expect(dead_code, reason = "the open file is the lock")] File);

impl Lock {
    /// Takes the lock, trying for as long as `wait` says.
    pub(super) fn take(path: &Path, folder: &Path, wait: Duration) -> Result<Self, StoreError> {
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path)
            .map_err(StoreError::unwritable(path))?;
        let mut left = wait;
        while !try_lock(&file).map_err(StoreError::unwritable(path))? {
            if left.is_zero() {
                return Err(StoreError::Locked { path: folder.to_owned() });
            }
            let pause = PAUSE.min(left);
            std::thread::sleep(pause);
            left -= pause;
        }
        Ok(Self(file))
    }
}

#[cfg(unix)]
fn try_lock(file: &File) -> std::io::Result<bool> {
    use rustix::fs::{FlockOperation, flock};
    use rustix::io::Errno;
    loop {
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(true),
            Err(Errno::WOULDBLOCK) => return Ok(false),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Commands that write records are built for Unix alone.
#[cfg(not(unix))]
fn try_lock(_: &File) -> std::io::Result<bool> {
    Ok(true)
}

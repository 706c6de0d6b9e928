//! Reading content, and noticing when it moves meanwhile.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

use sha2::Digest as _;

use super::FilesError;
use super::stat::Stat;
use crate::digest::Sha256;

/// How much is read at once.
const BLOCK: usize = 128 * 1024;

/// The hash of a file's content or a link's target, with what the system said of it when it was read; `None`: it is gone.
/// `seen` is what it said before. What changes while it is read is read once more.
pub(super) fn read(
    path: &Path,
    seen: Stat,
    block: &mut Vec<u8>,
) -> Result<Option<(Stat, Sha256)>, FilesError> {
    let mut stat = seen;
    for _ in 0..2 {
        match read_once(path, &stat, block) {
            Ok(Some(sha256)) => return Ok(Some((stat, sha256))),
            Ok(None) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(FilesError::unreadable(path, error)),
        }
        stat = match fs::symlink_metadata(path) {
            Ok(meta) => Stat::of(&meta),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(error) => return Err(FilesError::unreadable(path, error)),
        };
        if !stat.is_file() && !stat.is_link() {
            break;
        }
    }
    Err(FilesError::Moving { path: path.to_owned() })
}

/// `None`: it isn't what `stat` says, or isn't any more.
fn read_once(path: &Path, stat: &Stat, block: &mut Vec<u8>) -> io::Result<Option<Sha256>> {
    if stat.is_link() {
        let target = match fs::read_link(path) {
            Ok(target) => target,
            Err(error) if error.kind() == ErrorKind::InvalidInput => return Ok(None),
            Err(error) => return Err(error),
        };
        let target = gix::path::into_bstr(target).map_err(io::Error::other)?;
        let same = Stat::of(&fs::symlink_metadata(path)?) == *stat;
        return Ok(same.then(|| Sha256::of(&target)));
    }
    let Some(mut file) = open(path)? else { return Ok(None) };
    block.resize(BLOCK, 0);
    let mut hash = sha2::Sha256::new();
    // Never more than there was: what took the file's place may have no end.
    let mut left = stat.size;
    while left > 0 {
        let most = usize::try_from(left).map_or(BLOCK, |left| left.min(BLOCK));
        let count = match file.read(block.get_mut(..most).unwrap_or_default()) {
            Ok(0) => return Ok(None),
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
            Err(error) => return Err(error),
        };
        hash.update(block.get(..count).unwrap_or_default());
        left = left.saturating_sub(u64::try_from(count).unwrap_or(u64::MAX));
    }
    // Asked last, this also says that it was this file that was opened, and that nothing follows what was read.
    let same = Stat::of(&file.metadata()?) == *stat;
    Ok(same.then(|| Sha256(hash.finalize().into())))
}

/// Opens a file that may have become something else: a link isn't followed, and a FIFO isn't waited for.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<Option<File>> {
    use std::os::unix::fs::OpenOptionsExt as _;

    use rustix::fs::OFlags;
    use rustix::io::Errno;

    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    match OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<Option<File>> {
    OpenOptions::new().read(true).open(path).map(Some)
}

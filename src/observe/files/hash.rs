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
    if Stat::of(&file.metadata()?) != *stat {
        return Ok(None);
    }
    block.resize(BLOCK, 0);
    let mut hash = sha2::Sha256::new();
    loop {
        let count = match file.read(block) {
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if count == 0 {
            break;
        }
        hash.update(block.get(..count).unwrap_or_default());
    }
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

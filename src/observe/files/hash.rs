//! Reading content, and noticing when it moves meanwhile.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

use sha2::Digest as _;

use super::stat::Stat;
use super::{FilesError, ahead};
use crate::digest::Sha256;

/// How much is read at once.
const BLOCK: usize = 128 * 1024;

/// From this size on a thread of its own reads ahead: it costs less than what it saves.
const LARGE: u64 = 16 << 20;

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
    let Some(sha256) = content(&mut file, stat.size, block)? else { return Ok(None) };
    // Asked last, this also says that it was this file that was opened, and that nothing follows what was read.
    let same = Stat::of(&file.metadata()?) == *stat;
    Ok(same.then_some(sha256))
}

/// The hash of so many bytes; `None`: there are fewer.
/// Never more than there were: what took the file's place may have no end.
fn content(file: &mut File, size: u64, block: &mut Vec<u8>) -> io::Result<Option<Sha256>> {
    let mut hash = sha2::Sha256::new();
    let mut left = size;
    if size >= LARGE {
        ahead::blocks(file, size, |block| {
            hash.update(block);
            left = left.saturating_sub(block.len() as u64);
        })?;
    } else {
        block.resize(BLOCK, 0);
        while left > 0 {
            let read = fill(file, block, left)?;
            if read.is_empty() {
                break;
            }
            hash.update(read);
            left = left.saturating_sub(read.len() as u64);
        }
    }
    Ok((left == 0).then(|| Sha256(hash.finalize().into())))
}

/// The next bytes of a file, at most so many as are left; none where it ends, or gives nothing without waiting.
pub(super) fn fill<'b>(file: &mut File, block: &'b mut [u8], left: u64) -> io::Result<&'b [u8]> {
    let most = usize::try_from(left).map_or(block.len(), |left| left.min(block.len()));
    loop {
        match file.read(block.get_mut(..most).unwrap_or_default()) {
            Ok(count) => return Ok(block.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(&[]),
            Err(error) => return Err(error),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_files_are_hashed_as_small_ones() {
        let file = tempfile::tempfile().unwrap();
        for size in [0, 7, LARGE - 1, LARGE, LARGE + 7] {
            file.set_len(size).unwrap();
            let hash = |asked| content(&mut rewound(&file), asked, &mut Vec::new()).unwrap();
            assert_eq!(hash(size), Some(Sha256::of(&vec![0; size as usize])), "{size} bytes");
            assert_eq!(hash(size + 1), None, "{size} bytes and no more");
        }
    }

    fn rewound(file: &File) -> File {
        use std::io::Seek as _;

        let mut file = file.try_clone().unwrap();
        file.rewind().unwrap();
        file
    }
}

//! Reading ahead: the system copies one block of a large file while another is hashed.

use std::fs::File;
use std::io;
use std::sync::mpsc::sync_channel;
use std::thread;

use super::hash::fill;

/// Large enough that threads seldom wait for each other, small enough to stay in a core's cache.
const BLOCK: usize = 512 * 1024;

/// One is filled, one waits, one is looked at.
const BLOCKS: usize = 3;

/// Gives so many bytes of a file block by block, in order; fewer where it ends before.
///
/// # Errors
/// When it can't be read.
pub(super) fn blocks(file: &mut File, size: u64, mut look: impl FnMut(&[u8])) -> io::Result<()> {
    let (filled, to_look) = sync_channel::<(Vec<u8>, usize)>(BLOCKS);
    let (looked, to_fill) = sync_channel::<Vec<u8>>(BLOCKS);
    thread::scope(|scope| {
        let reader = thread::Builder::new().spawn_scoped(scope, move || {
            let empty = (0..BLOCKS).map(|_| vec![0; BLOCK]);
            let mut left = size;
            for mut block in empty.chain(to_fill) {
                let count = fill(file, &mut block, left)?.len();
                left = left.saturating_sub(count as u64);
                if count == 0 || filled.send((block, count)).is_err() || left == 0 {
                    break;
                }
            }
            Ok(())
        })?;
        for (block, count) in to_look {
            look(block.get(..count).unwrap_or_default());
            // The reader may have ended: then nobody fills it again.
            let _ = looked.send(block);
        }
        reader.join().unwrap_or_else(|_| Err(io::Error::other("the thread that reads it ended early")))
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn all_of_a_file_in_order_and_no_more_than_was_asked_for() {
        let text: Vec<u8> = (0..5 * BLOCK as u64 + 7).map(|at| (at % 251) as u8).collect();
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&text).unwrap();
        let whole = text.len();
        for (asked, given) in [(whole, whole), (whole - 9, whole - 9), (whole + 9, whole), (1, 1), (0, 0)] {
            let mut read = Vec::new();
            blocks(&mut file.reopen().unwrap(), asked as u64, |block| read.extend_from_slice(block)).unwrap();
            assert!(read == text[..given], "{asked} bytes were asked for, {} given", read.len());
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_cant_be_read_is_an_error() {
        let mut folder = File::open(std::env::temp_dir()).unwrap();
        assert!(blocks(&mut folder, 9, |_| {}).is_err());
    }
}

//! What files held when the task began, where nobody else will know it later: one file in the cache, which may always
//! be missing.
//!
//! ```text
//! <sha256> <length>\n<bytes>\n…
//! ```

use std::collections::BTreeMap;

use super::{Store, Writer};
use crate::digest::Sha256;
use crate::record::redact::Redactor;
use crate::record::wire::TaskNumber;

const PREFIX: &str = "baseline-";

/// The largest file that is kept, in bytes, and the most of all together.
const FILE_LIMIT: usize = 4 << 20;
const LIMIT: usize = 64 << 20;

/// Contents that wait to be kept.
#[derive(Debug, Default)]
pub struct Keep {
    bytes: Vec<u8>,
    known: std::collections::BTreeSet<Sha256>,
    /// How many were left out since they, or all together, are too large.
    pub too_large: usize,
}

impl Keep {
    /// Whether a content of this size finds room.
    #[must_use]
    pub fn has_room(&self, size: u64) -> bool {
        size <= FILE_LIMIT as u64 && self.bytes.len() as u64 + size <= LIMIT as u64
    }

    /// Takes a content in, unless it is too large or holds a secret: no file of the state folder holds one.
    pub fn add(&mut self, sha256: Sha256, bytes: &[u8], redactor: &Redactor) {
        if self.known.contains(&sha256) {
            return;
        }
        if !self.has_room(bytes.len() as u64) {
            self.too_large += 1;
            return;
        }
        if redactor.finds(bytes) {
            return;
        }
        self.known.insert(sha256);
        self.bytes.extend_from_slice(format!("{sha256} {}\n", bytes.len()).as_bytes());
        self.bytes.extend_from_slice(bytes);
        self.bytes.push(b'\n');
    }
}

impl Writer {
    /// Keeps contents for a task, and forgets those of others. It does nothing where that can't be done.
    pub fn keep(&self, task: TaskNumber, keep: &Keep) {
        let cache = self.layout.cache();
        for entry in std::fs::read_dir(&cache).into_iter().flatten().flatten() {
            if entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX)) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
        if !keep.bytes.is_empty() {
            self.cache(&format!("{PREFIX}{task}"), &keep.bytes);
        }
    }
}

impl Store {
    /// What was kept for a task. What can't be read is left out.
    #[must_use]
    pub fn kept(&self, task: TaskNumber) -> BTreeMap<Sha256, Vec<u8>> {
        let bytes = self.cached(&format!("{PREFIX}{task}")).unwrap_or_default();
        let mut kept = BTreeMap::new();
        let mut rest = bytes.as_slice();
        while let Some((sha256, content, after)) = next(rest) {
            kept.insert(sha256, content.to_vec());
            rest = after;
        }
        kept
    }
}

fn next(bytes: &[u8]) -> Option<(Sha256, &[u8], &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let head = std::str::from_utf8(bytes.get(..end)?).ok()?;
    let (sha256, length) = head.split_once(' ')?;
    let rest = bytes.get(end + 1..)?;
    let length: usize = length.parse().ok()?;
    let content = rest.get(..length)?;
    Some((sha256.parse().ok()?, content, rest.get(length..)?.strip_prefix(b"\n")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_again() {
        let mut keep = Keep::default();
        let contents: [&[u8]; 3] = [b"", b"a\n\nb", b"\0\xff\n"];
        for content in contents {
            keep.add(Sha256::of(content), content, &Redactor::default());
            keep.add(Sha256::of(content), content, &Redactor::default());
        }
        let mut rest = keep.bytes.as_slice();
        for content in contents {
            let (sha256, found, after) = next(rest).unwrap();
            assert_eq!((sha256, found), (Sha256::of(content), content));
            rest = after;
        }
        assert_eq!(rest, b"");
        assert_eq!(next(&keep.bytes[..keep.bytes.len() - 1]).map(|it| it.1), Some(b"".as_slice()));
    }

    #[test]
    fn there_is_a_limit() {
        let mut keep = Keep::default();
        keep.add(Sha256::of(b"x"), &vec![b'x'; FILE_LIMIT + 1], &Redactor::default());
        assert_eq!((keep.too_large, keep.bytes.len()), (1, 0));
    }
}

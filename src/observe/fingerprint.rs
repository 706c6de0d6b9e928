//! One SHA-256 over the files that count, so that evidence names exactly what it describes. Nothing here touches the
//! world.
//!
//! Each entry is `kind` (one ASCII letter), NUL, the 64 lower-case hex digits of its content's SHA-256, NUL, its path,
//! NUL; entries come in order of the path's bytes. No field can hold a NUL, so no two maps have the same bytes.

use std::collections::BTreeMap;

use sha2::Digest as _;

use super::facts::{EntryKind, FileMap};
use crate::digest::Sha256;

/// The fingerprint of one repository.
///
/// `env` names variables and their values: they follow the files as entries of kind `e`, by name, whose content is
/// the value. A variable that isn't set has no entry, so that "unset" and "empty" differ.
#[must_use]
pub fn fingerprint(map: &FileMap, env: &[(String, Option<Vec<u8>>)]) -> Sha256 {
    let mut entries = Entries::new();
    for entry in map.entries() {
        entries.add(entry.kind.letter(), &entry.sha256, &entry.path);
    }
    let values: BTreeMap<&str, &[u8]> =
        env.iter().filter_map(|(name, value)| Some((name.as_str(), value.as_deref()?))).collect();
    for (name, value) in values {
        entries.add(b'e', &Sha256::of(value), name.as_bytes());
    }
    entries.finish()
}

/// The part of a map that lies below a folder, with paths as they are: what `of = "path"` counts.
///
/// An empty `prefix` is the whole map. A submodule or link that *is* the folder counts too.
#[must_use]
pub fn below(map: &FileMap, prefix: &[u8]) -> FileMap {
    let inside = |path: &[u8]| {
        prefix.is_empty()
            || path.strip_prefix(prefix).is_some_and(|rest| matches!(rest.first(), None | Some(b'/')))
    };
    FileMap::new(map.entries().iter().filter(|entry| inside(&entry.path)).cloned().collect())
}

/// The fingerprint of a task: that of its only repository, or, of several, the SHA-256 over `id` NUL `fingerprint`
/// NUL in order of id.
#[must_use]
pub fn combined(fingerprints: &BTreeMap<String, Sha256>) -> Sha256 {
    if let (1, Some(only)) = (fingerprints.len(), fingerprints.values().next()) {
        return *only;
    }
    let mut hash = sha2::Sha256::new();
    for (id, fingerprint) in fingerprints {
        hash.update(id);
        hash.update([0]);
        hash.update(fingerprint.hex());
        hash.update([0]);
    }
    Sha256(hash.finalize().into())
}

/// The content of a submodule's entry: its HEAD in hex and, when it is checked out, a line feed and the fingerprint of
/// its own files.
#[must_use]
pub fn submodule_content(head: &str, inner: Option<&FileMap>) -> Vec<u8> {
    let mut content = head.as_bytes().to_vec();
    if let Some(map) = inner {
        content.push(b'\n');
        content.extend_from_slice(&fingerprint(map, &[]).hex());
    }
    content
}

/// The bytes of the entries on their way into the hash. Gathered in blocks: a hash fed field by field is slow.
struct Entries {
    block: Vec<u8>,
    hash: sha2::Sha256,
}

impl Entries {
    const BLOCK: usize = 64 * 1024;

    fn new() -> Self {
        Self { block: Vec::with_capacity(Self::BLOCK), hash: sha2::Sha256::new() }
    }

    fn add(&mut self, kind: u8, content: &Sha256, path: &[u8]) {
        self.block.extend_from_slice(&[kind, 0]);
        self.block.extend_from_slice(&content.hex());
        self.block.push(0);
        self.block.extend_from_slice(path);
        self.block.push(0);
        if self.block.len() > Self::BLOCK - 512 {
            self.hash.update(&self.block);
            self.block.clear();
        }
    }

    fn finish(mut self) -> Sha256 {
        self.hash.update(&self.block);
        Sha256(self.hash.finalize().into())
    }
}

// The letter of `e` must stay free of the kinds that files have.
const _: () = assert!(EntryKind::of_letter(b'e').is_none());

#[cfg(test)]
mod tests;

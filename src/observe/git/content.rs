//! What a commit holds.

use bstr::{BStr, ByteSlice as _};

use super::Git;

impl Git {
    /// The bytes of a file in a commit. `None`: it has none there, or they can't be had any more.
    pub(in crate::observe) fn content_at(&self, commit: &str, path: &BStr) -> Option<Vec<u8>> {
        let commit = gix::ObjectId::from_hex(commit.as_bytes()).ok()?;
        let tree = self.repository.find_commit(commit).ok()?.tree().ok()?;
        let entry = tree.lookup_entry(path.split_str("/")).ok()??;
        let is_file = entry.mode().is_blob();
        let mut object = if is_file { entry.object().ok()? } else { return None };
        Some(std::mem::take(&mut object.data))
    }
}

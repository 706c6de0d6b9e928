//! What a commit holds.

use bstr::{BStr, ByteSlice as _};

use super::Git;

impl Git {
    /// The bytes of a file in a commit, as git keeps them: no filter has run over them. Of a link its target. `None`: it
    /// has none there, or they can't be had any more.
    pub(in crate::observe) fn blob_at(&self, commit: &str, path: &BStr) -> Option<Vec<u8>> {
        let commit = gix::ObjectId::from_hex(commit.as_bytes()).ok()?;
        let tree = self.repository.find_commit(commit).ok()?.tree().ok()?;
        let entry = tree.lookup_entry(path.split_str("/")).ok()??;
        if !entry.mode().is_blob_or_symlink() {
            return None;
        }
        let mut object = entry.object().ok()?;
        Some(std::mem::take(&mut object.data))
    }
}

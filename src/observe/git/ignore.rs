//! Ignore rules that lie outside the work tree, and what a sparse checkout leaves out of it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use bstr::BString;

use super::index::folder_of;
use super::{Git, GitError};
use crate::digest::Sha256;
use crate::observe::facts::{IgnoreOrigin, IgnoreSource};

impl Git {
    /// The user's own rules, then those of `info/exclude`: the later ones win.
    ///
    /// # Errors
    /// When a file that is there can't be read.
    pub(in crate::observe) fn global_ignore(&self) -> Result<Vec<IgnoreSource>, GitError> {
        let exclude = self.repository.common_dir().join("info").join("exclude");
        let files = [(IgnoreOrigin::Global, self.excludes_file()), (IgnoreOrigin::Exclude, Some(exclude))];
        let mut sources = Vec::new();
        for (origin, path) in files {
            let Some(path) = path else { continue };
            if let Some(text) = read(&path)? {
                sources.push(IgnoreSource { folder: BString::default(), origin, text });
            }
        }
        Ok(sources)
    }

    /// `core.excludesFile`, else where git looks for it.
    fn excludes_file(&self) -> Option<PathBuf> {
        match self.repository.config_snapshot().trusted_path("core.excludesFile") {
            Ok(Some(path)) => Some(self.root.join(path)),
            _ => {
                let config = match std::env::var_os("XDG_CONFIG_HOME") {
                    Some(folder) if !folder.is_empty() => PathBuf::from(folder),
                    _ => gix::path::env::home_dir()?.join(".config"),
                };
                Some(config.join("git").join("ignore"))
            }
        }
    }

    /// A digest of which files a sparse checkout holds; `None`: it isn't one.
    ///
    /// # Errors
    /// When its patterns are there and can't be read.
    pub(super) fn sparse(&self) -> Result<Option<Sha256>, GitError> {
        if self.repository.config_snapshot().boolean("core.sparseCheckout") != Some(true) {
            return Ok(None);
        }
        let patterns = read(&self.repository.git_dir().join("info").join("sparse-checkout"))?;
        Ok(Some(Sha256::of(&patterns.unwrap_or_default())))
    }

    /// The texts, by folder, of `.gitignore` files that a sparse checkout left out: git takes them from the index. One
    /// that a partial clone doesn't have yet hides nothing.
    pub(in crate::observe) fn sparse_ignore(&self) -> HashMap<BString, BString> {
        let files = self.index.iter().flat_map(|index| index.sparse_ignore_files());
        files
            .filter_map(|(path, id)| {
                let blob = self.repository.find_blob(id).ok()?;
                Some((folder_of(path), blob.detach().data.into()))
            })
            .collect()
    }
}

/// The text of a file; `None` if there is none. What isn't a file is never opened.
fn read(path: &Path) -> Result<Option<BString>, GitError> {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    let unreadable = |error: std::io::Error| GitError::new(path, error.to_string());
    match path.metadata() {
        Ok(meta) if meta.is_file() => std::fs::read(path).map(|text| Some(text.into())).map_err(unreadable),
        Ok(_) => Ok(None),
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => Ok(None),
        // Git warns and goes on; what it would hide counts here then, which is the safe side.
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => Ok(None),
        Err(error) => Err(unreadable(error)),
    }
}

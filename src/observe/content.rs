//! What a file holds, and what it held when the task began.
//!
//! Only hashes of the baseline are kept. Git still has the bytes of what was committed then; whatever was changed and
//! not committed is gone, and nothing is taken for it that doesn't have its hash.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::PathBuf;

use bstr::{BStr, ByteSlice as _};

use super::facts::{Entry, EntryKind, RepositoryFacts, is_text, is_utf16};
use super::git::{Git, full_path};
use crate::digest::Sha256;

/// The files of a repository, now and as they were.
#[derive(Debug)]
pub struct Contents {
    root: PathBuf,
    git: Option<Git>,
    /// The commit that the baseline was taken on.
    head: Option<String>,
}

/// What a file holds now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Now {
    /// These bytes, which have the hash that was asked for.
    Text(Vec<u8>),
    /// Something that is no text.
    NoText,
    /// Something else than what was hashed.
    Moved,
}

/// What a file held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Before {
    /// These bytes, but for how lines end.
    Text(Vec<u8>),
    /// Nobody knows. The last commit before the task has this, if it has the file.
    Unknown(Option<Vec<u8>>),
}

impl Contents {
    /// The files of this repository. `head`: the commit that the baseline was taken on.
    #[must_use]
    pub fn of(facts: &RepositoryFacts, head: Option<&str>) -> Self {
        let root = gix::path::from_bstr(facts.root.as_bstr()).unwrap_or_default().into_owned();
        // What git can't open was said when the files were looked at.
        let git = head.and_then(|_| Git::open(&root).ok());
        Self { root, git, head: head.map(ToOwned::to_owned) }
    }

    /// What a file holds that was hashed just now.
    ///
    /// # Errors
    /// It can't be read.
    pub fn now(&self, entry: &Entry) -> io::Result<Now> {
        if !matches!(entry.kind, EntryKind::File | EntryKind::Executable) {
            return Ok(Now::NoText);
        }
        let mut file = match File::open(full_path(&self.root, entry.path.as_bstr())) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Now::Moved),
            Err(error) => return Err(error),
        };
        let mut bytes = Vec::new();
        file.by_ref().take(8 << 10).read_to_end(&mut bytes)?;
        if !is_text(&bytes) && !is_utf16(&bytes) {
            return Ok(Now::NoText);
        }
        file.read_to_end(&mut bytes)?;
        Ok(if Sha256::of(&bytes) == entry.sha256 { Now::Text(bytes) } else { Now::Moved })
    }

    /// What a file of the baseline held.
    #[must_use]
    pub fn before(&self, entry: &Entry) -> Before {
        let committed = self.committed(entry.path.as_bstr());
        match committed {
            Some(bytes) if is_of(&bytes, entry.sha256) => Before::Text(bytes),
            other => Before::Unknown(other),
        }
    }

    fn committed(&self, path: &BStr) -> Option<Vec<u8>> {
        self.git.as_ref()?.blob_at(self.head.as_deref()?, path)
    }
}

/// Whether bytes have this hash, as they are or as a checkout writes them where lines end in CRLF.
fn is_of(bytes: &[u8], sha256: Sha256) -> bool {
    Sha256::of(bytes) == sha256
        || (!bytes.contains_str("\r\n") && Sha256::of(&bytes.replace("\n", "\r\n")) == sha256)
}

#[cfg(test)]
#[cfg(unix)]
pub(in crate::observe) mod tests {
    use super::*;
    use crate::observe::facts::RepositoryFacts;
    use crate::observe::files::{Look, look};
    use crate::observe::scratch::Scratch;
    use crate::plan::PathSet;

    pub(in crate::observe) fn facts(scratch: &Scratch) -> RepositoryFacts {
        let none = PathSet::none();
        let state = scratch.path(".verify");
        look(&Look { id: "app", jobs: 1, ..Look::without_plan(scratch.root(), &state, &none) }).unwrap()
    }

    #[track_caller]
    fn check(scratch: &Scratch, path: &str, want: &Before) {
        let facts = facts(scratch);
        let head = facts.git.as_ref().and_then(|git| git.head.clone());
        let contents = Contents::of(&facts, head.as_deref());
        assert_eq!(contents.before(facts.map.get(path.as_bytes()).unwrap()), *want, "{path}");
    }

    #[test]
    fn git_has_what_was_committed_and_nothing_else() {
        let scratch = Scratch::repository();
        check(&scratch, "a", &Before::Text(b"a\n".to_vec()));
        check(&scratch, "src/b", &Before::Text(b"b\n".to_vec()));
        scratch.write("src/b", "b\r\n");
        check(&scratch, "src/b", &Before::Text(b"b\n".to_vec()));
        scratch.write("a", "other\n");
        check(&scratch, "a", &Before::Unknown(Some(b"a\n".to_vec())));
        scratch.write("new", "n");
        check(&scratch, "new", &Before::Unknown(None));
        let plain = Scratch::plain();
        plain.write("a", "a");
        check(&plain, "a", &Before::Unknown(None));
    }

    #[test]
    fn what_is_read_has_the_hash_that_was_asked_for() {
        let scratch = Scratch::repository();
        scratch.write("bin", "\0");
        scratch.link("link", "a");
        let facts = facts(&scratch);
        let contents = Contents::of(&facts, None);
        let now = |path: &str| contents.now(facts.map.get(path.as_bytes()).unwrap()).unwrap();
        assert_eq!(now("a"), Now::Text(b"a\n".to_vec()));
        assert_eq!((now("bin"), now("link")), (Now::NoText, Now::NoText));
        scratch.write("a", "b\n");
        scratch.remove("src/b");
        assert_eq!((now("a"), now("src/b")), (Now::Moved, Now::Moved));
    }
}

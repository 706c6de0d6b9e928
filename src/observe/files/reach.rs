//! Which folders could hold a file that a list of globs means, so that ignored folders need not all be walked.

use bstr::{BString, ByteVec as _};

use crate::plan::PathSet;

/// The folders, or paths, that the globs of a list start with.
#[derive(Debug, Default)]
pub(super) struct Reach {
    heads: Vec<BString>,
}

impl Reach {
    /// Of globs that start at `prefix`.
    pub(super) fn of(set: &PathSet, prefix: &[u8]) -> Self {
        let head = |glob: &String| {
            let plain = glob.strip_prefix("./").unwrap_or(glob);
            let literal = plain.split('/').take_while(|part| !part.contains(['*', '?', '[', '{', '\\']));
            let mut head = BString::from(prefix);
            for part in literal.filter(|part| !part.is_empty()) {
                if !head.is_empty() {
                    head.push_byte(b'/');
                }
                head.push_str(part);
            }
            head
        };
        Self { heads: set.patterns().iter().map(head).collect() }
    }

    /// Whether something in or below this folder could be meant.
    pub(super) fn reaches(&self, folder: &[u8]) -> bool {
        self.heads.iter().any(|head| is_at_or_below(head, folder) || is_at_or_below(folder, head))
    }
}

/// Whether a path is a folder or lies below it; the empty folder is the root.
pub(super) fn is_at_or_below(path: &[u8], folder: &[u8]) -> bool {
    folder.is_empty()
        || path.strip_prefix(folder).is_some_and(|rest| matches!(rest.first(), None | Some(b'/')))
}

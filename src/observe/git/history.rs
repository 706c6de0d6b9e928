//! Commits: whether they exist, which descend from which, and what they change.

use std::collections::BTreeMap;

use bstr::BString;
use gix::ObjectId;
use gix::objs::tree::EntryMode;

use super::{Git, GitError};

/// A commit that exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Commit(ObjectId);

/// The fewest hex digits that name an object.
const SHORTEST: usize = 4;

impl Git {
    /// The commit that this names: an object id, its first digits where no other object has them, or a reference.
    /// `None`: there is none.
    ///
    /// # Errors
    /// When git's data can't be read.
    pub fn commit(&self, name: &str) -> Result<Option<Commit>, GitError> {
        let Some(id) = self.object(name)? else { return Ok(None) };
        let object = match self.repository.try_find_object(id) {
            Ok(Some(object)) => object,
            Ok(None) => return Ok(None),
            Err(error) => return Err(self.unreadable(name, &error)),
        };
        // An annotated tag stands for its commit; a tree or a file is none.
        match object.peel_to_kind(gix::objs::Kind::Commit) {
            Ok(commit) => Ok(Some(Commit(commit.id))),
            Err(_) => Ok(None),
        }
    }

    /// The reference of a branch of this name, here or as it was last seen on a remote; `None`: there is no such branch.
    #[must_use]
    pub fn branch(&self, name: &str) -> Option<String> {
        let references = ["refs/heads/", "refs/remotes/", "refs/remotes/origin/"];
        references
            .iter()
            .map(|prefix| format!("{prefix}{name}"))
            .find(|reference| matches!(self.repository.try_find_reference(reference.as_str()), Ok(Some(_))))
    }

    /// Whether `commit` is `base` or descends from it.
    ///
    /// # Errors
    /// When the history can't be read, as in a shallow clone whose end was reached.
    pub fn descends(&self, commit: Commit, base: Commit) -> Result<bool, GitError> {
        if commit == base {
            return Ok(true);
        }
        let unreadable = |error: gix::Error| self.unreadable("the history", &error);
        let walk = self.repository.rev_walk([commit.0]).all().map_err(unreadable)?;
        for found in walk {
            if found.map_err(|error| GitError::new(&self.root, error.to_string()))?.id == base.0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The paths that differ between two commits, sorted. Without a base: between a commit and its first parent.
    ///
    /// # Errors
    /// When a tree can't be read.
    pub fn changed(&self, base: Option<Commit>, commit: Commit) -> Result<Vec<BString>, GitError> {
        let unreadable = |error: gix::Error| self.unreadable("a commit", &error);
        let new = self.repository.find_commit(commit.0).map_err(unreadable)?;
        let old = match base {
            Some(base) => Some(base.0),
            None => new.parent_ids().next().map(gix::Id::detach),
        };
        let old = match old {
            Some(old) => {
                let old = self.repository.find_commit(old).map_err(unreadable)?;
                Some(old.tree_id().map_err(unreadable)?.detach())
            }
            None => None,
        };
        let new = new.tree_id().map_err(unreadable)?.detach();
        let mut changed = Vec::new();
        // Folders that are still to be compared, with the path before their entries.
        let mut open = vec![(BString::default(), old, Some(new))];
        while let Some((prefix, old, new)) = open.pop() {
            if old == new {
                continue;
            }
            let (old, mut new) = (self.entries(old)?, self.entries(new)?);
            for (key, before) in old {
                let after = new.remove(&key);
                compare(&prefix, key, Some(before), after, &mut open, &mut changed);
            }
            for (key, after) in new {
                compare(&prefix, key, None, Some(after), &mut open, &mut changed);
            }
        }
        changed.sort_unstable();
        changed.dedup();
        Ok(changed)
    }

    fn object(&self, name: &str) -> Result<Option<ObjectId>, GitError> {
        let is_hex = name.len() >= SHORTEST && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_hex {
            if let Ok(id) = ObjectId::from_hex(name.to_ascii_lowercase().as_bytes()) {
                return Ok(Some(id));
            }
            if let Ok(prefix) = gix::hash::Prefix::from_hex(&name.to_ascii_lowercase()) {
                match self.repository.objects.lookup_prefix(prefix, None) {
                    Ok(Some(Ok(id))) => return Ok(Some(id)),
                    Ok(Some(Err(()))) | Ok(None) => {}
                    Err(error) => return Err(GitError::new(&self.root, error.to_string())),
                }
            }
        }
        let Ok(Some(mut reference)) = self.repository.try_find_reference(name) else { return Ok(None) };
        Ok(reference.peel_to_id().ok().map(gix::Id::detach))
    }

    fn entries(&self, tree: Option<ObjectId>) -> Result<BTreeMap<Key, Entry>, GitError> {
        let Some(tree) = tree else { return Ok(BTreeMap::new()) };
        let unreadable = |error: gix::Error| self.unreadable("a tree", &error);
        let tree = self.repository.find_tree(tree).map_err(unreadable)?;
        let tree = tree.decode().map_err(unreadable)?;
        Ok(tree
            .entries
            .iter()
            .map(|entry| {
                let key = (entry.filename.to_owned(), entry.mode.is_tree());
                (key, Entry { mode: entry.mode, id: entry.oid.to_owned() })
            })
            .collect())
    }

    fn unreadable(&self, what: &str, error: &gix::Error) -> GitError {
        GitError::caused(&self.root, &format!("{what} can't be read"), error)
    }
}

/// An entry of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    mode: EntryMode,
    id: ObjectId,
}

/// The name of an entry, and whether it is a folder: a file that became a folder is two changes.
type Key = (BString, bool);

fn compare(
    prefix: &BString,
    (name, is_folder): Key,
    before: Option<Entry>,
    after: Option<Entry>,
    open: &mut Vec<(BString, Option<ObjectId>, Option<ObjectId>)>,
    changed: &mut Vec<BString>,
) {
    if before == after {
        return;
    }
    let mut path = prefix.clone();
    path.extend_from_slice(&name);
    if is_folder {
        path.push(b'/');
        open.push((path, before.map(|entry| entry.id), after.map(|entry| entry.id)));
    } else {
        changed.push(path);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::scratch::Scratch;
    use super::*;

    fn open(scratch: &Scratch) -> Git {
        Git::open(scratch.root()).unwrap()
    }

    fn head(scratch: &Scratch) -> String {
        scratch.git(&["rev-parse", "HEAD"])
    }

    #[test]
    fn a_commit_is_found_by_id_by_its_first_digits_and_by_reference() {
        let scratch = Scratch::repository();
        let id = head(&scratch);
        scratch.git(&["tag", "-a", "v1", "-m", "v1"]);
        let git = open(&scratch);
        for name in [id.as_str(), &id[..8], &id.to_uppercase(), "HEAD", "main", "v1"] {
            assert_eq!(
                git.commit(name).unwrap().map(|commit| commit.0.to_string()),
                Some(id.clone()),
                "{name}"
            );
        }
        let tree = scratch.git(&["rev-parse", "HEAD^{tree}"]);
        for name in
            ["0000000000000000000000000000000000000001", "deadbeef", "", "no-such", "a b", "\0", &tree]
        {
            assert_eq!(git.commit(name).unwrap(), None, "{name:?}");
        }
        assert_eq!(git.branch("main").as_deref(), Some("refs/heads/main"));
        assert_eq!(git.branch("other"), None);
    }

    #[test]
    fn descent_goes_one_way() {
        let scratch = Scratch::repository();
        let base = head(&scratch);
        scratch.write("a", "b\n");
        scratch.commit();
        let tip = head(&scratch);
        scratch.git(&["checkout", "-q", "--orphan", "other"]);
        scratch.commit();
        let other = head(&scratch);
        let git = open(&scratch);
        let commit = |name: &str| git.commit(name).unwrap().unwrap();
        let check = |from: &str, base: &str, want| {
            assert_eq!(git.descends(commit(from), commit(base)).unwrap(), want, "{from} from {base}");
        };
        check(&tip, &base, true);
        check(&base, &base, true);
        check(&base, &tip, false);
        check(&other, &base, false);
    }

    #[test]
    fn what_a_commit_changes() {
        let scratch = Scratch::repository();
        let base = head(&scratch);
        scratch.write("a", "edited\n");
        scratch.write("deep/er/new", "1\n");
        scratch.remove("src/b");
        scratch.write("src/c", "b\n");
        scratch.commit();
        scratch.remove("a");
        scratch.write("a/now/a/folder", "x\n");
        scratch.commit();
        let git = open(&scratch);
        let commit = |name: &str| git.commit(name).unwrap().unwrap();
        let paths = |base: Option<Commit>, tip: &str| git.changed(base, commit(tip)).unwrap();
        let all = ["a", "a/now/a/folder", "deep/er/new", "src/b", "src/c"];
        assert_eq!(paths(Some(commit(&base)), "HEAD"), all);
        assert_eq!(paths(None, "HEAD"), ["a", "a/now/a/folder"]);
        assert_eq!(paths(None, &base), ["a", "src/b"]);
        assert_eq!(paths(Some(commit("HEAD")), "HEAD"), [""; 0]);
    }
}

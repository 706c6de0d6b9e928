//! What a frozen set would hold of a work tree, beyond the files that lie below `test_paths` themselves.

use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path, PathBuf};

use bstr::{BString, ByteSlice as _};
use rayon::prelude::*;
use unicode_normalization::UnicodeNormalization as _;

use super::reach::is_at_or_below;
use super::stat::Stat;
use super::{FilesError, full_path, hash, slashed};
use crate::observe::facts::{Entry, EntryKind};

/// The files to freeze, and what stands in the way.
#[derive(Debug, Default)]
pub(super) struct Frozen {
    pub(super) entries: Vec<Entry>,
    pub(super) refused: Vec<(BString, String)>,
    pub(super) collisions: Vec<(BString, BString)>,
}

/// Adds to the files below `test_paths` what links among them point to. `map` is sorted by path.
pub(super) fn freeze(
    root: &Path,
    map: &[Entry],
    own: Vec<Entry>,
    mut refused: Vec<(BString, String)>,
) -> Result<Frozen, FilesError> {
    let mut entries: BTreeMap<BString, Entry> = BTreeMap::new();
    let mut targets: Vec<BString> = Vec::new();
    for link in own.iter().filter(|entry| entry.kind == EntryKind::Link) {
        match target(root, &link.path)? {
            Target::Refused(why) => refused.push((link.path.clone(), why)),
            Target::Nothing => {}
            Target::Inside(path, is_folder) if is_folder => {
                // A link to a folder that holds the link would freeze the product with the tests.
                if !is_at_or_below(&link.path, &path) {
                    let below = map.iter().filter(|entry| is_at_or_below(&entry.path, &path));
                    targets.extend(below.map(|entry| entry.path.clone()));
                }
            }
            Target::Inside(path, _) => targets.push(path),
        }
    }
    entries.extend(own.into_iter().map(|entry| (entry.path.clone(), entry)));
    targets.retain(|path| !entries.contains_key(path));
    targets.sort_unstable();
    targets.dedup();
    let read: Result<Vec<_>, _> = targets.into_par_iter().map(|path| read(root, path)).collect();
    entries.extend(read?.into_iter().flatten().map(|entry| (entry.path.clone(), entry)));

    refused.sort_unstable();
    let entries: Vec<Entry> = entries.into_values().collect();
    let collisions = collisions(&entries);
    Ok(Frozen { entries, refused, collisions })
}

/// A file or link as it is now; `None`: it is gone.
pub(super) fn read(root: &Path, path: BString) -> Result<Option<Entry>, FilesError> {
    let full = full_path(root, &path);
    let stat = match full.symlink_metadata() {
        Ok(meta) => Stat::of(&meta),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(FilesError::unreadable(&full, error)),
    };
    let read = hash::read(&full, stat, &mut Vec::new())?;
    Ok(read.map(|(stat, sha256)| Entry { path, kind: stat.kind(), mode: stat.permissions(), sha256 }))
}

/// The links of a map that lead out of the repository.
pub(super) fn leaving_links(root: &Path, map: &[Entry]) -> Result<Vec<BString>, FilesError> {
    let links = map.par_iter().filter(|entry| entry.kind == EntryKind::Link);
    let refused = |link: &Entry| match target(root, &link.path) {
        Ok(Target::Refused(_)) => Some(Ok(link.path.clone())),
        Ok(Target::Inside(..) | Target::Nothing) => None,
        Err(error) => Some(Err(error)),
    };
    links.filter_map(refused).collect()
}

/// What a link leads to.
enum Target {
    /// A file or folder (`true`) of the work tree.
    Inside(BString, bool),
    /// Nothing that is there, or itself.
    Nothing,
    /// What can't be frozen, with the reason.
    Refused(String),
}

fn target(root: &Path, link: &BString) -> Result<Target, FilesError> {
    use std::io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
    let full = full_path(root, link);
    let leaves =
        |to: &Path| Target::Refused(format!("it leads out of the repository, to `{}`", to.display()));
    let to = match full.canonicalize() {
        Ok(to) => to,
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => {
            let Ok(text) = full.read_link() else { return Ok(Target::Nothing) };
            let to = plain(&full.parent().unwrap_or(root).join(text));
            return Ok(if to.starts_with(root) { Target::Nothing } else { leaves(&to) });
        }
        Err(error) if error.kind() == PermissionDenied => return Err(FilesError::unreadable(&full, error)),
        // Links that lead to each other.
        Err(_) => return Ok(Target::Nothing),
    };
    let Ok(inside) = to.strip_prefix(root) else { return Ok(leaves(&to)) };
    if inside.components().any(|part| part.as_os_str() == ".git") {
        return Ok(Target::Refused("it leads into git's own folder".to_owned()));
    }
    let meta = to.symlink_metadata().map_err(|error| FilesError::unreadable(&to, error))?;
    Ok(match (meta.is_dir(), meta.is_file()) {
        (false, false) => {
            Target::Refused("it leads to a FIFO, socket or device, which is never opened".to_owned())
        }
        (is_folder, _) => Target::Inside(slashed(inside), is_folder),
    })
}

/// A path with its `..` taken by their word.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => _ = plain.pop(),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// Pairs that are one path where neither case nor Unicode form counts.
fn collisions(entries: &[Entry]) -> Vec<(BString, BString)> {
    let mut seen: HashMap<Vec<u8>, &BString> = HashMap::new();
    let mut pairs = Vec::new();
    for Entry { path, .. } in entries {
        let key = match path.to_str() {
            Ok(text) if !text.is_ascii() => {
                text.nfc().collect::<String>().to_lowercase().nfc().collect::<String>().into()
            }
            _ => path.to_ascii_lowercase(),
        };
        if let Some(first) = seen.get(&key) {
            pairs.push(((*first).clone(), path.clone()));
        } else {
            seen.insert(key, path);
        }
    }
    pairs
}

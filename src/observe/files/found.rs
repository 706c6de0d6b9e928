//! The files and links that a walk met.

use std::iter::Peekable;

use bstr::{BString, ByteSlice as _};
use rayon::prelude::*;

use super::stat::Stat;
use crate::digest::Sha256;
use crate::observe::facts::{Stamp, Stamps, Time};

/// A file or link that was met.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) path: BString,
    pub(super) stat: Stat,
    /// Whether it is in the file map.
    pub(super) counts: bool,
    /// Whether a frozen set would hold it.
    pub(super) frozen: bool,
    /// Whether its name is one of those that steer a runner.
    pub(super) named: bool,
    /// The hash of what it holds: at first as the cache knows it. `None` in the end: it is gone.
    pub(super) sha256: Option<Sha256>,
    /// Whether the cache doesn't have it so.
    pub(super) is_news: bool,
}

impl Found {
    /// `folder`: when a name in its folder came or went.
    pub(super) const fn stamp(&self, folder: Time) -> Stamp {
        let Stat { changed, modified, inode, .. } = self.stat;
        Stamp { changed, modified, inode, folder }
    }

    /// The last part of its path.
    pub(super) fn name(&self) -> &[u8] {
        let start = self.path.rfind_byte(b'/').map_or(0, |slash| slash + 1);
        self.path.get(start..).unwrap_or_default()
    }
}

/// What a walk met, as it met it: folder by folder.
#[derive(Debug, Default)]
pub(super) struct Files {
    folders: Vec<Folder>,
}

/// A folder that was visited.
#[derive(Debug, Default)]
pub(super) struct Folder {
    /// The files in it, in order.
    pub(super) files: Vec<Found>,
    /// The folders in it by their place among those visited, each with the number of files that come before it.
    pub(super) inner: Vec<(usize, usize)>,
    /// When a name in it came or went.
    pub(super) modified: Time,
}

impl Files {
    pub(super) fn push(&mut self, folder: Folder) {
        self.folders.push(folder);
    }

    pub(super) fn folders(&self) -> &[Folder] {
        &self.folders
    }

    pub(super) fn len(&self) -> usize {
        self.folders.iter().map(|folder| folder.files.len()).sum()
    }

    /// All files, folder by folder, in as many threads as there are.
    pub(super) fn par_iter_mut(&mut self) -> impl ParallelIterator<Item = &mut Found> {
        self.folders.par_iter_mut().flat_map_iter(|folder| &mut folder.files)
    }

    /// All files in the order of their paths.
    pub(super) fn into_ordered(self) -> impl Iterator<Item = Found> {
        let (inner, files): (Vec<_>, Vec<_>) =
            self.folders.into_iter().map(|folder| (folder.inner, folder.files.into_iter())).unzip();
        Ordered::new(inner.into_iter().map(Vec::into_iter).zip(files)).map(|(_, found)| found)
    }

    /// The stamps of those that are there, in the order of their paths.
    pub(super) fn stamps(&self) -> Stamps {
        let folders = self.folders.iter().map(|folder| (folder.inner.iter().copied(), folder.files.iter()));
        let is_there = |(_, found): &(usize, &Found)| found.sha256.is_some();
        let stamps = Ordered::new(folders).filter(is_there).map(|(folder, found)| {
            let folder = self.folders.get(folder).map(|folder| folder.modified).unwrap_or_default();
            (found.path.as_slice(), found.stamp(folder))
        });
        Stamps::of_sorted(self.len(), stamps)
    }
}

/// Goes through files that lie folder by folder in the order of their paths, each with the place of its folder. No
/// comparison is needed: in each folder they are in order.
struct Ordered<I: Iterator, F> {
    folders: Vec<Visited<I, F>>,
    /// The folder that the next file is in, and those around it.
    stack: Vec<usize>,
}

struct Visited<I: Iterator, F> {
    inner: Peekable<I>,
    files: F,
    taken: usize,
}

impl<I: Iterator<Item = (usize, usize)>, F: Iterator> Ordered<I, F> {
    fn new(folders: impl Iterator<Item = (I, F)>) -> Self {
        let visited = |(inner, files): (I, F)| Visited { inner: inner.peekable(), files, taken: 0 };
        Self { folders: folders.map(visited).collect(), stack: vec![0] }
    }
}

impl<I: Iterator<Item = (usize, usize)>, F: Iterator> Iterator for Ordered<I, F> {
    type Item = (usize, F::Item);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let at = *self.stack.last()?;
            let folder = self.folders.get_mut(at)?;
            if let Some((_, inner)) = folder.inner.next_if(|(before, _)| *before == folder.taken) {
                self.stack.push(inner);
                continue;
            }
            folder.taken += 1;
            match folder.files.next() {
                Some(file) => return Some((at, file)),
                None => self.stack.pop(),
            };
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    impl Found {
        pub(in crate::observe::files) fn new(path: BString, stat: Stat) -> Self {
            let (counts, frozen, named) = (true, false, false);
            Self { path, stat, counts, frozen, named, sha256: None, is_news: false }
        }
    }

    impl Files {
        /// Files of one folder.
        pub(in crate::observe::files) fn in_one_walk(files: Vec<Found>) -> Self {
            Self { folders: vec![Folder { files, ..Folder::default() }] }
        }
    }

    const STAT: Stat = Stat { size: 0, modified: (0, 0), changed: (0, 0), inode: 0, device: 0, mode: 0 };

    #[test]
    fn files_come_in_the_order_of_their_paths() {
        let mut files = Files::default();
        let mut folder = |seconds, paths: &[&str], inner: &[(usize, usize)]| {
            let found =
                |path: &&str| Found { sha256: Some(Sha256::of(b"")), ..Found::new((*path).into(), STAT) };
            let (files_in_it, inner) = (paths.iter().map(found).collect(), inner.to_vec());
            files.push(Folder { files: files_in_it, inner, modified: (seconds, 0) });
        };
        folder(0, &["a", "c", "e"], &[(1, 1), (1, 2), (3, 3)]);
        folder(1, &[], &[(0, 4)]);
        folder(2, &["b2/x"], &[]);
        folder(3, &["f/a"], &[]);
        folder(4, &["b1/in/x", "b1/in/y"], &[]);
        files.par_iter_mut().filter(|found| found.path == "c").for_each(|found| found.sha256 = None);
        assert_eq!(files.len(), 7);
        let stamp = |folder| Stamp { folder: (folder, 0), ..Stamp::default() };
        let there = [("a", 0), ("b1/in/x", 4), ("b1/in/y", 4), ("b2/x", 2), ("e", 0), ("f/a", 3)];
        let there = there.map(|(path, folder)| (path.as_bytes(), stamp(folder)));
        assert_eq!(files.stamps(), Stamps::of_sorted(6, there.into_iter()));
        let paths: Vec<_> = files.into_ordered().map(|found| found.path.to_string()).collect();
        assert_eq!(paths, ["a", "b1/in/x", "b1/in/y", "b2/x", "c", "e", "f/a"]);
    }

    #[test]
    fn a_name_is_the_last_part_of_a_path() {
        for (path, name) in [("a", "a"), ("b/a", "a"), ("c/b/a.x", "a.x")] {
            assert_eq!(Found::new(path.into(), STAT).name(), name.as_bytes(), "{path}");
        }
    }
}

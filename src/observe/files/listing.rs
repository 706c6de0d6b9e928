//! What is in a folder, in the order of the paths that come of it, and what the system says of each name.
//!
//! A work tree of 100,000 files is listed by every command: names lie one behind the other, and are asked for below the
//! open folder, so that nothing is allocated for a name and the system follows no path twice.

use std::cmp::Ordering;
use std::ffi::CStr;
use std::io;
use std::path::Path;

use bstr::BStr;

use self::system::Folder;
use super::stat::Stat;
use crate::observe::facts::Time;

/// An open folder and the names in it.
#[derive(Debug)]
pub(super) struct Listing {
    folder: Folder,
    /// All names, with a NUL behind each.
    names: Vec<u8>,
    entries: Vec<Entry>,
    modified: Time,
}

/// A name in a folder.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// What the name is ordered by first: eight bytes from where the names of the folder differ.
    key: u64,
    start: usize,
    length: usize,
    kind: Kind,
}

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Folder,
    File,
    /// A link, a FIFO, a socket or a device.
    Other,
}

impl Listing {
    /// Reads the names of a folder, but `.` and `..`. A link to a folder is none.
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        let (mut names, mut entries) = (Vec::new(), Vec::new());
        let (folder, modified) = system::read(path, |name, kind| {
            entries.push(Entry { key: 0, start: names.len(), length: name.len(), kind });
            names.extend_from_slice(name);
            names.push(0);
        })?;
        let mut listing = Self { folder, names, entries, modified };
        listing.sort();
        Ok(listing)
    }

    fn sort(&mut self) {
        let Self { names, entries, .. } = self;
        let name = |entry: &Entry| names.get(entry.start..entry.start + entry.length).unwrap_or_default();
        let first = entries.first().map(name).unwrap_or_default();
        let common = |entry: &Entry| first.iter().zip(name(entry)).take_while(|(a, b)| a == b).count();
        let shared = entries.iter().map(common).min().unwrap_or(0);
        for entry in entries.iter_mut() {
            entry.key = key(name(entry).get(shared..).unwrap_or_default(), entry.is_folder());
        }
        entries.sort_unstable_by(|a, b| {
            a.key.cmp(&b.key).then_with(|| path_order((name(a), a.is_folder()), (name(b), b.is_folder())))
        });
    }

    /// All names.
    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(super) fn name(&self, entry: &Entry) -> &BStr {
        self.names.get(entry.start..entry.start + entry.length).unwrap_or_default().into()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &BStr> {
        self.entries.iter().map(|entry| self.name(entry))
    }

    pub(super) fn find(&self, name: &[u8]) -> Option<&Entry> {
        self.entries.iter().find(|entry| self.name(entry) == name)
    }

    /// What the system says of a name, links not followed.
    pub(super) fn stat(&self, entry: &Entry) -> io::Result<Stat> {
        let name = self.names.get(entry.start..=entry.start + entry.length).unwrap_or_default();
        let name = CStr::from_bytes_with_nul(name).map_err(io::Error::other)?;
        self.folder.stat(name)
    }

    /// When a name in it came or went. Asked before its names were read: what comes or goes from then on moves it.
    pub(super) fn modified(&self) -> Time {
        self.modified
    }
}

impl Entry {
    pub(super) fn is_folder(&self) -> bool {
        self.kind == Kind::Folder
    }

    pub(super) fn is_file(&self) -> bool {
        self.kind == Kind::File
    }
}

/// Two names with different keys are in the order of their keys: no name holds a NUL.
fn key(name: &[u8], is_folder: bool) -> u64 {
    let mut bytes = [0; 8];
    let signs = name.iter().copied().chain(is_folder.then_some(b'/'));
    bytes.iter_mut().zip(signs).for_each(|(byte, sign)| *byte = sign);
    u64::from_be_bytes(bytes)
}

/// The order of names in a folder by the paths that come of them: a slash follows the name of a folder.
fn path_order((a, a_is_folder): (&[u8], bool), (b, b_is_folder): (&[u8], bool)) -> Ordering {
    let common = a.len().min(b.len());
    let next = |name: &[u8], is_folder: bool| name.get(common).copied().or(is_folder.then_some(b'/'));
    a.get(..common).cmp(&b.get(..common)).then_with(|| next(a, a_is_folder).cmp(&next(b, b_is_folder)))
}

#[cfg(target_os = "linux")]
mod system {
    use std::ffi::CStr;
    use std::io;
    use std::os::fd::OwnedFd;
    use std::path::Path;

    use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, fstat, open, statat};

    use super::{Kind, Stat, Time};

    /// Holds the names of a few hundred files; more are asked for in turns.
    const BLOCK: usize = 32 * 1024;

    #[derive(Debug)]
    pub(super) struct Folder(OwnedFd);

    pub(super) fn read(path: &Path, mut each: impl FnMut(&[u8], Kind)) -> io::Result<(Folder, Time)> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = Folder(open(path, flags, Mode::empty())?);
        let modified = Stat::from(fstat(&folder.0)?).modified;
        let mut block = Vec::with_capacity(BLOCK);
        let mut entries = RawDir::new(&folder.0, block.spare_capacity_mut());
        while let Some(entry) = entries.next() {
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let kind = match entry.file_type() {
                // Some file systems don't say.
                FileType::Unknown => match statat(&folder.0, name, AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(stat) => FileType::from_raw_mode(stat.st_mode),
                    // Gone again, or it will be said when it is looked at.
                    Err(_) => FileType::Unknown,
                },
                kind => kind,
            };
            let kind = match kind {
                FileType::Directory => Kind::Folder,
                FileType::RegularFile => Kind::File,
                _ => Kind::Other,
            };
            each(name.to_bytes(), kind);
        }
        Ok((folder, modified))
    }

    impl Folder {
        pub(super) fn stat(&self, name: &CStr) -> io::Result<Stat> {
            Ok(statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?.into())
        }
    }
}

/// As far as the standard library goes. On Linux it is there for its test.
#[cfg(any(not(target_os = "linux"), test))]
mod portable {
    use std::ffi::CStr;
    use std::fs;
    use std::io;
    use std::path::{Path, PathBuf};

    use bstr::ByteSlice as _;

    use super::{Kind, Stat, Time};

    #[derive(Debug)]
    pub(super) struct Folder(PathBuf);

    pub(super) fn read(path: &Path, mut each: impl FnMut(&[u8], Kind)) -> io::Result<(Folder, Time)> {
        let stat = fs::symlink_metadata(path)?;
        if stat.is_symlink() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            let kind = match entry.file_type() {
                Ok(kind) if kind.is_dir() => Kind::Folder,
                Ok(kind) if kind.is_file() => Kind::File,
                _ => Kind::Other,
            };
            each(&gix::path::os_string_into_bstring(entry.file_name()).unwrap_or_default(), kind);
        }
        Ok((Folder(path.to_owned()), Stat::of(&stat).modified))
    }

    impl Folder {
        pub(super) fn stat(&self, name: &CStr) -> io::Result<Stat> {
            let name = gix::path::from_bstr(name.to_bytes().as_bstr()).unwrap_or_default();
            Ok(Stat::of(&self.0.join(name).symlink_metadata()?))
        }
    }
}

#[cfg(not(target_os = "linux"))]
use portable as system;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::scratch::Scratch;

    #[test]
    fn names_are_in_the_order_of_the_paths_below_them() {
        let names: [(&[u8], bool); 9] = [
            (b"B", false),
            (b"a-", false),
            (b"a.b", true),
            (b"a", true),
            (b"a0", false),
            (b"ab", false),
            (b"b", true),
            (b"bcdefghij", false),
            (b"bcdefghij0", true),
        ];
        for pair in names.windows(2) {
            assert_eq!(path_order(pair[0], pair[1]), Ordering::Less, "{pair:?}");
            assert_eq!(path_order(pair[1], pair[0]), Ordering::Greater, "{pair:?}");
            let keys = [pair[0], pair[1]].map(|(name, is_folder)| key(name, is_folder));
            assert!(keys[0] <= keys[1], "{pair:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_is_listed_in_order_with_what_is_known_of_its_names() {
        let scratch = Scratch::plain();
        for name in ["shared-b", "shared-a", "shared-a.x/in", "shared-a-", "shared-a0"] {
            scratch.write(name, name);
        }
        scratch.link("shared-link", "shared-a.x");
        let listing = Listing::read(scratch.root()).unwrap();
        let names: Vec<_> = listing.names().map(ToString::to_string).collect();
        assert_eq!(names, ["shared-a", "shared-a-", "shared-a.x", "shared-a0", "shared-b", "shared-link"]);
        for entry in listing.entries() {
            let meta = scratch.path(listing.name(entry).to_string()).symlink_metadata().unwrap();
            assert_eq!(listing.stat(entry).unwrap(), Stat::of(&meta));
            assert_eq!((entry.is_folder(), entry.is_file()), (meta.is_dir(), meta.is_file()));
        }
        assert_eq!(listing.modified(), Stat::of(&scratch.root().metadata().unwrap()).modified);
        let entry = *listing.find(b"shared-b").unwrap();
        assert!(listing.find(b"shared").is_none());
        scratch.remove("shared-b");
        assert_eq!(listing.stat(&entry).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_folder_is_none() {
        let scratch = Scratch::plain();
        scratch.write("folder/a", "");
        scratch.link("link", "folder");
        let of = |name: &str| Listing::read(&scratch.path(name)).map(|_| ()).map_err(|error| error.kind());
        assert_eq!(of("folder"), Ok(()));
        assert_eq!(of("link"), Err(io::ErrorKind::NotADirectory));
        assert_eq!(of("folder/a"), Err(io::ErrorKind::NotADirectory));
        assert_eq!(of("gone"), Err(io::ErrorKind::NotFound));
    }

    #[cfg(unix)]
    #[test]
    fn the_standard_library_says_the_same() {
        let scratch = Scratch::plain();
        scratch.write("a/b", "");
        scratch.write("c", "");
        scratch.link("link", "a");
        let mut theirs = Vec::new();
        let (folder, modified) =
            portable::read(scratch.root(), |name, kind| theirs.push((name.to_owned(), kind))).unwrap();
        theirs.sort_by(|(a, _), (b, _)| a.cmp(b));
        let listing = Listing::read(scratch.root()).unwrap();
        let ours: Vec<_> =
            listing.entries().iter().map(|entry| (listing.name(entry).to_vec(), entry.kind)).collect();
        assert_eq!((ours, listing.modified()), (theirs, modified));
        let entry = listing.find(b"c").unwrap();
        assert_eq!(folder.stat(c"c").unwrap(), listing.stat(entry).unwrap());
        let link = portable::read(&scratch.path("link"), |_, _| {}).map(|_| ());
        assert_eq!(link.unwrap_err().kind(), io::ErrorKind::NotADirectory);
    }
}

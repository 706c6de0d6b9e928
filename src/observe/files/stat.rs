//! What the system says of a path without opening it.

use std::fs::Metadata;

use crate::observe::facts::EntryKind;

/// Size, times and place of a file or link. Two that are equal and whose change time can't be set by a program mean the
/// same content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stat {
    pub(super) size: u64,
    /// Seconds and nanoseconds since 1970.
    pub(super) modified: (i64, u32),
    /// As `modified`; of the file's content *or* its data in the file system.
    pub(super) changed: (i64, u32),
    pub(super) inode: u64,
    pub(super) device: u64,
    /// Type and permission bits.
    pub(super) mode: u32,
}

const TYPE: u32 = 0o170_000;
const LINK: u32 = 0o120_000;
const FILE: u32 = 0o100_000;

#[cfg(target_os = "linux")]
impl From<rustix::fs::Stat> for Stat {
    #[expect(clippy::useless_conversion, reason = "the types of these fields are the system's")]
    fn from(stat: rustix::fs::Stat) -> Self {
        let nanos = |nanos| u32::try_from(nanos).unwrap_or(0);
        Self {
            size: u64::try_from(stat.st_size).unwrap_or(0),
            modified: (i64::from(stat.st_mtime), nanos(stat.st_mtime_nsec)),
            changed: (i64::from(stat.st_ctime), nanos(stat.st_ctime_nsec)),
            inode: u64::from(stat.st_ino),
            device: u64::from(stat.st_dev),
            mode: stat.st_mode,
        }
    }
}

impl Stat {
    #[cfg(unix)]
    pub(super) fn of(meta: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        let nanos = |nanos: i64| u32::try_from(nanos).unwrap_or(0);
        Self {
            size: meta.size(),
            modified: (meta.mtime(), nanos(meta.mtime_nsec())),
            changed: (meta.ctime(), nanos(meta.ctime_nsec())),
            inode: meta.ino(),
            device: meta.dev(),
            mode: meta.mode(),
        }
    }

    #[cfg(not(unix))]
    pub(super) fn of(meta: &Metadata) -> Self {
        let modified = meta.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        let modified = modified.map_or((0, 0), |time| (time.as_secs().cast_signed(), time.subsec_nanos()));
        let mode = match meta {
            meta if meta.is_symlink() => LINK,
            meta if meta.is_file() => FILE,
            _ => 0,
        };
        Self { size: meta.len(), modified, changed: modified, inode: 0, device: 0, mode }
    }

    pub(super) const fn is_link(&self) -> bool {
        self.mode & TYPE == LINK
    }

    pub(super) const fn is_file(&self) -> bool {
        self.mode & TYPE == FILE
    }

    pub(super) const fn permissions(&self) -> u32 {
        if cfg!(unix) { self.mode & 0o7777 } else { 0 }
    }

    pub(super) const fn kind(&self) -> EntryKind {
        match self {
            stat if stat.is_link() => EntryKind::Link,
            stat if stat.mode & 0o111 != 0 => EntryKind::Executable,
            _ => EntryKind::File,
        }
    }
}

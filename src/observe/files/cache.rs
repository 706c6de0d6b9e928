//! Hashes kept from one look to the next.
//!
//! A hash is taken from here only while size, times, inode and mode are what they were. The change time decides: no program
//! can set it. What changed so shortly before a look that a later change could carry the same time is not kept at all (git
//! calls such entries racy).
//!
//! The file is [`HEADER`], the device, and for each folder in order of its path: the length of the path, its bytes, the
//! length of what follows, and for each of its files in order: the length of its name, its bytes, its [`Stat`], its hash.
//! Numbers are little-endian. The SHA-256 of all that ends it. What can't be read so is no cache; it is never an error.

use std::io::Write as _;
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, SystemTime};

use rayon::prelude::*;

use super::found::{Files, Folder, Found};
use super::stat::Stat;
use crate::digest::Sha256;

const HEADER: &[u8] = b"redgreen file hashes 2\n";

/// A system clock moves in ticks of up to 10 ms.
const TICK: Duration = Duration::from_millis(20);
/// Where times have no nanoseconds, they move in steps of up to two seconds.
const COARSE_TICK: Duration = Duration::from_secs(2);

/// What was known before.
#[derive(Debug, Default)]
pub(super) struct Cache {
    device: u64,
    /// The file's bytes.
    bytes: Vec<u8>,
    /// Where in them each folder's path is, and what is known of its files; in order of the paths.
    folders: Vec<(Range<usize>, Range<usize>)>,
    /// How many files are known.
    files: usize,
}

/// What was known of the files of a folder.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known<'c> {
    device: u64,
    files: &'c [u8],
}

impl Cache {
    /// Whether the file system keeps change times by itself. One that gets them from elsewhere may not.
    pub(super) fn can_be_trusted(root: &Path) -> bool {
        #[cfg(target_os = "linux")]
        {
            /// 9P, CIFS, FUSE, NFS, SMB, SMB2.
            const FOREIGN: [u64; 6] = [0x0102_1997, 0xff53_4d42, 0x6573_5546, 0x6969, 0x517b, 0xfe53_4d42];
            rustix::fs::statfs(root).is_ok_and(|stat| {
                let kind = u64::try_from(stat.f_type).unwrap_or_default() & 0xffff_ffff;
                !FOREIGN.contains(&kind)
            })
        }
        #[cfg(not(target_os = "linux"))]
        {
            _ = root;
            cfg!(target_os = "macos")
        }
    }

    /// Reads a cache that was written for this work tree.
    pub(super) fn load(path: &Path, root: &Path) -> Self {
        let device = std::fs::metadata(root).map(|meta| Stat::of(&meta).device).unwrap_or_default();
        Self::read(path, device).unwrap_or(Self { device, ..Self::default() })
    }

    /// The cache of a file, if it is of this device. Whether it is whole is yet to be asked.
    fn read(path: &Path, device: u64) -> Option<Self> {
        if !path.symlink_metadata().ok()?.is_file() {
            return None;
        }
        let bytes = std::fs::read(path).ok()?;
        let (content, _) = bytes.split_last_chunk::<32>()?;
        let mut rest = content.strip_prefix(HEADER)?.strip_prefix(device.to_le_bytes().as_slice())?;
        let (mut folders, mut files) = (Vec::new(), 0);
        while !rest.is_empty() {
            let part = |after: &[u8], part: &[u8]| {
                let end = content.len() - after.len();
                end - part.len()..end
            };
            let (folder, after) = split(rest)?;
            let (known, end) = split(after)?;
            folders.push((part(after, folder), part(end, known)));
            files += Entries { rest: known }.count();
            rest = end;
        }
        Some(Self { device, bytes, folders, files })
    }

    /// Whether the file's bytes are those that were written. Nothing that is known counts before; it is asked apart since it
    /// takes as long as a tenth of a walk, which can go on meanwhile.
    pub(super) fn is_whole(&self) -> bool {
        match self.bytes.split_last_chunk::<32>() {
            Some((content, sum)) => Sha256::of(content).0 == *sum,
            None => self.bytes.is_empty(),
        }
    }

    /// What is known of the files of a folder, which has this path.
    pub(super) fn within(&self, folder: &[u8]) -> Known<'_> {
        let bytes = |range: &Range<usize>| self.bytes.get(range.clone()).unwrap_or_default();
        let at = self.folders.binary_search_by(|(path, _)| bytes(path).cmp(folder)).ok();
        let files = at.and_then(|at| self.folders.get(at)).map(|(_, files)| bytes(files));
        Known { device: self.device, files: files.unwrap_or_default() }
    }

    /// Writes what is known now, unless that was known before. `started` is when the look began.
    pub(super) fn store(&self, path: &Path, files: &Files, started: SystemTime) {
        let settled = Settled::before(started);
        let keeps = |found: &&Found| {
            found.sha256.is_some() && found.stat.device == self.device && settled.is(&found.stat)
        };
        let count = |folder: &Folder| {
            let kept = folder.files.iter().filter(keeps);
            kept.fold((0, 0), |(kept, news), found| (kept + 1, news + usize::from(found.is_news)))
        };
        let both = |(a, b): (usize, usize), (c, d): (usize, usize)| (a + c, b + d);
        if files.folders().par_iter().map(count).reduce(Default::default, both) == (self.files, 0) {
            return;
        }
        let folders = files.folders().iter().map(|folder| &folder.files);
        let mut folders: Vec<_> = folders.filter_map(|files| Some((parent(files)?, files))).collect();
        folders.sort_unstable_by_key(|(path, _)| *path);
        let mut bytes = HEADER.to_vec();
        bytes.extend_from_slice(&self.device.to_le_bytes());
        for (folder, files) in folders {
            put(&mut bytes, folder);
            let start = bytes.len();
            put(&mut bytes, &[]);
            for found in files.iter().filter(keeps) {
                let Some(sha256) = &found.sha256 else { continue };
                put(&mut bytes, found.name());
                bytes.extend_from_slice(&encode(&found.stat));
                bytes.extend_from_slice(&sha256.0);
            }
            let length = (bytes.len() - start).saturating_sub(LENGTH);
            if let Some(place) = bytes.get_mut(start..start + LENGTH) {
                place.copy_from_slice(&length.to_le_bytes());
            }
        }
        let sum = Sha256::of(&bytes);
        bytes.extend_from_slice(&sum.0);
        // Without a cache the next look is slower, and as right.
        _ = write(path, &bytes);
    }
}

impl Known<'_> {
    /// The hash of a file that is as it was. `at` is where the last one was found: names are asked for in order.
    pub(super) fn find(&self, at: &mut usize, name: &[u8], stat: &Stat) -> Option<Sha256> {
        let mut entries = Entries { rest: self.files.get(*at..).unwrap_or_default() };
        loop {
            let entry = entries.next().filter(|entry| entry.name <= name)?;
            *at = self.files.len() - entries.rest.len();
            if entry.name == name {
                return (stat.device == self.device && *entry.stat == encode(stat)).then_some(entry.sha256);
            }
        }
    }
}

/// The folder of files that lie in the same one.
fn parent(files: &[Found]) -> Option<&[u8]> {
    let first = files.first()?;
    first.path.strip_suffix(first.name()).map(|folder| folder.strip_suffix(b"/").unwrap_or(folder))
}

/// Which files a change from a moment on must give other times than they have.
struct Settled {
    fine: Option<(i64, u32)>,
    coarse: Option<(i64, u32)>,
}

impl Settled {
    fn before(started: SystemTime) -> Self {
        let limit = |tick| {
            let limit = started.checked_sub(tick)?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
            Some((limit.as_secs().cast_signed(), limit.subsec_nanos()))
        };
        Self { fine: limit(TICK), coarse: limit(COARSE_TICK) }
    }

    fn is(&self, stat: &Stat) -> bool {
        let is_coarse = stat.modified.1 == 0 && stat.changed.1 == 0;
        let limit = if is_coarse { self.coarse } else { self.fine };
        limit.is_some_and(|limit| stat.modified < limit && stat.changed < limit)
    }
}

fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.persist(path)?;
    Ok(())
}

const STAT: usize = 44;

/// A [`Stat`] without its device, which is the same for all entries.
fn encode(stat: &Stat) -> [u8; STAT] {
    let mut bytes = [0; STAT];
    let mut rest = bytes.as_mut_slice();
    let mut put = |number: &[u8]| {
        // Writing within the array can't fail.
        _ = rest.write_all(number);
    };
    put(&stat.size.to_le_bytes());
    put(&stat.modified.0.to_le_bytes());
    put(&stat.modified.1.to_le_bytes());
    put(&stat.changed.0.to_le_bytes());
    put(&stat.changed.1.to_le_bytes());
    put(&stat.inode.to_le_bytes());
    put(&stat.mode.to_le_bytes());
    bytes
}

/// How many bytes the length of what follows takes.
const LENGTH: usize = size_of::<usize>();

fn put(bytes: &mut Vec<u8>, part: &[u8]) {
    bytes.extend_from_slice(&part.len().to_le_bytes());
    bytes.extend_from_slice(part);
}

/// What [`put`] put there, and the rest.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<LENGTH>()?;
    rest.split_at_checked(usize::from_le_bytes(*length))
}

struct Entry<'c> {
    name: &'c [u8],
    stat: &'c [u8; STAT],
    sha256: Sha256,
}

struct Entries<'c> {
    rest: &'c [u8],
}

impl<'c> Iterator for Entries<'c> {
    type Item = Entry<'c>;

    fn next(&mut self) -> Option<Entry<'c>> {
        let (name, rest) = split(self.rest)?;
        let (stat, rest) = rest.split_first_chunk()?;
        let (sha256, rest) = rest.split_first_chunk()?;
        self.rest = rest;
        Some(Entry { name, stat, sha256: Sha256(*sha256) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: Stat =
        Stat { size: 3, modified: (1_000, 1), changed: (1_000, 1), inode: 7, device: 1, mode: 0o100_644 };

    #[track_caller]
    fn check(stat: Stat, started: (u64, u32), settled: bool) {
        let started = SystemTime::UNIX_EPOCH + Duration::new(started.0, started.1);
        assert_eq!(Settled::before(started).is(&stat), settled, "{stat:?}");
    }

    #[test]
    fn what_changed_just_now_is_not_kept() {
        check(FILE, (1_000, 30_000_000), true);
        check(FILE, (1_000, 10_000_000), false);
        check(FILE, (999, 0), false);
        check(Stat { changed: (1_000, 20_000_000), ..FILE }, (1_000, 30_000_000), false);
        check(Stat { modified: (5_000, 1), ..FILE }, (1_001, 0), false);
    }

    #[test]
    fn times_without_nanoseconds_are_coarse() {
        let coarse = Stat { modified: (1_000, 0), changed: (1_000, 0), ..FILE };
        check(coarse, (1_001, 0), false);
        check(coarse, (1_003, 0), true);
    }

    #[test]
    fn every_part_of_a_stat_counts() {
        let others = [
            Stat { size: 4, ..FILE },
            Stat { modified: (1_000, 2), ..FILE },
            Stat { modified: (1_001, 1), ..FILE },
            Stat { changed: (1_000, 2), ..FILE },
            Stat { changed: (1_001, 1), ..FILE },
            Stat { inode: 8, ..FILE },
            Stat { mode: 0o100_755, ..FILE },
        ];
        for other in others {
            assert_ne!(encode(&FILE), encode(&other), "{other:?}");
        }
    }

    #[test]
    fn written_and_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hashes");
        let hash = Sha256::of(b"abc");
        let found =
            |path: &str, is_news| Found { sha256: Some(hash), is_news, ..Found::new(path.into(), FILE) };
        let files =
            Files::in_one_walk(["b", "b.c", "d"].map(|name| found(&format!("x/{name}"), true)).into());
        let started = SystemTime::UNIX_EPOCH + Duration::from_secs(2_000);
        Cache { device: 1, ..Cache::default() }.store(&path, &files, started);

        let cache = Cache::read(&path, 1).unwrap();
        assert!(cache.is_whole());
        let known = |folder: &str, asked: &[(&str, Stat)]| {
            let (known, mut at) = (cache.within(folder.as_bytes()), 0);
            let find = |(name, stat): &(&str, Stat)| known.find(&mut at, name.as_bytes(), stat).is_some();
            asked.iter().map(find).collect::<Vec<_>>()
        };
        let all = ["a", "b", "b.a", "b.c", "c", "d", "e"].map(|name| (name, FILE));
        assert_eq!(known("x", &all), [false, true, false, true, false, true, false]);
        let other = Stat { changed: (1_001, 0), ..FILE };
        assert_eq!(known("x", &[("b", other), ("b.c", FILE)]), [false, true]);
        assert_eq!(known("", &[("b", FILE)]), [false]);
        assert_eq!(known("x", &[("b", Stat { device: 2, ..FILE })]), [false]);
        assert!(Cache::read(&path, 2).is_none(), "another device");

        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            let is_whole = |bytes: &[u8]| {
                std::fs::write(&path, bytes).unwrap();
                Cache::read(&path, 1).is_some_and(|cache| cache.is_whole())
            };
            assert!(!is_whole(&damaged), "byte {at}");
            assert!(!is_whole(&whole[..at]), "cut at {at}");
        }
    }
}

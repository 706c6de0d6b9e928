//! Hashes kept from one look to the next.
//!
//! A hash is taken from here only while size, times, inode and mode are what they were. The change time decides: no program
//! can set it. What changed so shortly before a look that a later change could carry the same time is not kept at all (git
//! calls such entries racy).
//!
//! The file is [`HEADER`], the device, and for each path in order: its length, its bytes, its [`Stat`], its hash; numbers are
//! little-endian. The SHA-256 of all that ends it. What can't be read so is no cache; it is never an error.

use std::io::Write as _;
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::stat::Stat;
use super::{Found, Hash};
use crate::digest::Sha256;

const HEADER: &[u8] = b"redgreen file hashes 1\n";

/// A system clock moves in ticks of up to 10 ms.
const TICK: Duration = Duration::from_millis(20);
/// Where times have no nanoseconds, they move in steps of up to two seconds.
const COARSE_TICK: Duration = Duration::from_secs(2);

/// What was known before.
#[derive(Debug, Default)]
pub(super) struct Cache {
    device: u64,
    /// The file's bytes; checked to be whole.
    bytes: Vec<u8>,
    /// Where in them the entries are.
    entries: Range<usize>,
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

    /// The cache of a file, if it is whole and of this device.
    fn read(path: &Path, device: u64) -> Option<Self> {
        if !path.symlink_metadata().ok()?.is_file() {
            return None;
        }
        let bytes = std::fs::read(path).ok()?;
        let (content, sum) = bytes.split_last_chunk::<32>()?;
        let entries = content.strip_prefix(HEADER)?.strip_prefix(device.to_le_bytes().as_slice())?;
        let entries = content.len() - entries.len()..content.len();
        (Sha256::of(content).0 == *sum).then_some(())?;
        Some(Self { device, bytes, entries })
    }

    fn entries(&self) -> Entries<'_> {
        Entries { rest: self.bytes.get(self.entries.clone()).unwrap_or_default() }
    }

    /// What is known of these files, in the same order; both are sorted by path.
    pub(super) fn join(&self, files: &[Found]) -> Vec<Option<Sha256>> {
        let mut known = self.entries().peekable();
        let find = |found: &Found| {
            while known.next_if(|entry| entry.path < found.path.as_slice()).is_some() {}
            let entry = known.next_if(|entry| entry.path == found.path.as_slice())?;
            (found.stat.device == self.device && *entry.stat == encode(&found.stat)).then_some(entry.sha256)
        };
        files.iter().map(find).collect()
    }

    /// Writes what is known now, unless that was known before. `started` is when the look began.
    pub(super) fn store(
        &self,
        path: &Path,
        files: &[Found],
        hashes: &[Hash],
        known: &[Option<Sha256>],
        started: SystemTime,
    ) {
        let keeps = |stat: &Stat| stat.device == self.device && is_settled(stat, started);
        let kept = || {
            let all = files.iter().zip(hashes).zip(known);
            all.filter_map(|((found, hash), known)| {
                let sha256 = hash.as_ref().filter(|_| keeps(&found.stat))?;
                Some((found, sha256, *known))
            })
        };
        let is_news = kept().any(|(_, sha256, known)| known != Some(*sha256));
        if !is_news && kept().count() == self.entries().count() {
            return;
        }
        let mut bytes = HEADER.to_vec();
        bytes.extend_from_slice(&self.device.to_le_bytes());
        for (found, sha256, _) in kept() {
            let Ok(length) = u32::try_from(found.path.len()) else { continue };
            bytes.extend_from_slice(&length.to_le_bytes());
            bytes.extend_from_slice(&found.path);
            bytes.extend_from_slice(&encode(&found.stat));
            bytes.extend_from_slice(&sha256.0);
        }
        let sum = Sha256::of(&bytes);
        bytes.extend_from_slice(&sum.0);
        // Without a cache the next look is slower, and as right.
        _ = write(path, &bytes);
    }
}

/// Whether a change from `started` on must give a file other times than it has.
fn is_settled(stat: &Stat, started: SystemTime) -> bool {
    let tick = if stat.modified.1 == 0 && stat.changed.1 == 0 { COARSE_TICK } else { TICK };
    let Some(limit) =
        started.checked_sub(tick).and_then(|limit| limit.duration_since(SystemTime::UNIX_EPOCH).ok())
    else {
        return false;
    };
    let limit = (limit.as_secs().cast_signed(), limit.subsec_nanos());
    stat.modified < limit && stat.changed < limit
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

struct Known<'c> {
    path: &'c [u8],
    stat: &'c [u8; STAT],
    sha256: Sha256,
}

struct Entries<'c> {
    rest: &'c [u8],
}

impl<'c> Iterator for Entries<'c> {
    type Item = Known<'c>;

    fn next(&mut self) -> Option<Known<'c>> {
        let (length, rest) = self.rest.split_first_chunk::<4>()?;
        let (path, rest) = rest.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)?;
        let (stat, rest) = rest.split_first_chunk()?;
        let (sha256, rest) = rest.split_first_chunk()?;
        self.rest = rest;
        Some(Known { path, stat, sha256: Sha256(*sha256) })
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
        assert_eq!(is_settled(&stat, started), settled, "{stat:?}");
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
        let files = ["a", "b/c"].map(|path| Found {
            path: path.into(),
            stat: FILE,
            counts: true,
            frozen: false,
            named: false,
            folder: (0, 0),
        });
        let hash = Sha256::of(b"abc");
        let started = SystemTime::UNIX_EPOCH + Duration::from_secs(2_000);
        let empty = Cache { device: 1, ..Cache::default() };
        empty.store(&path, &files, &[Some(hash); 2], &[None; 2], started);

        let cache = Cache::read(&path, 1).unwrap();
        assert_eq!(cache.join(&files), [Some(hash); 2]);
        let [a, c] = files;
        assert_eq!(
            cache.join(&[Found { stat: Stat { changed: (1_001, 0), ..FILE }, ..a }, c]),
            [None, Some(hash)]
        );
        assert!(Cache::read(&path, 2).is_none(), "another device");

        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            std::fs::write(&path, &damaged).unwrap();
            assert!(Cache::read(&path, 1).is_none(), "byte {at}");
            std::fs::write(&path, &whole[..at]).unwrap();
            assert!(Cache::read(&path, 1).is_none(), "cut at {at}");
        }
    }
}

//! A folder of claims: `*.done.json`, with the briefs, scopes and questions that belong to them.
//!
//! Others write these files while they are read here, so each is on its own: one that can't be read stops nothing, and
//! one that doesn't parse is tried again in the next cycle.

mod artifact;
mod brief;
mod claim;
mod fields;
mod look;
mod watch;

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rayon::prelude::*;
use serde_json::{Map, Value};

use super::clock;
use super::facts::Timestamp;
use super::facts::claims::{Brief, Claim, Dialect, Question, Scope};
use crate::digest::Sha256;

pub use brief::thresholds;
pub use look::{Eyes, rerun};
pub use watch::{Wake, Watcher};

/// A claim is a page of JSON. What is larger than this isn't one.
const LARGEST: u64 = 64 << 20;

/// A file that was written this lately may be written again without its time telling.
const RACY: Duration = Duration::from_secs(2);

/// A folder of claims, and what is known of its files from the cycle before.
#[derive(Debug)]
pub struct Folder {
    folder: PathBuf,
    briefs: PathBuf,
    kept: HashMap<PathBuf, Kept>,
}

/// What one cycle found.
#[derive(Debug, Default)]
pub struct Found {
    /// The claims, in order of their names. Those that are still being written are left out.
    pub claims: Vec<ClaimFile>,
    /// The briefs, in order of their names.
    pub briefs: Vec<BriefFile>,
    /// The scopes, in order of their names.
    pub scopes: Vec<Scope>,
    /// The questions, in order of their names.
    pub questions: Vec<Question>,
    /// Files other than claims that can't be read, and why.
    pub unreadable: Vec<(OsString, String)>,
    /// Claims that didn't parse and are tried again.
    pub waiting: usize,
}

/// A claim's file.
#[derive(Debug, Clone)]
pub struct ClaimFile {
    /// Its name without `.done.json`.
    pub name: OsString,
    /// The hash of its bytes.
    pub sha256: Sha256,
    /// Which shape it has.
    pub dialect: Dialect,
    /// What it says, or why that can't be read.
    pub claim: Result<Arc<Claim>, String>,
    /// When it was written.
    pub written_at: Option<Timestamp>,
    /// Whether it is another than in the cycle before.
    pub is_new: bool,
}

/// A brief's file.
#[derive(Debug, Clone)]
pub struct BriefFile {
    /// Its name without `.brief.json`.
    pub name: OsString,
    /// What it asks for.
    pub brief: Brief,
}

/// A file as it was read.
#[derive(Debug, Clone)]
struct Kept {
    stamp: Stamp,
    /// When it was seen first with this stamp.
    since: SystemTime,
    content: Content,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    size: u64,
    modified: Option<SystemTime>,
}

#[derive(Debug, Clone)]
enum Content {
    Claim {
        sha256: Sha256,
        dialect: Dialect,
        claim: Arc<Claim>,
    },
    Brief(Brief),
    Scope(Scope),
    Question(Option<Question>),
    /// It doesn't parse; `settled` when it has stood still long enough that nobody is writing it.
    Broken {
        sha256: Sha256,
        why: String,
        settled: bool,
    },
}

/// What a file is by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Claim,
    Brief,
    Scope,
    Question,
}

impl Folder {
    /// A folder of claims, and the one with the briefs.
    pub fn new(folder: impl Into<PathBuf>, briefs: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), briefs: briefs.into(), kept: HashMap::new() }
    }

    /// Reads what changed. What doesn't parse is taken for what it is when its size and time stood still for `patience`;
    /// without any, at once.
    ///
    /// # Errors
    /// When a folder can't be listed. A file that can't be read is part of what is found.
    pub fn read(&mut self, patience: Duration) -> io::Result<Found> {
        // Whoever writes a claim had its brief before: looking for briefs after claims misses none.
        let mut files = list(&self.folder, &[Kind::Claim])?;
        files.extend(list(&self.folder, &[Kind::Scope, Kind::Question])?);
        files.extend(list(&self.briefs, &[Kind::Brief])?);
        files.sort();
        let now = SystemTime::now();
        let kept = std::mem::take(&mut self.kept);
        let read: Vec<_> = files
            .into_par_iter()
            .filter_map(|(path, kind)| {
                let before = kept.get(&path);
                let (now, is_new) = look_at(&path, kind, before, Clock { now, patience })?;
                Some((path, kind, now, is_new))
            })
            .collect();
        let mut found = Found::default();
        for (path, kind, kept, is_new) in read {
            found.take(&path, kind, &kept, is_new);
            self.kept.insert(path, kept);
        }
        Ok(found)
    }
}

impl Found {
    fn take(&mut self, path: &Path, kind: Kind, kept: &Kept, is_new: bool) {
        let file = path.file_name().unwrap_or_default();
        let name = kind.name(file).unwrap_or_default();
        let written_at = kept.stamp.modified.and_then(clock::of_system);
        match &kept.content {
            Content::Claim { sha256, dialect, claim } => self.claims.push(ClaimFile {
                name,
                sha256: *sha256,
                dialect: *dialect,
                claim: Ok(claim.clone()),
                written_at,
                is_new,
            }),
            Content::Brief(brief) => self.briefs.push(BriefFile { name, brief: brief.clone() }),
            Content::Scope(scope) => self.scopes.push(scope.clone()),
            Content::Question(question) => self.questions.extend(question.clone()),
            Content::Broken { settled: false, .. } => self.waiting += 1,
            Content::Broken { sha256, why, .. } => match kind {
                Kind::Claim => self.claims.push(ClaimFile {
                    dialect: claim::dialect(&name.to_string_lossy(), None),
                    name,
                    sha256: *sha256,
                    claim: Err(why.clone()),
                    written_at,
                    is_new,
                }),
                Kind::Brief => {
                    let violations = vec![format!("the brief can't be read: {why}")];
                    self.briefs.push(BriefFile { name, brief: Brief { violations, ..Brief::default() } });
                    self.unreadable.push((file.to_owned(), why.clone()));
                }
                Kind::Scope | Kind::Question => self.unreadable.push((file.to_owned(), why.clone())),
            },
        }
    }
}

impl Kind {
    fn of(file: &OsStr) -> Option<Self> {
        let name = file.as_encoded_bytes();
        if name.starts_with(b".") {
            return None;
        }
        if let Some(name) = name.strip_suffix(b".done.json") {
            return (!is_retired(name)).then_some(Self::Claim);
        }
        if name.ends_with(b".brief.json") {
            return Some(Self::Brief);
        }
        if !name.ends_with(b".json") || name.ends_with(b".verdict.json") {
            return None;
        }
        if name.starts_with(b"scope-") {
            return Some(Self::Scope);
        }
        name.starts_with(b"worker-blocked-").then_some(Self::Question)
    }

    /// The name of a file without what tells its kind.
    fn name(self, file: &OsStr) -> Option<OsString> {
        let (before, after) = match self {
            Self::Claim => ("", ".done.json"),
            Self::Brief => ("", ".brief.json"),
            Self::Scope => ("scope-", ".json"),
            Self::Question => ("worker-blocked-", ".json"),
        };
        let name = file.as_encoded_bytes().strip_prefix(before.as_bytes())?.strip_suffix(after.as_bytes())?;
        Some(os_string(name))
    }
}

/// Part of a file's name, cut beside ASCII.
#[cfg(unix)]
fn os_string(bytes: &[u8]) -> OsString {
    use std::os::unix::ffi::OsStrExt as _;
    OsStr::from_bytes(bytes).to_owned()
}

#[cfg(not(unix))]
fn os_string(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}

/// Whether the name without `.done.json` is that of a retired copy, `…-prev<unix time>`.
fn is_retired(name: &[u8]) -> bool {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && name[..name.len() - digits].ends_with(b"-prev")
}

fn list(folder: &Path, kinds: &[Kind]) -> io::Result<Vec<(PathBuf, Kind)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if let Some(kind) = Kind::of(&entry.file_name()).filter(|kind| kinds.contains(kind)) {
            files.push((entry.path(), kind));
        }
    }
    Ok(files)
}

impl PartialOrd for Kind {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Kind {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (*self as u8).cmp(&(*other as u8))
    }
}

/// What time it is in this cycle, and how long half a file may stand still.
#[derive(Debug, Clone, Copy)]
struct Clock {
    now: SystemTime,
    patience: Duration,
}

/// The file as it is now, and whether that is new. `None`: it is gone.
fn look_at(path: &Path, kind: Kind, before: Option<&Kept>, clock: Clock) -> Option<(Kept, bool)> {
    let meta = match fs::metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(error) => return Some(unreadable(Stamp::NONE, &error, before, clock)),
    };
    let stamp = Stamp { size: meta.len(), modified: meta.modified().ok() };
    if let Some(before) = before.filter(|before| before.stamp == stamp && !before.is_waiting())
        && !stamp.is_racy(clock.now)
    {
        return Some((before.clone(), false));
    }
    let bytes = match content(path, &meta) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(error) => return Some(unreadable(stamp, &error, before, clock)),
    };
    let kept = Kept::read(path, kind, stamp, &bytes, before, clock);
    let is_new = kept.is_other_than(before);
    Some((kept, is_new))
}

fn unreadable(stamp: Stamp, error: &io::Error, before: Option<&Kept>, clock: Clock) -> (Kept, bool) {
    let kept = Kept::broken(stamp, &[], error.to_string(), before, clock);
    let is_new = kept.is_other_than(before);
    (kept, is_new)
}

fn content(path: &Path, meta: &fs::Metadata) -> io::Result<Vec<u8>> {
    // Opening a pipe would wait for its writer.
    if !meta.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    if meta.len() > LARGEST {
        return Err(io::Error::other("it is larger than 64 MiB"));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or(0));
    File::open(path)?.take(LARGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

impl Stamp {
    const NONE: Self = Self { size: 0, modified: None };

    fn is_racy(self, now: SystemTime) -> bool {
        self.modified.is_none_or(|modified| now.duration_since(modified).is_ok_and(|age| age < RACY))
    }
}

impl Kept {
    fn read(
        path: &Path,
        kind: Kind,
        stamp: Stamp,
        bytes: &[u8],
        before: Option<&Self>,
        clock: Clock,
    ) -> Self {
        let object = match object(bytes) {
            Ok(object) => object,
            Err(why) => return Self::broken(stamp, bytes, why, before, clock),
        };
        let name = kind.name(path.file_name().unwrap_or_default()).unwrap_or_default();
        let name = name.to_string_lossy();
        let sha256 = Sha256::of(bytes);
        let content = match kind {
            Kind::Claim => Content::Claim {
                sha256,
                dialect: claim::dialect(&name, Some(&object)),
                claim: Arc::new(claim::read(&object)),
            },
            Kind::Brief => Content::Brief(brief::brief(&object)),
            Kind::Scope => Content::Scope(brief::scope(&name, &object)),
            Kind::Question => Content::Question(brief::question(&name, &object, sha256)),
        };
        Self { stamp, since: clock.now, content }
    }

    fn broken(stamp: Stamp, bytes: &[u8], why: String, before: Option<&Self>, clock: Clock) -> Self {
        let still = before.filter(|before| before.stamp == stamp && before.is_broken());
        let since = still.map_or(clock.now, |before| before.since);
        let stood = clock.now.duration_since(since).unwrap_or_default();
        let content = Content::Broken { sha256: Sha256::of(bytes), why, settled: stood >= clock.patience };
        Self { stamp, since, content }
    }

    fn is_other_than(&self, before: Option<&Self>) -> bool {
        before.is_none_or(|before| before.content.sha256() != self.content.sha256() || before.is_waiting())
    }

    const fn is_broken(&self) -> bool {
        matches!(self.content, Content::Broken { .. })
    }

    const fn is_waiting(&self) -> bool {
        matches!(self.content, Content::Broken { settled: false, .. })
    }
}

impl Content {
    const fn sha256(&self) -> Option<Sha256> {
        match self {
            Self::Claim { sha256, .. } | Self::Broken { sha256, .. } => Some(*sha256),
            _ => None,
        }
    }
}

/// The object that a file holds.
fn object(bytes: &[u8]) -> Result<Map<String, Value>, String> {
    // Some editors put a byte order mark first.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(other) => Err(format!("it is {}, and an object is expected", fields::kind(&other))),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests;

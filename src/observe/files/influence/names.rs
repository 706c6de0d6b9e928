//! Names of files, and which paths they mean.

use std::collections::{BTreeSet, HashSet};

use bstr::ByteSlice as _;
use redgreen_parsers::glob;

/// The names of files and slices that could count, of all checks, in lower case. Every file of a work tree is asked for.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Names as they are.
    whole: HashSet<Vec<u8>>,
    /// Names with one `*`: what stands before it, and behind.
    around: Vec<(String, String)>,
    /// Names with several.
    patterns: Vec<String>,
    /// Ends of paths, each with the folder that it begins with.
    paths: Vec<(String, &'static str)>,
    /// The bytes that `whole` and `around` begin with, but for those that begin with a `*`.
    first: Bytes,
    /// The bytes that those end with.
    last: Bytes,
}

/// A set of bytes in which case doesn't count.
#[derive(Debug, Default)]
struct Bytes([u64; 4]);

impl Bytes {
    fn add(&mut self, byte: u8) {
        for byte in [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()] {
            if let Some(word) = self.0.get_mut(usize::from(byte / 64)) {
                *word |= 1 << (byte % 64);
            }
        }
    }

    fn has(&self, byte: u8) -> bool {
        self.0.get(usize::from(byte / 64)).is_some_and(|word| word & (1 << (byte % 64)) != 0)
    }
}

impl Names {
    pub(super) fn of(names: BTreeSet<&'static str>) -> Self {
        let mut sorted = Self::default();
        for name in names {
            let lower = name.to_ascii_lowercase();
            match name.split_once('/') {
                Some((folder, _)) => sorted.paths.push((lower, folder)),
                None => match lower.split_once('*') {
                    Some((start, end)) if !end.contains('*') => {
                        match (start.bytes().next(), end.bytes().next_back()) {
                            (Some(first), _) => sorted.first.add(first),
                            (None, Some(last)) => sorted.last.add(last),
                            (None, None) => (0..=u8::MAX).for_each(|byte| sorted.last.add(byte)),
                        }
                        sorted.around.push((start.to_owned(), end.to_owned()));
                    }
                    Some(_) => sorted.patterns.push(lower),
                    None => {
                        lower.bytes().take(1).for_each(|first| sorted.first.add(first));
                        _ = sorted.whole.insert(lower.into_bytes());
                    }
                },
            }
        }
        sorted
    }

    /// Whether the path of a file ends with one of them. `below`: whether its folder [is below one](Self::reach) of those
    /// that ends of paths begin with.
    pub(super) fn hold(&self, path: &[u8], below: bool) -> bool {
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        self.holds_plain(name)
            || (!self.patterns.is_empty() && self.matches(&name.to_str_lossy().to_ascii_lowercase()))
            || (below && self.paths.iter().any(|(name, first)| has_folder(path, first) && fits(name, path)))
    }

    /// Whether a folder is, or is below, one of those that ends of paths begin with.
    pub(super) fn reach(&self, folder: &[u8]) -> bool {
        self.paths.iter().any(|(_, first)| has_folder(folder, first))
    }

    /// Asked of every file of a work tree, so it allocates nothing, and most names are told by one byte.
    fn holds_plain(&self, name: &[u8]) -> bool {
        let (Some(first), Some(last)) = (name.first(), name.last()) else { return false };
        if !self.first.has(*first) && !self.last.has(*last) {
            return false;
        }
        // No file system has longer ones.
        let mut lower = [0; 1024];
        let Some(lower) = lower.get_mut(..name.len()) else { return false };
        lower.copy_from_slice(name);
        lower.make_ascii_lowercase();
        let lower = &*lower;
        let is_around = |(start, end): &(String, String)| {
            lower.len() >= start.len() + end.len()
                && lower.starts_with(start.as_bytes())
                && lower.ends_with(end.as_bytes())
        };
        self.whole.contains(lower) || self.around.iter().any(is_around)
    }

    fn matches(&self, name: &str) -> bool {
        self.patterns.iter().any(|pattern| glob(pattern, name))
    }
}

/// Whether one of a path's folders is called so. Cheaper than [`fits`], which most paths need not be asked.
fn has_folder(path: &[u8], folder: &str) -> bool {
    path.split(|byte| *byte == b'/').any(|part| part.eq_ignore_ascii_case(folder.as_bytes()))
}

/// Whether a path ends with a name. Case doesn't count, since it doesn't for every file system.
pub(super) fn fits(name: &str, path: &[u8]) -> bool {
    folders_before(name, path).next().is_some()
}

/// The folders from which a path is what a name means.
pub(super) fn folders_before<'p>(name: &str, path: &'p [u8]) -> impl Iterator<Item = &'p [u8]> {
    let parts = name.split('/').count();
    let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
    // A name without a slash is that of a file; one with a slash may hold `*`, which crosses slashes.
    let starts: Vec<Option<usize>> = match parts {
        1 => vec![path.iter().rposition(|byte| *byte == b'/')],
        _ => std::iter::once(None).chain(slashes.map(Some)).collect(),
    };
    let name = name.to_ascii_lowercase();
    starts.into_iter().filter_map(move |slash| {
        let rest = path.get(slash.map_or(0, |at| at + 1)..)?;
        let folder = path.get(..slash.unwrap_or(0))?;
        glob(&name, &rest.to_str_lossy().to_ascii_lowercase()).then_some(folder)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_every_grammar_are_held() {
        let influences = || redgreen_parsers::steering().map(|by| by.influence);
        let files = influences().flat_map(|by| by.files.iter().flat_map(|rule| &rule.names));
        let slices = influences().flat_map(|by| by.slices.iter().map(|rule| &rule.file));
        let names: BTreeSet<_> = files.chain(slices).map(String::as_str).collect();
        let sorted = Names::of(names.clone());
        for name in names.iter().filter(|name| !name.contains('/')) {
            for path in ["a/", "", "a/x", "a/.x"] {
                let path = format!("{path}{}", name.replace('*', "y.z").to_uppercase());
                let is_meant = names.iter().any(|name| fits(name, path.as_bytes()));
                let below = sorted.reach(super::super::parent(path.as_bytes()));
                assert_eq!(sorted.hold(path.as_bytes(), below), is_meant, "{path}");
            }
        }
    }

    #[test]
    fn names_are_matched_whole_and_without_case() {
        for (name, path) in [
            ("pytest.ini", "a/pytest.ini"),
            ("pytest.ini", "PyTest.INI"),
            ("jest.config.*", "a/jest.config.js"),
            ("__mocks__/*", "a/__mocks__/b/c.js"),
            (".config/nextest.toml", "a/.config/nextest.toml"),
        ] {
            assert!(fits(name, path.as_bytes()), "{name} {path}");
        }
        for (name, path) in
            [("pytest.ini", "xpytest.ini"), ("a/b", "xa/b"), ("*.pth", "a.pth/b"), ("a/b", "a/b/c")]
        {
            assert!(!fits(name, path.as_bytes()), "{name} {path}");
        }
    }
}

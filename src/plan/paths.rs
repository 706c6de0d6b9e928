//! Globs over the paths of a repository.

use std::collections::BTreeMap;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// A list of globs: `*` doesn't cross `/`, `**` does, `{a,b}` chooses, case counts.
#[derive(Debug, Clone)]
pub struct PathSet {
    patterns: Vec<String>,
    set: GlobSet,
}

/// Why a glob can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the glob `{glob}` can't be used: {why}")]
pub struct BadGlob {
    /// The glob as written.
    pub glob: String,
    /// What is wrong with it, and what to write instead.
    pub why: String,
}

impl PathSet {
    /// Compiles a list of globs.
    ///
    /// # Errors
    /// The first glob that is absolute, leaves its folder, negates, is empty or malformed.
    pub fn new<I: IntoIterator<Item = S>, S: Into<String>>(patterns: I) -> Result<Self, BadGlob> {
        let patterns: Vec<String> = patterns.into_iter().map(Into::into).collect();
        let mut set = GlobSetBuilder::new();
        for pattern in &patterns {
            let bad = |why: &str| BadGlob { glob: pattern.clone(), why: why.to_owned() };
            if pattern.is_empty() {
                return Err(bad("it is empty"));
            }
            if pattern.starts_with('/') {
                return Err(bad("it is absolute; write it relative to the repository's `path`"));
            }
            if pattern.starts_with('!') {
                return Err(bad("`!` is not known here; list what is meant instead"));
            }
            if pattern.split('/').any(|part| part == "..") {
                return Err(bad("`..` leaves the repository"));
            }
            let plain = pattern.strip_prefix("./").unwrap_or(pattern);
            let folder = plain.strip_suffix('/').map(|folder| format!("{folder}/**"));
            let glob = GlobBuilder::new(folder.as_deref().unwrap_or(plain))
                .literal_separator(true)
                .backslash_escape(true)
                .empty_alternates(true)
                .build()
                .map_err(|error| bad(&error.kind().to_string()))?;
            set.add(glob);
        }
        let set = set.build().map_err(|error| BadGlob {
            glob: error.glob().unwrap_or("").to_owned(),
            why: error.kind().to_string(),
        })?;
        Ok(Self { patterns, set })
    }

    /// A list that matches nothing.
    #[must_use]
    pub fn none() -> Self {
        Self { patterns: Vec::new(), set: GlobSet::empty() }
    }

    /// The globs as written.
    #[must_use]
    pub fn patterns(&self) -> &[String] {
        &self.patterns
    }

    /// Whether there is no glob.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether a path, in bytes with `/`, relative to where the globs start, is meant.
    #[must_use]
    pub fn matches(&self, path: &[u8]) -> bool {
        self.set.is_match(as_path(path))
    }

    /// Which of the globs mean this path, by their place in [`PathSet::patterns`].
    #[must_use]
    pub fn matching(&self, path: &[u8]) -> Vec<usize> {
        self.set.matches(as_path(path))
    }
}

#[cfg(unix)]
fn as_path(path: &[u8]) -> &std::path::Path {
    use std::os::unix::ffi::OsStrExt;
    std::path::Path::new(std::ffi::OsStr::from_bytes(path))
}

#[cfg(not(unix))]
fn as_path(path: &[u8]) -> std::path::PathBuf {
    std::path::PathBuf::from(String::from_utf8_lossy(path).into_owned())
}

/// Lists of globs, apart for each repository.
#[derive(Debug, Clone)]
pub enum ByRepository {
    /// One list, which means the same in every repository.
    All(PathSet),
    /// A list for each repository named; others have none.
    Each(BTreeMap<String, PathSet>),
}

impl ByRepository {
    /// The list of one repository.
    #[must_use]
    pub fn of(&self, repository: &str) -> Option<&PathSet> {
        match self {
            Self::All(set) => Some(set),
            Self::Each(sets) => sets.get(repository),
        }
    }

    /// Whether a path of a repository is meant.
    #[must_use]
    pub fn matches(&self, repository: &str, path: &[u8]) -> bool {
        self.of(repository).is_some_and(|set| set.matches(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(glob: &str, yes: &[&str], no: &[&str]) {
        let set = PathSet::new([glob]).unwrap();
        for path in yes {
            assert!(set.matches(path.as_bytes()), "{glob} must match {path}");
        }
        for path in no {
            assert!(!set.matches(path.as_bytes()), "{glob} must not match {path}");
        }
    }

    #[test]
    fn globs_mean_what_the_plan_says() {
        check("tests/**", &["tests/a", "tests/a/b", "tests/.hidden"], &["tests", "xtests/a", "src/tests/a"]);
        check("src/*.py", &["src/a.py", "src/.py"], &["src/a/b.py", "src/A.PY"]);
        check("**/*.{rs,toml}", &["a.rs", "x/y.toml"], &["a.py"]);
        check("docs/", &["docs/a/b"], &["docs.md"]);
        check("./src/**", &["src/a"], &["a"]);
    }

    #[test]
    fn globs_that_leave_the_repository_are_refused() {
        for bad in ["", "/etc/**", "../x", "a/../b", "!tests/**", "[", "a{b"] {
            assert!(PathSet::new([bad]).is_err(), "{bad:?} must be refused");
        }
    }

    #[cfg(unix)]
    #[test]
    fn paths_are_bytes() {
        assert!(PathSet::new(["tests/*"]).unwrap().matches(b"tests/\xff\n"));
    }
}

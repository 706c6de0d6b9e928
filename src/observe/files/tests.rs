#[cfg(unix)]
mod cache;
#[cfg(unix)]
mod frozen;
mod ignore;
mod submodules;
#[cfg(unix)]
mod unix;

use std::time::Duration;

use super::stat::Stat;
use super::*;
use crate::observe::fingerprint::fingerprint;
use crate::observe::scratch::Scratch;

/// A [`Look`] that owns what it is made of.
#[derive(Debug, Clone)]
struct Ask {
    folder: PathBuf,
    state_dir: PathBuf,
    baseline: Option<IgnoreRules>,
    guard: PathSet,
    include: PathSet,
    tests: PathSet,
    inline: PathSet,
    checks: Vec<Check>,
    cache: Option<PathBuf>,
    read_all: bool,
    /// When the look begins.
    started: SystemTime,
}

impl Ask {
    fn of(scratch: &Scratch) -> Self {
        Self {
            folder: scratch.root().to_owned(),
            state_dir: scratch.path(".verify"),
            baseline: None,
            guard: PathSet::none(),
            include: PathSet::none(),
            tests: PathSet::none(),
            inline: PathSet::none(),
            checks: Vec::new(),
            cache: None,
            read_all: false,
            started: SystemTime::now(),
        }
    }

    /// With a cache outside the tree, and late enough for every file to be kept in it.
    fn cached(scratch: &Scratch, elsewhere: &Scratch) -> Self {
        Self {
            cache: Some(elsewhere.path("hashes")),
            started: SystemTime::now() + Duration::from_secs(60),
            ..Self::of(scratch)
        }
    }

    fn try_look(&self) -> Result<RepositoryFacts, FilesError> {
        let request = Look {
            id: "app",
            folder: &self.folder,
            state_dir: &self.state_dir,
            baseline_ignore: self.baseline.as_ref(),
            guard_ignore: &self.guard,
            include: &self.include,
            test_paths: &self.tests,
            inline: &self.inline,
            checks: &self.checks.iter().collect::<Vec<_>>(),
            cache: self.cache.as_deref(),
            read_all: self.read_all,
            jobs: 0,
        };
        look_from(&request, self.started)
    }

    fn look(&self) -> RepositoryFacts {
        self.try_look().unwrap()
    }
}

fn globs<const N: usize>(globs: [&str; N]) -> PathSet {
    PathSet::new(globs).unwrap()
}

fn listed(entries: &[Entry]) -> Vec<String> {
    entries.iter().map(|entry| format!("{} {}", char::from(entry.kind.letter()), entry.path)).collect()
}

#[track_caller]
fn check(scratch: &Scratch, expected: &[&str]) {
    check_ask(&Ask::of(scratch), expected);
}

#[track_caller]
fn check_ask(ask: &Ask, expected: &[&str]) {
    assert_eq!(listed(ask.look().map.entries()), expected);
}

#[test]
fn files_come_in_order_of_their_bytes_with_their_hashes() {
    let scratch = Scratch::plain();
    for path in ["b", "a/b", "a-b", "a.b", "a0", "B", "é"] {
        scratch.write(path, path);
    }
    check(&scratch, &["f B", "f a-b", "f a.b", "f a/b", "f a0", "f b", "f é"]);
    let facts = Ask::of(&scratch).look();
    assert_eq!(facts.map.get(b"a/b").unwrap().sha256, Sha256::of(b"a/b"));
    assert_eq!((facts.git, facts.hashed, facts.prefix), (None, Hashed::All, "".into()));
}

#[test]
fn git_or_not_and_empty_or_not() {
    check(&Scratch::plain(), &[]);
    check(&Scratch::unborn(), &[]);
    check(&Scratch::repository(), &["f a", "f src/b"]);
    assert_eq!(fingerprint(&Ask::of(&Scratch::unborn()).look().map, &[]), Sha256::of(b""));
}

#[test]
fn large_files_are_hashed_whole() {
    let scratch = Scratch::plain();
    let content: Vec<u8> = (0..1_000_003_u32).flat_map(u32::to_le_bytes).take(1_000_003).collect();
    scratch.write("large", &content);
    assert_eq!(Ask::of(&scratch).look().map.get(b"large").unwrap().sha256, Sha256::of(&content));
}

#[test]
fn a_large_folder_is_seen_whole() {
    let scratch = Scratch::plain();
    for at in 0..1_500 {
        scratch.write(format!("{at}"), "");
    }
    assert_eq!(Ask::of(&scratch).look().map.entries().len(), 1_500);
}

#[test]
fn what_never_counts_is_listed() {
    let scratch = Scratch::repository();
    for path in [
        "__pycache__/a.pyc",
        "src/__pycache__/b.pyc",
        ".pytest_cache/x",
        ".hypothesis/x",
        ".mypy_cache/x",
        ".ruff_cache/x",
        ".DS_Store",
        "Thumbs.db",
        "desktop.ini",
        "a~",
        ".x.swp",
        ".#a",
        "4913",
        ".verify/task.json",
        "tmp/deep/x",
        "src/out.txt",
    ] {
        scratch.write(path, "");
    }
    let ask = Ask { guard: globs(["tmp/**", "**/out.txt", "never/**"]), ..Ask::of(&scratch) };
    check_ask(&ask, &["f a", "f src/b"]);
    let left_out = ask.look().left_out;
    let expected = [
        "**/out.txt",
        "*~",
        ".#*",
        ".*.sw?",
        ".DS_Store",
        ".hypothesis/",
        ".mypy_cache/",
        ".pytest_cache/",
        ".ruff_cache/",
        ".verify/",
        "4913",
        "Thumbs.db",
        "__pycache__/",
        "desktop.ini",
        "tmp/**",
    ];
    assert_eq!(left_out, expected);
}

#[test]
fn the_names_of_caches_and_of_stray_files_are_not_interchangeable() {
    let scratch = Scratch::plain();
    scratch.write("__pycache__", "a file");
    scratch.write("x~/y", "in a folder");
    scratch.write("4913/y", "");
    check(&scratch, &["f 4913/y", "f __pycache__", "f x~/y"]);
}

#[test]
fn the_state_folder_may_lie_anywhere() {
    let scratch = Scratch::repository();
    scratch.write("var/state/x", "");
    scratch.write("var/y", "");
    let ask = Ask { state_dir: scratch.path("var/state"), ..Ask::of(&scratch) };
    check_ask(&ask, &["f a", "f src/b", "f var/y"]);
    let elsewhere = Scratch::plain();
    let ask = Ask { state_dir: elsewhere.path("state"), ..Ask::of(&scratch) };
    check_ask(&ask, &["f a", "f src/b", "f var/state/x", "f var/y"]);
}

#[cfg(unix)]
#[test]
fn the_state_folder_may_be_a_link() {
    let scratch = Scratch::repository();
    scratch.write("var/state/x", "");
    scratch.link(".verify", "var/state");
    check(&scratch, &["f a", "f src/b"]);
}

#[test]
fn a_path_below_the_root_sees_the_whole_tree_and_globs_start_at_it() {
    let scratch = Scratch::repository();
    scratch.write("src/tmp/x", "");
    scratch.write("tmp/x", "");
    let ask = Ask { folder: scratch.path("src"), guard: globs(["tmp/**"]), ..Ask::of(&scratch) };
    check_ask(&ask, &["f a", "f src/b", "f tmp/x"]);
    assert_eq!(ask.look().prefix, "src");
}

#[test]
fn flags_in_the_index_hide_no_edit() {
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        let scratch = Scratch::repository();
        scratch.git(&["update-index", flag, "a"]);
        scratch.write("a", "edited");
        assert_eq!(Ask::of(&scratch).look().map.get(b"a").unwrap().sha256, Sha256::of(b"edited"));
    }
}

use std::fs;

use std::time::Duration;

use super::*;
use crate::observe::facts::IgnoreOrigin;
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
fn ignored_files_do_not_count() {
    let scratch = Scratch::repository();
    scratch.write(".gitignore", "*.log\n/build/\n!keep.log\n");
    scratch.write("x.log", "");
    scratch.write("keep.log", "");
    scratch.write("build/x", "");
    scratch.write("src/build/x", "");
    scratch.write("src/.gitignore", "/b?\n");
    scratch.write("src/bb", "");
    check(&scratch, &["f .gitignore", "f a", "f keep.log", "f src/.gitignore", "f src/b", "f src/build/x"]);
}

#[test]
fn below_an_ignored_folder_nothing_is_brought_back() {
    let scratch = Scratch::plain();
    scratch.write(".gitignore", "build/\n!build/keep\n");
    scratch.write("build/keep", "");
    scratch.write("build/.gitignore", "!*\n");
    check(&scratch, &["f .gitignore"]);
}

#[test]
fn tracked_files_count_though_ignored() {
    let scratch = Scratch::unborn();
    scratch.write("build/deep/tracked", "");
    scratch.write("tracked.log", "");
    scratch.git(&["add", "."]);
    scratch.write(".gitignore", "build/\n*.log\n");
    scratch.write("build/deep/other", "");
    scratch.write("other.log", "");
    check(&scratch, &["f .gitignore", "f build/deep/tracked", "f tracked.log"]);
}

#[test]
fn what_git_ignores_for_this_checkout_alone_does_not_count() {
    let scratch = Scratch::repository();
    scratch.write(".git/info/exclude", "mine\n");
    scratch.write("global", "yours\n");
    scratch.git(&["config", "core.excludesFile", scratch.path("global").to_str().unwrap()]);
    scratch.write("mine", "");
    scratch.write("yours", "");
    check(&scratch, &["f a", "f global", "f src/b"]);
    let origins: Vec<_> = Ask::of(&scratch).look().ignore.iter().map(|source| source.origin).collect();
    assert_eq!(origins, [IgnoreOrigin::Global, IgnoreOrigin::Exclude]);
}

#[test]
fn an_exclude_outweighs_a_global_rule() {
    let scratch = Scratch::repository();
    scratch.write("global", "*.tmp\n");
    scratch.git(&["config", "core.excludesFile", scratch.path("global").to_str().unwrap()]);
    scratch.write(".git/info/exclude", "!keep.tmp\n");
    scratch.write("keep.tmp", "");
    scratch.write("other.tmp", "");
    check(&scratch, &["f a", "f global", "f keep.tmp", "f src/b"]);
    let before = Ask::of(&scratch).look();
    let ask = Ask { baseline: Some(before.ignore), ..Ask::of(&scratch) };
    check_ask(&ask, &["f a", "f global", "f keep.tmp", "f src/b"]);
}

#[test]
fn a_new_ignore_line_has_no_power_and_is_listed() {
    let scratch = Scratch::repository();
    scratch.write(".gitignore", "*.log\n");
    scratch.write("old.log", "");
    let ask = Ask { baseline: Some(Ask::of(&scratch).look().ignore), ..Ask::of(&scratch) };
    scratch.write("evil/x.py", "");
    scratch.write("evil/y.log", "");
    for (path, text) in
        [(".gitignore", "*.log\nevil/\n"), ("evil/.gitignore", "*\n"), (".git/info/exclude", "evil\n")]
    {
        scratch.write(path, text);
        let facts = ask.look();
        assert!(facts.map.get(b"evil/x.py").is_some(), "{path}");
        assert!(facts.map.get(b"evil/y.log").is_none(), "the baseline hides it too");
        assert!(facts.hidden_by_new_rule.contains(&"evil/x.py".into()), "{path}");
    }
}

#[test]
fn a_rule_taken_away_shows_what_it_hid() {
    let scratch = Scratch::repository();
    scratch.write(".gitignore", "*.log\n");
    scratch.write("x.log", "");
    let ask = Ask { baseline: Some(Ask::of(&scratch).look().ignore), ..Ask::of(&scratch) };
    scratch.remove(".gitignore");
    let facts = ask.look();
    assert!(facts.map.get(b"x.log").is_some());
    assert!(facts.hidden_by_new_rule.is_empty());
}

#[test]
fn braces_in_ignore_rules_mean_themselves() {
    let scratch = Scratch::repository();
    scratch.write(".gitignore", "{x,y}\n");
    scratch.write("x", "");
    scratch.write("{x,y}", "");
    check(&scratch, &["f .gitignore", "f a", "f src/b", "f x"]);
}

#[test]
fn included_files_count_though_ignored() {
    let scratch = Scratch::repository();
    scratch.write(".gitignore", "gen/\n*.env\n");
    scratch.write("gen/deep/api.py", "");
    scratch.write("gen/deep/api.log", "");
    scratch.write("x.env", "");
    let ask = Ask { include: globs(["gen/**/*.py", "x.env"]), ..Ask::of(&scratch) };
    check_ask(&ask, &["f .gitignore", "f a", "f gen/deep/api.py", "f src/b", "f x.env"]);
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
fn a_nested_repository_is_plain_files() {
    let scratch = Scratch::repository();
    scratch.init("inner");
    scratch.write("inner/x", "");
    scratch.write("inner/.git/info/exclude", "x\n");
    check(&scratch, &["f a", "f inner/x", "f src/b"]);
    assert_eq!(Ask::of(&scratch).look().nested, ["inner"]);
}

#[test]
fn a_submodule_is_one_entry() {
    let library = Scratch::repository();
    let scratch = Scratch::repository();
    scratch.git(&["submodule", "--quiet", "add", library.root().to_str().unwrap(), "lib"]);
    scratch.commit();
    check(&scratch, &["f .gitmodules", "f a", "s lib", "f src/b"]);

    let hash = |scratch: &Scratch| Ask::of(scratch).look().map.get(b"lib").unwrap().sha256;
    let head = library.git(&["rev-parse", "HEAD"]);
    let inner = fingerprint(&Ask::of(&library).look().map, &[]);
    let clean = hash(&scratch);
    assert_eq!(clean, Sha256::of(format!("{head}\n{inner}").as_bytes()));

    scratch.write("lib/src/b", "edited\n");
    assert_ne!(hash(&scratch), clean);
    scratch.write("lib/src/b", "b\n");
    assert_eq!(hash(&scratch), clean);

    scratch.write("lib/x.log", "");
    assert_ne!(hash(&scratch), clean, "an untracked file");
    scratch.write(".git/modules/lib/info/exclude", "*.log\n");
    assert_eq!(hash(&scratch), clean, "its own rules hold in it");
    let ask = Ask { baseline: Some(Ask::of(&scratch).look().ignore), ..Ask::of(&scratch) };
    scratch.write("lib/.git-is-elsewhere", "");
    scratch.write(".git/modules/lib/info/exclude", "*.log\n.git-*\n");
    assert_eq!(ask.look().hidden_by_new_rule, ["lib/.git-is-elsewhere"]);
    assert_ne!(ask.look().map.get(b"lib").unwrap().sha256, clean);
}

#[test]
fn a_submodule_that_is_not_checked_out_hides_no_files() {
    let library = Scratch::repository();
    let scratch = Scratch::repository();
    scratch.git(&["submodule", "--quiet", "add", library.root().to_str().unwrap(), "lib"]);
    scratch.commit();
    scratch.git(&["submodule", "--quiet", "deinit", "-f", "lib"]);
    let head = library.git(&["rev-parse", "HEAD"]);
    check(&scratch, &["f .gitmodules", "f a", "s lib", "f src/b"]);
    assert_eq!(Ask::of(&scratch).look().map.get(b"lib").unwrap().sha256, Sha256::of(head.as_bytes()));
    scratch.write("lib/x", "");
    check(&scratch, &["f .gitmodules", "f a", "s lib", "f lib/x", "f src/b"]);
}

#[test]
fn submodules_within_submodules() {
    let leaf = Scratch::repository();
    let middle = Scratch::repository();
    middle.git(&["submodule", "--quiet", "add", leaf.root().to_str().unwrap(), "leaf"]);
    middle.commit();
    let scratch = Scratch::repository();
    scratch.git(&["submodule", "--quiet", "add", middle.root().to_str().unwrap(), "middle"]);
    scratch.git(&["submodule", "--quiet", "update", "--init", "--recursive"]);
    scratch.commit();
    let head = middle.git(&["rev-parse", "HEAD"]);
    let inner = fingerprint(&Ask::of(&middle).look().map, &[]);
    let expected = Sha256::of(format!("{head}\n{inner}").as_bytes());
    assert_eq!(Ask::of(&scratch).look().map.get(b"middle").unwrap().sha256, expected);
    scratch.write("middle/leaf/a", "edited\n");
    assert_ne!(Ask::of(&scratch).look().map.get(b"middle").unwrap().sha256, expected);
}

#[test]
fn a_sparse_checkout_keeps_the_rules_that_are_not_there() {
    let scratch = Scratch::repository();
    scratch.write("src/.gitignore", "*.log\n");
    scratch.commit();
    scratch.git(&["sparse-checkout", "set", "--no-cone", "/*", "!/src/.gitignore"]);
    assert!(!scratch.path("src/.gitignore").exists());
    scratch.write("src/x.log", "");
    check(&scratch, &["f a", "f src/b"]);
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

#[cfg(unix)]
mod unix {
    use std::ffi::OsStr;
    use std::fs::File;
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;

    #[test]
    fn names_are_bytes() {
        let scratch = Scratch::repository();
        scratch.write(OsStr::from_bytes(b"\xff.txt"), "1");
        scratch.write("line\nfeed", "2");
        scratch.git(&["add", "."]);
        scratch.write(".gitignore", "*.txt\n");
        scratch.write(OsStr::from_bytes(b"d\xfe/\xfd"), "3");
        let map = Ask::of(&scratch).look().map;
        assert_eq!(map.get(b"\xff.txt").unwrap().sha256, Sha256::of(b"1"));
        assert_eq!(map.get(b"line\nfeed").unwrap().sha256, Sha256::of(b"2"));
        assert_eq!(map.get(b"d\xfe/\xfd").unwrap().sha256, Sha256::of(b"3"));
    }

    #[test]
    fn links_are_not_followed() {
        let scratch = Scratch::plain();
        scratch.write("real/x", "");
        scratch.link("folder", "real");
        scratch.link("dangling", "nowhere");
        scratch.link("out", "/etc");
        check(&scratch, &["l dangling", "l folder", "l out", "f real/x"]);
        assert_eq!(Ask::of(&scratch).look().map.get(b"out").unwrap().sha256, Sha256::of(b"/etc"));
    }

    #[test]
    fn a_link_with_the_same_text_is_another_file() {
        let scratch = Scratch::plain();
        scratch.write("a", "target");
        let file = fingerprint(&Ask::of(&scratch).look().map, &[]);
        scratch.remove("a");
        scratch.link("a", "target");
        assert_ne!(fingerprint(&Ask::of(&scratch).look().map, &[]), file);
    }

    #[test]
    fn an_ignore_file_that_is_a_link_is_no_rule() {
        let scratch = Scratch::repository();
        scratch.write("rules", "x\n");
        scratch.link(".gitignore", "rules");
        scratch.write("x", "");
        check(&scratch, &["l .gitignore", "f a", "f rules", "f src/b", "f x"]);
    }

    #[test]
    fn execute_bits_and_modes() {
        let scratch = Scratch::plain();
        scratch.write("run", "");
        scratch.chmod("run", 0o740);
        scratch.write("read", "");
        scratch.chmod("read", 0o640);
        check(&scratch, &["f read", "x run"]);
        let map = Ask::of(&scratch).look().map;
        assert_eq!((map.get(b"run").unwrap().mode, map.get(b"read").unwrap().mode), (0o740, 0o640));
    }

    #[test]
    fn what_is_no_file_is_named_and_never_opened() {
        let scratch = Scratch::repository();
        scratch.write(".gitignore", "*.sock\n");
        scratch.fifo("src/pipe");
        scratch.fifo("ignored.sock");
        let facts = Ask::of(&scratch).look();
        assert_eq!(facts.special, ["src/pipe"]);
        assert!(facts.frozen_refused.is_empty());
        scratch.remove("a");
        scratch.fifo("a");
        assert_eq!(Ask::of(&scratch).look().special, ["a", "src/pipe"], "tracked as a file");
    }

    #[test]
    fn a_file_that_became_a_pipe_since_it_was_met_is_not_waited_for() {
        let scratch = Scratch::plain();
        scratch.write("a", "");
        let seen = Stat::of(&fs::symlink_metadata(scratch.path("a")).unwrap());
        scratch.remove("a");
        scratch.fifo("a");
        let read = hash::read(&scratch.path("a"), seen, &mut Vec::new());
        assert!(matches!(read, Err(FilesError::Moving { .. })), "{read:?}");
    }

    #[test]
    fn a_file_that_changed_since_it_was_met_is_read_as_it_is_now() {
        let scratch = Scratch::plain();
        scratch.write("a", "before");
        let seen = Stat::of(&fs::symlink_metadata(scratch.path("a")).unwrap());
        scratch.write("a", "after it");
        let (stat, hash) = hash::read(&scratch.path("a"), seen, &mut Vec::new()).unwrap().unwrap();
        assert_eq!((stat.size, hash), (8, Sha256::of(b"after it")));
        scratch.remove("a");
        assert!(hash::read(&scratch.path("a"), seen, &mut Vec::new()).unwrap().is_none());
        scratch.link("a", "target");
        let (stat, hash) = hash::read(&scratch.path("a"), seen, &mut Vec::new()).unwrap().unwrap();
        assert_eq!((stat.kind(), hash), (EntryKind::Link, Sha256::of(b"target")));
    }

    #[test]
    fn a_file_that_may_not_be_read_is_named() {
        let scratch = Scratch::plain();
        scratch.write("secret", "");
        scratch.chmod("secret", 0);
        if File::open(scratch.path("secret")).is_ok() {
            eprintln!("not run: this user may read everything");
            return;
        }
        let error = Ask::of(&scratch).try_look().unwrap_err().to_string();
        assert!(error.contains("secret") && error.contains("guard"), "{error}");
    }

    #[test]
    fn a_deep_tree_needs_no_stack() {
        let scratch = Scratch::plain();
        let path = "d/".repeat(1_000) + "x";
        scratch.write(&path, "");
        check(&scratch, &[&format!("f {path}")]);
    }

    /// Sets a file's modification time back to what it was.
    fn restore_time(path: &Path, before: &fs::Metadata) {
        File::options().write(true).open(path).unwrap().set_modified(before.modified().unwrap()).unwrap();
    }

    #[test]
    fn an_edit_with_the_same_size_and_time_is_seen_through_the_cache() {
        let (scratch, elsewhere) = (Scratch::repository(), Scratch::plain());
        let ask = Ask::cached(&scratch, &elsewhere);
        ask.look();
        assert_eq!(ask.look().hashed, Hashed::Changed);
        let path = scratch.path("a");
        let before = fs::metadata(&path).unwrap();
        // The clock of the file system moves in steps; a change within the step of the last one is no edit that the
        // cache could know of, which is why such entries aren't kept outside this test.
        loop {
            fs::write(&path, "A\n").unwrap();
            restore_time(&path, &before);
            if Stat::of(&fs::metadata(&path).unwrap()).changed != Stat::of(&before).changed {
                break;
            }
        }
        let now = fs::metadata(&path).unwrap();
        assert_eq!((now.len(), now.modified().unwrap()), (before.len(), before.modified().unwrap()));
        let facts = ask.look();
        assert_eq!(facts.map.get(b"a").unwrap().sha256, Sha256::of(b"A\n"));
        assert_eq!(facts.hashed, Hashed::Changed, "the other file is known");
    }

    #[test]
    fn what_was_just_written_is_not_kept() {
        let (scratch, elsewhere) = (Scratch::plain(), Scratch::plain());
        scratch.write("a", "");
        let written = fs::metadata(scratch.path("a")).unwrap().modified().unwrap();
        let hashed = |passed| {
            let ask =
                Ask { started: written + Duration::from_millis(passed), ..Ask::cached(&scratch, &elsewhere) };
            ask.look();
            ask.look().hashed
        };
        assert_eq!(hashed(5), Hashed::All);
        assert_eq!(hashed(2_500), Hashed::Changed);
    }

    #[test]
    fn the_cache_is_not_asked_when_all_is_to_be_read() {
        let (scratch, elsewhere) = (Scratch::repository(), Scratch::plain());
        let ask = Ask::cached(&scratch, &elsewhere);
        ask.look();
        assert_eq!(Ask { read_all: true, ..ask.clone() }.look().hashed, Hashed::All);
        assert_eq!(ask.look().hashed, Hashed::Changed);
        let frozen = Ask { tests: globs(["**"]), ..ask };
        assert_eq!(frozen.look().hashed, Hashed::All, "what may be frozen is read in any case");
    }

    #[test]
    fn a_cache_that_lies_is_found_out_by_reading_all() {
        let (scratch, elsewhere) = (Scratch::repository(), Scratch::plain());
        let ask = Ask::cached(&scratch, &elsewhere);
        let honest = ask.look().map;
        let mut files: Vec<_> = honest
            .entries()
            .iter()
            .map(|entry| {
                let stat =
                    Stat::of(&fs::symlink_metadata(scratch.path(entry.path.to_str().unwrap())).unwrap());
                Found { path: entry.path.clone(), stat, counts: true, frozen: false }
            })
            .collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let hashes: Vec<Hash> = files.iter().map(|found| Some((found.stat, Sha256::of(b"lie")))).collect();
        let path = elsewhere.path("hashes");
        Cache::load(&path, scratch.root()).store(&path, &files, &hashes, &[None; 2], ask.started);
        assert_ne!(ask.look().map, honest);
        assert_eq!(Ask { read_all: true, ..ask.clone() }.look().map, honest);
        assert_eq!(ask.look().map, honest, "and the cache is put right");
    }

    #[test]
    fn a_corrupt_cache_is_no_cache() {
        let (scratch, elsewhere) = (Scratch::repository(), Scratch::plain());
        let ask = Ask::cached(&scratch, &elsewhere);
        let map = ask.look().map;
        for damage in ["", "redgreen file hashes 1\n", "redgreen file hashes 2\n and more"] {
            elsewhere.write("hashes", damage);
            let facts = ask.look();
            assert_eq!((facts.hashed, &facts.map), (Hashed::All, &map), "{damage:?}");
        }
        elsewhere.remove("hashes");
        fs::create_dir(elsewhere.path("hashes")).unwrap();
        assert_eq!(ask.look().hashed, Hashed::All, "a folder in its place");
        let nowhere = Ask { cache: Some(elsewhere.path("no/such/folder")), ..ask };
        assert_eq!(nowhere.look().map, map);
    }

    #[test]
    fn unchanged_files_leave_the_cache_as_it_is() {
        use std::os::unix::fs::MetadataExt as _;
        let (scratch, elsewhere) = (Scratch::repository(), Scratch::plain());
        let ask = Ask::cached(&scratch, &elsewhere);
        let written = || fs::metadata(elsewhere.path("hashes")).unwrap().ino();
        ask.look();
        let first = written();
        ask.look();
        assert_eq!(written(), first);
        scratch.write("c", "");
        ask.look();
        assert_ne!(written(), first);
    }

    #[track_caller]
    fn check_frozen(scratch: &Scratch, expected: &[&str], refused: &[&str]) {
        let facts = Ask { tests: globs(["tests/**"]), ..Ask::of(scratch) }.look();
        assert_eq!(listed(&facts.frozen), expected);
        let found: Vec<_> = facts.frozen_refused.iter().map(|(path, why)| format!("{path}: {why}")).collect();
        assert_eq!(found.len(), refused.len(), "{found:?}");
        for (found, refused) in found.iter().zip(refused) {
            assert!(found.contains(refused), "{found}");
        }
    }

    #[test]
    fn tests_are_frozen_with_what_a_runner_could_load() {
        let scratch = Scratch::repository();
        scratch.write(".gitignore", "output/\n*.sqlite3\nlocal.py\n__pycache__/\nnode_modules/\ntarget/\n");
        for path in [
            "tests/test_a.py",
            "tests/data.json",
            "tests/db.sqlite3",
            "tests/local.py",
            "tests/output/log.txt",
            "tests/output/evil.py",
            "tests/__pycache__/test_a.pyc",
            "tests/js/package.json",
            "tests/js/node_modules/x/index.js",
            "tests/py/node_modules/x/index.js",
            "tests/target/x.rs",
            "src/local.py",
        ] {
            scratch.write(path, "");
        }
        let expected = [
            "f tests/data.json",
            "f tests/js/package.json",
            "f tests/local.py",
            "f tests/output/evil.py",
            "f tests/py/node_modules/x/index.js",
            "f tests/target/x.rs",
            "f tests/test_a.py",
        ];
        check_frozen(&scratch, &expected, &[]);
        check(
            &scratch,
            &[
                "f .gitignore",
                "f a",
                "f src/b",
                "f tests/data.json",
                "f tests/js/package.json",
                "f tests/test_a.py",
            ],
        );
    }

    #[test]
    fn a_tracked_cache_is_frozen() {
        let scratch = Scratch::repository();
        scratch.write("tests/package.json", "");
        scratch.write("tests/node_modules/x.js", "");
        scratch.commit();
        scratch.write(".gitignore", "node_modules\n");
        scratch.write("tests/node_modules/y.js", "");
        check_frozen(&scratch, &["f tests/node_modules/x.js", "f tests/package.json"], &[]);
    }

    #[test]
    fn a_link_is_frozen_with_what_it_points_to() {
        let scratch = Scratch::repository();
        scratch.write("shared/x/y", "");
        scratch.write("shared/z", "");
        scratch.write("other", "");
        scratch.write("ignored", "");
        scratch.write(".gitignore", "/ignored\n");
        scratch.link("tests/file", "../other");
        scratch.link("tests/folder", "../shared");
        scratch.link("tests/twice", "file");
        scratch.link("tests/ignored", "../ignored");
        scratch.link("tests/dangling", "nowhere");
        scratch.link("tests/loop", "loop");
        scratch.link("tests/up", "..");
        let expected = [
            "f ignored",
            "f other",
            "f shared/x/y",
            "f shared/z",
            "l tests/dangling",
            "l tests/file",
            "l tests/folder",
            "l tests/ignored",
            "l tests/loop",
            "l tests/twice",
            "l tests/up",
        ];
        check_frozen(&scratch, &expected, &[]);
    }

    #[test]
    fn what_leads_away_or_is_no_file_cannot_be_frozen() {
        let scratch = Scratch::repository();
        scratch.link("tests/etc", "/etc/passwd");
        scratch.link("tests/gone", "/no/such/file");
        scratch.link("tests/git", "../.git/HEAD");
        scratch.link("tests/to-pipe", "../pipe");
        scratch.fifo("pipe");
        scratch.fifo("tests/pipe");
        let frozen = ["l tests/etc", "l tests/git", "l tests/gone", "l tests/to-pipe"];
        let refused =
            ["tests/etc: it leads out", "git's own", "tests/gone: it leads out", "tests/pipe: it is", "FIFO"];
        check_frozen(&scratch, &frozen, &refused);
    }

    #[test]
    fn twins_by_case_or_unicode_form_are_reported() {
        let scratch = Scratch::plain();
        for path in [
            "tests/A",
            "tests/a",
            "tests/b",
            "tests/\u{e9}",
            "tests/e\u{301}",
            "tests/\u{c9}",
            "src/X",
            "src/x",
        ] {
            scratch.write(path, "");
        }
        let facts = Ask { tests: globs(["tests/**"]), ..Ask::of(&scratch) }.look();
        let pairs: Vec<_> = facts.collisions.iter().map(|(a, b)| format!("{a} {b}")).collect();
        assert_eq!(pairs.len(), 3, "{pairs:?}");
        assert!(pairs.contains(&"tests/A tests/a".to_owned()));
    }
}

//! Names, modes, links, and what is no file.

use std::ffi::OsStr;
use std::fs::{self, File};
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

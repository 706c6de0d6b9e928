//! Hashes kept from one look to the next.

use std::fs::{self, File};
use std::time::Duration;

use super::*;

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
    let lie = |entry: &Entry| {
        let stat = Stat::of(&fs::symlink_metadata(scratch.path(entry.path.to_str().unwrap())).unwrap());
        let lie = Found::new(entry.path.clone(), stat);
        Found { sha256: Some(Sha256::of(b"lie")), is_news: true, ..lie }
    };
    let mut files = Files::default();
    for below in [false, true] {
        let lies = honest.entries().iter().filter(|entry| entry.path.contains(&b'/') == below).map(lie);
        files.push(found::Folder { files: lies.collect(), ..found::Folder::default() });
    }
    let path = elsewhere.path("hashes");
    Cache::load(&path, scratch.root()).store(&path, &files, ask.started);
    assert_ne!(ask.look().map, honest);
    assert_eq!(Ask { read_all: true, ..ask.clone() }.look().map, honest);
    assert_eq!(ask.look().map, honest, "and the cache is put right");
}

#[test]
fn a_corrupt_cache_is_no_cache() {
    let (scratch, elsewhere) = (Scratch::repository(), Scratch::plain());
    let ask = Ask::cached(&scratch, &elsewhere);
    let map = ask.look().map;
    for damage in ["", "redgreen file hashes 2\n", "redgreen file hashes 3\n and more"] {
        elsewhere.write("hashes", damage);
        let facts = ask.look();
        assert_eq!((facts.hashed, &facts.map), (Hashed::All, &map), "{damage:?}");
    }
    let mut lie = fs::read(elsewhere.path("hashes")).unwrap();
    let at = lie.len() - 33;
    lie[at] ^= 1;
    fs::write(elsewhere.path("hashes"), &lie).unwrap();
    let facts = ask.look();
    assert_eq!((facts.hashed, &facts.map), (Hashed::All, &map), "one hash is another");
    assert_eq!(ask.look().hashed, Hashed::Changed, "it was written anew");
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

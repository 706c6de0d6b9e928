//! What nobody but a hand, or a bad disk, does to the folder: it is found, named, and left as it is.

use super::*;
use crate::judge::Code;

/// Does something to a folder with three records and a frozen set, and compares the codes that the check finds. A
/// writer must refuse with one of them and change nothing.
#[track_caller]
fn check(what: &str, damage: impl FnOnce(&Fixture), want: &[&str]) {
    let fixture = whole();
    damage(&fixture);
    assert_eq!(fixture.codes(), want, "{what}");
    let before = fixture.snapshot();
    let opened = Writer::open(&fixture.folder, Duration::ZERO);
    assert_eq!(fixture.snapshot(), before, "{what}: nothing may be overwritten");
    match opened {
        Err(error) => {
            assert!(want.contains(&error.code().word()), "{what}: {error}");
            assert!(error.to_string().contains(&error.path().display().to_string()), "{what}: {error}");
        }
        // A writer reads the last record alone; others are read when they are needed.
        Ok(writer) => {
            assert!(
                writer.records().iter().any(|line| writer.read(line).is_err()) || want.is_empty(),
                "{what}"
            );
        }
    }
}

fn whole() -> Fixture {
    let fixture = Fixture::new();
    let mut writer = fixture.writer();
    let frozen = samples::frozen(1, "tests/test_a.py");
    let evidence = fixture.evidence(&mut writer, "red", Some(Phase::Red));
    writer.append(Entry { frozen: Some(&frozen), ..Entry::new(evidence) }).unwrap();
    for _ in 0..2 {
        fixture.append(&mut writer, "green", Some(Phase::Green)).unwrap();
    }
    fixture
}

fn edit(fixture: &Fixture, name: &str, from: &str, to: &str) {
    let text = fixture.text(name);
    assert!(text.contains(from), "{name} has no {from}");
    fs::write(fixture.path(name), text.replacen(from, to, 1)).unwrap();
}

fn lines(fixture: &Fixture) -> Vec<String> {
    fixture.text("log.jsonl").lines().map(str::to_owned).collect()
}

fn set_lines(fixture: &Fixture, lines: &[String]) {
    fs::write(fixture.path("log.jsonl"), lines.concat().replace("}{", "}\n{") + "\n").unwrap();
}

const BROKEN: &str = "chain-broken";
const CORRUPT: &str = "record-corrupt";
const NEWER: &str = "record-newer";

#[test]
fn nothing_done_is_nothing_found() {
    check("nothing", |_| {}, &[]);
    check(
        "a temporary",
        |fixture| fs::write(fixture.path("evidence/green-0009.json.tmp"), "x").unwrap(),
        &[],
    );
    check(
        "a transcript",
        |fixture| fs::write(fixture.path("evidence/green-0009.unit.log"), "x").unwrap(),
        &[],
    );
}

#[test]
fn an_edited_copy_of_an_output() {
    // The record says that it was `1 passed`.
    let check = |copy: &'static [u8], bytes: u64, want: &[&str]| {
        let fixture = whole();
        let mut writer = fixture.writer();
        let mut evidence = fixture.evidence(&mut writer, "red", Some(Phase::Red));
        evidence.checks[0].output_bytes = bytes;
        let copy = text(copy);
        let transcripts = vec![super::super::Transcript { check: "unit", copy: &copy }];
        writer.append(Entry { transcripts, ..Entry::new(evidence) }).unwrap();
        assert_eq!(fixture.codes(), want);
    };
    check(b"1 passed\n", 9, &[]);
    check(b"2 passed\n", 9, &[CORRUPT]);
    check(b"", 9, &[CORRUPT]);
    check(b"[redacted:variable] passed\n", 9, &[]);
    check(b"1 passed, and more that is left out\n", 1 << 40, &[]);
}

#[test]
fn an_edited_record() {
    for name in ["red-0001.json", "green-0001.json", "green-0002.json"] {
        let name = format!("evidence/{name}");
        check(&name, |fixture| edit(fixture, &name, r#""passed":true"#, r#""passed":false"#), &[BROKEN]);
        check(&name, |fixture| edit(fixture, &name, "1 passed", "9 passed"), &[BROKEN]);
    }
}

#[test]
fn an_edited_record_whose_log_lines_were_edited_too() {
    check(
        "the hash follows the edit",
        |fixture| {
            let store = Store::open(&fixture.folder).unwrap();
            let old = store.find("green-0001").unwrap().sha256;
            edit(fixture, "evidence/green-0001.json", "1 passed", "9 passed");
            let new = crate::digest::Sha256::of(&fs::read(fixture.path("evidence/green-0001.json")).unwrap());
            let log = fixture
                .text("log.jsonl")
                .replace(&format!(r#""sha256":"{old}""#), &format!(r#""sha256":"{new}""#));
            fs::write(fixture.path("log.jsonl"), log).unwrap();
        },
        &[BROKEN],
    );
}

#[test]
fn a_deleted_record() {
    for name in ["red-0001.json", "green-0001.json", "green-0002.json"] {
        check(name, |fixture| fs::remove_file(fixture.path("evidence").join(name)).unwrap(), &[BROKEN]);
    }
}

#[test]
fn a_record_deleted_with_its_lines() {
    check(
        "no trace but what the next record says",
        |fixture| {
            fs::remove_file(fixture.path("evidence/green-0001.json")).unwrap();
            let lines = lines(fixture);
            set_lines(fixture, &[&lines[..2], &lines[4..]].concat());
        },
        &[BROKEN],
    );
}

#[test]
fn swapped_records() {
    check(
        "swapped",
        |fixture| {
            let [one, two] =
                ["green-0001.json", "green-0002.json"].map(|name| fixture.path("evidence").join(name));
            let bytes = fs::read(&one).unwrap();
            fs::rename(&two, &one).unwrap();
            fs::write(&two, bytes).unwrap();
        },
        &[BROKEN, BROKEN],
    );
}

#[test]
fn an_inserted_record() {
    for name in ["green-0003.json", "deliver-0001.json", "x.json"] {
        check(
            name,
            |fixture| {
                fs::copy(fixture.path("evidence/green-0002.json"), fixture.path("evidence").join(name))
                    .unwrap();
            },
            &[BROKEN],
        );
    }
}

#[test]
fn a_log_without_a_line() {
    for missing in 0..5 {
        let fixture = whole();
        let mut all = lines(&fixture);
        all.remove(missing);
        set_lines(&fixture, &all);
        let codes = fixture.codes();
        assert!(!codes.is_empty() && codes.iter().all(|code| *code == BROKEN), "line {missing}: {codes:?}");
    }
}

#[test]
fn a_log_whose_lines_were_changed() {
    let n = |fixture: &Fixture| {
        let log = fixture.text("log.jsonl").replace(r#""n":3"#, r#""n":4"#);
        fs::write(fixture.path("log.jsonl"), log).unwrap();
    };
    check("a gap", n, &[BROKEN]);
    check(
        "done isn't what was meant",
        |fixture| edit(fixture, "log.jsonl", r#""n":1"#, r#""n":2"#),
        &[BROKEN, BROKEN],
    );
    check(
        "no JSON in the middle",
        |fixture| edit(fixture, "log.jsonl", r#"{"n":2"#, r#"{"n":"#),
        &[BROKEN, BROKEN],
    );
    check(
        "a state of no version",
        |fixture| edit(fixture, "log.jsonl", "intent", "dreamt"),
        &[BROKEN, BROKEN],
    );
    check("no log", |fixture| fs::remove_file(fixture.path("log.jsonl")).unwrap(), &[BROKEN; 3]);
}

#[test]
fn a_record_that_reads_as_another_than_its_line_says() {
    check(
        "accepted, says the log",
        |fixture| {
            let log = fixture.text("log.jsonl").replace(r#""passed":true"#, r#""passed":false"#);
            fs::write(fixture.path("log.jsonl"), log).unwrap();
        },
        &[BROKEN; 3],
    );
}

#[test]
fn a_record_that_cant_be_read() {
    check(
        "cut",
        |fixture| fs::write(fixture.path("evidence/green-0002.json"), "{\"schema\":").unwrap(),
        &[CORRUPT],
    );
    check("empty", |fixture| fs::write(fixture.path("evidence/green-0001.json"), "").unwrap(), &[CORRUPT]);
}

#[test]
fn what_a_later_version_wrote() {
    for name in ["evidence/green-0002.json", "task.json"] {
        check(name, |fixture| edit(fixture, name, "/1\"", "/2\""), &[NEWER]);
    }
    check("frozen.json", |fixture| edit(fixture, "frozen.json", "frozen/1\"", "frozen/2\""), &[NEWER]);
}

#[test]
fn task_and_frozen_set() {
    check(
        "an edited frozen set",
        |fixture| edit(fixture, "frozen.json", "\"mode\":", "\"mode\":1"),
        &[CORRUPT],
    );
    check("no frozen set", |fixture| fs::remove_file(fixture.path("frozen.json")).unwrap(), &[CORRUPT]);
    check("half a frozen set", |fixture| fs::write(fixture.path("frozen.json"), "{").unwrap(), &[CORRUPT]);
    check(
        "half a task",
        |fixture| fs::write(fixture.path("task.json"), "{\"schema\":1}").unwrap(),
        &[CORRUPT],
    );
    check("no task", |fixture| fs::remove_file(fixture.path("task.json")).unwrap(), &[BROKEN]);
}

#[test]
fn file_maps() {
    let maps = |fixture: &Fixture| -> Vec<PathBuf> {
        fs::read_dir(fixture.path("maps")).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    let fixture = whole();
    assert_eq!(maps(&fixture).len(), 2);
    for path in maps(&fixture) {
        let bytes = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert_eq!(fixture.codes(), [CORRUPT], "a map that is gone");
        fs::write(&path, "{}").unwrap();
        assert_eq!(fixture.codes(), [CORRUPT], "a map that is another");
        fs::write(&path, bytes).unwrap();
    }
    assert_eq!(fixture.codes(), [""; 0]);
}

#[test]
fn a_map_that_is_another_is_not_overwritten() {
    let fixture = whole();
    let mut writer = fixture.writer();
    let files = writer.put_maps(&samples::maps("now")).unwrap();
    fs::write(fixture.path(&files.path), "{}").unwrap();
    assert_eq!(writer.put_maps(&samples::maps("now")).unwrap_err().code(), Code::RecordCorrupt);
    assert_eq!(writer.maps(&files).unwrap_err().code(), Code::RecordCorrupt);
    assert_eq!(fixture.text(&files.path), "{}");
}

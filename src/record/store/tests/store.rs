//! What a store does when nothing goes wrong, and who may write.

use super::super::append::Transcript;
use super::*;
use crate::digest::Sha256;
use crate::judge::Code;
use crate::record::wire::{LogState, TaskNumber};

#[test]
fn a_record_is_kept_and_read() {
    let fixture = Fixture::new();
    let mut writer = fixture.writer();
    let record = fixture.append(&mut writer, "implement", Some(Phase::Green)).unwrap();
    assert_eq!((record.name.as_str(), record.attempt), ("implement-0001.json", 1));

    let store = Store::open(&fixture.folder).unwrap();
    let line = store.find("implement-0001").unwrap();
    assert_eq!(line.sha256, record.sha256);
    assert_eq!(Sha256::of(&fs::read(&record.path).unwrap()), record.sha256);
    assert_eq!(store.read(line).unwrap().stage, "implement");
    assert_eq!(store.record_bytes(line).unwrap(), fs::read(&record.path).unwrap());
    for name in ["implement-0001.json", "evidence/implement-0001.json"] {
        assert_eq!(store.find(name), Some(line), "{name}");
    }
    for name in ["implement-0002", "../task", "", "log.jsonl"] {
        assert_eq!(store.find(name), None, "{name}");
    }
    assert_eq!(fixture.codes(), [""; 0]);
}

#[test]
fn the_log_has_two_lines_a_record() {
    let fixture = Fixture::with_records();
    let log = fixture.text("log.jsonl");
    let first: serde_json::Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    let mut keys: Vec<_> = first.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(keys, ["at", "n", "passed", "phase", "previous", "record", "sha256", "state", "task"]);
    let states: Vec<_> =
        Store::open(&fixture.folder).unwrap().log().iter().map(|line| (line.n, line.state)).collect();
    let (intent, done) = (LogState::Intent, LogState::Done);
    assert_eq!(states, [(1, intent), (1, done), (2, intent), (2, done), (3, intent), (3, done)]);
}

#[test]
fn each_record_names_the_one_before() {
    let fixture = Fixture::with_records();
    let store = Store::open(&fixture.folder).unwrap();
    let mut before = None;
    for line in store.records() {
        assert_eq!((store.read(line).unwrap().previous, line.previous), (before, before));
        before = Some(line.sha256);
    }
}

#[test]
fn numbers_run_on_over_tasks_and_attempts_begin_anew() {
    let fixture = Fixture::with_records();
    let mut writer = fixture.writer();
    fixture.begin(&mut writer, 2);
    assert_eq!(writer.next_name("green"), "green-0003.json");
    let record = fixture.append(&mut writer, "green", Some(Phase::Green)).unwrap();
    assert_eq!((record.name.as_str(), record.attempt), ("green-0003.json", 1));
    let record = fixture.append(&mut writer, "green", Some(Phase::Green)).unwrap();
    assert_eq!((record.name.as_str(), record.attempt), ("green-0004.json", 2));
    let of_task: Vec<_> = writer.records_of(TaskNumber(2)).map(|line| line.record.as_str()).collect();
    assert_eq!(of_task, ["green-0003.json", "green-0004.json"]);
    let last = writer.find("green-0004").unwrap();
    assert_eq!(writer.read(last).unwrap().task, TaskNumber(2));
    assert_eq!(fixture.codes(), [""; 0]);
}

#[test]
fn a_record_needs_a_task() {
    let home = tempfile::tempdir().unwrap();
    let mut writer = Writer::open(home.path(), Duration::ZERO).unwrap();
    let error = writer.append(Entry::new(samples::evidence("red", None, true))).unwrap_err();
    assert_eq!(error.code(), Code::NoTask);
}

#[test]
fn a_name_that_leaves_the_folder_is_refused() {
    let fixture = Fixture::new();
    let mut writer = fixture.writer();
    for stage in ["../x", "a/b", "", "A", "a\0"] {
        let error = fixture.append(&mut writer, stage, None).unwrap_err();
        assert_eq!(error.code(), Code::StoreUnwritable, "{stage:?}");
    }
    let mut entry = Entry::new(samples::evidence("red", None, true));
    let text = super::text(b"");
    entry.transcripts.push(Transcript { check: "../unit", copy: &text });
    assert_eq!(writer.append(entry).unwrap_err().code(), Code::StoreUnwritable);
    fixture.append(&mut writer, "red", None).unwrap();
}

#[test]
fn the_folder_ignores_itself() {
    let fixture = Fixture::new();
    assert_eq!(fixture.text(".gitignore"), "*\n");
    fs::write(fixture.path(".gitignore"), "*\n!evidence\n").unwrap();
    drop(fixture.writer());
    assert_eq!(fixture.text(".gitignore"), "*\n!evidence\n", "what a user wrote stays");
}

#[test]
fn a_reader_makes_nothing() {
    let home = tempfile::tempdir().unwrap();
    let store = Store::open(&home.path().join("none")).unwrap();
    assert_eq!(
        (store.task().unwrap(), store.frozen().unwrap(), store.records()),
        (None, None, [].as_slice())
    );
    assert_eq!(store.check().unwrap(), []);
    store.cache("files", b"x");
    assert!(!home.path().join("none").exists());
}

#[test]
fn one_writer_at_a_time_and_readers_beside_it() {
    let fixture = Fixture::with_records();
    let writer = fixture.writer();
    let error = Writer::open(&fixture.folder, Duration::from_millis(30)).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::StoreLocked, fixture.folder.as_path()));
    assert_eq!(fixture.codes(), [""; 0]);
    drop(writer);
    fixture.writer();
}

#[test]
fn a_patient_writer_gets_the_lock() {
    let fixture = Fixture::new();
    let first = fixture.writer();
    std::thread::scope(|scope| {
        let second = scope.spawn(|| Writer::open(&fixture.folder, Duration::from_secs(60)).map(drop));
        drop(first);
        second.join().unwrap().unwrap();
    });
}

#[test]
fn an_accepted_delivery_closes_the_task() {
    for (passed, open) in [(false, true), (true, false)] {
        let fixture = Fixture::new();
        let mut writer = fixture.writer();
        let evidence = Evidence { passed, ..fixture.evidence(&mut writer, "deliver", None) };
        writer.append(Entry::new(evidence)).unwrap();
        assert_eq!(writer.task().unwrap().unwrap().open, open);
    }
}

#[test]
fn the_frozen_set_comes_with_the_record_that_takes_it() {
    let fixture = Fixture::new();
    let mut writer = fixture.writer();
    let frozen = samples::frozen(1, "tests/test_a.py");
    let evidence = fixture.evidence(&mut writer, "red", Some(Phase::Red));
    let task = Task { rebinds: vec![samples::rebind(), samples::rebind()], ..fixture.task(&mut writer, 1) };
    let entry = Entry { frozen: Some(&frozen), task: Some(&task), ..Entry::new(evidence) };
    writer.append(entry).unwrap();

    let (read, sha256) = writer.frozen().unwrap().unwrap();
    assert_eq!(read, frozen);
    assert_eq!(sha256, Sha256::of(&fs::read(fixture.path("frozen.json")).unwrap()));
    let record = writer.read(writer.find("red-0001").unwrap()).unwrap();
    assert_eq!((record.frozen_sha256, record.rebinds), (Some(sha256), 2));
    let next = fixture.append(&mut writer, "green", Some(Phase::Green)).unwrap();
    let record = writer.read(writer.find(&next.name).unwrap()).unwrap();
    assert_eq!((record.frozen_sha256, record.rebinds), (Some(sha256), 2), "later records name it too");
    assert_eq!(writer.task().unwrap().unwrap(), task);
    assert_eq!(fixture.codes(), [""; 0]);
}

#[test]
fn a_reader_follows_a_freeze() {
    let fixture = Fixture::new();
    let mut writer = fixture.writer();
    for test in ["tests/test_a.py", "tests/test_b.py"] {
        let reader = Store::open(&fixture.folder).unwrap();
        let evidence = fixture.evidence(&mut writer, "red", Some(Phase::Red));
        writer.append(Entry { frozen: Some(&samples::frozen(1, test)), ..Entry::new(evidence) }).unwrap();
        assert_eq!(reader.frozen().unwrap().unwrap().0, samples::frozen(1, test));
    }
}

#[test]
fn the_frozen_set_of_an_earlier_task_is_none() {
    let fixture = Fixture::new();
    let mut writer = fixture.writer();
    let task = fixture.task(&mut writer, 1);
    writer.begin(&task, Some(&samples::frozen(1, "tests/test_a.py"))).unwrap();
    assert!(writer.frozen().unwrap().is_some());
    fixture.begin(&mut writer, 2);
    assert_eq!(writer.frozen().unwrap(), None);
    fixture.append(&mut writer, "red", Some(Phase::Red)).unwrap();
    assert_eq!(fixture.codes(), [""; 0]);
}

#[test]
fn equal_maps_are_kept_once() {
    let fixture = Fixture::new();
    let mut writer = fixture.writer();
    let one = writer.put_maps(&samples::maps("a")).unwrap();
    let before = fixture.snapshot();
    assert_eq!(writer.put_maps(&samples::maps("a")).unwrap(), one);
    assert_eq!(fixture.snapshot(), before);
    assert_eq!(writer.maps(&one).unwrap(), samples::maps("a"));
    assert_eq!(one.path, format!("maps/{}.json", one.sha256));
}

#[test]
fn a_transcript_lies_beside_its_record() {
    let fixture = Fixture::new();
    let mut writer = fixture.writer();
    let mut evidence = fixture.evidence(&mut writer, "red", Some(Phase::Red));
    evidence.checks[0].output_sha256 = crate::digest::Sha256::of(b"one\n\xfftwo");
    let mut entry = Entry::new(evidence);
    let text = super::text(b"one\n\xfftwo");
    entry.transcripts.push(Transcript { check: "unit", copy: &text });
    writer.append(entry).unwrap();
    assert_eq!(fs::read(fixture.path("evidence/red-0001.unit.log")).unwrap(), b"one\n\xfftwo");
    assert_eq!(
        writer.transcript(writer.find("red-0001").unwrap(), "unit"),
        fixture.path("evidence/red-0001.unit.log")
    );
    assert_eq!(fixture.codes(), [""; 0]);
}

#[test]
fn the_cache_may_be_missing() {
    let fixture = Fixture::new();
    let store = Store::open(&fixture.folder).unwrap();
    assert_eq!(store.cached("files"), None);
    store.cache("files", b"x");
    assert_eq!(store.cached("files").as_deref(), Some(b"x".as_slice()));
    store.cache("../files", b"x");
    assert_eq!(store.cached("../files"), None);
    fs::remove_dir_all(fixture.path("cache")).unwrap();
    store.cache("files", b"x");
    assert_eq!(store.cached("files"), None);
}

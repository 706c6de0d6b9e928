//! A program that is stopped at any instant leaves a folder that opens, with every finished record whole.

use super::super::step::Step;
use super::*;
use crate::digest::Sha256;
use crate::judge::Code;
use crate::record::wire::{LogLine, LogState};

const FIRST: &str = "tests/test_first.py";
const SECOND: &str = "tests/test_second.py";

/// The test that is frozen.
fn frozen(store: &Store) -> String {
    let (frozen, _) = store.frozen().unwrap().unwrap();
    frozen.files["app"][0].path.clone()
}

/// A folder in which the second red record, which freezes anew and rebinds, was stopped after this step.
fn stopped_after(step: Step) -> Fixture {
    let fixture = Fixture::new();
    let mut writer = fixture.writer();
    let evidence = fixture.evidence(&mut writer, "red", Some(Phase::Red));
    let first = samples::frozen(1, FIRST);
    writer.append(Entry { frozen: Some(&first), ..Entry::new(evidence) }).unwrap();
    writer.steps.stop_after = Some(step);
    assert!(append_freezing(&fixture, &mut writer).is_err());
    fixture
}

fn append_freezing(fixture: &Fixture, writer: &mut Writer) -> Result<RecordRef, StoreError> {
    let frozen = samples::frozen(1, SECOND);
    let task = Task { iteration: Some(77), ..fixture.task(writer, 1) };
    let evidence = fixture.evidence(writer, "red", Some(Phase::Red));
    let text = super::text(b"1 passed\n");
    let transcripts = vec![super::super::Transcript { check: "unit", copy: &text }];
    let attest = |_: &Store, stored: &RecordRef, evidence: &Evidence| {
        assert!(evidence.passed);
        Ok(stored.sha256.to_string().into_bytes())
    };
    writer.append(Entry {
        evidence,
        transcripts,
        frozen: Some(&frozen),
        task: Some(&task),
        attest: Some(&attest),
    })
}

/// Every record that readers see as finished, and which of them lack the signature that was asked for.
fn unsigned(store: &Store) -> Vec<&str> {
    let second = store.records().iter().filter(|line| line.record == "red-0002.json");
    let signature = |line: &LogLine| store.attestation(line).unwrap();
    second
        .filter(|line| signature(line) != Some(line.sha256.to_string().into_bytes()))
        .map(|line| line.record.as_str())
        .collect()
}

/// After the folder was opened again: the record is there as a whole, with all that belongs to it, or not at all; and
/// the next one can be added.
#[track_caller]
fn check(fixture: &Fixture, finished: bool, what: &str) {
    assert_eq!(fixture.codes(), [""; 0], "{what}: before it is opened, nothing is an alarm");
    let store = Store::open(&fixture.folder).unwrap();
    frozen(&store);
    assert_eq!(unsigned(&store), [""; 0], "{what}: before it is opened");
    let mut writer = Writer::open(&fixture.folder, Duration::ZERO).unwrap();
    assert_eq!(fixture.codes(), [""; 0], "{what}: once it was opened");
    let want: &[&str] = if finished { &["red-0001.json", "red-0002.json"] } else { &["red-0001.json"] };
    assert_eq!(fixture.names(), want, "{what}");
    for line in writer.records() {
        writer.read(line).unwrap();
    }
    if finished {
        assert_eq!(unsigned(&writer), [""; 0], "{what}: the signature");
    }
    let bound = if finished { SECOND } else { FIRST };
    assert_eq!(frozen(&writer), bound, "{what}: the frozen set");
    assert_eq!(writer.task().unwrap().unwrap().iteration == Some(77), finished, "{what}: the task");
    let next = fixture.append(&mut writer, "red", Some(Phase::Red)).unwrap();
    assert!(!want.contains(&next.name.as_str()), "{what}");
    assert_eq!(next.attempt, if finished { 3 } else { 2 }, "{what}");
    assert_eq!(frozen(&writer), bound, "{what}: nothing left over comes into place later");
    drop(writer);
    assert_eq!(fixture.codes(), [""; 0], "{what}: after the next record");
}

#[test]
fn a_kill_after_each_step() {
    for step in Step::ALL {
        let finished = matches!(step, Step::Intent | Step::Renamed | Step::Bound | Step::Done);
        check(&stopped_after(step), finished, &format!("{step:?}"));
    }
}

#[test]
fn a_kill_within_each_line_of_the_log() {
    for (step, before) in [(Step::Intent, Step::Companions), (Step::Done, Step::Bound)] {
        let whole = fs::read(stopped_after(before).path("log.jsonl")).unwrap().len();
        let log = fs::read(stopped_after(step).path("log.jsonl")).unwrap();
        for length in (whole..log.len()).step_by(41).chain([log.len() - 2, log.len() - 1]) {
            let fixture = stopped_after(before);
            fs::write(fixture.path("log.jsonl"), &log[..length]).unwrap();
            check(&fixture, step == Step::Done, &format!("{step:?} cut at byte {}", length - whole));
        }
    }
}

#[test]
fn a_kill_while_it_is_put_right() {
    // The companions came into place, or some of them, and then the power went again.
    let fixture = stopped_after(Step::Intent);
    fs::rename(fixture.path("evidence/red-0002.json.frozen.tmp"), fixture.path("frozen.json")).unwrap();
    check(&fixture, true, "the frozen set before the record");
    let fixture = stopped_after(Step::Renamed);
    fs::rename(fixture.path("evidence/red-0002.json.task.tmp"), fixture.path("task.json")).unwrap();
    check(&fixture, true, "the task before the frozen set");
}

#[test]
fn an_intent_whose_bytes_are_gone_is_abandoned() {
    let fixture = stopped_after(Step::Intent);
    fs::write(fixture.path("evidence/red-0002.json.tmp"), "half of a reco").unwrap();
    check(&fixture, false, "half a record");
    let store = Store::open(&fixture.folder).unwrap();
    let states: Vec<_> = store.log().iter().map(|line| (line.n, line.state)).collect();
    let (intent, done) = (LogState::Intent, LogState::Done);
    assert_eq!(
        states,
        [(1, intent), (1, done), (2, intent), (2, LogState::Abandoned), (3, intent), (3, done)]
    );
    assert_eq!(fixture.names(), ["red-0001.json", "red-0003.json"], "an abandoned name isn't used again");
    let left_over = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "tmp");
    assert_eq!(fixture.snapshot().into_keys().find(left_over), None);
    fs::copy(fixture.path("evidence/red-0003.json"), fixture.path("evidence/red-0002.json")).unwrap();
    assert_eq!(fixture.codes(), ["chain-broken"], "what was abandoned can't be there");
}

#[test]
fn a_write_that_failed_is_cleared_up_by_the_next() {
    for step in Step::ALL {
        let fixture = Fixture::new();
        let mut writer = fixture.writer();
        writer.steps.stop_after = Some(step);
        append_freezing(&fixture, &mut writer).unwrap_err();
        writer.steps.stop_after = None;
        fixture.append(&mut writer, "red", Some(Phase::Red)).unwrap();
        assert_eq!(fixture.codes(), [""; 0], "{step:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_loses_nothing() {
    let full = |path: &Path| std::os::unix::fs::symlink("/dev/full", path).unwrap();
    for name in [
        "evidence/green-0003.json.tmp",
        "evidence/green-0003.json.task.tmp",
        "evidence/green-0003.unit.log.tmp",
    ] {
        let fixture = Fixture::with_records();
        let mut writer = fixture.writer();
        let before = fixture.snapshot();
        full(&fixture.path(name));
        let evidence = fixture.evidence(&mut writer, "green", Some(Phase::Green));
        let task = fixture.task(&mut writer, 1);
        let text = super::text(b"1 passed\n");
        let transcripts = vec![super::super::Transcript { check: "unit", copy: &text }];
        let error =
            writer.append(Entry { transcripts, task: Some(&task), ..Entry::new(evidence) }).unwrap_err();
        assert_eq!((error.code(), error.path()), (Code::StoreUnwritable, fixture.path(name).as_path()));
        let after = fixture.snapshot();
        assert!(before.iter().all(|(path, bytes)| after.get(path) == Some(bytes)), "{name}");
        fixture.append(&mut writer, "green", Some(Phase::Green)).unwrap();
        assert_eq!(fixture.codes(), [""; 0], "{name}");
    }
}

#[test]
fn a_folder_that_vanishes_is_not_made_anew() {
    let fixture = Fixture::with_records();
    let mut writer = fixture.writer();
    let evidence = fixture.evidence(&mut writer, "green", Some(Phase::Green));
    fs::remove_dir_all(&fixture.folder).unwrap();
    let error = writer.append(Entry::new(evidence)).unwrap_err();
    assert!(matches!(error, StoreError::Replaced { .. }), "{error}");
    assert!(writer.put_maps(&samples::maps("new")).is_err());
    assert!(!fixture.folder.exists());
}

#[test]
fn a_folder_that_was_replaced_is_left_alone() {
    let fixture = Fixture::with_records();
    let mut writer = fixture.writer();
    let evidence = fixture.evidence(&mut writer, "green", Some(Phase::Green));
    fs::write(fixture.path("log.jsonl"), "").unwrap();
    let error = writer.append(Entry::new(evidence)).unwrap_err();
    assert!(matches!(error, StoreError::Replaced { .. }), "{error}");
    assert_eq!(fixture.text("log.jsonl"), "");
    assert!(!fixture.path("evidence/green-0003.json").exists());
}

#[test]
fn a_place_that_is_no_folder_is_left_alone() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("file");
    fs::write(&file, "mine").unwrap();
    for path in [file.clone(), file.join("below")] {
        let error = Writer::open(&path, Duration::ZERO).unwrap_err();
        assert_eq!(error.code(), Code::StoreUnwritable, "{error}");
    }
    assert!(matches!(Store::open(&file), Err(StoreError::NotAFolder { .. })));
    assert_eq!(Sha256::of(&fs::read(&file).unwrap()), Sha256::of(b"mine"));
}

#[test]
fn a_folder_of_the_project_is_left_alone() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("main.py"), "mine").unwrap();
    let error = Writer::open(home.path(), Duration::ZERO).unwrap_err();
    assert!(matches!(&error, StoreError::Occupied { name, .. } if name == "main.py"), "{error}");
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
}

#[test]
fn a_folder_whose_making_was_cut_off_opens() {
    for names in [&[][..], &["lock"], &["lock", ".gitignore.tmp"], &["lock", ".gitignore", "log.jsonl.tmp"]] {
        let home = tempfile::tempdir().unwrap();
        for name in names {
            fs::write(home.path().join(name), "").unwrap();
        }
        Writer::open(home.path(), Duration::ZERO).unwrap();
    }
}

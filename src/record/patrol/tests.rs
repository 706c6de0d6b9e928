use super::*;
use crate::judge::patrol::unparseable;
use crate::observe::facts::claims::{Dialect, Rerun};
use crate::record::wire::Claimed;

fn at(second: u8) -> Timestamp {
    format!("2026-01-01T00:00:{second:02}Z").parse().unwrap()
}

fn verdict(name: &str, why: &str, second: u8) -> (OsString, ClaimVerdict) {
    let claimed = Claimed {
        file: format!("{name}.done.json"),
        sha256: Sha256::of(why.as_bytes()),
        dialect: Dialect::Worker,
        status: None,
        rerun: Rerun::NotRun,
    };
    (name.into(), ClaimVerdict::new(claimed, &unparseable(why), at(second)))
}

fn decision(file: &str, code: Code) -> Decision {
    Decision { code, what: "reopened", file: file.to_owned(), sha256: None, message: "a\nb".to_owned() }
}

#[test]
fn a_verdict_that_stays_the_same_is_not_written_again_nor_judged_later() {
    let folder = tempfile::tempdir().unwrap();
    let mut verdicts = Verdicts::open(folder.path()).unwrap();
    let path = verdicts.path(OsStr::new("a"));
    assert_eq!(verdicts.write(&mut [verdict("a", "x", 1)]).unwrap(), [0]);
    let before = fs::read(&path).unwrap();
    assert_eq!(verdicts.write(&mut [verdict("a", "x", 2)]).unwrap(), [0; 0]);
    // Nor by another patrol, which finds only the file.
    let mut other = Verdicts::open(folder.path()).unwrap();
    let mut again = [verdict("a", "x", 3), verdict("b", "x", 3)];
    assert_eq!(other.write(&mut again).unwrap(), [1]);
    assert_eq!(again[0].1.judged_at, at(1));
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(other.write(&mut [verdict("a", "y", 4)]).unwrap(), [0]);
    assert_ne!(fs::read(&path).unwrap(), before);
}

#[test]
fn many_verdicts_leave_nothing_but_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let mut all: Vec<_> = (0..MANY * 2).map(|n| verdict(&format!("claim-{n:03}"), "x", 1)).collect();
    Verdicts::open(folder.path()).unwrap().write(&mut all).unwrap();
    let mut names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names.len(), all.len());
    for (name, (claim, verdict)) in names.iter().zip(&all) {
        assert_eq!(name.to_str().unwrap(), format!("{}.verdict.json", claim.to_str().unwrap()));
        let read: ClaimVerdict = wire::read(&fs::read(folder.path().join(name)).unwrap()).unwrap();
        assert_eq!(read, *verdict);
    }
}

#[test]
fn who_reads_a_verdict_meanwhile_reads_the_old_one_to_its_end() {
    use std::io::Read as _;
    let folder = tempfile::tempdir().unwrap();
    for count in [1, MANY] {
        let write = |why: &str, second| {
            let mut all: Vec<_> = (0..count).map(|n| verdict(&format!("{count}-{n}"), why, second)).collect();
            Verdicts::open(folder.path()).unwrap().write(&mut all).unwrap();
        };
        write("a short reason", 1);
        let path = folder.path().join(format!("{count}-0.verdict.json"));
        let old = fs::read_to_string(&path).unwrap();
        let mut reader = File::open(&path).unwrap();
        write("another reason, that is longer", 2);
        let mut read = String::new();
        reader.read_to_string(&mut read).unwrap();
        assert_eq!(read, old);
        assert_ne!(fs::read_to_string(&path).unwrap(), old);
    }
}

#[test]
fn a_decision_is_said_once_whoever_writes_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("decisions.md");
    let mut log = Decisions::open(&path).unwrap();
    let names = ["a.done.json", "b `c`: d.done.json", "e\nf.done.json"];
    let all = || names.iter().map(|name| decision(name, Code::SelfGraded)).collect::<Vec<_>>();
    assert_eq!(log.say(at(1), all()).unwrap().len(), 3);
    assert_eq!(log.say(at(2), all()).unwrap().len(), 0);
    let mut other = Decisions::open(&path).unwrap();
    assert_eq!(other.say(at(3), all()).unwrap().len(), 0);
    assert_eq!(other.say(at(3), vec![decision("a.done.json", Code::TooFast)]).unwrap().len(), 1);
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(
        text.starts_with("- 2026-01-01T00:00:01.000Z reopened self-graded - `a.done.json`: a\\u{a}b\n"),
        "{text}"
    );
}

#[test]
fn half_a_line_at_the_end_spoils_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("decisions.md");
    fs::write(&path, "# Decisions\n- 2026-01-01T00:0").unwrap();
    Decisions::open(&path).unwrap().say(at(1), vec![decision("a", Code::TooFast)]).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().count(), 3, "{text}");
    assert_eq!(Decisions::open(&path).unwrap().say(at(1), vec![decision("a", Code::TooFast)]).unwrap(), []);
}

#[test]
fn cycles_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let verdicts = Verdicts::open(folder.path()).unwrap();
    let mut cycles = Cycles::default();
    verdicts.keep(&cycles).unwrap();
    assert!(!folder.path().join(STATE).exists());
    cycles.count("a", &[Code::SelfGraded].into());
    verdicts.keep(&cycles).unwrap();
    assert_eq!(verdicts.cycles(), cycles);
    fs::write(folder.path().join(STATE), "{").unwrap();
    assert_eq!(verdicts.cycles(), Cycles::default());
}

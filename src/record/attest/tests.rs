//! What was signed is believed, and nothing else.

use super::*;
use crate::observe::facts::{Entry, EntryKind, FileMap};

// Made for these tests; it opens nothing.
const KEY: &str = concat!(
    "-----BEGIN PRIVATE",
    " KEY-----\nMC4CAQAwBQYDK2VwBCIEIBftnHPp22SewYmmEoMcX8VwI4IHwaqd+9LFPj/15eqF\n-----END PRIVATE",
    " KEY-----\n"
);
const PUBLIC: &str = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEATSkWfz8ZEqb3rfopOgUaFcBexnuPFyZ7HFVQ3OhTvQ0=\n-----END PUBLIC KEY-----\n";

fn signed(record: Sha256) -> Vec<u8> {
    let entry =
        Entry { path: "src/a.py".into(), kind: EntryKind::File, mode: 0o644, sha256: Sha256::of(b"a") };
    let maps = [("app".to_owned(), FileMap::new(vec![entry]))].into();
    let fingerprints: BTreeMap<_, _> = [("app".to_owned(), Sha256::of(b"f"))].into();
    let trees = [("app".to_owned(), GitTree { id: Some("0".repeat(40)), note: None })].into();
    let subjects = subjects(&maps, &fingerprints, &trees);
    let names: Vec<_> = subjects.iter().map(|subject| subject.name.as_str()).collect();
    assert_eq!(names, ["app", "src/a.py"]);
    let result = TestResult::passed("verify.toml".to_owned(), Sha256::of(b"p"), vec!["unit: a".to_owned()]);
    let evidence = crate::record::wire::samples::evidence("deliver", None, true);
    let delivery = Delivery {
        record: RecordName { name: "deliver-0001.json".to_owned(), sha256: record },
        task: evidence.task,
        finished_at: evidence.finished_at,
        tool: evidence.tool,
        environment: evidence.environment,
        plan_sha256: evidence.plan_sha256,
        frozen_sha256: None,
        rebinds: 0,
        fingerprint: evidence.fingerprint,
        fingerprints,
        git_tree: trees,
        checks: Vec::new(),
        left_out: Vec::new(),
        freeze_allow: Vec::new(),
        guard_ignore: Vec::new(),
    };
    sign(&SigningKey::read(KEY).unwrap(), &subjects, &result, &delivery).unwrap()
}

#[test]
fn what_was_signed_is_believed() {
    let (record, key) = (Sha256::of(b"record"), VerifyingKey::read(PUBLIC).unwrap());
    let lines = signed(record);
    assert_eq!(check(&lines, &key, record), Ok(()));
    assert_eq!(check(&lines, &key, Sha256::of(b"other")), Err(Unsigned::OtherRecord));
    let first = lines.split_inclusive(|byte| *byte == b'\n').next().unwrap();
    assert_eq!(check(first, &key, record), Err(Unsigned::Missing(DELIVERY)));
    assert_eq!(check(b"", &key, record), Err(Unsigned::Missing(TEST_RESULT)));
}

#[test]
fn no_byte_can_be_changed() {
    let (record, key) = (Sha256::of(b"record"), VerifyingKey::read(PUBLIC).unwrap());
    let lines = signed(record);
    for at in (0..lines.len()).step_by(7) {
        let mut changed = lines.clone();
        changed[at] ^= 1;
        assert!(check(&changed, &key, record).is_err(), "byte {at}, {:?}", char::from(lines[at]));
    }
}

#[test]
fn keys_are_of_one_kind() {
    assert!(SigningKey::read(PUBLIC).unwrap_err().to_string().contains("openssl genpkey"));
    assert!(VerifyingKey::read(KEY).unwrap_err().to_string().contains("-pubout"));
    let with_passphrase = KEY.replace("PRIVATE", "ENCRYPTED PRIVATE");
    assert!(SigningKey::read(&with_passphrase).unwrap_err().to_string().contains("passphrase"));
}

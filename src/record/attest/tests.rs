//! What was signed is believed, and nothing else.

use base64::Engine as _;

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
    signed_of(record, b"a")
}

/// Of a file with this text.
fn signed_of(record: Sha256, text: &[u8]) -> Vec<u8> {
    let entry =
        Entry { path: "src/a.py".into(), kind: EntryKind::File, mode: 0o644, sha256: Sha256::of(text) };
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
    // A check takes milliseconds without optimisation: of the long payloads not each byte.
    for at in (0..lines.len()).step_by(7) {
        let mut changed = lines.clone();
        changed[at] ^= 1;
        assert!(check(&changed, &key, record).is_err(), "byte {at}, {:?}", char::from(lines[at]));
    }
}

#[test]
fn no_byte_of_an_envelope_can_be_changed() {
    let (key, public) = (SigningKey::read(KEY).unwrap(), VerifyingKey::read(PUBLIC).unwrap());
    let opens = |json: &[u8]| {
        serde_json::from_slice::<Envelope>(json).is_ok_and(|envelope| envelope.open(&public).is_ok())
    };
    let whole = serde_json::to_vec(&Envelope::sign(&key, b"{}")).unwrap();
    assert!(opens(&whole));
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        assert!(!opens(&changed), "byte {at}, {:?}", char::from(whole[at]));
    }
}

#[test]
fn what_was_signed_as_another_type_is_not_believed() {
    let (key, public) = (SigningKey::read(KEY).unwrap(), VerifyingKey::read(PUBLIC).unwrap());
    let mut envelope = Envelope::sign(&key, b"{}");
    assert_eq!(envelope.open(&public).unwrap(), b"{}");
    let sig = key.sign(b"DSSEv1 10 text/plain 2 {}");
    envelope.signatures[0].sig = base64::engine::general_purpose::STANDARD.encode(sig);
    assert!(matches!(envelope.open(&public), Err(dsse::OpenError::Signature)));
    envelope.payload_type = "text/plain".to_owned();
    assert!(matches!(envelope.open(&public), Err(dsse::OpenError::Malformed(_))));
}

#[test]
fn statements_of_two_deliveries_are_not_mixed() {
    let (record, key) = (Sha256::of(b"record"), VerifyingKey::read(PUBLIC).unwrap());
    let split = |lines: Vec<u8>| -> Vec<Vec<u8>> {
        lines.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
    };
    let [this, other] = [signed(record), signed_of(Sha256::of(b"other"), b"b")].map(split);
    assert_eq!(check(&[&*this[1], &*this[0]].concat(), &key, record), Ok(()));
    assert_eq!(check(&[&*other[0], &*this[1]].concat(), &key, record), Err(Unsigned::OtherFiles));
    assert_eq!(check(&[&*this[0], &*other[1]].concat(), &key, record), Err(Unsigned::OtherRecord));
    for twice in [[&*other[0], &*this[0], &*this[1]].concat(), [&*this[0], &*other[1], &*this[1]].concat()] {
        let why = check(&twice, &key, record).unwrap_err().to_string();
        assert!(why.contains("second statement"), "{why}");
    }
}

#[test]
fn keys_are_of_one_kind() {
    assert!(SigningKey::read(PUBLIC).unwrap_err().to_string().contains("openssl genpkey"));
    assert!(VerifyingKey::read(KEY).unwrap_err().to_string().contains("-pubout"));
    // An X25519 key is as long, and its name differs in one byte.
    let x25519 = |text: &str| text.replace("K2VwA", "K2VuA").replace("K2VwB", "K2VuB");
    assert!(SigningKey::read(&x25519(KEY)).is_err());
    assert!(VerifyingKey::read(&x25519(PUBLIC)).is_err());
    let with_passphrase = KEY.replace("PRIVATE", "ENCRYPTED PRIVATE");
    assert!(SigningKey::read(&with_passphrase).unwrap_err().to_string().contains("passphrase"));
}

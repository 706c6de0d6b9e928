//! Signed deliveries: believed with the right key, by other people's programs too, and not when a byte was changed.

use std::fs;

use base64::Engine as _;
use serde_json::Value;

use crate::loops::SHELL;
use crate::support::{Project, hermetic, runners};

/// Made for these tests; it opens nothing.
pub(crate) const KEY: &str = concat!(
    "-----BEGIN PRIVATE",
    " KEY-----\nMC4CAQAwBQYDK2VwBCIEIBftnHPp22SewYmmEoMcX8VwI4IHwaqd+9LFPj/15eqF\n-----END PRIVATE",
    " KEY-----\n"
);
pub(crate) const PUBLIC: &str = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEATSkWfz8ZEqb3rfopOgUaFcBexnuPFyZ7HFVQ3OhTvQ0=\n-----END PUBLIC KEY-----\n";
const OTHER: &str = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n";
const STATEMENTS: &str = ".verify/evidence/deliver-0001.intoto.jsonl";

/// A project whose delivery is signed; the keys lie outside of it.
struct Signed {
    project: Project,
    keys: Project,
}

impl Signed {
    fn new() -> Self {
        let signed = Self { project: Project::git(SHELL), keys: Project::bare() };
        for (name, text) in [("key.pem", KEY), ("key.pub", PUBLIC), ("other.pub", OTHER)] {
            signed.keys.write(name, text);
        }
        let project = &signed.project;
        project.verify("begin").exits(0);
        project.verify("red").exits(0);
        project.write("greet.sh", "greet() { echo \"hello $1\"; }\n");
        project.verify("green").exits(0);
        signed
    }

    fn delivered() -> Self {
        let signed = Self::new();
        signed
            .project
            .verify(&format!("deliver --sign-key {}", signed.key("key.pem")))
            .exits(0)
            .says("signed with");
        signed
    }

    fn key(&self, name: &str) -> String {
        self.keys.at(name).display().to_string()
    }

    fn log(&self, key: &str) -> String {
        format!("log --verify-key {}", self.key(key))
    }
}

fn payloads(lines: &str) -> Vec<Value> {
    let payload = |line: &str| {
        let envelope: Value = serde_json::from_str(line).unwrap();
        let bytes = base64::engine::general_purpose::STANDARD.decode(envelope["payload"].as_str().unwrap());
        serde_json::from_slice(&bytes.unwrap()).unwrap()
    };
    lines.lines().map(payload).collect()
}

#[test]
fn a_signed_delivery_is_believed_with_the_right_key() {
    let signed = Signed::delivered();
    let project = &signed.project;
    project.verify(&signed.log("key.pub")).exits(0).says("signed by this key: 1 delivery");
    project.verify(&signed.log("other.pub")).exits(1).says("signature-invalid");
    project.verify(&signed.log("key.pem")).exits(2).says("-pubout");
    project.verify("log --check").exits(0);

    let [result, delivery] = &payloads(&project.read(STATEMENTS))[..] else { panic!("two statements") };
    assert_eq!(result["predicateType"], "https://in-toto.io/attestation/test-result/v0.1");
    assert_eq!(result["predicate"]["result"], "PASSED");
    assert_eq!(result["predicate"]["passedTests"][0], "greeting: greets by name");
    assert_eq!(delivery["subject"], result["subject"]);
    let subject = result["subject"].as_array().unwrap();
    let greet = subject.iter().find(|subject| subject["name"] == "greet.sh").unwrap();
    assert_eq!(greet["digest"]["sha256"].as_str().unwrap().len(), 64);
    let proof = &delivery["predicate"]["checks"][0];
    assert_eq!(
        (&proof["red"]["name"], &proof["green"]["name"]),
        (&"red-0001.json".into(), &"green-0001.json".into())
    );

    // Who commits these files gets the tree that was signed.
    let id = subject[0]["name"].as_str().unwrap();
    let tree = delivery["predicate"]["git_tree"][id]["id"].as_str().unwrap();
    project.commit("delivered");
    assert_eq!(tree, project.run("git", ["rev-parse", "HEAD^{tree}"]).trim());
    assert_eq!(subject[0]["digest"]["gitTree"], tree);
}

#[test]
fn what_was_changed_or_taken_away_is_not_believed() {
    let signed = Signed::delivered();
    let project = &signed.project;
    let whole = fs::read(project.at(STATEMENTS)).unwrap();
    for at in [20, whole.len() / 2, whole.len() - 20] {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        fs::write(project.at(STATEMENTS), changed).unwrap();
        project.verify(&signed.log("key.pub")).exits(1).says("signature-invalid");
    }
    project.remove(STATEMENTS);
    project.verify(&signed.log("key.pub")).exits(1).says("it isn't signed");
    // Without the key the chain is whole all the same.
    project.verify("log --check").exits(0);
}

#[test]
fn a_key_that_is_none_stops_before_anything_runs() {
    let signed = Signed::new();
    let project = &signed.project;
    for key in ["key.pub", "nowhere.pem"] {
        project.verify(&format!("deliver --sign-key {}", signed.key(key))).exits(2);
    }
    project.verify(&signed.log("key.pub")).exits(1).says("nothing was delivered");
    project.verify("deliver").exits(0);
    assert!(!project.at(STATEMENTS).exists());
}

#[test]
fn other_peoples_programs_believe_it_too() {
    let Some(python) = runners::find("in-toto", "python3") else { return };
    let signed = Signed::delivered();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/e2e/verify_dsse.py");
    let check = || {
        let mut command = hermetic(python.to_str().unwrap(), signed.project.path());
        command.args([script, &signed.key("key.pub"), STATEMENTS]).output().unwrap()
    };
    let output = check();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let types = String::from_utf8(output.stdout).unwrap();
    let expected = ["https://in-toto.io/attestation/test-result/v0.1", "urn:redgreen:delivery:1"];
    assert_eq!(types.lines().collect::<Vec<_>>(), expected);

    let mut changed = fs::read(signed.project.at(STATEMENTS)).unwrap();
    changed[40] ^= 1;
    fs::write(signed.project.at(STATEMENTS), changed).unwrap();
    assert!(!check().status.success());
}

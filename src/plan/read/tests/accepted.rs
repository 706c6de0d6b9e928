//! What reads, and what it means.

use std::time::Duration;

use super::{CHECK, check_with, plan, source};
use crate::digest::Sha256;
use crate::plan::*;

/// Every key of the schema, those that nothing acts on yet at their defaults.
pub(super) const WHOLE: &str = r#"
version = 1
revision = 1

[repositories.app]
path = "."
access = "write"

[repositories.lib]
path = "../lib"
access = "read"

[freeze]
test_paths = ["tests/**"]
inline = []
allow = []
rebind = "anyone"
rebind_sha256 = ""

[guard]
head = "fixed"
ignore = []

[fingerprint]
include = []
env = []
of = "tree"

[deliver]
replay = false
allow_empty = false

[secrets]
allow = []

[[checks]]
id = "csv-export-behavior"
command = ["python3", "-m", "unittest", "-v", "tests.test_reports"]
parser = "unittest"
identities = ["test_exports_csv"]
phases = ["red", "green"]
repository = "app"
depends = []
cwd = "."
timeout = "10m"
inactivity_timeout = "off"
output_limit = "2GiB"
env = { TZ = "UTC" }
needs = []
witness = "auto"
report = ""
sessions = "one"
flaky = "note"
assertion_errors = []
may_write = []
approved_skip_reason = ""
success_pattern = ""
failure_pattern = ""

[[outcomes]]
id = "csv-export"
text = "Reports can be exported as CSV"
checks = ["csv-export-behavior"]

[[stages]]
id = "implement"
writes = ["src/**"]
"#;

#[test]
fn the_whole_schema_reads() {
    let plan = plan(WHOLE);
    assert_eq!(plan.revision.as_deref(), Some("1"));
    let ids: Vec<_> =
        plan.repositories.iter().map(|it| (it.id.as_str(), it.path.as_str(), it.access)).collect();
    assert_eq!(ids, [("app", ".", Access::Write), ("lib", "../lib", Access::Read)]);
    assert!(plan.freeze.test_paths.matches("app", b"tests/a.py"));
    assert_eq!(plan.freeze.rebind, RebindPolicy::Anyone);
    assert_eq!(plan.guard.head, HeadPolicy::Fixed);
    assert_eq!(plan.fingerprint.of, FingerprintOf::Tree);
    assert_eq!(plan.deliver, Deliver { replay: false, allow_empty: false });
    let check = plan.check("csv-export-behavior").unwrap();
    assert_eq!(check.command, ["python3", "-m", "unittest", "-v", "tests.test_reports"]);
    assert_eq!(check.parsers, ["unittest"]);
    assert_eq!(check.identities, Identities::Named(vec!["test_exports_csv".to_owned()]));
    assert_eq!(check.phases, [Phase::Red, Phase::Green]);
    assert_eq!((check.repository.as_str(), check.cwd.as_str()), ("app", "."));
    assert_eq!(check.depends.as_deref(), Some(&[][..]));
    assert_eq!((check.timeout, check.inactivity_timeout), (Some(Duration::from_secs(600)), None));
    assert_eq!(check.output_limit, 2 << 30);
    assert_eq!(check.env.get("TZ").map(String::as_str), Some("UTC"));
    assert_eq!((check.witness, check.sessions, check.flaky), (Witness::Auto, Sessions::One, Flaky::Note));
    assert!(check.success_pattern.is_none() && check.failure_pattern.is_none());
    assert_eq!(plan.outcomes[0].text, "Reports can be exported as CSV");
    assert!(plan.stage("implement").unwrap().writes.matches("app", b"src/a"));
}

#[test]
fn what_is_left_out_has_its_default() {
    let plan = plan(&format!("version = 1\n{CHECK}"));
    assert_eq!(plan.revision, None);
    assert_eq!(plan.repositories.len(), 1);
    assert_eq!((plan.repositories[0].id.as_str(), plan.repositories[0].path.as_str()), ("my-app", "."));
    assert!(!plan.freeze.test_paths.matches("my-app", b"tests/a"));
    assert!(plan.outcomes.is_empty() && plan.stages.is_empty());
    let check = &plan.checks[0];
    assert_eq!(check.phases, [Phase::Green]);
    assert_eq!(check.identities, Identities::Named(Vec::new()));
    assert_eq!(check.depends, None);
    assert_eq!((check.timeout, check.inactivity_timeout), (Some(Duration::from_secs(600)), None));
    assert_eq!(check.output_limit, 2 << 30);
    assert_eq!((check.repository.as_str(), check.cwd.as_str()), ("my-app", "."));
}

#[test]
fn what_differs_from_the_defaults_is_kept() {
    let check = check_with(
        r#"
        identities = "any"
        cwd = "a/../b"
        timeout = "off"
        inactivity_timeout = "90s"
        output_limit = 1000
        depends = ["my-app"]
        witness = "off"
        sessions = "many"
        flaky = "reject"
        assertion_errors = ["OurError"]
        may_write = ["Cargo.lock"]
        approved_skip_reason = "no network here"
        "#,
    );
    assert_eq!(check.identities, Identities::Any);
    assert_eq!(check.phases, [Phase::Red, Phase::Green]);
    assert_eq!((check.timeout, check.inactivity_timeout), (None, Some(Duration::from_secs(90))));
    assert_eq!(check.output_limit, 1000);
    assert_eq!(check.depends, Some(vec!["my-app".to_owned()]));
    assert_eq!((check.witness, check.sessions, check.flaky), (Witness::Off, Sessions::Many, Flaky::Reject));
    assert_eq!(check.assertion_errors, ["OurError"]);
    assert!(check.may_write.matches(b"Cargo.lock"));
    assert_eq!(check.approved_skip_reason, "no network here");

    let plan = plan(&format!(
        "version = 1\nrevision = \"b\"\n[freeze]\nrebind = \"token\"\nrebind_sha256 = \"{hash}\"\n\
         [guard]\nhead = \"may-advance\"\nignore = [\"*.log\"]\n\
         [fingerprint]\ninclude = [\".env\"]\nenv = [\"LANG\"]\nof = \"path\"\n[deliver]\nallow_empty = true\n{CHECK}",
        hash = Sha256::of(b"token"),
    ));
    assert_eq!(plan.revision.as_deref(), Some("b"));
    assert_eq!(plan.freeze.rebind, RebindPolicy::Token(Sha256::of(b"token")));
    assert_eq!(plan.guard.head, HeadPolicy::MayAdvance);
    assert!(plan.guard.ignore.matches(b"a.log"));
    assert!(plan.fingerprint.include.matches(b".env"));
    assert_eq!(plan.fingerprint.env, ["LANG"]);
    assert_eq!(plan.fingerprint.of, FingerprintOf::Path);
    assert!(plan.deliver.allow_empty);
}

#[test]
fn json_is_the_same_plan() {
    let text = r#"{"version": 1, "revision": "r2", "checks": [{"id": "a", "argv": ["prove"], "parser": ["tap", "pytest"],
        "identities": "any", "env": {"A": "b"}}], "stages": [{"id": "s", "writes": {"my-app": ["src/**"]}}]}"#;
    for name in ["plan.json", "verify.toml"] {
        let plan = read(&source(name, text)).unwrap();
        assert_eq!(plan.checks[0].command, ["prove"]);
        assert_eq!(plan.checks[0].parsers, ["tap", "pytest"]);
        assert!(plan.stages[0].writes.matches("my-app", b"src/a"));
        assert!(!plan.stages[0].writes.matches("other", b"src/a"));
    }
}

//! A plan and a small repository to judge, written down as data.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::digest::Sha256;
use crate::judge::{Baseline, BaselineFacts, FrozenSet};
use crate::observe::facts::{Entry, EntryKind, FileMap, GitFacts, Hashed, RepositoryFacts, Stamps};
use crate::plan::{
    Access, ByRepository, Check, Deliver, Fingerprint, FingerprintOf, Flaky, Freeze, Guard, HeadPolicy,
    Identities, PathSet, Phase, Plan, RebindPolicy, Repository, Sessions, Stage, Witness,
};

/// A file with this text.
pub(crate) fn file(path: &str, text: &str) -> Entry {
    Entry { path: path.into(), kind: EntryKind::File, mode: 0o644, sha256: Sha256::of(text.as_bytes()) }
}

pub(crate) fn link(path: &str, to: &str) -> Entry {
    Entry { kind: EntryKind::Link, mode: 0o777, ..file(path, to) }
}

pub(crate) fn check_of(id: &str, repository: &str) -> Check {
    Check {
        id: id.to_owned(),
        command: vec!["true".to_owned()],
        parsers: vec!["pytest".to_owned()],
        report: String::new(),
        identities: Identities::Any,
        phases: vec![Phase::Red, Phase::Green],
        repository: repository.to_owned(),
        depends: None,
        cwd: ".".to_owned(),
        timeout: Some(Duration::from_secs(600)),
        inactivity_timeout: None,
        output_limit: 1 << 31,
        env: BTreeMap::new(),
        needs: Vec::new(),
        witness: Witness::Auto,
        sessions: Sessions::One,
        flaky: Flaky::Note,
        assertion_errors: Vec::new(),
        may_write: PathSet::new(["Cargo.lock"]).unwrap(),
        approved_skip_reason: String::new(),
        success_pattern: None,
        failure_pattern: None,
    }
}

/// One writable repository `app`, whose stage `implement` writes `src/**`, and a read-only one, `lib`.
pub(crate) fn plan() -> Plan {
    let writes = ByRepository::All(PathSet::new(["src/**"]).unwrap());
    let repository = |id: &str, access| Repository { id: id.to_owned(), path: ".".to_owned(), access };
    Plan {
        revision: None,
        repositories: vec![repository("app", Access::Write), repository("lib", Access::Read)],
        freeze: Freeze {
            test_paths: ByRepository::All(PathSet::new(["tests/**"]).unwrap()),
            allow: PathSet::none(),
            inline: PathSet::none(),
            rebind: RebindPolicy::Anyone,
        },
        guard: Guard { head: HeadPolicy::Fixed, ignore: PathSet::none() },
        fingerprint: Fingerprint { include: PathSet::none(), env: Vec::new(), of: FingerprintOf::Tree },
        deliver: Deliver { replay: false, allow_empty: false },
        checks: vec![check_of("unit", "app")],
        services: Vec::new(),
        outcomes: Vec::new(),
        stages: vec![Stage { id: "implement".to_owned(), writes }],
        rules: Vec::new(),
        allowed_findings: Vec::new(),
    }
}

/// What every world begins with.
pub(crate) fn files() -> Vec<Entry> {
    vec![
        file("README.md", "r"),
        file("src/a.py", "1"),
        file("tests/test_a.py", "t"),
        file("verify.toml", "p"),
    ]
}

pub(crate) fn git() -> GitFacts {
    GitFacts {
        head: Some("c0ffee".to_owned()),
        branch: Some("refs/heads/main".to_owned()),
        index: Some(Sha256::of(b"index")),
        index_flags: Some(Sha256::of(b"")),
        sparse: None,
        elsewhere: None,
        modes_ignored: false,
    }
}

/// What is seen of a repository with these files.
pub(crate) fn facts(id: &str, files: Vec<Entry>) -> RepositoryFacts {
    let frozen = files.iter().filter(|entry| entry.path.starts_with(b"tests/")).cloned().collect();
    RepositoryFacts {
        id: id.to_owned(),
        root: format!("/srv/{id}").into(),
        prefix: "".into(),
        map: FileMap::new(files),
        stamps: Stamps::default(),
        git: Some(git()),
        ignore: Vec::new(),
        hidden_by_new_rule: Vec::new(),
        special: Vec::new(),
        left_out: Vec::new(),
        nested: Vec::new(),
        leaving_links: Vec::new(),
        frozen,
        frozen_refused: Vec::new(),
        influence: Vec::new(),
        local_runners: Vec::new(),
        collisions: Vec::new(),
        hashed: Hashed::All,
    }
}

pub(crate) fn baseline() -> Baseline {
    let of = |files| BaselineFacts {
        map: FileMap::new(files),
        git: Some(git()),
        nested: Vec::new(),
        preexisting: Vec::new(),
    };
    Baseline {
        repositories: [("app".to_owned(), of(files())), ("lib".to_owned(), of(vec![file("l", "l")]))].into(),
    }
}

/// The frozen set of these files of `app`.
pub(crate) fn frozen(files: &[Entry]) -> FrozenSet {
    let frozen = files.iter().filter(|entry| entry.path.starts_with(b"tests/")).cloned().collect();
    FrozenSet { repositories: [("app".to_owned(), frozen)].into(), ..FrozenSet::default() }
}

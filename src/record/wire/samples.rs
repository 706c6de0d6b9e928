//! One document of each kind, with something in every key, for tests.

use std::collections::BTreeMap;

use redgreen_parsers as parsers;

use super::*;
use crate::digest::Sha256;
use crate::judge::{self, Code};
use crate::observe::facts::Timestamp;
use crate::observe::facts::{
    ChangeKind, Entry, EntryKind, FileChange, FileMap, Hashed, IgnoreOrigin, IgnoreSource,
};
use crate::plan::{Identities, Phase};

pub(in crate::record) fn at(second: i64) -> Timestamp {
    jiff::Timestamp::from_second(1_767_323_045 + second).unwrap().to_string().parse().unwrap()
}

pub(in crate::record) fn sha(of: &str) -> Sha256 {
    Sha256::of(of.as_bytes())
}

fn by_repository<T>(value: T) -> BTreeMap<String, T> {
    BTreeMap::from([("app".to_owned(), value)])
}

pub(in crate::record) fn parsed(cases: &[(&str, parsers::Status)]) -> parsers::Report {
    let mut report = parsers::Report::empty(parsers::Format::find("pytest").unwrap());
    report.completeness = parsers::Completeness::Complete;
    report.totals.passed = Some(1);
    for (id, status) in cases {
        let case = parsers::NewCase { id, name_len: 3, status: *status, lines: parsers::Lines::new(1, 2) };
        report.cases.push(case, |suite| vec![suite.to_owned()]);
    }
    report.problems.push(parsers::Problem {
        kind: parsers::Kind::Import,
        subject: Some("tests/test_b.py".to_owned()),
        error: None,
        message: Some("No module named 'nope'".to_owned()),
        lines: parsers::Lines::one(3),
    });
    report.note(parsers::NoteCode::TotalsMismatch, "the summary says 2", Some(parsers::Lines::one(4)));
    report.note(parsers::NoteCode::NoEnd, "no end", None);
    report
}

pub(in crate::record) fn report() -> Report {
    Report {
        schema: tag::Report::V1,
        format: "pytest".to_owned(),
        runner: Runner { name: "pytest".to_owned(), version: None },
        completeness: Completeness::Complete,
        totals: Totals { failed: Some(1), ..Totals::default() },
        cases: vec![Case {
            id: "tests/test_a.py::test_y".to_owned(),
            suite: vec!["tests/test_a.py".to_owned()],
            name: "test_y".to_owned(),
            status: CaseStatus::Failed,
            failures: vec![Failure {
                kind: Kind::Assertion,
                error: Some("AssertionError".to_owned()),
                message: None,
                file: Some("tests/test_a.py".to_owned()),
                line: Some(7),
                lines: Lines(12, 30),
            }],
            reason: None,
            duration_seconds: Some(0.5),
            lines: Lines(12, 30),
        }],
        problems: vec![ReportProblem {
            kind: Kind::Interrupted,
            subject: None,
            error: None,
            message: None,
            lines: Lines(1, 1),
        }],
        notes: vec![Note { code: "flaky".to_owned(), message: "m".to_owned(), lines: None }],
        session_lines: Some(Lines(1, 40)),
    }
}

pub(in crate::record) fn check() -> Check {
    let problem = judge::Problem::new(Code::FrozenEdited, "m").on("app", Some(b"a\xff".as_slice().into()));
    Check {
        id: "unit".to_owned(),
        repository: "app".to_owned(),
        phase: Phase::Green,
        parser: Parsers::One("pytest".to_owned()),
        check_sha256: sha("definition"),
        command: "pytest -q".to_owned(),
        program: Some(Program { path: "/usr/bin/pytest".to_owned(), sha256: Some(sha("program")) }),
        sources: Sources::Current,
        identities: Names::from(&Identities::Named(vec!["test_y".to_owned()])),
        exit_code: Some(0),
        signal: None,
        duration_seconds: 0.05,
        passed: true,
        problems: Problem::all(&[problem]),
        notes: Problem::all(&[judge::Problem::new(Code::Flaky, "m").at(parsers::Lines::one(3))]),
        reason: None,
        witness: Witness {
            kind: Some("junit".to_owned()),
            arguments: vec!["--junit-xml=F".to_owned()],
            sha256: Some(sha("witness")),
            state: WitnessState::NotAsked,
            reason: None,
        },
        environment_removed: vec!["PYTHONSTARTUP".to_owned()],
        services: vec![Service {
            id: "api".to_owned(),
            command: "python3 -m app.server".to_owned(),
            program: None,
            ready: true,
            observed: Some("`127.0.0.1:8000` takes connections".to_owned()),
            startup_seconds: 0.5,
            duration_seconds: 1.5,
            lasted: true,
        }],
        output: "1 passed\n".to_owned(),
        output_sha256: sha("1 passed\n"),
        output_bytes: 9,
        output_truncated: false,
        report: Some(raw_reports(&[parsed(&[("tests::one", parsers::Status::Passed)])]).unwrap()),
    }
}

pub(in crate::record) fn change() -> Change {
    let path = b"src/\xff.py".as_slice().into();
    Change::new("app", &FileChange { path, kind: ChangeKind::Edited })
}

pub(in crate::record) fn evidence(stage: &str, phase: Option<Phase>, passed: bool) -> Evidence {
    Evidence {
        schema: tag::Evidence::V1,
        task: TaskNumber(1),
        stage: stage.to_owned(),
        attempt: 1,
        phase,
        started_at: at(0),
        finished_at: at(1),
        tool: Tool::this(),
        environment: Environment::this(),
        plan_sha256: sha("plan"),
        frozen_sha256: None,
        rebinds: 0,
        changes: by_repository(vec!["src/a.py".to_owned()]),
        checks: vec![check()],
        problems: Problem::all(&[judge::Problem::new(Code::HeadMoved, "m").on("app", None)]),
        notes: Vec::new(),
        rules: vec![Rule {
            id: "no-breakpoint".to_owned(),
            level: "blocking".to_owned(),
            repository: "app".to_owned(),
            path: "src/a.py".to_owned(),
            path_hex: None,
            line: 3,
            message: "m".to_owned(),
            fingerprint: "f".to_owned(),
        }],
        fingerprint: sha("files"),
        fingerprints: by_repository(sha("files")),
        files: FilesRef { sha256: sha("map"), path: format!("maps/{}.json", sha("map")) },
        hashed: Hashed::Changed,
        left_out: vec!["__pycache__".to_owned()],
        freeze_allow: Vec::new(),
        guard_ignore: vec!["*.log".to_owned()],
        claim: Some(Claim { path: "claim.md".to_owned(), sha256: sha("claim"), text: "done".to_owned() }),
        passed,
        previous: None,
        delivery: None,
    }
}

pub(in crate::record) fn delivery() -> Evidence {
    let delivery = Delivery { stale: vec![change()], reran: vec!["unit".to_owned()], gate: None };
    Evidence { delivery: Some(delivery), ..evidence("deliver", None, true) }
}

pub(in crate::record) fn maps(path: &str) -> judge::Maps {
    let entry =
        Entry { path: path.into(), kind: EntryKind::File, mode: 0o644, sha256: Sha256::of(path.as_bytes()) };
    [("app".to_owned(), FileMap::new(vec![entry]))].into()
}

pub(in crate::record) fn rebind() -> Rebind {
    Rebind {
        at: at(2),
        reason: "a wrong test".to_owned(),
        changed: vec!["tests/test_a.py".to_owned()],
        record: "red-0002.json".to_owned(),
    }
}

pub(in crate::record) fn task(number: u32) -> Task {
    let ignore = IgnoreSource { folder: "".into(), origin: IgnoreOrigin::Folder, text: "*.log\n".into() };
    Task {
        schema: tag::Task::V1,
        task: TaskNumber(number),
        open: true,
        started_at: at(0),
        plan: PlanRef {
            path: "verify.toml".to_owned(),
            sha256: sha("plan"),
            revision: Some("1".to_owned()),
            rebind_sha256: None,
        },
        rebinds: vec![rebind()],
        iteration: Some(3),
        baseline: by_repository(Baseline {
            git: true,
            head: Some("0".repeat(40)),
            branch: None,
            index_sha256: Some(sha("index")),
            index_flags_sha256: None,
            sparse_sha256: Some(sha("sparse")),
            nested: vec![PathText { path: "vendor".to_owned(), path_hex: None }],
            ignore: vec![IgnoreText::from(&ignore)],
            files: FilesRef { sha256: sha("map"), path: format!("maps/{}.json", sha("map")) },
            preexisting: vec![Preexisting {
                path: "notes.md".to_owned(),
                path_hex: None,
                change: ChangeKind::Added,
                sha256: Some(sha("notes")),
                adopted: false,
            }],
            at: at(0),
        }),
    }
}

pub(in crate::record) fn frozen(task: u32, test: &str) -> Frozen {
    let maps = maps(test);
    Frozen {
        schema: tag::Frozen::V1,
        task: TaskNumber(task),
        at: at(1),
        plan_sha256: sha("plan"),
        checks: vec![FrozenCheck {
            id: "unit".to_owned(),
            check_sha256: sha("definition"),
            record: "red-0001.json".to_owned(),
        }],
        files: by_repository(
            maps["app"].entries().iter().map(|entry| FrozenEntry::new(entry, FrozenRole::Test)).collect(),
        ),
        inventory: vec![InventoryCase {
            check: "unit".to_owned(),
            id: "tests/test_a.py::test_y[1]".to_owned(),
            test: "tests/test_a.py::test_y".to_owned(),
            kind: Some(Kind::Assertion),
            file: None,
        }],
    }
}

pub(in crate::record) fn status() -> Status {
    Status {
        schema: tag::Status::V1,
        task: Some(TaskNumber(1)),
        open: true,
        plan: PlanStatus { path: "verify.toml".to_owned(), sha256: None, changed: false },
        baseline: by_repository(BaselineStatus { head: None, branch: None, at: at(0) }),
        red: RedStatus { accepted: false, record: None, waiting_for: vec!["unit".to_owned()] },
        frozen: FrozenStatus { sha256: None, files: 0, intact: true, changed: vec![change()] },
        checks: vec![CheckStatus {
            id: "unit".to_owned(),
            red: Answer::NotNeeded,
            green: Answer::Missing,
            fresh: false,
            record: None,
        }],
        fresh: false,
        stale: vec![change()],
        rebinds: vec![rebind()],
        next: Some("verify red".to_owned()),
    }
}

pub(in crate::record) fn fingerprint() -> Fingerprint {
    Fingerprint {
        schema: tag::Fingerprint::V1,
        fingerprint: sha("files"),
        fingerprints: by_repository(sha("files")),
        files: 1,
        hashed: Hashed::All,
        left_out: Vec::new(),
    }
}

pub(in crate::record) fn judgement() -> Judgement {
    let verdict = judge::Verdict {
        phase: Phase::Red,
        problems: vec![judge::Problem::new(Code::ExitUnknown, "m").at(parsers::Lines::one(1))],
        notes: vec![judge::Problem::new(Code::Flaky, "m")],
    };
    Judgement::new(raw_reports(&[parsed(&[])]).unwrap(), &verdict)
}

pub(in crate::record) fn log_line() -> LogLine {
    LogLine {
        n: 1,
        state: LogState::Intent,
        record: "red-0001.json".to_owned(),
        sha256: sha("record"),
        previous: None,
        task: TaskNumber(1),
        phase: None,
        passed: false,
        at: at(1),
    }
}

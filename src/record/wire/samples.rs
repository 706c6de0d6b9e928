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
            id_sha256: None,
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
        hidden: None,
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
        replay: None,
    }
}

pub(in crate::record) fn delivery() -> Evidence {
    let delivery =
        Delivery { stale: vec![change()], reran: vec!["unit".to_owned()], gate: None, replay: None };
    Evidence { delivery: Some(delivery), ..evidence("deliver", None, true) }
}

pub(in crate::record) fn replay() -> Evidence {
    let replay = super::Replay { answer: Some(judge::ReplayAnswer::RedAgain) };
    Evidence { replay: Some(replay), ..evidence("replay", None, true) }
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
            modes_ignored: true,
            nested: vec![PathText { path: "vendor".to_owned(), path_hex: None }],
            ignore: vec![IgnoreText::from(&ignore)],
            files: FilesRef { sha256: sha("map"), path: format!("maps/{}.json", sha("map")) },
            preexisting: vec![Preexisting {
                path: "notes.md".to_owned(),
                path_hex: None,
                change: ChangeKind::Added,
                sha256: Some(sha("notes")),
                adopted: false,
                findings: Vec::new(),
            }],
            findings: Vec::new(),
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
            id_sha256: None,
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

fn judged(outcome_is_block: bool) -> judge::gate::Gate {
    use crate::observe::facts::{ChangeSource, Changed, Diff};
    let mut changed = Changed { base: Some("0123".to_owned()), ..Changed::default() };
    changed.add(ChangeSource::Untracked, ["a".into(), b"\xff".as_slice().into()]);
    let results = judge::gate::Results { pass: Some(!outcome_is_block), ..judge::gate::Results::default() };
    let tests = judge::gate::claimed_tests(Some(&results), "");
    judge::gate::gate(judge::gate::Policy::Loop, Diff::Known(changed), tests)
}

pub(in crate::record) fn gate() -> Gate {
    Gate::new(&judged(true), at(0), 1, vec!["n".to_owned()])
}

pub(in crate::record) fn gate_block() -> GateBlock {
    GateBlock::new(&judged(true), at(0), 1).unwrap()
}

pub(in crate::record) fn gate_details(kept: Option<&str>) -> GateDetails {
    GateDetails::new(&judged(false), at(0), 1, kept.map(str::to_owned))
}

pub(in crate::record) fn test_results() -> TestResults {
    TestResults::read(
        br#"{"timestamp":"t","runner":"jest","pass":true,"status":"passed","min_coverage":80,"summary":"s"}"#,
    )
    .unwrap()
}

fn recognised() -> (judge::recognition::Recognition, judge::recognition::Action) {
    use judge::recognition::{Action, Facts, Suite, read_spec, recognise};
    let claim = judge_answer().claim(|_| true);
    let spec = read_spec("## Features\n- a\n- c\n");
    (recognise(Facts { action: Action::Reuse, spec: &spec, claim, suite: Suite::Green }), Action::Reuse)
}

pub(in crate::record) fn recognition() -> Recognition {
    let (answer, action) = recognised();
    Recognition::new(&answer, action, sha("spec"), at(0), "next")
}

pub(in crate::record) fn judge_answer() -> JudgeAnswer {
    let text = r#"{"verdict":"done","summary":"s","tests":{"passed":1,"total":1,"green":true},"requirements":[
        {"id":"R1","title":"a","status":"met","evidence":"a.py:1"},{"title":"b","status":"unmet"}]}"#;
    JudgeAnswer::read(text.as_bytes()).unwrap()
}

pub(in crate::record) fn manifest() -> Manifest {
    Manifest::new(sha("spec"), at(0), &["a".to_owned()])
}

pub(in crate::record) fn completion() -> Completion {
    Completion::new(&recognised().0, at(0))
}

pub(in crate::record) fn claim_verdict() -> ClaimVerdict {
    ClaimVerdict {
        schema: tag::ClaimVerdict::V1,
        claim: "worker-a.done.json".to_owned(),
        claim_sha256: sha("claim"),
        dialect: "worker".to_owned(),
        claimed: Some("done_clean".to_owned()),
        status: "failed".to_owned(),
        reopened: true,
        rerun: "not-run".to_owned(),
        conditions: vec![Condition {
            id: "commit".to_owned(),
            result: "fail".to_owned(),
            source: "observed".to_owned(),
            detail: "d".to_owned(),
        }],
        problems: vec![ClaimProblem { code: Code::CommitUnknown.word().to_owned(), message: "m".to_owned() }],
        pending_actions: vec![serde_json::json!("deploy")],
        broken_rung: Some("worker-b".to_owned()),
        judged_at: at(1),
    }
}

pub(in crate::record) fn patrol() -> Patrol {
    Patrol {
        schema: tag::Patrol::V1,
        counts: [("failed".to_owned(), 1)].into(),
        stand: 0,
        waiting: 0,
        verdicts: vec![claim_verdict()],
        problems: vec![ClaimProblem { code: Code::Unanswered.word().to_owned(), message: "m".to_owned() }],
        unknown: [("worker-a.done.json".to_owned(), vec!["mood".to_owned()])].into(),
    }
}

pub(in crate::record) fn patrol_state() -> PatrolState {
    let codes = [(Code::CommitUnknown.word().to_owned(), 2)].into();
    PatrolState { schema: tag::PatrolState::V1, rejected: [("worker-a".to_owned(), codes)].into() }
}

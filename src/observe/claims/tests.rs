use serde_json::json;

use super::super::scratch::Scratch;
use super::*;
use crate::observe::facts::claims::{Artifact, Audit, Command, GateWord, Passed, Shipped};

/// The claim that a value holds, in the file of this name.
fn claim(name: &str, value: Value) -> (Dialect, Claim) {
    let Value::Object(object) = value else { panic!("no object") };
    (claim::dialect(name, Some(&object)), claim::read(&object))
}

#[test]
fn both_dialects_and_their_names() {
    let check = |name: &str, value: Value, want: Dialect| assert_eq!(claim(name, value).0, want, "{name}");
    check("task", json!({"status": "done_clean", "evidence": {}}), Dialect::Documented);
    check("task", json!({"status": "done_clean", "session": "a"}), Dialect::Worker);
    check("worker-a", json!({"status": "done_clean"}), Dialect::Worker);
    check("worker-a", json!({"status": "done_clean", "evidence": {}}), Dialect::Documented);
    check("oracle-a", json!({"status": "done_clean"}), Dialect::Oracle);
    check("task", json!({"status": "done_clean", "oracle": "a"}), Dialect::Oracle);
    check("task", json!({}), Dialect::Documented);
}

#[test]
fn a_documented_claim_says_all() {
    let (_, claim) = claim(
        "task",
        json!({
            "status": "done_clean",
            "evidence": {
                "executor": "w", "verify_command": ["cargo", "test"], "verify_exit_code": 0, "verify_stdout": "",
                "verify_stderr": "x", "commit": "abc", "finished_at": "2026-01-01T00:00:00",
            },
            "audit": {
                "gates_required": ["a"], "gates_passed": ["a"], "scores": {"a": 90.5, "b": {"score": 1, "verdict": "fail"}},
                "verdict": "satisfied", "grader": "g",
            },
            "regressions": [], "ship": {"result": "ok", "deploy_poll": ["QUEUED", {"state": "READY"}]},
            "pending_actions": [],
        }),
    );
    let want = Claim {
        status: Some("done_clean".to_owned()),
        executor: Some("w".to_owned()),
        command: Some(Command::Words(vec!["cargo".to_owned(), "test".to_owned()])),
        exit_code: Some(0),
        stdout: true,
        stderr: true,
        audit: Some(Audit {
            required: vec!["a".to_owned()],
            passed: Some(Passed::Named(vec!["a".to_owned()])),
            scores: [("a".to_owned(), 90.5), ("b".to_owned(), 1.0)].into(),
            verdict: Some(GateWord::Satisfied),
            verdicts: [("b".to_owned(), GateWord::Refused)].into(),
            graders: vec!["g".to_owned()],
        }),
        regressions: Some(0),
        ship: Some(Shipped { result: Some("ok".to_owned()), deploy: Some("READY".to_owned()) }),
        commits: vec!["abc".to_owned()],
        finished_at: Some("2026-01-01T00:00:00Z".parse().unwrap()),
        ..Claim::default()
    };
    assert_eq!(claim, want);
}

#[test]
fn a_worker_names_its_artifacts() {
    let (_, claim) = claim(
        "worker-a",
        json!({
            "session": "a", "status": "pending", "summary": "s", "commit": "abc", "finished_at": "2026-01-01T00:00:00Z",
            "todos_total": 3, "todos_completed": 2, "pending_actions": ["deploy"], "not_done": ["docs"],
            "scope": {"confirms": [], "does_not_confirm": []}, "corroboration": ["git_remote"],
            "artifacts": [
                {"kind": "git_sha", "sha": "def", "branch": "main"}, {"kind": "git_branch", "name": "b"},
                {"kind": "file_path", "path": "p"}, {"kind": "command", "cmd": "c", "exit_code": 0},
                {"kind": "url", "url": "u", "expected_status": 200}, {"git_sha": {"sha": "ghi"}}, {"note": "n"},
            ],
        }),
    );
    assert_eq!(claim.commits, ["abc", "def", "ghi"]);
    let command = Command::Text("c".to_owned());
    assert_eq!(
        claim.artifacts,
        [
            Artifact::Branch("b".to_owned()),
            Artifact::File { path: "p".to_owned(), sha256: None },
            Artifact::Command { command, exit_code: Some(0), expected: None, captured: false },
            Artifact::Other("url".to_owned()),
            Artifact::Other(r#"{"note":"n"}"#.to_owned()),
        ]
    );
    assert_eq!(claim.work_left.len(), 2);
    assert_eq!((claim.violations, claim.unknown), (vec![], vec![]));
}

#[test]
fn what_has_another_shape_is_said_and_the_rest_is_read() {
    let check = |value: Value, want: &[&str]| {
        let (_, claim) = claim("task", value.clone());
        assert_eq!(claim.violations.len(), want.len(), "{value}: {:?}", claim.violations);
        for (violation, key) in claim.violations.iter().zip(want) {
            assert!(violation.contains(&format!("`{key}`")), "{value}: {violation}");
        }
    };
    check(json!({"status": "done_clean"}), &[]);
    check(json!({}), &["status"]);
    check(json!({"status": null}), &["status"]);
    check(json!({"status": ""}), &["status"]);
    check(json!({"status": 1}), &["status"]);
    check(json!({"status": "failed", "evidence": "none"}), &["evidence"]);
    check(json!({"status": "failed", "evidence": {"verify_exit_code": "0"}}), &["evidence.verify_exit_code"]);
    check(json!({"status": "failed", "evidence": {"verify_stdout": 1}}), &["evidence.verify_stdout"]);
    check(json!({"status": "failed", "evidence": {"verify_command": [1]}}), &["evidence.verify_command"]);
    check(json!({"status": "failed", "audit": {"scores": {"a": "90"}}}), &["audit.scores.a"]);
    check(json!({"status": "failed", "audit": {"scores": [90]}}), &["audit.scores"]);
    check(json!({"status": "failed", "audit": {"verdict": 1}}), &["audit.verdict"]);
    check(json!({"status": "failed", "regressions": "none"}), &["regressions"]);
    check(json!({"status": "failed", "pending_actions": "none"}), &["pending_actions"]);
    check(json!({"status": "failed", "artifacts": [1]}), &["artifacts"]);
    check(json!({"status": "failed", "finished_at": "yesterday"}), &["finished_at"]);
    // `null` is nothing.
    check(
        json!({"status": "failed", "evidence": null, "audit": null, "regressions": null, "ship": null}),
        &[],
    );
}

#[test]
fn unknown_keys_and_words_are_kept_and_are_no_violation() {
    let (_, claim) = claim(
        "task",
        json!({
            "status": "done_clean", "mood": 1, "evidence": {"shell": "zsh"},
            "audit": {"verdict": "splendid", "weather": null}, "artifacts": [{"kind": "hologram", "at": 1}],
        }),
    );
    assert_eq!(claim.violations, [""; 0]);
    assert_eq!(claim.unknown, ["mood", "evidence.shell", "audit.weather"]);
    assert_eq!(claim.audit.unwrap().verdict, Some(GateWord::Unknown("splendid".to_owned())));
    assert_eq!(claim.artifacts, [Artifact::Other("hologram".to_owned())]);
}

#[test]
fn a_silent_command_is_captured_and_a_missing_one_is_not() {
    let captured =
        |value: Value| claim("task", json!({"status": "x", "evidence": {"verify_stdout": value}})).1.stdout;
    assert!(captured(json!("")) && captured(json!("x")) && captured(json!([])));
    assert!(!captured(json!(null)) && !captured(json!(1)));
    assert!(!claim("task", json!({"status": "x", "evidence": {}})).1.stdout);
}

#[test]
fn a_brief_in_full() {
    let Value::Object(object) = json!({
        "session": "a", "issued_at": 1767225600, "base": "abc", "verify_command": "make test", "gates_required": ["g"],
        "thresholds": {"g": 90}, "files_owned": ["src"], "ship": true, "parent": "p", "children": ["c"], "cwd": "/x",
        "more": 1,
    }) else {
        unreachable!()
    };
    let want = Brief {
        session: Some("a".to_owned()),
        issued_at: Some("2026-01-01T00:00:00Z".parse().unwrap()),
        base: Some("abc".to_owned()),
        verify_command: Some(Command::Text("make test".to_owned())),
        gates_required: vec!["g".to_owned()],
        thresholds: [("g".to_owned(), 90.0)].into(),
        files_owned: vec!["src".to_owned()],
        ship: true,
        parent: Some("p".to_owned()),
        children: vec!["c".to_owned()],
        cwd: Some("/x".to_owned()),
        violations: Vec::new(),
    };
    assert_eq!(brief::brief(&object), want);
}

fn names(found: &Found) -> Vec<String> {
    let name = |file: &ClaimFile| {
        format!("{} {}", file.name.to_string_lossy(), if file.claim.is_ok() { "read" } else { "broken" })
    };
    found.claims.iter().map(name).collect()
}

#[test]
fn what_is_a_claim_by_its_name() {
    let scratch = Scratch::plain();
    let claim = r#"{"status":"pending"}"#;
    for name in ["a.done.json", "b-prev1764000000.done.json", "c-prev.done.json", "d-prev12x.done.json"] {
        scratch.write(name, claim);
    }
    for name in
        [".e.done.json", ".f.done.json.tmp", "g.done.json.bak", "h.verdict.json", "i.json", "done.json"]
    {
        scratch.write(name, claim);
    }
    let found = Folder::new(scratch.root(), scratch.root()).read(Duration::ZERO).unwrap();
    assert_eq!(names(&found), ["a read", "c-prev read", "d-prev12x read"]);
}

#[test]
fn one_bad_file_stops_nothing() {
    let scratch = Scratch::plain();
    scratch.write("a.done.json", r#"{"status":"pending"}"#);
    scratch.write("b.done.json", "[1]");
    scratch.write("c.done.json", b"\xff\xfe");
    scratch.write("d.done.json/inside", "");
    scratch.write("e.done.json", "");
    scratch.write("f.done.json", "[".repeat(100_000));
    scratch.write("g.done.json", "\u{feff}{\"status\":\"pending\"}");
    scratch.write("h.brief.json", "{");
    scratch.write("scope-i.json", "{");
    scratch.write("worker-blocked-j.json", r#"{"question":"which?","session":"j"}"#);
    scratch.write("worker-blocked-k.json", r#"{"question":"which?","answer":"this"}"#);
    #[cfg(unix)]
    scratch.fifo("l.done.json");
    #[cfg(unix)]
    scratch.link("m.done.json", "nowhere");
    let found = Folder::new(scratch.root(), scratch.root()).read(Duration::ZERO).unwrap();
    let want = ["a read", "b broken", "c broken", "d broken", "e broken", "f broken", "g read", "l broken"];
    assert_eq!(names(&found), want);
    assert_eq!(found.unreadable.len(), 2);
    assert_eq!(found.briefs[0].brief.violations.len(), 1);
    let answered: Vec<_> =
        found.questions.iter().map(|question| (question.session.as_str(), question.answered)).collect();
    assert_eq!(answered, [("j", false), ("k", true)]);
}

#[test]
fn half_a_file_is_tried_again_until_it_stands_still() {
    let scratch = Scratch::plain();
    let mut folder = Folder::new(scratch.root(), scratch.root());
    let whole = r#"{"status":"pending"}"#;
    let moment = Duration::from_nanos(1);
    for end in 0..whole.len() {
        scratch.write("a.done.json", &whole[..end]);
        let found = folder.read(moment).unwrap();
        assert_eq!((names(&found).len(), found.waiting), (0, 1), "{end}");
    }
    scratch.write("a.done.json", whole);
    let found = folder.read(moment).unwrap();
    assert_eq!((names(&found), found.claims[0].is_new), (vec!["a read".to_owned()], true));
    assert!(!folder.read(moment).unwrap().claims[0].is_new);

    // However often it is looked at, it has to stand still for long enough.
    scratch.write("b.done.json", "{");
    for _ in 0..3 {
        assert_eq!(folder.read(Duration::MAX).unwrap().waiting, 1);
    }
    scratch.write("b.done.json", "{ ");
    assert_eq!(folder.read(moment).unwrap().waiting, 1);
    assert_eq!(names(&folder.read(moment).unwrap()), ["a read", "b broken"]);
    assert_eq!(names(&folder.read(moment).unwrap()), ["a read", "b broken"]);
    scratch.write("b.done.json", "{}");
    assert_eq!(names(&folder.read(moment).unwrap()), ["a read", "b read"]);
    scratch.remove("a.done.json");
    assert_eq!(names(&folder.read(moment).unwrap()), ["b read"]);
}

#[test]
fn thresholds_of_audits() {
    let scratch = Scratch::plain();
    scratch.write("security.json", r#"{"threshold": 90}"#);
    scratch.write("other.json", r#"{"gate": "lint", "threshold": 70.5}"#);
    scratch.write("all.json", r#"{"a11y": 60, "note": "x"}"#);
    scratch.write("audit-speed.md", "# Speed\n\nthreshold: 95\n");
    scratch.write("notes.md", "nothing of it\n");
    scratch.write("text.json", r#"{"threshold": "80"}"#);
    scratch.write("marked.md", "- **Threshold**: `75 %`\n");
    scratch.write("half.json", r#"{"threshold": 9"#);
    scratch.write("word.json", r#"{"threshold": "high"}"#);
    scratch.write("endless.json", r#"{"threshold": 1e999}"#);
    std::fs::create_dir(scratch.path("folder.json")).unwrap();
    let found = thresholds(scratch.root()).unwrap();
    let read = found.iter().filter_map(|(gate, least)| Some((gate.as_str(), *least.as_ref().ok()?)));
    let want = [
        ("a11y", 60.0),
        ("lint", 70.5),
        ("marked", 75.0),
        ("security", 90.0),
        ("speed", 95.0),
        ("text", 80.0),
    ];
    assert_eq!(read.collect::<Vec<_>>(), want);
    let unread: Vec<_> = found.iter().filter(|(_, least)| least.is_err()).map(|(gate, _)| gate).collect();
    assert_eq!(unread, ["endless", "half", "word"]);
    assert!(thresholds(&scratch.path("no-such")).is_err());
}

#[test]
fn what_a_claim_names_is_looked_at() {
    use crate::observe::facts::claims::{CommitSeen, CommitState, Rerun};
    use crate::observe::process::Cancel;

    let scratch = Scratch::repository();
    let base = scratch.git(&["rev-parse", "HEAD"]);
    scratch.write("a", "b\n");
    scratch.commit();
    let brief = |base: &str| Brief {
        base: Some(base.to_owned()),
        cwd: Some(scratch.root().to_str().unwrap().to_owned()),
        ..Brief::default()
    };
    let file = ClaimFile {
        name: "x".into(),
        sha256: Sha256::of(b""),
        dialect: Dialect::Documented,
        claim: Err(String::new()),
        written_at: None,
        is_new: true,
    };
    let path = |path: &str, sha256: Option<&str>| Artifact::File {
        path: path.to_owned(),
        sha256: sha256.map(str::to_owned),
    };
    std::fs::create_dir(scratch.path("folder")).unwrap();
    let claim = Claim {
        commits: vec!["HEAD".to_owned(), "0badc0de".to_owned()],
        artifacts: vec![
            path("folder", None),
            path("/dev/null", Some(&Sha256::of(b"").to_string())),
            path("a", None),
            path("a", Some(&Sha256::of(b"b\n").to_string())),
            path("a", Some("00")),
            path("no-such", None),
            Artifact::Branch("main".to_owned()),
            Artifact::Branch("gone".to_owned()),
            Artifact::Other("url".to_owned()),
        ],
        ..Claim::default()
    };
    let mut eyes = Eyes::default();
    let seen = eyes.look(&file, &claim, Some(&brief(&base)));
    let found = CommitState::Found { descends: Some(true), changed: Ok(vec!["a".into()]) };
    assert_eq!(
        seen.commits.iter().map(|commit| &commit.is).collect::<Vec<_>>(),
        [&found, &CommitState::Missing]
    );
    let wrong: Vec<bool> = seen.artifacts.iter().map(|artifact| artifact.wrong.is_some()).collect();
    assert_eq!(wrong, [false, true, false, false, true, true, false, true]);
    let branch_alone = Claim { commits: Vec::new(), ..claim.clone() };
    let tips = eyes.look(&file, &branch_alone, Some(&brief(&base))).commits;
    assert_eq!(tips, [CommitSeen { name: "main".to_owned(), is: found.clone() }]);
    let seen = eyes.look(&file, &claim, Some(&brief("0badc0de")));
    assert!(
        matches!(&seen.commits[0].is, CommitState::Found { descends: None, changed: Err(_) }),
        "{seen:?}"
    );

    let plain = Scratch::plain();
    let nowhere = Brief { cwd: Some(plain.root().to_str().unwrap().to_owned()), ..Brief::default() };
    let seen = eyes.look(&file, &claim, Some(&nowhere));
    assert!(matches!(&seen.commits[0].is, CommitState::Unseen(_)), "{seen:?}");

    let run = |command: Command| rerun(&command, Some(&brief(&base)), &Cancel::never());
    let words = |words: &[&str]| Command::Words(words.iter().map(|word| (*word).to_owned()).collect());
    assert_eq!(run(Command::Text("test -e a && exit 0".to_owned())), Rerun::Passed);
    assert_eq!(run(words(&["test", "-e", "a"])), Rerun::Passed);
    assert!(matches!(run(words(&["test -e a"])), Rerun::Failed(_)));
    assert!(matches!(run(Command::Text("exit 3".to_owned())), Rerun::Failed(how) if how.contains('3')));
}

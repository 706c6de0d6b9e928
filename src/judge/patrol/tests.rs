use std::collections::BTreeMap;

use serde_json::json;

use super::*;
use crate::observe::facts::Timestamp;
use crate::observe::facts::claims::{
    Artifact, ArtifactSeen, Audit, Command, CommitSeen, CommitState, GateWord, Passed, Rerun, Scope, Shipped,
};

mod conditions;
mod ladder;

/// A claim with all that belongs to it.
#[derive(Clone)]
struct World {
    claim: Claim,
    dialect: Dialect,
    brief: Option<Brief>,
    seen: Seen,
    thresholds: Thresholds,
}

fn at(second: u8) -> Option<Timestamp> {
    Some(format!("2026-01-01T00:00:{second:02}Z").parse().unwrap())
}

fn command(text: &str) -> Option<Command> {
    Some(Command::Text(text.to_owned()))
}

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

/// A documented claim of done for which everything holds.
fn good() -> World {
    let audit = Audit {
        required: texts(&["lint", "security"]),
        passed: Some(Passed::Named(texts(&["lint", "security"]))),
        scores: [("lint".to_owned(), 85.0), ("security".to_owned(), 85.0)].into(),
        verdict: Some(GateWord::Satisfied),
        verdicts: BTreeMap::new(),
        graders: texts(&["grader"]),
    };
    let claim = Claim {
        status: Some("done_clean".to_owned()),
        executor: Some("worker".to_owned()),
        command: command("cargo test"),
        exit_code: Some(0),
        stdout: true,
        stderr: true,
        audit: Some(audit),
        regressions: Some(0),
        commits: texts(&["tip"]),
        finished_at: at(30),
        ..Claim::default()
    };
    let brief = Brief {
        issued_at: at(0),
        base: Some("base".to_owned()),
        verify_command: command("cargo test"),
        gates_required: texts(&["lint", "security"]),
        files_owned: texts(&["src/**", "docs"]),
        ..Brief::default()
    };
    let is =
        CommitState::Found { descends: Some(true), changed: Ok(vec!["src/a.rs".into(), "docs/b.md".into()]) };
    World {
        claim,
        dialect: Dialect::Documented,
        brief: Some(brief),
        seen: Seen {
            commits: vec![CommitSeen { name: "tip".to_owned(), is }],
            written_at: at(30),
            ..Seen::default()
        },
        thresholds: Thresholds { audits: BTreeMap::new(), default: 85.0 },
    }
}

/// A worker's claim of done, with a brief that asks for what a worker can show.
fn worker() -> World {
    let mut world = good();
    world.dialect = Dialect::Worker;
    world.claim = Claim {
        status: Some("done_clean".to_owned()),
        session: Some("a".to_owned()),
        commits: texts(&["tip"]),
        finished_at: at(30),
        ..Claim::default()
    };
    let brief = world.brief.as_mut().unwrap();
    brief.gates_required.clear();
    brief.verify_command = None;
    world
}

impl World {
    fn judge(&self) -> Judged {
        judge(Case {
            claim: &self.claim,
            dialect: self.dialect,
            brief: self.brief.as_ref(),
            seen: &self.seen,
            thresholds: &self.thresholds,
        })
    }

    fn brief(&mut self) -> &mut Brief {
        self.brief.as_mut().unwrap()
    }

    fn audit(&mut self) -> &mut Audit {
        self.claim.audit.as_mut().unwrap()
    }

    fn commit(&mut self, is: CommitState) {
        self.seen.commits[0].is = is;
    }
}

/// What becomes of a world that was edited: `status`, and the codes in order, all in one text.
#[track_caller]
fn check_of(mut world: World, want: &str, edit: impl FnOnce(&mut World)) {
    edit(&mut world);
    let judged = world.judge();
    let codes: Vec<&str> = judged.reasons.iter().map(|reason| reason.code.word()).collect();
    let got = [&[judged.status.word()][..], &codes].concat().join(" ");
    assert_eq!(got, want, "{judged:#?}");
    assert_eq!(judged.conditions.len(), 8);
}

#[track_caller]
fn check(want: &str, edit: impl FnOnce(&mut World)) {
    check_of(good(), want, edit);
}

/// The result of one condition.
#[track_caller]
fn holds(world: &World, id: ConditionId, want: Holds) {
    let judged = world.judge();
    let condition = judged.conditions.iter().find(|condition| condition.id == id).unwrap();
    assert_eq!(condition.holds, want, "{condition:?}");
}

#[test]
fn everything_holds() {
    check("done_clean", |_| {});
    check_of(worker(), "done_clean", |_| {});
    let judged = good().judge();
    assert!(judged.conditions.iter().all(|condition| condition.holds == Holds::Pass), "{judged:#?}");
    assert!(judged.stands(Some("done_clean")) && !judged.stands(Some("failed")) && !judged.stands(None));
}

#[test]
fn artifacts_are_what_the_claim_says() {
    check("failed artifact-failed", |world| {
        let wrong = Some("it can't be found".to_owned());
        world.seen.artifacts.push(ArtifactSeen { what: "the file `a`".to_owned(), wrong });
    });
    let ran = |exit_code, expected| {
        move |world: &mut World| {
            let command = Command::Text("grep x y".to_owned());
            world.claim.artifacts.push(Artifact::Command { command, exit_code, expected, captured: false });
        }
    };
    check("failed artifact-failed", ran(Some(1), None));
    check("done_clean", ran(Some(0), None));
    check("done_clean", ran(Some(1), Some(1)));
    check("done_clean", ran(None, None));
}

#[test]
fn nobody_is_done_before_they_can_have_begun() {
    let finished = |said: Option<Timestamp>, written: Option<Timestamp>| {
        move |world: &mut World| {
            world.claim.finished_at = said;
            world.seen.written_at = written;
        }
    };
    check("failed too-fast", finished(at(4), at(30)));
    check("done_clean", finished(at(5), at(30)));
    check("failed too-fast", finished(None, at(4)));
    // Who says to have taken longer than was seen isn't believed.
    check("failed too-fast", finished(at(30), at(4)));
    // A file older than its brief was brought here, or the clocks differ.
    check("done_clean", |world| {
        world.brief().issued_at = at(20);
        finished(at(30), at(10))(world);
    });
    check("done_clean", finished(None, None));
    check("done_clean", |world| world.brief().issued_at = None);
    check("done_clean", |world| {
        finished(at(1), at(1))(world);
        world.seen.rerun = Rerun::Passed;
    });
}

#[test]
fn work_that_is_left_is_not_done_and_is_kept() {
    check("pending pending-actions", |world| {
        world.claim.pending_actions = vec![json!("deploy"), json!({"a": 1})]
    });
    check("pending pending-actions", |world| world.claim.work_left = texts(&["2 of 3 todos are completed"]));
    let mut world = good();
    world.claim.pending_actions = vec![json!("deploy"), json!({"a": 1})];
    assert_eq!(world.judge().pending_actions, world.claim.pending_actions);
}

#[test]
fn honest_words_stand() {
    let says = |word: &'static str| {
        move |world: &mut World| {
            world.claim = Claim { status: Some(word.to_owned()), ..Claim::default() };
            world.seen = Seen { written_at: at(1), ..Seen::default() };
        }
    };
    check("pending", says("pending"));
    check("failed", says("failed"));
    check("blocked", says("blocked"));
    check("failed", |world| {
        world.claim.status = Some("failed".to_owned());
        world.claim.exit_code = Some(1);
    });
    // Work may be left; what was seen may not be wrong.
    check("failed verify-failed", |world| {
        world.claim.status = Some("pending".to_owned());
        world.claim.exit_code = Some(1);
    });
    check("pending", |world| {
        world.claim.status = Some("pending".to_owned());
        world.claim.pending_actions = vec![json!("deploy")];
        world.claim.finished_at = at(1);
    });
}

#[test]
fn what_has_another_shape_is_a_violation_whatever_is_claimed() {
    for word in ["done_clean", "pending", "failed", "blocked"] {
        check("failed schema-violation", |world| {
            *world = World {
                claim: Claim { status: Some(word.to_owned()), ..world.claim.clone() },
                ..world.clone()
            };
            world.claim.violations = texts(&["`regressions` is text, and a list is expected"]);
        });
    }
    check("failed schema-violation", |world| world.claim.status = Some("done".to_owned()));
    check("failed schema-violation", |world| {
        world.claim.status = None;
        world.claim.violations = texts(&["`status` is missing"]);
    });
    check("done_clean", |world| world.claim.unknown = texts(&["mood"]));
    assert_eq!(unparseable("no JSON").status, Status::Failed);
}

#[test]
fn words_alone_are_not_done() {
    for dialect in [Dialect::Documented, Dialect::Worker, Dialect::Oracle] {
        let mut world = worker();
        world.dialect = dialect;
        world.brief = None;
        assert_eq!(world.judge().status, Status::Pending, "{dialect:?}");
    }
    // A documented claim that brings all of its proof needs no brief.
    check("done_clean", |world| world.brief = None);
    // A brief that can't be read may ask for anything.
    check("pending", |world| {
        world.brief = Some(Brief { violations: texts(&["no JSON"]), ..Brief::default() })
    });
    // So may one that can be read but for one key.
    check("pending", |world| world.brief().violations = texts(&["`gates_required` is no list"]));
}

#[test]
fn a_worker_shows_what_it_can() {
    let asks = |world: &mut World| world.brief().verify_command = command("cargo test");
    let ran = |exit_code: i64, captured: bool| {
        move |world: &mut World| {
            asks(world);
            let command = Command::Text("cargo test".to_owned());
            let exit_code = Some(exit_code);
            world.claim.artifacts.push(Artifact::Command { command, exit_code, expected: None, captured });
        }
    };
    check_of(worker(), "pending", asks);
    check_of(worker(), "done_clean", |world| {
        asks(world);
        world.seen.rerun = Rerun::Passed;
    });
    check_of(worker(), "failed rerun-failed", |world| {
        asks(world);
        world.seen.rerun = Rerun::Failed("exit 1".to_owned());
    });
    check_of(worker(), "done_clean", ran(0, true));
    check_of(worker(), "pending stdout-missing", ran(0, false));
    check_of(worker(), "failed verify-failed artifact-failed", ran(1, true));
    // Without an audit its gates are unknown, not missing.
    check_of(worker(), "pending", |world| world.brief().gates_required = texts(&["lint"]));
    check_of(worker(), "done_clean", |world| {
        world.brief().gates_required = texts(&["lint"]);
        world.claim.audit = good().claim.audit;
    });
}

#[test]
fn scopes_that_share_a_file_overlap() {
    let overlap = |one: &[&str], two: &[&str], want: bool| {
        let scope =
            |session: &str, owned: &[&str]| Scope { session: session.to_owned(), files_owned: texts(owned) };
        for (one, two) in [(one, two), (two, one)] {
            let found = overlaps(&[scope("a", one), scope("b", two), scope("c", &["elsewhere/x"])]);
            let found = found.iter().any(|overlap| overlap.first == "a" && overlap.second == "b");
            assert_eq!(found, want, "{one:?} {two:?}");
        }
    };
    overlap(&["src/a.rs"], &["src/a.rs"], true);
    overlap(&["./src/a.rs"], &["src"], true);
    overlap(&["src/"], &["src/deep/a.rs"], true);
    overlap(&["src/**"], &["src/a.rs"], true);
    overlap(&["src/**/*.rs"], &["src/a.rs"], true);
    overlap(&["**"], &["any"], true);
    overlap(&["src/**"], &["src/**/*.rs"], true);
    overlap(&["."], &["any/thing"], true);
    overlap(&["src/a.rs"], &["src/b.rs"], false);
    overlap(&["src"], &["src2/a"], false);
    overlap(&["src/**/*.rs"], &["src/**/*.md"], false);
    overlap(&["src/*.rs"], &["docs/*.rs"], false);
    overlap(&["src/**"], &[], false);
    // A session may say the same twice.
    let twice = Scope { session: "a".to_owned(), files_owned: texts(&["src", "src/a"]) };
    assert_eq!(overlaps(&[twice]), []);
}

#[test]
fn three_cycles_without_a_break_are_stuck() {
    let mut cycles = Cycles::default();
    let stuck = |cycles: &Cycles| cycles.stuck("a").map(str::to_owned).collect::<Vec<_>>();
    let mut count = |codes: &[Code], want: &[&str]| {
        cycles.count("a", &codes.iter().copied().collect());
        assert_eq!(stuck(&cycles), want, "{codes:?}");
    };
    count(&[Code::SelfGraded], &[]);
    count(&[Code::SelfGraded, Code::TooFast], &[]);
    count(&[Code::SelfGraded, Code::TooFast], &["self-graded"]);
    count(&[Code::SelfGraded], &["self-graded"]);
    count(&[], &[]);
    count(&[Code::SelfGraded], &[]);
    count(&[Code::TooFast], &[]);
    count(&[Code::SelfGraded], &[]);
    count(&[Code::SelfGraded], &[]);
    cycles.retain(|claim| claim != "a");
    assert_eq!(cycles, Cycles::default());
}

#[test]
fn a_brief_is_found_by_name_and_by_session() {
    let brief = |session: Option<&str>, owned: &[&str]| Brief {
        session: session.map(str::to_owned),
        files_owned: texts(owned),
        ..Brief::default()
    };
    let scope =
        |session: &str, owned: &str| Scope { session: session.to_owned(), files_owned: texts(&[owned]) };
    let briefs = [
        ("worker-a".to_owned(), brief(None, &["whole"])),
        ("b".to_owned(), brief(None, &["short"])),
        ("task-9".to_owned(), brief(Some("c"), &["session"])),
        ("e".to_owned(), brief(None, &[])),
    ];
    let briefs = Briefs::new(briefs, &[scope("d", "scope"), scope("b", "not this"), scope("e", "filled")]);
    let owned = |name: &str, session: Option<&str>| {
        briefs.of(name, session).map(|brief| brief.files_owned.join(" ")).unwrap_or_default()
    };
    assert_eq!(owned("worker-a", None), "whole");
    assert_eq!(owned("worker-b", Some("b")), "short");
    assert_eq!(owned("worker-c", None), "session");
    assert_eq!(owned("any", Some("c")), "session");
    assert_eq!(owned("worker-d", None), "scope");
    assert_eq!(owned("oracle-e", None), "filled");
    assert_eq!(owned("worker-f", Some("f")), "");
    assert!(briefs.of("worker-f", None).is_none());
}

//! The numbered conditions of a claim of done, and what a brief asks of them.

use super::*;

#[test]
fn condition_1_verify_command() {
    check("failed verify-failed", |world| world.claim.exit_code = Some(1));
    check("failed verify-failed", |world| world.claim.exit_code = Some(-1));
    check("pending stdout-missing", |world| world.claim.exit_code = None);
    check("pending stdout-missing", |world| world.claim.stdout = false);
    check("pending stdout-missing", |world| world.claim.stderr = false);
    check("pending stdout-missing", |world| world.claim.command = None);
    check("failed rerun-failed", |world| world.seen.rerun = Rerun::Failed("exit 1".to_owned()));
    check("done_clean", |world| world.seen.rerun = Rerun::Passed);
    // A capture is asked for all the same.
    check("pending stdout-missing", |world| {
        world.seen.rerun = Rerun::Passed;
        world.claim.stdout = false;
    });
}

#[test]
fn what_the_brief_says_wins() {
    check("failed verify-command-differs", |world| world.claim.command = command("true"));
    check("failed verify-command-differs", |world| {
        world.claim.command = command("true");
        world.seen.rerun = Rerun::Passed;
    });
    check("done_clean", |world| world.claim.command = command(" cargo   test "));
    check("done_clean", |world| world.claim.command = Some(Command::Words(texts(&["cargo", "test"]))));
    check("done_clean", |world| world.brief().verify_command = None);
    check("pending gate-missing", |world| world.brief().gates_required.push("a11y".to_owned()));
    // What the claim requires counts only where the brief requires nothing.
    check("done_clean", |world| world.audit().required.push("a11y".to_owned()));
    check("pending gate-missing", |world| {
        world.brief().gates_required.clear();
        world.audit().required.push("a11y".to_owned());
    });
}

#[test]
fn condition_2_gates() {
    let score = |gate: &'static str, score: f64| {
        move |world: &mut World| {
            world.audit().scores.insert(gate.to_owned(), score);
        }
    };
    check("failed verdict-contradicts-score", score("security", 84.0));
    check("failed verdict-contradicts-score", score("security", 84.999));
    check("done_clean", score("security", 85.0));
    check("done_clean", score("security", 100.0));
    check("pending scores-missing", |world| {
        world.audit().scores.remove("lint");
    });
    check("pending scores-missing scores-missing", |world| world.audit().verdict = None);
    check("done_clean", |world| {
        world.audit().verdict = None;
        world.audit().verdicts =
            [("lint".to_owned(), GateWord::Satisfied), ("security".to_owned(), GateWord::Satisfied)].into();
    });
    check("failed verdict-contradicts-score verdict-contradicts-score", |world| {
        world.audit().verdict = Some(GateWord::Refused);
    });
    check("failed verdict-contradicts-score", |world| {
        world.audit().verdicts.insert("lint".to_owned(), GateWord::Refused);
    });
    // A word that isn't known is neither.
    check("pending", |world| world.audit().verdict = Some(GateWord::Unknown("splendid".to_owned())));
    check("pending gate-missing gate-missing", |world| world.claim.audit = None);
    check("pending gate-missing", |world| {
        world.audit().scores.remove("lint");
        world.audit().passed = Some(Passed::Named(texts(&["security"])));
    });
}

#[test]
fn gates_passed_agrees() {
    check("pending gate-missing", |world| world.audit().passed = Some(Passed::Named(texts(&["lint"]))));
    check("pending gate-missing gate-missing", |world| world.audit().passed = None);
    check("pending gate-missing gate-missing", |world| world.audit().passed = Some(Passed::All(false)));
    check("done_clean", |world| world.audit().passed = Some(Passed::All(true)));
    // A gate that nobody asked for is as good as the claim says, or the claim contradicts itself.
    let more = |score: f64| {
        move |world: &mut World| {
            world.audit().passed = Some(Passed::Named(texts(&["lint", "security", "speed"])));
            world.audit().scores.insert("speed".to_owned(), score);
        }
    };
    check("failed verdict-contradicts-score", more(10.0));
    check("done_clean", more(90.0));
}

#[test]
fn an_audit_that_cannot_be_read_passes_nothing() {
    let unread = |gate: &'static str| {
        move |world: &mut World| _ = world.thresholds.audits.insert(gate.to_owned(), Err("cut".to_owned()))
    };
    check("pending", unread("lint"));
    check("done_clean", unread("other"));
}

#[test]
fn a_claim_that_leaves_a_required_gate_out_says_otherwise() {
    check("pending gate-missing", |world| world.audit().required = texts(&["security"]));
    check("done_clean", |world| world.audit().required = texts(&["security", "lint", "more"]));
    check("done_clean", |world| world.audit().required.clear());
}

#[test]
fn thresholds_are_the_audits_else_the_briefs_else_one_for_all() {
    let at = |audit: Option<f64>, brief: Option<f64>, default: f64| {
        move |world: &mut World| {
            world.thresholds.audits.extend(audit.map(|score| ("lint".to_owned(), Ok(score))));
            world.brief().thresholds.extend(brief.map(|score| ("lint".to_owned(), score)));
            world.thresholds.default = default;
        }
    };
    check("done_clean", at(Some(85.0), Some(90.0), 85.0));
    check("failed verdict-contradicts-score", at(Some(86.0), Some(80.0), 85.0));
    check("failed verdict-contradicts-score", at(None, Some(86.0), 85.0));
    check("failed verdict-contradicts-score verdict-contradicts-score", at(None, None, 86.0));
    check("failed verdict-contradicts-score", at(None, Some(80.0), 86.0));
    check("done_clean", at(None, None, 50.0));
}

#[test]
fn condition_3_regressions() {
    check("failed regressions", |world| world.claim.regressions = Some(2));
    check("done_clean", |world| world.claim.regressions = None);
}

#[test]
fn condition_4_ownership() {
    let touches = |paths: &'static [&'static str]| {
        move |world: &mut World| {
            let changed = Ok(paths.iter().map(|path| (*path).into()).collect());
            world.commit(CommitState::Found { descends: Some(true), changed });
        }
    };
    check("failed outside-owned-files", touches(&["src/a.rs", "Cargo.toml"]));
    check("failed outside-owned-files", touches(&["docs-of-others/a.md"]));
    check("done_clean", touches(&["docs/deep/er/a.md", "src/x"]));
    let owns = |owned: &'static [&'static str], path: &'static str| {
        move |world: &mut World| {
            world.brief().files_owned = texts(owned);
            touches(&[])(world);
            world.commit(CommitState::Found { descends: Some(true), changed: Ok(vec![path.into()]) });
        }
    };
    check("done_clean", owns(&["./src/"], "src/a"));
    check("done_clean", owns(&["."], "any/thing"));
    check("done_clean", owns(&["app/[id]/page.tsx"], "app/[id]/page.tsx"));
    check("done_clean", owns(&["src/**"], "src/deep/er"));
    check("failed outside-owned-files", owns(&["src/**"], "src-of-others/a"));
    check("failed outside-owned-files", owns(&["src/**"], "src"));
    check("done_clean", owns(&["src/**/*.rs"], "src/deep/a.rs"));
    check("failed outside-owned-files", owns(&["src/**/*.rs"], "src/deep/a.md"));
    check("done_clean", owns(&["*.md"], "a.md"));
    check("failed outside-owned-files", owns(&["*.md"], "deep/a.md"));
    check("failed outside-owned-files", owns(&["../src"], "src/a"));
    // Nothing is said of files.
    check("done_clean", owns(&[], "any/thing"));
    // Whose files they are must be seen, base or not.
    check_of(worker(), "pending", |world| {
        world.brief().base = None;
        world.commit(CommitState::Unseen("no git".to_owned()));
    });
    // A scope has no base: the commit alone is looked at.
    check_of(worker(), "done_clean", |world| world.brief().base = None);
    check_of(worker(), "failed outside-owned-files", |world| {
        world.brief().base = None;
        world.brief().files_owned = texts(&["other"]);
    });
}

#[test]
fn condition_5_ship() {
    let ship = |result: &'static str, deploy: Option<&'static str>| {
        move |world: &mut World| {
            world.brief().ship = true;
            let shipped = Shipped { result: Some(result.to_owned()), deploy: deploy.map(str::to_owned) };
            world.claim.ship = Some(shipped);
        }
    };
    check("done_clean", ship("ok", Some("READY")));
    check("done_clean", ship("ok", Some("ready")));
    check("done_clean", ship("skipped", None));
    check("pending ship-not-ready", ship("ok", None));
    check("pending ship-not-ready", ship("ok", Some("BUILDING")));
    check("failed ship-not-ready", ship("failed", Some("READY")));
    check("pending ship-not-ready", |world| world.brief().ship = true);
    // Where the brief doesn't ship, nothing has to be shown.
    check("done_clean", |world| {
        ship("failed", None)(world);
        world.brief().ship = false;
    });
}

#[test]
fn condition_6_independent_grader() {
    check("failed self-graded", |world| world.audit().graders = texts(&["worker"]));
    check("failed self-graded", |world| world.audit().graders = texts(&["other", " Worker "]));
    check("failed self-graded", |world| {
        world.claim.session = Some("a".to_owned());
        world.audit().graders = texts(&["a"]);
    });
    check("done_clean", |world| world.audit().graders = texts(&["worker-2"]));
    let mut nobody = good();
    nobody.audit().graders.clear();
    holds(&nobody, ConditionId::IndependentGrader, Holds::Unknown);
}

#[test]
fn condition_7_real_flow() {
    let flow = |want: Holds, edit: &dyn Fn(&mut World)| {
        let mut world = good();
        edit(&mut world);
        holds(&world, ConditionId::RealFlow, want);
    };
    flow(Holds::Pass, &|_| {});
    flow(Holds::Unknown, &|world| world.claim.stdout = false);
    flow(Holds::Unknown, &|world| world.seen.commits.clear());
    flow(Holds::Pass, &|world| {
        world.seen.commits.clear();
        world.seen.artifacts.push(ArtifactSeen { what: "the file `a`".to_owned(), wrong: None });
    });
    flow(Holds::Pass, &|world| {
        world.claim.stdout = false;
        world.seen.rerun = Rerun::Passed;
    });
    flow(Holds::Fail, &|world| world.seen.rerun = Rerun::Failed("exit 1".to_owned()));
}

#[test]
fn condition_8_commit() {
    let found = |descends: Option<bool>, paths: &[&str]| CommitState::Found {
        descends,
        changed: Ok(paths.iter().map(|path| (*path).into()).collect()),
    };
    check("failed commit-unknown", |world| world.commit(CommitState::Missing));
    check("failed commit-not-descendant", |world| world.commit(found(Some(false), &["src/a"])));
    check("failed commit-empty", |world| world.commit(found(Some(true), &[])));
    check("pending commit-unknown", |world| world.seen.commits.clear());
    // What can't be looked at is no lie.
    check("pending", |world| world.commit(CommitState::Unseen("no git".to_owned())));
    check("pending", |world| {
        world.brief().files_owned.clear();
        world.commit(CommitState::Unseen("no git".to_owned()));
    });
    check("pending", |world| {
        let changed = Err("no such base".to_owned());
        world.commit(CommitState::Found { descends: None, changed });
    });
    // Without a base no commit has to be named; one that is has to be there.
    let no_base = |world: &mut World| {
        world.brief().base = None;
        world.brief().files_owned.clear();
    };
    check("done_clean", |world| {
        no_base(world);
        world.seen.commits.clear();
    });
    check("failed commit-unknown", |world| {
        no_base(world);
        world.commit(CommitState::Missing);
    });
    check("failed commit-unknown", |world| {
        world.seen.commits.push(CommitSeen { name: "other".to_owned(), is: CommitState::Missing });
    });
}

use std::collections::BTreeMap;

use super::world::{baseline, check_of, facts, file, files, plan};
use super::*;
use crate::observe::facts::RepositoryFacts;
use crate::plan::FingerprintOf;

#[track_caller]
fn check_evidence(red: Standing, green: Standing, codes: &[Code]) {
    let checks = [CheckStanding { id: "unit".to_owned(), red, green, fresh: true }];
    let said: Vec<Code> = evidence(&checks).iter().map(|problem| problem.code).collect();
    assert_eq!(said, codes);
    assert_eq!(!reds_missing(&checks).is_empty(), codes.contains(&Code::RedMissing));
}

#[test]
fn every_check_has_its_evidence() {
    use Standing::{Accepted, Missing, NotNeeded, Rejected};
    check_evidence(Accepted, Accepted, &[]);
    check_evidence(NotNeeded, Accepted, &[]);
    check_evidence(Accepted, NotNeeded, &[]);
    check_evidence(Missing, Accepted, &[Code::RedMissing]);
    check_evidence(Rejected, Accepted, &[Code::RedMissing]);
    check_evidence(Accepted, Missing, &[Code::GreenMissing]);
    check_evidence(Accepted, Rejected, &[Code::GreenRejected]);
    check_evidence(Missing, Missing, &[Code::RedMissing, Code::GreenMissing]);
}

fn now(app: Vec<Entry>) -> Vec<RepositoryFacts> {
    vec![facts("app", app), facts("lib", vec![file("l", "l")])]
}

#[test]
fn an_empty_task_delivers_nothing() {
    assert!(empty_diff(&baseline(), &now(files()), false).is_some());
    assert!(empty_diff(&baseline(), &now(files()), true).is_none());
    let changed = now([files(), vec![file("src/new", "")]].concat());
    assert!(empty_diff(&baseline(), &changed, false).is_none());
}

#[test]
fn stale_files_are_named() {
    let changed = now([files(), vec![file("web/x", "")]].concat());
    let names = |facts: &[RepositoryFacts], of| -> Vec<String> {
        stale(&baseline().maps(), facts, of).iter().map(|stale| stale.change.path.to_string()).collect()
    };
    assert_eq!(names(&changed, FingerprintOf::Tree), ["web/x"]);
    assert_eq!(names(&changed, FingerprintOf::Path), ["web/x"]);
    let mut below = changed;
    below[0].prefix = "src".into();
    assert_eq!(names(&below, FingerprintOf::Tree), ["web/x"]);
    assert!(names(&below, FingerprintOf::Path).is_empty());
}

fn prints(app: &str, lib: &str) -> Fingerprints {
    let sha = |text: &str| Sha256::of(text.as_bytes());
    [("app".to_owned(), sha(app)), ("lib".to_owned(), sha(lib))].into()
}

/// Checks of `app` that rest on everything, on `app` alone, and one of `lib` that rests on itself.
#[track_caller]
fn check_reruns(evidence: &[(&str, Fingerprints)], now: &Fingerprints, again: &[&str]) {
    let mut plan = plan();
    plan.checks = vec![check_of("all", "app"), check_of("app", "app"), check_of("lib", "lib")];
    plan.checks[1].depends = Some(vec![]);
    plan.checks[2].depends = Some(vec![]);
    let evidence: BTreeMap<String, Fingerprints> =
        evidence.iter().map(|(id, prints)| ((*id).to_owned(), prints.clone())).collect();
    let ids: Vec<&str> = reruns(&plan, &evidence, now).iter().map(|check| check.id.as_str()).collect();
    assert_eq!(ids, again);
}

#[test]
fn what_moved_is_run_again_with_all_that_rests_on_it() {
    let then = || prints("a", "l");
    let all = || [("all", then()), ("app", then()), ("lib", then())];
    check_reruns(&all(), &then(), &[]);
    check_reruns(&all(), &prints("b", "l"), &["all", "app"]);
    check_reruns(&all(), &prints("a", "m"), &["all", "lib"]);
    check_reruns(&all(), &prints("b", "m"), &["all", "app", "lib"]);
    check_reruns(&[("all", then()), ("app", then())], &then(), &["all", "lib"]);
    let older = [("all", prints("b", "l")), ("app", prints("a", "l")), ("lib", prints("b", "l"))];
    check_reruns(&older, &prints("b", "l"), &["all", "app"]);
}

#[test]
fn a_check_is_fresh_while_what_it_rests_on_stands_still() {
    let mut check = check_of("app", "app");
    assert!(is_fresh(&check, &prints("a", "l"), &prints("a", "l")));
    assert!(!is_fresh(&check, &prints("a", "l"), &prints("a", "m")));
    check.depends = Some(vec![]);
    assert!(is_fresh(&check, &prints("a", "l"), &prints("a", "m")));
    assert!(!is_fresh(&check, &prints("a", "l"), &prints("b", "l")));
    check.depends = Some(vec!["lib".to_owned()]);
    assert!(!is_fresh(&check, &prints("a", "l"), &prints("a", "m")));
}

#[test]
fn a_delivery_is_sealed_by_the_files_of_its_evidence() {
    assert!(sealed(&prints("a", "l"), &prints("a", "l")).is_empty());
    let problems = sealed(&prints("a", "l"), &prints("b", "l"));
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].code, Code::TreeMoved);
    assert_eq!(sealed(&prints("a", "l"), &Fingerprints::new()).len(), 2);
}

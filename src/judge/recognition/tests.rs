use super::*;

fn requirement(title: &str, status: Status, evidence_exists: bool) -> Requirement {
    Requirement { title: title.to_owned(), status, evidence: "src/a.py:1".to_owned(), evidence_exists }
}

fn claim(verdict: Said, requirements: &[(&str, Status)]) -> Claim {
    let requirements = requirements.iter().map(|(title, status)| requirement(title, *status, true)).collect();
    Claim { verdict: Some(verdict), summary: String::new(), requirements }
}

const SPEC: &str = "## Features\n- Export\n- Import\n";

#[track_caller]
fn check(claim: Claim, suite: Suite, verdict: Verdict) -> Recognition {
    let spec = read_spec(SPEC);
    let got = recognise(Facts { action: Action::Reuse, spec: &spec, claim, suite });
    assert_eq!(got.verdict, verdict, "{got:?}");
    got
}

const BOTH_MET: [(&str, Status); 2] = [("Export", Status::Met), ("feature: import", Status::Met)];

#[test]
fn done_is_what_everything_seen_backs() {
    for suite in [Suite::Green, Suite::Absent] {
        let done = check(claim(Said::Done, &BOTH_MET), suite, Verdict::Done);
        assert_eq!((done.met, done.total), (2, 2));
    }
}

#[test]
fn done_against_red_tests_is_incomplete_and_satisfies_nothing() {
    let got = check(claim(Said::Done, &BOTH_MET), Suite::Red, Verdict::Incomplete(Reason::TestsRed));
    assert_eq!(got.satisfied, [""; 0]);
    let said = claim(Said::Incomplete, &[("Export", Status::Met), ("Import", Status::Unmet)]);
    let got = check(said, Suite::Red, Verdict::Incomplete(Reason::RequirementUnmet));
    assert_eq!(got.satisfied, [""; 0], "nothing is satisfied while tests are red");
}

#[test]
fn something_unmet_is_incomplete_whatever_the_judge_calls_it() {
    for said in [Said::Done, Said::Incomplete, Said::Inconclusive] {
        let said = claim(said, &[("Export", Status::Met), ("Import", Status::Unmet)]);
        let got = check(said, Suite::Green, Verdict::Incomplete(Reason::RequirementUnmet));
        assert_eq!((got.satisfied, got.unmet), (vec!["Export".to_owned()], vec!["Import".to_owned()]));
    }
}

#[test]
fn an_overclaim_is_inconclusive() {
    let done = |requirements: &[(&str, Status)]| claim(Said::Done, requirements);
    let inconclusive = |claim, reason| {
        for suite in [Suite::Green, Suite::Absent] {
            check(Claim::clone(&claim), suite, Verdict::Inconclusive(reason));
        }
    };
    inconclusive(done(&[("Export", Status::Met), ("Import", Status::Uncertain)]), Reason::Uncertain);
    inconclusive(done(&[]), Reason::NothingListed);
    inconclusive(claim(Said::Inconclusive, &BOTH_MET), Reason::JudgeUnsure);
    inconclusive(claim(Said::Incomplete, &BOTH_MET), Reason::JudgeUnsure);
    inconclusive(Claim { verdict: None, ..done(&BOTH_MET) }, Reason::JudgeUnsure);
    let partial = done(&[("Export", Status::Met), ("Else", Status::Met)]);
    inconclusive(partial.clone(), Reason::NotCovered);
    let got = check(partial, Suite::Green, Verdict::Inconclusive(Reason::NotCovered));
    assert_eq!((got.uncovered, got.total), (vec!["Import".to_owned()], 3));
}

#[test]
fn without_a_suite_evidence_must_be_there() {
    let mut said = claim(Said::Done, &BOTH_MET);
    said.requirements[0].evidence_exists = false;
    check(said.clone(), Suite::Green, Verdict::Done);
    let got = check(said.clone(), Suite::Absent, Verdict::Inconclusive(Reason::EvidenceMissing));
    assert_eq!(got.satisfied, ["feature: import"]);
}

#[test]
fn an_update_may_not_finish_and_may_be_incomplete() {
    let spec = read_spec(SPEC);
    let ask =
        |claim| recognise(Facts { action: Action::Update, spec: &spec, claim, suite: Suite::Green }).verdict;
    assert_eq!(ask(claim(Said::Done, &BOTH_MET)), Verdict::Inconclusive(Reason::UpdateMayNotFinish));
    let unmet = claim(Said::Incomplete, &[("Export", Status::Met), ("Import", Status::Unmet)]);
    assert_eq!(ask(unmet), Verdict::Incomplete(Reason::RequirementUnmet));
}

#[test]
fn tasks_are_satisfied_by_the_same_title() {
    let satisfied = ["Export as CSV".to_owned(), String::new()];
    assert!(is_satisfied("Feature:  **export** as csv", &satisfied));
    assert!(!is_satisfied("Export as CSV2", &satisfied));
    assert!(!is_satisfied("", &satisfied), "an empty title is none");
}

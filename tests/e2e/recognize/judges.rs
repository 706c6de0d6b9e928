//! A judge is any program: what it is asked, and what becomes of each way to answer.

use super::Case;
use crate::support::Run;

#[test]
fn an_answer_may_stand_among_words() {
    let case = Case::green();
    case.answer("prose", "", 0, "");
}

#[test]
fn an_answer_that_is_none_is_inconclusive() {
    let case = Case::green();
    for (part, reason) in [
        ("nothing", "judge_empty"),
        ("stderr", "judge_empty"),
        ("words", "judge_unparsable"),
        ("half", "judge_unparsable"),
        ("bytes", "judge_unparsable"),
        ("huge", "judge_too_much"),
        ("crash", "judge_failed"),
        ("fails", "judge_failed"),
    ] {
        case.answer(part, "", 3, reason);
        assert_eq!(case.written(), "", "{part}");
    }
    case.answer("slow", "--timeout 300ms", 3, "judge_timed_out");
    assert_eq!(case.calls(), 9);
}

#[test]
fn a_judge_is_told_the_spec_the_checks_and_what_was_claimed() {
    let case = Case::green();
    case.answer("answer", "", 0, "");
    let prompt = case.judge.read("prompt");
    for part in
        ["R1. Export as CSV", "- Import", "greeting: accepted", "possibly stale", r#"{"outcome":"complete"}"#]
    {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
}

#[test]
fn a_judge_may_be_given_in_words() {
    let case = Case::green();
    let judge = case.judge.at("judge.sh");
    let ask = |words: &[&str]| {
        let fixed = ["recognize", "--spec", "SPEC.md", "--prior", "prior.json", "--action", "reuse"];
        Run::of(case.project.command(fixed.iter().chain(words)))
    };
    let judge = judge.to_str().unwrap();
    ask(&["--", "sh", judge, "answer"]).exits(0);
    ask(&["--judge", &format!("sh {judge} 'answer'")]).exits(0);
    ask(&["--judge", "sh 'open"]).exits(2);
    ask(&["--judge", "sh", "--", "sh"]).exits(2);
    ask(&[]).exits(2);
    // No shell reads it.
    ask(&["--judge", &format!("sh {judge} words; sh {judge} answer")]).exits(3);
}

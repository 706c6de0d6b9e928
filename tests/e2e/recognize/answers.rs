//! The answer is derived anew: what a judge claims beyond what was seen is lowered, with the reason.

use super::Case;

const MET: (&str, &str, &str) = ("Export as CSV", "met", "src/app.py:1");

#[test]
fn done_is_what_everything_seen_backs() {
    for case in [Case::new(), Case::green()] {
        let answer = case.answer("answer", "", 0, "");
        assert_eq!((&answer["requirements_met"], &answer["requirements_total"]), (&2.into(), &2.into()));
        assert_eq!(case.calls(), 1);
        assert_eq!(case.written(), "completion.json summary.md");
    }
    assert_eq!(Case::green().answer("answer", "", 0, "")["tests"], "green");
    assert_eq!(Case::new().answer("answer", "--action user-owned", 0, "")["tests"], "none");
}

#[test]
fn done_against_red_tests_is_incomplete_and_satisfies_nothing() {
    let case = Case::red();
    let answer = case.answer("answer", "", 1, "tests_red");
    assert_eq!(answer["satisfied"].as_array().unwrap().len(), 0);
    assert_eq!(case.calls(), 1, "red is data");
    let prompt = case.judge.read("prompt");
    assert!(prompt.contains("greeting: rejected") && prompt.contains("case-failed"), "{prompt}");
}

#[test]
fn something_unmet_is_incomplete() {
    let case = Case::green();
    case.says("done", &[MET, ("Import", "unmet", "")]);
    let answer = case.answer("answer", "", 1, "requirement_unmet");
    assert_eq!(answer["unmet"][0], "Import");
    assert_eq!(answer["satisfied"][0], "Export as CSV");
    case.ask("answer", "").exits(1).says("1 of 2 requirements met").says("to build: Import");
}

#[test]
fn a_requirement_of_the_spec_that_is_not_judged_is_no_done() {
    let case = Case::green();
    case.says("done", &[MET, ("Something else", "met", "src/app.py:1")]);
    let answer = case.answer("answer", "", 3, "requirement_not_covered");
    assert_eq!(answer["uncovered"][0], "Import");
    case.project.write("SPEC.md", "# App\n### Feature: Export as CSV\n");
    case.answer("answer", "", 0, "");
}

#[test]
fn evidence_that_is_not_there_is_no_done_without_a_suite() {
    for evidence in ["src/app.py:9", "src/other.py:1", "", "SPEC.md:1", "prior.json", "../x", "it works"] {
        let case = Case::new();
        case.says("done", &[MET, ("Import", "met", evidence)]);
        case.answer("answer", "", 3, "evidence_missing");
    }
    let case = Case::new();
    case.says("done", &[MET, ("Import", "met", "src/app.py:2-3")]);
    case.answer("answer", "", 0, "");
}

#[test]
fn uncertain_or_empty_is_no_done() {
    let case = Case::green();
    case.says("done", &[MET, ("Import", "uncertain", "")]);
    case.answer("answer", "", 3, "requirement_uncertain");
    case.says("done", &[MET, ("Import", "surely", "")]);
    case.answer("answer", "", 3, "requirement_uncertain");
    case.says("done", &[]);
    case.answer("answer", "", 3, "nothing_listed");
    case.says("inconclusive", &[MET, ("Import", "met", "")]);
    case.answer("answer", "", 3, "judge_unsure");
    case.says("splendid", &[MET, ("Import", "met", "")]);
    case.answer("answer", "", 3, "judge_unsure");
}

#[test]
fn an_update_never_ends_done() {
    let case = Case::green();
    case.answer("answer", "--action update", 3, "update_may_not_finish");
    assert_eq!(case.written(), "");
    case.says("incomplete", &[MET, ("Import", "unmet", "")]);
    case.answer("answer", "--action update", 1, "requirement_unmet");
    assert_eq!(case.written(), "manifest.json");
}

#[test]
fn a_requirement_beyond_what_a_judge_sees_is_inconclusive() {
    let case = Case::green();
    let long = format!("{}\n{}\n", super::SPEC, "x".repeat(16_000));
    case.project.write("SPEC.md", &long);
    case.answer("answer", "", 0, "");
    case.project.write("SPEC.md", &format!("{long}## Feature: Late\n"));
    case.answer("answer", "", 3, "spec_too_long");
    assert_eq!(case.calls(), 1);
}

#[test]
fn a_judge_that_breaks_the_code_is_not_believed() {
    let case = Case::green();
    case.answer("breaks", "", 1, "tests_red");
    let case = Case::green();
    case.answer("logs", "", 0, "");
}

#[test]
fn every_answer_ends_with_the_ways_out() {
    let case = Case::green();
    let ends = |part: &str, more: &str, code: i32| {
        let run = case.ask(part, more).exits(code);
        let last = run.out.lines().last().unwrap().to_owned();
        assert!(last.contains("rebuild") && last.contains("extend"), "{last}");
        assert!(run.out.contains(" of 2 requirements"), "{}", run.out);
    };
    ends("answer", "", 0);
    ends("words", "", 3);
    ends("answer", "--action generate", 3);
    case.says("incomplete", &[MET, ("Import", "unmet", "")]);
    ends("answer", "", 1);
    ends("answer", "--quiet", 1);
}

#[test]
fn what_comes_from_a_judge_cannot_steer_a_terminal() {
    let case = Case::green();
    case.says("incomplete", &[("a\u{1b}[2Jb", "unmet", "\u{1b}]0;x")]);
    let run = case.ask("answer", "").exits(1).says("a\\u{1b}[2Jb");
    assert!(!run.out.contains('\u{1b}'));
}

//! What is cheap to know comes first, can only say no, and then no judge is called.

use super::Case;
use crate::support::Run;

#[track_caller]
fn not_asked(case: &Case, more: &str, reason: &str) {
    case.answer("answer", more, 3, reason);
    assert_eq!(case.calls(), 0, "{reason}");
    assert_eq!(case.written(), "");
}

#[test]
fn a_spec_that_is_generated_is_not_asked_about() {
    not_asked(&Case::new(), "--action generate", "not_armed");
}

#[test]
fn what_was_never_completed_is_not_asked_about() {
    let case = Case::new();
    case.project.remove("prior.json");
    not_asked(&case, "", "never_completed");
    not_asked(&case, "--prior other.json", "never_completed");
    case.project.write("other.json", "");
    case.answer("answer", "--prior other.json", 0, "");
    assert_eq!(case.calls(), 1);
}

#[test]
fn a_judge_that_cannot_run_is_not_asked() {
    let case = Case::red();
    let ask = |judge: &str| {
        let mut words = case.words("answer", "--format json");
        let at = words.iter().position(|word| word == "--judge").unwrap();
        words[at + 1] = judge.to_owned();
        Run::of(case.project.command(words)).exits(3).value()
    };
    for judge in ["no-such-program-anywhere", "./SPEC.md", "/nowhere/x"] {
        let answer = ask(judge);
        assert_eq!(answer["reason"], "judge_not_runnable");
        assert_eq!(answer["tests"], serde_json::Value::Null, "no check was run either");
    }
}

#[test]
fn whoever_switched_it_off_is_not_asked() {
    let case = Case::new();
    let ask = |name: &str, more: &str| {
        let mut command = case.project.command(case.words("answer", &format!("{more} --format json")));
        command.env(name, "0");
        Run::of(command)
    };
    let off = |run: Run| assert_eq!(run.exits(3).value()["reason"], "opted_out");
    off(ask("VERIFY_RECOGNIZE", ""));
    off(ask("LOKI_DONE_RECOGNITION", "--profile loki"));
    off(ask("LOKI_REUSE_DONE_RECOG", "--profile loki"));
    assert_eq!(case.calls(), 0);
    ask("LOKI_DONE_RECOGNITION", "").exits(0);
}

#[test]
fn a_profile_knows_its_own_priors() {
    for prior in [
        ".loki/signals/COMPLETION_REQUESTED",
        ".loki/state/completion.json",
        ".loki/checklist/checklist.json",
    ] {
        let case = Case::new();
        case.project.remove("prior.json");
        not_asked(&case, "--profile loki", "never_completed");
        case.project.write(prior, "{}");
        not_asked(&case, "", "never_completed");
        case.answer("answer", "--profile loki", 0, "");
    }
}

#[test]
fn requests_that_cannot_be_meant() {
    let case = Case::new();
    let ask = |words: &str| case.project.verify(words);
    ask("recognize --spec NONE.md --action reuse --judge true --prior prior.json").exits(2);
    ask("recognize --spec SPEC.md --judge true").exits(2);
    ask("recognize --spec SPEC.md --action other --judge true").exits(2);
    ask("recognize --spec SPEC.md --action reuse --judge true --timeout soon").exits(2);
    case.project.write("verify.toml", "broken");
    case.answer_code("answer", 2);
}

impl Case {
    #[track_caller]
    fn answer_code(&self, part: &str, code: i32) {
        self.ask(part, "").exits(code);
        assert_eq!(self.calls(), 0);
    }
}

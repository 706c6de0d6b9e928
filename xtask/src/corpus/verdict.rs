//! Red and green by a second reading of their rules, from what is true of a run and not from what was read in its
//! output. It shares no line with `redgreen::judge`, so that a mistake in one shows as a difference.
//!
//! Any assertion will do as red, and skips count as approved.

use super::recording::{TrueCase, TrueProblem};

/// What the rules look at.
pub(super) struct Facts<'t> {
    /// `None`: a signal ended the process.
    pub(super) exit_code: Option<i32>,
    pub(super) complete: bool,
    pub(super) cases: &'t [TrueCase],
    pub(super) problems: &'t [TrueProblem],
    pub(super) plan_mismatch: bool,
    pub(super) contradiction: bool,
}

/// The run failed, by itself and to its end, and all that failed is assertions.
pub(super) fn red(facts: &Facts<'_>) -> bool {
    let failed_run = facts.exit_code.is_some_and(|code| code != 0);
    let whole = facts.complete && !facts.plan_mismatch && facts.problems.is_empty();
    let failures: Vec<&str> = facts
        .cases
        .iter()
        .filter(|case| case.status == "failed" || case.status == "errored")
        .flat_map(|case| case.kinds.iter().map(String::as_str))
        .collect();
    let only_assertions = failures.iter().all(|kind| *kind == "assertion");
    let no_errors = !facts.cases.iter().any(|case| case.status == "errored");
    failed_run && whole && no_errors && !failures.is_empty() && only_assertions
}

/// The run ended well, by itself and to its end; a test passed, and none did worse than to be skipped.
pub(super) fn green(facts: &Facts<'_>) -> bool {
    let passed = facts.cases.iter().any(|case| case.status == "passed");
    let bad = facts.cases.iter().any(|case| case.status == "failed" || case.status == "errored");
    facts.exit_code == Some(0)
        && facts.complete
        && facts.problems.is_empty()
        && passed
        && !bad
        && !facts.plan_mismatch
        && !facts.contradiction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(exit_code: i32, cases: &[(&str, &str)], problems: &[&str], verdicts: (bool, bool)) {
        let case = |(status, kinds): &(&str, &str)| TrueCase {
            id: "a".to_owned(),
            status: (*status).to_owned(),
            kinds: kinds.split('+').filter(|kind| !kind.is_empty()).map(str::to_owned).collect(),
            also_kinds: Vec::new(),
            visible: true,
        };
        let problem = |kind: &&str| TrueProblem {
            kind: (*kind).to_owned(),
            subject: None,
            also_kinds: Vec::new(),
            optional: false,
        };
        let cases: Vec<_> = cases.iter().map(case).collect();
        let problems: Vec<_> = problems.iter().map(problem).collect();
        let mut facts = Facts {
            exit_code: Some(exit_code),
            complete: true,
            cases: &cases,
            problems: &problems,
            plan_mismatch: false,
            contradiction: false,
        };
        assert_eq!((red(&facts), green(&facts)), verdicts);
        let changes: [fn(&mut Facts<'_>); 3] = [
            |facts| facts.complete = false,
            |facts| facts.plan_mismatch = true,
            |facts| facts.exit_code = None,
        ];
        for change in changes {
            let before = (facts.exit_code, facts.complete, facts.plan_mismatch);
            change(&mut facts);
            assert_eq!((red(&facts), green(&facts)), (false, false));
            (facts.exit_code, facts.complete, facts.plan_mismatch) = before;
        }
    }

    #[test]
    fn red_is_assertions_and_nothing_worse() {
        check(1, &[("failed", "assertion"), ("passed", "")], &[], (true, false));
        check(0, &[("failed", "assertion")], &[], (false, false));
        check(1, &[("failed", "assertion"), ("failed", "exception")], &[], (false, false));
        check(1, &[("failed", "assertion+teardown")], &[], (false, false));
        check(1, &[("failed", "assertion"), ("errored", "setup")], &[], (false, false));
        check(1, &[("failed", "assertion")], &["import"], (false, false));
        check(1, &[("failed", "assertion"), ("failed", "")], &[], (true, false));
        check(1, &[("failed", "")], &[], (false, false));
    }

    #[test]
    fn green_is_a_pass_and_nothing_failed() {
        check(0, &[("passed", ""), ("skipped", ""), ("xpassed", "")], &[], (false, true));
        check(0, &[("skipped", "")], &[], (false, false));
        check(1, &[("passed", "")], &[], (false, false));
        check(0, &[("passed", "")], &["interrupted"], (false, false));
    }
}

//! Collects what a judge finds.

use std::collections::HashMap;

use super::{Code, Note, Problem, Verdict};
use crate::plan::Phase;

/// How many problems, or notes, of one code are spelled out. A suite in which thousands of tests fail says the same
/// thing thousands of times; the rest is one sentence with their number.
const SPELLED_OUT: usize = 20;

/// The problems and notes of one verdict, in the order in which they were found.
#[derive(Debug, Default)]
pub(super) struct Findings {
    problems: List,
    notes: List,
}

#[derive(Debug, Default)]
struct List {
    said: Vec<Problem>,
    count: HashMap<Code, usize>,
}

impl Findings {
    /// Adds a reason to reject. The sentence is only built while it will be shown.
    pub(super) fn reject(&mut self, code: Code, say: impl FnOnce() -> Problem) {
        self.problems.add(code, say);
    }

    /// Adds something worth knowing.
    pub(super) fn note(&mut self, code: Code, say: impl FnOnce() -> Note) {
        self.notes.add(code, say);
    }

    /// Whether there is no reason to reject yet.
    pub(super) fn accepted(&self) -> bool {
        self.problems.said.is_empty()
    }

    /// Takes over the problems of another collection.
    pub(super) fn take_problems(&mut self, other: Self) {
        self.problems.take(other.problems);
    }

    /// Ends the collection: problems, then notes.
    pub(super) fn into_parts(self) -> (Vec<Problem>, Vec<Note>) {
        (self.problems.end(), self.notes.end())
    }

    /// Ends the collection as a verdict.
    pub(super) fn into_verdict(self, phase: Phase) -> Verdict {
        let (problems, notes) = self.into_parts();
        Verdict { phase, problems, notes }
    }
}

impl List {
    fn add(&mut self, code: Code, say: impl FnOnce() -> Problem) {
        let count = self.count.entry(code).or_default();
        if *count < SPELLED_OUT {
            let problem = say();
            if self.said.contains(&problem) {
                return;
            }
            self.said.push(problem);
        }
        *count += 1;
    }

    fn take(&mut self, other: Self) {
        let List { said, mut count } = other;
        for problem in said {
            if let Some(count) = count.get_mut(&problem.code) {
                *count -= 1;
            }
            self.add(problem.code, || problem);
        }
        for (code, unsaid) in count {
            *self.count.entry(code).or_default() += unsaid;
        }
    }

    fn end(mut self) -> Vec<Problem> {
        let mut rest: Vec<(Code, usize)> = self.count.into_iter().collect();
        rest.sort_unstable();
        for (code, count) in rest {
            let said = self.said.iter().filter(|problem| problem.code == code).count();
            if count > said {
                self.said.push(Problem::new(code, format!("and {} more of this kind", count - said)));
            }
        }
        self.said
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(count: usize) -> Findings {
        let mut findings = Findings::default();
        for n in 0..count {
            findings
                .reject(Code::CaseFailed, || Problem::new(Code::CaseFailed, format!("`test_{n}` failed")));
        }
        findings
    }

    #[track_caller]
    fn check(findings: Findings, problems: usize, last: &str) {
        let verdict = findings.into_verdict(Phase::Green);
        assert_eq!(verdict.problems.len(), problems);
        assert_eq!(verdict.problems.last().map(|problem| problem.message.as_str()), Some(last));
    }

    #[test]
    fn the_rest_is_one_sentence_with_its_number() {
        check(found(20), 20, "`test_19` failed");
        check(found(21), 21, "and 1 more of this kind");
        check(found(5_000), 21, "and 4980 more of this kind");
    }

    #[test]
    fn collections_add_up_and_keep_their_numbers() {
        let mut both = found(15);
        let mut other = Findings::default();
        for n in 100..130 {
            other.reject(Code::CaseFailed, || Problem::new(Code::CaseFailed, format!("`test_{n}` failed")));
        }
        both.take_problems(other);
        check(both, 21, "and 25 more of this kind");
    }

    #[test]
    fn the_same_problem_is_said_once() {
        let mut findings = found(2);
        findings.take_problems(found(2));
        check(findings, 2, "`test_1` failed");
    }
}

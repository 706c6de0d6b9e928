//! The counts that a suite claims, beside what stands in it.

use crate::Status;
use crate::xml::Element;

/// How many of each a suite has.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    /// `testcase` elements, each try of a test one.
    pub(super) tries: u64,
    /// Tests.
    pub(super) cases: u64,
    /// Tests and elements that say that a test failed.
    pub(super) failed: Twice,
    pub(super) errored: Twice,
    /// Tests that were skipped, or failed as expected.
    pub(super) skipped: u64,
}

/// A number of tests and a number of elements: writers count one or the other.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Twice {
    pub(super) cases: u64,
    pub(super) elements: u64,
}

impl Twice {
    fn add(&mut self, other: Self) {
        self.cases += other.cases;
        self.elements += other.elements;
    }

    fn is(self, claim: u64) -> bool {
        claim == self.cases || claim == self.elements
    }
}

impl Counts {
    /// Counts a test of this status, or takes it back.
    pub(super) fn count(&mut self, status: Status, by: i64) {
        let add = |to: &mut u64| *to = to.saturating_add_signed(by);
        add(&mut self.cases);
        match status {
            Status::Failed => add(&mut self.failed.cases),
            Status::Errored => add(&mut self.errored.cases),
            Status::Skipped | Status::Todo | Status::Xfailed => add(&mut self.skipped),
            Status::Passed | Status::Xpassed => {}
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.tries += other.tries;
        self.cases += other.cases;
        self.failed.add(other.failed);
        self.errored.add(other.errored);
        self.skipped += other.skipped;
    }
}

/// The counts that an element claims in its attributes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Claims {
    pub(super) tests: Option<u64>,
    pub(super) failed: Option<u64>,
    pub(super) errored: Option<u64>,
    pub(super) skipped: Option<u64>,
}

impl Claims {
    pub(super) fn of(element: &Element<'_>) -> Self {
        let first = |keys: &[&str]| keys.iter().find_map(|key| element.count(key));
        // GoogleTest, CTest and others count what is disabled apart from what was skipped.
        let skipped = first(&["skipped", "skip", "skips", "ignored"]);
        let disabled = element.count("disabled");
        Self {
            tests: element.count("tests"),
            failed: first(&["failures", "failed"]),
            errored: element.count("errors"),
            skipped: skipped.or(disabled).map(|_| skipped.unwrap_or(0).saturating_add(disabled.unwrap_or(0))),
        }
    }

    /// These claims, and where there is none those of the suites within.
    pub(super) fn or(self, within: Self) -> Self {
        Self {
            tests: self.tests.or(within.tests),
            failed: self.failed.or(within.failed),
            errored: self.errored.or(within.errored),
            skipped: self.skipped.or(within.skipped),
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        let sum = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (None, None) => None,
            (one, other) => Some(one.unwrap_or(0).saturating_add(other.unwrap_or(0))),
        };
        self.tests = sum(self.tests, other.tests);
        self.failed = sum(self.failed, other.failed);
        self.errored = sum(self.errored, other.errored);
        self.skipped = sum(self.skipped, other.skipped);
    }

    /// What of this doesn't fit what stands in the suite: neither in it alone nor with the suites within.
    pub(super) fn contradiction(self, own: &Counts, all: &Counts) -> Option<String> {
        let tests = |counts: &Counts, claim: u64| claim == counts.cases || claim == counts.tries;
        let wrong = [
            (self.tests, "tests", tests as fn(&Counts, u64) -> bool, all.tries),
            (self.failed, "failures", |counts, claim| counts.failed.is(claim), all.failed.cases),
            (self.errored, "errors", |counts, claim| counts.errored.is(claim), all.errored.cases),
            (self.skipped, "skipped", |counts, claim| counts.skipped == claim, all.skipped),
        ];
        let wrong = wrong.into_iter().filter_map(|(claim, word, fits, there)| {
            let claim = claim.filter(|claim| !fits(own, *claim) && !fits(all, *claim))?;
            Some(format!("{claim} {word}, and {there} stand there"))
        });
        wrong.reduce(|all, one| format!("{all}; {one}"))
    }
}

//! The tries of a test: elements that are a case together, and those of which nothing is to be said by itself.

use std::hash::{Hash, Hasher};

use super::case::{OpenCase, Outcome};
use super::document::Documents;
use crate::{CaseKey, Lines, Status};

/// The case before, which may be an earlier try of the next.
#[derive(Clone, Copy)]
pub(super) struct Last {
    pub(super) key: CaseKey,
    pub(super) status: Status,
}

impl Documents {
    pub(super) fn is_same(&self, key: CaseKey, case: &OpenCase) -> bool {
        self.report.cases.get(key).is_some_and(|last| last.id() == self.id) && self.last_file == case.file
    }

    /// Another try of the case before; or, where a teardown has an element of its own, the rest of the same.
    pub(super) fn try_again(
        &mut self,
        before: Last,
        case: &mut OpenCase,
        status: Status,
        lines: Lines,
        torn_down: bool,
    ) {
        self.uncount(before.status);
        self.count(status);
        let cases = &mut self.report.cases;
        let first = cases.get(before.key).map_or(lines.first, |case| case.lines().first);
        cases.set_lines(before.key, Lines::new(first, lines.last));
        cases.set_status(before.key, status);
        if torn_down && before.status != Status::Skipped {
            return;
        }
        cases.clear_failures(before.key);
        let bad = |status| matches!(status, Status::Failed | Status::Errored);
        case.flaky |= bad(before.status) && !bad(status);
        match before.status {
            Status::Failed => self.failed_tries += 1,
            Status::Errored => self.errored_tries += 1,
            _ => {}
        }
    }

    /// Of a test of Go that failed only because a subtest did, nothing failed by itself. gotestsum lists it after its
    /// subtests, go-junit-report before them.
    pub(super) fn go(&mut self, case: &mut OpenCase) {
        if !case.name.starts_with("Test") {
            return;
        }
        for (at, _) in case.name.match_indices('/') {
            let parent = format!("{}.{}", case.class, case.name.get(..at).unwrap_or(""));
            if let Some(key) = self.go_silent.remove(&parent) {
                self.report.cases.clear_failures(key);
            }
            self.go_parents.insert(parent);
        }
        let says_nothing = |outcome: &Outcome| {
            let mut lines = outcome.text.lines().map(str::trim_start).filter(|line| !line.is_empty());
            outcome.message.as_deref().is_none_or(|message| message == "Failed")
                && lines.all(|line| line.starts_with("=== ") || line.starts_with("--- FAIL: "))
        };
        if !case.failures.iter().all(says_nothing) {
            return;
        }
        let id = format!("{}.{}", case.class, case.name);
        if self.go_parents.contains(&id) {
            case.failures.clear();
        } else {
            // It is the next case that is pushed.
            self.go_silent.insert(id, self.report.cases.next_key());
        }
    }
}

/// Stands for class, name and file.
pub(super) fn same(case: &OpenCase) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    (&case.class, &case.name, &case.file).hash(&mut hasher);
    hasher.finish()
}

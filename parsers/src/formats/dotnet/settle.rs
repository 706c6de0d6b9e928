//! From all that was read to a report.

use std::collections::HashMap;

use super::{Dotnet, claims, platform};
use crate::{
    CaseKey, Cases, Completeness, Failure, Kind, Lines, NewCase, NoteCode, Problem, Report, Runner, Status,
    Totals,
};

/// How long the test's own name is at the end of what the console prints: what stands before is its class.
pub(crate) fn own_name(id: &str) -> usize {
    Classes::default().own_name(id)
}

/// The same for rows that follow each other, of which most have the class of the one before.
///
/// Invariant: `last` is empty or such a class, so that what is told of a name doesn't depend on those before.
#[derive(Debug, Default)]
pub(super) struct Classes {
    last: Vec<u8>,
}

impl Classes {
    pub(super) fn own_name(&mut self, id: &str) -> usize {
        let bytes = id.as_bytes();
        let end = memchr::memchr2(b'(', b' ', bytes).unwrap_or(bytes.len());
        let at = bytes.get(..end).and_then(|path| memchr::memrchr(b'.', path)).unwrap_or(0);
        let class = bytes.get(..at).filter(|class| !class.is_empty() && at + 1 < bytes.len());
        match class {
            Some(class) if class == self.last => {}
            Some(class) if is_path(class) => {
                self.last.clear();
                self.last.extend_from_slice(class);
            }
            _ => return bytes.len(),
        }
        bytes.len() - at - 1
    }
}

/// Names with full stops between, and with `+` between a class and one within it.
fn is_path(text: &[u8]) -> bool {
    let mut starts = true;
    for byte in text {
        starts = match byte {
            b'.' | b'+' if starts => return false,
            b'.' | b'+' => true,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => false,
            b'0'..=b'9' | b'`' | b'<' | b'>' | b',' | b'[' | b']' if !starts => false,
            _ => return false,
        };
    }
    !starts
}

impl Dotnet {
    pub(super) fn settle(&mut self) -> Report {
        let mut report = Report::empty(self.format);
        let mut claims = std::mem::take(&mut self.claims);
        let mut host = std::mem::take(&mut self.host);
        claims.empty = host.empty_assemblies;
        report.spans = claims.spans();
        let has_begun = claims.has_begun() || self.own.speaks;
        let running = claims.vstest_runs();
        let built: Vec<(String, String)> = claims.built().into_iter().zip(claims.paths()).collect();
        let matched = claims.has_matched();
        let settled = claims.settle();
        report.totals = totals(&settled.list);
        let numbered = settled.list.last().map(|claim| Lines::one(claim.line));
        report.cases = std::mem::take(&mut self.cases);
        self.drop_doubtful(&mut report, settled.complete, running);
        self.add_told(&mut report);
        let ran = !report.cases.is_empty() || !settled.list.is_empty();
        report.completeness = match (settled.complete, ran || has_begun || host.has_died()) {
            (true, _) => Completeness::Complete,
            (false, true) => Completeness::Truncated,
            (false, false) => Completeness::Empty,
        };
        report.problems = std::mem::take(&mut self.build).problems(&built, has_begun);
        let broken_build = !report.problems.is_empty();
        let failed = report.totals.failed.unwrap_or(0) > 0;
        host.forget_hooks_of(&report.cases);
        let mut told = host.problems(settled.complete, ran, has_begun, matched);
        if broken_build {
            told.retain(|problem| problem.kind != Kind::Startup);
        }
        report.problems.append(&mut told);
        let startup = report.problems.iter().any(|problem| problem.kind == Kind::Startup);
        for exit in &self.exits {
            report.problems.extend(platform::problem(exit, failed));
        }
        if let Some((code, line)) = self.platform.exit
            && report.problems.is_empty()
            && settled.complete
        {
            let exit = super::host::Exit { module: String::new(), code, lines: Lines::one(line) };
            report.problems.extend(platform::problem(&exit, failed));
        }
        let nothing = settled.complete
            && report.problems.is_empty()
            && !startup
            && [report.totals.passed, report.totals.failed, report.totals.skipped]
                .into_iter()
                .flatten()
                .all(|count| count == 0)
            && report.cases.is_empty()
            && !settled.hidden;
        if settled.hidden {
            report.note(NoteCode::NamesHidden, "this console names and counts no test that passed", numbered);
        }
        if nothing {
            report.problems.push(Problem::no_tests_ran(numbered.unwrap_or(Lines::one(1))));
        }
        if report.completeness == Completeness::Complete {
            self.notes(&mut report, numbered);
        }
        report.runner = Runner { name: self.format.word().to_owned(), version: self.version.take() };
        report
    }

    /// Rows that are part of a message are none of their own. Where the numbers tell how many there were they decide.
    fn drop_doubtful(&mut self, report: &mut Report, complete: bool, running: usize) {
        let mut drop: Vec<CaseKey> = Vec::new();
        for status in [Status::Passed, Status::Failed, Status::Skipped] {
            let named = report.cases.count(status);
            let listed = if status == Status::Failed { named + self.hooks_failed } else { named };
            let claimed = match status {
                Status::Passed => report.totals.passed,
                Status::Failed => report.totals.failed,
                _ => report.totals.skipped,
            };
            let of = |key: &CaseKey| report.cases.get(*key).is_some_and(|case| case.status() == status);
            if !complete {
                if running == 1 {
                    drop.extend(self.doubtful.iter().copied().filter(of));
                }
                continue;
            }
            // A number that is left out is none.
            let claimed = claimed.unwrap_or(if report.totals == Totals::default() { listed } else { 0 });
            let mut surplus = usize::try_from(listed.saturating_sub(claimed)).unwrap_or(0);
            if surplus == 0 {
                continue;
            }
            let doubtful = self.doubtful.iter().chain(&self.suspect).copied().filter(of);
            let parents = parents(&report.cases, status).into_iter();
            let twins = twins(&report.cases, status).into_iter().filter(|_| status != Status::Skipped);
            for key in doubtful.chain(parents).chain(twins) {
                if surplus > 0 && !drop.contains(&key) {
                    drop.push(key);
                    surplus -= 1;
                }
            }
        }
        if !drop.is_empty() {
            report.cases = without(&report.cases, &drop);
        }
    }

    /// A quiet console leaves it to xunit to name what failed.
    fn add_told(&mut self, report: &mut Report) {
        let told = std::mem::take(&mut self.told);
        let short = |status, claimed: Option<u64>, cases: &Cases| claimed.unwrap_or(0) > cases.count(status);
        let failed = short(Status::Failed, report.totals.failed, &report.cases);
        let skipped = short(Status::Skipped, report.totals.skipped, &report.cases);
        for (name, status, line) in told {
            let wanted = if status == Status::Failed { failed } else { skipped };
            if !wanted || report.cases.find(&name).is_some() {
                continue;
            }
            let lines = Lines::one(line);
            let case = NewCase { id: &name, name_len: own_name(&name), status, lines };
            let key = report.cases.push(case, |class| vec![class.trim_end_matches('.').to_owned()]);
            if status == Status::Failed {
                let kind = Kind::Unknown;
                let failure = Failure { kind, error: None, message: None, file: None, line: None, lines };
                report.cases.add_failure(key, failure);
            }
        }
    }

    fn notes(&self, report: &mut Report, lines: Option<Lines>) {
        let failed = report.cases.count(Status::Failed) + self.hooks_failed;
        let claimed = report.totals.failed.unwrap_or(0);
        if failed > claimed || failed > 0 && failed < claimed {
            let message = format!("the summary says {claimed} failed, {failed} are named");
            report.note(NoteCode::TotalsMismatch, message, lines);
        }
        if let Some(claimed) = report.totals.passed {
            let passed = report.cases.count(Status::Passed);
            if passed > claimed {
                let message = format!("the summary says {claimed} passed, {passed} are named");
                report.note(NoteCode::TotalsMismatch, message, lines);
            }
        }
    }
}

/// The sum of what is claimed; a word that none of them states is left out.
fn totals(claims: &[claims::Claim]) -> Totals {
    let mut totals = Totals::default();
    let add = |sum: &mut Option<u64>, count: Option<u64>| {
        if let Some(count) = count {
            *sum = Some(sum.unwrap_or(0).saturating_add(count));
        }
    };
    for claim in claims {
        let [failed, passed, skipped] = claim.counts;
        add(&mut totals.failed, failed);
        add(&mut totals.passed, passed);
        add(&mut totals.skipped, skipped);
        add(&mut totals.errored, claim.errored);
    }
    totals
}

/// Cases of this status whose name another, later one has too, in order.
fn twins(cases: &Cases, status: Status) -> Vec<CaseKey> {
    let mut last: HashMap<&str, CaseKey> = HashMap::new();
    for key in cases.keys() {
        if let Some(case) = cases.get(key) {
            last.insert(case.id(), key);
        }
    }
    let is_earlier = |key: &CaseKey| {
        cases.get(*key).is_some_and(|case| case.status() == status && last.get(case.id()) != Some(key))
    };
    cases.keys().filter(is_earlier).collect()
}

/// Rows for all the data of a test, which MSTest before 2.0 prints above those of each, in order.
fn parents(cases: &Cases, status: Status) -> Vec<CaseKey> {
    let next = cases.keys().skip(1);
    let is_parent = |(key, next): &(CaseKey, CaseKey)| {
        let (Some(case), Some(next)) = (cases.get(*key), cases.get(*next)) else { return false };
        let told = case.failures().iter().any(|failure| failure.kind != Kind::Unknown);
        let of_data = next.id().strip_prefix(case.id()).is_some_and(|rest| rest.starts_with(" ("));
        case.status() == status && !told && (of_data || status == Status::Failed)
    };
    cases.keys().zip(next).filter(is_parent).map(|(key, _)| key).collect()
}

/// The table without some of its cases.
fn without(cases: &Cases, drop: &[CaseKey]) -> Cases {
    let drop: std::collections::HashSet<CaseKey> = drop.iter().copied().collect();
    let mut kept = Cases::default();
    for (_, case) in cases.keys().zip(cases.iter()).filter(|(key, _)| !drop.contains(key)) {
        let new = NewCase {
            id: case.id(),
            name_len: case.name().len(),
            status: case.status(),
            lines: case.lines(),
        };
        let key = kept.push_with_suite(new, case.suite());
        if let Some(seconds) = case.duration_seconds() {
            kept.set_duration(key, seconds);
        }
        if let Some(reason) = case.reason() {
            kept.set_reason(key, reason);
        }
        for failure in case.failures() {
            kept.add_failure(key, failure.clone());
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_the_class_that_it_has_alone() {
        let mut classes = Classes::default();
        let ids = [
            "N.C.Adds",
            "N.C.Sells",
            "N.C",
            "N.C.Adds(x: 1.5)",
            "N.C2.Adds",
            "N..C.Adds",
            "N.C.",
            "Adds",
            "N.C.a b.c",
            ".Adds",
            "",
            "N.C.Adds",
            "N.1.Adds",
            "N.C.Adds",
        ];
        for id in ids {
            assert_eq!(classes.own_name(id), own_name(id), "{id}");
        }
        assert_eq!(ids.map(own_name)[..6], [4, 5, 1, 12, 4, 9]);
    }
}

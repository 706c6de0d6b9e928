//! Between the JSON of records and what judges work with.

use std::collections::BTreeMap;

use redgreen_parsers as parsers;
use redgreen_parsers::{Format, NewCase, NoteCode};

use super::wire::{
    self, Frozen, FrozenCheck, FrozenEntry, FrozenRole, IgnoreText, InventoryCase, TaskNumber, tag,
};
use crate::digest::Sha256;
use crate::judge::{self, FrozenFiles, FrozenSet, Influences};
use crate::observe::facts::{FileMap, IgnoreRules, Timestamp};

impl Frozen {
    /// The frozen set of a task as a document.
    #[must_use]
    pub fn new(
        task: TaskNumber,
        at: Timestamp,
        plan_sha256: Sha256,
        checks: Vec<FrozenCheck>,
        set: &FrozenSet,
    ) -> Self {
        let files = set.repositories.iter().map(|(id, entries)| {
            let tests = entries.iter().map(|entry| FrozenEntry::new(entry, FrozenRole::Test));
            let influence = set.influence.get(id).into_iter().flatten().map(FrozenEntry::from);
            (id.clone(), tests.chain(influence).collect())
        });
        let inventory = set.inventory.iter().map(InventoryCase::from).collect();
        Self { schema: tag::Frozen::V1, task, at, plan_sha256, checks, files: files.collect(), inventory }
    }

    /// The set that judges compare with. `None`: an entry of it can't be read.
    #[must_use]
    pub fn set(&self) -> Option<FrozenSet> {
        let (mut repositories, mut influence) = (FrozenFiles::new(), Influences::new());
        for (id, entries) in &self.files {
            let (tests, others): (Vec<_>, Vec<_>) =
                entries.iter().partition(|entry| entry.role == FrozenRole::Test);
            let tests = tests.into_iter().map(FrozenEntry::entry).collect::<Option<Vec<_>>>()?;
            repositories.insert(id.clone(), tests);
            let others = others.into_iter().map(FrozenEntry::influence).collect::<Option<Vec<_>>>()?;
            influence.insert(id.clone(), others);
        }
        let inventory = self.inventory.iter().map(judge::InventoryCase::from).collect();
        Some(FrozenSet { repositories, influence, inventory })
    }
}

impl From<&judge::InventoryCase> for InventoryCase {
    fn from(case: &judge::InventoryCase) -> Self {
        Self {
            check: case.check.clone(),
            id: case.id.clone(),
            id_sha256: case.id_sha256,
            test: case.test.clone(),
            kind: Some(case.kind.into()),
            file: case.file.clone(),
        }
    }
}

impl From<&InventoryCase> for judge::InventoryCase {
    fn from(case: &InventoryCase) -> Self {
        Self {
            check: case.check.clone(),
            id: case.id.clone(),
            id_sha256: case.id_sha256,
            test: case.test.clone(),
            kind: case.kind.map_or(parsers::Kind::Unknown, Into::into),
            file: case.file.clone(),
        }
    }
}

impl wire::Baseline {
    /// What judges compare with. `None`: a path of it can't be read.
    #[must_use]
    pub fn facts(&self, map: FileMap) -> Option<judge::BaselineFacts> {
        let preexisting = self.preexisting.iter().map(|change| {
            Some(judge::Preexisting {
                path: change.path_bytes()?,
                sha256: change.sha256,
                adopted: change.adopted,
            })
        });
        Some(judge::BaselineFacts {
            map,
            git: self.git_facts(),
            nested: self
                .nested
                .iter()
                .map(|path| wire::PathText::bytes(&path.path, path.path_hex.as_deref()))
                .collect::<Option<Vec<_>>>()?,
            preexisting: preexisting.collect::<Option<Vec<_>>>()?,
        })
    }
}

impl wire::Task {
    /// The ignore rules of the baseline, by repository. `None`: one can't be read.
    #[must_use]
    pub fn ignore_rules(&self) -> Option<BTreeMap<String, IgnoreRules>> {
        self.baseline.iter().map(|(id, baseline)| Some((id.clone(), baseline.ignore_rules()?))).collect()
    }
}

/// The ignore rules as a document keeps them.
#[must_use]
pub fn ignore_texts(rules: &IgnoreRules) -> Vec<IgnoreText> {
    rules.iter().map(IgnoreText::from).collect()
}

impl wire::Report {
    /// The report as the parsers gave it. `None`: this version has no parser for its format.
    #[must_use]
    pub fn report(&self) -> Option<parsers::Report> {
        let mut report = parsers::Report::empty(Format::find(&self.format)?);
        report.runner =
            parsers::Runner { name: self.runner.name.clone(), version: self.runner.version.clone() };
        report.completeness = self.completeness.into();
        report.totals = (&self.totals).into();
        for case in &self.cases {
            let key = report.cases.push_with_suite(
                NewCase {
                    id: &case.id,
                    name_len: case.name.len(),
                    status: case.status.into(),
                    lines: case.lines.into(),
                },
                &case.suite,
            );
            for failure in &case.failures {
                report.cases.add_failure(key, failure.into());
            }
            if let Some(reason) = &case.reason {
                report.cases.set_reason(key, reason.as_str());
            }
        }
        report.problems = self.problems.iter().map(Into::into).collect();
        for note in &self.notes {
            if let Some(code) = NoteCode::ALL.iter().find(|code| code.word() == note.code) {
                report.note(*code, note.message.as_str(), note.lines.map(Into::into));
            }
        }
        report.session_lines = self.session_lines.map(Into::into);
        Some(report)
    }
}

impl From<&wire::Totals> for parsers::Totals {
    fn from(totals: &wire::Totals) -> Self {
        Self {
            passed: totals.passed,
            failed: totals.failed,
            errored: totals.errored,
            skipped: totals.skipped,
            todo: totals.todo,
            xfailed: totals.xfailed,
            xpassed: totals.xpassed,
            deselected: totals.deselected,
        }
    }
}

impl From<&wire::Failure> for parsers::Failure {
    fn from(failure: &wire::Failure) -> Self {
        Self {
            kind: failure.kind.into(),
            error: failure.error.clone(),
            message: failure.message.clone(),
            file: failure.file.clone(),
            line: failure.line,
            lines: failure.lines.into(),
        }
    }
}

impl From<&wire::ReportProblem> for parsers::Problem {
    fn from(problem: &wire::ReportProblem) -> Self {
        Self {
            kind: problem.kind.into(),
            subject: problem.subject.clone(),
            error: problem.error.clone(),
            message: problem.message.clone(),
            lines: problem.lines.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::wire::samples;

    #[test]
    fn a_report_comes_back_as_the_parsers_gave_it() {
        let report =
            samples::parsed(&[("tests::one", parsers::Status::Passed), ("two", parsers::Status::Failed)]);
        let raw = wire::raw_reports(std::slice::from_ref(&report)).unwrap();
        let read = wire::read_reports(&raw).unwrap();
        assert_eq!(read[0].report(), Some(report));
    }
}

//! The compact table of cases: names in one arena, a row of fixed size a case, details only for what has some.

use std::collections::HashMap;

use crate::index::Index;
use crate::{Failure, Lines, Status};

/// The cases of a report, in the order in which the output first named them.
///
/// A passing case costs its row (40 bytes) and its name. Two cases of one name stay two.
#[derive(Clone, Default)]
pub struct Cases {
    names: String,
    rows: Vec<Row>,
    suites: Vec<Vec<String>>,
    suite_by_prefix: HashMap<Box<str>, u32>,
    last_suite: Option<u32>,
    last_prefix: String,
    details: Vec<Detail>,
    index: Index,
}

/// Names one case of a [`Cases`] table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CaseKey(u32);

#[derive(Clone)]
struct Row {
    id_at: u64,
    id_len: u32,
    name_len: u32,
    suite: u32,
    first: u32,
    last: u32,
    duration: f32,
    detail: u32,
    status: Status,
}

const NO_DETAIL: u32 = u32::MAX;
const NO_SUITE: u32 = u32::MAX;

#[derive(Clone, Default)]
struct Detail {
    failures: Vec<Failure>,
    reason: Option<String>,
}

/// What [`Cases::push`] takes.
#[derive(Debug, Clone, Copy)]
pub struct NewCase<'a> {
    /// The runner's native name, whole.
    pub id: &'a str,
    /// How many bytes at the end of `id` are the test's own name; what stands before is its suite and a separator.
    pub name_len: usize,
    /// What became of it.
    pub status: Status,
    /// Where the output says so.
    pub lines: Lines,
}

impl Cases {
    /// Adds a case. `split` cuts what stands before the name, separator included, into the parts of its suite; it is
    /// called once for each new prefix.
    pub fn push(&mut self, case: NewCase<'_>, split: impl FnOnce(&str) -> Vec<String>) -> CaseKey {
        let name_len = case.name_len.min(case.id.len());
        let prefix = case.id.get(..case.id.len() - name_len).unwrap_or("");
        let suite = self.suite(prefix, split);
        self.push_in(case, suite)
    }

    /// Adds a case whose suite can't be cut out of its id.
    pub fn push_with_suite(&mut self, case: NewCase<'_>, suite: &[String]) -> CaseKey {
        let suite = self.suite_of(suite);
        self.push_in(case, suite)
    }

    fn suite_of(&mut self, suite: &[String]) -> u32 {
        if suite.is_empty() {
            return NO_SUITE;
        }
        let mut key = String::from("\0");
        for part in suite {
            key.push_str(part);
            key.push('\0');
        }
        self.suite(&key, |_| suite.to_vec())
    }

    /// Adds a case of another table, with all that is known of it.
    pub fn push_copy(&mut self, case: &Case<'_>) -> CaseKey {
        let (id, status, lines) = (case.id(), case.status(), case.lines());
        let new = NewCase { id, name_len: case.name().len(), status, lines };
        let key = match case.suite() {
            [] => self.push_in(new, NO_SUITE),
            suite => self.push_with_suite(new, suite),
        };
        for failure in case.failures() {
            self.add_failure(key, failure.clone());
        }
        if let Some(reason) = case.reason() {
            self.set_reason(key, reason);
        }
        if let Some(seconds) = case.duration_seconds() {
            self.set_duration(key, seconds);
        }
        key
    }

    fn push_in(&mut self, case: NewCase<'_>, suite: u32) -> CaseKey {
        let key = CaseKey(u32::try_from(self.rows.len()).unwrap_or(u32::MAX - 1));
        self.rows.push(Row {
            id_at: self.names.len() as u64,
            id_len: u32::try_from(case.id.len()).unwrap_or(u32::MAX),
            name_len: u32::try_from(case.name_len.min(case.id.len())).unwrap_or(u32::MAX),
            suite,
            first: case.lines.first,
            last: case.lines.last,
            duration: f32::NAN,
            detail: NO_DETAIL,
            status: case.status,
        });
        self.names.push_str(case.id);
        key
    }

    fn suite(&mut self, prefix: &str, split: impl FnOnce(&str) -> Vec<String>) -> u32 {
        if prefix.is_empty() {
            return NO_SUITE;
        }
        if let Some(last) = self.last_suite
            && self.last_prefix == prefix
        {
            return last;
        }
        let suite = match self.suite_by_prefix.get(prefix) {
            Some(&known) => known,
            None => {
                let new = u32::try_from(self.suites.len()).unwrap_or(NO_SUITE);
                self.suites.push(split(prefix));
                self.suite_by_prefix.insert(prefix.into(), new);
                new
            }
        };
        self.last_suite = Some(suite);
        self.last_prefix.clear();
        self.last_prefix.push_str(prefix);
        suite
    }

    /// The last case of this id. The first call builds an index, which later calls keep up to date.
    pub fn find(&mut self, id: &str) -> Option<CaseKey> {
        let Self { names, rows, index, .. } = self;
        index.find(id, rows.len(), |row| id_of(names, rows, row)).map(CaseKey)
    }

    /// How many cases there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The cases in order.
    pub fn iter(&self) -> impl Iterator<Item = Case<'_>> {
        self.rows.iter().map(|row| Case { cases: self, row })
    }

    /// The keys in order.
    pub fn keys(&self) -> impl Iterator<Item = CaseKey> + use<> {
        (0..u32::try_from(self.rows.len()).unwrap_or(u32::MAX)).map(CaseKey)
    }

    /// One case.
    #[must_use]
    pub fn get(&self, key: CaseKey) -> Option<Case<'_>> {
        self.rows.get(key.0 as usize).map(|row| Case { cases: self, row })
    }

    /// How many cases have this status.
    #[must_use]
    pub fn count(&self, status: Status) -> u64 {
        self.rows.iter().filter(|row| row.status == status).count() as u64
    }

    /// Changes what became of a case.
    pub fn set_status(&mut self, key: CaseKey, status: Status) {
        if let Some(row) = self.rows.get_mut(key.0 as usize) {
            row.status = status;
        }
    }

    /// Changes where the output speaks of a case.
    pub fn set_lines(&mut self, key: CaseKey, lines: Lines) {
        if let Some(row) = self.rows.get_mut(key.0 as usize) {
            (row.first, row.last) = (lines.first, lines.last);
        }
    }

    /// Changes the parts before a case's own name, where they are known only later.
    pub fn set_suite(&mut self, key: CaseKey, suite: &[String]) {
        let suite = self.suite_of(suite);
        if let Some(row) = self.rows.get_mut(key.0 as usize) {
            row.suite = suite;
        }
    }

    /// Says how long a case took, in seconds.
    pub fn set_duration(&mut self, key: CaseKey, seconds: f32) {
        if let Some(row) = self.rows.get_mut(key.0 as usize) {
            row.duration = seconds;
        }
    }

    /// Says why a case was skipped, or expected to fail.
    pub fn set_reason(&mut self, key: CaseKey, reason: impl Into<String>) {
        if let Some(detail) = self.detail(key) {
            detail.reason = Some(reason.into());
        }
    }

    /// Adds a failure to a case; its status stays.
    pub fn add_failure(&mut self, key: CaseKey, failure: Failure) {
        if let Some(detail) = self.detail(key) {
            detail.failures.push(failure);
        }
    }

    /// The failures of a case, to be changed in place.
    pub fn failures_mut(&mut self, key: CaseKey) -> &mut [Failure] {
        match self.rows.get(key.0 as usize) {
            Some(row) => match self.details.get_mut(row.detail as usize) {
                Some(detail) => &mut detail.failures,
                None => &mut [],
            },
            None => &mut [],
        }
    }

    /// Takes away the failures of a case, as when a later try of it counts instead.
    pub fn clear_failures(&mut self, key: CaseKey) {
        if let Some(row) = self.rows.get(key.0 as usize)
            && let Some(detail) = self.details.get_mut(row.detail as usize)
        {
            detail.failures.clear();
        }
    }

    /// Takes away the last failure of a case, as when it turns out to be that of another.
    pub(crate) fn drop_last_failure(&mut self, key: CaseKey) {
        if let Some(row) = self.rows.get(key.0 as usize)
            && let Some(detail) = self.details.get_mut(row.detail as usize)
        {
            detail.failures.pop();
        }
    }

    fn detail(&mut self, key: CaseKey) -> Option<&mut Detail> {
        let row = self.rows.get_mut(key.0 as usize)?;
        if row.detail == NO_DETAIL {
            row.detail = u32::try_from(self.details.len()).ok()?;
            self.details.push(Detail::default());
        }
        self.details.get_mut(row.detail as usize)
    }
}

/// One case of a report.
#[derive(Clone, Copy)]
pub struct Case<'a> {
    cases: &'a Cases,
    row: &'a Row,
}

impl<'a> Case<'a> {
    /// The runner's native name.
    #[must_use]
    pub fn id(&self) -> &'a str {
        slice(&self.cases.names, self.row.id_at, self.row.id_len)
    }

    /// The parts before the test's own name: file, class, describe blocks, parent tests.
    #[must_use]
    pub fn suite(&self) -> &'a [String] {
        self.cases.suites.get(self.row.suite as usize).map_or(&[], Vec::as_slice)
    }

    /// The test's own name, parameters included.
    #[must_use]
    pub fn name(&self) -> &'a str {
        let skip = self.row.id_len - self.row.name_len;
        slice(&self.cases.names, self.row.id_at + u64::from(skip), self.row.name_len)
    }

    /// What became of it.
    #[must_use]
    pub fn status(&self) -> Status {
        self.row.status
    }

    /// Why it did not pass.
    #[must_use]
    pub fn failures(&self) -> &'a [Failure] {
        self.cases.details.get(self.row.detail as usize).map_or(&[], |detail| &detail.failures)
    }

    /// Why it was skipped, or expected to fail.
    #[must_use]
    pub fn reason(&self) -> Option<&'a str> {
        self.cases.details.get(self.row.detail as usize)?.reason.as_deref()
    }

    /// How long it took, in seconds.
    #[must_use]
    pub fn duration_seconds(&self) -> Option<f32> {
        (!self.row.duration.is_nan()).then_some(self.row.duration)
    }

    /// Where the output speaks of it.
    #[must_use]
    pub fn lines(&self) -> Lines {
        Lines::new(self.row.first, self.row.last)
    }
}

impl std::fmt::Debug for Case<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Case")
            .field("id", &self.id())
            .field("status", &self.status())
            .field("failures", &self.failures())
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Cases {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl PartialEq for Cases {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self.iter().zip(other.iter()).all(|(a, b)| {
                a.id() == b.id()
                    && a.suite() == b.suite()
                    && a.name() == b.name()
                    && a.status() == b.status()
                    && a.failures() == b.failures()
                    && a.reason() == b.reason()
                    && a.lines() == b.lines()
            })
    }
}

fn slice(names: &str, at: u64, len: u32) -> &str {
    let at = usize::try_from(at).unwrap_or(usize::MAX);
    names.get(at..at.saturating_add(len as usize)).unwrap_or("")
}

fn id_of<'a>(names: &'a str, rows: &[Row], row: u32) -> &'a str {
    rows.get(row as usize).map_or("", |row| slice(names, row.id_at, row.id_len))
}

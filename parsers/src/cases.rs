//! The compact table of cases: names in one arena, a row of fixed size a case, details only for what has some.

mod case;

use std::collections::HashMap;

pub use case::Case;

use crate::chunked::{Column, End, Rows, Text};
use crate::index::Index;
use crate::{Failure, Lines, Status};

/// The cases of a report, in the order in which the output first named them.
///
/// A passing case costs its row (16 bytes), its name, and its time (4 bytes) if the runner tells it. Two cases of one name
/// stay two.
#[derive(Clone)]
pub struct Cases {
    names: Text,
    rows: Rows<Row>,
    /// In seconds; not a number where no time is told.
    durations: Column<f32>,
    /// Which of the details is a row's.
    detail_of: Column<u32>,
    /// How many rows have each status.
    counts: [u64; Status::COUNT],
    suites: Vec<Suite>,
    suite_by_prefix: HashMap<Box<str>, u32>,
    last_suite: Option<u32>,
    last_prefix: String,
    details: Vec<Detail>,
    index: Index,
}

impl Default for Cases {
    fn default() -> Self {
        Self {
            names: Text::default(),
            rows: Rows::default(),
            durations: Column::new(f32::NAN),
            detail_of: Column::new(NO_DETAIL),
            counts: [0; Status::COUNT],
            suites: Vec::new(),
            suite_by_prefix: HashMap::new(),
            last_suite: None,
            last_prefix: String::new(),
            details: Vec::new(),
            index: Index::default(),
        }
    }
}

/// Names one case of a [`Cases`] table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CaseKey(u32);

/// The memory that a case takes is what limits the speed of dense output, so that nothing here stands twice.
#[derive(Clone)]
struct Row {
    /// Where its id ends among the names: in which chunk, and where there.
    id_chunk: u16,
    id_end: u32,
    status: Status,
    /// How many lines there are between the first and the last; of `LONG_SPAN` the detail tells the last.
    span: u8,
    first: u32,
    suite: u32,
}

const _: () = assert!(size_of::<Row>() == 16);

const LONG_SPAN: u8 = u8::MAX;
const NO_DETAIL: u32 = u32::MAX;
const NO_SUITE: u32 = u32::MAX;

#[derive(Clone, Default)]
struct Suite {
    parts: Vec<String>,
    /// How many bytes of the ids in it stand before the name.
    prefix_len: usize,
}

#[derive(Clone, Default)]
struct Detail {
    failures: Vec<Failure>,
    reason: Option<String>,
    last: u32,
}

impl Row {
    fn id_end(&self) -> End {
        End { chunk: self.id_chunk, at: self.id_end }
    }
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

impl NewCase<'_> {
    /// How many bytes of the id stand before the name.
    fn prefix_len(&self) -> usize {
        self.id.len() - self.name_len.min(self.id.len())
    }
}

impl Cases {
    /// Adds a case. `split` cuts what stands before the name, separator included, into the parts of its suite; it is
    /// called once for each new prefix.
    #[inline]
    pub fn push(&mut self, case: NewCase<'_>, split: impl FnOnce(&str) -> Vec<String>) -> CaseKey {
        let prefix = case.id.get(..case.prefix_len()).unwrap_or("");
        let suite = self.suite(prefix, prefix.len(), split);
        self.push_in(case, suite)
    }

    /// Adds a case whose suite can't be cut out of its id.
    pub fn push_with_suite(&mut self, case: NewCase<'_>, suite: &[String]) -> CaseKey {
        let suite = self.suite_of(suite, case.prefix_len());
        self.push_in(case, suite)
    }

    fn suite_of(&mut self, suite: &[String], prefix_len: usize) -> u32 {
        if suite.is_empty() && prefix_len == 0 {
            return NO_SUITE;
        }
        let mut key = String::from("\0");
        for part in suite {
            key.push_str(part);
            key.push('\0');
        }
        key.push_str(&prefix_len.to_string());
        self.suite(&key, prefix_len, |_| suite.to_vec())
    }

    /// Adds a case of another table, with all that is known of it.
    pub fn push_copy(&mut self, case: &Case<'_>) -> CaseKey {
        let (id, status, lines) = (case.id(), case.status(), case.lines());
        let new = NewCase { id, name_len: case.name().len(), status, lines };
        let key = self.push_with_suite(new, case.suite());
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

    #[inline]
    fn push_in(&mut self, case: NewCase<'_>, suite: u32) -> CaseKey {
        let key = self.next_key();
        let id_end = self.names.push(case.id);
        self.rows.push(Row {
            id_chunk: id_end.chunk,
            id_end: id_end.at,
            status: case.status,
            span: 0,
            first: case.lines.first,
            suite,
        });
        self.count_one(case.status);
        if case.lines.last != case.lines.first {
            self.set_lines(key, case.lines);
        }
        key
    }

    /// The key of the next case that is added.
    pub(crate) fn next_key(&self) -> CaseKey {
        CaseKey(u32::try_from(self.rows.len()).unwrap_or(u32::MAX - 1))
    }

    fn count_one(&mut self, status: Status) {
        if let Some(count) = self.counts.get_mut(status as usize) {
            *count += 1;
        }
    }

    fn suite(&mut self, prefix: &str, prefix_len: usize, split: impl FnOnce(&str) -> Vec<String>) -> u32 {
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
                self.suites.push(Suite { parts: split(prefix), prefix_len });
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
        self.rows.len() == 0
    }

    /// The cases in order.
    pub fn iter(&self) -> impl Iterator<Item = Case<'_>> {
        let mut before = End::default();
        self.rows.iter().enumerate().map(move |(at, row)| {
            let case = Case { cases: self, row, at, before };
            before = row.id_end();
            case
        })
    }

    /// The keys in order.
    pub fn keys(&self) -> impl Iterator<Item = CaseKey> + use<> {
        (0..u32::try_from(self.rows.len()).unwrap_or(u32::MAX)).map(CaseKey)
    }

    /// One case.
    #[must_use]
    pub fn get(&self, key: CaseKey) -> Option<Case<'_>> {
        let at = key.0 as usize;
        let before = id_end_before(&self.rows, key.0);
        Some(Case { cases: self, row: self.rows.get(at)?, at, before })
    }

    /// How many cases have this status.
    #[must_use]
    pub fn count(&self, status: Status) -> u64 {
        self.counts.get(status as usize).copied().unwrap_or(0)
    }

    /// Changes what became of a case.
    pub fn set_status(&mut self, key: CaseKey, status: Status) {
        let Some(row) = self.rows.get_mut(key.0 as usize) else { return };
        let before = std::mem::replace(&mut row.status, status);
        if let Some(count) = self.counts.get_mut(before as usize) {
            *count -= 1;
        }
        self.count_one(status);
    }

    /// Changes where the output speaks of a case.
    pub fn set_lines(&mut self, key: CaseKey, lines: Lines) {
        let Some(row) = self.rows.get_mut(key.0 as usize) else { return };
        row.first = lines.first;
        let span = lines.last.checked_sub(lines.first).and_then(|span| u8::try_from(span).ok());
        row.span = span.unwrap_or(LONG_SPAN);
        if row.span == LONG_SPAN
            && let Some(detail) = self.detail(key)
        {
            detail.last = lines.last;
        }
    }

    /// Changes the parts before a case's own name, where they are known only later.
    pub fn set_suite(&mut self, key: CaseKey, suite: &[String]) {
        let prefix_len = self.get(key).map_or(0, |case| case.id().len() - case.name().len());
        let suite = self.suite_of(suite, prefix_len);
        if let Some(row) = self.rows.get_mut(key.0 as usize) {
            row.suite = suite;
        }
    }

    /// Says how long a case took, in seconds.
    pub fn set_duration(&mut self, key: CaseKey, seconds: f32) {
        if (key.0 as usize) < self.rows.len() {
            self.durations.set(key.0 as usize, seconds);
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
        self.known_detail(key).map_or(&mut [], |detail| &mut detail.failures)
    }

    /// Takes away the failures of a case, as when a later try of it counts instead.
    pub fn clear_failures(&mut self, key: CaseKey) {
        if let Some(detail) = self.known_detail(key) {
            detail.failures.clear();
        }
    }

    /// Takes away the last failure of a case, as when it turns out to be that of another.
    pub(crate) fn drop_last_failure(&mut self, key: CaseKey) {
        if let Some(detail) = self.known_detail(key) {
            detail.failures.pop();
        }
    }

    fn known_detail(&mut self, key: CaseKey) -> Option<&mut Detail> {
        self.details.get_mut(self.detail_of.get(key.0 as usize) as usize)
    }

    fn detail(&mut self, key: CaseKey) -> Option<&mut Detail> {
        let at = key.0 as usize;
        self.rows.get(at)?;
        if self.detail_of.get(at) == NO_DETAIL {
            self.detail_of.set(at, u32::try_from(self.details.len()).ok()?);
            self.details.push(Detail::default());
        }
        self.known_detail(key)
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

fn id_end_before(rows: &Rows<Row>, row: u32) -> End {
    row.checked_sub(1).and_then(|before| rows.get(before as usize)).map_or(End::default(), Row::id_end)
}

fn id_of<'a>(names: &'a Text, rows: &Rows<Row>, row: u32) -> &'a str {
    rows.get(row as usize).map_or("", |found| names.get(id_end_before(rows, row), found.id_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(ids: &[(&str, usize, Lines)]) -> Cases {
        let mut cases = Cases::default();
        for (id, name_len, lines) in ids {
            let case = NewCase { id, name_len: *name_len, status: Status::Passed, lines: *lines };
            cases.push(case, |prefix| vec![prefix.trim_end_matches(':').to_owned()]);
        }
        cases
    }

    #[test]
    fn a_row_gives_back_what_went_in() {
        let lines = [(1, 1), (2, 256), (3, 257), (4, 258), (5, u32::MAX), (9, 7)];
        let lines = lines.map(|(first, last)| Lines::new(first, last));
        let ids = [("a::b", 1), ("a::c", 1), ("", 0), ("d", 1), ("é::f", 9), ("a::é", 1)];
        let rows: Vec<_> =
            ids.iter().zip(lines).map(|((id, name_len), lines)| (*id, *name_len, lines)).collect();
        let cases = table(&rows);
        let read: Vec<_> = cases.iter().map(|case| (case.id(), case.lines())).collect();
        assert_eq!(read, rows.iter().map(|(id, _, lines)| (*id, *lines)).collect::<Vec<_>>());
        let by_key: Vec<_> = cases.keys().filter_map(|key| cases.get(key)).map(|case| case.id()).collect();
        assert_eq!(by_key, ids.map(|(id, _)| id));
        let names: Vec<_> = cases.iter().map(|case| (case.suite().join("/"), case.name())).collect();
        let named = [("a", "b"), ("a", "c"), ("", ""), ("", "d"), ("", "é::f"), ("", "a::é")];
        assert_eq!(names, named.map(|(suite, name)| (suite.to_owned(), name)));
    }

    #[test]
    fn a_suite_beside_the_id_keeps_the_name() {
        let mut cases = Cases::default();
        let suite = ["m".to_owned()];
        for (id, name_len) in [("x > y", 1), ("y", 1), ("x > z", 1)] {
            let case = NewCase { id, name_len, status: Status::Passed, lines: Lines::one(1) };
            cases.push_with_suite(case, &suite);
        }
        let names: Vec<_> = cases.iter().map(|case| (case.suite(), case.name())).collect();
        assert_eq!(names, [(&suite[..], "y"), (&suite, "y"), (&suite, "z")]);
    }

    #[test]
    fn counts_follow_what_becomes_of_a_case() {
        let mut cases = table(&[("a", 1, Lines::one(1)), ("b", 1, Lines::one(2))]);
        let key = cases.find("b").unwrap();
        cases.set_status(key, Status::Xpassed);
        let counts = [Status::Passed, Status::Failed, Status::Xpassed].map(|status| cases.count(status));
        assert_eq!(counts, [1, 0, 1]);
    }
}

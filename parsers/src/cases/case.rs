//! One case of a table, to read.

use super::{Cases, Detail, LONG_SPAN, Row};
use crate::chunked::End;
use crate::{Failure, Lines, Status};

/// One case of a report.
#[derive(Clone, Copy)]
pub struct Case<'a> {
    pub(super) cases: &'a Cases,
    pub(super) row: &'a Row,
    pub(super) at: usize,
    /// Where the id of the row before ends.
    pub(super) before: End,
}

impl<'a> Case<'a> {
    /// The runner's native name.
    #[must_use]
    pub fn id(&self) -> &'a str {
        self.cases.names.get(self.before, self.row.id_end())
    }

    /// The parts before the test's own name: file, class, describe blocks, parent tests.
    #[must_use]
    pub fn suite(&self) -> &'a [String] {
        self.cases.suites.get(self.row.suite as usize).map_or(&[], |suite| suite.parts.as_slice())
    }

    /// The test's own name, parameters included.
    #[must_use]
    pub fn name(&self) -> &'a str {
        let suite = self.cases.suites.get(self.row.suite as usize);
        let id = self.id();
        id.get(suite.map_or(0, |suite| suite.prefix_len)..).unwrap_or(id)
    }

    /// What became of it.
    #[must_use]
    pub fn status(&self) -> Status {
        self.row.status
    }

    /// Why it did not pass.
    #[must_use]
    pub fn failures(&self) -> &'a [Failure] {
        self.detail().map_or(&[], |detail| &detail.failures)
    }

    /// Why it was skipped, or expected to fail.
    #[must_use]
    pub fn reason(&self) -> Option<&'a str> {
        self.detail()?.reason.as_deref()
    }

    /// How long it took, in seconds.
    #[must_use]
    pub fn duration_seconds(&self) -> Option<f32> {
        let seconds = self.cases.durations.get(self.at);
        (!seconds.is_nan()).then_some(seconds)
    }

    /// Where the output speaks of it.
    #[must_use]
    pub fn lines(&self) -> Lines {
        let last = match self.row.span {
            LONG_SPAN => self.detail().map(|detail| detail.last),
            span => self.row.first.checked_add(u32::from(span)),
        };
        Lines::new(self.row.first, last.unwrap_or(self.row.first))
    }

    fn detail(&self) -> Option<&'a Detail> {
        self.cases.details.get(self.cases.detail_of.get(self.at) as usize)
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

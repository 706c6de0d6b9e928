//! The instants at which a record may be cut off.

/// What is on the disk when the program goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// The transcripts.
    Transcripts,
    /// The record, under its temporary name.
    Record,
    /// What comes into place with it.
    Companions,
    /// The line that says so.
    Intent,
    /// The record, in place.
    Renamed,
    /// The frozen set, and what else comes with it.
    Bound,
    /// The line that says that it is finished.
    Done,
}

#[cfg(test)]
impl Step {
    /// Every step, in order.
    pub(super) const ALL: [Self; 7] = [
        Self::Transcripts,
        Self::Record,
        Self::Companions,
        Self::Intent,
        Self::Renamed,
        Self::Bound,
        Self::Done,
    ];
}

/// Lets a test stop a writer after a step. In the product it does nothing.
#[derive(Debug, Default)]
pub(super) struct Steps {
    #[cfg(test)]
    pub(super) stop_after: Option<Step>,
}

impl Steps {
    /// Says that a step is on the disk.
    #[cfg(test)]
    pub(super) fn reached(&self, step: Step) -> std::io::Result<()> {
        if self.stop_after == Some(step) { Err(std::io::Error::other("stopped by the test")) } else { Ok(()) }
    }

    /// Says that a step is on the disk.
    #[cfg(not(test))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "a test stops here")]
    pub(super) fn reached(&self, _: Step) -> std::io::Result<()> {
        Ok(())
    }
}

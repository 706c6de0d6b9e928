//! The words that pytest prints for results.

use crate::Status;

/// What one printed result says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Passed,
    Failed,
    Error,
    Skipped,
    Xfail,
    Xpass,
    Rerun,
}

impl Word {
    /// Reads a word as it stands in a column of its own.
    pub(super) fn read(text: &[u8]) -> Option<Self> {
        Some(match text {
            b"PASSED" => Self::Passed,
            b"FAILED" => Self::Failed,
            b"ERROR" => Self::Error,
            b"SKIPPED" => Self::Skipped,
            b"XFAIL" | b"xfail" => Self::Xfail,
            b"XPASS" | b"xpass" => Self::Xpass,
            b"RERUN" => Self::Rerun,
            _ => return None,
        })
    }

    /// Reads the word of a subtest: pytest's own, and that of pytest-subtests.
    pub(super) fn read_sub(text: &[u8]) -> Option<Self> {
        Some(match text.strip_prefix(b"SUB")? {
            b"PASSED" | b"PASS" => Self::Passed,
            b"FAILED" | b"FAIL" => Self::Failed,
            b"SKIPPED" | b"SKIP" => Self::Skipped,
            b"XFAILED" | b"XFAIL" => Self::Xfail,
            _ => return None,
        })
    }

    /// Reads the letter of a short progress line.
    pub(super) fn letter(letter: u8) -> Option<Self> {
        Some(match letter {
            b'.' => Self::Passed,
            b'F' => Self::Failed,
            b'E' => Self::Error,
            b's' => Self::Skipped,
            b'x' => Self::Xfail,
            b'X' => Self::Xpass,
            b'R' => Self::Rerun,
            _ => return None,
        })
    }

    /// What becomes of a case with this result alone. A rerun is no result.
    pub(super) fn status(self) -> Option<Status> {
        Some(match self {
            Self::Passed => Status::Passed,
            Self::Failed => Status::Failed,
            Self::Error => Status::Errored,
            Self::Skipped => Status::Skipped,
            Self::Xfail => Status::Xfailed,
            Self::Xpass => Status::Xpassed,
            Self::Rerun => return None,
        })
    }
}

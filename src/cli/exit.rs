//! Exit codes. One code never means two things.

use std::process::ExitCode;

/// How a command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// 0: accepted, read, written.
    Good,
    /// 1: rejected, stale, differs.
    Rejected,
    /// 2: the request can't be meant: a bad option, a wrong plan, no task.
    Usage,
    /// 3: the state can't be read or written, or nothing was recognised.
    State,
    /// 128 + the signal that cancelled the command.
    Cancelled(i32),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Good => Self::SUCCESS,
            Exit::Rejected => Self::from(1),
            Exit::Usage => Self::from(2),
            Exit::State => Self::from(3),
            Exit::Cancelled(signal) => Self::from(u8::try_from(128 + signal).unwrap_or(130)),
        }
    }
}

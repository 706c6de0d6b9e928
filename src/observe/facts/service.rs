//! What was seen of a service.

use std::time::Duration;

use super::Program;

/// A service that was started for checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceFacts {
    /// Its id in the plan.
    pub id: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The file that was run, where it was found.
    pub program: Option<Program>,
    /// What was seen that says that it is ready; `None`: nothing.
    pub ready: Option<String>,
    /// How long it took to be ready, or to be given up.
    pub startup: Duration,
    /// How long it ran.
    pub duration: Duration,
    /// Whether it ran until it wasn't needed any more; else it ended by itself before.
    pub lasted: bool,
    /// Processes that it left behind and that were ended after it, one sentence each.
    pub orphans: Vec<String>,
}

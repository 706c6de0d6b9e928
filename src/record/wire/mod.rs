//! The JSON of `verify`, one type a document.
//!
//! Every key is always written; what is absent is `null` or an empty list. Keys that are exceptions say so. Reading
//! passes over unknown keys, so that a record with a key more stays readable; a `schema` with a greater number is
//! refused by the reader ([`read`]).

mod check;
mod document;
mod error;
mod evidence;
mod files;
mod fingerprint;
mod frozen;
mod gate;
mod judgement;
mod lenient;
mod log;
mod page;
mod path;
mod patrol;
mod problem;
mod recognition;
mod report;
#[cfg(test)]
pub(in crate::record) mod samples;
mod status;
mod task;

pub use check::{Check, Names, Parsers, Program, Service, Sources, Witness, WitnessState, command_text};
pub use document::{Document, ReadError, read, tag, write};
pub use error::Error;
pub use evidence::{Claim, Delivery, Environment, Evidence, FilesRef, Replay, Rule, Tool};
pub use files::Files;
pub use fingerprint::Fingerprint;
pub use frozen::{Frozen, FrozenCheck, FrozenEntry, FrozenRole, InventoryCase};
pub use gate::{DeliveryGate, Gate, GateBlock, GateDetails, GateDiff, GateFile, GateTests, TestResults};
pub use judgement::{Judgement, Remark, Verdict};
pub use lenient::lenient_text;
pub use log::{LogLine, LogState};
pub use page::CodePage;
pub use path::{Change, PathText};
pub use patrol::{ClaimProblem, ClaimVerdict, Claimed, Condition, Patrol, PatrolState};
pub use problem::Problem;
pub use recognition::{Completion, JudgeAnswer, Manifest, Recognition, RequirementOut, TaskList};
pub use report::{
    Case, Completeness, Failure, Kind, Lines, Note, Report, ReportProblem, Reports, ReportsOut, Runner,
    Status as CaseStatus, Totals, raw_reports, read_reports,
};
pub use status::{Answer, BaselineStatus, CheckStatus, FrozenStatus, PlanStatus, RedStatus, Status};
pub use task::{Baseline, IgnoreText, PlanRef, Preexisting, Rebind, Task, TaskNumber};

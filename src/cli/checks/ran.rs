//! A check that ran: its verdict, what it rests on, and its entry in a record.

use redgreen_parsers::Report;
use serde_json::value::RawValue;

use crate::cli::Stop;
use crate::judge::{self, Code, InventoryCase, Problem, Verdict};
use crate::observe::facts::{Ended, Removed, RunFacts, ServiceFacts};
use crate::observe::service::Services;
use crate::observe::transcript::Transcript;
use crate::plan::{Check, Phase};
use crate::record::wire;

/// How much of an output a record holds, in bytes; the copy beside it holds more.
const OUTPUT_LIMIT: u64 = 1 << 20;

/// A check that ran, and what to think of it.
pub(in crate::cli) struct Ran<'p> {
    /// The check.
    pub(in crate::cli) check: &'p Check,
    /// What was judged.
    pub(in crate::cli) phase: Phase,
    /// The verdict; problems that the files show are added to it.
    pub(in crate::cli) verdict: Verdict,
    /// What its parsers read.
    pub(in crate::cli) reports: Vec<Report>,
    /// The cases that its output hides and its witness names.
    pub(in crate::cli) hidden: Vec<Report>,
    /// What it printed.
    pub(in crate::cli) transcript: Transcript,
    /// Whose sources it ran on.
    pub(in crate::cli) sources: wire::Sources,
    /// What it wasn't given of the environment.
    pub(super) removed: Vec<Removed>,
    pub(super) facts: RunFacts,
    pub(super) witness: wire::Witness,
    /// The services that it needed.
    pub(super) services: Vec<ServiceFacts>,
}

impl Ran<'_> {
    /// Rejects it where a service that it needs ended before it did: what it shows is shown without that.
    pub(super) fn lost(&mut self, services: &Services<'_>) {
        let lost = services.lost(&self.check.needs).into_iter();
        self.verdict.problems.extend(lost.map(|how| Problem::new(Code::CrashFailure, how)));
    }

    /// Whether it was accepted.
    #[must_use]
    pub(in crate::cli) fn passed(&self) -> bool {
        self.verdict.accepted()
    }

    /// The cases that failed, also those that its output hides.
    #[must_use]
    pub(in crate::cli) fn failed_cases(&self) -> Vec<InventoryCase> {
        [judge::inventory(&self.check.id, &self.reports), judge::inventory(&self.check.id, &self.hidden)]
            .concat()
    }

    /// The check as a record keeps it.
    ///
    /// # Errors
    /// What it printed can't be read again.
    pub(in crate::cli) fn record(&self) -> Result<wire::Check, Stop> {
        let Self { check, verdict, facts, transcript, .. } = self;
        let unreadable = |why: std::io::Error| {
            Stop::new(Code::Unreadable, format!("the output of `{}` can't be read again: {why}", check.id))
        };
        let (output, output_truncated) = transcript.saved(OUTPUT_LIMIT).map_err(unreadable)?;
        let (report, hidden) = (raw(&self.reports)?, raw(&self.hidden)?);
        Ok(wire::Check {
            id: check.id.clone(),
            repository: check.repository.clone(),
            phase: self.phase,
            parser: wire::Parsers::from(check.parsers.as_slice()),
            check_sha256: check.sha256(),
            command: wire::command_text(&check.command),
            program: facts.program.as_ref().map(wire::Program::from),
            sources: self.sources,
            identities: wire::Names::from(&check.identities),
            exit_code: facts.ended.exit_code(),
            signal: match facts.ended {
                Ended::Signal(signal) => Some(signal),
                _ => None,
            },
            duration_seconds: facts.duration.as_secs_f64(),
            passed: verdict.accepted(),
            problems: wire::Problem::all(&verdict.problems),
            notes: wire::Problem::all(&verdict.notes),
            reason: facts.ended.reason(),
            witness: self.witness.clone(),
            environment_removed: self.removed.iter().map(|variable| variable.name.clone()).collect(),
            services: self.services.iter().map(wire::Service::from).collect(),
            output: String::from_utf8_lossy(&output).into_owned(),
            output_sha256: transcript.sha256().map_err(unreadable)?,
            output_bytes: transcript.bytes(),
            output_truncated,
            report,
            hidden,
        })
    }
}

fn raw(reports: &[Report]) -> Result<Option<Box<RawValue>>, Stop> {
    if reports.is_empty() {
        return Ok(None);
    }
    let unwritten = |why| Stop::new(Code::Unreadable, format!("the report can't be written: {why}"));
    wire::raw_reports(reports).map(Some).map_err(unwritten)
}

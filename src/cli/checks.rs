//! Running checks: the command, its transcript, what its parsers read, and the verdict.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use redgreen_parsers::{Format, Options, Report, Stream, read};

use super::Stop;
use super::desk::Desk;
use super::plan_file::PlanFile;
use super::progress::Progress;
use super::world::{Looking, World};
use crate::judge::{
    self, Code, Expectations, InventoryCase, Problem, Reading, Run, TestFiles, Verdict, after_run,
    name_removed, witness_standing,
};
use crate::observe::bytecode;
use crate::observe::environment::environment;
use crate::observe::facts::{Ended, Removed, RunFacts, ServiceFacts};
use crate::observe::process::{self, Cancel, Command};
use crate::observe::reports::Reports;
use crate::observe::service::Services;
use crate::observe::transcript::Transcript;
use crate::observe::witness::{self, Asked};
use crate::plan::{Check, PathSet, Phase, Plan};
use crate::record::wire;

/// How much of an output a record holds, in bytes; the copy beside it holds more.
const OUTPUT_LIMIT: u64 = 1 << 20;

/// A check that ran, and what to think of it.
pub(super) struct Ran<'p> {
    /// The check.
    pub(super) check: &'p Check,
    /// What was judged.
    pub(super) phase: Phase,
    /// The verdict; problems that the files show are added to it.
    pub(super) verdict: Verdict,
    /// What its parsers read.
    pub(super) reports: Vec<Report>,
    /// The cases that its output hides and its witness names.
    pub(super) hidden: Vec<Report>,
    /// What it printed.
    pub(super) transcript: Transcript,
    /// What it wasn't given of the environment.
    removed: Vec<Removed>,
    facts: RunFacts,
    witness: wire::Witness,
    /// The services that it needed.
    services: Vec<ServiceFacts>,
}

/// Several checks that ran one after the other, or at once.
pub(super) struct Batch<'p> {
    /// The checks, in the order asked for.
    pub(super) ran: Vec<Ran<'p>>,
    /// The files after the last one.
    pub(super) after: World,
    /// What is wrong with all of them together.
    pub(super) problems: Vec<Problem>,
}

/// What is needed to run a check.
#[derive(Clone, Copy)]
pub(super) struct Runner<'a> {
    /// The plan.
    pub(super) file: &'a PlanFile,
    /// The task.
    pub(super) desk: &'a Desk,
    /// What the red before saw.
    pub(super) seen: &'a SeenInRed,
    /// Whether every file is read when files are looked at.
    pub(super) read_all: bool,
    /// How many may run at once.
    pub(super) jobs: u16,
    /// Where compiled Python code is kept.
    pub(super) bytecode: &'a Path,
    /// What stops a run.
    pub(super) cancel: &'a Cancel,
    /// Whether nothing is to be shown while checks run.
    pub(super) quiet: bool,
}

/// What red saw, of all checks.
#[derive(Debug, Default)]
pub(super) struct SeenInRed {
    /// The cases that failed.
    pub(super) inventory: Vec<InventoryCase>,
    /// The ids of the cases that passed, with their check.
    pub(super) passed: Vec<(String, String)>,
    /// The ids of the cases that failed on an assertion of those that the runner counts, with their check.
    pub(super) counted: Vec<(String, String)>,
}

impl SeenInRed {
    /// Whether a check without a green phase leaves cases to others.
    fn leaves_any(&self, plan: &Plan) -> bool {
        let red_only = |check: &&Check| !check.phases.contains(&Phase::Green);
        let mut checks = plan.checks.iter().filter(red_only);
        checks.any(|check| self.inventory.iter().any(|case| case.check == check.id))
    }
}

impl<'a> Runner<'a> {
    /// Runs checks and looks at the files around them. One that changes a file which counts is rejected; at `--jobs 1`
    /// it is known which.
    ///
    /// # Errors
    /// The work tree can't be read, or a run can't be observed.
    pub(super) fn run<'p>(
        &self,
        checks: &[&'p Check],
        phase: Phase,
        before: &World,
    ) -> Result<Batch<'p>, Stop> {
        if self.jobs > 1 && checks.len() > 1 {
            return self.run_at_once(checks, phase, before);
        }
        let progress = Progress::new(self.quiet);
        let mut world = before.clone();
        let mut ran = Vec::with_capacity(checks.len());
        let mut services = self.services();
        for (at, check) in checks.iter().enumerate() {
            progress.say(&check.id);
            let ready = services.start(&check.needs, self.cancel);
            let mut this = self.run_one(check, phase, ready)?;
            this.lost(&services);
            let rest = checks.iter().skip(at + 1).flat_map(|check| check.needs.iter().cloned());
            services.end_all_but(&rest.collect::<Vec<_>>());
            let after = self.look()?;
            let moved = after_run(&world.facts, &after.facts, &[check]);
            this.verdict.problems.extend(moved.problems);
            this.verdict.notes.extend(moved.notes);
            world = after;
            ran.push(this);
            if self.cancel.signal().is_some() {
                break;
            }
        }
        ended(&mut ran, services);
        let problems = self.red_only(&ran, phase);
        Ok(Batch { ran, after: world, problems })
    }

    fn run_at_once<'p>(&self, checks: &[&'p Check], phase: Phase, before: &World) -> Result<Batch<'p>, Stop> {
        let progress = Progress::new(self.quiet);
        progress.say(&format!("{} checks", checks.len()));
        let next = AtomicUsize::new(0);
        let done: Mutex<Vec<(usize, Result<Ran<'p>, Stop>)>> = Mutex::new(Vec::new());
        let jobs =
            NonZeroUsize::from(std::num::NonZeroU16::new(self.jobs).unwrap_or(std::num::NonZeroU16::MIN));
        let mut services = self.services();
        let ready: Vec<_> = checks.iter().map(|check| services.start(&check.needs, self.cancel)).collect();
        std::thread::scope(|scope| {
            for _ in 0..jobs.get().min(checks.len()) {
                scope.spawn(|| {
                    while let Some((at, check)) = take(checks, &next) {
                        let ready = ready.get(at).cloned().unwrap_or(Ok(()));
                        let ran = self.run_one(check, phase, ready);
                        if let Ok(mut done) = done.lock() {
                            done.push((at, ran));
                        }
                    }
                });
            }
        });
        let mut done = done.into_inner().unwrap_or_default();
        done.sort_by_key(|(at, _)| *at);
        let mut ran = done.into_iter().map(|(_, ran)| ran).collect::<Result<Vec<_>, _>>()?;
        ran.iter_mut().for_each(|this| this.lost(&services));
        ended(&mut ran, services);
        let after = self.look()?;
        // Nobody knows which of them it was.
        let moved = after_run(&before.facts, &after.facts, checks);
        for this in &mut ran {
            this.verdict.problems.extend(moved.problems.iter().cloned());
            this.verdict.notes.extend(moved.notes.iter().cloned());
        }
        let problems = self.red_only(&ran, phase);
        Ok(Batch { ran, after, problems })
    }

    /// Looks at the files as they are now.
    ///
    /// # Errors
    /// The work tree can't be read.
    pub(super) fn look(&self) -> Result<World, Stop> {
        World::look(self.file, Looking { baseline_ignore: Some(&self.desk.ignore), read_all: self.read_all })
    }

    /// The cases of checks without a green phase that no green check shows, by this run and the records before it.
    fn red_only(&self, ran: &[Ran<'_>], phase: Phase) -> Vec<Problem> {
        let plan = &self.file.plan;
        if phase == Phase::Red || !self.seen.leaves_any(plan) {
            return Vec::new();
        }
        let mut shown = BTreeMap::new();
        for check in plan.checks_in(Phase::Green) {
            if let Some(this) = ran.iter().find(|this| this.check.id == check.id) {
                if this.passed() {
                    shown.insert(check.id.as_str(), [this.reports.clone(), this.hidden.clone()].concat());
                }
            } else if let Some((_, record, true)) = self.desk.latest(&check.id, Phase::Green) {
                let judged = record.checks.iter().find(|judged| judged.id == check.id);
                let reports = judged.and_then(|judged| judged.reports().ok()).unwrap_or_default();
                let reports = reports.iter().filter_map(wire::Report::report).collect();
                shown.insert(check.id.as_str(), reports);
            }
        }
        judge::red_only(plan, &self.seen.inventory, &self.seen.passed, &shown)
    }

    /// The services of the plan, none of them started.
    fn services(&self) -> Services<'a> {
        let folder = self.file.repository_folder(".");
        Services::of(&self.file.plan.services, folder, self.bytecode.to_owned())
    }

    /// Runs a check, unless what it needs isn't `ready`.
    fn run_one<'p>(
        &self,
        check: &'p Check,
        phase: Phase,
        ready: Result<(), String>,
    ) -> Result<Ran<'p>, Stop> {
        let repository = self.file.plan.repository(&check.repository);
        let folder =
            self.file.repository_folder(repository.map_or(".", |repository| repository.path.as_str()));
        bytecode::drop_stale(self.bytecode);
        let environment = environment(check, &folder, self.bytecode);
        let mut command = Command {
            argv: check.command.iter().map(Into::into).collect(),
            cwd: if check.cwd == "." { folder.clone() } else { folder.join(&check.cwd) },
            env: environment.changes,
            timeout: check.timeout,
            inactivity_timeout: check.inactivity_timeout,
            output_limit: check.output_limit,
        };
        let reports = match check.report.as_str() {
            "" | "-" => None,
            glob => Some(
                PathSet::new([glob])
                    .map_err(|bad| io::Error::other(bad.why))
                    .and_then(|glob| Reports::before_run(&folder, &glob, &self.file.state_dir, &check.id))
                    .map_err(|why| unreadable_report(check, &why))?,
            ),
        };
        let unobserved = |why: &dyn std::fmt::Display| {
            Stop::new(Code::Unreadable, format!("the check `{}` can't be observed: {why}", check.id))
        };
        let asked = witness::ask(check, &mut command, &folder).map_err(|why| unobserved(&why))?;
        let finished = match ready {
            Ok(()) => process::run(&command, self.cancel),
            Err(why) => process::not_started(why),
        };
        let finished = finished.map_err(|why| unobserved(&why))?;
        let options = options(check);
        let witness = match asked {
            Asked::Yes(waiting) => waiting.read(&options).map_err(|why| unobserved(&why))?,
            Asked::No(facts) => facts,
        };
        let report = match &reports {
            Some(reports) => written(check, reports)?,
            None => None,
        };
        let missing = reports.is_some() && report.is_none();
        let readings = readings(check, &options, &finished.transcript, reports.is_some(), report.as_ref())?;

        let foreign = foreign(check, &options, &finished.transcript)?;
        let folder = folder.canonicalize().unwrap_or(folder);
        let root = folder.to_string_lossy();
        let none = PathSet::none();
        let inventory: Vec<InventoryCase> =
            self.seen.inventory.iter().filter(|case| case.check == check.id).cloned().collect();
        let of_check = |list: &[(String, String)]| -> Vec<String> {
            list.iter().filter(|(of, _)| *of == check.id).map(|(_, id)| id.clone()).collect()
        };
        let (passed_in_red, counted_in_red) = (of_check(&self.seen.passed), of_check(&self.seen.counted));
        let expectations = Expectations {
            inventory: &inventory,
            passed_in_red: &passed_in_red,
            counted_in_red: &counted_in_red,
            tests: Some(TestFiles {
                paths: self.file.plan.freeze.test_paths.of(&check.repository).unwrap_or(&none),
                root: &root,
                cwd: &check.cwd,
            }),
            ..Expectations::of(check)
        };
        let run = Run {
            ended: Some(&finished.facts.ended),
            readings: &readings,
            foreign: &foreign,
            witness: Some(&witness),
        };
        let mut verdict = match phase {
            Phase::Red => judge::red(&run, &expectations),
            Phase::Green => judge::green(&run, &expectations),
        };
        if missing {
            let what = format!("the command wrote no `{}` in this run", check.report);
            verdict.problems.insert(0, Problem::new(Code::ReportMissing, what));
        }
        let orphans =
            finished.facts.orphans.iter().map(|orphan| Problem::new(Code::OrphanEnded, orphan.as_str()));
        verdict.notes.extend(orphans);
        let wants_hidden = phase == Phase::Red || self.seen.leaves_any(&self.file.plan);
        let hidden = if wants_hidden { judge::hidden_cases(&run) } else { Vec::new() };
        let removed = environment.removed;
        let reports: Vec<_> = readings.into_iter().flat_map(|reading| reading.reports).collect();
        name_removed(&mut verdict, &reports, &removed);
        let witness = wire::Witness::new(&witness, witness_standing(&witness, &verdict));
        // The lines of a report are those of the file that it was read from.
        let structured = |word: &String| Format::find(word).is_some_and(Format::is_structured);
        let transcript = match report {
            Some(report) if check.parsers.iter().all(structured) => report,
            _ => finished.transcript,
        };
        let facts = finished.facts;
        let services = Vec::new();
        Ok(Ran { check, phase, verdict, reports, hidden, removed, transcript, facts, witness, services })
    }
}

fn take<'p>(checks: &[&'p Check], next: &AtomicUsize) -> Option<(usize, &'p Check)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    checks.get(at).map(|check| (at, *check))
}

/// What a check tells the parsers of its output.
fn options(check: &Check) -> Options {
    Options {
        success_pattern: check.success_pattern.clone(),
        failure_pattern: check.failure_pattern.clone(),
        identities: match &check.identities {
            crate::plan::Identities::Any => Vec::new(),
            crate::plan::Identities::Named(names) => names.clone(),
        },
        assertion_errors: check.assertion_errors.clone(),
        envelope: None,
        others: Vec::new(),
    }
}

fn unreadable_report(check: &Check, why: &io::Error) -> Stop {
    Stop::new(Code::Unreadable, format!("the report of `{}` can't be read: {why}", check.id))
}

/// The report files that the run wrote, one after the other; `None` if there is none.
fn written(check: &Check, reports: &Reports) -> Result<Option<Transcript>, Stop> {
    let read = || {
        let files = reports.written()?;
        let files = files.iter().map(|path| Ok((File::open(path)?, Stream::Merged)));
        let files = files.collect::<io::Result<Vec<_>>>()?;
        if files.is_empty() { Ok(None) } else { Transcript::from_files(files).map(Some) }
    };
    read().map_err(|why| unreadable_report(check, &why))
}

/// The sessions of runners that the check doesn't name.
fn foreign(check: &Check, options: &Options, transcript: &Transcript) -> Result<Vec<Report>, Stop> {
    let own: Vec<Format> = check.parsers.iter().filter_map(|word| Format::find(word)).collect();
    redgreen_parsers::foreign(&own, options, |feed| transcript.feed(feed)).map_err(|why| {
        Stop::new(Code::Unreadable, format!("the output of `{}` can't be read again: {why}", check.id))
    })
}

/// What each parser of a check reads: in its transcript, or in the report that it wrote.
fn readings(
    check: &Check,
    options: &Options,
    transcript: &Transcript,
    has_report: bool,
    report: Option<&Transcript>,
) -> Result<Vec<Reading>, Stop> {
    let formats = check.parsers.iter().filter_map(|word| Format::find(word));
    formats
        .map(|format| {
            let from = match has_report && format.is_structured() {
                true => report,
                false => Some(transcript),
            };
            let Some(from) = from else {
                return Ok(Reading { format, reports: vec![Report::empty(format)] });
            };
            let reports = read(format, options, |feed| from.feed(feed)).map_err(|why| {
                Stop::new(
                    Code::Unreadable,
                    format!("the output of `{}` can't be read again: {why}", check.id),
                )
            })?;
            Ok(Reading { format, reports })
        })
        .collect()
}

/// Ends the services that are left, and tells the checks that needed them what was seen of them.
fn ended(ran: &mut [Ran<'_>], mut services: Services<'_>) {
    services.end_all_but(&[]);
    for this in ran {
        this.services = services.facts(&this.check.needs);
        for service in &this.services {
            let said = |orphan: &String| {
                Problem::new(Code::OrphanEnded, format!("of the service `{}`: {orphan}", service.id))
            };
            this.verdict.notes.extend(service.orphans.iter().map(said));
        }
    }
}

impl Ran<'_> {
    /// Rejects it where a service that it needs ended before it did: what it shows is shown without that.
    fn lost(&mut self, services: &Services<'_>) {
        let lost = services.lost(&self.check.needs).into_iter();
        self.verdict.problems.extend(lost.map(|how| Problem::new(Code::CrashFailure, how)));
    }

    /// Whether it was accepted.
    #[must_use]
    pub(super) fn passed(&self) -> bool {
        self.verdict.accepted()
    }

    /// The check as a record keeps it.
    ///
    /// # Errors
    /// What it printed can't be read again.
    pub(super) fn record(&self) -> Result<wire::Check, Stop> {
        let Self { check, verdict, facts, transcript, .. } = self;
        let unreadable = |why: std::io::Error| {
            Stop::new(Code::Unreadable, format!("the output of `{}` can't be read again: {why}", check.id))
        };
        let (output, output_truncated) = transcript.saved(OUTPUT_LIMIT).map_err(unreadable)?;
        let report =
            if self.reports.is_empty() {
                None
            } else {
                let raw = wire::raw_reports(&self.reports);
                Some(raw.map_err(|why| {
                    Stop::new(Code::Unreadable, format!("the report can't be written: {why}"))
                })?)
            };
        Ok(wire::Check {
            id: check.id.clone(),
            repository: check.repository.clone(),
            phase: self.phase,
            parser: wire::Parsers::from(check.parsers.as_slice()),
            check_sha256: check.sha256(),
            command: wire::command_text(&check.command),
            program: facts.program.as_ref().map(wire::Program::from),
            sources: wire::Sources::Current,
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
        })
    }
}

//! Running checks: the command, its transcript, what its parsers read, and the verdict.

mod ran;
mod reading;

use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use redgreen_parsers::Format;

pub(in crate::cli) use ran::Ran;
use reading::{foreign, options, readings, unreadable_report, written};

use crate::cli::Stop;
use crate::cli::desk::Desk;
use crate::cli::hiding;
use crate::cli::plan_file::PlanFile;
use crate::cli::progress::Progress;
use crate::cli::world::{Looking, World};
use crate::digest::Sha256;
use crate::judge::{
    self, Code, Expectations, InventoryCase, Problem, Run, TestFiles, after_run, name_again, name_removed,
    prepare_secrets, witness_standing,
};
use crate::observe::bytecode;
use crate::observe::checkout::Checkout;
use crate::observe::environment::environment;
use crate::observe::process::{self, Cancel, Command};
use crate::observe::reports::Reports;
use crate::observe::service::Services;
use crate::observe::witness::{self, Asked};
use crate::plan::{Check, PathSet, Phase, Plan};
use crate::record::wire;

/// Several checks that ran one after the other, or at once.
pub(in crate::cli) struct Batch<'p> {
    /// The checks, in the order asked for.
    pub(in crate::cli) ran: Vec<Ran<'p>>,
    /// The files after the last one.
    pub(in crate::cli) after: World,
    /// What is wrong with all of them together.
    pub(in crate::cli) problems: Vec<Problem>,
}

/// What is needed to run a check.
#[derive(Clone, Copy)]
pub(in crate::cli) struct Runner<'a> {
    /// The plan.
    pub(in crate::cli) file: &'a PlanFile,
    /// The task.
    pub(in crate::cli) desk: &'a Desk,
    /// What the red before saw.
    pub(in crate::cli) seen: &'a SeenInRed,
    /// Whether every file is read when files are looked at.
    pub(in crate::cli) read_all: bool,
    /// The copy that the plan's folder lies in, where it isn't the work tree itself.
    pub(in crate::cli) copy: Option<&'a Checkout>,
    /// How many may run at once.
    pub(in crate::cli) jobs: u16,
    /// Where compiled Python code is kept.
    pub(in crate::cli) bytecode: &'a Path,
    /// What stops a run.
    pub(in crate::cli) cancel: &'a Cancel,
    /// Whether nothing is to be shown while checks run.
    pub(in crate::cli) quiet: bool,
}

/// What red saw, of all checks.
#[derive(Debug, Default)]
pub(in crate::cli) struct SeenInRed {
    /// The cases that failed.
    pub(in crate::cli) inventory: Vec<InventoryCase>,
    /// The cases that passed.
    pub(in crate::cli) passed: Vec<PassedInRed>,
    /// The ids of the cases that failed on an assertion of those that the runner counts, with their check.
    pub(in crate::cli) counted: Vec<(String, String)>,
}

/// A case that passed in red.
#[derive(Debug)]
pub(in crate::cli) struct PassedInRed {
    /// Its check.
    pub(in crate::cli) check: String,
    /// Its id.
    pub(in crate::cli) id: String,
    /// The hash of the id as the runner wrote it, where a secret was taken out.
    pub(in crate::cli) id_sha256: Option<Sha256>,
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
    pub(in crate::cli) fn run<'p>(
        &self,
        checks: &[&'p Check],
        phase: Phase,
        before: &World,
    ) -> Result<Batch<'p>, Stop> {
        // What records keep of a run is looked through for secrets.
        rayon::spawn(prepare_secrets);
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
    pub(in crate::cli) fn look(&self) -> Result<World, Stop> {
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
                let reports = judged.and_then(|judged| judged.all_reports().ok()).unwrap_or_default();
                let reports = reports.iter().filter_map(wire::Report::report).collect();
                shown.insert(check.id.as_str(), reports);
            }
        }
        let read: Vec<_> = shown.values().flatten().collect();
        let mut inventory = self.seen.inventory.clone();
        let mut passed: Vec<_> =
            self.seen.passed.iter().map(|case| (case.id.clone(), case.id_sha256)).collect();
        name_again(&mut inventory, &mut passed, &read);
        let checks = self.seen.passed.iter().map(|case| case.check.clone());
        let passed: Vec<_> = checks.zip(passed.into_iter().map(|(id, _)| id)).collect();
        judge::red_only(plan, &inventory, &passed, &shown)
    }

    /// The services of the plan, none of them started.
    pub(in crate::cli) fn services(&self) -> Services<'a> {
        let folder = self.file.repository_folder(".");
        Services::of(&self.file.plan.services, folder, self.bytecode.to_owned())
    }

    /// Runs a check, unless what it needs isn't `ready`, and looks at no file.
    ///
    /// # Errors
    /// The run can't be observed.
    pub(in crate::cli) fn run_one<'p>(
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
        if let Some(copy) = self.copy {
            copy.adapt(&mut command);
        }
        let unobserved = |why: &dyn std::fmt::Display| {
            Stop::new(Code::Unreadable, format!("the check `{}` can't be observed: {why}", check.id))
        };
        let asked = witness::ask(check, &mut command, &folder).map_err(|why| unobserved(&why))?;
        let began = SystemTime::now();
        let finished = match ready {
            Ok(()) => process::run(&command, self.cancel),
            Err(why) => process::not_started(why),
        };
        let finished = finished.map_err(|why| unobserved(&why))?;
        let redactor = hiding::redactor(&self.file.plan.checks);
        bytecode::drop_compiled(self.bytecode, began, &|source| redactor.finds(source));
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
        let mut inventory: Vec<InventoryCase> =
            self.seen.inventory.iter().filter(|case| case.check == check.id).cloned().collect();
        let passed = self.seen.passed.iter().filter(|case| case.check == check.id);
        let mut passed: Vec<_> = passed.map(|case| (case.id.clone(), case.id_sha256)).collect();
        let read: Vec<_> = readings.iter().flat_map(|reading| &reading.reports).collect();
        name_again(&mut inventory, &mut passed, &read);
        let passed_in_red: Vec<String> = passed.into_iter().map(|(id, _)| id).collect();
        let counted = self.seen.counted.iter().filter(|(of, _)| *of == check.id);
        let counted_in_red: Vec<String> = counted.map(|(_, id)| id.clone()).collect();
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
        let mut hidden = if wants_hidden { judge::hidden_cases(&run) } else { Vec::new() };
        hidden.retain(|report| report.cases.iter().next().is_some());
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
        let (services, sources) = (Vec::new(), wire::Sources::Current);
        Ok(Ran {
            check,
            phase,
            verdict,
            reports,
            hidden,
            transcript,
            sources,
            removed,
            facts,
            witness,
            services,
        })
    }
}

fn take<'p>(checks: &[&'p Check], next: &AtomicUsize) -> Option<(usize, &'p Check)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    checks.get(at).map(|check| (at, *check))
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

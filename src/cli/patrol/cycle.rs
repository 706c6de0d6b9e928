//! One look at a folder of claims after the other.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Patrol;
use super::beside::{Beside, said};
use crate::cli::Stop;
use crate::cli::output::Output;
use crate::cli::words;
use crate::digest::Sha256;
use crate::judge::Code;
use crate::judge::patrol::{
    Briefs, Case, Cycles, Judged, Named, Status, Thresholds, judge, ladder, unparseable,
};
use crate::observe::claims::{ClaimFile, Eyes, Folder, Found, rerun, thresholds};
use crate::observe::clock;
use crate::observe::facts::claims::{Brief, Command, Rerun};
use crate::observe::process::{self, Cancel};
use crate::present;
use crate::record::patrol::{Decision, Decisions, PatrolError, Verdicts};
use crate::record::wire::{ClaimProblem, ClaimVerdict, Claimed, Patrol as Document, tag};

/// How long the command that is told of a verdict may run.
const HOOK: Duration = Duration::from_secs(600);

/// A patrol over one folder, from cycle to cycle.
pub(super) struct Rounds<'o> {
    options: &'o Patrol,
    folder: Folder,
    thresholds: Thresholds,
    hook: Option<Vec<String>>,
    verdicts: Verdicts,
    decisions: Decisions,
    cycles: Cycles,
    reruns: HashMap<OsString, (Sha256, Command, Rerun)>,
}

/// What one cycle found.
pub(super) struct Cycle {
    pub(super) document: Document,
    /// The verdicts that are new and final.
    finals: Vec<PathBuf>,
    /// Whether anything is to be told.
    pub(super) is_news: bool,
}

impl Cycle {
    /// Whether every claim is what it says.
    pub(super) fn all_stand(&self) -> bool {
        self.document.stand == self.document.counts.values().sum::<u64>()
    }
}

impl<'o> Rounds<'o> {
    pub(super) fn open(options: &'o Patrol) -> Result<Self, Stop> {
        let state_dir = &options.state_dir;
        let out = options.out.as_deref().unwrap_or(state_dir);
        let log = options.log.clone().unwrap_or_else(|| out.join("decisions.md"));
        let hook =
            options.on_final.as_deref().map(|text| words::of_option("--on-final", text)).transpose()?;
        readable(state_dir)?;
        let briefs = options.brief_dir.as_deref().unwrap_or(state_dir);
        readable(briefs)?;
        let audits = match &options.audits {
            Some(folder) => thresholds(folder).map_err(|error| unreadable(folder, &error))?,
            None => BTreeMap::new(),
        };
        let verdicts = Verdicts::open(out)?;
        Ok(Self {
            options,
            folder: Folder::new(state_dir, briefs),
            thresholds: Thresholds { audits, default: options.threshold },
            hook,
            cycles: verdicts.cycles(),
            verdicts,
            decisions: Decisions::open(&log)?,
            reruns: HashMap::new(),
        })
    }

    /// Reads, looks, judges and writes once. Only a `full` cycle counts for claims that are what they were.
    /// `None`: it was told to stop before it was through.
    pub(super) fn cycle(
        &mut self,
        patience: Duration,
        full: bool,
        cancel: &Cancel,
    ) -> Result<Option<Cycle>, Stop> {
        let mut found =
            self.folder.read(patience).map_err(|error| unreadable(&self.options.state_dir, &error))?;
        let briefs = std::mem::take(&mut found.briefs).into_iter();
        let briefs = briefs.map(|file| (file.name.to_string_lossy().into_owned(), file.brief));
        let briefs = Briefs::new(briefs, &found.scopes);
        let (mut judged, reruns) = self.judge(&found, &briefs, cancel);
        // What wasn't run again must not be judged as if it had been.
        if cancel.signal().is_some() {
            return Ok(None);
        }
        let names: Vec<String> =
            found.claims.iter().map(|file| file.name.to_string_lossy().into_owned()).collect();
        let named: Vec<Named<'_>> = found
            .claims
            .iter()
            .zip(&names)
            .zip(&judged)
            .map(|((file, name), judged)| Named {
                name,
                session: file.claim.as_ref().ok().and_then(|claim| claim.session.as_deref()),
                status: judged.status,
            })
            .collect();
        let rungs = briefs.rungs(&named);
        ladder(&rungs, &mut names.iter().map(String::as_str).zip(&mut judged).collect());
        self.record(&found, &names, judged, reruns, full).map(Some)
    }

    fn judge(&mut self, found: &Found, briefs: &Briefs, cancel: &Cancel) -> (Vec<Judged>, Vec<Rerun>) {
        let mut eyes = Eyes::default();
        let mut judged = Vec::with_capacity(found.claims.len());
        let mut reruns = Vec::with_capacity(found.claims.len());
        for file in &found.claims {
            let claim = match &file.claim {
                Ok(claim) => claim,
                Err(why) => {
                    judged.push(unparseable(why));
                    reruns.push(Rerun::NotRun);
                    continue;
                }
            };
            let brief = briefs.of(&file.name.to_string_lossy(), claim.session.as_deref());
            let brief = brief.as_deref();
            let mut seen = eyes.look(file, claim, brief);
            let done = claim.status.as_deref() == Some(Status::DoneClean.word());
            let command = brief.and_then(|brief| brief.verify_command.as_ref()).or(claim.command.as_ref());
            if let Some(command) = command.filter(|_| self.options.rerun && done) {
                seen.rerun = self.rerun(file, command, brief, cancel);
            }
            let case =
                Case { claim, dialect: file.dialect, brief, seen: &seen, thresholds: &self.thresholds };
            judged.push(judge(case));
            reruns.push(seen.rerun);
        }
        (judged, reruns)
    }

    /// Runs a claim's verify command again, once for each claim.
    fn rerun(
        &mut self,
        file: &ClaimFile,
        command: &Command,
        brief: Option<&Brief>,
        cancel: &Cancel,
    ) -> Rerun {
        if let Some((sha256, ran, rerun)) = self.reruns.get(&file.name)
            && *sha256 == file.sha256
            && ran == command
        {
            return rerun.clone();
        }
        let ran = rerun(command, brief, cancel);
        if ran != Rerun::NotRun {
            self.reruns.insert(file.name.clone(), (file.sha256, command.clone(), ran.clone()));
        }
        ran
    }

    fn record(
        &mut self,
        found: &Found,
        names: &[String],
        judged: Vec<Judged>,
        reruns: Vec<Rerun>,
        full: bool,
    ) -> Result<Cycle, Stop> {
        let now = clock::now();
        let beside = Beside::of(found);
        let mut decisions = beside.decisions;
        let mut verdicts = Vec::with_capacity(judged.len());
        for (((file, name), judged), rerun) in found.claims.iter().zip(names).zip(judged).zip(reruns) {
            let status = file.claim.as_ref().ok().and_then(|claim| claim.status.clone());
            let claimed = Claimed {
                file: format!("{name}.done.json"),
                sha256: file.sha256,
                dialect: file.dialect,
                status,
                rerun,
            };
            if full || file.is_new {
                self.cycles.count(name, &judged.reasons.iter().map(|reason| reason.code).collect());
            }
            decisions.extend(said(&claimed.file, file, &judged.reasons));
            let mut verdict = ClaimVerdict::new(claimed, &judged, now);
            let stuck: Vec<&str> = self.cycles.stuck(name).collect();
            if !stuck.is_empty() {
                let message = format!("rejected in 3 cycles for: {}", stuck.join(", "));
                decisions.push(Decision {
                    code: Code::Stuck,
                    what: "escalated",
                    file: verdict.claim.clone(),
                    sha256: None,
                    message: message.clone(),
                });
                verdict.problems.push(ClaimProblem { code: Code::Stuck.word().to_owned(), message });
            }
            let session = file.claim.as_ref().ok().and_then(|claim| claim.session.as_deref());
            let about = [Some(name.as_str()), name.strip_prefix("worker-"), session];
            let about: BTreeSet<&str> = about.into_iter().flatten().collect();
            let about = about.iter().filter_map(|session| beside.by_session.get(*session)).flatten();
            verdict.problems.extend(about.cloned());
            verdicts.push((file.name.clone(), verdict));
        }
        let there: BTreeSet<&str> = names.iter().map(String::as_str).collect();
        self.cycles.retain(|claim| there.contains(claim));
        let changed = self.verdicts.write(&mut verdicts)?;
        let said = self.decisions.say(now, decisions)?;
        self.verdicts.keep(&self.cycles)?;
        Ok(self.document(found, verdicts, &changed, beside.problems, !said.is_empty()))
    }

    fn document(
        &self,
        found: &Found,
        verdicts: Vec<(OsString, ClaimVerdict)>,
        changed: &[usize],
        problems: Vec<ClaimProblem>,
        said: bool,
    ) -> Cycle {
        let is_final = |status: &str| status == Status::DoneClean.word() || status == Status::Failed.word();
        let new = changed.iter().filter_map(|at| verdicts.get(*at));
        let finals =
            new.filter(|(_, verdict)| is_final(&verdict.status)).map(|(name, _)| self.verdicts.path(name));
        let finals = finals.collect();
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for (_, verdict) in &verdicts {
            *counts.entry(verdict.status.clone()).or_default() += 1;
        }
        let stand = verdicts.iter().filter(|(_, verdict)| verdict.stands()).count() as u64;
        let unknown = found.claims.iter().filter_map(|file| {
            let keys = &file.claim.as_ref().ok()?.unknown;
            (!keys.is_empty()).then(|| (format!("{}.done.json", file.name.to_string_lossy()), keys.clone()))
        });
        let unknown = unknown.collect();
        let all = verdicts.into_iter().map(|(_, verdict)| verdict).enumerate();
        let news: BTreeSet<usize> = changed.iter().copied().collect();
        let verdicts =
            all.filter(|(at, _)| !self.options.watch || news.contains(at)).map(|(_, verdict)| verdict);
        let document = Document {
            schema: tag::Patrol::V1,
            counts,
            stand,
            waiting: found.waiting as u64,
            verdicts: verdicts.collect(),
            problems,
            unknown,
        };
        Cycle { document, finals, is_news: said || !changed.is_empty() }
    }

    /// Tells the command of `--on-final` of each new verdict. That it fails changes no verdict.
    pub(super) fn tell(&self, cycle: &Cycle, out: &mut Output, cancel: &Cancel) -> Result<(), Stop> {
        let Some(hook) = &self.hook else { return Ok(()) };
        for verdict in &cycle.finals {
            let argv = hook.iter().map(OsString::from).chain([verdict.clone().into_os_string()]);
            let mut command = process::Command::new(argv, ".");
            command.timeout = Some(HOOK);
            let how = match process::run(&command, cancel) {
                Ok(finished) if finished.facts.ended.exit_code() == Some(0) => continue,
                Ok(finished) => format!("{:?}", finished.facts.ended),
                Err(error) => error.to_string(),
            };
            let verdict = present::text::safe_bytes(verdict.as_os_str().as_encoded_bytes());
            out.warn(&format!("--on-final failed for {verdict}: {}", present::text::safe(&how)));
        }
        Ok(())
    }
}

fn readable(folder: &Path) -> Result<(), Stop> {
    std::fs::read_dir(folder).map(drop).map_err(|error| unreadable(folder, &error))
}

fn unreadable(folder: &Path, error: &std::io::Error) -> Stop {
    Stop::new(Code::Unreadable, format!("the folder can't be read: {error}")).on(folder)
}

impl From<PatrolError> for Stop {
    fn from(error: PatrolError) -> Self {
        Self::new(Code::StoreUnwritable, error.to_string()).on(&error.path)
    }
}

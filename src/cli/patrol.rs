//! `verify patrol`: what workers claim, turned into what is true.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use super::output::Output;
use super::{Exit, Stop};
use crate::judge::Code;
use crate::judge::patrol::{Briefs, Case, Cycles, Judged, Named, Reason, Status, Thresholds};
use crate::judge::patrol::{judge, ladder, overlaps, unparseable};
use crate::observe::claims::{ClaimFile, Eyes, Folder, Found, Wake, Watcher, rerun, thresholds};
use crate::observe::clock;
use crate::observe::facts::claims::{Brief, Command, Rerun, Seen};
use crate::observe::process::{self, Cancel};
use crate::present;
use crate::record::patrol::{Decision, Decisions, PatrolError, Verdicts};
use crate::record::wire::{ClaimProblem, ClaimVerdict, Claimed, Patrol as Document, tag};

/// How long a watch waits before it looks at everything again, events or not.
const BEAT: Duration = Duration::from_secs(10);

/// How long a file that doesn't parse has to stand still to be taken for what it is.
const SETTLE: Duration = Duration::from_secs(2);

/// How long the command that is told of a verdict may run.
const HOOK: Duration = Duration::from_secs(600);

/// Turns claims of done into what is true, a verdict file beside each
///
/// Reads `*.done.json` in a folder, in two dialects, and what was asked for: `<name>.brief.json`, `scope-<session>.json`.
/// What it proves is a floor: something changed and nothing that was looked at is red, not that the right thing was built.
#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 every claim is what it says, 1 one isn't, 3 the folder can't be read.")]
pub(super) struct Patrol {
    /// The folder with the claims
    state_dir: PathBuf,

    /// One cycle (the default)
    #[arg(long, conflicts_with = "watch")]
    once: bool,

    /// Follow the folder until stopped
    #[arg(long)]
    watch: bool,

    /// Where the briefs are; without it, beside the claims
    #[arg(long, value_name = "DIR")]
    brief_dir: Option<PathBuf>,

    /// A folder with one file a gate, which names its least score
    #[arg(long, value_name = "DIR")]
    audits: Option<PathBuf>,

    /// The least score of a gate for which neither an audit nor the brief names one
    #[arg(long, value_name = "SCORE", default_value_t = 85.0, value_parser = score)]
    threshold: f64,

    /// Run the verify command of each claim of done again
    #[arg(long)]
    rerun: bool,

    /// Where rejections are appended; without it, decisions.md beside the verdicts
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,

    /// Where the verdicts are written; without it, beside the claims
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// A command that is run for each new verdict done_clean or failed, with the verdict's file as its last argument
    #[arg(long, value_name = "ARGV")]
    on_final: Option<String>,
}

fn score(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(score) if f64::is_finite(score) => Ok(score),
        _ => Err("a number is expected".to_owned()),
    }
}

/// Runs the command.
///
/// # Errors
/// A folder that can't be read or written, or an option that can't be meant.
pub(super) fn run(options: &Patrol, out: &mut Output, cancel: &Cancel) -> Result<Exit, Stop> {
    let mut watch = Watch::open(options)?;
    if options.watch {
        return watch.follow(out, cancel);
    }
    let cycle = watch.cycle(true, true, cancel)?;
    print(&cycle, out);
    watch.tell(&cycle, out, cancel)?;
    if let Some(signal) = cancel.signal() {
        return Ok(Exit::Cancelled(signal));
    }
    let all = cycle.document.counts.values().sum::<u64>();
    Ok(if cycle.document.stand == all { Exit::Good } else { Exit::Rejected })
}

fn print(cycle: &Cycle, out: &mut Output) {
    if out.is_json() {
        out.json(&cycle.document);
        return;
    }
    if !out.is_quiet() {
        for line in present::patrol::patrol(&cycle.document, out.is_verbose()) {
            out.line(&line);
        }
    }
    out.line(&present::patrol::summary(&cycle.document));
}

/// A patrol over one folder, from cycle to cycle.
struct Watch<'o> {
    options: &'o Patrol,
    folder: Folder,
    thresholds: Thresholds,
    hook: Option<Vec<String>>,
    verdicts: Verdicts,
    decisions: Decisions,
    cycles: Cycles,
    reruns: HashMap<OsString, (crate::digest::Sha256, Command, Rerun)>,
}

/// What one cycle found.
struct Cycle {
    document: Document,
    /// The verdicts that are new and final.
    finals: Vec<PathBuf>,
    /// Whether anything is to be told.
    is_news: bool,
}

impl<'o> Watch<'o> {
    fn open(options: &'o Patrol) -> Result<Self, Stop> {
        let state_dir = &options.state_dir;
        let out = options.out.as_deref().unwrap_or(state_dir);
        let log = options.log.clone().unwrap_or_else(|| out.join("decisions.md"));
        let hook = options.on_final.as_deref().map(words).transpose()?;
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

    fn follow(&mut self, out: &mut Output, cancel: &Cancel) -> Result<Exit, Stop> {
        let folders = [Some(&self.options.state_dir), self.options.brief_dir.as_ref()];
        // Before the first cycle, so that nothing comes between.
        let watcher = Watcher::new(folders.into_iter().flatten().map(PathBuf::as_path)).map_err(|error| {
            Stop::new(Code::Unreadable, format!("the folder can't be watched: {error}"))
                .on(&self.options.state_dir)
        })?;
        let mut full = true;
        loop {
            let cycle = self.cycle(false, full, cancel)?;
            if cycle.is_news {
                print(&cycle, out);
                out.flush();
            }
            self.tell(&cycle, out, cancel)?;
            let time = if cycle.document.waiting > 0 { SETTLE } else { BEAT };
            full = match watcher.wait(time, cancel) {
                Wake::Changed => false,
                Wake::TimeOver => time == BEAT,
                Wake::Cancelled(signal) => return Ok(Exit::Cancelled(signal)),
            };
        }
    }

    /// Reads, looks, judges and writes once. Only a `full` cycle counts for claims that are what they were.
    fn cycle(&mut self, at_once: bool, full: bool, cancel: &Cancel) -> Result<Cycle, Stop> {
        let found = self.folder.read(at_once).map_err(|error| unreadable(&self.options.state_dir, &error))?;
        let briefs =
            found.briefs.iter().map(|file| (file.name.to_string_lossy().into_owned(), file.brief.clone()));
        let briefs = Briefs::new(briefs, &found.scopes);
        let (mut judged, reruns) = self.judge(&found, &briefs, cancel);
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
        let mut by_name: BTreeMap<String, Judged> = names.iter().cloned().zip(judged).collect();
        ladder(&rungs, &mut by_name);
        judged = names.iter().filter_map(|name| by_name.get(name).cloned()).collect();
        self.record(&found, &names, judged, reruns, full)
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
            let mut seen: Seen = eyes.look(file, claim, brief);
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
    fn tell(&self, cycle: &Cycle, out: &mut Output, cancel: &Cancel) -> Result<(), Stop> {
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

/// The log's lines for the causes of one claim: one a code.
fn said(name: &str, file: &ClaimFile, reasons: &[Reason]) -> Vec<Decision> {
    let mut lines: BTreeMap<Code, Vec<&str>> = BTreeMap::new();
    for reason in reasons {
        lines.entry(reason.code).or_default().push(&reason.message);
    }
    let line = |(code, messages): (Code, Vec<&str>)| Decision {
        code,
        what: "reopened",
        file: name.to_owned(),
        sha256: Some(file.sha256),
        message: messages.join("; "),
    };
    lines.into_iter().map(line).collect()
}

/// What is wrong beside the claims.
#[derive(Default)]
struct Beside {
    problems: Vec<ClaimProblem>,
    by_session: BTreeMap<String, Vec<ClaimProblem>>,
    decisions: Vec<Decision>,
}

impl Beside {
    fn of(found: &Found) -> Self {
        let mut beside = Self::default();
        for overlap in overlaps(&found.scopes) {
            let (one, two) = &overlap.owned;
            let message = format!("`{}` owns `{one}` and `{}` owns `{two}`", overlap.first, overlap.second);
            let file = format!("scope-{}.json, scope-{}.json", overlap.first, overlap.second);
            beside.add(Code::ScopeOverlap, file, None, message, &[&overlap.first, &overlap.second]);
        }
        for question in found.questions.iter().filter(|question| !question.answered) {
            let message = format!("`{}` asks: {}", question.session, question.text);
            let file = format!("worker-blocked-{}.json", question.session);
            beside.add(Code::Unanswered, file, Some(question.sha256), message, &[&question.session]);
        }
        for (file, why) in &found.unreadable {
            let file = file.to_string_lossy().into_owned();
            beside.add(Code::Unparseable, file.clone(), None, format!("`{file}` can't be read: {why}"), &[]);
        }
        beside
    }

    fn add(
        &mut self,
        code: Code,
        file: String,
        sha256: Option<crate::digest::Sha256>,
        message: String,
        sessions: &[&String],
    ) {
        let problem = ClaimProblem { code: code.word().to_owned(), message: message.clone() };
        for session in sessions {
            self.by_session.entry((*session).clone()).or_default().push(problem.clone());
        }
        self.problems.push(problem);
        self.decisions.push(Decision { code, what: "noted", file, sha256, message });
    }
}

fn readable(folder: &Path) -> Result<(), Stop> {
    std::fs::read_dir(folder).map(drop).map_err(|error| unreadable(folder, &error))
}

fn unreadable(folder: &Path, error: &std::io::Error) -> Stop {
    Stop::new(Code::Unreadable, format!("the folder can't be read: {error}")).on(folder)
}

/// The words of a command as a shell would split them, without running one.
fn words(text: &str) -> Result<Vec<String>, Stop> {
    let bad = || {
        Stop::new(Code::BadOption, format!("--on-final `{text}` can't be split into words; is a quote open?"))
    };
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        match sign {
            sign if sign.is_whitespace() => words.extend(word.take()),
            '\\' => word.get_or_insert_default().push(signs.next().ok_or_else(bad)?),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match signs.next().ok_or_else(bad)? {
                        '\'' => break,
                        sign => word.push(sign),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match signs.next().ok_or_else(bad)? {
                        '"' => break,
                        '\\' => match signs.next().ok_or_else(bad)? {
                            sign @ ('"' | '\\' | '$' | '`') => word.push(sign),
                            sign => word.extend(['\\', sign]),
                        },
                        sign => word.push(sign),
                    }
                }
            }
            sign => word.get_or_insert_default().push(sign),
        }
    }
    words.extend(word);
    if words.is_empty() {
        return Err(Stop::new(Code::BadOption, "--on-final names no command"));
    }
    Ok(words)
}

impl From<PatrolError> for Stop {
    fn from(error: PatrolError) -> Self {
        Self::new(Code::StoreUnwritable, error.to_string()).on(&error.path)
    }
}

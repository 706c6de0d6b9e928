//! `verify recognize`: is this spec already satisfied?

use std::ffi::OsString;
use std::fs;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use redgreen_parsers::Stream;

use super::checks::{Runner, SeenInRed};
use super::desk::Desk;
use super::gate::{Profile, is_off};
use super::options::Global;
use super::output::Output;
use super::plan_file::{self, PlanFile};
use super::words;
use super::world::{Looking, World};
use super::{Exit, Stop};
use crate::digest::Sha256;
use crate::judge::Code;
use crate::judge::recognition;
use crate::judge::recognition::{
    Facts, Reason, Recognition, Spec, Suite, Verdict, is_satisfied, prompt, read_spec, recognise, unheard,
};
use crate::observe::facts::{Ended, Timestamp};
use crate::observe::process::{self, Cancel, Command};
use crate::observe::{citation, clock, foreign};
use crate::plan::Phase;
use crate::present;
use crate::record::{wire, write_whole};

/// The most bytes of a file that somebody else wrote.
const FOREIGN: u64 = 64 << 20;

/// The most bytes that a judge may print.
const ANSWER: u64 = 4 << 20;

/// Says whether the code already has everything that a spec asks for
///
/// The plan's green checks run now, where there is a plan. A judge of yours, any program, says of each requirement whether it
/// is met; what it says is a claim, and the answer is derived anew. What `done` proves is a floor: the checks pass, and each
/// requirement of the spec was found. It is no proof that the spec is a good one.
#[derive(Debug, Args)]
pub(super) struct Recognize {
    /// The spec, in Markdown
    #[arg(long, value_name = "FILE")]
    spec: PathBuf,

    /// Why the question comes up: `generate` never asks, and `update` may not end in done
    #[arg(long, value_enum, required_unless_present = "filter")]
    action: Option<Action>,

    /// The judge's command, split as a shell would; the prompt comes on its standard input, its answer goes to standard output
    #[arg(long, value_name = "COMMAND", conflicts_with = "argv")]
    judge: Option<String>,

    /// Files that an earlier completion left; without any of them nothing is asked
    #[arg(long, value_name = "FILE", num_args = 1..)]
    prior: Vec<PathBuf>,

    /// How long the judge may take
    #[arg(long, value_name = "TIME", default_value = "180s", value_parser = crate::plan::units::duration)]
    timeout: Duration,

    /// Where the titles of what is satisfied are written when something is missing
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,

    /// Where the completion is written when nothing is
    #[arg(long, value_name = "FILE")]
    completion: Option<PathBuf>,

    /// Where a summary with the evidence is written when nothing is missing, as Markdown
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,

    /// Whose files and variables are meant
    #[arg(long, value_enum)]
    profile: Option<Profile>,

    /// Print this list of tasks without those that the manifest calls satisfied, and do nothing else
    #[arg(long, value_name = "FILE", conflicts_with_all = ["action", "judge", "prior", "completion", "summary", "argv"])]
    filter: Option<PathBuf>,

    /// The judge's command in words
    #[arg(last = true, value_name = "JUDGE")]
    argv: Vec<OsString>,
}

/// Why the question comes up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Action {
    /// A generated spec is used again.
    Reuse,
    /// A spec of the user's is used again.
    UserOwned,
    /// The spec is older than the code.
    Update,
    /// The spec is made anew.
    Generate,
}

impl From<Action> for recognition::Action {
    fn from(action: Action) -> Self {
        match action {
            Action::Reuse => Self::Reuse,
            Action::UserOwned => Self::UserOwned,
            Action::Update => Self::Update,
            Action::Generate => Self::Generate,
        }
    }
}

/// Runs the command.
///
/// # Errors
/// There is no such spec, a wrong plan or a bad option, or something can't be read or written.
pub(super) fn run(
    args: &Recognize,
    global: &Global,
    out: &mut Output,
    cancel: &Cancel,
) -> Result<Exit, Stop> {
    let here = args.profile.and_then(Profile::folder).unwrap_or_else(|| PathBuf::from("."));
    let folder = here.canonicalize().map_err(|why| {
        Stop::new(Code::BadOption, format!("the folder can't be looked at: {why}")).on(&here)
    })?;
    let files = Files::of(args, &folder);
    let bytes = must_read(&args.spec, "the spec")?;
    let prd_sha = Sha256::of(&bytes);
    if let Some(tasks) = &args.filter {
        return filter(tasks, files.manifest.as_deref(), prd_sha, out);
    }
    let text = wire::lenient_text(&bytes);
    let spec = read_spec(&text);
    let asked = Asked { args, global, folder: &folder, files: &files, text: &text, spec: &spec, cancel };
    let answer = asked.answer()?;
    if let Some(signal) = cancel.signal() {
        return Ok(Exit::Cancelled(signal));
    }

    let at = clock::now();
    files.write(&answer.recognition, prd_sha, at)?;
    let action = asked.action();
    if out.is_json() {
        let next = present::recognition::WAYS_OUT;
        out.json(&wire::Recognition::new(&answer.recognition, action, prd_sha, at, next));
    } else {
        let lines = present::recognition::recognition(&answer.recognition, &answer.why);
        let last = lines.len().saturating_sub(1);
        let wanted = |at: usize| !out.is_quiet() || at == 0 || at == last;
        let lines: Vec<_> =
            lines.iter().enumerate().filter(|(at, _)| wanted(*at)).map(|(_, line)| line).collect();
        lines.into_iter().for_each(|line| out.line(line));
    }
    Ok(match answer.recognition.verdict {
        Verdict::Done => Exit::Good,
        Verdict::Incomplete(_) => Exit::Rejected,
        Verdict::Inconclusive(_) => Exit::State,
    })
}

/// Prints a list of tasks without those that are satisfied.
fn filter(tasks: &Path, manifest: Option<&Path>, prd_sha: Sha256, out: &mut Output) -> Result<Exit, Stop> {
    let bytes = must_read(tasks, "the list of tasks")?;
    let unreadable = |why: String| {
        Stop::new(Code::Unreadable, format!("the list of tasks can't be read: {why}")).on(tasks)
    };
    let mut list = wire::TaskList::read(&bytes).map_err(unreadable)?;
    let manifest = manifest.and_then(|path| foreign::read(path, FOREIGN).ok().flatten()).unwrap_or_default();
    let satisfied = wire::Manifest::satisfied(&manifest, prd_sha);
    list.retain(|title| !is_satisfied(title, &satisfied));
    out.raw(&list.write().map_err(|why| unreadable(why.to_string()))?);
    Ok(Exit::Good)
}

fn must_read(path: &Path, what: &str) -> Result<Vec<u8>, Stop> {
    let why = match foreign::read(path, FOREIGN) {
        Ok(Some(bytes)) => return Ok(bytes),
        Ok(None) => "there is no such file".to_owned(),
        Err(why) => why.to_string(),
    };
    Err(Stop::new(Code::BadOption, format!("{what} can't be read: {why}")).on(path))
}

/// The files that are looked at and written, with the profile's paths where none was given.
struct Files {
    priors: Vec<PathBuf>,
    manifest: Option<PathBuf>,
    completion: Option<PathBuf>,
    summary: Option<PathBuf>,
}

impl Files {
    fn of(args: &Recognize, folder: &Path) -> Self {
        let preset = |path: &str| args.profile.map(|Profile::Loki| folder.join(path));
        let priors = [
            ".loki/signals/COMPLETION_REQUESTED",
            ".loki/state/completion.json",
            ".loki/checklist/checklist.json",
        ];
        Self {
            priors: args.prior.iter().cloned().chain(priors.into_iter().filter_map(preset)).collect(),
            manifest: args.manifest.clone().or_else(|| preset(".loki/state/satisfied-requirements.json")),
            completion: args.completion.clone().or_else(|| preset(".loki/state/completion.json")),
            summary: args.summary.clone().or_else(|| preset(".loki/completion-evidence.md")),
        }
    }

    fn write(&self, answer: &Recognition, prd_sha: Sha256, at: Timestamp) -> Result<(), Stop> {
        let put = |path: &Option<PathBuf>, bytes: Result<Vec<u8>, serde_json::Error>| {
            let Some(path) = path else { return Ok(()) };
            let written = bytes.map_err(std::io::Error::other).and_then(|bytes| write_whole(path, &bytes));
            written.map_err(|why| {
                Stop::new(Code::StoreUnwritable, format!("the answer can't be written: {why}")).on(path)
            })
        };
        if let Verdict::Incomplete(_) = answer.verdict {
            return put(&self.manifest, wire::write(&wire::Manifest::new(prd_sha, at, &answer.satisfied)));
        }
        // One of an earlier answer would drop tasks of a full build.
        if let Some(path) = &self.manifest
            && foreign::read(path, FOREIGN)
                .ok()
                .flatten()
                .is_some_and(|bytes| wire::Manifest::is_ours(&bytes))
        {
            fs::remove_file(path).map_err(|why| {
                Stop::new(Code::StoreUnwritable, format!("an earlier manifest can't be removed: {why}"))
                    .on(path)
            })?;
        }
        if answer.verdict == Verdict::Done {
            put(&self.summary, Ok(present::recognition::summary(answer, &at.to_string()).into_bytes()))?;
            put(&self.completion, wire::write(&wire::Completion::new(answer, at)))?;
        }
        Ok(())
    }
}

/// An answer, and what more is known of its reason.
struct Answer {
    recognition: Recognition,
    why: String,
}

struct Asked<'a> {
    args: &'a Recognize,
    global: &'a Global,
    folder: &'a Path,
    files: &'a Files,
    text: &'a str,
    spec: &'a Spec,
    cancel: &'a Cancel,
}

impl Asked<'_> {
    fn action(&self) -> recognition::Action {
        self.args.action.map_or(recognition::Action::Generate, Into::into)
    }

    fn answer(&self) -> Result<Answer, Stop> {
        let unheard =
            |reason, suite, why: String| Ok(Answer { recognition: unheard(reason, self.spec, suite), why });
        if self.action() == recognition::Action::Generate {
            return unheard(Reason::NotArmed, None, String::new());
        }
        let judge = self.judge()?;
        // What is cheap comes first, and can only say that nothing is asked.
        let loki = self.args.profile.is_some();
        let knobs = ["LOKI_DONE_RECOGNITION", "LOKI_REUSE_DONE_RECOG"];
        if is_off("VERIFY_RECOGNIZE") || (loki && knobs.into_iter().any(is_off)) {
            return unheard(Reason::OptedOut, None, String::new());
        }
        if !self.files.priors.iter().any(|prior| prior.exists()) {
            return unheard(Reason::NeverCompleted, None, String::new());
        }
        if self.spec.beyond {
            return unheard(Reason::SpecTooLong, None, String::new());
        }
        if let Some(why) = process::why_not_runnable(&judge) {
            return unheard(Reason::JudgeNotRunnable, None, why);
        }

        let file = plan_file::load_if_there(self.global, self.folder)?;
        let checked = file.as_ref().map(|file| self.check(file)).transpose()?;
        let suite = checked.as_ref().map_or(Suite::Absent, |checked| checked.suite);
        let tests = checked.as_ref().map_or("there is no suite", |checked| checked.says.as_str());
        if self.cancel.signal().is_some() {
            return unheard(Reason::JudgeFailed, Some(suite), String::new());
        }
        let claim = match self.ask(&judge, tests)? {
            Ok(claim) => claim,
            Err((reason, why)) => return unheard(reason, Some(suite), why),
        };
        // A judge may have changed files, if only by keeping a log: the answer is about those that are there now.
        let suite = match (&file, &checked) {
            (Some(file), Some(checked)) if self.moved(file, checked)? => match self.check(file)?.suite {
                Suite::Green => suite,
                again => again,
            },
            _ => suite,
        };
        let facts = Facts { action: self.action(), spec: self.spec, claim, suite };
        Ok(Answer { recognition: recognise(facts), why: String::new() })
    }

    fn judge(&self) -> Result<Command, Stop> {
        let argv: Vec<OsString> = match &self.args.judge {
            Some(text) => words::of_option("--judge", text)?.into_iter().map(Into::into).collect(),
            None => self.args.argv.clone(),
        };
        if argv.is_empty() {
            let why = "no judge is named; give one with `--judge COMMAND`, or behind `--`";
            return Err(Stop::new(Code::BadOption, why));
        }
        let command = Command::new(argv, self.folder);
        Ok(Command { timeout: Some(self.args.timeout), output_limit: ANSWER, ..command })
    }

    /// Runs the plan's green checks. What is red is worth knowing, and no error.
    fn check(&self, file: &PlanFile) -> Result<Checked, Stop> {
        let desk = Desk::without_task(file);
        let seen = SeenInRed::default();
        let bytecode = tempfile::tempdir().map_err(|why| {
            Stop::new(Code::Unreadable, format!("no folder for compiled code can be made: {why}"))
        })?;
        let runner = Runner {
            copy: None,
            file,
            desk: &desk,
            seen: &seen,
            read_all: true,
            jobs: self.global.jobs,
            bytecode: bytecode.path(),
            cancel: self.cancel,
            quiet: self.global.quiet,
        };
        let checks: Vec<_> = file.plan.checks_in(Phase::Green).collect();
        let before = runner.look()?;
        let batch = runner.run(&checks, Phase::Green, &before)?;
        let green = batch.ran.len() == checks.len() && batch.ran.iter().all(super::checks::Ran::passed);
        let mut says = String::new();
        for ran in &batch.ran {
            says += &format!("{}: {}\n", ran.check.id, if ran.passed() { "accepted" } else { "rejected" });
            for problem in &ran.verdict.problems {
                says += &format!("  {}: {}\n", problem.code, problem.message);
            }
        }
        Ok(Checked { suite: if green { Suite::Green } else { Suite::Red }, says, after: batch.after })
    }

    /// Whether files moved since the checks ran.
    fn moved(&self, file: &PlanFile, checked: &Checked) -> Result<bool, Stop> {
        let now = World::look(file, Looking { baseline_ignore: None, read_all: true })?;
        Ok(now.fingerprint != checked.after.fingerprint)
    }

    /// Asks the judge: what it claims, or why it says nothing.
    fn ask(
        &self,
        judge: &Command,
        tests: &str,
    ) -> Result<Result<recognition::Claim, (Reason, String)>, Stop> {
        let mut priors = Vec::new();
        for path in &self.files.priors {
            if let Ok(Some(bytes)) = foreign::read(path, FOREIGN) {
                priors.push((path.display().to_string(), wire::lenient_text(&bytes).into_owned()));
            }
        }
        let unobserved = |why: &dyn std::fmt::Display| {
            Stop::new(Code::Unreadable, format!("the judge can't be observed: {why}"))
        };
        let prompt = prompt(self.text, self.spec, tests, &priors);
        let input = tempfile::tempfile().and_then(|mut file| {
            file.write_all(prompt.as_bytes())?;
            file.seek(SeekFrom::Start(0))?;
            Ok(file)
        });
        let input = input.map_err(|why| unobserved(&why))?;
        let finished = process::run_reading(judge, input, self.cancel).map_err(|why| unobserved(&why))?;
        let silent = |reason, why: &str| Ok(Err((reason, why.to_owned())));
        match &finished.facts.ended {
            Ended::Exit(0) => {}
            Ended::Exit(code) => return silent(Reason::JudgeFailed, &format!("it exited with {code}")),
            Ended::Timeout | Ended::Inactivity => return silent(Reason::JudgeTimedOut, ""),
            Ended::OutputLimit => return silent(Reason::JudgeTooMuch, ""),
            Ended::Signal(signal) => {
                return silent(Reason::JudgeFailed, &format!("signal {signal} ended it"));
            }
            Ended::Cancelled(_) => return silent(Reason::JudgeFailed, "it was cancelled"),
            Ended::NotStarted(why) => return silent(Reason::JudgeNotRunnable, why),
        }
        let answer = finished.transcript.stream(Stream::Out).map_err(|why| unobserved(&why))?;
        if answer.trim_ascii().is_empty() {
            return silent(Reason::JudgeEmpty, "");
        }
        let Some(answer) = wire::JudgeAnswer::read(&answer) else {
            return silent(Reason::JudgeUnparsable, "");
        };
        let never: Vec<_> = self.files.priors.iter().chain([&self.args.spec]).cloned().collect();
        Ok(Ok(answer.claim(|cited| citation::exists(cited, self.folder, &never))))
    }
}

/// What the checks said.
struct Checked {
    suite: Suite,
    says: String,
    after: World,
}

//! `verify gate`: may somebody call this done?

use std::env;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::options::Global;
use super::output::Output;
use super::own_task::{Counts, OwnTask, Surroundings};
use super::{Exit, Stop};
use crate::judge::Family;
use crate::judge::gate::{self, Outcome, Tests, claimed_tests, tests_of};
use crate::observe::diff::{self, Base, Place};
use crate::observe::facts::Diff;
use crate::observe::files::full_path;
use crate::observe::{clock, foreign};
use crate::present;
use crate::record::{wire, write_whole};

/// The most bytes of a file that somebody else wrote.
const FOREIGN: u64 = 16 << 20;

/// Says whether somebody may call this done: did anything change, and are the tests not red?
///
/// It needs no plan. What it proves is a floor, that something changed and that tests are not red. It is no proof that the
/// right thing was built.
#[derive(Debug, Args)]
pub(super) struct Gate {
    /// What happens when something can't be said: `loop` passes, `strict` leaves with 3
    #[arg(long, value_enum, default_value_t = Policy::Loop)]
    policy: Policy,

    /// The commit that the run began at; it wins over the task's own baseline
    #[arg(long, value_name = "SHA", conflicts_with = "start_sha_file")]
    base: Option<String>,

    /// A file with the commit that the run began at
    #[arg(long, value_name = "FILE")]
    start_sha_file: Option<PathBuf>,

    /// A file with the results of a test run, for where the task has no records of its own
    #[arg(long, value_name = "FILE")]
    test_results: Option<PathBuf>,

    /// Where a block is written, and removed on a pass
    #[arg(long, value_name = "FILE")]
    block_file: Option<PathBuf>,

    /// Where what was seen is written, blocked or not
    #[arg(long, value_name = "FILE")]
    details_file: Option<PathBuf>,

    /// Files and folders whose changes don't count
    #[arg(long, value_name = "PATH", num_args = 1..)]
    exclude: Vec<PathBuf>,

    /// The round of the loop, for the files that are written
    #[arg(long, value_name = "N")]
    iteration: Option<u64>,

    /// Whose files and variables are meant
    #[arg(long, value_enum)]
    profile: Option<Profile>,

    /// Pass without reading or writing anything, as with VERIFY_GATE=0
    #[arg(long)]
    off: bool,
}

/// What happens when something can't be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Policy {
    /// It passes.
    Loop,
    /// It leaves with 3.
    Strict,
}

impl From<Policy> for gate::Policy {
    fn from(policy: Policy) -> Self {
        match policy {
            Policy::Loop => Self::Loop,
            Policy::Strict => Self::Strict,
        }
    }
}

/// Whose files and variables are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Profile {
    /// Those of Loki Mode, below `TARGET_DIR`.
    Loki,
}

impl Profile {
    /// The folder that is worked in; `None`: the current one.
    pub(super) fn folder(self) -> Option<PathBuf> {
        env::var_os("TARGET_DIR").filter(|folder| !folder.is_empty()).map(PathBuf::from)
    }
}

/// Whether a variable is set to `0`, which turns something off.
pub(super) fn is_off(name: &str) -> bool {
    env::var_os(name).is_some_and(|value| value == "0")
}

/// What is asked of the gate, with the profile's paths where none was given.
struct Asked {
    folder: PathBuf,
    start_sha_file: Option<PathBuf>,
    test_results: Option<PathBuf>,
    block_file: Option<PathBuf>,
    details_file: Option<PathBuf>,
    exclude: Vec<PathBuf>,
    /// What the environment says of the base.
    captured: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// The plan is wrong, or the folder isn't there.
pub(super) fn run(args: &Gate, global: &Global, out: &mut Output) -> Result<Exit, Stop> {
    let policy = gate::Policy::from(args.policy);
    let loki = args.profile.is_some();
    if args.off || is_off("VERIFY_GATE") || (loki && is_off("LOKI_EVIDENCE_GATE")) {
        if out.is_json() {
            out.json(&wire::Gate::off(policy, clock::now(), args.iteration.unwrap_or(0)));
        } else {
            out.line("gate is off: nothing was looked at");
        }
        return Ok(Exit::Good);
    }
    let asked = Asked::of(args)?;
    let surroundings = Surroundings::find(global, &asked.folder)?;
    let counts = asked.counts(&surroundings.state_dir);
    let mut notes = Vec::new();
    let (own, own_unreadable) = match surroundings.own_task(&counts) {
        Ok(own) => (own, None),
        // Damaged records must not keep red results of others from blocking.
        Err(stop) if stop.code.family() == Family::State => {
            notes.push(format!("the task can't be read: {}", stop.message));
            (None, Some(Tests::unreadable(&stop.message)))
        }
        Err(stop) => return Err(stop),
    };
    let iteration = args.iteration.or_else(|| own.as_ref()?.iteration).unwrap_or(0);

    let diff = asked.diff(args, own.as_ref(), &surroundings, &counts);
    let own_tests = own_unreadable.or_else(|| own?.tests);
    let tests = tests_of(own_tests, || asked.claimed());
    let gate = gate::gate(policy, diff, tests);

    let at = clock::now();
    asked.write(&gate, at, iteration, &mut notes);
    if out.is_json() {
        out.json(&wire::Gate::new(&gate, at, iteration, notes));
    } else {
        let lines = present::gate::gate(&gate, out.is_verbose());
        let wanted = if out.is_quiet() { 1 } else { lines.len() };
        lines.iter().take(wanted).for_each(|line| out.line(line));
        notes.iter().for_each(|note| out.warn(&present::text::safe(note)));
    }
    Ok(match gate.outcome {
        Outcome::Pass => Exit::Good,
        Outcome::Block(_) => Exit::Rejected,
        Outcome::Inconclusive => Exit::State,
    })
}

impl Asked {
    fn of(args: &Gate) -> Result<Self, Stop> {
        let here = args.profile.and_then(Profile::folder).unwrap_or_else(|| PathBuf::from("."));
        let folder = here.canonicalize().map_err(|why| {
            Stop::new(crate::judge::Code::BadOption, format!("the folder can't be looked at: {why}"))
                .on(&here)
        })?;
        let preset = |path: &str| args.profile.map(|Profile::Loki| folder.join(path));
        let given = |path: &Option<PathBuf>| path.clone().filter(|path| !path.as_os_str().is_empty());
        let captured = args.profile.and_then(|Profile::Loki| env::var_os("_LOKI_RUN_START_SHA"));
        let captured =
            captured.map(|sha| sha.to_string_lossy().trim().to_owned()).filter(|sha| !sha.is_empty());
        Ok(Self {
            start_sha_file: given(&args.start_sha_file).or_else(|| preset(".loki/state/start-sha")),
            test_results: given(&args.test_results).or_else(|| preset(".loki/quality/test-results.json")),
            block_file: given(&args.block_file).or_else(|| preset(".loki/council/evidence-block.json")),
            details_file: given(&args.details_file)
                .or_else(|| preset(".loki/council/evidence-gate-details.json")),
            exclude: args.exclude.iter().map(|path| folder.join(path)).chain(preset(".loki")).collect(),
            captured,
            folder,
        })
    }

    /// What the gate itself reads and writes is no work.
    fn counts(&self, state_dir: &Path) -> Counts {
        let own = [&self.start_sha_file, &self.test_results, &self.block_file, &self.details_file];
        Counts::all_but(
            self.exclude.iter().map(PathBuf::as_path).chain([state_dir]),
            own.into_iter().flatten().map(PathBuf::as_path),
        )
    }

    fn diff(&self, args: &Gate, own: Option<&OwnTask>, around: &Surroundings, counts: &Counts) -> Diff {
        let named = args.base.as_deref().map(str::trim).filter(|base| !base.is_empty());
        if let (None, Some(own)) = (named, own) {
            return Diff::Known(own.changed.clone());
        }
        let captured = match named {
            Some(_) => None,
            None => self.captured.clone().or_else(|| self.start_sha()),
        };
        let base = named.map(Base::Named).or_else(|| captured.as_deref().map(Base::Captured));
        let seen = own.and_then(|own| own.world.facts.first());
        let root = seen.map(|facts| full_path(Path::new(""), &facts.root));
        let place = Place {
            folder: &self.folder,
            state_dir: &around.state_dir,
            seen: root.as_deref().zip(seen.map(|facts| &facts.map)),
        };
        let mut diff = diff::since(&place, base);
        if let Diff::Known(changed) = &mut diff {
            let root = diff::root(&self.folder);
            changed.files.retain(|path, _| counts.counts(&root, path));
        }
        diff
    }

    /// What the file with the start says; `None`: nothing.
    fn start_sha(&self) -> Option<String> {
        let bytes = foreign::read(self.start_sha_file.as_deref()?, FOREIGN).ok()??;
        let text = String::from_utf8_lossy(&bytes).trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    fn claimed(&self) -> Tests {
        let Some(path) = &self.test_results else {
            return claimed_tests(None, "there are no records of this task, and no results were named");
        };
        match foreign::read(path, FOREIGN) {
            Ok(Some(bytes)) => {
                let results = wire::TestResults::read(&bytes).map(|results| results.results());
                claimed_tests(results.as_ref(), "the results file is no JSON object")
            }
            Ok(None) => claimed_tests(None, "the results file isn't there"),
            Err(why) => claimed_tests(None, &format!("the results file can't be read: {why}")),
        }
    }

    /// Writes what was seen. What can't be written is told, and changes nothing about the answer: else whoever can make
    /// a folder read-only could turn a block into an error.
    fn write(
        &self,
        gate: &gate::Gate,
        at: crate::observe::facts::Timestamp,
        iteration: u64,
        notes: &mut Vec<String>,
    ) {
        let mut kept = None;
        let mut put = |path: &Path, document: Result<Vec<u8>, serde_json::Error>| {
            let written = document.map_err(std::io::Error::other).and_then(|bytes| write_whole(path, &bytes));
            if let Err(why) = written {
                notes.push(format!("{} can't be written: {why}", path.display()));
            }
        };
        if let Some(path) = &self.block_file {
            match (gate.outcome, wire::GateBlock::new(gate, at, iteration)) {
                (_, Some(block)) => put(path, wire::write(&block)),
                (Outcome::Pass, None) => match remove(path) {
                    Ok(foreign) => kept = foreign,
                    Err(why) => put(path, Err(serde_json::Error::io(why))),
                },
                (_, None) => {}
            }
        }
        if let Some(path) = &self.details_file {
            put(path, wire::write(&wire::GateDetails::new(gate, at, iteration, kept.clone())));
        }
        if let Some(reason) = kept {
            notes.push(format!("a block for another reason (`{reason}`) is left as it is"));
        }
    }
}

/// Removes a block that was the gate's own, or is none at all. Of any other the reason is given, and it stays.
fn remove(path: &Path) -> std::io::Result<Option<String>> {
    let foreign = match foreign::read(path, FOREIGN) {
        Ok(None) => return Ok(None),
        Ok(Some(bytes)) => wire::GateBlock::foreign_reason(&bytes),
        Err(why) => return Err(why),
    };
    if foreign.is_none() {
        std::fs::remove_file(path)?;
    }
    Ok(foreign)
}

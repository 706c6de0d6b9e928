//! The runs of a replay: two controls, and the frozen tests on the sources that the task began with.

use std::collections::HashSet;
use std::path::PathBuf;

use bstr::{BStr, ByteSlice};

use crate::cli::Stop;
use crate::cli::checks::{Ran, Runner, SeenInRed};
use crate::cli::desk::plan_place;
use crate::cli::plan_file::PlanFile;
use crate::cli::progress::Progress;
use crate::cli::stage::Stage;
use crate::cli::world::{Looking, World};
use crate::judge::{
    self, Code, Problem, Replay, ReplayedCheck, product_changes, runs_in_copy, runs_the_copy, to_break,
    unlike_frozen,
};
use crate::observe::checkout::{Checkout, Content, Former, Tree, root_of, unloadable};
use crate::observe::facts::{EntryKind, FileChange, RepositoryFacts};
use crate::observe::files;
use crate::observe::process::Cancel;
use crate::plan::{Check, Phase};
use crate::present::text::safe_bytes;
use crate::record::store::Store;
use crate::record::wire;

/// What a replay rests on.
pub(in crate::cli) struct Proof<'a> {
    /// The stage that asks for it.
    pub(in crate::cli) stage: &'a Stage<'a>,
    /// The state folder.
    pub(in crate::cli) store: &'a Store,
    /// The files as they are.
    pub(in crate::cli) now: &'a World,
    /// What stops a run.
    pub(in crate::cli) cancel: &'a Cancel,
    /// Whether nothing is to be shown while checks run.
    pub(in crate::cli) quiet: bool,
}

/// What came of a replay.
pub(in crate::cli) struct Replayed<'p> {
    /// The answer.
    pub(in crate::cli) outcome: Replay,
    /// The checks as they ran on the baseline's sources; empty when it didn't come to that.
    pub(in crate::cli) ran: Vec<Ran<'p>>,
}

/// A changed file of the product, and what it held; `None`: it wasn't there.
struct Changed<'a> {
    facts: &'a RepositoryFacts,
    change: FileChange,
    former: Option<Content>,
}

/// Why a replay stays undecided, or why it can't go on at all.
enum Halt {
    Undecided(Replay),
    Stop(Stop),
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

/// A copy that can't be made says nothing of the tests.
impl From<std::io::Error> for Halt {
    fn from(why: std::io::Error) -> Self {
        let message = format!(
            "a copy of the work tree can't be made in {:?}: {why}; free space there, or set TMPDIR",
            std::env::temp_dir()
        );
        Self::Undecided(Replay::undecided(Problem::new(Code::NotIsolated, message)))
    }
}

impl<'p> Proof<'_> {
    /// Runs these red checks on the sources that the task began with, after the controls.
    ///
    /// # Errors
    /// A run can't be observed, or the work tree can't be read.
    pub(in crate::cli) fn replay(
        &self,
        checks: &[&'p Check],
        seen: &SeenInRed,
    ) -> Result<Replayed<'p>, Stop> {
        match self.run(checks, seen) {
            Ok(replayed) => Ok(replayed),
            Err(Halt::Undecided(outcome)) => Ok(Replayed { outcome, ran: Vec::new() }),
            Err(Halt::Stop(stop)) => Err(stop),
        }
    }

    fn run(&self, checks: &[&'p Check], seen: &SeenInRed) -> Result<Replayed<'p>, Halt> {
        let changes = self.changes()?;
        let copy = self.copy()?;
        let file = &self.stage.file;
        let file =
            PlanFile { folder: copy.at(&file.folder), state_dir: copy.beside("state"), ..(*file).clone() };
        let runs = Runs { proof: self, copy: &copy, file: &file, seen };

        let today = runs.run("today", checks, Phase::Green)?;
        undecided(judge_runs(&today, runs_in_copy))?;

        let mut any_broken = false;
        for facts in &self.now.facts {
            let of_repository: Vec<_> =
                changes.iter().filter(|it| it.facts.id == facts.id).map(|it| it.change.clone()).collect();
            for change in to_break(&of_repository, &facts.map) {
                let path = change.path.as_bstr();
                let content = Content { kind: EntryKind::File, mode: 0, bytes: unloadable(path) };
                copy.put(&root_of(facts), path, Some(&content))?;
                any_broken = true;
            }
        }
        // Where the product is as it was, today's sources are the baseline's, and were green just now.
        if any_broken {
            let broken = runs.run("broken", checks, Phase::Green)?;
            undecided(judge_runs(&broken, runs_the_copy))?;
        }

        for it in &changes {
            copy.put(&root_of(it.facts), it.change.path.as_bstr(), it.former.as_ref())?;
        }
        runs.put_tests()?;
        let mut ran = runs.run("baseline", checks, Phase::Red)?;
        let mut inventory = seen.inventory.clone();
        let read: Vec<_> = ran.iter().flat_map(|ran| ran.reports.iter().chain(&ran.hidden)).collect();
        judge::name_again(&mut inventory, &mut [], &read);
        let outcome = judge_runs(&ran, |checks| judge::replayed(checks, &inventory));
        ran.iter_mut().for_each(|ran| ran.sources = wire::Sources::Baseline);
        Ok(Replayed { outcome, ran })
    }

    /// The changed files of the product, with what they held.
    fn changes(&self) -> Result<Vec<Changed<'_>>, Halt> {
        let Self { stage, now, .. } = self;
        let kept = self.store.kept(stage.desk.task.task);
        let place = plan_place(stage.file, now);
        let mut changes = Vec::new();
        let mut lost = Vec::new();
        for facts in &now.facts {
            let Some(then) = stage.baseline.repositories.get(&facts.id) else { continue };
            let head = then.git.as_ref().and_then(|git| git.head.as_deref());
            let root = root_of(facts);
            let former = Former::of(&root, head, &facts.map, &kept);
            for change in product_changes(&stage.file.plan, place.as_ref(), &then.map, facts) {
                let entry = then.map.get(&change.path);
                let content = match entry {
                    Some(entry) if entry.kind == EntryKind::Submodule => None,
                    Some(entry) => former.content(entry),
                    None => None,
                };
                let is_submodule =
                    facts.map.get(&change.path).is_some_and(|it| it.kind == EntryKind::Submodule);
                if is_submodule || (entry.is_some() && content.is_none()) {
                    lost.push(self.lost(facts, change.path.as_bstr()));
                }
                changes.push(Changed { facts, change, former: content });
            }
        }
        if lost.is_empty() {
            return Ok(changes);
        }
        lost.truncate(20);
        Err(Halt::Undecided(Replay { answer: judge::ReplayAnswer::NotIsolated, problems: lost }))
    }

    fn lost(&self, facts: &RepositoryFacts, path: &BStr) -> Problem {
        let why = "it was not committed when the task began, and is large, holds a secret, or is a submodule";
        let message = format!("what `{}` held when the task began can't be had: {why}", safe_bytes(path));
        Problem::new(Code::BaselineLost, message).on(&facts.id, path.to_owned())
    }

    fn copy(&self) -> Result<Checkout, Halt> {
        let roots: Vec<PathBuf> = self.now.facts.iter().map(root_of).collect();
        let trees: Vec<_> = roots.iter().zip(&self.now.facts).collect();
        let trees: Vec<_> = trees.into_iter().map(|(root, facts)| Tree { root, map: &facts.map }).collect();
        let file = self.stage.file;
        Ok(Checkout::of(&trees, &file.folder, &file.state_dir)?)
    }
}

/// Runs in a copy.
struct Runs<'a, 'r> {
    proof: &'a Proof<'r>,
    copy: &'a Checkout,
    /// The plan, in the copy.
    file: &'a PlanFile,
    seen: &'a SeenInRed,
}

impl Runs<'_, '_> {
    fn run<'p>(&self, name: &str, checks: &[&'p Check], phase: Phase) -> Result<Vec<Ran<'p>>, Halt> {
        // Nothing that was compiled from other sources may be found.
        let bytecode = self.copy.beside(&format!("bytecode-{name}"));
        let Proof { stage, cancel, quiet, .. } = *self.proof;
        let runner = Runner {
            file: self.file,
            desk: stage.desk,
            seen: self.seen,
            read_all: true,
            copy: Some(self.copy),
            jobs: 1,
            bytecode: &bytecode,
            cancel,
            quiet,
        };
        let progress = Progress::new(quiet);
        let mut services = runner.services();
        let mut ran = Vec::with_capacity(checks.len());
        for check in checks {
            progress.say(&format!("{} ({name})", check.id));
            let ready = services.start(&check.needs, cancel);
            ran.push(runner.run_one(check, phase, ready)?);
            services.end_all_but(&[]);
            if cancel.signal().is_some() {
                let why = "the replay was cancelled before it had an answer";
                return Err(Halt::Undecided(Replay::undecided(Problem::new(Code::Cancelled, why))));
            }
        }
        Ok(ran)
    }

    /// Puts tests, and what steers their runners, as they are today, until the copy holds them as they were frozen.
    fn put_tests(&self) -> Result<(), Halt> {
        let ignore = &self.proof.stage.desk.ignore;
        let mut composed = HashSet::new();
        for _ in 0..3 {
            let copy = World::look(self.file, Looking { baseline_ignore: Some(ignore), read_all: true })?;
            let mut moved = false;
            for (now, copy) in self.proof.now.facts.iter().zip(&copy.facts) {
                for (path, is_inline) in unlike_frozen(now, copy) {
                    let root = root_of(now);
                    let mut content = Checkout::original(&root, path.as_bstr())?;
                    if is_inline {
                        let former = Checkout::original(&self.copy.at(&root), path.as_bstr())?;
                        content = with_tests(path.as_bstr(), former, content)
                            .filter(|_| composed.insert((now.id.clone(), path.clone())));
                        if content.is_none() {
                            return Err(self.inseparable(now, path.as_bstr()));
                        }
                    }
                    self.copy.put(&root, path.as_bstr(), content.as_ref())?;
                    moved = true;
                }
            }
            if !moved {
                return Ok(());
            }
        }
        let why = "the copy of the baseline's sources can't hold the frozen tests as they are";
        Err(Halt::Undecided(Replay::undecided(Problem::new(Code::NotIsolated, why))))
    }

    fn inseparable(&self, facts: &RepositoryFacts, path: &BStr) -> Halt {
        let message = format!(
            "`{}` holds tests that the task wrote and product that it changed, and they can't be put apart",
            safe_bytes(path)
        );
        let why = Problem::new(Code::NotIsolated, message).on(&facts.id, path.to_owned());
        Halt::Undecided(Replay::undecided(why))
    }
}

/// A former file with the tests that it holds today.
fn with_tests(path: &BStr, former: Option<Content>, today: Option<Content>) -> Option<Content> {
    let (former, today) = (former?, today?);
    Some(Content { bytes: files::with_tests(path, &former.bytes, &today.bytes)?, ..former })
}

fn undecided(outcome: Option<Replay>) -> Result<(), Halt> {
    outcome.map_or(Ok(()), |outcome| Err(Halt::Undecided(outcome)))
}

/// Hands runs to a judge.
fn judge_runs<T>(ran: &[Ran<'_>], judge: impl FnOnce(&[ReplayedCheck<'_>]) -> T) -> T {
    let checks = ran.iter().map(|ran| ReplayedCheck {
        id: &ran.check.id,
        verdict: &ran.verdict,
        reports: &ran.reports,
        hidden: &ran.hidden,
    });
    judge(&checks.collect::<Vec<_>>())
}

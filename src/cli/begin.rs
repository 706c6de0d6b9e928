//! `verify begin`: opens a task and records the baseline.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice};
use clap::Args;

use super::desk::{self, Desk};
use super::options::Global;
use super::output::Output;
use super::plan_file::{self, PlanFile};
use super::rules;
use super::world::{Looking, World};
use super::{Exit, Stop};
use crate::digest::Sha256;
use crate::judge::{self, Code, FrozenSet, idle_test_paths, nothing_frozen, to_adopt};
use crate::observe::checkout::{Checkout, root_of};
use crate::observe::clock;
use crate::observe::facts::{ChangeKind, EntryKind, RepositoryFacts};
use crate::observe::git::{Git, GitError, PreexistingChange};
use crate::plan::Phase;
use crate::present::text::{count, safe, safe_bytes};
use crate::record::store::{Keep, Writer};
use crate::record::wire::{self, Frozen, Preexisting, Task, TaskNumber, tag};
use crate::record::{ignore_texts, write_whole};

/// Opens a task and records the baseline of the work tree
#[derive(Debug, Args)]
pub(super) struct Begin {
    /// Begin anew, whatever task is in flight
    #[arg(long, conflicts_with = "resume")]
    fresh: bool,

    /// Go on with the task in flight, with its baseline; begin one when there is none
    #[arg(long)]
    resume: bool,

    /// Take these changes, which are older than the task, into it
    #[arg(long, value_name = "PATH", num_args = 1..)]
    adopt: Vec<PathBuf>,

    /// Write the commit that the task starts from into this file
    #[arg(long, value_name = "FILE")]
    start_sha_file: Option<PathBuf>,

    /// Which round of a stage runner this is: 0 begins anew, a greater one resumes
    #[arg(long, value_name = "N", conflicts_with_all = ["fresh", "resume"])]
    iteration: Option<u64>,
}

/// Runs the command.
///
/// # Errors
/// A task is in flight, a path to adopt has no change, or something can't be read or written.
pub(super) fn run(begin: &Begin, global: &Global, out: &mut Output) -> Result<Exit, Stop> {
    let file = plan_file::load(global)?;
    let mut store = desk::open(&file, global)?;
    let fresh = begin.fresh || begin.iteration == Some(0);
    let resume = begin.resume || begin.iteration.is_some_and(|iteration| iteration > 0);
    let last = store.task()?;
    let in_flight = last.as_ref().filter(|task| task.open);

    if let Some(task) = in_flight
        && !fresh
    {
        if !resume {
            let why = format!(
                "task {} is in flight: `verify begin --resume` goes on with it, `verify begin --fresh` leaves it and begins anew",
                task.task
            );
            return Err(Stop::new(Code::TaskInFlight, why));
        }
        return go_on(begin, &file, &mut store, out);
    }

    let number = last.map_or(TaskNumber(1), |task| task.task.next());
    let look = || World::look(&file, Looking { baseline_ignore: None, read_all: true });
    let mut world = look()?;
    if let Some(path) = &begin.start_sha_file {
        write_start(path, world.head(), fresh || begin.iteration.is_none())?;
        // It may lie in the work tree, and is no change of the task then.
        world = look()?;
    }
    let mut task = baseline(&file, &mut store, &world, number, begin.iteration)?;
    rules::note_before(&file, &world, &mut task)?;
    adopt(begin, &file, &world, &mut task)?;
    let frozen = frozen_at_begin(&file, &world, number);
    store.begin(&task, frozen.as_ref())?;
    keep(&file, &store, &world, &task, out);

    warn_of_tests(&file, &world, out);
    warn_of_changes(&file, &world, &task, out);
    if out.is_json() {
        out.json(&task);
    } else {
        let plural = if world.files() == 1 { "" } else { "s" };
        out.line(&format!("task {number} begun: {} file{plural} recorded as they are", world.files()));
        out.talk(if file.plan.checks_in(Phase::Red).next().is_some() {
            "next: write a test that fails on an assertion, then verify red"
        } else {
            "next: do the work, then verify green"
        });
    }
    Ok(Exit::Good)
}

/// Goes on with the task in flight.
fn go_on(begin: &Begin, file: &PlanFile, store: &mut Writer, out: &mut Output) -> Result<Exit, Stop> {
    let desk = Desk::take(store)?;
    let mut task = desk.task.clone();
    if !begin.adopt.is_empty() {
        let world = World::look(file, Looking { baseline_ignore: Some(&desk.ignore), read_all: false })?;
        adopt(begin, file, &world, &mut task)?;
        store.set_task(&task)?;
    }
    if let Some(path) = &begin.start_sha_file {
        // Where the task began before the first commit, the first one that is seen is captured.
        let began = task.baseline.values().next().and_then(|then| then.head.clone());
        let head = match began {
            Some(head) => Some(head),
            None => head_now(file)?,
        };
        write_start(path, head.as_deref(), false)?;
    }
    if out.is_json() {
        out.json(&task);
    } else {
        out.line(&format!("task {} resumed, with the baseline of {}", task.task, task.started_at));
        out.talk("next: verify status");
    }
    Ok(Exit::Good)
}

/// Records what is there now.
fn baseline(
    file: &PlanFile,
    store: &mut Writer,
    world: &World,
    number: TaskNumber,
    iteration: Option<u64>,
) -> Result<Task, Stop> {
    let at = clock::now();
    let files = store.put_maps(&world.maps())?;
    let mut baseline = BTreeMap::new();
    for facts in &world.facts {
        let git = facts.git.as_ref();
        let then = wire::Baseline {
            git: git.is_some(),
            head: git.and_then(|git| git.head.clone()),
            branch: git.and_then(|git| git.branch.clone()),
            index_sha256: git.and_then(|git| git.index),
            index_flags_sha256: git.and_then(|git| git.index_flags),
            sparse_sha256: git.and_then(|git| git.sparse),
            modes_ignored: git.is_some_and(|git| git.modes_ignored),
            nested: facts.nested.iter().map(|path| wire::PathText::new(path.as_bstr())).collect(),
            ignore: ignore_texts(&facts.ignore),
            files: files.clone(),
            preexisting: preexisting(file, facts)?,
            findings: Vec::new(),
            at,
        };
        baseline.insert(facts.id.clone(), then);
    }
    Ok(Task {
        schema: tag::Task::V1,
        task: number,
        open: true,
        started_at: at,
        plan: file.reference(),
        rebinds: Vec::new(),
        iteration,
        baseline,
    })
}

/// What differs from HEAD already; without git nothing does.
fn preexisting(file: &PlanFile, facts: &RepositoryFacts) -> Result<Vec<Preexisting>, Stop> {
    let path = file.plan.repository(&facts.id).map_or(".", |repository| repository.path.as_str());
    let Some(git) = Git::discover(&file.repository_folder(path))? else { return Ok(Vec::new()) };
    git.is_here()?;
    let mut found: BTreeMap<BString, Preexisting> = BTreeMap::new();
    let include = &file.plan.fingerprint.include;
    for change in git.preexisting(&facts.map)? {
        // An input that counts because the plan says so is no work that somebody has left to commit.
        if change.change == PreexistingChange::Untracked
            && facts.below_path(&change.path).is_some_and(|path| include.matches(path))
        {
            continue;
        }
        let kind = match (change.change, change.sha256) {
            (_, None) => ChangeKind::Deleted,
            (PreexistingChange::Untracked, _) => ChangeKind::Added,
            (PreexistingChange::Staged | PreexistingChange::Unstaged, _) => ChangeKind::Edited,
        };
        let text = wire::PathText::new(change.path.as_bstr());
        let entry = Preexisting {
            path: text.path,
            path_hex: text.path_hex,
            change: kind,
            sha256: change.sha256,
            adopted: false,
            findings: Vec::new(),
        };
        // A file that is staged and edited since is one change: its content in the work tree is what is kept.
        found.insert(change.path, entry);
    }
    Ok(found.into_values().collect())
}

/// Takes the named changes, or those below a named folder, into the task.
fn adopt(begin: &Begin, file: &PlanFile, world: &World, task: &mut Task) -> Result<(), Stop> {
    for named in &begin.adopt {
        let absolute = std::path::absolute(named).map_err(|why| {
            Stop::new(Code::BadOption, format!("the path to adopt can't be read: {why}")).on(named)
        })?;
        let mut any = false;
        for facts in &world.facts {
            let path = file.plan.repository(&facts.id).map_or(".", |repository| repository.path.as_str());
            let folder = file.repository_folder(path);
            let folder = folder.canonicalize().unwrap_or(folder);
            let Some(wanted) = below_root(&absolute, &folder, facts) else { continue };
            let Some(then) = task.baseline.get_mut(&facts.id) else { continue };
            for change in &mut then.preexisting {
                let Some(path) = change.path_bytes() else { continue };
                let inside = wanted.is_empty()
                    || path == wanted
                    || path.strip_prefix(wanted.as_slice()).is_some_and(|rest| rest.first() == Some(&b'/'));
                if inside {
                    change.adopted = true;
                    any = true;
                }
            }
        }
        if !any {
            let why = "there is no change to adopt there; `git status` lists what differs from HEAD";
            return Err(Stop::new(Code::BadOption, why).on(named));
        }
    }
    Ok(())
}

/// A path below a repository's root, in bytes with `/`.
fn below_root(path: &Path, folder: &Path, facts: &RepositoryFacts) -> Option<BString> {
    let depth = facts.prefix.split(|byte| *byte == b'/').filter(|part| !part.is_empty()).count();
    let root = folder.ancestors().nth(depth)?;
    let parent = path.parent().and_then(|parent| parent.canonicalize().ok());
    let path = match (parent, path.file_name()) {
        (Some(parent), Some(name)) => parent.join(name),
        _ => path.to_owned(),
    };
    Some(path.strip_prefix(root).ok()?.as_os_str().as_encoded_bytes().into())
}

/// A plan without a red phase freezes its tests at once.
fn frozen_at_begin(file: &PlanFile, world: &World, number: TaskNumber) -> Option<Frozen> {
    if file.plan.checks_in(Phase::Red).next().is_some() {
        return None;
    }
    let set = FrozenSet::of(&world.facts, Vec::new());
    Some(Frozen::new(number, clock::now(), file.sha256, Vec::new(), &set))
}

/// Keeps what files hold that nobody will know later: they are changed and not committed, or there is no git. A replay
/// needs it. Tests are not among them, since a replay takes those of its own day.
fn keep(file: &PlanFile, store: &Writer, world: &World, task: &Task, out: &mut Output) {
    let mut keep = Keep::default();
    for facts in world.facts.iter().filter(|_| file.plan.checks_in(Phase::Red).next().is_some()) {
        let Some(then) = task.baseline.get(&facts.id) else { continue };
        let changed: BTreeSet<BString> =
            then.preexisting.iter().filter_map(Preexisting::path_bytes).collect();
        let root = root_of(facts);
        for entry in facts.map.entries() {
            let is_test = facts
                .below_path(&entry.path)
                .is_some_and(|path| file.plan.freeze.test_paths.matches(&facts.id, path));
            if is_test || entry.kind == EntryKind::Submodule || (then.git && !changed.contains(&entry.path)) {
                continue;
            }
            match Checkout::size(&root, entry.path.as_bstr()) {
                Some(size) if !keep.has_room(size) => keep.too_large += 1,
                _ => {
                    if let Ok(Some(content)) = Checkout::original(&root, entry.path.as_bstr())
                        && Sha256::of(&content.bytes) == entry.sha256
                    {
                        keep.add(entry.sha256, &content.bytes, store.redactor());
                    }
                }
            }
        }
    }
    store.keep(task.task, &keep);
    if keep.too_large > 0 {
        let files = count(keep.too_large, "file");
        out.warn(&format!(
            "{files} that git doesn't hold are too large to be kept: a replay is undecided where they change"
        ));
    }
}

fn warn_of_tests(file: &PlanFile, world: &World, out: &mut Output) {
    if let Some(nothing) = nothing_frozen(&FrozenSet::of(&world.facts, Vec::new())) {
        out.warn(&format!(
            "{}: {}; write a test there before `verify red`, or correct the patterns in `[freeze]`",
            nothing.code, nothing.message
        ));
        return;
    }
    for pattern in idle_test_paths(&file.plan, &world.facts) {
        out.warn(&format!("`{}` in test_paths matches no file yet", safe(&pattern)));
    }
}

fn warn_of_changes(file: &PlanFile, world: &World, task: &Task, out: &mut Output) {
    let mut paths = BTreeSet::new();
    for facts in &world.facts {
        let Some(then) = task.baseline.get(&facts.id) else { continue };
        let changes: Vec<judge::Preexisting> = then
            .facts(crate::observe::facts::FileMap::default())
            .map(|facts| facts.preexisting)
            .unwrap_or_default();
        for change in to_adopt(&file.plan, facts, &changes) {
            paths.insert(safe_bytes(&change.path));
        }
    }
    if paths.is_empty() {
        return;
    }
    out.warn("these changes are older than the task, and a stage may have to touch them:");
    for path in &paths {
        out.warn(&format!("  {path}"));
    }
    out.warn("commit them, or take them into the task: verify begin --resume --adopt PATH");
}

/// The commit of HEAD in the first repository.
fn head_now(file: &PlanFile) -> Result<Option<String>, Stop> {
    let Some(repository) = file.plan.repositories.first() else { return Ok(None) };
    let git = Git::discover(&file.repository_folder(&repository.path))?;
    Ok(git.map(|git| git.facts()).transpose()?.and_then(|facts| facts.head))
}

/// Writes the commit of HEAD, or an empty file where there is none. What is there already stays, unless `again`.
fn write_start(path: &Path, head: Option<&str>, again: bool) -> Result<(), Stop> {
    if !again && fs::read(path).is_ok_and(|text| !text.trim_ascii().is_empty()) {
        return Ok(());
    }
    let text = head.map(|head| format!("{head}\n")).unwrap_or_default();
    write_whole(path, text.as_bytes()).map_err(|why| {
        Stop::new(Code::StoreUnwritable, format!("the start can't be written: {why}")).on(path)
    })
}

impl From<GitError> for Stop {
    fn from(error: GitError) -> Self {
        Self::new(Code::GitUnreadable, error.to_string()).on(&error.path)
    }
}

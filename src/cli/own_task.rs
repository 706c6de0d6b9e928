//! The task in hand as the gate sees it: what changed since it began, and what its records say of the tests.

use std::path::{Path, PathBuf};

use bstr::BString;

use super::Stop;
use super::desk::Desk;
use super::options::Global;
use super::plan_file::{self, PlanFile};
use super::world::{Looking, World};
use crate::judge::gate::{Evidence, LatestGreen, Tests, own_tests};
use crate::observe::facts::{ChangeSource, Changed};
use crate::observe::files::full_path;
use crate::plan::Phase;
use crate::record::store::Store;

/// What is there of a plan and its task.
pub(super) struct Surroundings {
    /// The plan; `None`: there is none.
    pub(super) file: Option<PlanFile>,
    /// The state folder, which need not be there.
    pub(super) state_dir: PathBuf,
}

/// A task that is open.
pub(super) struct OwnTask {
    /// The round of the loop that began it.
    pub(super) iteration: Option<u64>,
    /// What changed since it began.
    pub(super) changed: Changed,
    /// What its records say; `None`: it has none yet.
    pub(super) tests: Option<Tests>,
    /// What the work tree holds.
    pub(super) world: World,
}

impl Surroundings {
    /// Finds the plan, by its name or by the task that took it, and the state folder.
    ///
    /// # Errors
    /// The plan that is named isn't there, or the plan is wrong.
    pub(super) fn find(global: &Global, folder: &Path) -> Result<Self, Stop> {
        if let Some(file) = plan_file::load_if_there(global, folder)? {
            let state_dir = file.state_dir.clone();
            return Ok(Self { file: Some(file), state_dir });
        }
        let state_dir = global.state_dir.clone().unwrap_or_else(|| folder.join(".verify"));
        let state_dir = std::path::absolute(&state_dir).unwrap_or(state_dir);
        // A plan out of the worker's reach isn't found by looking upward, and its task names it.
        let task = Store::open(&state_dir).ok().and_then(|store| store.task().ok()).flatten();
        let path = task.map(|task| PathBuf::from(task.plan.path)).filter(|path| path.is_file());
        let file = path.map(|path| plan_file::read(&path, global)).transpose()?;
        let file = file.filter(|file| file.state_dir == state_dir);
        Ok(Self { file, state_dir })
    }

    /// Takes up the task that is open; `None`: there is none.
    ///
    /// # Errors
    /// Something of it, or the work tree, can't be read.
    pub(super) fn own_task(&self, counts: &Counts) -> Result<Option<OwnTask>, Stop> {
        let Some(file) = &self.file else { return Ok(None) };
        let store = Store::open(&file.state_dir)?;
        let Some(desk) = Desk::last(&store)?.filter(|desk| desk.task.open) else { return Ok(None) };
        let world = World::look(file, Looking { baseline_ignore: Some(&desk.ignore), read_all: true })?;
        let changed = changed(&desk, &store, &world, counts)?;
        let tests = tests(&desk, file, &world);
        Ok(Some(OwnTask { iteration: desk.task.iteration, changed, tests, world }))
    }
}

fn changed(desk: &Desk, store: &Store, world: &World, counts: &Counts) -> Result<Changed, Stop> {
    let baseline = desk.baseline(store)?;
    let several = world.facts.len() > 1;
    let first = desk.task.baseline.values().next();
    let mut changed = Changed {
        base: first.and_then(|then| then.head.clone()),
        task: Some(desk.task.task.to_string()),
        ..Changed::default()
    };
    for facts in &world.facts {
        let Some(then) = baseline.repositories.get(&facts.id) else { continue };
        let root = full_path(Path::new(""), &facts.root);
        let paths = facts.map.changes_since(&then.map).into_iter().map(|change| change.path);
        let paths = paths.filter(|path| counts.counts(&root, path));
        let named =
            |path: BString| if several { [facts.id.as_bytes(), b":", &path].concat().into() } else { path };
        changed.add(ChangeSource::SinceBaseline, paths.map(named));
    }
    Ok(changed)
}

fn tests(desk: &Desk, file: &PlanFile, world: &World) -> Option<Tests> {
    let same_plan = desk.task.plan.sha256 == file.sha256;
    let latest = file.plan.checks_in(Phase::Green).map(|check| {
        let evidence = desk.latest(&check.id, Phase::Green).map(|(record, evidence, accepted)| {
            let judged =
                evidence.checks.iter().filter(|judged| judged.id == check.id && judged.phase == Phase::Green);
            let judged: Vec<_> = judged.collect();
            let same = judged.iter().all(|judged| judged.check_sha256 == check.sha256());
            let own = evidence.problems.iter();
            let codes = judged
                .iter()
                .flat_map(|judged| &judged.problems)
                .chain(own)
                .map(|problem| problem.code.clone());
            Evidence {
                record: record.strip_suffix(".json").unwrap_or(record),
                accepted,
                same_check: same && same_plan,
                fingerprints: &evidence.fingerprints,
                codes: codes.collect(),
            }
        });
        LatestGreen { check, evidence }
    });
    own_tests(&latest.collect::<Vec<_>>(), &world.fingerprints)
}

/// What counts as a change.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// Files and folders that don't, absolute and without links as far as they are there.
    leave_out: Vec<PathBuf>,
    files: Vec<PathBuf>,
}

impl Counts {
    /// All but what lies at or below these paths, and these files.
    pub(super) fn all_but<'p>(
        paths: impl IntoIterator<Item = &'p Path>,
        files: impl IntoIterator<Item = &'p Path>,
    ) -> Self {
        Self {
            leave_out: paths.into_iter().map(resolved).collect(),
            files: files.into_iter().map(resolved).collect(),
        }
    }

    /// Whether a path below a work tree's root counts.
    pub(super) fn counts(&self, root: &Path, path: &BString) -> bool {
        let full = full_path(root, path);
        !self.files.contains(&full) && !self.leave_out.iter().any(|out| full.starts_with(out))
    }
}

/// Where a path leads, as far as it is there: the rest is kept as it is written.
fn resolved(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).components() {
        match part {
            std::path::Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    let known = plain.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    match known {
        Some((above, real)) => match plain.strip_prefix(above) {
            Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
            _ => real,
        },
        None => plain,
    }
}

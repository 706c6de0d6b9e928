//! Finding the plan, and where its state lies.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Stop;
use super::options::Global;
use crate::digest::Sha256;
use crate::judge::Code;
use crate::plan::{self, Plan, RebindPolicy, Source};
use crate::record::wire::PlanRef;

/// A plan and where it was found.
#[derive(Debug, Clone)]
pub(super) struct PlanFile {
    /// The plan.
    pub(super) plan: Plan,
    /// Its file, absolute.
    pub(super) path: PathBuf,
    /// The folder that it lies in, absolute.
    pub(super) folder: PathBuf,
    /// The hash of its bytes.
    pub sha256: Sha256,
    /// Where records are kept, absolute.
    pub(super) state_dir: PathBuf,
}

/// The name that is looked for upward from the current folder.
pub(super) const PLAN_NAME: &str = "verify.toml";

/// Finds and reads the plan.
///
/// # Errors
/// There is none, it can't be read, or it is wrong.
pub(super) fn load(global: &Global) -> Result<PlanFile, Stop> {
    if let Some(path) = &global.plan {
        return read(path, global);
    }
    let here = std::env::current_dir()
        .map_err(|why| Stop::new(Code::NoPlan, format!("the current folder can't be read: {why}")))?;
    let path = find_above(&here).ok_or_else(|| {
        let why =
            "no verify.toml in this folder or above; `verify init` writes one, `--plan FILE` names another";
        Stop::new(Code::NoPlan, why).on(&here)
    })?;
    read(&path, global)
}

/// Reads the plan that is named, or the nearest one from a folder upward; `None`: there is none.
///
/// # Errors
/// The one that is named isn't there, it can't be read, or it is wrong.
pub(super) fn load_if_there(global: &Global, folder: &Path) -> Result<Option<PlanFile>, Stop> {
    match global.plan.clone().or_else(|| find_above(folder)) {
        Some(path) => read(&path, global).map(Some),
        None => Ok(None),
    }
}

fn find_above(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|folder| folder.join(PLAN_NAME)).find(|path| path.is_file())
}

/// Reads the plan of a file.
///
/// # Errors
/// It isn't there, can't be read, or is wrong.
pub(super) fn read(path: &Path, global: &Global) -> Result<PlanFile, Stop> {
    let unreadable = |why: io::Error| {
        let code = if why.kind() == io::ErrorKind::NotFound { Code::NoPlan } else { Code::PlanInvalid };
        Stop::new(code, format!("the plan can't be read: {why}; `verify init` writes one")).on(path)
    };
    let path = std::path::absolute(path).map_err(unreadable)?;
    let text = fs::read(&path).map_err(unreadable)?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    let folder = folder.canonicalize().map_err(unreadable)?;
    let path = folder.join(path.file_name().unwrap_or_default());
    let name = shown(&path);
    let folder_name = folder.file_name().unwrap_or_default().to_string_lossy();
    let source = Source { name: &name, text: &text, folder_name: &folder_name };
    let plan =
        plan::read(&source).map_err(|faults| Stop::new(Code::PlanInvalid, faults.to_string()).on(&path))?;
    let state_dir = match &global.state_dir {
        Some(dir) => std::path::absolute(dir).map_err(unreadable)?,
        None => folder.join(".verify"),
    };
    let file = PlanFile { plan, sha256: Sha256::of(&text), path, folder, state_dir };
    file.find_repositories()?;
    Ok(file)
}

/// The path relative to the current folder, where that is shorter to read.
fn shown(path: &Path) -> String {
    let here = std::env::current_dir().and_then(|here| here.canonicalize()).unwrap_or_default();
    path.strip_prefix(&here).unwrap_or(path).to_string_lossy().into_owned()
}

impl PlanFile {
    fn find_repositories(&self) -> Result<(), Stop> {
        for repository in &self.plan.repositories {
            let folder = self.repository_folder(&repository.path);
            if !folder.is_dir() {
                let why = format!(
                    "the repository `{}` has the path `{}`, and there is no such folder; correct it in the plan",
                    repository.id, repository.path
                );
                return Err(Stop::new(Code::PlanInvalid, why).on(&folder));
            }
        }
        Ok(())
    }

    /// The name of its file.
    #[must_use]
    pub(super) fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The plan as a task that takes it names it.
    #[must_use]
    pub(super) fn reference(&self) -> PlanRef {
        PlanRef {
            path: self.path.to_string_lossy().into_owned(),
            sha256: self.sha256,
            revision: self.plan.revision.clone(),
            rebind_sha256: match self.plan.freeze.rebind {
                RebindPolicy::Anyone => None,
                RebindPolicy::Token(sha256) => Some(sha256),
            },
        }
    }

    /// The folder of a repository of the plan, as the plan writes it.
    #[must_use]
    pub(super) fn repository_folder(&self, path: &str) -> PathBuf {
        if path == "." { self.folder.clone() } else { self.folder.join(path) }
    }
}

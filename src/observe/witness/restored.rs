//! Which words a runner understands, by the packages that its projects have restored.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use redgreen_parsers::{Restored, Way};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::configuration;

/// Ends of the names of projects, and of solutions, which list projects.
const PROJECT: &str = "proj";
const SOLUTIONS: &[&str] = &[".sln", ".slnx", ".slnf"];

/// What a restore wrote that is longer than this isn't read.
const LONGEST: u64 = 64 << 20;

/// What a restore writes below a project: its packages by `Name/version`.
#[derive(Debug, Deserialize)]
struct Assets {
    #[serde(default)]
    libraries: BTreeMap<String, IgnoredAny>,
}

impl Assets {
    fn of(project: &Path) -> Option<Self> {
        let path = project.join("obj/project.assets.json");
        fs::metadata(&path).ok().filter(|about| about.is_file() && about.len() <= LONGEST)?;
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }

    fn has(&self, package: &str) -> bool {
        self.libraries.keys().any(|library| library.starts_with(package))
    }
}

/// How the runner of these projects is asked, or why it isn't.
pub(super) fn way<'r>(restored: &'r Restored, projects: &[PathBuf]) -> Result<&'r Way, String> {
    let assets = projects.iter().filter_map(|project| Assets::of(project));
    let tested: Vec<_> = assets.filter(|assets| assets.has(&restored.platform)).collect();
    if tested.is_empty() {
        return Err(format!(
            "no `obj/project.assets.json` names `{}`: it is asked for a report when its projects are restored",
            restored.platform.trim_end_matches('/')
        ));
    }
    let understood = |way: &&Way| tested.iter().all(|assets| assets.has(&way.package));
    restored.way.iter().find(understood).ok_or_else(|| {
        let name = |way: &Way| format!("`{}`", way.package.trim_end_matches('/'));
        let packages: Vec<_> = restored.way.iter().map(name).collect();
        format!("its projects don't all have one package that writes a report: {}", packages.join(" or "))
    })
}

/// The folders of the projects that a command is given by its words, or else finds where it runs.
pub(super) fn projects(words: &[String], cwd: &Path) -> Vec<PathBuf> {
    let given = words.iter().filter(|word| !word.starts_with('-')).map(|word| cwd.join(word));
    let mut given: Vec<_> =
        given.filter(|path| is_solution(path) || is_project(path) || path.is_dir()).collect();
    if given.is_empty() {
        given.push(cwd.to_owned());
    }
    let mut projects: Vec<_> = given.iter().flat_map(|path| of_path(path)).collect();
    projects.sort_unstable();
    projects.dedup();
    projects
}

fn of_path(path: &Path) -> Vec<PathBuf> {
    if path.is_dir() {
        let entries = fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
        return entries.filter(|path| path.is_file()).flat_map(|path| of_path(&path)).collect();
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    if is_project(path) {
        return vec![folder.to_owned()];
    }
    if !is_solution(path) {
        return Vec::new();
    }
    let text = configuration::text(path).unwrap_or_default();
    // Every form of solution quotes the path of a project; the old ones separate folders as Windows does.
    let quoted = text.split('"').map(|word| word.replace("\\\\", "/").replace('\\', "/"));
    let listed = quoted.filter(|word| is_project(Path::new(word))).map(|word| folder.join(word));
    listed.filter_map(|project| project.parent().map(Path::to_owned)).collect()
}

fn is_project(path: &Path) -> bool {
    let end = path.extension().unwrap_or_default().to_string_lossy();
    end.len() > PROJECT.len() && end.ends_with(PROJECT)
}

fn is_solution(path: &Path) -> bool {
    let name = path.to_string_lossy();
    SOLUTIONS.iter().any(|end| name.ends_with(end))
}

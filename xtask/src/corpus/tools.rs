//! The tools that a format is recorded with, and their flag sets: `_seed/tools.toml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::runners;
use crate::shell::{self, Done, target};

/// `_seed/tools.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tools {
    pub(super) flags: BTreeMap<String, Flags>,
    pub(super) tool: Vec<Tool>,
}

/// A named set of flags.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Flags {
    #[serde(default)]
    pub(super) args: Vec<String>,
    #[serde(default)]
    pub(super) env: BTreeMap<String, String>,
    /// Plugins that these flags need.
    #[serde(default)]
    pub(super) plugins: Vec<String>,
    /// Both streams in one file.
    #[serde(default)]
    pub(super) merged: bool,
    /// The tool writes to a pseudo-terminal.
    #[serde(default)]
    pub(super) terminal: bool,
    /// Tools that know these flags; all if empty.
    #[serde(default)]
    pub(super) only: Vec<String>,
    /// What of a failed run no reader of this console can know, and why.
    pub(super) hides: Option<String>,
    #[serde(default)]
    pub(super) dotnet: super::dotnet::Flags,
}

/// A tool in one version.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) version: String,
    /// Who runs it, and where truth comes from.
    pub(super) producer: Producer,
    /// Packages from the registry, with their versions.
    #[serde(default)]
    pub(super) packages: Vec<String>,
    /// The version of Python that runs it, where that matters.
    #[serde(default)]
    pub(super) python: Option<String>,
    /// A command that says its version, where the system has it.
    #[serde(default)]
    pub(super) says_version: Vec<String>,
    /// What to install if it isn't there.
    #[serde(default)]
    pub(super) system_package: Option<String>,
    /// Flag sets that every seed is run with.
    #[serde(default)]
    pub(super) flags: Vec<String>,
    /// Only seeds that name it are run with it.
    #[serde(default)]
    pub(super) on_request: bool,
    /// What tells it from the same tool in the same version: another host, another language.
    pub(super) variant: Option<String>,
    /// How the projects of a tool of .NET are made.
    pub(super) dotnet: Option<super::dotnet::Stack>,
    /// It is run with these, with its own flags, whatever they name; and else only with those that name it.
    #[serde(default)]
    pub(super) seeds: Vec<String>,
}

/// The ways of running a tool and of knowing what is true of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Producer {
    /// pytest, with a plugin that listens to its hooks.
    Pytest,
    /// pytest with `pytest-tap`, and the same plugin.
    PytestTap,
    /// `python -m unittest`, with a result class.
    Unittest,
    /// Django's `manage.py test`, nose2, trial or zope.testrunner, with ears in it.
    Django,
    Nose2,
    Trial,
    Zope,
    /// `node --test`, with a second reporter.
    Node,
    /// jest, with a second reporter.
    Jest,
    /// vitest, with its JSON reporter beside the other.
    Vitest,
    /// Perl scripts, whose output `TAP::Parser` reads.
    Perl,
    /// `prove -v` on Perl scripts, each of which is also run by itself for `TAP::Parser`.
    Prove,
    /// The seed's own command; it is true what its header says.
    Script,
    /// The same, and the recording is the JUnit XML that it writes.
    Junit,
    /// `dotnet test`, with a TRX file.
    Dotnet,
}

impl Tool {
    /// The name of its folder.
    pub(super) fn folder(&self) -> String {
        let variant = self.variant.as_ref().map_or(String::new(), |variant| format!("-{variant}"));
        format!("{}-{}{variant}", self.name, self.version)
    }

    /// Whether a seed means it: by name, or by name and the start of the version.
    pub(super) fn is(&self, wanted: &str) -> bool {
        let Some(version) = wanted.strip_prefix(&self.name) else { return false };
        let starts = |start| {
            let rest = self.version.strip_prefix(start);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        version.is_empty() || version.strip_prefix('-').is_some_and(starts)
    }
}

/// A tool that is there.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) program: PathBuf,
    /// Where its packages lie, if it has some.
    pub(super) home: PathBuf,
    /// Paths of this machine, and what stands for them in a recording.
    pub(super) replace: Vec<(String, String)>,
}

impl Tools {
    pub(super) fn load(folder: &Path) -> Done<Self> {
        let path = folder.join("tools.toml");
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()).into())
    }

    pub(super) fn flags(&self, name: &str) -> Done<&Flags> {
        self.flags.get(name).ok_or_else(|| format!("tools.toml has no flags `{name}`").into())
    }
}

/// Gets the tool, or says why it can't be had.
pub(super) fn provision(tool: &Tool) -> Done<Found> {
    let home = target().join("runners").join("corpus").join(tool.folder());
    let at = |path: &Path| path.display().to_string();
    match tool.producer {
        Producer::Pytest | Producer::PytestTap => {
            let program = runners::environment(&home, "python3", &tool.packages)?;
            let prefix = prefix(&program)?;
            let replace = vec![(at(&home), "/opt/venv".to_owned()), (prefix, "/usr".to_owned())];
            Ok(Found { program, home, replace })
        }
        Producer::Django | Producer::Nose2 | Producer::Trial | Producer::Zope => {
            let version = tool.python.as_deref().ok_or("tools.toml names no `python` for it")?;
            let python = interpreter(version)?;
            let program = runners::environment(&home, &at(&python), &tool.packages)?;
            let replace = vec![(at(&home), "/opt/venv".to_owned()), (prefix(&program)?, "/usr".to_owned())];
            Ok(Found { program, home, replace })
        }
        Producer::Unittest => {
            let program = interpreter(&tool.version)?;
            let replace = vec![(prefix(&program)?, "/usr".to_owned())];
            Ok(Found { program, home, replace })
        }
        Producer::Junit if tool.packages.iter().any(|package| package.contains("==")) => {
            let program = runners::environment(&home, "python3", &tool.packages)?;
            let replace = vec![(at(&home), "/opt/venv".to_owned()), (prefix(&program)?, "/usr".to_owned())];
            Ok(Found { program, home, replace })
        }
        Producer::Jest => {
            runners::packages(&home, &tool.packages)?;
            Ok(Found { program: which("node")?, home, replace: Vec::new() })
        }
        Producer::Node | Producer::Vitest | Producer::Script | Producer::Junit
            if !tool.packages.is_empty() =>
        {
            runners::packages(&home, &tool.packages)?;
            let own = home.join("node_modules/node/bin/node");
            let program = if own.is_file() { own } else { which("node")? };
            Ok(Found { program, replace: vec![(at(&home), PROJECT_OF_PACKAGES.to_owned())], home })
        }
        _ if !tool.says_version.is_empty() => system(tool, home),
        Producer::Node | Producer::Vitest => has_version(which("node")?, &["--version"], &tool.version, home),
        Producer::Perl => {
            let say = ["-MTest::More", "-e", "print $Test::More::VERSION"];
            has_version(which("perl")?, &say, &tool.version, home)
        }
        Producer::Prove => {
            let say = ["-MTAP::Harness", "-e", "print $TAP::Harness::VERSION"];
            let perl = has_version(which("perl")?, &say, &tool.version, home)?;
            Ok(Found { program: which("prove")?, ..perl })
        }
        Producer::Script | Producer::Junit => {
            Ok(Found { program: PathBuf::new(), home, replace: Vec::new() })
        }
        Producer::Dotnet => super::dotnet::provision(),
    }
}

/// Packages are linked into each project; a stack trace shows where the link leads.
const PROJECT_OF_PACKAGES: &str = "/srv/kit";

/// What the system has, in the version that is wanted.
fn system(tool: &Tool, home: PathBuf) -> Done<Found> {
    let (program, say) = tool.says_version.split_first().ok_or("`says_version` is empty")?;
    let say: Vec<&str> = say.iter().map(String::as_str).collect();
    which(program).and_then(|program| has_version(program, &say, &tool.version, home)).map_err(|why| {
        match &tool.system_package {
            Some(package) => format!("{why}; install the system's package `{package}`").into(),
            None => why,
        }
    })
}

fn has_version(program: PathBuf, arguments: &[&str], version: &str, home: PathBuf) -> Done<Found> {
    let said = shell::read(Command::new(&program).args(arguments))?;
    // `v20.1.0`, `Bats 1.8.2`, `PHPUnit 9.5.28 by …`.
    if said.contains(version) {
        return Ok(Found { program, home, replace: Vec::new() });
    }
    Err(format!("{} is {said}, not {version}", program.display()).into())
}

pub(super) fn which(program: &str) -> Done<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|path| path.is_file())
        .ok_or_else(|| format!("there is no `{program}` on PATH").into())
}

/// An interpreter of exactly this version: on `PATH`, or where pyenv keeps them.
fn interpreter(version: &str) -> Done<PathBuf> {
    let short: Vec<&str> = version.split('.').take(2).collect();
    let name = format!("python{}", short.join("."));
    let root = std::env::var_os("PYENV_ROOT").map(PathBuf::from);
    let root = root.or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".pyenv")));
    let kept = root.map(|root| root.join("versions").join(version).join("bin").join(&name));
    let candidates = [Some(PathBuf::from("/usr/bin").join(&name)), kept, which(&name).ok()];
    let is_it = |program: &PathBuf| {
        let said =
            Command::new(program).args(["-c", "import platform; print(platform.python_version())"]).output();
        said.is_ok_and(|said| String::from_utf8_lossy(&said.stdout).trim() == version)
    };
    candidates
        .into_iter()
        .flatten()
        .find(is_it)
        .ok_or_else(|| format!("there is no Python {version} here").into())
}

fn prefix(program: &Path) -> Done<String> {
    shell::read(
        Command::new(program).args(["-c", "import sys; print(getattr(sys, 'base_prefix', sys.prefix))"]),
    )
}

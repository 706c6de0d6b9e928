//! Seed projects: small projects whose runs are recorded, each one file in the txtar manner.
//!
//! Before the first `-- path --` line stands a header in TOML: why the project is there, with which tools and flags it
//! is run, and what is true by construction where no channel can say it.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::recording::{TrueCase, TrueProblem};
use crate::shell::Done;

/// A project to run.
#[derive(Debug)]
pub(super) struct Seed {
    pub(super) name: String,
    pub(super) header: Header,
    /// Path below the project's root, and content.
    pub(super) files: Vec<(String, Vec<u8>)>,
}

/// What the header of a seed says.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    pub(super) why: String,
    /// Tools, as `name` or `name-version` with any tail left out; all that run without being asked if empty.
    #[serde(default)]
    pub(super) tools: Vec<String>,
    /// Flag sets, instead of those of the tool.
    #[serde(default)]
    pub(super) flags: Vec<String>,
    /// Flag sets beside those of the tool.
    #[serde(default)]
    pub(super) also: Vec<String>,
    /// Plugins that are loaded.
    #[serde(default)]
    pub(super) plugins: Vec<String>,
    /// Arguments behind those of the flag set.
    #[serde(default)]
    pub(super) args: Vec<String>,
    /// Reporters beside the channel of truth.
    #[serde(default = "default_reporter")]
    pub(super) reporters: Vec<String>,
    #[serde(default)]
    pub(super) env: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) truth: ByConstruction,
    /// How a project of .NET is built and run, and what is true of it.
    pub(super) dotnet: Option<super::dotnet::Header>,
}

fn default_reporter() -> Vec<String> {
    vec!["default".to_owned()]
}

/// What is true because the project is made so. It stands in place of what the channel says.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ByConstruction {
    pub(super) completeness: Option<String>,
    pub(super) totals: Option<BTreeMap<String, u64>>,
    /// `status id`, `status:kind id`, `status:kind+kind id`.
    pub(super) cases: Option<Vec<String>>,
    pub(super) problems: Option<Vec<TrueProblem>>,
    /// What failures mean, where the channel knows that something failed and not why: `kind id`.
    #[serde(default)]
    pub(super) kinds: Vec<String>,
    /// The plan and the results differ.
    #[serde(default)]
    pub(super) plan_mismatch: bool,
    /// The output contradicts itself in another way.
    #[serde(default)]
    pub(super) contradiction: bool,
    /// Why no reader of the console could know it all.
    pub(super) why_not: Option<String>,
    /// The flag sets of which that holds; all if empty.
    #[serde(default)]
    pub(super) why_not_with: Vec<String>,
    /// The tools' versions of which that holds; all if empty.
    #[serde(default)]
    pub(super) why_not_of: Vec<String>,
}

impl ByConstruction {
    pub(super) fn cases(&self) -> Done<Option<Vec<TrueCase>>> {
        let Some(lines) = &self.cases else { return Ok(None) };
        let parse = |line: &String| {
            let (how, id) = line.split_once(' ').ok_or_else(|| format!("`{line}` is no `status id`"))?;
            let (status, kinds) = how.split_once(':').unwrap_or((how, ""));
            let mut kinds: Vec<String> =
                kinds.split('+').filter(|kind| !kind.is_empty()).map(str::to_owned).collect();
            kinds.sort();
            Ok(TrueCase {
                id: id.to_owned(),
                status: status.to_owned(),
                kinds,
                also_kinds: Vec::new(),
                visible: true,
            })
        };
        lines.iter().map(parse).collect::<Done<_>>().map(Some)
    }
}

/// Reads the seeds of a format's `_seed` folder, in order of their names.
pub(super) fn all(folder: &Path) -> Done<Vec<Seed>> {
    let mut seeds = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".txtar")) else {
            continue;
        };
        seeds.push(
            parse(name, &std::fs::read(&path)?).map_err(|error| format!("{}: {error}", path.display()))?,
        );
    }
    seeds.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(seeds)
}

fn parse(name: &str, text: &[u8]) -> Done<Seed> {
    let mut header = Vec::new();
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let marker = std::str::from_utf8(line)
            .ok()
            .and_then(|line| line.trim_end().strip_prefix("-- ").and_then(|rest| rest.strip_suffix(" --")));
        match (marker, files.last_mut()) {
            (Some(path), _) => files.push((path.to_owned(), Vec::new())),
            (None, Some((_, content))) => content.extend_from_slice(line),
            (None, None) => header.extend_from_slice(line),
        }
    }
    let header = toml::from_str(std::str::from_utf8(&header)?)?;
    Ok(Seed { name: name.to_owned(), header, files })
}

impl Seed {
    /// Writes the project below this folder. A file whose path ends in `*` is made executable.
    pub(super) fn write(&self, root: &Path) -> Done {
        for (path, content) in &self.files {
            let (path, program) = path.strip_suffix('*').map_or((path.as_str(), false), |path| (path, true));
            let whole = root.join(path);
            if let Some(folder) = whole.parent() {
                std::fs::create_dir_all(folder)?;
            }
            std::fs::write(&whole, content)?;
            if program {
                executable(&whole)?;
            }
        }
        Ok(())
    }
}

#[cfg(unix)]
fn executable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn executable(_: &Path) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_header_and_files() {
        let text = b"why = \"x\"\nflags = [\"v\"]\n[truth]\ncases = [\"failed:setup+assertion a b\"]\n-- t/a.py --\none\n\n-- b* --\ntwo\n";
        let seed = parse("s", text).unwrap();
        assert_eq!(
            (seed.header.why.as_str(), seed.header.flags.as_slice()),
            ("x", ["v".to_owned()].as_slice())
        );
        assert_eq!(seed.files[0], ("t/a.py".to_owned(), b"one\n\n".to_vec()));
        assert_eq!(seed.files[1], ("b*".to_owned(), b"two\n".to_vec()));
        let cases = seed.header.truth.cases().unwrap().unwrap();
        assert_eq!((cases[0].id.as_str(), cases[0].kinds.join(" ")), ("a b", "assertion setup".to_owned()));
    }

    #[test]
    fn a_word_that_no_header_has_is_an_error() {
        assert!(parse("s", b"why = \"x\"\nflag = 1\n").is_err());
        assert!(parse("s", b"flags = []\n").is_err(), "why is missing");
    }
}

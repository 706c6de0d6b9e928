//! `verify init`: finds the project's runners and writes a plan. It never overwrites one.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use crate::observe::project;
use crate::plan::template::{self, Found};

/// How `verify init` ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Init {
    /// The plan was written, or shown where it was to be shown only.
    Written,
    /// No runner was found whose output can be read.
    NothingFound,
    /// A plan is there already.
    PlanThere,
}

impl Init {
    /// 0 or 3.
    #[must_use]
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Written => 0,
            Self::NothingFound | Self::PlanThere => 3,
        }
    }
}

/// Looks for runners beside where the plan is to be, and writes it. A dry run prints it to `data` instead; all else
/// that is said goes to `talk`.
///
/// # Errors
/// When the folder can't be read, the plan can't be written, or `data` or `talk` can't.
pub fn run(plan: &Path, dry_run: bool, data: &mut dyn Write, talk: &mut dyn Write) -> io::Result<Init> {
    let folder = match plan.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let found = project::look(folder)?;
    let Some(text) = template::write(&found) else {
        nothing_found(&found, talk)?;
        return Ok(Init::NothingFound);
    };
    if dry_run {
        data.write_all(text.as_bytes())?;
        return Ok(Init::Written);
    }
    // Made new or not at all, so that two at once can't overwrite each other either.
    match File::create_new(plan) {
        Ok(mut file) => file.write_all(text.as_bytes())?,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            writeln!(
                talk,
                "{} is there already and stays as it is; `verify init --dry-run` shows another",
                show(plan)
            )?;
            return Ok(Init::PlanThere);
        }
        Err(error) => return Err(error),
    }
    writeln!(talk, "wrote {}", show(plan))?;
    for runner in &found.runners {
        writeln!(talk, "  {}, found by {}", show_words(&runner.command), runner.evidence.escape_debug())?;
    }
    for unread in &found.unread {
        let (name, evidence) = (unread.name.escape_debug(), unread.evidence.escape_debug());
        writeln!(talk, "  {name}, found by {evidence}, can't be read yet")?;
    }
    writeln!(talk, "next: `verify begin`")?;
    Ok(Init::Written)
}

fn nothing_found(found: &Found, talk: &mut dyn Write) -> io::Result<()> {
    writeln!(talk, "no test runner was found whose output can be read")?;
    for unread in &found.unread {
        let (name, evidence) = (unread.name.escape_debug(), unread.evidence.escape_debug());
        writeln!(talk, "  {name}, found by {evidence}, can't be read yet")?;
    }
    writeln!(
        talk,
        "any command can be read by the parser `generic`, with a `success_pattern` and a `failure_pattern`"
    )
}

fn show(path: &Path) -> String {
    path.to_string_lossy().escape_debug().to_string()
}

fn show_words(command: &[String]) -> String {
    command.join(" ").escape_debug().to_string()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Runs in a folder with these files: how it ended, what it printed, what it said, and the plan there is after it.
    fn init(files: &[(&str, &str)], dry_run: bool) -> (Init, String, String, Option<String>) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            fs::write(folder.path().join(path), text).unwrap();
        }
        let plan = folder.path().join("verify.toml");
        let (mut data, mut talk) = (Vec::new(), Vec::new());
        let end = run(&plan, dry_run, &mut data, &mut talk).unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (end, text(data), text(talk), fs::read_to_string(plan).ok())
    }

    const TEST: (&str, &str) = ("test_a.py", "def test_a(): pass\n");

    #[test]
    fn a_plan_is_written() {
        let (end, data, talk, plan) = init(&[TEST], false);
        assert_eq!((end, end.exit_code(), data.as_str()), (Init::Written, 0, ""));
        assert!(talk.contains("python3 -m pytest -v, found by test_a.py\n"), "{talk}");
        assert!(plan.unwrap().contains("parser = \"pytest\""));
    }

    #[test]
    fn a_dry_run_prints_it() {
        let (end, data, talk, plan) = init(&[TEST], true);
        assert_eq!((end, talk.as_str(), plan), (Init::Written, "", None));
        assert!(data.contains("parser = \"pytest\""));
    }

    #[test]
    fn a_plan_is_never_overwritten() {
        let (end, _, talk, plan) = init(&[TEST, ("verify.toml", "mine")], false);
        assert_eq!((end, end.exit_code(), plan.as_deref()), (Init::PlanThere, 3, Some("mine")));
        assert!(talk.contains("is there already"), "{talk}");
    }

    #[test]
    fn without_a_runner_nothing_is_written() {
        let (end, _, talk, plan) = init(&[("go.mod", "")], false);
        assert_eq!((end, end.exit_code(), plan), (Init::NothingFound, 3, None));
        assert!(talk.contains("go test, found by go.mod, can't be read yet"), "{talk}");
    }
}

//! The real test runners that the end-to-end tests use: provisioned where they can be had, named where they can't.
//!
//! `target/runners/bin/` holds a link for each runner, under the name that `tests/support/runners.rs` looks for.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::shell::{self, Done, cargo, target};

/// A runner, and how it is had.
struct Runner {
    /// Its name in `target/runners/bin/`.
    name: &'static str,
    from: From,
}

enum From {
    /// Installed from the package index into a virtual environment of its own; the program of that name in it.
    Pip { requirement: &'static str, program: &'static str },
    /// What the system has.
    System { program: &'static str, version: &'static [&'static str] },
}

/// What is provisioned, newest first. A change here makes the next run provision anew.
const RUNNERS: &[Runner] = &[
    Runner { name: "pytest", from: From::Pip { requirement: "pytest==9.2.0", program: "pytest" } },
    Runner { name: "pytest-8", from: From::Pip { requirement: "pytest==8.3.5", program: "pytest" } },
    Runner { name: "pytest-7", from: From::Pip { requirement: "pytest==7.4.4", program: "pytest" } },
    // unittest comes with it.
    Runner {
        name: "python3",
        from: From::System {
            program: "python3",
            version: &["-c", "import platform; print(platform.python_version())"],
        },
    },
    Runner {
        name: "prove",
        from: From::System {
            program: "prove",
            version: &["-MTAP::Harness", "-e", "print $TAP::Harness::VERSION"],
        },
    },
];

/// Where the table of runners is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Table {
    /// So that the output ends with the tests' own result.
    BeforeTheTests,
    /// Where a person looks.
    AtTheEnd,
}

/// Provisions what can be, then runs the tests with it.
pub(crate) fn test(arguments: &[&str], table: Table) -> Done {
    let folder = target().join("runners");
    std::fs::create_dir_all(folder.join("bin"))
        .map_err(|error| format!("{} could not be made: {error}", folder.display()))?;
    let rows: Vec<Row> = RUNNERS.iter().map(|runner| provision(&folder, runner)).collect();
    let shown = shown(&rows);
    let required: Vec<&str> = rows.iter().filter(|row| row.found.is_ok()).map(|row| row.name).collect();
    if table == Table::BeforeTheTests {
        eprint!("{shown}");
    }
    let mut tests = cargo(&["test", "--workspace"]);
    tests.args(arguments);
    tests.env("VERIFY_RUNNERS", &folder).env("VERIFY_RUNNERS_REQUIRED", required.join(","));
    let done = shell::run(&mut tests);
    if table == Table::AtTheEnd {
        eprint!("{shown}");
    }
    done
}

struct Row {
    name: &'static str,
    /// Version and path, or why it is not there.
    found: Result<(String, PathBuf), String>,
}

fn provision(folder: &Path, runner: &Runner) -> Row {
    let link = folder.join("bin").join(runner.name);
    let found = match runner.from {
        From::Pip { requirement, program } => pip(folder, runner.name, requirement, program),
        From::System { program, version } => system(program, version),
    };
    // A link of an earlier run must not stand for a runner that is gone.
    let found = found.and_then(|(version, path)| relink(&link, &path).map(|()| (version, path)));
    if found.is_err() {
        let _ = std::fs::remove_file(&link);
    }
    Row { name: runner.name, found: found.map_err(|error| error.to_string()) }
}

/// A virtual environment with one requirement. Its stamp is written last, so that a broken one is made anew.
fn pip(folder: &Path, name: &str, requirement: &str, program: &str) -> Done<(String, PathBuf)> {
    let home = folder.join(name);
    let (program, stamp) = (home.join("bin").join(program), home.join("stamp"));
    let version = requirement.rsplit('=').next().unwrap_or(requirement).to_owned();
    let stamped = std::fs::read_to_string(&stamp).is_ok_and(|text| text == requirement);
    if stamped && works(&program) {
        return Ok((version, program));
    }
    eprintln!("provisioning {requirement} into {}", home.display());
    let _ = std::fs::remove_dir_all(&home);
    shell::read(Command::new("python3").args(["-m", "venv"]).arg(&home))?;
    let mut install = Command::new(home.join("bin").join("python3"));
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", requirement]);
    shell::read(&mut install)?;
    if !works(&program) {
        return Err(format!("{} was installed and does not start", program.display()).into());
    }
    std::fs::write(&stamp, requirement)?;
    Ok((version, program))
}

fn works(program: &Path) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn system(program: &str, version: &[&str]) -> Done<(String, PathBuf)> {
    let path = which(program).ok_or_else(|| format!("there is no `{program}` on PATH"))?;
    let version = match program {
        // prove has no short way to say its version, and perl is what runs it.
        "prove" => shell::read(Command::new("perl").args(version))?,
        // A launcher in front of Python looks at the folder that it is called in; the tests want the program itself.
        "python3" => {
            let path = shell::read(Command::new(&path).args(["-c", "import sys; print(sys.executable)"]))?;
            return Ok((shell::read(Command::new(&path).args(version))?, path.into()));
        }
        _ => shell::read(Command::new(&path).args(version))?,
    };
    Ok((version, path))
}

fn which(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.is_file())
}

#[cfg(unix)]
fn relink(link: &Path, path: &Path) -> Done {
    let _ = std::fs::remove_file(link);
    std::os::unix::fs::symlink(path, link).map_err(|error| format!("{}: {error}", link.display()).into())
}

#[cfg(not(unix))]
fn relink(_: &Path, _: &Path) -> Done {
    Err("real runners are provisioned on Unix alone".into())
}

fn shown(rows: &[Row]) -> String {
    let mut text = String::from("\nrunners for the end-to-end tests:\n");
    for row in rows {
        text += &match &row.found {
            Ok((version, path)) => format!("  {:<10} {version:<8} {}\n", row.name, path.display()),
            Err(why) => format!("  {:<10} not run: {why}\n", row.name),
        };
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runner_that_is_not_there_is_named_with_the_reason() {
        let why = system("no-such-runner-anywhere", &[]).unwrap_err().to_string();
        assert_eq!(why, "there is no `no-such-runner-anywhere` on PATH");
        let rows = [
            Row { name: "gone", found: Err(why) },
            Row { name: "here", found: Ok(("1.2".to_owned(), PathBuf::from("/x"))) },
        ];
        let text = shown(&rows);
        assert!(text.contains("gone       not run: there is no `no-such-runner-anywhere` on PATH"), "{text}");
        assert!(text.contains("here       1.2      /x"), "{text}");
    }

    #[cfg(unix)]
    #[test]
    fn the_link_of_an_earlier_run_does_not_stand_for_a_runner_that_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("bin").join("gone");
        std::fs::create_dir(folder.path().join("bin")).unwrap();
        std::fs::write(&link, "").unwrap();
        let from = From::System { program: "no-such-runner-anywhere", version: &[] };
        assert!(provision(folder.path(), &Runner { name: "gone", from }).found.is_err());
        assert!(!link.exists());
    }
}

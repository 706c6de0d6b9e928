//! The real test runners that the end-to-end tests use: provisioned where they can be had, named where they can't.
//!
//! Each has a folder of its name in `target/runners/`, where `tests/support/runners.rs` looks for its `bin/`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::shell::{self, Done, cargo, target};

/// A runner, and how it is had.
struct Runner {
    /// Its folder in `target/runners/`.
    name: &'static str,
    from: From,
}

enum From {
    /// A Python module of this version from the package index, in a virtual environment of its own, with others.
    Pip { module: &'static str, version: &'static str, with: &'static [&'static str] },
    /// A Python package that is no program, with others, and what is imported to see that it is there.
    Library {
        package: &'static str,
        version: &'static str,
        with: &'static [&'static str],
        import: &'static str,
    },
    /// A package of this version from npm, with others.
    Npm { package: &'static str, version: &'static str, with: &'static [&'static str] },
    /// What the system has, as a link, and the arguments that make it say its version.
    System { program: &'static str, version: &'static [&'static str] },
}

/// What is provisioned, newest first. A change here makes the next run provision anew.
const RUNNERS: &[Runner] = &[
    Runner { name: "pytest", from: From::Pip { module: "pytest", version: "9.2.0", with: &[] } },
    Runner { name: "pytest-8", from: From::Pip { module: "pytest", version: "8.3.5", with: &[] } },
    Runner { name: "pytest-7", from: From::Pip { module: "pytest", version: "7.4.4", with: &[] } },
    Runner {
        name: "pytest-plugins",
        from: From::Pip {
            module: "pytest",
            version: "8.3.5",
            with: &[
                "pytest-sugar==1.0.0",
                "pytest-xdist==3.6.1",
                "pytest-randomly==3.16.0",
                "pytest-rerunfailures==15.0",
            ],
        },
    },
    // Not a runner: it checks signatures that verify makes.
    Runner {
        name: "in-toto",
        from: From::Library {
            package: "securesystemslib",
            version: "1.6.0",
            with: &["cryptography==50.0.2", "in-toto-attestation==0.9.3"],
            import: "securesystemslib.dsse, in_toto_attestation.v1.statement, cryptography",
        },
    },
    // Not a runner: pip installs projects with it.
    Runner {
        name: "setuptools",
        from: From::Library {
            package: "setuptools",
            version: "80.9.0",
            with: &[],
            // It brings a `distutils` of its own, and refuses to start where pip loaded another before.
            import: "setuptools.build_meta, pip",
        },
    },
    Runner { name: "tox", from: From::Pip { module: "tox", version: "4.23.2", with: &["pytest==8.3.5"] } },
    Runner {
        name: "jest",
        from: From::Npm {
            package: "jest",
            version: "30.0.5",
            with: &["jest-environment-jsdom@30.0.5", "@testing-library/dom@10.4.0"],
        },
    },
    Runner { name: "node", from: From::System { program: "node", version: &["--version"] } },
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
    std::fs::create_dir_all(&folder)
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
    let home = folder.join(runner.name);
    let found = match runner.from {
        From::Pip { module, version, with } => {
            pip(&home, module, version, with, &["-m", module, "--version"])
        }
        From::Library { package, version, with, import } => {
            pip(&home, package, version, with, &["-c", &format!("import {import}")])
        }
        From::Npm { package, version, with } => npm(&home, package, version, with),
        From::System { program, version } => system(&home, program, version),
    };
    if found.is_err() {
        // What an earlier run left must not stand for a runner that is gone.
        let _ = std::fs::remove_dir_all(&home);
    }
    Row { name: runner.name, found: found.map_err(|error| error.to_string()) }
}

fn pip(
    home: &Path,
    module: &str,
    version: &str,
    with: &[&str],
    starting: &[&str],
) -> Done<(String, PathBuf)> {
    let packages: Vec<String> =
        [format!("{module}=={version}")].into_iter().chain(with.iter().map(|it| (*it).to_owned())).collect();
    let python = environment(home, "python3", &packages)?;
    let starts = Command::new(&python).args(starting).output()?;
    if !starts.status.success() {
        let _ = std::fs::remove_dir_all(home);
        return Err(format!("{module} {version} was installed and does not start").into());
    }
    Ok((version.to_owned(), python))
}

/// A virtual environment of this interpreter with these packages; gives its interpreter.
///
/// The stamp is written last, so that an environment that was broken off is made anew.
pub(crate) fn environment(home: &Path, interpreter: &str, packages: &[String]) -> Done<PathBuf> {
    let (python, stamp) = (home.join("bin").join("python3"), home.join("stamp"));
    let wanted = packages.join(" ");
    let works = || Command::new(&python).arg("--version").output().is_ok_and(|run| run.status.success());
    let stamped = std::fs::read_to_string(&stamp).is_ok_and(|text| text == wanted);
    if !(stamped && works()) {
        eprintln!("provisioning {wanted} into {}", home.display());
        let _ = std::fs::remove_dir_all(home);
        shell::read(Command::new(interpreter).args(["-m", "venv"]).arg(home))?;
        let mut install = Command::new(&python);
        install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(packages);
        shell::read(&mut install)?;
        std::fs::write(&stamp, wanted)?;
    }
    Ok(python)
}

fn npm(home: &Path, package: &str, version: &str, with: &[&str]) -> Done<(String, PathBuf)> {
    let wanted = [format!("{package}@{version}")].into_iter().chain(with.iter().map(|it| (*it).to_owned()));
    packages(home, &wanted.collect::<Vec<_>>())?;
    let program = home.join("node_modules/.bin").join(package);
    relink(&home.join("bin"), package, &program)?;
    Ok((version.to_owned(), program))
}

/// Packages of npm in a folder of their own.
///
/// The stamp is written last, so that an installation that was broken off is made anew.
pub(crate) fn packages(home: &Path, packages: &[String]) -> Done {
    let (stamp, wanted) = (home.join("stamp"), packages.join(" "));
    if std::fs::read_to_string(&stamp).is_ok_and(|text| text == wanted) {
        return Ok(());
    }
    eprintln!("provisioning {wanted} into {}", home.display());
    let _ = std::fs::remove_dir_all(home);
    std::fs::create_dir_all(home)?;
    let mut install = Command::new("npm");
    install.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"]).arg(home).args(packages);
    shell::read(&mut install)?;
    std::fs::write(stamp, wanted)?;
    Ok(())
}

fn system(home: &Path, program: &str, version: &[&str]) -> Done<(String, PathBuf)> {
    let mut path = which(program).ok_or_else(|| format!("there is no `{program}` on PATH"))?;
    let mut speaker = path.clone();
    if program == "python3" {
        // A launcher in front of Python decides by the folder that it is called in; the tests want the program itself.
        path = shell::read(Command::new(&path).args(["-c", "import sys; print(sys.executable)"]))?.into();
        speaker.clone_from(&path);
    } else if program == "prove" {
        // It is a script of perl's, which has the version.
        speaker = "perl".into();
    }
    let version = shell::read(Command::new(speaker).args(version))?;
    relink(&home.join("bin"), program, &path).map_err(|error| format!("{}: {error}", home.display()))?;
    Ok((version, path))
}

pub(crate) fn which(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.is_file())
}

#[cfg(unix)]
fn relink(folder: &Path, program: &str, path: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let link = folder.join(program);
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink(path, link)
}

#[cfg(not(unix))]
fn relink(_: &Path, _: &str, _: &Path) -> std::io::Result<()> {
    Err(std::io::Error::other("runners are provisioned on Unix alone"))
}

fn shown(rows: &[Row]) -> String {
    let mut text = String::from("\nrunners for the end-to-end tests:\n");
    for row in rows {
        text += &match &row.found {
            Ok((version, path)) => format!("  {:<14} {version:<8} {}\n", row.name, path.display()),
            Err(why) => format!("  {:<14} not run: {why}\n", row.name),
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
        let why = system(Path::new("nowhere"), "no-such-runner-anywhere", &[]).unwrap_err().to_string();
        assert_eq!(why, "there is no `no-such-runner-anywhere` on PATH");
        let rows = [
            Row { name: "gone", found: Err(why) },
            Row { name: "here", found: Ok(("1.2".to_owned(), PathBuf::from("/x"))) },
        ];
        let text = shown(&rows);
        assert!(
            text.contains("gone           not run: there is no `no-such-runner-anywhere` on PATH"),
            "{text}"
        );
        assert!(text.contains("here           1.2      /x"), "{text}");
    }

    #[test]
    fn what_an_earlier_run_left_does_not_stand_for_a_runner_that_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("gone/bin")).unwrap();
        let from = From::System { program: "no-such-runner-anywhere", version: &[] };
        assert!(provision(folder.path(), &Runner { name: "gone", from }).found.is_err());
        assert!(!folder.path().join("gone").exists());
    }
}

//! The plan that `verify init` writes, from what was found in a project.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::fault::quoted;

/// What was found in a project's folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// The runners whose output can be read, the likeliest first.
    pub runners: Vec<FoundRunner>,
    /// The runners whose output can't be read yet.
    pub unread: Vec<Unread>,
}

/// A runner whose output can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundRunner {
    /// Which one.
    pub runner: Runner,
    /// What tells of it, such as `pytest.ini`.
    pub evidence: String,
    /// What runs every test: the program and its arguments.
    pub command: Vec<String>,
    /// The folder that it runs in, where that isn't the project's own.
    pub cwd: Option<String>,
    /// Where its tests lie, as globs.
    pub test_paths: Vec<String>,
    /// Whether the command runs it more than once, so that its output holds several sessions.
    pub many_sessions: bool,
}

/// The runners for which a plan can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Runner {
    /// pytest.
    Pytest,
    /// Python's own.
    Unittest,
    /// jest.
    Jest,
    /// `dotnet test`.
    Dotnet,
    /// Perl's harness, for `.t` files in any language.
    Prove,
    /// Shell scripts that print TAP.
    TapScripts,
}

impl Runner {
    /// The id of its check.
    const fn id(self) -> &'static str {
        match self {
            Self::Pytest => "pytest",
            Self::Unittest => "unittest",
            Self::Jest => "jest",
            Self::Dotnet => "dotnet",
            Self::Prove => "prove",
            Self::TapScripts => "scripts",
        }
    }

    /// The format that reads it.
    const fn parser(self) -> &'static str {
        match self {
            Self::Pytest => "pytest",
            Self::Unittest => "unittest",
            Self::Jest => "jest",
            Self::Dotnet => "dotnet",
            Self::Prove | Self::TapScripts => "tap",
        }
    }

    /// How an identity of it looks.
    const fn identity(self) -> &'static str {
        match self {
            Self::Pytest => "tests/test_reports.py::test_exports_csv",
            Self::Unittest => "TestReports.test_exports_csv",
            Self::Jest => "reports › exports CSV",
            Self::Dotnet => "ReportTests.ExportsCsv",
            Self::Prove | Self::TapScripts => "exports CSV",
        }
    }
}

/// A runner that was found and whose output can't be read yet.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unread {
    /// Its name.
    pub name: String,
    /// What tells of it.
    pub evidence: String,
}

const HEAD: &str = "\
# What this project promises, and how `verify` finds out. Change it as you like.
#
#   verify begin      records how things stand
#                     … write a test for what is to be done, and the least code that lets it run
#   verify red        the test fails, on an assertion; the tests are frozen
#                     … do the work
#   verify green      all tests pass
#   verify deliver    nothing moved since then

version = 1
";

const FREEZE: &str = "
[freeze]
# Where tests lie. From `verify red` on they can't change; `verify red --rebind --reason TEXT` is the way to change one
# on purpose.
";

const STAGES: &str = "
# What a stage may write, for `--stage implement`. Without a stage everything but the frozen tests may change.
# [[stages]]
# id = \"implement\"
# writes = [\"src/**\"]
";

/// The text of a plan that works as it stands; `None` when no runner was found whose output can be read.
///
/// Each runner has a check for green. The first has one for red besides, apart from it, so that green can be seen
/// before there is a red.
#[must_use]
pub fn write(found: &Found) -> Option<String> {
    let (first, others) = found.runners.split_first()?;
    let test_paths: BTreeSet<&str> =
        found.runners.iter().flat_map(|runner| &runner.test_paths).map(String::as_str).collect();
    let mut text = HEAD.to_owned();
    text.push_str(FREEZE);
    key(&mut text, "test_paths", list(test_paths));
    green(&mut text, first);
    red(&mut text, first);
    for other in others {
        green(&mut text, other);
    }
    text.push_str(STAGES);
    outcome(&mut text, first);
    if !found.unread.is_empty() {
        text.push_str("\n# Found as well, and not read yet:\n");
        for unread in &found.unread {
            line(&mut text, format_args!("# - {} ({})", plain(&unread.name), quoted(&unread.evidence)));
        }
    }
    Some(text)
}

fn green(text: &mut String, runner: &FoundRunner) {
    line(text, format_args!("\n# Every test passes. Found by {}.", quoted(&runner.evidence)));
    check(text, runner, "");
    key(text, "phases", list(["green"]));
}

fn red(text: &mut String, runner: &FoundRunner) {
    let (id, identity) = (runner.runner.id(), runner.runner.identity());
    line(
        text,
        format_args!(
            "\n# Before the work starts, a test fails on an assertion. \"any\" takes whichever does; better is to name those"
        ),
    );
    line(text, format_args!("# of the task, for green as well:"));
    line(text, format_args!("#     identities = [\"{identity}\"]"));
    line(text, format_args!("#     phases = [\"red\", \"green\"]"));
    line(
        text,
        format_args!(
            "# For work that needs no new test, such as a refactoring, take the check `{id}-red` out."
        ),
    );
    check(text, runner, "-red");
    line(text, format_args!("identities = \"any\""));
    key(text, "phases", list(["red"]));
}

/// What both checks of a runner have in common.
fn check(text: &mut String, runner: &FoundRunner, suffix: &str) {
    line(text, format_args!("[[checks]]\nid = \"{}{suffix}\"", runner.runner.id()));
    key(text, "command", list(runner.command.iter().map(String::as_str)));
    line(text, format_args!("parser = \"{}\"", runner.runner.parser()));
    if let Some(cwd) = &runner.cwd {
        key(text, "cwd", toml::Value::from(cwd.as_str()));
    }
    if runner.many_sessions {
        line(text, format_args!("sessions = \"many\""));
    }
}

fn outcome(text: &mut String, runner: &FoundRunner) {
    line(text, format_args!("\n# What is promised, and the checks that prove it."));
    line(
        text,
        format_args!("# [[outcomes]]\n# id = \"csv-export\"\n# text = \"Reports can be exported as CSV\""),
    );
    line(text, format_args!("# checks = [\"{}\"]", runner.runner.id()));
}

fn list<'w>(words: impl IntoIterator<Item = &'w str>) -> toml::Value {
    toml::Value::Array(words.into_iter().map(toml::Value::from).collect())
}

fn key(text: &mut String, key: &str, value: toml::Value) {
    line(text, format_args!("{key} = {value}"));
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a `String` can't fail.
    let _ = writeln!(text, "{line}");
}

/// A name without what would end the comment that it stands in.
fn plain(name: &str) -> String {
    name.chars().filter(|char| !char.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Phase, Plan, Sessions, Source, read};

    fn runner(runner: Runner, command: &[&str], test_paths: &[&str]) -> FoundRunner {
        FoundRunner {
            runner,
            evidence: "tests/a\n[b".to_owned(),
            command: command.iter().map(|&word| word.to_owned()).collect(),
            cwd: (runner == Runner::Jest).then(|| "web".to_owned()),
            test_paths: test_paths.iter().map(|&glob| glob.to_owned()).collect(),
            many_sessions: runner == Runner::TapScripts,
        }
    }

    fn all() -> Found {
        Found {
            runners: vec![
                runner(Runner::Pytest, &["python3", "-m", "pytest", "-v"], &["tests/**"]),
                runner(Runner::Unittest, &["python3", "-m", "unittest", "discover", "-v"], &["tests/**"]),
                runner(Runner::Jest, &["npx", "jest", "--verbose"], &["web/**/*.test.*"]),
                runner(Runner::Dotnet, &["dotnet", "test"], &["App.Tests/**"]),
                runner(Runner::Prove, &["prove", "-v", "-l"], &["t/**"]),
                runner(
                    Runner::TapScripts,
                    &["sh", "-c", "for t in 'a' \"b\\n\"; do\nsh; done"],
                    &["tests/*.sh"],
                ),
            ],
            unread: vec![Unread { name: "mocha\n[x]".to_owned(), evidence: "package.json\n[y".to_owned() }],
        }
    }

    #[track_caller]
    fn written(found: &Found) -> Plan {
        let text = write(found).unwrap();
        let source = Source { name: "verify.toml", text: text.as_bytes(), folder_name: "a" };
        read(&source).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    #[test]
    fn what_is_written_reads() {
        for found in all().runners {
            let plan = written(&Found { runners: vec![found.clone()], unread: Vec::new() });
            let id = found.runner.id();
            let (green, red) = (plan.check(id).unwrap(), plan.check(&format!("{id}-red")).unwrap());
            assert_eq!((&green.command, &red.command), (&found.command, &found.command));
            assert_eq!(
                (green.phases.as_slice(), red.phases.as_slice()),
                (&[Phase::Green][..], &[Phase::Red][..])
            );
            assert_eq!(green.sessions == Sessions::Many, found.many_sessions);
            assert_eq!(green.cwd, found.cwd.as_deref().unwrap_or("."));
        }
        let plan = written(&all());
        assert_eq!(plan.checks_in(Phase::Green).count(), 6);
        assert_eq!(plan.checks_in(Phase::Red).count(), 1);
        assert!(plan.freeze.test_paths.matches("a", b"t/x.t"));
    }

    #[test]
    fn what_is_commented_out_reads_as_well() {
        let text = write(&all()).unwrap();
        let uncommented = |block: &str| {
            let from = text.find(&format!("# {block}")).unwrap();
            let lines: Vec<_> = text[from..].lines().map_while(|line| line.strip_prefix("# ")).collect();
            lines.join("\n")
        };
        let text = format!("{text}\n{}\n{}\n", uncommented("[[stages]]"), uncommented("[[outcomes]]"));
        let plan = read(&Source { name: "verify.toml", text: text.as_bytes(), folder_name: "a" }).unwrap();
        assert_eq!((plan.stages.len(), plan.outcomes.len()), (1, 1));
    }

    #[test]
    fn what_was_found_and_is_not_read_is_named() {
        assert!(write(&all()).unwrap().contains("# - mocha[x] (`package.json\\u{a}[y`)\n"));
        assert_eq!(write(&Found { runners: Vec::new(), ..all() }), None);
    }
}

//! The environment of a check: that of `verify` without what steers a runner.
//!
//! What is taken out, and what a check gets, is data in the grammar files. The plan's `env` has the last word.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use redgreen_parsers::{Steering, steering};

use super::facts::Removed;
use super::files::command_words;
use crate::plan::Check;

/// What differs from the environment of `verify` itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Environment {
    /// A name and its value, or `None` to remove it; the last one of a name counts.
    pub changes: Vec<(OsString, Option<OsString>)>,
    /// What was taken out, as a whole or in part, and isn't put back by the plan. In order of the names.
    pub removed: Vec<Removed>,
}

/// The environment of a check that runs in a repository's `folder`, where compiled code is kept in `bytecode`.
#[must_use]
pub fn environment(check: &Check, folder: &Path, bytecode: &Path) -> Environment {
    let words = command_words(check, folder);
    let holds = |when: &[String]| {
        when.is_empty() || when.iter().any(|word| words.contains(word) || check.parsers.contains(word))
    };
    let words = || words.iter().map(String::as_str);
    let steering: Vec<_> = steering().filter(|by| by.concerns(&check.parsers, words())).collect();
    clean(&check.env, &steering, std::env::vars_os(), bytecode, &holds)
}

/// The environment of a service, which no runner reads: only what concerns every program is taken out.
#[must_use]
pub fn of_service(command: &[String], bytecode: &Path) -> Vec<(OsString, Option<OsString>)> {
    let words = || command.iter().filter_map(|word| Path::new(word).file_name()?.to_str());
    let steering: Vec<_> = steering().filter(|by| by.concerns(&[], words())).collect();
    let holds = |when: &[String]| when.is_empty() || words().any(|word| when.iter().any(|when| when == word));
    clean(&BTreeMap::new(), &steering, std::env::vars_os(), bytecode, &holds).changes
}

fn clean(
    plan: &BTreeMap<String, String>,
    steering: &[Steering],
    inherited: impl Iterator<Item = (OsString, OsString)>,
    bytecode: &Path,
    holds: &dyn Fn(&[String]) -> bool,
) -> Environment {
    let mut clean = Environment::default();
    for (name, value) in inherited {
        let text = name.to_string_lossy();
        let kept = if steering.iter().any(|by| by.environment.removes(&text)) {
            None
        } else if let Some(kept) = kept(steering, &text, &value) {
            (!kept.is_empty()).then(|| kept.into())
        } else {
            continue;
        };
        if !plan.contains_key(&*text) {
            let value = value.to_string_lossy().into_owned();
            clean.removed.push(Removed { name: text.into_owned(), value });
        }
        clean.changes.push((name, kept));
    }
    clean.removed.sort();
    for by in steering {
        for setting in by.environment.set.iter().filter(|setting| holds(&setting.when)) {
            clean.changes.push(((&setting.name).into(), Some((&setting.value).into())));
        }
        if let Some(name) = &by.environment.bytecode {
            clean.changes.push((name.into(), Some(bytecode.into())));
        }
    }
    let plan = plan.iter().map(|(name, value)| (name.into(), Some(value.into())));
    clean.changes.extend(plan);
    clean
}

/// What stays of a variable of which a part may; `None`: all of it.
fn kept(steering: &[Steering], name: &str, value: &OsStr) -> Option<String> {
    let filters = steering.iter().flat_map(|by| &by.environment.filters);
    let mut filters = filters.filter(|filter| filter.name == name);
    filters.find_map(|filter| filter.kept(&value.to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Source, read};

    fn check_of(parser: &str, env: &str) -> Check {
        let text = format!(
            "version = 1\n[[checks]]\nid = \"a\"\ncommand = [\"x\"]\nparser = \"{parser}\"\nidentities = [\"a\"]\n\
             env = {{ {env} }}\n"
        );
        let source = Source { name: "verify.toml", text: text.as_bytes(), folder_name: "a" };
        read(&source).unwrap_or_else(|error| panic!("{error}")).checks.remove(0)
    }

    /// What a check whose command holds these words gets of these variables: the changes, and the names taken out.
    #[track_caller]
    fn check(check: &Check, words: &[&str], variables: &[&str], changes: &[&str], removed: &[&str]) {
        let inherited = variables.iter().filter_map(|pair| pair.split_once('='));
        let inherited = inherited.map(|(name, value)| (name.into(), value.into()));
        let steering: Vec<_> =
            steering().filter(|by| by.concerns(&check.parsers, words.iter().copied())).collect();
        let holds =
            |when: &[String]| when.is_empty() || when.iter().any(|word| words.contains(&word.as_str()));
        let clean = clean(&check.env, &steering, inherited, Path::new("/cache"), &holds);
        let shown = clean.changes.iter().map(|(name, value)| match value {
            Some(value) => format!("{}={}", name.display(), value.display()),
            None => format!("-{}", name.display()),
        });
        assert_eq!(shown.collect::<Vec<_>>(), changes);
        assert_eq!(clean.removed.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), removed);
    }

    #[test]
    fn what_steers_the_runner_is_taken_out() {
        let variables =
            ["PYTHONPATH=src", "PATH=/bin", "PYTEST_ADDOPTS=-k a", "GIT_AUTHOR_NAME=a", "GIT_DIR=/x"];
        let python = [
            "-PYTHONPATH",
            "-PYTEST_ADDOPTS",
            "-GIT_DIR",
            "PYTHONDONTWRITEBYTECODE=",
            "PYTHONPYCACHEPREFIX=/cache",
        ];
        check(
            &check_of("pytest", ""),
            &[],
            &variables,
            &python,
            &["GIT_DIR", "PYTEST_ADDOPTS", "PYTHONPATH"],
        );
        check(&check_of("tap", ""), &["sh"], &variables, &["-GIT_DIR"], &["GIT_DIR"]);
        check(
            &check_of("tap", ""),
            &["prove"],
            &["PERL5LIB=x", "HARNESS_OPTIONS=j"],
            &["-PERL5LIB", "-HARNESS_OPTIONS"],
            &["HARNESS_OPTIONS", "PERL5LIB"],
        );
    }

    #[test]
    fn the_plan_has_the_last_word() {
        let plan = check_of("unittest", "PYTHONPATH = \"src\", PYTHONPYCACHEPREFIX = \"x\"");
        check(
            &plan,
            &[],
            &["PYTHONPATH=lib"],
            &[
                "-PYTHONPATH",
                "PYTHONDONTWRITEBYTECODE=",
                "PYTHONPYCACHEPREFIX=/cache",
                "PYTHONPATH=src",
                "PYTHONPYCACHEPREFIX=x",
            ],
            &[],
        );
        let plan = check_of("tap", "CI = \"false\"");
        check(&plan, &["jest"], &["CI=true"], &["CI=1", "CI=false"], &[]);
    }

    #[test]
    fn a_part_of_a_variable_may_stay() {
        let tap = check_of("tap", "");
        check(&tap, &["node"], &["NODE_OPTIONS=--experimental-vm-modules"], &[], &[]);
        check(&tap, &["node"], &["NODE_OPTIONS=--require ./x.js"], &["-NODE_OPTIONS"], &["NODE_OPTIONS"]);
        let mixed = "NODE_OPTIONS=--no-warnings --import=./x.js --max-old-space-size=99";
        let kept = "NODE_OPTIONS=--no-warnings --max-old-space-size=99";
        check(&tap, &["node"], &[mixed], &[kept], &["NODE_OPTIONS"]);
    }

    #[test]
    fn what_a_runner_is_given() {
        check(&check_of("tap", ""), &["jest"], &[], &["CI=1"], &[]);
        check(&check_of("tap", ""), &["node"], &[], &[], &[]);
        check(&check_of("tap", ""), &["dotnet"], &[], &["DOTNET_CLI_UI_LANGUAGE=en"], &[]);
    }
}

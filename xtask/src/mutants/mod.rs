//! The product without one of its rules: each time a test of that rule has to fail, else it watches nothing.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::shell::{self, Done, root, target};

/// One edit that takes a rule out.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mutant {
    rule: String,
    file: String,
    from: String,
    to: String,
    /// A test of tests/e2e; with `lib:` before it, one beside the code.
    test: String,
}

impl Mutant {
    /// Whether it is of this rule, or of one of a family: `gate` are all that begin with `gate-`.
    fn is_of(&self, rule: &str) -> bool {
        self.rule.strip_prefix(rule).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    }

    /// The path of a test beside the code.
    fn unit_test(&self) -> Option<&str> {
        self.test.strip_prefix("lib:")
    }
}

fn mutants() -> Done<Vec<Mutant>> {
    #[derive(Deserialize)]
    struct File {
        mutant: Vec<Mutant>,
    }
    let path = root().join("xtask/src/mutants/mutants.toml");
    let text = std::fs::read_to_string(path).map_err(|error| format!("mutants.toml: {error}"))?;
    let file: File = toml::from_str(&text).map_err(|error| format!("mutants.toml: {error}"))?;
    Ok(file.mutant)
}

/// Tries the mutants of these rules; of none, all.
pub(crate) fn run(rules: &[&str]) -> Done {
    let all = mutants()?;
    if let Some(rule) = rules.iter().find(|rule| !all.iter().any(|mutant| mutant.is_of(rule))) {
        return Err(format!("there is no mutant of {rule}; xtask/src/mutants/mutants.toml has them").into());
    }
    let is_meant = |mutant: &Mutant| rules.is_empty() || rules.iter().any(|rule| mutant.is_of(rule));
    let mutants: Vec<_> = all.into_iter().filter(is_meant).collect();
    let tree = target().join("mutants/tree");
    copy(&tree)?;
    let house = House::build(tree)?;
    // What fails by itself says nothing when it fails on a mutant.
    let (unit, whole): (Vec<_>, Vec<_>) = mutants.iter().partition(|mutant| mutant.unit_test().is_some());
    for tests in [unit, whole].iter().filter(|tests| !tests.is_empty()) {
        match house.test(tests)? {
            Outcome::Passed => {}
            other => return Err(format!("the tests don't pass without a mutant: {other:?}").into()),
        }
    }
    let mut survivors = Vec::new();
    for mutant in &mutants {
        let path = house.tree.join(&mutant.file);
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", mutant.file))?;
        std::fs::write(&path, mutated(mutant, &text)?)?;
        let outcome = house.test(&[mutant]);
        std::fs::write(&path, text)?;
        eprintln!(
            "{:<26} {:<55} {}",
            mutant.rule,
            mutant.test,
            match outcome? {
                Outcome::Failed => "killed",
                other => {
                    survivors.push(format!("{} by {}: {other:?}", mutant.rule, mutant.test));
                    "SURVIVED"
                }
            }
        );
    }
    if survivors.is_empty() {
        Ok(())
    } else {
        Err(format!("mutants survived:\n  {}", survivors.join("\n  ")).into())
    }
}

/// The text with the rule taken out.
fn mutated(mutant: &Mutant, text: &str) -> Done<String> {
    match text.matches(&mutant.from).count() {
        1 => Ok(text.replacen(&mutant.from, &mutant.to, 1)),
        count => Err(format!("{}: {:?} is there {count} times, not once", mutant.file, mutant.from).into()),
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
    /// It doesn't compile, or there is no such test.
    NotRun,
}

/// The tree that is mutated, and its end-to-end tests. They are built once, from what isn't mutated: they start the
/// program, which alone is built for each mutant.
struct House {
    tree: PathBuf,
    end_to_end: PathBuf,
}

impl House {
    fn build(tree: PathBuf) -> Done<Self> {
        let mut cargo = cargo(&tree, &["test", "--no-run", "--quiet", "--test", "e2e"]);
        let built = shell::read(cargo.arg("--message-format=json"))?;
        let executable = |line: &str| {
            let message: serde_json::Value = serde_json::from_str(line).ok()?;
            let is_test = message["profile"]["test"] == true;
            message["executable"].as_str().filter(|_| is_test).map(PathBuf::from)
        };
        let end_to_end = built.lines().find_map(executable).ok_or("cargo names no end-to-end tests")?;
        Ok(Self { tree, end_to_end })
    }

    /// Runs the tests of these mutants, all of one kind, with the runners that were provisioned for this tree.
    fn test(&self, mutants: &[&Mutant]) -> Done<Outcome> {
        let unit: Vec<&str> = mutants.iter().filter_map(|mutant| mutant.unit_test()).collect();
        let mut tests = if unit.is_empty() {
            let built = cargo(&self.tree, &["build", "--quiet", "--bin", "verify"]).output()?;
            if !built.status.success() {
                eprintln!("{}", String::from_utf8_lossy(&built.stderr));
                return Ok(Outcome::NotRun);
            }
            let mut tests = Command::new(&self.end_to_end);
            tests.args(mutants.iter().map(|mutant| &mutant.test));
            tests
        } else {
            let mut tests = cargo(&self.tree, &["test", "--quiet", "--lib", "--"]);
            tests.args(unit);
            tests
        };
        // As cargo starts it.
        tests.current_dir(&self.tree).env("CARGO_MANIFEST_DIR", &self.tree).arg("--exact");
        tests.env("VERIFY_RUNNERS", target().join("runners"));
        let output = tests.output().map_err(|error| format!("the tests could not be started: {error}"))?;
        let said = String::from_utf8_lossy(&output.stdout);
        Ok(if said.contains("test result: FAILED") {
            Outcome::Failed
        } else if output.status.success() && !said.contains("ok. 0 passed") {
            Outcome::Passed
        } else {
            eprintln!("{}", String::from_utf8_lossy(&output.stderr));
            Outcome::NotRun
        })
    }
}

/// Each mutant is built once: what counts is how soon.
fn cargo(tree: &Path, arguments: &[&str]) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(tree).args(arguments);
    cargo.env("CARGO_TARGET_DIR", target().join("mutants/target"));
    cargo.env("CARGO_INCREMENTAL", "1");
    cargo
}

/// Brings the tree up to date with the files that git knows here; what is the same keeps its time, so that little is
/// built anew. Recordings are many, and no mutant touches them: they are linked.
fn copy(tree: &Path) -> Done {
    let listed = shell::read(Command::new("git").current_dir(root()).args(["ls-files"]))?;
    forget(tree, &listed.lines().map(Path::new).collect())?;
    for path in listed.lines().map(PathBuf::from).filter(|path| !path.starts_with("corpus")) {
        let (from, to) = (root().join(&path), tree.join(&path));
        if let Ok(target) = std::fs::read_link(&from) {
            if to.symlink_metadata().is_err() {
                link(&target, &to)?;
            }
            continue;
        }
        // A file may be deleted and not yet staged.
        let Ok(bytes) = std::fs::read(from) else { continue };
        if std::fs::read(&to).is_ok_and(|old| old == bytes) {
            continue;
        }
        std::fs::create_dir_all(to.parent().unwrap_or(tree))?;
        std::fs::write(to, bytes)?;
    }
    let corpus = tree.join("corpus");
    if corpus.symlink_metadata().is_err() {
        link(&root().join("corpus"), &corpus)?;
    }
    Ok(())
}

/// Takes out of the tree what an earlier copy left there and isn't listed any more, such as a module that moved.
fn forget(tree: &Path, listed: &HashSet<&Path>) -> Done {
    if !tree.exists() {
        return Ok(());
    }
    for entry in walkdir::WalkDir::new(tree) {
        let entry = entry?;
        let Ok(path) = entry.path().strip_prefix(tree) else { continue };
        if !entry.file_type().is_dir() && path != Path::new("corpus") && !listed.contains(path) {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn link(to: &Path, at: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(at.parent().unwrap_or(at))?;
    std::os::unix::fs::symlink(to, at)
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> std::io::Result<()> {
    Err(std::io::Error::other("mutants are tried on Unix alone"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::docs::adversary_rules;

    #[test]
    fn each_mutant_has_its_place_and_its_test() {
        for mutant in mutants().unwrap() {
            let text = std::fs::read_to_string(root().join(&mutant.file)).unwrap();
            mutated(&mutant, &text).unwrap();
            let (module, name) = mutant.unit_test().unwrap_or(&mutant.test).rsplit_once("::").unwrap();
            let folder = root().join(if mutant.unit_test().is_some() { "src" } else { "tests/e2e" });
            let file = |module: &str| folder.join(module.replace("::", "/")).with_extension("rs");
            // Few tests need no file of their own.
            let inline = module.strip_suffix("::tests").map(file).filter(|path| path.exists());
            let path = if file(module).exists() { file(module) } else { inline.unwrap() };
            let tests = std::fs::read_to_string(&path).unwrap();
            let is_there =
                tests.split("#[test]").any(|test| test.trim_start().starts_with(&format!("fn {name}(")));
            assert!(is_there, "{}: no test {name}", path.display());
        }
    }

    #[test]
    fn every_rule_has_a_mutant() {
        let mutants = mutants().unwrap();
        for rule in adversary_rules() {
            assert!(mutants.iter().any(|mutant| mutant.rule == rule), "nothing takes {rule} out");
        }
    }

    #[test]
    fn a_rule_is_meant_by_its_name_or_that_of_its_family() {
        let mut mutant = mutants().unwrap().remove(0);
        mutant.rule = "gate-off-knob".to_owned();
        for (rule, is_meant) in
            [("gate", true), ("gate-off", true), ("gate-off-knob", true), ("gate-o", false), ("knob", false)]
        {
            assert_eq!(mutant.is_of(rule), is_meant, "{rule}");
        }
    }

    #[test]
    fn an_edit_needs_its_one_place() {
        let mutant = Mutant {
            rule: String::new(),
            file: "a.rs".to_owned(),
            from: "if x".to_owned(),
            to: "if false".to_owned(),
            test: String::new(),
        };
        assert_eq!(mutated(&mutant, "if x {}").unwrap(), "if false {}");
        assert!(mutated(&mutant, "if x {} if x {}").is_err());
        assert!(mutated(&mutant, "").is_err());
    }
}

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
    /// A test of tests/e2e.
    test: String,
}

fn mutants() -> Done<Vec<Mutant>> {
    #[derive(Deserialize)]
    struct File {
        mutant: Vec<Mutant>,
    }
    let file: File =
        toml::from_str(include_str!("mutants.toml")).map_err(|error| format!("mutants.toml: {error}"))?;
    Ok(file.mutant)
}

/// Tries the mutants of one rule, or all.
pub(crate) fn run(rule: Option<&str>) -> Done {
    let mutants: Vec<_> =
        mutants()?.into_iter().filter(|mutant| rule.is_none_or(|rule| mutant.rule == rule)).collect();
    if mutants.is_empty() {
        return Err("there is no mutant of this rule; xtask/src/mutants/mutants.toml has them".into());
    }
    let tree = target().join("mutants/tree");
    copy(&tree)?;
    // What fails by itself says nothing when it fails on a mutant.
    let tests: Vec<&str> = mutants.iter().map(|mutant| mutant.test.as_str()).collect();
    match test(&tree, &tests)? {
        Outcome::Passed => {}
        other => return Err(format!("the tests don't pass without a mutant: {other:?}").into()),
    }
    let mut survivors = Vec::new();
    for mutant in &mutants {
        let path = tree.join(&mutant.file);
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", mutant.file))?;
        std::fs::write(&path, mutated(mutant, &text)?)?;
        let outcome = test(&tree, &[&mutant.test]);
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

/// Runs these end-to-end tests of the tree, with the runners that were provisioned for this one.
fn test(tree: &Path, tests: &[&str]) -> Done<Outcome> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(tree).args(["test", "--quiet", "--test", "e2e", "--", "--exact"]).args(tests);
    cargo.env("CARGO_TARGET_DIR", target().join("mutants/target"));
    cargo.env("VERIFY_RUNNERS", target().join("runners"));
    let output = cargo.output().map_err(|error| format!("cargo could not be started: {error}"))?;
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
            let (module, name) = mutant.test.rsplit_once("::").unwrap();
            let path = root().join("tests/e2e").join(module.replace("::", "/")).with_extension("rs");
            let tests = std::fs::read_to_string(&path).unwrap();
            assert!(tests.contains(&format!("#[test]\nfn {name}(")), "{}: no test {name}", path.display());
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

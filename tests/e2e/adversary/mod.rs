//! What must not fool `verify`, tried with real runners; and what is like it and honest, which must be accepted.
//!
//! A row is data in `<family>.toml` and a test of its name in `<family>.rs`, which brings a project to where the row's
//! command is judged. `docs/reference/adversary.md` is made from the same data.

#[path = "../../support/adversary.rs"]
mod rows;

mod claims;
mod cycle;
mod dotnet;
mod files;
mod git;
pub(crate) mod javascript;
mod limits;
mod projects;
mod python;
mod red;
mod tap;
pub mod unittest;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use redgreen::judge::Code;
use serde_json::Value;

use self::rows::{FAMILIES, LIMITS, RULES, Row};
use crate::support::{Project, Run};

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    FAMILIES.iter().flat_map(|family| family.rows().unwrap_or_else(|why| panic!("{why}"))).collect()
});

/// The row of this name.
#[track_caller]
fn row(id: &str) -> &'static Row {
    ROWS.iter().find(|row| row.id == id).unwrap_or_else(|| panic!("there is no row {id}"))
}

impl Row {
    /// Runs the row's command on this project; the verdict and its codes must be the row's.
    #[track_caller]
    fn judges(&self, project: &Project) -> Run {
        self.meets(project.json(&self.at))
    }

    /// The same with these variables in the shell.
    #[track_caller]
    fn judges_with(&self, project: &Project, variables: &[(&str, &str)]) -> Run {
        let mut command = project.command(self.at.split(' ').chain(["--format", "json"]));
        command.envs(variables.iter().copied());
        self.meets(Run::of(command))
    }

    /// What the row's command said must be what the row says.
    #[track_caller]
    fn meets(&self, run: Run) -> Run {
        let run = run.exits(self.exit());
        let said = run.value();
        let found: Vec<String> = match said["code"].as_str() {
            Some(code) => vec![code.to_owned()],
            None => run.codes(),
        };
        for code in &self.codes {
            assert!(found.contains(code), "{}: no {code} among {found:?}: {said:#}", self.id);
        }
        if self.codes.is_empty() {
            assert_eq!(found, [""; 0], "{}: {said:#}", self.id);
        }
        if let Some(witness) = &self.witness {
            assert_eq!(said["checks"][0]["witness"]["state"], witness.as_str(), "{}: {said:#}", self.id);
        }
        let notes = notes(&said);
        for note in &self.notes {
            assert!(notes.contains(note), "{}: no {note} among {notes:?}: {said:#}", self.id);
        }
        run
    }
}

/// The codes of a record's notes, its own and its checks'.
fn notes(record: &Value) -> Vec<String> {
    let own = record["notes"].as_array().into_iter().flatten();
    let checks = record["checks"].as_array().into_iter().flatten();
    own.chain(checks.flat_map(|check| check["notes"].as_array().into_iter().flatten()))
        .map(|note| note["code"].as_str().unwrap().to_owned())
        .collect()
}

/// Names of the tests in a module, each with its text.
fn tests(source: &str) -> impl Iterator<Item = (&str, &str)> {
    source.split("#[test]\nfn ").skip(1).filter_map(|text| text.split_once('('))
}

/// What is amiss between the rows of a family and the tests in its module.
fn amiss(rows: &[Row], source: &str) -> Vec<String> {
    let named: BTreeSet<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    let tested: BTreeSet<&str> = tests(source).map(|(name, _)| name).collect();
    let mut amiss: Vec<String> = named
        .symmetric_difference(&tested)
        .map(|name| {
            format!(
                "{name} is {}",
                if named.contains(name) { "a row without a test" } else { "a test without a row" }
            )
        })
        .collect();
    let silent = tests(source).filter(|(name, text)| !text.contains(&format!("row(\"{name}\")")));
    amiss.extend(silent.map(|(name, _)| format!("the test {name} doesn't ask its row")));
    amiss
}

fn source(family: &str) -> &'static str {
    match family {
        "python" => include_str!("python.rs"),
        "red" => include_str!("red.rs"),
        "unittest" => include_str!("unittest.rs"),
        "javascript" => include_str!("javascript.rs"),
        "dotnet" => include_str!("dotnet.rs"),
        "tap" => include_str!("tap.rs"),
        "git" => include_str!("git.rs"),
        "files" => include_str!("files.rs"),
        "claims" => include_str!("claims.rs"),
        "cycle" => include_str!("cycle.rs"),
        "limits" => include_str!("limits.rs"),
        _ => panic!("{family} has no module"),
    }
}

#[test]
fn every_row_has_its_test_and_every_test_its_row() {
    for family in &FAMILIES {
        assert_eq!(amiss(&family.rows().unwrap(), source(family.name)), [""; 0], "{}", family.name);
    }
    let one = FAMILIES[0].rows().unwrap();
    let first = format!("#[test]\nfn {0}() {{ row(\"{0}\") }}\n", one[0].id);
    assert_eq!(amiss(&one[..1], &first), [""; 0]);
    assert_eq!(amiss(&one[..1], "").len(), 1);
    assert_eq!(amiss(&[], &first).len(), 1);
    assert_eq!(amiss(&one[..1], &first.replace("row(", "column(")).len(), 1);
}

#[test]
fn every_trick_has_its_honest_twin() {
    let mut names = BTreeSet::new();
    for row in ROWS.iter() {
        assert!(names.insert(&row.id), "{} is there twice", row.id);
        assert!(RULES.iter().any(|(rule, _)| *rule == row.rule), "{}: there is no rule {}", row.id, row.rule);
        for code in row.codes.iter().chain(&row.notes) {
            assert!(Code::find(code).is_some(), "{}: there is no code {code}", row.id);
        }
    }
    let (mut tricks, mut twins) = (0, 0);
    for family in FAMILIES.iter().filter(|family| family.name != LIMITS) {
        for row in family.rows().unwrap() {
            let Some(twin) = &row.twin else {
                assert_eq!(row.codes, [""; 0], "{} is refused and has no twin", row.id);
                twins += 1;
                continue;
            };
            tricks += 1;
            assert!(self::row(twin).twin.is_none(), "{}: {twin} is a trick itself", row.id);
        }
    }
    assert!(twins >= tricks, "{tricks} tricks and {twins} twins");
}

#[test]
fn every_rule_has_a_row() {
    for (rule, _) in RULES {
        assert!(ROWS.iter().any(|row| row.rule == rule && row.twin.is_some()), "nothing tries {rule}");
    }
}

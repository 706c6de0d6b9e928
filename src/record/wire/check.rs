//! One check of a record.

use redgreen_parsers as parsers;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::report::OneOrMany;
use super::{Problem, ReadError, Report, read_reports};
use crate::digest::Sha256;
use crate::judge::WitnessStanding;
use crate::observe::facts::{self, ServiceFacts, WitnessFacts};
use crate::plan::{Identities, Phase};

/// What a check did, and what to think of it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// Its id in the plan.
    pub id: String,
    /// The id of its repository.
    pub repository: String,
    /// The phase that was judged.
    pub phase: Phase,
    /// The format that read its output, or several.
    pub parser: Parsers,
    /// The hash of its definition in the plan.
    pub check_sha256: Sha256,
    /// The command as a shell would be given it.
    pub command: String,
    /// The file that was run; `null` when it wasn't found.
    pub program: Option<Program>,
    /// Whose sources it ran on.
    pub sources: Sources,
    /// The tests that the plan expects.
    pub identities: Names,
    /// The exit code, if it left by itself.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// How long it ran.
    pub duration_seconds: f64,
    /// Whether it was accepted.
    pub passed: bool,
    /// Every reason to reject.
    pub problems: Vec<Problem>,
    /// What is worth knowing.
    pub notes: Vec<Problem>,
    /// Why it didn't leave by itself: `timeout`, `inactivity`, `cancelled`, `output-limit`, `signal:N`, `not-started`.
    pub reason: Option<String>,
    /// The structured report that the runner was asked for.
    pub witness: Witness,
    /// Variables that it wasn't given, since they steer the runner.
    pub environment_removed: Vec<String>,
    /// The services that it needed.
    pub services: Vec<Service>,
    /// What it printed, up to 1 MiB: head and tail.
    pub output: String,
    /// The hash of all that it printed.
    pub output_sha256: Sha256,
    /// The size of all that it printed.
    pub output_bytes: u64,
    /// Whether `output` leaves something out.
    pub output_truncated: bool,
    /// The reading of its output: a `redgreen/report/1`, or a `redgreen/reports/1` for several sessions.
    #[schemars(with = "Option<OneOrMany>")]
    pub report: Option<Box<RawValue>>,
    /// The tests that the output counts and doesn't name, as the structured report names them. Kept of a red, whose cases
    /// a green is measured by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<OneOrMany>")]
    pub hidden: Option<Box<RawValue>>,
}

impl Check {
    /// Puts in what the parsers read.
    ///
    /// # Errors
    /// See [`super::raw_reports`].
    pub fn set_reports(&mut self, reports: &[parsers::Report]) -> Result<(), serde_json::Error> {
        self.report = Some(super::raw_reports(reports)?);
        Ok(())
    }

    /// What the parsers read, typed.
    ///
    /// # Errors
    /// When `report` is no report.
    pub fn reports(&self) -> Result<Vec<Report>, ReadError> {
        self.report.as_deref().map_or_else(|| Ok(Vec::new()), read_reports)
    }

    /// The same, and beside it what the output hides.
    ///
    /// # Errors
    /// When `report` or `hidden` is no report.
    pub fn all_reports(&self) -> Result<Vec<Report>, ReadError> {
        let mut reports = self.reports()?;
        if let Some(hidden) = self.hidden.as_deref() {
            reports.extend(read_reports(hidden)?);
        }
        Ok(reports)
    }

    /// Where in its transcript its problems lie.
    pub fn problem_lines(&self) -> impl Iterator<Item = parsers::Lines> {
        self.problems
            .iter()
            .filter_map(|problem| problem.lines)
            .map(|lines| parsers::Lines::new(lines.0, lines.1))
    }
}

/// A command as one would type it: each argument that a shell would take apart stands in single quotes.
#[must_use]
pub fn command_text(argv: &[String]) -> String {
    let plain = |argument: &str| {
        let safe = |c: char| c.is_alphanumeric() || "_-./:=,@%+".contains(c);
        !argument.is_empty() && argument.chars().all(safe)
    };
    let quoted = argv.iter().map(|argument| {
        if plain(argument) { argument.clone() } else { format!("'{}'", argument.replace('\'', r"'\''")) }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// The format of a check, or its formats.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Parsers {
    /// One, by its word.
    One(String),
    /// Several.
    Many(Vec<String>),
}

impl From<&[String]> for Parsers {
    fn from(words: &[String]) -> Self {
        match words {
            [one] => Self::One(one.clone()),
            many => Self::Many(many.to_vec()),
        }
    }
}

/// The identities of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Names {
    /// These.
    Named(Vec<String>),
    /// Any assertion will do: the word `any`.
    Any(Any),
}

/// The word `any`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Any {
    /// `any`
    Any,
}

impl From<&Identities> for Names {
    fn from(identities: &Identities) -> Self {
        match identities {
            Identities::Any => Self::Any(Any::Any),
            Identities::Named(names) => Self::Named(names.clone()),
        }
    }
}

/// The file that a command ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Program {
    /// Where it was found.
    pub path: String,
    /// The hash of its content; `null` when it can't be read.
    pub sha256: Option<Sha256>,
}

impl From<&facts::Program> for Program {
    fn from(program: &facts::Program) -> Self {
        Self { path: program.path.clone(), sha256: program.sha256 }
    }
}

/// Whose sources a check ran on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sources {
    /// Today's.
    Current,
    /// The baseline's, with today's tests.
    Baseline,
}

/// The structured report of the same run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Witness {
    /// What kind of report; `null` when the format knows none.
    pub kind: Option<String>,
    /// What was added to the command or its environment to get it.
    pub arguments: Vec<String>,
    /// The hash of the report's bytes.
    pub sha256: Option<Sha256>,
    /// What it says of the output.
    pub state: WitnessState,
    /// Why it isn't there, or where it differs.
    pub reason: Option<String>,
}

impl Witness {
    /// What was found of a witness, and what it turned out to be worth.
    #[must_use]
    pub fn new(facts: &WitnessFacts, standing: WitnessStanding) -> Self {
        let (state, reason) = match standing {
            WitnessStanding::Agrees => (WitnessState::Agrees, None),
            WitnessStanding::Disagrees(how) => (WitnessState::Disagrees, Some(how)),
            WitnessStanding::Missing(why) => (WitnessState::Missing, Some(why)),
            WitnessStanding::Truncated(why) => (WitnessState::Truncated, Some(why)),
            WitnessStanding::NotAsked(why) => (WitnessState::NotAsked, Some(why)),
        };
        let WitnessFacts { kind, arguments, sha256, .. } = facts;
        Self { kind: kind.clone(), arguments: arguments.clone(), sha256: *sha256, state, reason }
    }
}

/// What a witness says of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WitnessState {
    /// The same.
    Agrees,
    /// Something else.
    Disagrees,
    /// It was asked for and isn't there.
    Missing,
    /// Its end is missing.
    Truncated,
    /// The runner wasn't asked for one.
    NotAsked,
}

/// A service that ran beside a check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Service {
    /// Its id in the plan.
    pub id: String,
    /// The command as a shell would be given it.
    pub command: String,
    /// The file that was run; `null` when it wasn't found.
    pub program: Option<Program>,
    /// Whether it was seen ready.
    pub ready: bool,
    /// What was seen; `null` when it wasn't ready.
    pub observed: Option<String>,
    /// How long it took to be ready, or to be given up.
    pub startup_seconds: f64,
    /// How long it ran.
    pub duration_seconds: f64,
    /// Whether it ran until it wasn't needed any more; else it ended by itself before.
    pub lasted: bool,
}

impl From<&ServiceFacts> for Service {
    fn from(facts: &ServiceFacts) -> Self {
        Self {
            id: facts.id.clone(),
            command: command_text(&facts.command),
            program: facts.program.as_ref().map(Program::from),
            ready: facts.ready.is_some(),
            observed: facts.ready.clone(),
            startup_seconds: facts.startup.as_secs_f64(),
            duration_seconds: facts.duration.as_secs_f64(),
            lasted: facts.lasted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_can_be_typed_again() {
        for (argv, want) in [
            (&["python3", "-m", "unittest", "tests.test_a"][..], "python3 -m unittest tests.test_a"),
            (&["sh", "-c", "echo 'a' $b"], r"sh -c 'echo '\''a'\'' $b'"),
            (&["x", "", "tests/test_a.py::t[p 0]"], "x '' 'tests/test_a.py::t[p 0]'"),
        ] {
            let argv: Vec<String> = argv.iter().map(|&argument| argument.to_owned()).collect();
            assert_eq!(command_text(&argv), want);
        }
    }

    #[test]
    fn parsers_and_identities_are_written_as_the_plan_writes_them() {
        fn json(value: &impl Serialize) -> String {
            serde_json::to_string(value).unwrap()
        }
        assert_eq!(json(&Parsers::from(["tap".to_owned()].as_slice())), r#""tap""#);
        assert_eq!(
            json(&Parsers::from(["tap".to_owned(), "jest".to_owned()].as_slice())),
            r#"["tap","jest"]"#
        );
        assert_eq!(json(&Names::from(&Identities::Any)), r#""any""#);
        assert_eq!(json(&Names::from(&Identities::Named(vec!["t".to_owned()]))), r#"["t"]"#);
    }
}

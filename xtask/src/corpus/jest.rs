//! What a second reporter of jest told of a run. It sees which tests failed and how often, not what that means: the
//! kinds are the seed's.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::recording::TrueCase;
use super::told::{Told, case, lines, problem};
use crate::shell::Done;

/// The reporter.
pub(super) const PROBE: (&str, &str) = ("redgreen_truth.js", include_str!("probes/jest_truth.js"));

/// Between the parts of an id.
const SEPARATOR: &str = " \u{203a} ";

#[derive(Debug, Deserialize)]
#[serde(tag = "what", rename_all = "lowercase")]
enum Said {
    Start { files: u64 },
    File(File),
    End { totals: BTreeMap<String, u64>, suites: u64, interrupted: bool },
}

#[derive(Debug, Deserialize)]
struct File {
    path: String,
    /// Whether every test of the file is printed.
    tree: bool,
    skipped: bool,
    unloaded: bool,
    tests: Vec<Test>,
}

#[derive(Debug, Deserialize)]
struct Test {
    titles: Vec<String>,
    status: String,
    failures: usize,
}

/// Reads what the reporter wrote. `kinds` is what the seed's header says of failures, for this version.
pub(super) fn told(text: &str, kinds: &[String], version: &str) -> Done<Told> {
    let mut told =
        Told { source: "a second reporter of the same run", completeness: "truncated", ..Told::default() };
    let kinds = Kinds::of(kinds, version)?;
    told.completeness = "empty";
    for said in lines(text)? {
        match said {
            Said::Start { files } if files > 0 => told.completeness = "truncated",
            Said::Start { .. } => {}
            Said::File(file) => add(&mut told, &file, &kinds),
            Said::End { totals, suites, interrupted } => {
                if suites > 0 {
                    told.completeness = if interrupted { "truncated" } else { "complete" };
                    told.totals = Some(totals.into_iter().filter(|(_, count)| *count > 0).collect());
                }
                if interrupted {
                    told.problems.push(problem("interrupted", None));
                }
            }
        }
    }
    Ok(told)
}

fn add(told: &mut Told, file: &File, kinds: &Kinds) {
    if file.unloaded {
        let of_file = kinds.find(&file.path);
        for kind in of_file.unwrap_or_else(|| vec!["exception".to_owned()]) {
            told.problems.push(super::told::problem(&kind, Some(&file.path)));
        }
    }
    for test in file.tests.iter().filter(|_| !file.skipped) {
        let id = [file.path.as_str()].into_iter().chain(test.titles.iter().map(String::as_str));
        let id = id.collect::<Vec<_>>().join(SEPARATOR);
        let status = match test.status.as_str() {
            "pending" | "disabled" => "skipped",
            status => status,
        };
        let failed = status == "failed";
        let mut of_test = if failed { kinds.find(&id) } else { None }.unwrap_or_default();
        while failed && of_test.len() < test.failures {
            of_test.push("assertion".to_owned());
        }
        let mut case: TrueCase = case(&id, status, of_test);
        case.visible = failed || file.tree && !file.unloaded;
        told.cases.push(case);
    }
}

/// `kind id`, `kind+kind id`, `@24 @26 kind id`: what failed the test whose id ends so, or the file of this path.
struct Kinds<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Kinds<'a> {
    fn of(said: &'a [String], version: &str) -> Done<Self> {
        let mut list = Vec::new();
        for line in said {
            let (mut rest, mut meant, mut limited) = (line.as_str(), false, false);
            while let Some((wanted, after)) = rest.strip_prefix('@').and_then(|rest| rest.split_once(' ')) {
                limited = true;
                meant |= version.strip_prefix(wanted).is_some_and(|tail| tail.starts_with('.'));
                rest = after;
            }
            let (kinds, id) = rest.split_once(' ').ok_or_else(|| format!("`{line}` is no `kind id`"))?;
            if meant || !limited {
                list.push((kinds, id));
            }
        }
        Ok(Self(list))
    }

    fn find(&self, id: &str) -> Option<Vec<String>> {
        let (kinds, _) = self.0.iter().find(|(_, end)| {
            id.strip_suffix(end).is_some_and(|head| head.is_empty() || head.ends_with(SEPARATOR))
        })?;
        Some(kinds.split('+').map(str::to_owned).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "{\"what\":\"start\",\"files\":1}\n\
        {\"what\":\"file\",\"path\":\"a.test.js\",\"tree\":true,\"skipped\":false,\"unloaded\":false,\"tests\":[\
        {\"titles\":[\"box\",\"opens\"],\"status\":\"failed\",\"failures\":2},\
        {\"titles\":[\"shuts\"],\"status\":\"pending\",\"failures\":0}]}\n";

    #[track_caller]
    fn check(kinds: &[&str], expected: &str) {
        let kinds: Vec<String> = kinds.iter().map(|&kind| kind.to_owned()).collect();
        let told = told(FILE, &kinds, "29.7.0").unwrap();
        assert_eq!(told.cases[0].kinds.join("+"), expected);
        assert_eq!(told.cases[0].id, "a.test.js \u{203a} box \u{203a} opens");
        assert_eq!((told.cases[1].status.as_str(), told.completeness), ("skipped", "truncated"));
    }

    #[test]
    fn a_failure_of_which_the_seed_says_nothing_is_an_assertion() {
        check(&[], "assertion+assertion");
        check(&["setup opens"], "assertion+setup");
        check(&["exception+teardown box \u{203a} opens"], "exception+teardown");
        check(&["exception pens"], "assertion+assertion");
    }

    #[test]
    fn a_kind_may_hold_for_some_versions_alone() {
        check(&["@24 @26 setup opens", "@27 @29 timeout opens"], "assertion+timeout");
        check(&["@2 timeout opens"], "assertion+assertion");
    }
}

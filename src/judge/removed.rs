//! A run that broke before its tests, in an environment from which something was taken out: that is said first.

use redgreen_parsers::{Kind, Report};

use super::{Code, Verdict};
use crate::observe::facts::Removed;

/// How many variables a sentence names.
const NAMED: usize = 5;

/// Says first what was taken out of the environment, where something failed on an import, at start-up or in a set-up.
///
/// Git's variables are named where a set-up failed, which may run git; no import and no start-up rests on them.
pub fn name_removed(verdict: &mut Verdict, reports: &[Report], removed: &[Removed]) {
    let broke = |codes: &[Code], kinds: &[Kind]| {
        verdict.problems.iter().position(|problem| codes.contains(&problem.code)).or_else(|| {
            let broke = |report: &Report| {
                let mut failures = report.cases.iter().flat_map(|case| case.failures().to_vec());
                report.problems.iter().any(|problem| kinds.contains(&problem.kind))
                    || failures.any(|failure| kinds.contains(&failure.kind))
            };
            (!verdict.problems.is_empty() && reports.iter().any(broke)).then_some(0)
        })
    };
    let set_up = broke(&[Code::SetupFailure], &[Kind::Setup]);
    let before = broke(&[Code::ImportFailure, Code::StartupFailure], &[Kind::Import, Kind::Startup]);
    let counts =
        |variable: &&Removed| set_up.is_some() || !variable.name.to_ascii_uppercase().starts_with("GIT_");
    let removed: Vec<&Removed> = removed.iter().filter(counts).collect();
    let Some(at) = before.or(set_up).filter(|_| !removed.is_empty()) else { return };
    let mut problem = verdict.problems.remove(at);
    problem.message = format!("{}; {}", say(&removed), problem.message);
    verdict.problems.insert(0, problem);
}

fn say(removed: &[&Removed]) -> String {
    let named = removed.get(..NAMED.min(removed.len())).unwrap_or_default();
    let names: Vec<_> = named.iter().map(|variable| format!("`{}`", variable.name)).collect();
    let lines: Vec<_> =
        named.iter().map(|variable| format!("{} = {}", variable.name, value(variable))).collect();
    let more = match removed.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let were = if removed.len() == 1 { "was" } else { "were" };
    let (it, needs) = if removed.len() == 1 { ("it", "it") } else { ("them", "one of them") };
    format!(
        "{}{more} {were} taken out of the environment, as {} the runner; if the check needs {needs}, put {it} back in \
         the plan with `env = {{ {} }}`",
        names.join(", "),
        if removed.len() == 1 { "it steers" } else { "they steer" },
        lines.join(", ")
    )
}

/// The value as TOML; of what may be a secret, or is long, only that there is one.
fn value(variable: &Removed) -> String {
    let name = variable.name.to_ascii_lowercase();
    let is_secret = ["auth", "token", "key", "secret", "pass", "cred", "git_config"];
    if is_secret.iter().any(|word| name.contains(word)) || variable.value.len() > 200 {
        return "\"…\"".to_owned();
    }
    let mut text = String::from("\"");
    for sign in variable.value.chars() {
        match sign {
            '"' | '\\' => text.extend(['\\', sign]),
            sign if sign.is_control() => text.push_str(&format!("\\u{:04X}", u32::from(sign))),
            sign => text.push(sign),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Problem;
    use crate::plan::Phase;

    fn removed(variables: &[(&str, &str)]) -> Vec<Removed> {
        let variables = variables.iter();
        variables.map(|&(name, value)| Removed { name: name.to_owned(), value: value.to_owned() }).collect()
    }

    /// What the first problem says after these variables were taken out.
    #[track_caller]
    fn check(codes: &[Code], variables: &[(&str, &str)], first: &str) {
        let problems = codes.iter().map(|code| Problem::new(*code, code.word())).collect();
        let mut verdict = Verdict { phase: Phase::Red, problems, notes: Vec::new() };
        name_removed(&mut verdict, &[], &removed(variables));
        assert_eq!(verdict.problems.len(), codes.len());
        assert_eq!(verdict.problems.first().map(|problem| problem.message.as_str()), Some(first));
    }

    #[test]
    fn it_is_said_first_where_something_broke_before_the_tests() {
        check(
            &[Code::ExitZero, Code::ImportFailure],
            &[("PYTHONPATH", "src")],
            concat!(
                "`PYTHONPATH` was taken out of the environment, as it steers the runner; if the check needs it, put it back in the ",
                "plan with `env = { PYTHONPATH = \"src\" }`; import-failure"
            ),
        );
        check(&[Code::ImportFailure], &[], "import-failure");
        check(&[Code::CaseFailed], &[("PYTHONPATH", "src")], "case-failed");
        check(&[Code::ImportFailure], &[("GIT_DIR", "x")], "import-failure");
        check(
            &[Code::SetupFailure],
            &[("GIT_DIR", "x")],
            concat!(
                "`GIT_DIR` was taken out of the environment, as it steers the runner; if the check needs it, put it back in the plan ",
                "with `env = { GIT_DIR = \"x\" }`; setup-failure"
            ),
        );
    }

    #[test]
    fn several_are_one_sentence() {
        let variables = [("A", "1"), ("B", "2"), ("C", "3"), ("D", "4"), ("E", "5"), ("F", "6")];
        check(
            &[Code::SetupFailure],
            &variables,
            concat!(
                "`A`, `B`, `C`, `D`, `E` and 1 more were taken out of the environment, as they steer the runner; if the check ",
                "needs one of them, put them back in the plan with `env = { A = \"1\", B = \"2\", C = \"3\", D = \"4\", E = ",
                "\"5\" }`; setup-failure"
            ),
        );
    }

    #[test]
    fn values_are_toml_and_secrets_are_not_shown() {
        let value = |name: &str, text: &str| value(&removed(&[(name, text)])[0]);
        assert_eq!(value("A", "a\"b\\c\n"), "\"a\\\"b\\\\c\\u000A\"");
        for name in ["npm_config__authToken", "GIT_CONFIG_VALUE_0", "A_PASSWORD"] {
            assert_eq!(value(name, "x"), "\"…\"", "{name}");
        }
        assert_eq!(value("A", &"x".repeat(201)), "\"…\"");
    }
}

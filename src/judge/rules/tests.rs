//! What is found in added lines, and its honest twin beside it.

use super::*;
use crate::judge::tests::world::{facts, plan};
use crate::plan::{ByRepository, PathSet, Rule, patterns::pattern};

const TOKEN: &str = "ghp_·16C7e42F292c69C2E7C10c838347Ae178B4a";

fn ruled() -> Plan {
    let rule = |id: &str, level, paths: Option<&str>| Rule {
        id: id.to_owned(),
        pattern: pattern(r"breakpoint\(\)").unwrap(),
        paths: paths.map(|glob| ByRepository::All(PathSet::new([glob]).unwrap())),
        level,
        message: "Remove it".to_owned(),
    };
    Plan {
        rules: vec![
            rule("no-breakpoint", Level::Blocking, Some("src/**")),
            rule("seen", Level::Advisory, None),
        ],
        ..plan()
    }
}

fn found_with(plan: &Plan, path: &str, before: Option<&str>, now: &str) -> Vec<RuleFinding> {
    let (before, now) = (before.map(|text| text.replace('·', "")), now.replace('·', ""));
    let file = ChangedFile {
        path: path.into(),
        now: now.as_bytes(),
        before: before.as_deref().map(str::as_bytes),
        is_plan: path == "verify.toml",
    };
    rule_findings(plan, &facts("app", Vec::new()), &file)
}

/// `id:line` of each finding.
#[track_caller]
fn check(path: &str, before: Option<&str>, now: &str, want: &[&str]) {
    let found = found_with(&ruled(), path, before, now);
    let found: Vec<_> = found.iter().map(|finding| format!("{}:{}", finding.id, finding.line)).collect();
    assert_eq!(found, want, "{path}: {now}");
}

#[test]
fn rules_look_at_added_lines_of_their_files() {
    check("src/a.py", Some("a\n"), "a\nbreakpoint()\n", &["no-breakpoint:2", "seen:2"]);
    check("src/a.py", Some("breakpoint()\n"), "a\nbreakpoint()\n", &[]);
    check("other/a.py", None, "breakpoint()\n", &["seen:1"]);
    check("verify.toml", None, "breakpoint()\n", &[]);
    check("src/a.bin", None, "\0breakpoint()\n", &[]);
}

#[test]
fn markers_are_looked_for_in_tests() {
    check("tests/a.test.js", None, "it.only('a', f)\nxit('b', f)\n", &["focus-marker:1", "skip-marker:2"]);
    check("tests/test_a.py", None, "@pytest.mark.skip\n", &["skip-marker:1"]);
    check("tests/test_a.py", None, "# @pytest.mark.skip\n@pytest.mark.skipif(win)\n", &[]);
    check("tests/test_a.py", None, "it.only('a', f)\n", &[]);
    check("src/a.js", None, "it.only('a', f)\n", &[]);
    check("README.md", None, "<<<<<<< HEAD\n=======\n", &["conflict-marker:1"]);
    check("README.md", None, "Heading\n=======\n", &[]);
}

#[test]
fn a_rule_of_the_plan_takes_the_place_of_a_built_in_one() {
    let mut plan = ruled();
    plan.rules[1].id = "skip-marker".to_owned();
    assert_eq!(found_with(&plan, "tests/test_a.py", None, "@pytest.mark.skip\n"), []);
}

#[test]
fn secrets_are_found_where_the_task_put_them() {
    let line = format!("token = \"{TOKEN}\"\n");
    check("src/a.py", Some("a\n"), &format!("a\n{line}"), &["secret:github-token:2"]);
    check("verify.toml", None, &line, &["secret:github-token:1"]);
    // It was there before, on another line.
    check("src/a.py", Some(&line), &format!("a\n\n  {line}"), &[]);
    let key = "-----BEGIN· PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIBftnHPp22SewYmmEoMcX8VwI4IHwaqd+9LFPj/15eqF\n-----END PRIVATE KEY-----\n";
    check("src/a.pem", None, key, &["secret:private-key:1"]);
    // What only a name calls secret is everyday in some files; what has the form of one isn't.
    let guess = "api_key: ·Zq8Lm2Xv7Rt4Wp9Ks3Hd\n";
    check("src/a.yml", None, guess, &["secret:assigned:1"]);
    for quiet in ["Cargo.lock", "tests/fixtures/a.yml", "web/app.min.js"] {
        check(quiet, None, guess, &[]);
        check(quiet, None, &line, &["secret:github-token:1"]);
    }
}

#[test]
fn an_ignored_input_may_hold_secrets() {
    let mut plan = ruled();
    let line = format!("TOKEN={TOKEN}\n");
    assert_eq!(found_with(&plan, ".env.local", None, &line).len(), 1);
    plan.fingerprint.include = PathSet::new([".env.local"]).unwrap();
    assert_eq!(found_with(&plan, ".env.local", None, &line), []);
}

#[test]
fn fingerprints_stay_when_a_line_moves_and_tell_nothing() {
    let line = format!("token = \"{TOKEN}\"\n");
    let of = |path: &str, text: &str| found_with(&ruled(), path, None, text).remove(0);
    let first = of("src/a.py", &line);
    assert_eq!(first.fingerprint.len(), 32);
    assert_eq!(of("src/a.py", &format!("\n\n  {line}")).fingerprint, first.fingerprint);
    assert_ne!(of("src/b.py", &line).fingerprint, first.fingerprint);
    let said = format!("{first:?}{:?}", rule_problems(std::slice::from_ref(&first)));
    assert!(!said.contains(&TOKEN.replace('·', "")[4..]), "{said}");

    let mut plan = ruled();
    plan.allowed_findings = vec![first.fingerprint.clone()];
    assert_eq!(found_with(&plan, "src/a.py", None, &line), []);
    assert_eq!(found_with(&plan, "src/b.py", None, &line).len(), 1);
    let moved = of("src/a.py", "x\n    breakpoint()\n");
    assert_eq!(of("src/a.py", "breakpoint()\n").fingerprint, moved.fingerprint);
}

#[test]
fn problems_are_what_blocks() {
    let found = found_with(&ruled(), "src/a.py", None, &format!("breakpoint()\nx = '{TOKEN}'\n"));
    let problems = rule_problems(&found);
    let codes: Vec<_> = problems.iter().map(|problem| problem.code).collect();
    assert_eq!(codes, [Code::RuleBlocking, Code::SecretFound]);
    assert!(problems[0].message.starts_with("`src/a.py` line 1: Remove it (rule `no-breakpoint`)"));
    assert!(problems[1].message.starts_with("`src/a.py` line 2 holds a GitHub token"));
}

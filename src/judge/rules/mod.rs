//! `rule-blocking`, `secret-found`: what the lines that the task added hold.
//!
//! A line is added when the file as it was before the task doesn't have it there. A secret that the file held before,
//! on another line, is none of the task's.

mod added;
mod fingerprint;
mod markers;
mod quiet;
#[cfg(test)]
mod tests;
mod utf16;

use bstr::{BStr, BString, ByteSlice};

use super::findings::Findings;
use super::secrets::secrets;
use super::{Code, Problem};
use crate::observe::facts::{RepositoryFacts, is_text};
use crate::plan::{Level, Plan};
use added::Line;
use markers::BuiltIn;

/// What was found in an added line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFinding {
    /// The rule's id; `secret:<kind>` for a secret.
    pub id: String,
    /// What it means.
    pub level: Level,
    /// The repository's id.
    pub repository: String,
    /// Below its root, in bytes with `/`.
    pub path: BString,
    /// The line in the file, from 1.
    pub line: u32,
    /// What it is, or what to do about it. It never holds the secret.
    pub message: String,
    /// What names this finding, wherever its line moves: 32 hex digits.
    pub fingerprint: String,
}

/// A file that the task changed.
#[derive(Debug, Clone, Copy)]
pub struct ChangedFile<'a> {
    /// Below the repository's root, in bytes with `/`.
    pub path: &'a BStr,
    /// What it holds.
    pub now: &'a [u8],
    /// What it held before the task; `None`: it wasn't there, or nobody knows.
    pub before: Option<&'a [u8]>,
    /// Whether it is the plan, whose own patterns would be found in it.
    pub is_plan: bool,
}

/// What the added lines of a file hold that the plan doesn't allow.
#[must_use]
pub fn rule_findings(plan: &Plan, repository: &RepositoryFacts, file: &ChangedFile<'_>) -> Vec<RuleFinding> {
    let file = &match utf16::decoded(file.now) {
        Some(now) => return of_utf16(plan, repository, file, &now),
        None if is_text(file.now) => *file,
        None => return Vec::new(),
    };
    let added = added::added(file.before, file.now);
    let mut found = Vec::new();
    if !added.is_empty() {
        if !file.is_plan {
            of_plan(plan, repository, file, &added, &mut found);
            built_in(plan, repository, file, &added, &mut found);
        }
        let below = repository.below_path(file.path);
        // An ignored input is where secrets belong.
        if !below.is_some_and(|path| plan.fingerprint.include.matches(path)) {
            of_secrets(repository, file, &added, &mut found);
        }
    }
    found.retain(|finding| !plan.allowed_findings.contains(&finding.fingerprint));
    found.sort_by(|a, b| (a.line, &a.id).cmp(&(b.line, &b.id)));
    found
}

/// The same for a file in UTF-16, whose text this is.
fn of_utf16(
    plan: &Plan,
    repository: &RepositoryFacts,
    file: &ChangedFile<'_>,
    now: &[u8],
) -> Vec<RuleFinding> {
    let before = file.before.map(|before| utf16::decoded(before).unwrap_or_else(|| before.to_owned()));
    rule_findings(plan, repository, &ChangedFile { now, before: before.as_deref(), ..*file })
}

/// The reasons to reject among them.
#[must_use]
pub fn rule_problems(findings: &[RuleFinding]) -> Vec<Problem> {
    let mut found = Findings::default();
    for finding in findings.iter().filter(|finding| finding.level == Level::Blocking) {
        let code = if finding.id.starts_with("secret:") { Code::SecretFound } else { Code::RuleBlocking };
        found.reject(code, || {
            let RuleFinding { path, line, message, fingerprint, .. } = finding;
            let place = format!("`{}` line {line}", path.to_str_lossy());
            let said = match code {
                Code::SecretFound => format!("{place} holds {message}"),
                _ if message.is_empty() => format!("{place} is found by the rule `{}`", finding.id),
                _ => format!("{place}: {message} (rule `{}`)", finding.id),
            };
            let allow = format!("where it is none: `[secrets] allow = [\"{fingerprint}\"]`");
            Problem::new(code, format!("{said}; {allow}")).on(&finding.repository, path.clone())
        });
    }
    found.into_parts().0
}

fn of_plan(
    plan: &Plan,
    repository: &RepositoryFacts,
    file: &ChangedFile<'_>,
    added: &[Line],
    found: &mut Vec<RuleFinding>,
) {
    for rule in &plan.rules {
        let is_meant = match (&rule.paths, repository.below_path(file.path)) {
            (None, _) => true,
            (Some(paths), Some(path)) => paths.matches(&repository.id, path),
            (Some(_), None) => false,
        };
        if !is_meant {
            continue;
        }
        let matching = added.iter().filter(|line| rule.pattern.is_match(text(file.now, line)));
        found.extend(
            matching.map(|line| finding(repository, file, line, &rule.id, rule.level, &rule.message)),
        );
    }
}

fn built_in(
    plan: &Plan,
    repository: &RepositoryFacts,
    file: &ChangedFile<'_>,
    added: &[Line],
    found: &mut Vec<RuleFinding>,
) {
    let built_in = BuiltIn::get();
    let below = repository.below_path(file.path);
    let is_test = below.is_some_and(|path| {
        plan.freeze.test_paths.matches(&repository.id, path) || plan.freeze.inline.matches(path)
    });
    for about in &built_in.rules {
        if plan.rules.iter().any(|rule| rule.id == about.id) {
            continue;
        }
        let markers = built_in.markers.iter().filter(|marker| marker.rule == about.id);
        let patterns: Vec<_> = markers
            .filter(|marker| is_test || !marker.tests)
            .filter_map(|marker| marker.pattern_for(file.path))
            .collect();
        for line in added {
            let text = text(file.now, line);
            if !markers::is_comment(text) && patterns.iter().any(|pattern| pattern.is_match(text)) {
                found.push(finding(repository, file, line, &about.id, about.level, &about.message));
            }
        }
    }
}

fn of_secrets(
    repository: &RepositoryFacts,
    file: &ChangedFile<'_>,
    added: &[Line],
    found: &mut Vec<RuleFinding>,
) {
    let is_quiet = quiet::is_quiet(file.path);
    for secret in secrets(file.now).into_iter().filter(|secret| !(secret.is_guess && is_quiet)) {
        // The first of its lines that is new.
        let at = added.partition_point(|line| line.range.end < secret.range.start);
        let Some(line) = added.get(at).filter(|line| line.range.start < secret.range.end) else { continue };
        let value = file.now.get(secret.range.clone()).unwrap_or_default();
        let was_there = file.before.is_some_and(|before| memchr::memmem::find(before, value).is_some());
        if was_there {
            continue;
        }
        found.push(RuleFinding {
            id: format!("secret:{}", secret.kind),
            level: Level::Blocking,
            repository: repository.id.clone(),
            path: file.path.to_owned(),
            line: line.number,
            message: secret.what.to_owned(),
            fingerprint: fingerprint::of_secret(secret.kind, &repository.id, file.path, value),
        });
    }
}

fn finding(
    repository: &RepositoryFacts,
    file: &ChangedFile<'_>,
    line: &Line,
    id: &str,
    level: Level,
    message: &str,
) -> RuleFinding {
    RuleFinding {
        id: id.to_owned(),
        level,
        repository: repository.id.clone(),
        path: file.path.to_owned(),
        line: line.number,
        message: message.to_owned(),
        fingerprint: fingerprint::of_line(id, &repository.id, file.path, text(file.now, line)),
    }
}

fn text<'t>(now: &'t [u8], line: &Line) -> &'t [u8] {
    now.get(line.range.clone()).unwrap_or_default()
}

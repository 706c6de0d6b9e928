//! The requirements of a spec, as a reader finds them that always finds the same ones.

use super::title::{PREFIXES, item, plain, title_key};

/// How much of a spec a judge is shown, in signs.
pub const SHOWN: usize = 16_000;

/// Headings whose items and inner headings are requirements.
const NAMES: [&str; 7] = [
    "features",
    "requirements",
    "user stories",
    "scope",
    "acceptance",
    "acceptance criteria",
    "acceptance tests",
];

/// Words that such a heading may begin with.
const KINDS: [&str; 7] = ["core", "functional", "key", "main", "must-have", "non-functional", "product"];

/// What a spec asks for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Spec {
    /// The titles in their order, without Markdown's marks, each once.
    pub requirements: Vec<String>,
    /// Whether a heading or a requirement lies beyond what a judge is shown.
    pub beyond: bool,
}

/// Finds the requirements of a spec in Markdown: list items and headings below a heading named features, requirements,
/// user stories, scope or acceptance, and headings that begin with `Feature:`, `Requirement:`, `Epic:`, `Story:` or
/// `User story:`.
#[must_use]
pub fn read_spec(text: &str) -> Spec {
    let mut spec = Spec::default();
    let mut keys = std::collections::BTreeSet::new();
    // The level of the heading below which everything is a requirement.
    let mut below: Option<usize> = None;
    let mut fence: Option<&str> = None;
    let mut in_comment = false;
    let mut signs = 0;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let at = signs;
        signs += line.chars().count() + 1;
        let trimmed = line.trim();
        if let Some(mark) = fence {
            if trimmed.starts_with(mark) && trimmed.trim_start_matches(['`', '~']).is_empty() {
                fence = None;
            }
            continue;
        }
        if in_comment || trimmed.starts_with("<!--") {
            in_comment = !trimmed.contains("-->");
            continue;
        }
        if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark)) {
            fence = Some(mark);
            continue;
        }
        let heading = heading(line).or_else(|| underlined(line, lines.peek().copied()));
        let title = match heading {
            Some((level, title)) => {
                let inside = below.is_some_and(|above| level > above);
                spec.beyond |= at >= SHOWN;
                let title = plain(title);
                let prefixed = PREFIXES.iter().any(|prefix| title.to_lowercase().starts_with(prefix));
                if !inside {
                    below = is_named(&title).then_some(level);
                }
                (inside || prefixed).then_some(title)
            }
            None => below.and_then(|_| item(line)).map(plain),
        };
        let Some(title) = title else { continue };
        let key = title_key(&title);
        if !key.is_empty() && keys.insert(key) {
            spec.beyond |= at >= SHOWN;
            spec.requirements.push(title);
        }
    }
    spec
}

/// The level and the text of a heading that begins with `#`.
fn heading(line: &str) -> Option<(usize, &str)> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let line = line.trim();
    let level = line.len() - line.trim_start_matches('#').len();
    let title = line.get(level..)?;
    let is_one = indent < 4 && (1..=6).contains(&level) && title.starts_with([' ', '\t']);
    is_one.then_some((level, title)).filter(|(_, title)| !title.trim().is_empty())
}

/// The level and the text of a heading that is underlined.
fn underlined<'l>(line: &'l str, next: Option<&str>) -> Option<(usize, &'l str)> {
    let next = next?.trim_end();
    if line.trim().is_empty() || item(line).is_some() || next.len() < 3 {
        return None;
    }
    let is = |sign: char| next.chars().all(|other| other == sign);
    if is('=') { Some((1, line)) } else { is('-').then_some((2, line)) }
}

/// Whether a heading's name says that requirements are below it.
fn is_named(title: &str) -> bool {
    let title = title.to_lowercase();
    let name = title
        .trim_start_matches(|sign: char| sign.is_ascii_digit() || matches!(sign, '.' | ')' | ' '))
        .trim_end_matches([':', ' ']);
    let name = KINDS.iter().find_map(|kind| name.strip_prefix(kind)?.strip_prefix(' ')).unwrap_or(name);
    NAMES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, wanted: &[&str]) {
        assert_eq!(read_spec(text).requirements, wanted, "{text}");
    }

    #[test]
    fn items_and_headings_below_a_named_heading() {
        check(
            "# App\n- no\n## Features\n- Export\n* Import\n  + nested\n1. first\n2) second\n## Notes\n- no\n",
            &["Export", "Import", "nested", "first", "second"],
        );
        check(
            "# REQUIREMENTS\n## Export\ntext\n### Deeper\n- [ ] item\n# Else\n## no\n",
            &["Export", "Deeper", "item"],
        );
        for name in
            ["Features", "requirements:", "3. User Stories", "SCOPE", "Acceptance", "**Acceptance criteria**"]
        {
            check(&format!("#### {name}\n- one\n"), &["one"]);
        }
        for name in ["Out of scope", "Non-goals", "Featured", "Scope creep"] {
            check(&format!("## {name}\n- one\n"), &[]);
        }
        check("Features\n--------\n- one\nOther\n=====\n- two\n", &["one"]);
    }

    #[test]
    fn headings_that_say_what_they_are() {
        check(
            "# Feature: Export\n- no\n## user story: Import\n## Other\n",
            &["Feature: Export", "user story: Import"],
        );
    }

    #[test]
    fn what_is_no_requirement() {
        check(
            "## Features\n```\n- code\n# code\n```\n~~~ x\n- code\n~~~\n- one\n- One\n-\n---\n-no\n#no\n",
            &["one"],
        );
        check(
            "## Features\n<!-- - no -->\n- one\n<!--\n- no\n```\n-->\n- two\n```\n<!--\n```\n- three\n- <!-- four\n",
            &["one", "two", "three", "<!-- four"],
        );
        check("", &[]);
    }

    #[test]
    fn what_a_judge_is_not_shown_is_noticed() {
        let long = format!("## Features\n- one\n{}\n", "ä".repeat(SHOWN));
        assert!(!read_spec(&long).beyond);
        assert!(read_spec(&format!("{long}## Later\n")).beyond);
        assert!(read_spec(&format!("{long}- two\n")).beyond);
        assert!(!read_spec(&format!("{long}- one\n")).beyond, "it was named before");
    }
}

//! Reasons to reject, and notes, for a person: the code, the sentence, the quoted lines, what to do next.

use std::ops::RangeInclusive;

use redgreen_parsers::Lines;

use super::text::{count, cut, safe, safe_bytes};
use super::theme::{BAD, CARE, FAINT, WORD, paint};
use crate::judge::{Code, Problem, help};
use crate::record::wire;

/// How many lines are quoted of one problem: the first and the last ones, which say most.
const QUOTED: u32 = 6;

/// How wide a quoted line is shown.
const WIDTH: usize = 160;

/// Gives a line of the transcript by its number.
pub type Quote<'a> = &'a dyn Fn(u32) -> Option<Vec<u8>>;

/// A problem or a note, as it was judged or as a record keeps it.
#[derive(Debug, Clone, Copy)]
pub struct Said<'a> {
    /// Its code.
    pub code: &'a str,
    /// Its sentence.
    pub message: &'a str,
    /// The file that it is about.
    pub path: Option<&'a [u8]>,
    /// Where in the transcript.
    pub lines: Option<Lines>,
}

impl<'a> From<&'a Problem> for Said<'a> {
    fn from(problem: &'a Problem) -> Self {
        let path = problem.place.as_ref().and_then(|place| place.path.as_ref());
        Self {
            code: problem.code.word(),
            message: &problem.message,
            path: path.map(|path| path.as_slice()),
            lines: problem.lines,
        }
    }
}

impl<'a> From<&'a wire::Problem> for Said<'a> {
    fn from(problem: &'a wire::Problem) -> Self {
        Self {
            code: &problem.code,
            message: &problem.message,
            path: problem.path.as_deref().map(str::as_bytes),
            lines: problem.lines.map(|lines| Lines::new(lines.0, lines.1)),
        }
    }
}

/// The problems, each with its lines quoted, and below the last one of a code what to do about it.
#[must_use]
pub fn problems<'a, S: Into<Said<'a>>>(said: impl IntoIterator<Item = S>, quote: Quote<'_>) -> Vec<String> {
    let problems: Vec<Said<'_>> = said.into_iter().map(Into::into).collect();
    let mut out = Vec::new();
    for (at, problem) in problems.iter().enumerate() {
        out.push(format!("  {}  {}", paint(BAD, &safe(problem.code)), sentence(problem)));
        if let Some(lines) = problem.lines {
            out.extend(quoted(lines, quote));
        }
        let later = problems.get(at + 1..).unwrap_or_default();
        if !later.iter().any(|other| other.code == problem.code) {
            out.extend(next(problem.code));
        }
    }
    out
}

/// The notes, a line each.
#[must_use]
pub fn notes<'a, S: Into<Said<'a>>>(said: impl IntoIterator<Item = S>) -> Vec<String> {
    said.into_iter()
        .map(Into::into)
        .map(|note: Said<'_>| {
            format!("  {}  {}", paint(CARE, &format!("note {}", safe(note.code))), sentence(&note))
        })
        .collect()
}

/// `red rejected: 2 reasons`.
#[must_use]
pub fn headline(what: &str, accepted: bool, reasons: usize) -> String {
    let what = safe(what);
    if accepted {
        return format!("{what} {}", paint(super::theme::GOOD, "accepted"));
    }
    let rejected = paint(BAD, "rejected");
    if reasons == 0 {
        format!("{what} {rejected}")
    } else {
        format!("{what} {rejected}: {}", count(reasons, "reason"))
    }
}

/// The first line where nothing could be decided.
#[must_use]
pub fn undecided(what: &str, reasons: usize) -> String {
    format!("{} {}: {}", safe(what), paint(CARE, "undecided"), count(reasons, "reason"))
}

/// The numbers of the lines that are quoted: all of a short block, of a long one those at both ends.
pub fn quoted_numbers(lines: Lines) -> impl Iterator<Item = u32> {
    let (head, tail) = ends(lines);
    head.chain(tail)
}

/// The lines as they stand in the transcript, numbered.
#[must_use]
pub fn quoted(lines: Lines, quote: Quote<'_>) -> Vec<String> {
    let shown = |number: u32| {
        let text = cut(&safe_bytes(&quote(number)?), WIDTH);
        Some(format!("  {} {text}", paint(FAINT, &format!("{number:>6} │"))))
    };
    let (head, tail) = ends(lines);
    let mut out: Vec<String> = head.filter_map(shown).collect();
    let mut tail = tail.filter_map(shown).peekable();
    if !out.is_empty() && tail.peek().is_some() {
        out.push(format!("  {}", paint(FAINT, &format!("{:>6} │ …", ""))));
    }
    out.extend(tail);
    out
}

/// The first and the last lines of a block; the second is empty where the block is short.
fn ends(lines: Lines) -> (RangeInclusive<u32>, RangeInclusive<u32>) {
    const HEAD: u32 = 2;
    let Lines { first, last } = lines;
    if last.saturating_sub(first) < QUOTED {
        #[expect(clippy::reversed_empty_ranges, reason = "there is no second part")]
        return (first..=last, 1..=0);
    }
    (first..=first.saturating_add(HEAD - 1), last - (QUOTED - HEAD - 1)..=last)
}

fn sentence(problem: &Said<'_>) -> String {
    let message = safe(problem.message);
    match problem.path {
        Some(path) => {
            let path = safe_bytes(path);
            if message.contains(&path) { message } else { format!("{}: {message}", paint(WORD, &path)) }
        }
        None => message,
    }
}

fn next(code: &str) -> Option<String> {
    let help = help(Code::find(code)?);
    (!help.is_empty()).then(|| format!("    {} {help}", paint(WORD, "next:")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(lines: &[String]) -> String {
        anstream::adapter::strip_str(&lines.join("\n")).to_string()
    }

    #[test]
    fn long_blocks_are_quoted_at_both_ends() {
        let quote = |number: u32| Some(format!("line {number}").into_bytes());
        let text = plain(&quoted(Lines::new(1, 3), &quote));
        assert_eq!(text.lines().count(), 3);
        let text = plain(&quoted(Lines::new(10, 90), &quote));
        assert!(text.contains("line 10") && text.contains("line 11") && text.contains("line 90"), "{text}");
        assert!(!text.contains("line 50"));
        assert_eq!(text.lines().count(), 7, "{text}");
    }

    #[test]
    fn escapes_in_quotes_and_messages_are_shown_and_not_sent() {
        let quote = |_: u32| Some(b"\x1b[2Jgone".to_vec());
        let problem = Problem::new(Code::CaseFailed, "it says \x1b[2J").at(Lines::one(3));
        let text = plain(&problems([&problem], &quote));
        assert!(text.contains("\\u{1b}[2Jgone"), "{text}");
        assert!(!text.contains('\x1b'));
    }
}

//! The words of a shell or an interpreter that could not start a runner: `command not found`, `No module named …`.
//!
//! They are data, the rules of kind `startup` in a format's grammar. Only the first lines are held against them: a
//! runner that doesn't start says so at once, and what a test prints may say the same.

use crate::text::lossy;
use crate::{Grammar, Kind, Line, Lines, Problem};

/// So many lines are looked at.
const FIRST_LINES: u32 = 50;
/// So much of each.
const LONGEST: usize = 1000;

/// The first line, if any came, that says so.
#[derive(Debug, Default)]
pub(crate) struct Startup {
    looked_at: u32,
    problem: Option<Problem>,
}

impl Startup {
    /// Takes a line in which no runner speaks.
    pub(crate) fn line(&mut self, line: Line<'_>, grammar: &Grammar) {
        if self.looked_at >= FIRST_LINES || self.problem.is_some() {
            return;
        }
        self.looked_at += 1;
        let text = lossy(line.text.get(..LONGEST).unwrap_or(line.text));
        if grammar.kind("", &text) == Some(Kind::Startup) {
            self.problem = Some(Problem {
                kind: Kind::Startup,
                subject: None,
                error: None,
                message: Some(text.into_owned()),
                lines: Lines::one(line.number),
            });
        }
    }

    /// What it said, given once.
    pub(crate) fn take(&mut self) -> Option<Problem> {
        self.problem.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;

    #[test]
    fn the_first_words_count() {
        let unittest = Format::find("unittest").unwrap();
        let read = |lines: &[&str]| {
            let mut startup = Startup::default();
            for (text, number) in lines.iter().zip(1..) {
                startup.line(Line { text: text.as_bytes(), number, ended: true }, unittest.grammar());
            }
            startup.take().map(|problem| problem.lines.first)
        };
        assert_eq!(read(&["hello", "sh: 1: python: not found", "sh: 1: python: not found"]), Some(2));
        assert_eq!(read(&["hello"]), None);
        let mut late = vec!["hello"; 50];
        late.push("sh: 1: python: not found");
        assert_eq!(read(&late), None);
    }
}

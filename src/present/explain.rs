//! A transcript for a person: every line, and beside those that decided what they decided.

use std::collections::BTreeMap;

use redgreen_parsers::{Report, Status};

use super::text::{cut, safe, safe_bytes};
use super::theme::{BAD, CARE, FAINT, GOOD, paint};

/// How wide a line is shown.
const WIDTH: usize = 200;

/// How many lines around a mark are shown.
const AROUND: u32 = 2;

/// What the lines of a transcript decided.
#[derive(Debug, Default)]
pub struct Marks {
    first: BTreeMap<u32, Vec<String>>,
    shown: Vec<(u32, u32)>,
}

impl Marks {
    /// The marks that these reports put on their transcript.
    #[must_use]
    pub fn of(reports: &[Report]) -> Self {
        let mut marks = Self::default();
        for report in reports {
            for case in report.cases.iter() {
                let style = match case.status() {
                    Status::Passed => GOOD,
                    Status::Failed | Status::Errored => BAD,
                    _ => CARE,
                };
                let word = format!("{} {}", paint(style, case.status().word()), safe(case.id()));
                marks.add(case.lines().first, case.lines().first, word);
                for failure in case.failures() {
                    let why = format!("{} of {}", paint(BAD, failure.kind.word()), safe(case.id()));
                    marks.add(failure.lines.first, failure.lines.last, why);
                }
            }
            for problem in &report.problems {
                let subject = safe(problem.subject.as_deref().unwrap_or("the run"));
                let why = format!("{} of {subject}", paint(BAD, problem.kind.word()));
                marks.add(problem.lines.first, problem.lines.last, why);
            }
            for note in &report.notes {
                if let Some(lines) = note.lines {
                    marks.add(
                        lines.first,
                        lines.last,
                        format!("{} {}", paint(CARE, "note"), note.code.word()),
                    );
                }
            }
        }
        marks.shown.sort_unstable();
        marks
    }

    fn add(&mut self, first: u32, last: u32, what: String) {
        self.first.entry(first).or_default().push(what);
        self.shown.push((first.saturating_sub(AROUND), last.saturating_add(AROUND)));
    }

    /// A line as it is shown, with what it decided; `None`: it is far from any that decided.
    #[must_use]
    pub fn line(&self, number: u32, text: &[u8]) -> Option<String> {
        let until = self.shown.partition_point(|(first, _)| *first <= number);
        let near = self.shown.get(..until)?.iter().any(|(_, last)| *last >= number);
        if !near {
            return None;
        }
        let text = cut(&safe_bytes(text), WIDTH);
        let line = format!("{} {text}", paint(FAINT, &format!("{number:>6} │")));
        let marks = self.first.get(&number);
        Some(match marks {
            None => line,
            Some(what) => format!("{line}\n         {} {}", paint(FAINT, "╰─"), what.join("; ")),
        })
    }
}

//! Reads any output by two patterns of the caller's.
//!
//! There is one case, `<output>`: failed where the failure pattern matches a line, else passed where the success
//! pattern does. Lines come without escape sequences. The case has no name to compare, so an expected identity counts
//! when it stands as whole words on a matching line of the pattern that decided.

use regex::bytes::Regex;

use crate::bounded::Bounded;
use crate::text::lossy;
use crate::{
    CaseKey, Completeness, Failure, Format, Kind, Line, Lines, NewCase, NoteCode, Options, Parser, Report,
    Status, Stream,
};

/// So many matching lines are kept as failures.
const MOST_FAILURES: usize = 100;

pub(crate) fn new(format: Format, options: &Options) -> impl Parser + use<> {
    let matches =
        |pattern: &Option<Regex>| Matches { pattern: pattern.clone(), lines: None, seen: Vec::new() };
    Generic {
        format,
        success: matches(&options.success_pattern),
        failure: matches(&options.failure_pattern),
        identities: options.identities.clone(),
        failures: Vec::new(),
        left_out: None,
        last_line: 0,
    }
}

struct Generic {
    format: Format,
    success: Matches,
    failure: Matches,
    identities: Vec<String>,
    failures: Vec<Failure>,
    left_out: Option<Lines>,
    last_line: u32,
}

/// Where one pattern matched, and which identities stood there (by their place in the list).
struct Matches {
    pattern: Option<Regex>,
    lines: Option<Lines>,
    seen: Vec<usize>,
}

impl Matches {
    fn takes(&mut self, line: Line<'_>, identities: &[String]) -> bool {
        if !self.pattern.as_ref().is_some_and(|pattern| pattern.is_match(line.text)) {
            return false;
        }
        let first = self.lines.map_or(line.number, |lines| lines.first);
        self.lines = Some(Lines::new(first, line.number));
        if self.seen.len() < identities.len() {
            let text = lossy(line.text);
            for (place, identity) in identities.iter().enumerate() {
                if !self.seen.contains(&place) && stands_in(&text, identity) {
                    self.seen.push(place);
                }
            }
        }
        true
    }
}

impl Parser for Generic {
    fn line(&mut self, line: Line<'_>, _: Stream) {
        self.last_line = line.number;
        self.success.takes(line, &self.identities);
        if !self.failure.takes(line, &self.identities) {
            return;
        }
        if self.failures.len() == MOST_FAILURES {
            let first = self.left_out.map_or(line.number, |lines| lines.first);
            self.left_out = Some(Lines::new(first, line.number));
            return;
        }
        let mut message = Bounded::default();
        message.line(line.text.trim_ascii());
        if message.is_cut() {
            self.left_out.get_or_insert(Lines::one(line.number));
        }
        self.failures.push(Failure {
            kind: Kind::Assertion,
            error: None,
            message: message.into_text(),
            file: None,
            line: None,
            lines: Lines::one(line.number),
        });
    }

    fn end(&mut self) -> Vec<Report> {
        let mut report = Report::empty(self.format);
        if self.last_line == 0 {
            return vec![report];
        }
        report.completeness = Completeness::Complete;
        match (self.success.lines, self.failure.lines) {
            (None, None) => report.note(NoteCode::PatternNone, "no line matches a pattern", None),
            (Some(lines), None) => {
                push(&mut report, Status::Passed, lines);
            }
            (success, Some(lines)) => {
                let case = push(&mut report, Status::Failed, lines);
                for failure in self.failures.drain(..) {
                    report.cases.add_failure(case, failure);
                }
                if success.is_some() {
                    let message = "the failure pattern matches, and the success pattern does too";
                    report.note(NoteCode::PatternBoth, message, success);
                }
            }
        }
        if self.left_out.is_some() {
            let message =
                format!("of the matching lines the first {MOST_FAILURES} are kept, each up to 4 KiB");
            report.note(NoteCode::LeftOut, message, self.left_out);
        }
        let decided = if self.failure.lines.is_some() { &self.failure } else { &self.success };
        report.identities_seen = self
            .identities
            .iter()
            .enumerate()
            .filter(|(place, _)| decided.seen.contains(place))
            .map(|(_, identity)| identity.clone())
            .collect();
        vec![report]
    }
}

fn push(report: &mut Report, status: Status, lines: Lines) -> CaseKey {
    let id = "<output>";
    report.cases.push(NewCase { id, name_len: id.len(), status, lines }, |_| Vec::new())
}

/// Whether `words` stand in `text` with no letter, digit or underscore of a longer word on either side.
fn stands_in(text: &str, words: &str) -> bool {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    if words.is_empty() {
        return false;
    }
    let (opens, closes) = (words.starts_with(in_word), words.ends_with(in_word));
    text.match_indices(words).any(|(at, found)| {
        let before = text.get(..at).is_some_and(|before| before.ends_with(in_word));
        let after = text.get(at + found.len()..).is_some_and(|after| after.starts_with(in_word));
        !(opens && before || closes && after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(success: &str, failure: &str, identities: &[&str], input: &str) -> Report {
        let pattern = |text: &str| (!text.is_empty()).then(|| Regex::new(text).unwrap());
        let options = Options {
            success_pattern: pattern(success),
            failure_pattern: pattern(failure),
            identities: identities.iter().map(|text| (*text).to_owned()).collect(),
            ..Options::default()
        };
        crate::parse(Format::find("generic").unwrap(), input.as_bytes(), &options).remove(0)
    }

    #[track_caller]
    fn check(input: &str, status: Option<Status>, notes: &[NoteCode]) -> Report {
        let report = read("^all good$", "BROKEN", &[], input);
        let case = report.cases.iter().next();
        assert_eq!(case.map(|case| case.status()), status);
        assert!(case.is_none_or(|case| case.id() == "<output>" && case.suite().is_empty()));
        assert_eq!(report.notes.iter().map(|note| note.code).collect::<Vec<_>>(), notes);
        report
    }

    #[test]
    fn a_pattern_decides() {
        check("x\nall good\n", Some(Status::Passed), &[]);
        check("\x1b[32mall good\x1b[0m\r\n", Some(Status::Passed), &[]);
        let report = check("x\na BROKEN\nb BROKEN", Some(Status::Failed), &[]);
        let case = report.cases.iter().next().unwrap();
        let said: Vec<_> = case.failures().iter().map(|f| (f.kind, f.lines, f.message.as_deref())).collect();
        assert_eq!(
            said,
            [
                (Kind::Assertion, Lines::one(2), Some("a BROKEN")),
                (Kind::Assertion, Lines::one(3), Some("b BROKEN"))
            ]
        );
        assert_eq!(case.lines(), Lines::new(2, 3));
    }

    #[test]
    fn both_or_none_is_a_note() {
        check("all good\nBROKEN", Some(Status::Failed), &[NoteCode::PatternBoth]);
        check("almost all good\n", None, &[NoteCode::PatternNone]);
        assert_eq!(check("\n", None, &[NoteCode::PatternNone]).completeness, Completeness::Complete);
        assert_eq!(check("", None, &[]).completeness, Completeness::Empty);
    }

    #[test]
    fn many_matches_are_bounded_and_said_so() {
        let report = check(&"BROKEN\n".repeat(150), Some(Status::Failed), &[NoteCode::LeftOut]);
        assert_eq!(report.cases.iter().next().unwrap().failures().len(), MOST_FAILURES);
        assert_eq!(report.notes[0].lines, Some(Lines::new(101, 150)));
    }

    #[test]
    fn identities_count_on_lines_of_the_deciding_pattern() {
        let identities = ["test_a", "test_b", "test_c"];
        let input = "test_b all good\ntest_a BROKEN\ntest_c\ntest_ab BROKEN";
        assert_eq!(read("all good", "BROKEN", &identities, input).identities_seen, ["test_a"]);
        assert_eq!(read("all good", "", &identities, input).identities_seen, ["test_b"]);
    }

    #[test]
    fn words_are_whole() {
        assert!(stands_in("x test_ab test_a.", "test_a"));
        assert!(!stands_in("test_ab atest_a", "test_a"));
        assert!(!stands_in("prüfung_ä1", "prüfung_ä"));
        assert!(stands_in("has a > b: no", "a > b"));
        assert!(stands_in("f()x", "f()"));
        assert!(!stands_in("anything", ""));
    }
}

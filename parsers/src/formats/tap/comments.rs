//! Comments that carry meaning: Test::More's diagnostics, and the numbers that some runners print at their end.

use std::collections::{HashMap, VecDeque};

use super::diagnosis::Diagnosis;
use super::words::{error_line, perl_site};
use crate::bounded::Bounded;
use crate::text::{lossy, number};
use crate::{Cases, Failure, Kind, Lines, Status, Totals};

/// `#   Failed test 'name'` and what follows it. It stands on standard error as a rule, in any order to the results,
/// so that its name alone says what it belongs to.
#[derive(Debug)]
pub(super) struct NamedFailure {
    name: Option<String>,
    todo: bool,
    site: Option<(String, u32)>,
    message: Bounded,
    lines: Lines,
}

/// All of a document.
#[derive(Debug, Default)]
pub(super) struct NamedFailures {
    all: Vec<NamedFailure>,
    open: bool,
}

impl NamedFailures {
    /// Takes a comment, without its `#`. Says whether it belongs here.
    pub(super) fn comment(&mut self, text: &[u8], number: u32) -> bool {
        // Test2 has one blank where Test::More has three.
        let head =
            text.strip_prefix(b"   Failed ").or_else(|| text.strip_prefix(b" Failed ").filter(names_a_test));
        if let Some(rest) = head {
            let (todo, rest) = match rest.strip_prefix(b"(TODO) ") {
                Some(rest) => (true, rest),
                None => (false, rest),
            };
            if let Some(rest) = rest.strip_prefix(b"test") {
                self.start(rest, todo, number);
                return true;
            }
        }
        let Some(last) = self.all.last_mut().filter(|_| self.open) else { return false };
        last.lines.last = number;
        match perl_site(text.trim_ascii()) {
            Some((file, line)) if last.site.is_none() => last.site = Some((lossy(file).into_owned(), line)),
            _ => last.message.line(text.strip_prefix(b" ").unwrap_or(text)),
        }
        true
    }

    fn start(&mut self, rest: &[u8], todo: bool, number: u32) {
        let named = rest.strip_prefix(b" '").and_then(|rest| {
            let end = memchr::memrchr(b'\'', rest)?;
            Some((lossy(rest.get(..end)?).into_owned(), rest.get(end + 1..)?))
        });
        let (name, rest) = match named {
            Some((name, rest)) => (Some(name), rest),
            None => (None, rest),
        };
        let site = perl_site(rest.trim_ascii()).map(|(file, line)| (lossy(file).into_owned(), line));
        let (message, lines) = (Bounded::default(), Lines::one(number));
        self.all.push(NamedFailure { name, todo, site, message, lines });
        self.open = true;
    }

    /// A line that is no comment ends what was being said.
    pub(super) fn interrupt(&mut self) {
        self.open = false;
    }

    /// What was said, by name and in order.
    pub(super) fn by_name(self) -> ByName {
        let mut by_name = ByName::default();
        for failure in self.all.into_iter().filter(|failure| !failure.todo) {
            let name = failure.name.clone().unwrap_or_default();
            by_name.0.entry(name).or_default().push_back(failure);
        }
        by_name
    }
}

/// `test 'name'`, `test at t/a.t line 5.`, `test`: and no count of tests.
fn names_a_test(rest: &&[u8]) -> bool {
    let rest = rest.strip_prefix(b"(TODO) ").unwrap_or(rest).strip_prefix(b"test");
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b" '") || rest.starts_with(b" at "))
}

/// The failures of each name that are still to be given to a case.
#[derive(Debug, Default)]
pub(super) struct ByName(HashMap<String, VecDeque<NamedFailure>>);

impl ByName {
    /// Gives each failure that nothing explains yet what was said under its name.
    pub(super) fn attach(&mut self, cases: &mut Cases) {
        if self.0.is_empty() {
            return;
        }
        let mut before = None;
        for key in cases.keys() {
            let child = before.replace(key).and_then(|before| cases.get(before));
            let Some(case) = cases.get(key).filter(|case| case.status() == Status::Failed) else { continue };
            let is_parent = child.is_some_and(|child| {
                child
                    .suite()
                    .split_last()
                    .is_some_and(|(parent, above)| parent == case.name() && above == case.suite())
            });
            let name = if case.name().starts_with('#') { "" } else { case.name() };
            // A subtest that failed with those below it is named as well: it takes its turn.
            let Some(found) = self.0.get_mut(name).and_then(VecDeque::pop_front) else { continue };
            if let Some(open) = cases.failures_mut(key).first_mut()
                && open.kind == Kind::Unknown
                && !is_parent
            {
                *open = found.failure();
            }
        }
    }
}

impl NamedFailure {
    fn failure(self) -> Failure {
        let (file, line) = self.site.unzip();
        let (kind, lines) = (Kind::Assertion, self.lines);
        Failure { kind, error: None, message: self.message.into_text(), file, line, lines }
    }
}

/// The runner's own numbers, in comments behind the plan.
#[derive(Debug, Default)]
pub(super) struct Trailer {
    /// Where the number of tests stands, which comes first.
    tests: Option<u32>,
    pub(super) pass: Option<u64>,
    pub(super) fail: Option<u64>,
    pub(super) cancelled: Option<u64>,
    pub(super) skipped: Option<u64>,
    pub(super) todo: Option<u64>,
    pub(super) suites: Option<u64>,
    pub(super) line: u32,
}

impl Trailer {
    /// Takes a comment, without its `#`.
    pub(super) fn comment(&mut self, text: &[u8], line: u32) {
        let text = text.trim_ascii();
        let Some(blank) = memchr::memchr(b' ', text) else { return };
        let (word, rest) = text.split_at(blank);
        let Some((count, b"")) = number(rest.trim_ascii_start()) else { return };
        if word == b"tests" {
            self.tests = Some(line);
        }
        let place = match word {
            b"pass" => &mut self.pass,
            b"fail" => &mut self.fail,
            b"cancelled" => &mut self.cancelled,
            b"skipped" | b"skip" => &mut self.skipped,
            b"todo" => &mut self.todo,
            b"suites" => &mut self.suites,
            _ => return,
        };
        *place = Some(count);
        self.line = line;
    }

    /// Whether `# tests`, `# pass` and `# fail` are the three lines before this one.
    pub(super) fn stands_right_before(&self, line: u32) -> bool {
        self.tests.is_some_and(|tests| tests.saturating_add(3) == line)
            && self.line.saturating_add(1) == line
            && self.pass.is_some()
            && self.fail.is_some()
    }

    pub(super) fn totals(&self) -> Totals {
        // What was cancelled is printed as `not ok`. tape leaves out a count of no failures.
        let failed = match (self.fail, self.cancelled) {
            (Some(fail), cancelled) => Some(fail.saturating_add(cancelled.unwrap_or(0))),
            (None, _) => None,
        };
        Totals { passed: self.pass, failed, skipped: self.skipped, todo: self.todo, ..Totals::default() }
    }
}

/// What a comment says about the end of a Test::More script.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LooksLike {
    /// The script came to its end with another number of tests than planned.
    Planned,
    /// Tests failed, which their points say better.
    Failed,
    /// The script died.
    Exited,
}

pub(super) fn looks_like(text: &[u8]) -> Option<LooksLike> {
    match text.strip_prefix(b" Looks like you")? {
        [b' ', b'p', ..] => Some(LooksLike::Planned),
        [b' ', b'f', ..] => Some(LooksLike::Failed),
        [b'r', b' ', ..] => Some(LooksLike::Exited),
        _ => None,
    }
}

/// A line by which a Perl script dies: `message at t/a.t line 5.`
#[derive(Debug)]
pub(super) struct Death {
    pub(super) file: String,
    pub(super) message: String,
    pub(super) line: u32,
}

pub(super) fn death(text: &[u8], number: u32) -> Option<Death> {
    if !text.ends_with(b".") && !text.starts_with(b"syntax error at ") {
        return None;
    }
    let (file, _) = perl_site(text)?;
    let at = memchr::memmem::rfind(text, b" at ")?;
    let text = text.get(..text.len().min(1000)).unwrap_or(text);
    let message = lossy(text.get(..at).unwrap_or(text)).into_owned();
    Some(Death { file: lossy(file).into_owned(), message, line: number })
}

/// Whether this diagnosis may explain a document that ended too early.
pub(super) fn uncaught(text: &[u8], number: u32) -> Option<Diagnosis> {
    let php = text
        .strip_prefix(b"PHP ")
        .unwrap_or(text)
        .strip_prefix(b"Fatal error: ")
        .map(<[u8]>::trim_ascii_start);
    let said = php.unwrap_or(text);
    let said = said.strip_prefix(b"Uncaught ").unwrap_or(said);
    error_line(said)?;
    let mut diagnosis = Diagnosis::default();
    diagnosis.comment(said);
    diagnosis.touch(number);
    Some(diagnosis)
}

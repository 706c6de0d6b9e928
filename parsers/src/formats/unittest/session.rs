//! What one run of unittest said, gathered until its end tells how to read it.

use std::collections::HashSet;

use super::line;
use super::name::{self, Named};
use super::traceback::Said;
use crate::{CaseKey, Cases, Lines, NewCase, Status, Totals};

/// One run.
#[derive(Default)]
pub(super) struct Session {
    pub(super) cases: Cases,
    pub(super) lines: Option<Lines>,
    /// The test whose result is still to come.
    open: Option<Open>,
    last: Option<Last>,
    /// Tests whose result never came: before Python 3.11 those with failing subtests.
    pub(super) silent: Vec<Heading>,
    /// Tests that were only printed because of their subtests.
    pub(super) parents: HashSet<CaseKey>,
    /// Fixtures and modules that `-v` lists among the tests.
    pub(super) mentions: Vec<Heading>,
    pub(super) nameless_skips: Vec<u32>,
    pub(super) sections: Vec<Section>,
    /// Tests that `-v` named, as the runner counts them.
    pub(super) listed: u64,
    /// Those of them that Python 3.11 or later named.
    certain: u64,
    /// Progress marks.
    pub(super) marks: u64,
    /// Whether one of them may be that of a skip or an expected failure.
    pub(super) skip_marks: bool,
    pub(super) end: Option<End>,
    /// Ends that turned out not to be the last.
    pub(super) other_ends: Vec<Lines>,
}

/// A test, fixture or module as a line names it.
#[derive(Debug, Clone)]
pub(super) struct Heading {
    pub(super) what: What,
    pub(super) line: u32,
    /// Python 3.11 and later print the method twice, which no other text does.
    certain: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum What {
    Test { id: String, name_len: usize },
    Subtest { test: String, label: String },
    Fixture { hook: String, of: String },
    Unloaded { subject: String },
}

struct Open {
    heading: Heading,
    /// The docstring's line, which holds the dots, is still to come.
    awaits_doc: bool,
    /// A result glued to what the test printed; a clearer one may follow.
    guess: Option<(Status, Option<String>)>,
}

struct Last {
    key: CaseKey,
    certain: bool,
}

/// One block of the list of failures, or one line of the list of unexpected successes.
pub(super) struct Section {
    pub(super) flavour: Flavour,
    pub(super) title: String,
    pub(super) lines: Lines,
    pub(super) said: Option<Said>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flavour {
    Error,
    Fail,
    UnexpectedSuccess,
}

pub(super) struct End {
    pub(super) ran: u64,
    pub(super) totals: Totals,
    pub(super) lines: Lines,
}

impl End {
    /// Whether so many tests were named as ran. Python 3.12.1 and 3.12.2 don't count those that a decorator skips.
    pub(super) fn agrees(&self, named: u64) -> bool {
        let skipped = self.totals.skipped.unwrap_or(0);
        (self.ran..=self.ran.saturating_add(skipped)).contains(&named)
    }
}

impl Session {
    /// Whether anything of a run was seen.
    pub(super) fn has_begun(&self) -> bool {
        self.lines.is_some()
    }

    /// Whether it named tests or failures: more than marks, which any text may hold.
    pub(super) fn is_told(&self) -> bool {
        self.end.is_some() || self.listed > 0 || !self.sections.is_empty() || !self.mentions.is_empty()
    }

    /// Whether the end agrees with the tests or marks before it.
    pub(super) fn is_consistent(&self) -> bool {
        let Some(end) = &self.end else { return false };
        if self.listed > 0 {
            let named = self.listed + self.silent.len() as u64 + u64::from(self.open.is_some());
            return end.agrees(named);
        }
        let extra: u64 = [end.totals.failed, end.totals.errored, end.totals.skipped].iter().flatten().sum();
        self.marks > 0 && (end.ran..=end.ran.saturating_add(extra)).contains(&self.marks)
    }

    /// Whether it shows its tests one by one, and none that was skipped or expected to fail. Then `OK` is the whole
    /// verdict, also where its line has no end.
    pub(super) fn knows_of_no_skip(&self) -> bool {
        let shown = self.listed > 0 || self.marks > 0 && !self.skip_marks;
        shown && self.cases.count(Status::Skipped) + self.cases.count(Status::Xfailed) == 0
    }

    /// Notes that the session speaks on this line.
    pub(super) fn touch(&mut self, number: u32) {
        let first = self.lines.map_or(number, |lines| lines.first);
        self.lines = Some(Lines::new(first, number));
    }

    /// Whether a test waits for its result.
    pub(super) fn waits(&self) -> bool {
        self.open.is_some()
    }

    /// Whether a result alone on a line could belong to a test.
    pub(super) fn knows_tests(&self) -> bool {
        self.open.is_some() || self.last.is_some()
    }

    /// Takes `method (path.method) ... ok`, the line that most of `-v` consists of.
    pub(super) fn plain_pass(&mut self, text: &[u8], number: u32) -> bool {
        if self.open.is_some() || !self.parents.is_empty() {
            return false;
        }
        let Some(head) = text.strip_suffix(b") ... ok") else { return false };
        let Some(open) = memchr::memchr(b'(', head) else { return false };
        let (Some(method), Some(path)) = (head.get(..open), head.get(open + 1..)) else { return false };
        let Some(method) = method.strip_suffix(b" ") else { return false };
        let class = path.strip_suffix(method).and_then(|class| class.strip_suffix(b"."));
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
        let is_plain = !method.is_empty()
            && class.is_some_and(|class| !class.is_empty() && !class.starts_with(b"unittest."))
            && path.iter().all(plain);
        let Some(id) = std::str::from_utf8(path).ok().filter(|_| is_plain) else { return false };
        self.listed += 1;
        self.certain += 1;
        let (name_len, status, lines) = (method.len(), Status::Passed, Lines::one(number));
        let key = self.cases.push(NewCase { id, name_len, status, lines }, dotted);
        self.last = Some(Last { key, certain: true });
        true
    }

    /// A run without `-v` names nothing: what looked like a name before its end was printed by a test.
    pub(super) fn drop_lookalikes(&mut self) {
        let Some(end) = &self.end else { return };
        let titled = |section: &Section| {
            name::read(&section.title, true)
                .is_some_and(|(named, _)| matches!(named, Named::Test { repeated: true, .. }))
        };
        let quiet = self.marks > 0 || self.sections.iter().any(titled);
        if self.listed > 0 && self.certain == 0 && !end.agrees(self.listed) && quiet {
            self.cases = Cases::default();
            self.silent.clear();
            self.parents.clear();
            self.mentions.clear();
            self.nameless_skips.clear();
            self.listed = 0;
        }
    }

    /// Takes a line of progress that may hold names or results. Says whether it did.
    pub(super) fn progress(&mut self, text: &str, number: u32) -> bool {
        if let Some(open) = &self.open
            && open.awaits_doc
        {
            let names_another = heading(text, number).is_some_and(|(found, rest)| {
                rest.starts_with(" ...") && (found.certain || !open.heading.certain)
            });
            if !names_another {
                if text.contains(" ...") {
                    self.doc_line(text, number);
                    return true;
                }
                if open.heading.certain {
                    return true;
                }
                self.open = None;
            }
        }
        if let Some((status, reason)) = line::result(text) {
            return self.lone_result(status, reason, number);
        }
        if let Some((found, rest)) = heading(text, number)
            && self.heading(found, rest, number)
        {
            return true;
        }
        for (close, _) in text.match_indices(") ...").take(4) {
            let found = name::start(text, close).and_then(|at| heading(text.get(at..)?, number));
            if let Some((found, rest)) = found
                && rest.starts_with(" ...")
            {
                return self.heading(found, rest, number);
            }
        }
        if let Some(open) = &mut self.open {
            open.guess = line::glued_result(text).or(open.guess.take());
        }
        self.open.is_some()
    }

    fn doc_line(&mut self, text: &str, number: u32) {
        let Some(open) = &mut self.open else { return };
        open.awaits_doc = false;
        // Before Python 3.11 the next test follows on the line of one with failing subtests.
        if !open.heading.certain {
            for (at, dots) in text.match_indices(" ... ").take(8) {
                let next = text.get(at + dots.len()..).and_then(|next| heading(next, number));
                if let Some((next, rest)) =
                    next.filter(|(_, rest)| rest.is_empty() || rest.starts_with(" ..."))
                {
                    self.heading(next, rest, number);
                    return;
                }
            }
        }
        let result = text.rfind(" ... ").and_then(|at| line::result(text.get(at + 5..)?));
        match (result, self.open.take()) {
            (Some((status, reason)), Some(open)) => self.close(open.heading, status, reason, number),
            (_, open) => self.open = open,
        }
    }

    fn heading(&mut self, found: Heading, rest: &str, number: u32) -> bool {
        let Some(said) = rest.strip_prefix(" ...") else {
            // A docstring's line must follow; until it does, this may be prose.
            if !rest.is_empty() {
                return false;
            }
            self.opens(found, true);
            return true;
        };
        let said = said.strip_prefix(' ').unwrap_or(said);
        if let Some((status, reason)) = line::result(said) {
            self.settle();
            self.introduce(&found);
            self.close(found, status, reason, number);
            return true;
        }
        self.opens(found, false);
        if let Some((next, rest)) =
            heading(said, number).filter(|(_, rest)| rest.is_empty() || rest.starts_with(" ..."))
        {
            return self.heading(next, rest, number);
        }
        if let Some(open) = &mut self.open {
            open.guess = line::glued_result(said);
        }
        true
    }

    fn opens(&mut self, heading: Heading, awaits_doc: bool) {
        self.settle();
        self.introduce(&heading);
        self.open = Some(Open { heading, awaits_doc, guess: None });
    }

    /// A subtest's line shows its test first, which gets no result of its own unless one follows.
    fn introduce(&mut self, heading: &Heading) {
        let What::Subtest { test, .. } = &heading.what else { return };
        let waiting =
            self.silent.pop_if(|silent| matches!(&silent.what, What::Test { id, .. } if id == test));
        if let Some(parent) = waiting {
            self.listed += 1;
            if let Some(key) = self.push(&parent, Status::Skipped, parent.line) {
                self.parents.insert(key);
                self.last = Some(Last { key, certain: true });
            }
        }
    }

    /// Ends the open test, with what was glued to its output, or without a result.
    pub(super) fn settle(&mut self) {
        let Some(open) = self.open.take() else { return };
        match open.guess {
            Some((status, reason)) => {
                let line = open.heading.line;
                self.close(open.heading, status, reason, line);
            }
            None if open.awaits_doc && !open.heading.certain => {}
            None => self.silent.push(open.heading),
        }
    }

    fn lone_result(&mut self, status: Status, reason: Option<String>, number: u32) -> bool {
        if let Some(open) = self.open.take() {
            self.close(open.heading, status, reason, number);
            return true;
        }
        let Some(last) = &self.last else { return false };
        let before = self.cases.get(last.key).map(|case| case.status());
        match (before, status) {
            // A second failure of the same test, or before Python 3.11 a class's: the list of failures tells.
            (_, Status::Failed | Status::Errored) => {}
            (_, Status::Skipped) if !last.certain => self.nameless_skips.push(number),
            // The result before was printed by the test itself.
            (Some(Status::Passed | Status::Failed | Status::Errored), _) => {
                self.cases.set_status(last.key, status);
                if let Some(reason) = reason {
                    self.cases.set_reason(last.key, reason);
                }
            }
            _ => return false,
        }
        true
    }

    fn close(&mut self, heading: Heading, status: Status, reason: Option<String>, number: u32) {
        let failing = matches!(status, Status::Failed | Status::Errored);
        match &heading.what {
            What::Fixture { .. } if failing => return self.mentions.push(heading),
            What::Unloaded { .. } => {
                self.listed += 1;
                return self.mentions.push(heading);
            }
            What::Subtest { .. } => {
                if let Some(last) = &self.last
                    && failing
                    && self.parents.contains(&last.key)
                {
                    self.cases.set_status(last.key, Status::Failed);
                }
                if let Some(key) = self.push(&heading, status, number)
                    && let Some(reason) = reason
                {
                    self.cases.set_reason(key, reason);
                }
                return;
            }
            What::Test { id, .. } => {
                if let Some(last) = &self.last
                    && let Some(case) = self.cases.get(last.key)
                    && case.id() == id
                    && (self.parents.contains(&last.key)
                        || failing && matches!(case.status(), Status::Failed | Status::Errored))
                {
                    let worst = if case.status() == Status::Errored { Status::Errored } else { status };
                    self.cases.set_status(last.key, worst);
                    return;
                }
                self.listed += 1;
                self.certain += u64::from(heading.certain);
            }
            What::Fixture { .. } => {}
        }
        if let Some(key) = self.push(&heading, status, number) {
            self.last = Some(Last { key, certain: heading.certain });
            if let Some(reason) = reason {
                self.cases.set_reason(key, reason);
            }
        }
    }

    /// Adds the case of a heading. A subtest that is there already isn't added again: its section decides.
    pub(super) fn push(&mut self, heading: &Heading, status: Status, last: u32) -> Option<CaseKey> {
        let lines = Lines::new(heading.line, last);
        match &heading.what {
            What::Test { id, name_len } => {
                let case = NewCase { id, name_len: *name_len, status, lines };
                Some(self.cases.push(case, dotted))
            }
            What::Subtest { test, label } => {
                let id = format!("{test} {label}");
                if self.cases.find(&id).is_some() {
                    return None;
                }
                Some(self.cases.push(NewCase { id: &id, name_len: label.len(), status, lines }, dotted))
            }
            What::Fixture { hook, of } => {
                let id = format!("{hook} ({of})");
                Some(self.cases.push(NewCase { id: &id, name_len: id.len(), status, lines }, dotted))
            }
            What::Unloaded { .. } => None,
        }
    }
}

/// The parts of a dotted path that stands before a name.
pub(super) fn dotted(prefix: &str) -> Vec<String> {
    prefix.trim_end_matches(['.', ' ']).split('.').map(str::to_owned).collect()
}

/// Reads what a line of progress names at its start, and gives what follows.
fn heading(text: &str, number: u32) -> Option<(Heading, &str)> {
    let sub = text.strip_prefix("  ");
    let with_blanks = || {
        let found = name::read(text, true)?;
        let method = text.get(..text.find(" (")?)?;
        (!method.contains(" ... ")).then_some(())?;
        found.1.strip_prefix(" ... ").and_then(line::result).map(|_| found)
    };
    let (named, rest) = name::read(sub.unwrap_or(text), false).or_else(with_blanks)?;
    let certain = !matches!(named, Named::Test { repeated: false, .. });
    if sub.is_none() {
        return Some((Heading { what: what(named, ""), line: number, certain }, rest));
    }
    let end = match rest.rfind(" ... ") {
        Some(at) if rest.get(at + 5..).is_some_and(|tail| line::result(tail).is_some()) => at,
        _ => rest.len(),
    };
    let label = rest.get(..end)?.strip_prefix(' ').filter(|label| label.starts_with(['[', '(']))?;
    Some((Heading { what: what(named, label), line: number, certain }, rest.get(end..)?))
}

/// Reads the title of a section.
pub(super) fn titled(title: &str, line: u32) -> Heading {
    let what = match name::read(title, true) {
        Some((named, rest)) if rest.is_empty() || rest.starts_with(" [") || rest.starts_with(" (") => {
            what(named, rest.trim_start())
        }
        // A test that names itself in its own way.
        _ => What::Test { id: title.to_owned(), name_len: title.len() },
    };
    Heading { what, line, certain: true }
}

fn what(named: Named<'_>, label: &str) -> What {
    match named {
        Named::Fixture { hook, of } => What::Fixture { hook: hook.to_owned(), of: of.to_owned() },
        Named::Unloaded { subject } => What::Unloaded { subject: subject.to_owned() },
        Named::Test { class, method, .. } => {
            let id = if class.is_empty() { method.to_owned() } else { format!("{class}.{method}") };
            if label.is_empty() {
                What::Test { id, name_len: method.len() }
            } else {
                What::Subtest { test: id, label: label.to_owned() }
            }
        }
    }
}

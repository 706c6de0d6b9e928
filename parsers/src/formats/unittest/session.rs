//! What one run of unittest said, gathered until its end tells how to read it.

use std::collections::HashSet;

use super::heading::{Heading, What, dotted};
use super::name::{self, Named};
use super::traceback::Said;
use crate::text::all_are;
use crate::{CaseKey, Cases, Lines, NewCase, Status, Totals};

/// One run.
#[derive(Default)]
pub(super) struct Session {
    pub(super) cases: Cases,
    pub(super) lines: Option<Lines>,
    /// The first line that names a test. Where one does, marks before it are somebody else's: no run prints both.
    pub(super) first_named: Option<u32>,
    /// The test whose result is still to come.
    pub(super) open: Option<Open>,
    pub(super) last: Option<Last>,
    /// Tests whose result never came: before Python 3.11 those with failing subtests.
    pub(super) silent: Vec<Heading>,
    /// Tests that were only printed because of their subtests.
    pub(super) parents: HashSet<CaseKey>,
    /// Fixtures and modules that `-v` lists among the tests.
    pub(super) mentions: Vec<Heading>,
    pub(super) nameless_skips: Vec<u32>,
    pub(super) sections: Vec<Section>,
    /// Functions that passed, were skipped or the like: whether the runner named them, its end tells.
    pub(super) functions: Vec<(Heading, Status, Option<String>)>,
    /// `test_x:1`, which begins the name of a method with a parameter.
    pub(super) numbered: Option<(String, u32)>,
    /// Tests that `-v` named, as the runner counts them.
    pub(super) listed: u64,
    /// Those of them that Python 3.11 or later named.
    pub(super) certain: u64,
    /// Progress marks.
    pub(super) marks: u64,
    /// Whether one of them may be that of a skip or an expected failure.
    pub(super) skip_marks: bool,
    pub(super) end: Option<End>,
    /// Ends that turned out not to be the last.
    pub(super) other_ends: Vec<Lines>,
}

pub(super) struct Open {
    pub(super) heading: Heading,
    /// The docstring's line, which holds the dots, is still to come.
    pub(super) awaits_doc: bool,
    /// A result glued to what the test printed; a clearer one may follow.
    pub(super) guess: Option<(Status, Option<String>)>,
}

pub(super) struct Last {
    pub(super) key: CaseKey,
    pub(super) certain: bool,
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

impl Flavour {
    /// What its title begins with.
    pub(super) fn word(self) -> &'static [u8] {
        match self {
            Self::Error => b"ERROR: ",
            Self::Fail => b"FAIL: ",
            Self::UnexpectedSuccess => b"UNEXPECTED SUCCESS: ",
        }
    }
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
        self.end.is_some()
            || self.listed > 0
            || !self.functions.is_empty()
            || !self.sections.is_empty()
            || !self.mentions.is_empty()
    }

    /// Whether the end agrees with the tests or marks before it.
    pub(super) fn is_consistent(&self) -> bool {
        let Some(end) = &self.end else { return false };
        if self.listed > 0 || !self.functions.is_empty() {
            let functions = self.functions.len() as u64;
            let named = self.listed + functions + self.silent.len() as u64 + u64::from(self.open.is_some());
            return end.agrees(named);
        }
        let totals = &end.totals;
        let extra = [totals.failed, totals.errored, totals.skipped]
            .into_iter()
            .flatten()
            .fold(0, u64::saturating_add);
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

    /// Takes a line that names a test.
    pub(super) fn touch_named(&mut self, number: u32) {
        self.touch(number);
        self.first_named.get_or_insert(number);
    }

    /// Where the runner spoke.
    pub(super) fn span(&self) -> Option<Lines> {
        let lines = self.lines?;
        Some(Lines::new(self.first_named.unwrap_or(lines.first), lines.last))
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
        let plain = |byte: u8| byte.is_ascii_alphanumeric() | (byte == b'_') | (byte == b'.');
        let is_plain = !method.is_empty()
            && class.is_some_and(|class| !class.is_empty() && !class.starts_with(b"unittest."))
            && all_are(path, plain);
        let Some(id) = std::str::from_utf8(path).ok().filter(|_| is_plain) else { return false };
        self.listed += 1;
        self.certain += 1;
        let (name_len, status, lines) = (method.len(), Status::Passed, Lines::one(number));
        let key = self.cases.push(NewCase { id, name_len, status, lines }, dotted);
        self.last = Some(Last { key, certain: true });
        true
    }

    /// Takes the functions for tests, unless the end counts without them.
    pub(super) fn take_functions(&mut self) {
        let functions = std::mem::take(&mut self.functions);
        let with_them = self.listed + functions.len() as u64;
        if self.end.as_ref().is_some_and(|end| !end.agrees(with_them) && end.agrees(self.listed)) {
            return;
        }
        self.listed = with_them;
        for (heading, status, reason) in functions {
            if let Some(key) = self.push(&heading, status, heading.line)
                && let Some(reason) = reason
            {
                self.cases.set_reason(key, reason);
            }
        }
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

//! The elements of all documents of one input, and the report that they give.

use std::collections::{HashMap, HashSet};

use super::case::{OpenCase, Outcome, Skip};
use super::claims::{Claims, Counts};
use super::elements::Opened;
use super::repeated::Ids;
use super::tries::{Last, same};
use super::{kinds, outside, passed, place};
use crate::bounded::Bounded;
use crate::note::no_assertions;
use crate::xml::{Element, Oddity, Reporting};
use crate::{
    CaseKey, Completeness, Failure, Format, Grammar, Kind, Lines, NewCase, Note, NoteCode, Options, Problem,
    Report, Status,
};

/// Everything that was read so far. Documents add up: they are one report.
pub(super) struct Documents {
    pub(super) grammar: &'static Grammar,
    pub(super) more: Vec<String>,
    pub(super) report: Report,
    pub(super) claims: Claims,
    /// Every document so far is whole.
    pub(super) whole: bool,
    /// Where the document at hand started.
    pub(super) began: u32,
    pub(super) suites: Vec<Suite>,
    /// The case that was open last, whose buffers the next one uses.
    pub(super) case: Option<Box<OpenCase>>,
    pub(super) in_case: bool,
    /// The result element that is open.
    pub(super) result: Option<Opened>,
    pub(super) last: Option<Last>,
    pub(super) last_file: String,
    /// The id of the case at hand.
    pub(super) id: String,
    /// Stands for what was listed last and is no test.
    pub(super) last_outside: Option<u64>,
    /// The tests of Go of which a subtest failed.
    pub(super) go_parents: HashSet<String>,
    /// Those that failed and say nothing, with no failed subtest so far.
    pub(super) go_silent: HashMap<String, CaseKey>,
    /// Tries that didn't pass and were not the last.
    pub(super) failed_tries: u64,
    pub(super) errored_tries: u64,
    pub(super) nameless: Seen,
    /// Cases in which no assertion was counted, and whether any was in others: some writers say 0 of each.
    pub(super) idle: Vec<(CaseKey, Lines)>,
    pub(super) asserts: bool,
    pub(super) flaky: Seen,
    pub(super) contradicting: Vec<(String, Lines)>,
    pub(super) more_contradicting: u64,
    pub(super) long: Seen,
    pub(super) ids: Ids,
}

/// A suite that is open. The root is one.
#[derive(Debug, Default)]
pub(super) struct Suite {
    pub(super) name: String,
    pub(super) line: u32,
    pub(super) claims: Claims,
    /// What the suites within claim.
    pub(super) within: Claims,
    pub(super) own: Counts,
    /// With the suites within.
    pub(super) all: Counts,
}

/// How often something came, and where first.
#[derive(Default)]
pub(super) struct Seen {
    count: u64,
    first: Option<Lines>,
}

impl Seen {
    pub(super) fn again(&mut self, lines: Lines) {
        self.first.get_or_insert(lines);
        self.count += 1;
    }
}

/// So many contradictions are told one by one.
const MOST_TOLD: usize = 10;

/// So many cases without an assertion are named.
const MOST_IDLE: usize = 1000;

impl Documents {
    pub(super) fn new(format: Format, options: &Options) -> Self {
        Self {
            grammar: format.grammar(),
            more: options.assertion_errors.clone(),
            report: Report::empty(format),
            claims: Claims::default(),
            whole: true,
            began: 1,
            suites: Vec::new(),
            case: None,
            in_case: false,
            result: None,
            last: None,
            last_file: String::new(),
            id: String::new(),
            last_outside: None,
            go_parents: HashSet::new(),
            go_silent: HashMap::new(),
            failed_tries: 0,
            errored_tries: 0,
            nameless: Seen::default(),
            idle: Vec::new(),
            asserts: false,
            flaky: Seen::default(),
            contradicting: Vec::new(),
            more_contradicting: 0,
            long: Seen::default(),
            ids: Ids::default(),
        }
    }

    pub(super) fn open_suite(&mut self, element: &Element<'_>, odd: &mut dyn FnMut(Oddity)) {
        let name = element.value("name", &mut |what| odd(what)).unwrap_or_default().into_owned();
        self.last = None;
        self.suites.push(Suite { name, line: element.line, claims: Claims::of(element), ..Suite::default() });
    }

    pub(super) fn close_suite(&mut self, line: u32) {
        let Some(mut suite) = self.suites.pop() else { return };
        self.last = None;
        suite.all.add(&suite.own);
        if let Some(what) = suite.claims.contradiction(&suite.own, &suite.all) {
            let name = if suite.name.is_empty() { String::new() } else { format!(" `{}`", suite.name) };
            if self.contradicting.len() < MOST_TOLD {
                let lines = Lines::new(suite.line, line);
                self.contradicting.push((format!("the suite{name} claims {what}"), lines));
            } else {
                self.more_contradicting += 1;
            }
        }
        let claims = suite.claims.or(suite.within);
        match self.suites.last_mut() {
            Some(outer) => {
                outer.within.add(claims);
                outer.all.add(&suite.all);
            }
            None => self.claims.add(claims),
        }
    }

    pub(super) fn counts(&mut self) -> Option<&mut Counts> {
        self.suites.last_mut().map(|suite| &mut suite.own)
    }

    /// The case at hand is whole.
    pub(super) fn close_case(&mut self, line: u32) {
        self.in_case = false;
        let Some(mut case) = self.case.take() else { return };
        let lines = Lines::new(case.line, line);
        self.take_case(&mut case, lines);
        self.case = Some(case);
    }

    pub(super) fn case(&mut self) -> &mut OpenCase {
        self.case.get_or_insert_default()
    }

    fn take_case(&mut self, case: &mut OpenCase, lines: Lines) {
        let count = |what: fn(&&Outcome) -> bool| case.failures.iter().filter(what).count() as u64;
        let errors = count(|outcome| outcome.is_error && !outcome.is_warning);
        let failures = count(|outcome| !outcome.is_error);
        if let Some(counts) = self.counts() {
            counts.tries += 1;
            counts.failed.elements += failures;
            counts.errored.elements += errors;
        }
        let suite = self.suites.last().map_or("", |suite| suite.name.as_str());
        if let Some(outside) = outside::of(case, suite) {
            return self.take_outside(case, outside, lines);
        }
        if case.name.is_empty() {
            self.nameless.again(lines);
            self.count(case.status());
            return;
        }
        if case.failures.iter().any(kinds::is_unexpected_pass) {
            case.failures.retain(|outcome| !kinds::is_unexpected_pass(outcome));
            let status = if case.failures.is_empty() { Status::Xpassed } else { case.status() };
            return self.push(case, status, lines);
        }
        self.push(case, case.status(), lines);
    }

    fn push(&mut self, case: &mut OpenCase, status: Status, lines: Lines) {
        self.last_outside = None;
        if !case.failures.is_empty() {
            self.go(case);
        }
        let mut failures = Vec::new();
        // Most have none, and then even a look costs.
        if !case.failures.is_empty() {
            for outcome in case.failures.drain(..) {
                failures.extend(self.failures(outcome, &case.name));
            }
        }
        let name_len = self.name(case);
        let key = match self.last.filter(|last| self.is_same(last.key, case)) {
            Some(before) => {
                let torn_down =
                    status == Status::Errored && failures.iter().all(|it| it.kind == Kind::Teardown);
                self.try_again(before, case, status, lines, torn_down);
                before.key
            }
            None => {
                self.count(status);
                let id = std::mem::take(&mut self.id);
                let key = self.push_case(NewCase { id: &id, name_len, status, lines });
                self.id = id;
                key
            }
        };
        self.asserts |= case.assertions > Some(0);
        if case.assertions == Some(0) && status == Status::Passed {
            self.idle.push((key, lines));
        }
        if case.flaky {
            self.flaky.again(lines);
        }
        for failure in failures {
            self.report.cases.add_failure(key, failure);
        }
        if let Some(seconds) = case.seconds {
            self.report.cases.set_duration(key, seconds);
        }
        if let Some(reason) = case.skip.take().and_then(Skip::reason) {
            self.report.cases.set_reason(key, reason);
        }
        self.last = Some(Last { key, status });
        self.last_file.clear();
        self.last_file.push_str(&case.file);
    }

    /// Puts the id of a case together, and says how many bytes at its end are the name.
    fn name(&mut self, case: &OpenCase) -> usize {
        self.id.clear();
        // jest-junit and CTest give the same text twice.
        if !case.class.is_empty() && case.class != case.name {
            self.id.push_str(&case.class);
            self.id.push('.');
        }
        self.id.push_str(&case.name);
        case.name.len()
    }

    fn push_case(&mut self, new: NewCase<'_>) -> CaseKey {
        /// Suites nest so deep in no report that a person wrote the tests of.
        const DEEPEST: usize = 16;
        self.ids.push(Ids::hash(new.id));
        if new.name_len < new.id.len() {
            return self.report.cases.push(new, passed::split);
        }
        // Without a class the suites around it tell where it is from.
        let names = self.suites.iter().rev().take(DEEPEST).map(|suite| &suite.name);
        let mut suites: Vec<String> = names.filter(|name| !name.is_empty()).cloned().collect();
        suites.reverse();
        match suites.is_empty() {
            true => self.report.cases.push(new, |_| Vec::new()),
            false => self.report.cases.push_with_suite(new, &suites),
        }
    }

    pub(super) fn count(&mut self, status: Status) {
        if let Some(counts) = self.counts() {
            counts.count(status, 1);
        }
    }

    pub(super) fn uncount(&mut self, status: Status) {
        if let Some(counts) = self.counts() {
            counts.count(status, -1);
        }
    }

    fn failures(&mut self, outcome: Outcome, method: &str) -> Vec<Failure> {
        let why = kinds::why(&outcome, method, self.grammar, &self.more);
        let place = place::of(outcome.text.as_str());
        let failure = Failure {
            kind: why.kind,
            error: some(why.class),
            message: self.message(why.message, outcome.lines),
            file: place.map(|(file, _)| file.to_owned()),
            line: place.map(|(_, line)| line),
            lines: outcome.lines,
        };
        let torn_down = kinds::also_torn_down(&outcome) && why.kind != Kind::Teardown;
        let teardown = torn_down.then(|| Failure { kind: Kind::Teardown, error: None, ..failure.clone() });
        std::iter::once(failure).chain(teardown).collect()
    }

    fn take_outside(&mut self, case: &mut OpenCase, outside: outside::Outside, lines: Lines) {
        self.last = None;
        // jest-junit writes what it knows of a file that didn't load, and then once more with less.
        let again = self.last_outside.replace(same(case)) == Some(same(case));
        if again && !case.name.is_empty() {
            return;
        }
        self.count(case.status());
        if case.name.is_empty() {
            self.nameless.again(lines);
        }
        for outcome in std::mem::take(&mut case.failures) {
            self.problem(&outcome, Some(outside.subject.clone()), outside.kind);
        }
    }

    pub(super) fn problem(&mut self, outcome: &Outcome, subject: Option<String>, kind: Option<Kind>) {
        let why = kinds::why(outcome, "", self.grammar, &self.more);
        let message = self.message(why.message, outcome.lines);
        self.report.problems.push(Problem {
            kind: kind.unwrap_or(why.kind),
            subject: subject.filter(|subject| !subject.is_empty()),
            error: some(why.class),
            message,
            lines: outcome.lines,
        });
    }

    fn message(&mut self, said: &str, lines: Lines) -> Option<String> {
        let mut message = Bounded::default();
        said.lines().for_each(|line| message.line(line.as_bytes()));
        if message.is_cut() {
            self.long.again(lines);
        }
        message.into_text()
    }

    fn notes(&mut self, report: &mut Report) {
        for (what, lines) in std::mem::take(&mut self.contradicting) {
            report.note(NoteCode::TotalsMismatch, what, Some(lines));
        }
        if self.more_contradicting > 0 {
            let what = format!("{} more suites claim what doesn't stand in them", self.more_contradicting);
            report.note(NoteCode::TotalsMismatch, what, None);
        }
        let mut note = |seen: &Seen, code, what: &str| {
            if seen.count > 0 {
                report.note(code, format!("{} {what}", seen.count), seen.first);
            }
        };
        note(&self.flaky, NoteCode::Flaky, "cases passed in a later try");
        note(&self.nameless, NoteCode::NamelessCase, "cases have no name");
        note(&self.long, NoteCode::LeftOut, "messages of more than 4 KiB were cut");
        let idle = std::mem::take(&mut self.idle);
        let named = if self.asserts { idle.len().min(MOST_IDLE) } else { 0 };
        for (key, lines) in idle.iter().take(named) {
            let case = report.cases.get(*key).filter(|case| case.status() == Status::Passed);
            if let Some(what) = case.map(|case| no_assertions(case.id())) {
                report.note(NoteCode::NoAssertions, what, Some(*lines));
            }
        }
        if self.asserts && idle.len() > named {
            let what = format!("no assertion is counted in {} more cases", idle.len() - named);
            report.note(NoteCode::NoAssertions, what, None);
        }
        if let Some((count, lines)) = self.ids.repeated(&report.cases) {
            let what = format!("{count} cases have the name of another");
            report.note(NoteCode::RepeatedName, what, Some(lines));
        }
    }
}

fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

impl Reporting for Documents {
    fn report(&mut self, notes: Vec<Note>) -> Report {
        let empty = Report::empty(self.report.format);
        let mut report = std::mem::replace(&mut self.report, empty);
        if report.completeness == Completeness::Empty {
            return report;
        }
        if !self.whole {
            report.completeness = Completeness::Truncated;
        }
        // A number of tries is none of tests.
        let of_tests = |claim: Option<u64>, status, tries: u64| {
            claim.filter(|claim| tries == 0 || *claim != report.cases.count(status) + tries)
        };
        report.totals.failed = of_tests(self.claims.failed, Status::Failed, self.failed_tries);
        report.totals.errored = of_tests(self.claims.errored, Status::Errored, self.errored_tries);
        report.totals.skipped = self.claims.skipped;
        if report.cases.is_empty() && report.problems.is_empty() && self.whole {
            report.problems.push(Problem {
                kind: Kind::Collection,
                subject: None,
                error: None,
                message: Some("there is no test in it".to_owned()),
                lines: Lines::one(1),
            });
        }
        self.notes(&mut report);
        report.notes.extend(notes);
        report
    }
}

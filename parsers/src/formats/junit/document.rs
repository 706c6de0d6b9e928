//! The elements of all documents of one input, and the report that they give.

use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

use super::case::{OpenCase, Outcome, Skip};
use super::claims::{Claims, Counts};
use super::{kinds, outside, place, repeated};
use crate::bounded::Bounded;
use crate::xml::{Content, Element, Handler, Oddity};
use crate::{
    CaseKey, Completeness, Failure, Format, Grammar, Kind, Lines, NewCase, Note, NoteCode, Options, Problem,
    Report, Status,
};

/// Everything that was read so far. Documents add up: they are one report.
pub(super) struct Documents {
    grammar: &'static Grammar,
    more: Vec<String>,
    report: Report,
    claims: Claims,
    /// Every document so far is whole.
    whole: bool,
    /// Where the document at hand started.
    began: u32,
    suites: Vec<Suite>,
    /// The case that was open last, whose buffers the next one uses.
    case: Option<Box<OpenCase>>,
    in_case: bool,
    /// The result element that is open.
    result: Option<Opened>,
    last: Option<Last>,
    last_file: String,
    /// The id of the case at hand.
    id: String,
    /// Stands for what was listed last and is no test.
    last_outside: Option<u64>,
    /// The tests of Go of which a subtest failed.
    go_parents: HashSet<String>,
    /// Those that failed and say nothing, with no failed subtest so far.
    go_silent: HashMap<String, CaseKey>,
    /// Tries that didn't pass and were not the last.
    failed_tries: u64,
    errored_tries: u64,
    nameless: Seen,
    flaky: Seen,
    contradicting: Vec<(String, Lines)>,
    more_contradicting: u64,
    long: Seen,
}

/// A suite that is open. The root is one.
#[derive(Debug, Default)]
struct Suite {
    name: String,
    line: u32,
    claims: Claims,
    /// What the suites within claim.
    within: Claims,
    own: Counts,
    /// With the suites within.
    all: Counts,
}

enum Opened {
    Outcome(Outcome),
    Skip(Skip),
}

/// The case before, which may be an earlier try of the next.
#[derive(Clone, Copy)]
struct Last {
    key: CaseKey,
    status: Status,
}

/// How often something came, and where first.
#[derive(Default)]
struct Seen {
    count: u64,
    first: Option<Lines>,
}

impl Seen {
    fn again(&mut self, lines: Lines) {
        self.first.get_or_insert(lines);
        self.count += 1;
    }
}

/// So many contradictions are told one by one.
const MOST_TOLD: usize = 10;

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
            flaky: Seen::default(),
            contradicting: Vec::new(),
            more_contradicting: 0,
            long: Seen::default(),
        }
    }

    fn open_suite(&mut self, element: &Element<'_>, odd: &mut dyn FnMut(Oddity)) {
        let name = element.value("name", &mut |what| odd(what)).unwrap_or_default().into_owned();
        self.last = None;
        self.suites.push(Suite { name, line: element.line, claims: Claims::of(element), ..Suite::default() });
    }

    fn close_suite(&mut self, line: u32) {
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

    fn counts(&mut self) -> Option<&mut Counts> {
        self.suites.last_mut().map(|suite| &mut suite.own)
    }

    /// The case at hand is whole.
    fn close_case(&mut self, line: u32) {
        self.in_case = false;
        let Some(mut case) = self.case.take() else { return };
        let lines = Lines::new(case.line, line);
        self.take_case(&mut case, lines);
        self.case = Some(case);
    }

    fn case(&mut self) -> &mut OpenCase {
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
        let failures: Vec<Failure> =
            case.failures.drain(..).flat_map(|outcome| self.failures(outcome, &case.name)).collect();
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

    fn is_same(&self, key: CaseKey, case: &OpenCase) -> bool {
        self.report.cases.get(key).is_some_and(|last| last.id() == self.id) && self.last_file == case.file
    }

    /// Another try of the case before; or, where a teardown has an element of its own, the rest of the same.
    fn try_again(
        &mut self,
        before: Last,
        case: &mut OpenCase,
        status: Status,
        lines: Lines,
        torn_down: bool,
    ) {
        self.uncount(before.status);
        self.count(status);
        let cases = &mut self.report.cases;
        let first = cases.get(before.key).map_or(lines.first, |case| case.lines().first);
        cases.set_lines(before.key, Lines::new(first, lines.last));
        cases.set_status(before.key, status);
        if torn_down && before.status != Status::Skipped {
            return;
        }
        cases.clear_failures(before.key);
        let bad = |status| matches!(status, Status::Failed | Status::Errored);
        case.flaky |= bad(before.status) && !bad(status);
        match before.status {
            Status::Failed => self.failed_tries += 1,
            Status::Errored => self.errored_tries += 1,
            _ => {}
        }
    }

    /// Of a test of Go that failed only because a subtest did, nothing failed by itself. gotestsum lists it after its
    /// subtests, go-junit-report before them.
    fn go(&mut self, case: &mut OpenCase) {
        if !case.name.starts_with("Test") {
            return;
        }
        for (at, _) in case.name.match_indices('/') {
            let parent = format!("{}.{}", case.class, case.name.get(..at).unwrap_or(""));
            if let Some(key) = self.go_silent.remove(&parent) {
                self.report.cases.clear_failures(key);
            }
            self.go_parents.insert(parent);
        }
        let says_nothing = |outcome: &Outcome| {
            let mut lines = outcome.text.lines().map(str::trim_start).filter(|line| !line.is_empty());
            outcome.message.as_deref().is_none_or(|message| message == "Failed")
                && lines.all(|line| line.starts_with("=== ") || line.starts_with("--- FAIL: "))
        };
        if !case.failures.iter().all(says_nothing) {
            return;
        }
        let id = format!("{}.{}", case.class, case.name);
        if self.go_parents.contains(&id) {
            case.failures.clear();
        } else {
            // It is the next case that is pushed.
            self.go_silent.insert(id, self.report.cases.next_key());
        }
    }

    fn push_case(&mut self, new: NewCase<'_>) -> CaseKey {
        /// Suites nest so deep in no report that a person wrote the tests of.
        const DEEPEST: usize = 16;
        if new.name_len < new.id.len() {
            return self
                .report
                .cases
                .push(new, |prefix| vec![prefix.strip_suffix('.').unwrap_or(prefix).to_owned()]);
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

    fn count(&mut self, status: Status) {
        if let Some(counts) = self.counts() {
            counts.count(status, 1);
        }
    }

    fn uncount(&mut self, status: Status) {
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

    fn problem(&mut self, outcome: &Outcome, subject: Option<String>, kind: Option<Kind>) {
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

    fn close_result(&mut self, line: u32) {
        match self.result.take() {
            Some(Opened::Outcome(mut outcome)) => {
                outcome.lines.last = line;
                if self.in_case {
                    self.case().failures.push(outcome);
                } else {
                    let subject = self.suites.last().map(|suite| suite.name.clone());
                    if let Some(counts) = self.counts() {
                        let count = if outcome.is_error { &mut counts.errored } else { &mut counts.failed };
                        count.elements += 1;
                    }
                    self.problem(&outcome, subject, None);
                }
            }
            Some(Opened::Skip(skip)) if self.in_case => self.case().skip = Some(skip),
            _ => {}
        }
    }

    /// The report of all documents. `notes` are those of the layer below.
    pub(super) fn report(&mut self, notes: Vec<Note>) -> Report {
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
        if let Some((count, lines)) = repeated::repeated(&report.cases) {
            let what = format!("{count} cases have the name of another");
            report.note(NoteCode::RepeatedName, what, Some(lines));
        }
    }
}

fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// Stands for class, name and file.
fn same(case: &OpenCase) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    (&case.class, &case.name, &case.file).hash(&mut hasher);
    hasher.finish()
}

impl Handler for Documents {
    fn is_root(&self, name: &[u8]) -> bool {
        matches!(name, b"testsuites" | b"testsuite" | b"testrun")
    }

    fn is_element(&self, name: &[u8]) -> bool {
        self.is_root(name)
            || matches!(
                name,
                b"testcase" | b"failure" | b"error" | b"skipped" | b"system-out" | b"system-err"
            )
            || matches!(name, b"properties" | b"property" | b"rerunFailure" | b"flakyFailure")
            || matches!(name, b"rerunError" | b"flakyError" | b"stackTrace")
    }

    fn document(&mut self, line: u32) {
        self.began = line;
        if self.report.completeness == Completeness::Empty {
            self.report.completeness = Completeness::Complete;
        }
        self.suites.clear();
        self.go_parents.clear();
        self.go_silent.clear();
        self.in_case = false;
        self.result = None;
        self.last = None;
    }

    fn open(&mut self, element: &Element<'_>, odd: &mut dyn FnMut(Oddity)) -> Content {
        match element.name() {
            "testsuites" | "testsuite" | "testrun" => {
                self.open_suite(element, odd);
                Content::Elements
            }
            "testcase" => {
                if self.in_case {
                    self.close_case(element.line);
                }
                self.case().open(element, odd);
                self.in_case = true;
                Content::Elements
            }
            "failure" | "error" | "warning" => {
                self.result = Some(Opened::Outcome(Outcome::open(element, odd)));
                Content::Text
            }
            "skipped" | "skip" | "ignored" => {
                self.result = Some(Opened::Skip(Skip::open(element, odd)));
                Content::Text
            }
            "flakyFailure" | "flakyError" => {
                let in_case = self.in_case;
                self.case().flaky |= in_case;
                Content::Nothing
            }
            "system-out" | "system-err" | "properties" | "rerunFailure" | "rerunError" => Content::Nothing,
            _ if self.in_case => Content::Nothing,
            _ => Content::Elements,
        }
    }

    fn text(&mut self, text: &str, _line: u32) {
        match &mut self.result {
            Some(Opened::Outcome(outcome)) => outcome.add(text),
            Some(Opened::Skip(skip)) => text.lines().for_each(|line| skip.text.line(line.as_bytes())),
            None => {}
        }
    }

    fn close(&mut self, name: &str, line: u32) {
        match name {
            "testsuites" | "testsuite" | "testrun" => self.close_suite(line),
            "testcase" if self.in_case => self.close_case(line),
            "failure" | "error" | "warning" | "skipped" | "skip" | "ignored" => self.close_result(line),
            _ => {}
        }
    }

    fn end(&mut self, whole: bool, line: u32) {
        self.whole &= whole;
        self.report.spans.push(Lines::new(self.began, line));
        if self.result.is_some() {
            self.close_result(line);
        }
        // A case whose end is missing is known to have failed, or not known.
        if self.in_case && !self.case().failures.is_empty() {
            self.close_case(line);
        }
        self.in_case = false;
        while !whole && !self.suites.is_empty() {
            let contradicting = (self.contradicting.len(), self.more_contradicting);
            self.close_suite(line);
            self.contradicting.truncate(contradicting.0);
            self.more_contradicting = contradicting.1;
        }
    }

    fn stray(&mut self) {
        self.whole = false;
    }
}

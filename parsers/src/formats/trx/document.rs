//! The elements of TRX files, gathered into one report.

use std::collections::HashSet;

use super::result::{self, Result};
use crate::bounded::Bounded;
use crate::formats::dotnet::{self, Hooked};
use crate::xml::{Content, Element, Handler, Oddity, Reporting};
use crate::{
    CaseKey, Completeness, Failure, Format, Kind, Lines, NewCase, Note, NoteCode, Options, Problem, Report,
    Status,
};

/// Messages and stack traces are kept up to this length; what tells the kind comes first.
const LONGEST: usize = 16 << 10;

/// The TRX files of one output.
pub(super) struct Document {
    format: Format,
    more: Vec<String>,
    report: Report,
    /// Results that are open, the innermost last.
    open: Vec<Result>,
    /// Cases whose class the definitions name.
    classless: Vec<(u128, CaseKey)>,
    sorted: bool,
    /// Failures that are read otherwise on .NET 8 or later, which the definitions tell.
    modern_kinds: Vec<(CaseKey, Kind)>,
    modern: bool,
    /// The test of the definitions that is open.
    definition: Option<u128>,
    /// The tests whose class is known, so that one that is defined over and over costs nothing.
    defined: HashSet<u128>,
    into: Into,
    outside: Hooked,
    info: String,
    /// The run's own numbers.
    counted: Option<Counters>,
    documents: u32,
    whole: bool,
    hooks: u64,
    /// Results without a name that didn't pass.
    broken: Vec<Problem>,
}

/// Where the text of the innermost element goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Into {
    Nowhere,
    Message,
    Stack,
    Info,
}

#[derive(Debug, Clone, Copy)]
struct Counters {
    total: u64,
    executed: u64,
    passed: u64,
    failed: u64,
    not_executed: u64,
    line: u32,
}

impl Document {
    pub(super) fn new(format: Format, options: &Options) -> Self {
        Self {
            format,
            more: options.assertion_errors.clone(),
            report: Report::empty(format),
            open: Vec::new(),
            classless: Vec::new(),
            sorted: false,
            modern_kinds: Vec::new(),
            modern: false,
            definition: None,
            defined: HashSet::new(),
            into: Into::Nowhere,
            outside: Hooked::default(),
            info: String::new(),
            counted: None,
            documents: 0,
            whole: true,
            hooks: 0,
            broken: Vec::new(),
        }
    }

    fn result_ends(&mut self, line: u32) {
        let Some(result) = self.open.pop() else { return };
        if let Some(parent) = self.open.last_mut() {
            parent.holds_others = true;
        }
        let (name, lines) = (result::unescaped(&result.name), Lines::new(result.line, line));
        if result.holds_others {
            return;
        }
        let status = result.status.unwrap_or_else(|| {
            let message = format!("`{name}` has no outcome that the schema has");
            self.report.note(NoteCode::InputRepaired, message, Some(lines));
            Status::Errored
        });
        if name.is_empty() {
            return self.nameless(&result, status, lines);
        }
        if status == Status::Failed && dotnet::is_hook_row(&name) {
            self.hooks += 1;
            let message = Some(result.message).filter(|text| !text.is_empty());
            return self.outside.hook(&name, message, lines);
        }
        let name_len = dotnet::own_name(&name);
        let new = NewCase { id: &name, name_len, status, lines };
        let key = self.report.cases.push(new, |class| vec![class.trim_end_matches('.').to_owned()]);
        if let Some(seconds) = result.seconds {
            self.report.cases.set_duration(key, seconds);
        }
        if name_len == name.len()
            && let Some(test) = result.test
        {
            self.classless.push((test, key));
        }
        match status {
            Status::Failed | Status::Errored => {
                let failures = self.failures(&name, &result, lines, false);
                let modern = self.failures(&name, &result, lines, true);
                if let ([one], [other]) = (failures.as_slice(), modern.as_slice())
                    && one.kind != other.kind
                {
                    self.modern_kinds.push((key, other.kind));
                }
                for failure in failures {
                    self.report.cases.add_failure(key, failure);
                }
            }
            Status::Skipped if !result.message.trim().is_empty() => {
                self.report.cases.set_reason(key, result.message.trim());
            }
            _ => {}
        }
    }

    /// Names the class of the results of a test.
    fn class(&mut self, test: u128, class: &str) {
        if !self.defined.insert(test) {
            return;
        }
        if !std::mem::replace(&mut self.sorted, true) {
            self.classless.sort_unstable();
        }
        let from = self.classless.partition_point(|(other, _)| *other < test);
        let of_test = self.classless.iter().skip(from).take_while(|(other, _)| *other == test);
        let suite = [class.to_owned()];
        for (_, key) in of_test {
            self.report.cases.set_suite(*key, &suite);
        }
    }

    /// A result without a name is no case; that it didn't pass is told all the same.
    fn nameless(&mut self, result: &Result, status: Status, lines: Lines) {
        self.report.note(NoteCode::NamelessCase, "a result has no name", Some(lines));
        if matches!(status, Status::Failed | Status::Errored) {
            let failures = self.failures("", result, lines, self.modern);
            self.broken.extend(failures.into_iter().map(|failure| Problem {
                kind: failure.kind,
                subject: None,
                error: failure.error,
                message: failure.message,
                lines,
            }));
        }
    }

    fn failures(&self, name: &str, result: &Result, lines: Lines, modern: bool) -> Vec<Failure> {
        let mut message = Bounded::default();
        result.message.lines().for_each(|line| message.line(line.as_bytes()));
        let mut failures = dotnet::failures(name, message, &result.stack, lines, &self.more, modern);
        if result.timed_out {
            failures.iter_mut().for_each(|failure| failure.kind = Kind::Timeout);
        }
        failures
    }

    /// The run's own numbers beside what stands there.
    fn compare(&self, report: &mut Report) {
        let Some(counted) = self.counted else { return };
        let lines = Some(Lines::one(counted.line));
        report.totals.passed = Some(counted.passed);
        report.totals.failed = Some(counted.failed);
        // VSTest leaves `notExecuted` at nought, and says how many of how many it executed.
        report.totals.skipped =
            Some(counted.not_executed.max(counted.total.saturating_sub(counted.executed)));
        let passed = report.cases.count(Status::Passed);
        let failed = report.cases.count(Status::Failed) + report.cases.count(Status::Errored) + self.hooks;
        for (word, claimed, named) in [("passed", counted.passed, passed), ("failed", counted.failed, failed)]
        {
            if claimed != named {
                let message = format!("the summary says {claimed} {word}, {named} results are {word}");
                report.note(NoteCode::TotalsMismatch, message, lines);
            }
        }
        if counted.total == 0 && report.cases.is_empty() && report.problems.is_empty() {
            report.problems.push(Problem::no_tests_ran(Lines::one(counted.line)));
        }
    }

    fn counters(&mut self, element: &Element<'_>) {
        let of = |key: &str| element.count(key).unwrap_or(0);
        let failed =
            ["failed", "error", "timeout", "aborted"].into_iter().map(of).fold(0, u64::saturating_add);
        let counted = self.counted.get_or_insert(Counters {
            total: 0,
            executed: 0,
            passed: 0,
            failed: 0,
            not_executed: 0,
            line: element.line,
        });
        counted.total = counted.total.saturating_add(of("total"));
        counted.executed = counted.executed.saturating_add(of("executed"));
        counted.passed =
            counted.passed.saturating_add(of("passed")).saturating_add(of("passedButRunAborted"));
        counted.failed = counted.failed.saturating_add(failed);
        counted.not_executed = counted.not_executed.saturating_add(of("notExecuted"));
    }
}

impl Handler for Document {
    fn is_root(&self, name: &[u8]) -> bool {
        name == b"TestRun"
    }

    fn is_element(&self, name: &[u8]) -> bool {
        const KNOWN: [&str; 24] = [
            "TestRun",
            "Results",
            "UnitTestResult",
            "GenericTestResult",
            "TestResultAggregation",
            "InnerResults",
            "Output",
            "ErrorInfo",
            "Message",
            "StackTrace",
            "StdOut",
            "StdErr",
            "DebugTrace",
            "TestDefinitions",
            "UnitTest",
            "Execution",
            "TestMethod",
            "TestEntries",
            "TestLists",
            "ResultSummary",
            "Counters",
            "RunInfos",
            "RunInfo",
            "Text",
        ];
        KNOWN.iter().any(|known| known.as_bytes() == name)
    }

    fn document(&mut self, line: u32) {
        self.defined.clear();
        self.classless.clear();
        self.report.spans.push(Lines::one(line));
        self.documents = self.documents.saturating_add(1);
    }

    fn open(&mut self, element: &Element<'_>, mut odd: &mut dyn FnMut(Oddity)) -> Content {
        let text = |key: &str, mut odd: &mut dyn FnMut(Oddity)| {
            element.value(key, &mut odd).map(std::borrow::Cow::into_owned)
        };
        match element.name() {
            "TestRun"
            | "Results"
            | "InnerResults"
            | "TestResultAggregation"
            | "Output"
            | "ErrorInfo"
            | "TestDefinitions"
            | "ResultSummary"
            | "RunInfos" => Content::Elements,
            "UnitTestResult" | "GenericTestResult" => {
                let outcome = element.raw("outcome");
                self.sorted = false;
                self.open.push(Result {
                    name: text("testName", &mut odd).unwrap_or_default(),
                    status: outcome.and_then(result::status),
                    timed_out: outcome == Some("Timeout"),
                    seconds: element.raw("duration").and_then(result::seconds),
                    test: element.raw("testId").and_then(result::guid),
                    line: element.line,
                    ..Result::default()
                });
                Content::Elements
            }
            "Message" if !self.open.is_empty() => {
                self.into = Into::Message;
                Content::Text
            }
            "StackTrace" if !self.open.is_empty() => {
                self.into = Into::Stack;
                Content::Text
            }
            "UnitTest" => {
                self.definition = element.raw("id").and_then(result::guid);
                self.modern |= element.raw("storage").is_some_and(dotnet::is_modern_path);
                Content::Elements
            }
            "TestMethod" => {
                if let (Some(test), Some(class)) = (self.definition, element.raw("className")) {
                    // Old writers add the assembly: `N.C, X, Version=1.0.0.0, …`.
                    let class = class.split_once(", ").map_or(class, |(class, _)| class);
                    self.class(test, class);
                }
                Content::Nothing
            }
            "Counters" => {
                self.counters(element);
                Content::Nothing
            }
            "RunInfo" => Content::Elements,
            "Text" => {
                self.into = Into::Info;
                self.info.clear();
                Content::Text
            }
            _ => Content::Nothing,
        }
    }

    fn text(&mut self, text: &str, _line: u32) {
        let to = match (self.into, self.open.last_mut()) {
            (Into::Message, Some(result)) => &mut result.message,
            (Into::Stack, Some(result)) => &mut result.stack,
            (Into::Info, _) => &mut self.info,
            (Into::Nowhere | Into::Message | Into::Stack, _) => return,
        };
        let mut room = LONGEST.saturating_sub(to.len()).min(text.len());
        while !text.is_char_boundary(room) {
            room -= 1;
        }
        to.push_str(text.get(..room).unwrap_or(""));
    }

    fn close(&mut self, name: &str, line: u32) {
        match name {
            "UnitTestResult" | "GenericTestResult" => self.result_ends(line),
            "UnitTest" => self.definition = None,
            "Text" => {
                let info = std::mem::take(&mut self.info);
                self.outside.said(&info, line);
            }
            _ => {}
        }
        self.into = Into::Nowhere;
    }

    fn end(&mut self, whole: bool, line: u32) {
        if let Some(span) = self.report.spans.last_mut() {
            span.last = line;
        }
        self.whole &= whole;
        self.definition = None;
        while !self.open.is_empty() {
            self.result_ends(line);
        }
    }

    fn stray(&mut self) {
        self.whole = false;
    }
}

impl Reporting for Document {
    fn report(&mut self, notes: Vec<Note>) -> Report {
        let mut report = std::mem::replace(&mut self.report, Report::empty(self.format));
        report.completeness = match (self.documents, self.whole && self.open.is_empty()) {
            (0, _) => Completeness::Empty,
            (_, true) => Completeness::Complete,
            (_, false) => Completeness::Truncated,
        };
        if self.modern {
            for (key, kind) in self.modern_kinds.drain(..) {
                report.cases.failures_mut(key).iter_mut().for_each(|failure| failure.kind = kind);
            }
        }
        report.problems = std::mem::take(&mut self.outside).problems(&report.cases);
        report.problems.append(&mut self.broken);
        if report.completeness == Completeness::Complete {
            self.compare(&mut report);
        }
        report.notes.extend(notes);
        report
    }
}

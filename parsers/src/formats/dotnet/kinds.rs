//! Why a test did not pass: from the message's own first words, else from the frames.

use super::block::Block;
use super::frames::{Frame, Frames, Test};
use crate::{Failure, Format, Kind, Lines};

/// Names that stand before the error of the test itself, put there by what carries it to the console.
const WRAPPERS: [&str; 3] = [
    "Xunit.MicrosoftTestingPlatform.XunitException: ",
    "TUnit.Engine.Exceptions.TestFailedException: ",
    "[Test Failure] ",
];

/// Code of the runners.
const RUNNERS: [&str; 7] = [
    "Xunit.",
    "ReflectionAbstractionExtensions.",
    "NUnit.Framework.",
    "TUnit.Core.",
    "TUnit.Engine.",
    "Microsoft.VisualStudio.Test",
    "InvokeStub_",
];

/// Code of the runtime, unless the frame has a file.
const RUNTIME: [&str; 4] = ["System.", "Microsoft.", "Interop.", "Internal."];

/// Code that reads the data of a test.
const DATA: [&str; 3] = ["DynamicDataOperations.", "DataDrivenTests", "DynamicDataAttribute."];

/// What hooks before and after a test are called.
const SETUP: &[&str] = &[
    "InitializeAsync",
    "SetUp",
    "Setup",
    "SetUpAsync",
    "SetupAsync",
    "OneTimeSetUp",
    "OneTimeSetup",
    "TestInitialize",
    "ClassInitialize",
    "AssemblyInitialize",
];
const TEARDOWN: &[&str] = &[
    "Dispose",
    "DisposeAsync",
    "TearDown",
    "Teardown",
    "TearDownAsync",
    "OneTimeTearDown",
    "TestCleanup",
    "ClassCleanup",
    "AssemblyCleanup",
];

/// What a block says: one failure, or several where a body and a hook failed, or several hooks.
pub(super) fn failures(
    block: &Block,
    id: &str,
    format: Format,
    more: &[String],
    modern: bool,
) -> Vec<Failure> {
    let message = block.message.as_str();
    let reader = Reader { test: Test::new(id), frames: &block.frames, format, more, modern };
    let mut failures: Vec<Failure> = parts(message, &block.frames)
        .into_iter()
        .map(|(text, part)| reader.failure(text, part, block.lines))
        .collect();
    // That a test lacks a fixture follows from what broke the fixture.
    if failures.iter().all(|failure| failure.kind == Kind::Setup) {
        failures.truncate(1);
    }
    if let [failure] = failures.as_mut_slice() {
        failure.message = shown(message);
    }
    failures
}

/// The class that the frames of the test's own method name.
pub(super) fn class(block: &Block, id: &str) -> Option<String> {
    let test = Test::new(id);
    block.frames.all().iter().find_map(|frame| test.class_in(frame))
}

fn shown(message: &str) -> Option<String> {
    let message = message.trim();
    (!message.is_empty()).then(|| message.to_owned())
}

/// The errors of which a message tells, each with the number of its stack trace.
fn parts<'m>(message: &'m str, frames: &Frames) -> Vec<(&'m str, u32)> {
    let aggregate = bare(message).starts_with("System.AggregateException : One or more errors occurred");
    if aggregate && frames.of(0).next().is_none() {
        let inner: Vec<&str> = message.lines().filter_map(|line| line.strip_prefix("---- ")).collect();
        if inner.len() > 1 {
            return inner.into_iter().zip(1..).collect();
        }
    }
    if let Some(listed) = listed(message) {
        return listed.into_iter().zip(std::iter::repeat(0)).collect();
    }
    // A body that failed and a hook after it that failed as well are told one below the other.
    let mut from = 0;
    let mut parts = Vec::new();
    for (at, line) in lines_at(message) {
        if at > from && ["TearDown : ", "TestCleanup method "].iter().any(|start| line.starts_with(start)) {
            parts.push((message.get(from..at).unwrap_or(""), 0));
            from = at;
        }
    }
    parts.push((message.get(from..).unwrap_or(""), 0));
    if let [(whole, 0)] = parts.as_slice()
        && let Some(rest) = whole.trim_start().strip_prefix("One or more errors occurred. (")
        && let Some(at) = rest.rfind(") (TestCleanup method ")
    {
        let (body, hook) = rest.split_at(at);
        return vec![(body, 0), (hook.trim_start_matches(") (").trim_end().trim_end_matches(')'), 0)];
    }
    parts
}

/// The failures that NUnit lists below `Multiple failures or warnings in test:`, where there is more among them than
/// assertions: `  2) System.ApplicationException : text`. Assertions alone are one failure.
///
/// What an assertion says is indented, and an error is not.
fn listed(message: &str) -> Option<Vec<&str>> {
    let list = message.trim_start().strip_prefix("Multiple failures or warnings in test:")?;
    let mut starts = Vec::new();
    for (at, line) in lines_at(list) {
        let mark = format!("  {}) ", starts.len() + 1);
        if line.starts_with(&mark) {
            starts.push((at, at + mark.len()));
        }
    }
    let ends = starts.iter().skip(1).map(|(at, _)| *at).chain([list.len()]);
    let items: Vec<&str> =
        starts.iter().zip(ends).filter_map(|((_, from), end)| list.get(*from..end)).collect();
    let is_error =
        |item: &&str| item.starts_with("TearDown : ") || typed(item.lines().next().unwrap_or("")).0.is_some();
    items.iter().any(is_error).then_some(items)
}

fn lines_at(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split('\n').map(move |line| {
        let from = at;
        at += line.len() + 1;
        (from, line)
    })
}

/// Without what stands before the error of the test itself.
fn bare(message: &str) -> &str {
    let mut rest = message.trim_start();
    while let Some(after) = WRAPPERS.iter().find_map(|wrapper| rest.strip_prefix(wrapper)) {
        rest = after.trim_start();
    }
    // MSTest: `Test method N.C.M threw exception: ` and the error on the next line.
    let first = rest.lines().next().unwrap_or("");
    if first.starts_with("Test method ") && first.trim_end().ends_with(" threw exception:") {
        return rest.get(first.len()..).unwrap_or("").trim_start();
    }
    rest
}

struct Reader<'a> {
    test: Test<'a>,
    frames: &'a Frames,
    format: Format,
    more: &'a [String],
    modern: bool,
}

impl Reader<'_> {
    fn failure(&self, message: &str, part: u32, lines: Lines) -> Failure {
        let text = bare(message);
        let first = text.lines().next().unwrap_or("").trim_end();
        let (error, _) = typed(first);
        let wrapped = text.len() < message.trim_start().len();
        let kind = self.kind(text, wrapped, error, part);
        let place = self.place();
        Failure {
            kind,
            error: error.map(str::to_owned),
            message: shown(message),
            file: place.and_then(|frame| frame.file.clone()),
            line: place.and_then(|frame| frame.line),
            lines,
        }
    }

    fn kind(&self, message: &str, wrapped: bool, error: Option<&str>, part: u32) -> Kind {
        let first = message.lines().next().unwrap_or("").trim_end();
        let grammar = self.format.grammar();
        let named = grammar.kind("", first).or_else(|| error.and_then(|error| grammar.kind(error, "")));
        // A test may say by itself that it timed out.
        let by_itself = error.is_none()
            && if self.test.is_bare() { self.is_unthrown(part) } else { self.is_in_body(part) };
        if let Some(kind) = named.filter(|kind| *kind != Kind::Timeout || !by_itself) {
            return kind;
        }
        if let Some(kind) = self.stage(part) {
            return kind;
        }
        match error {
            Some(error) if !wrapped && self.is_told(message, error, part) => Kind::Assertion,
            Some(error) if grammar.is_assertion(error, self.more) || error.starts_with("Xunit.Sdk.") => {
                Kind::Assertion
            }
            Some(_) => Kind::Exception,
            None if first.is_empty() && self.frames.all().is_empty() => Kind::Unknown,
            // Frameworks name the class of every error but that of their own assertions.
            None => Kind::Assertion,
        }
    }

    fn is_in_body(&self, part: u32) -> bool {
        self.frames.of(part).any(|frame| self.test.class_in(frame).is_some())
    }

    /// Whether NUnit's own assertion carries a text that looks like an error: below it stand what was expected and what
    /// was, or its stack trace lacks what the runtime puts below each test that throws.
    fn is_told(&self, message: &str, error: &str, part: u32) -> bool {
        // NUnit alone prints a test's method alone, and a blank before the colon.
        let spaced = message.strip_prefix(error).is_some_and(|rest| rest.starts_with(" :"));
        if !self.test.is_bare() || !spaced {
            return false;
        }
        let has = |start: &str| message.lines().any(|line| line.starts_with(start));
        if has("  Expected: ") && has("  But was:  ") {
            return true;
        }
        self.is_unthrown(part)
    }

    /// Whether the stack trace lacks what the runtime puts below each test that throws.
    fn is_unthrown(&self, part: u32) -> bool {
        let mut frames = self.frames.of(part).peekable();
        self.modern && frames.peek().is_some() && frames.all(is_ours)
    }

    /// Whether a constructor or a hook failed, and not the body, or what should have given the test its data.
    fn stage(&self, part: u32) -> Option<Kind> {
        let frames = || self.frames.of(part);
        if self.is_in_body(part) {
            return None;
        }
        if frames().any(|frame| DATA.iter().any(|data| frame.method.contains(data))) {
            return Some(Kind::Collection);
        }
        let outermost = frames().filter(|frame| is_ours(frame)).last()?;
        let method = outermost.method.as_str();
        let is = |names: &[&str]| {
            names.iter().any(|name| {
                method.strip_suffix(name).is_some_and(|class| class.ends_with('.'))
                    || method.contains(&format!(".<{name}>"))
            })
        };
        if method.ends_with("..ctor") || is(SETUP) {
            Some(Kind::Setup)
        } else if is(TEARDOWN) {
            Some(Kind::Teardown)
        } else {
            None
        }
    }

    /// The frame to show: one of the test's own, else the first with a file.
    fn place(&self) -> Option<&Frame> {
        let frames = self.frames.all();
        let own = frames.iter().find(|frame| frame.file.is_some() && self.test.class_in(frame).is_some());
        own.or_else(|| frames.iter().find(|frame| frame.file.is_some()))
    }
}

fn is_ours(frame: &Frame) -> bool {
    let of = |starts: &[&str]| starts.iter().any(|start| frame.method.starts_with(start));
    // Libraries are built in a folder of this name.
    let built_elsewhere = frame.file.as_ref().is_some_and(|file| file.starts_with("/_"));
    !of(&RUNNERS) && !built_elsewhere && (frame.file.is_some() || !of(&RUNTIME))
}

/// The class of an error and what it says: `N.Error : text`, `Error: text`.
fn typed(first: &str) -> (Option<&str>, &str) {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '+' | '`');
    let end = first.find(|c: char| !is_part(c)).unwrap_or(first.len());
    let (name, mut rest) = first.split_at(end);
    // Generic classes carry their arguments in brackets.
    if rest.starts_with('[') && name.contains('`') {
        rest = rest.find("] : ").and_then(|at| rest.get(at + 1..)).unwrap_or(rest);
    }
    let spaced = rest.strip_prefix(" : ").or_else(|| (rest == " :").then_some(""));
    let tight = rest.strip_prefix(": ").or_else(|| (rest == ":").then_some(""));
    let is_named = name.ends_with("Exception") || name.ends_with("Error");
    let starts = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let is_path = name.contains('.') && !name.ends_with('.');
    match (spaced, tight) {
        (Some(message), _) if starts && (is_named || is_path) => (Some(name), message),
        (_, Some(message)) if starts && is_named => (Some(name), message),
        // Some assertions end with the name alone.
        _ if rest.is_empty() && is_named && is_path => (Some(name), ""),
        _ => (None, first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nunit_lists_is_told_apart_where_an_error_is_among_it() {
        let asserted =
            "Multiple failures or warnings in test:\n  1)   third tag\n  Expected: 3\n  But was:  4\n\n";
        let read = |rest: &str| {
            let message = format!("{asserted}{rest}");
            parts(&message, &Frames::default()).into_iter().map(|(text, _)| text.trim().to_owned()).collect()
        };
        let first = "third tag\n  Expected: 3\n  But was:  4";
        let mixed: Vec<String> = read("  2) System.IO.IOException : no gas\n   at N.C.M()");
        assert_eq!(mixed, [first, "System.IO.IOException : no gas\n   at N.C.M()"]);
        let hook: Vec<String> = read("  2) TearDown : N.Oops : x\n  --TearDown");
        assert_eq!(hook, [first, "TearDown : N.Oops : x\n  --TearDown"]);
        for alike in ["  2)   N.Oops : x", "  3) N.Oops : x", "N.Oops : x", "  2)   Expected: 1"] {
            let one: Vec<String> = read(alike);
            assert_eq!(one, [format!("{asserted}{alike}").trim()], "{alike}");
        }
    }

    #[test]
    fn errors_have_names() {
        assert_eq!(typed("System.IO.IOException : no gas"), (Some("System.IO.IOException"), "no gas"));
        assert_eq!(typed("BeadException : rod"), (Some("BeadException"), "rod"));
        assert_eq!(typed("System.ArgumentException: x"), (Some("System.ArgumentException"), "x"));
        assert_eq!(typed("N.Oops : x"), (Some("N.Oops"), "x"));
        for text in
            ["Assert.Equal() Failure: Values differ", "total : 3", "Total: 3", "Expected: 3", "a.b: c"]
        {
            assert_eq!(typed(text).0, None, "{text}");
        }
    }
}

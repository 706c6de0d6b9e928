//! Why a case failed: the class that was thrown, by the element's `type`, its `message` or its text.

use super::case::Outcome;
use super::java;
use crate::python::{self, Raised, Scope};
use crate::{Grammar, Kind};

/// What an element says, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Why<'a> {
    pub(super) kind: Kind,
    /// Empty where none is named.
    pub(super) class: &'a str,
    pub(super) message: &'a str,
}

/// Reads a `failure` or an `error` of a case whose method is `method`. `more` are names of assertion classes that the
/// caller knows besides.
pub(super) fn why<'a>(outcome: &'a Outcome, method: &str, grammar: &Grammar, more: &[String]) -> Why<'a> {
    let text = outcome.text.as_str();
    let message = outcome.message.as_deref().unwrap_or("");
    let (class, said) = thrown(outcome, grammar);
    let died = || grammar.kind("", start(text)).filter(|kind| *kind == Kind::Crash && outcome.is_error);
    let kind = died()
        .or_else(|| fixture(message, text, method))
        .or_else(|| by_rules(outcome, class, said, grammar))
        .unwrap_or_else(|| {
            let is_bare = class.is_empty() && python::is_bare_assert(said);
            let is_assertion = class.ends_with("AssertionError") || grammar.is_assertion(class, more);
            if is_bare || (!class.is_empty() && is_assertion) {
                Kind::Assertion
            } else if class.is_empty() && !(outcome.is_error && is_macro(&outcome.class)) {
                Kind::Unknown
            } else {
                Kind::Exception
            }
        });
    Why { kind, class, message: said }
}

/// The rules look at what was thrown, with its class; where none is named, at the words of the writer.
fn by_rules(outcome: &Outcome, class: &str, said: &str, grammar: &Grammar) -> Option<Kind> {
    if !class.is_empty() {
        return grammar.kind(class, start(said));
    }
    let text = start(without_heading(&outcome.text));
    let message = start(outcome.message.as_deref().unwrap_or(""));
    let kind_word = || grammar.kind(&outcome.class, "").filter(|_| !outcome.class.is_empty());
    let not_empty = |text: &str| (!text.is_empty()).then(|| grammar.kind("", text)).flatten();
    // Go's lines are known by their indentation.
    let indented = || not_empty(start(&outcome.text));
    not_empty(text).or_else(|| not_empty(message)).or_else(indented).or_else(kind_word)
}

/// The class that was thrown, and what it said.
fn thrown<'a>(outcome: &'a Outcome, grammar: &Grammar) -> (&'a str, &'a str) {
    let text = outcome.text.as_str();
    let message = outcome.message.as_deref().unwrap_or("");
    let said = if message.is_empty() { first_line(without_heading(text)) } else { message };
    // Loaders and subunit wrap what they heard of.
    let is_wrapped =
        said.starts_with("Failed to import test module") || outcome.class.ends_with("_StringException");
    if let Some(raised) = traceback(text).filter(|_| is_wrapped) {
        return (raised.error, raised.message);
    }
    if is_class(&outcome.class, grammar) && !(is_macro(&outcome.class) && outcome.is_error) {
        let is_robot = text.is_empty() && outcome.class == "AssertionError";
        return match raised(message, grammar).or_else(|| robot(message)).filter(|_| is_robot) {
            Some(inner) => inner,
            None => (&outcome.class, said.strip_prefix(&format!("{}: ", outcome.class)).unwrap_or(said)),
        };
    }
    if let Some(class) = pytest_ending(text) {
        return (class, said.strip_prefix(&format!("{class}: ")).unwrap_or(said));
    }
    if let Some(raised) = traceback(text) {
        return (raised.error, raised.message);
    }
    if let Some(raised) = pytest_lines(text, grammar) {
        return raised;
    }
    if let Some(cause) = text.find("\n  cause: ").and_then(|at| text.get(at + 10..)) {
        let cause = cause.strip_prefix('[').unwrap_or(cause);
        if let Some(raised) = raised(cause, grammar) {
            return raised;
        }
    }
    let text = without_heading(text);
    raised(message, grammar)
        .or_else(|| raised(text, grammar))
        .unwrap_or(("", if message.is_empty() { text } else { said }))
}

/// As much of a text as the rules look at.
fn start(text: &str) -> &str {
    const MOST: usize = 8 << 10;
    let end = (0..=MOST.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    text.get(..end.unwrap_or(0)).unwrap_or(text)
}

/// Catch2 names its macro, also where an exception came in between.
fn is_macro(class: &str) -> bool {
    !class.is_empty() && class.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}

/// The text without the line that jest, Playwright and PHPUnit put above it.
fn without_heading(text: &str) -> &str {
    let text = text.trim_start();
    let rest = text.strip_prefix('●').unwrap_or(text).trim_start();
    if let Some(rest) = rest.strip_prefix("Test suite failed to run\n") {
        return rest.trim_start();
    }
    // Playwright: where the test stands, drawn out to a line; PHPUnit: class and method.
    match text.split_once('\n') {
        Some((heading, rest)) if is_heading(heading.trim_end()) => rest.trim_start(),
        _ => text,
    }
}

/// `[chromium] › a.spec.ts:7:5 › adds ─────`, `CartTest::testAdds`
fn is_heading(line: &str) -> bool {
    let is_word = |text: &str| !text.is_empty() && !text.contains([' ', ':']);
    (line.contains(" › ") && line.ends_with('─'))
        || line.split_once("::").is_some_and(|(class, method)| {
            is_word(class) && is_word(method.split(" with data set ").next().unwrap_or(""))
        })
}

fn first_line(text: &str) -> &str {
    text.trim_start().lines().next().unwrap_or("")
}

/// Whether a word is a class as errors have one: by its end, its package, or because the grammar knows it.
fn is_class(word: &str, grammar: &Grammar) -> bool {
    const ENDS: [&str; 8] =
        ["Error", "Exception", "Failure", "Exit", "Interrupt", "Warning", "Assertion", "Throwable"];
    let in_class = |byte: u8| byte.is_ascii_alphanumeric() || b"_.$:\\<>".contains(&byte) || !byte.is_ascii();
    if word.is_empty() || !word.bytes().all(in_class) {
        return false;
    }
    let last = word.rsplit(['.', ':', '\\', '$']).next().unwrap_or(word);
    let proper = last.starts_with(|first: char| first.is_uppercase());
    let rules = || grammar.kinds.iter().flat_map(|rule| &rule.errors);
    proper && (last.len() < word.len() || ENDS.iter().any(|end| last.ends_with(end)))
        || grammar.assertion_errors.iter().chain(rules()).any(|name| name == word)
}

/// `Class: message`, `Class [CODE]: message`, or the class alone in its line.
fn raised<'a>(text: &'a str, grammar: &Grammar) -> Option<(&'a str, &'a str)> {
    let text = text.trim_start();
    let line = text.lines().next()?;
    let end = line.find(": ").or_else(|| line.strip_suffix(':').map(str::len)).unwrap_or(line.len());
    let (head, _) = line.split_at(end);
    let class = match head.split_once(" [") {
        Some((class, code)) if code.ends_with(']') => class,
        _ => head,
    };
    let message = text.get(end..)?.trim_start_matches(':').trim_start();
    // A word that only the grammar knows needs a message: `Failed` alone is no class.
    if class == "Failure" {
        return None;
    }
    let known = grammar.assertion_errors.iter().any(|name| name == class) && !class.ends_with("Error");
    (is_class(class, grammar) && !(known && end == line.len())).then_some((class, message))
}

/// Robot Framework calls everything an AssertionError; its own errors are known by their words.
fn robot(message: &str) -> Option<(&str, &str)> {
    const WORDS: [&str; 5] =
        ["Evaluating expression ", "No keyword with name ", "Variable '", "Keyword '", "Importing library '"];
    WORDS.iter().any(|word| message.starts_with(word)).then_some(("RobotError", message))
}

/// The class in the last line of pytest's long text: `tests/test_a.py:7: ValueError`.
fn pytest_ending(text: &str) -> Option<&str> {
    let (place, class) = text.trim_end().lines().next_back()?.rsplit_once(": ")?;
    let (file, line) = place.rsplit_once(':')?;
    let number = !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
    let is_class = class.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.<>".contains(&byte));
    (number && is_class && !file.starts_with(' ') && class.starts_with(|first: char| first.is_alphabetic()))
        .then_some(class)
}

/// The last exception that pytest marks in its text: `E   ValueError: x`.
fn pytest_lines<'a>(text: &'a str, grammar: &Grammar) -> Option<(&'a str, &'a str)> {
    text.lines().rev().find_map(|line| raised(line.strip_prefix("E   ")?, grammar))
}

/// The exception that ended the last traceback of a text.
fn traceback(text: &str) -> Option<Raised<'_>> {
    let mut found = None;
    let mut in_frames = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let plain = line.trim_end();
        let rest = text.get(at..).unwrap_or("");
        at += line.len();
        if python::is_traceback(plain.as_bytes()) || python::frame(plain.as_bytes()).is_some() {
            in_frames = true;
        } else if in_frames && !plain.is_empty() && !plain.starts_with(' ') {
            in_frames = false;
            found = Some(rest);
        }
    }
    found.map(|rest| Raised::read(rest.trim_end())).filter(|raised| !raised.error.is_empty())
}

/// A fixture or hook that the writer, or a stack frame, names.
fn fixture(message: &str, text: &str, method: &str) -> Option<Kind> {
    const WORDS: [(&str, Kind); 12] = [
        // pytest; before 5.4 the second wording
        ("failed on setup with \"", Kind::Setup),
        ("test setup failure", Kind::Setup),
        ("failed on teardown with \"", Kind::Teardown),
        ("test teardown failure", Kind::Teardown),
        // Robot Framework
        ("Setup failed:", Kind::Setup),
        ("Parent suite setup failed:", Kind::Setup),
        ("Suite setup failed:", Kind::Setup),
        ("Teardown failed:", Kind::Teardown),
        ("Parent suite teardown failed:", Kind::Teardown),
        // behave
        ("HOOK-ERROR in before_", Kind::Setup),
        ("HOOK-ERROR in after_", Kind::Teardown),
        // RSpec
        ("An error occurred in a `before(", Kind::Setup),
    ];
    let named = WORDS.iter().find(|(word, _)| message.starts_with(word) || text.starts_with(word));
    if let Some((_, kind)) = named {
        return Some(*kind);
    }
    let thrown_in = |hook: &str| {
        let end = format!("thrown in {hook}.");
        message.contains(&end) && message.contains("C++ exception")
    };
    if thrown_in("SetUp()") || thrown_in("SetUpTestSuite()") || thrown_in("the test fixture's constructor") {
        return Some(Kind::Setup);
    }
    if thrown_in("TearDown()")
        || thrown_in("TearDownTestSuite()")
        || thrown_in("the test fixture's destructor")
    {
        return Some(Kind::Teardown);
    }
    // The outermost frame that is a hook's or the test's own.
    let method = method.split([' ', '[', '(']).next().unwrap_or(method);
    let scope = |line: &str| Scope::of(python::frame(line.as_bytes())?.2, method.as_bytes());
    let python = text.lines().filter(|line| line.starts_with("  File ")).find_map(scope);
    match python {
        Some(scope) => scope.kind(),
        None => java::hook(text),
    }
}

/// What Robot Framework adds to a failure when the teardown fails as well.
pub(super) fn also_torn_down(outcome: &Outcome) -> bool {
    let message = outcome.message.as_deref().unwrap_or("");
    message.contains("\n\nAlso teardown failed:\n")
        || message.contains("\n\nAlso parent suite teardown failed:\n")
}

/// A failure that is none: the test passed although it was expected to fail.
pub(super) fn is_unexpected_pass(outcome: &Outcome) -> bool {
    let says = |text: &str| text.starts_with("[XPASS(strict)]");
    outcome.class == "UnexpectedSuccess"
        || outcome.message.as_deref() == Some("test passes unexpectedly")
        || outcome.message.as_deref().is_some_and(says)
        || (outcome.message.is_none() && says(outcome.text.as_str()))
}

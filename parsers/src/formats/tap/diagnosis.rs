//! Why a test failed, from a YAML block or from comments.

use bstr::ByteSlice;

use super::bats;
use super::printed::{Part, Printed};
use super::words::{
    closes_quote, error_line, is_error_class, key_value, opens_quote, perl_site, placed_error, value_text,
};
use crate::bounded::Bounded;
use crate::text::{lossy, number};
use crate::{Failure, Format, Kind, Lines};

/// What a diagnostic says, gathered line by line.
#[derive(Debug, Default)]
pub(super) struct Diagnosis {
    /// `operator`, `expected`, `got` and the like are there.
    compares: bool,
    /// tap shows the source of a failed assertion, and since 18 that of a test with failed ones below it.
    shows_source: bool,
    operator: Option<String>,
    class: Option<String>,
    code: Option<String>,
    failure_type: Option<String>,
    message: Bounded,
    /// Lines of comments, which may say anything.
    comments: Bounded,
    file: Option<String>,
    line: Option<u32>,
    pub(super) duration_ms: Option<f32>,
    pub(super) is_suite: bool,
    pub(super) is_process: bool,
    /// Its place is the first byte of a file, which is the file itself.
    at_start: bool,
    pub(super) lines: Option<Lines>,
    key: Key,
    /// In a quoted text that goes on over lines, which vitest writes without indentation.
    quoted: bool,
    /// `error` is a map, as vitest has it of tests and of files.
    has_error_map: bool,
    /// How far the keys of the block are indented below its start.
    indent: Option<usize>,
    thrown: bool,
    captured: bool,
    /// The signal that ended a process.
    signal: Option<String>,
    /// The hook that bats names.
    hook: Option<Kind>,
    in_bats: bool,
    printed: Printed,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Key {
    #[default]
    Other,
    Message,
    Stack,
    At,
    /// `name` and `message` below `error`.
    Error,
}

impl Diagnosis {
    pub(super) fn touch(&mut self, number: u32) {
        let first = self.lines.map_or(number, |lines| lines.first);
        self.lines = Some(Lines::new(first, number));
    }

    /// Whether it is about a file that the runner started, and not about a test.
    pub(super) fn is_of_file(&self) -> bool {
        self.is_process || self.at_start || self.has_error_map
    }

    pub(super) fn is_cut(&self) -> bool {
        self.message.is_cut() || self.comments.is_cut()
    }

    /// Whether the next line goes on with a quoted text, whatever it looks like.
    pub(super) fn is_quoted(&self) -> bool {
        self.quoted
    }

    /// Takes a line of a quoted text.
    pub(super) fn quoted(&mut self, text: &[u8]) {
        self.quoted = !closes_quote(text);
        if self.key == Key::Message {
            let text =
                if self.quoted { text } else { text.trim_ascii_end().strip_suffix(b"\"").unwrap_or(text) };
            self.message.line(text);
        }
    }

    fn message(&mut self, value: &[u8]) {
        self.key = Key::Message;
        self.message = Bounded::default();
        if self.quoted {
            self.message.line(value.get(1..).unwrap_or_default());
        } else if let Some(text) = value_text(value) {
            self.message.line(text.as_bytes());
        }
    }

    /// A line of a YAML block, without the block's own indentation.
    pub(super) fn yaml(&mut self, text: &[u8]) {
        let blanks = text.iter().take_while(|byte| **byte == b' ').count();
        let base = match self.indent {
            Some(base) => base,
            None if blanks == text.len() => 0,
            None => *self.indent.insert(blanks),
        };
        let text = text.get(base.min(blanks)..).unwrap_or_default();
        if text.first().is_none_or(|byte| *byte == b' ') {
            self.nested(text);
            return;
        }
        let Some((key, value)) = key_value(text) else { return };
        self.key = Key::Other;
        self.quoted = opens_quote(value);
        match key {
            b"error" if value.is_empty() => {
                self.key = Key::Error;
                self.has_error_map = true;
            }
            b"operator" | b"assertion" => {
                self.compares = true;
                self.operator = value_text(value);
            }
            b"expected" | b"actual" | b"got" | b"found" | b"wanted" | b"compare" | b"diff" | b"expect" => {
                self.compares = true;
            }
            b"source" => self.shows_source = true,
            b"tapCaught" => self.thrown = true,
            b"name" => self.class = value_text(value),
            b"type" if value_text(value).as_deref() == Some("suite") => self.is_suite = true,
            b"type" => {
                let class = value_text(value).filter(|class| is_error_class(class.as_bytes()));
                self.class = self.class.take().or(class);
            }
            b"code" => self.code = value_text(value),
            b"failureType" => self.failure_type = value_text(value),
            b"exitCode" => self.is_process = true,
            b"location" => self.at_start = value.ends_with(b":1:1'"),
            b"signal" => self.signal = value_text(value),
            b"duration_ms" => self.duration_ms = lossy(value).parse().ok(),
            b"error" | b"message" => self.message(value),
            b"stack" => self.key = Key::Stack,
            b"at" => {
                self.key = Key::At;
                self.site(value);
            }
            _ => {}
        }
    }

    /// A line below a key.
    fn nested(&mut self, text: &[u8]) {
        let plain = text.trim_ascii();
        let text = text.strip_prefix(b"  ").unwrap_or(text);
        match self.key {
            Key::Error => match key_value(plain) {
                Some((b"name", value)) => {
                    self.class = value_text(value);
                    // Whatever is thrown has a name.
                    self.thrown =
                        self.class.as_deref().is_some_and(|class| !is_error_class(class.as_bytes()));
                }
                Some((b"message", value)) => {
                    self.quoted = opens_quote(value);
                    self.message(value);
                }
                _ => {}
            },
            Key::Message => self.message.line(text),
            Key::Stack => {
                if self.class.is_none()
                    && let Some((class, _)) = error_line(text.trim_ascii())
                {
                    self.class = Some(lossy(class).into_owned());
                }
                self.site(text);
            }
            Key::At => match key_value(text.trim_ascii()) {
                Some((b"fileName" | b"file", value)) => self.file = value_text(value),
                Some((b"lineNumber" | b"line", value)) => {
                    self.line = number(value).and_then(|(line, _)| u32::try_from(line).ok());
                }
                _ => {}
            },
            Key::Other => {
                let key = key_value(text.trim_ascii()).map(|(key, _)| key);
                self.compares |= matches!(key, Some(b"got" | b"expect" | b"expected" | b"actual"));
            }
        }
    }

    /// A comment below a failed test, without its `#`.
    pub(super) fn comment(&mut self, text: &[u8]) {
        let said = text.strip_prefix(b" ").unwrap_or(text);
        let is_first = self.comments.is_empty();
        self.comments.line(said);
        // What a test printed says nothing about why it failed.
        self.captured |= said.starts_with(b"--- Captured ");
        if self.captured {
            return;
        }
        let said = said.trim_ascii();
        if (is_first || self.in_bats) && self.bats(said) {
            return;
        }
        let said = said.strip_prefix(b"E  ").unwrap_or(said).trim_ascii();
        let key = key_value(said).map(|(key, _)| key);
        if matches!(key, Some(b"got" | b"expected" | b"actual" | b"operator" | b"wanted" | b"found")) {
            self.compares = true;
            return;
        }
        if let Some((class, message)) = error_line(said) {
            self.class = Some(lossy(class).into_owned());
            if !message.is_empty() {
                self.message = Bounded::default();
                self.message.line(message);
            }
        } else if let Some((file, line, class)) = placed_error(said) {
            self.class.get_or_insert_with(|| lossy(class).into_owned());
            (self.file, self.line) = (Some(lossy(file).into_owned()), Some(line));
        } else if self.file.is_none() {
            self.perl_site(said);
        }
    }

    /// An indented line below a failed test that is neither a comment nor of a block. Says whether it belongs there.
    pub(super) fn indented(&mut self, text: &[u8]) -> bool {
        match self.printed.line(text) {
            None => return false,
            Some(Part::Text) => {}
            Some(Part::Frame { head, site }) => {
                if let Some((class, message)) = head.as_deref().and_then(error_line) {
                    self.class = Some(lossy(class).into_owned());
                    self.message = Bounded::of(message);
                }
                if self.class.is_some() {
                    self.site(site);
                }
            }
        }
        true
    }

    /// Output that stands below a failed test at no indentation.
    pub(super) fn interrupt(&mut self) {
        self.printed.interrupt();
    }

    /// Takes a comment of bats. Says whether it was one.
    fn bats(&mut self, said: &[u8]) -> bool {
        match bats::read(said) {
            Some(bats::Said::Site { hook, file, line }) => {
                self.in_bats = true;
                self.hook = self.hook.or(hook);
                (self.file, self.line) = (Some(lossy(file).into_owned()), Some(line));
            }
            Some(bats::Said::Failed { why }) if self.in_bats => {
                (self.compares, self.thrown) = (why == Some(Kind::Assertion), why == Some(Kind::Exception));
                self.message = Bounded::of(said);
                // What follows is the output of the test.
                self.captured = true;
            }
            Some(_) | None => return false,
        }
        true
    }

    /// `at t/a.t line 5.`
    pub(super) fn perl_site(&mut self, text: &[u8]) {
        let Some((file, line)) = perl_site(text) else { return };
        (self.file, self.line) = (Some(lossy(file).into_owned()), Some(line));
    }

    /// `at name (/path/file.js:5:3)`, `/path/file.js:5:3`; the first that is no part of the runtime.
    fn site(&mut self, text: &[u8]) {
        if self.file.is_some() {
            return;
        }
        let text = text.trim_ascii().trim_with(|c| matches!(c, '\'' | '"' | ' '));
        let text = match memchr::memrchr(b'(', text) {
            Some(open) => text.get(open + 1..).and_then(|inner| inner.strip_suffix(b")")).unwrap_or_default(),
            None => text.strip_prefix(b"at ").unwrap_or(text),
        };
        let mut parts = text.rsplitn(3, |byte| *byte == b':');
        let (Some(_), Some(line), Some(file)) = (parts.next(), parts.next(), parts.next()) else { return };
        let Some((line, b"")) = number(line) else { return };
        let is_of_node = file.starts_with(b"node:") || file.starts_with(b"internal/");
        let is_path = memchr::memchr2(b'/', b'\\', file).is_some() && !is_of_node;
        if is_path && !file.contains_str("/node_modules/") {
            let file = file.strip_prefix(b"file://").unwrap_or(file);
            (self.file, self.line) = (Some(lossy(file).into_owned()), u32::try_from(line).ok());
        }
    }

    /// Whether it says why the test itself failed, and not that one below it did.
    pub(super) fn speaks_for_itself(&self) -> bool {
        match self.failure_type.as_deref() {
            Some(word) => word != "subtestsFailed",
            None => self.compares || self.class.is_some(),
        }
    }

    /// Turns what was said about a test of this name into a failure.
    pub(super) fn failure(self, format: Format, more: &[String], name: &str, point: Lines) -> Failure {
        let kind = self.kind(format, more, name);
        let lines =
            Lines::new(point.first, self.lines.map_or(point.last, |lines| lines.last.max(point.last)));
        let message = self.message.into_text().or(self.comments.into_text());
        // The bare class in a stack is what an assertion made to get that stack.
        let error = self.class.filter(|class| kind != Kind::Assertion || class != "Error");
        Failure { kind, error, message, file: self.file, line: self.line, lines }
    }

    /// The class and the message.
    pub(super) fn words(&self) -> (Option<String>, Option<String>) {
        (self.class.clone(), self.message.clone().into_text())
    }

    /// Why, by what is said.
    pub(super) fn kind(&self, format: Format, more: &[String], name: &str) -> Kind {
        let grammar = format.grammar();
        let class = self.class.as_deref().unwrap_or("");
        let message = self.message.as_str();
        match self.failure_type.as_deref() {
            Some("testTimeoutFailure") => return Kind::Timeout,
            Some("hookFailed") if message.contains("after") => return Kind::Teardown,
            Some("hookFailed") => return Kind::Setup,
            _ => {}
        }
        if let Some(hook) = self.hook {
            return hook;
        }
        // tape says so as a test would that calls `fail`, but from nowhere in a test.
        if self.operator.as_deref() == Some("fail") && self.file.is_none() && ends_by_clock(name) {
            return Kind::Timeout;
        }
        // Some report what was thrown, and tests that never ended, as a failed assertion.
        let told = grammar.kind(class, message);
        for kind in [grammar.kind("", name), told].into_iter().flatten() {
            if matches!(kind, Kind::Timeout | Kind::Exception) {
                return kind;
            }
        }
        if self.code.as_deref() == Some("ERR_ASSERTION") || grammar.is_assertion(class, more) {
            return Kind::Assertion;
        }
        // `error` says that something was thrown or handed over as an error, whatever it is compared with.
        let thrown =
            self.thrown || self.operator.as_deref() == Some("error") && error_line(name.as_bytes()).is_some();
        if let Some(kind) = told.or_else(|| grammar.kind("", self.comments.as_str())) {
            return kind;
        }
        let compares = self.compares || self.shows_source;
        let coded = self
            .failure_type
            .as_deref()
            .is_some_and(|word| !matches!(word, "cancelledByParent" | "subtestsFailed"));
        // Of a process that printed no error nothing but its end is known.
        if self.is_process && self.class.is_none() {
            return if self.signal.is_some() { Kind::Crash } else { Kind::Unknown };
        }
        if self.class.as_deref().is_some_and(|class| is_error_class(class.as_bytes())) || thrown {
            // A class in a stack beside a comparison is what was compared.
            return if compares && !thrown && !coded { Kind::Assertion } else { Kind::Exception };
        }
        match (compares, coded) {
            (true, _) => Kind::Assertion,
            (false, true) => Kind::Exception,
            (false, false) => Kind::Unknown,
        }
    }
}

/// `a name timed out after 50ms`
fn ends_by_clock(name: &str) -> bool {
    let Some((_, time)) = name.rsplit_once(" timed out after ") else { return false };
    time.strip_suffix("ms")
        .is_some_and(|time| number(time.as_bytes()).is_some_and(|(_, rest)| rest.is_empty()))
}

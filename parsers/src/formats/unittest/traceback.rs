//! Reads the text of an error as Python prints it.
//!
//! Layout: `traceback.TracebackException.format` of the standard library. The last traceback of a chain is the
//! exception that ended it, and its last line, the first that is not indented, says what it is.

use crate::Kind;
use crate::bounded::Bounded;
use crate::text::{lossy, number};

pub(super) const HEAD: &[u8] = b"Traceback (most recent call last):";
const GROUP_HEAD: &[u8] = b"  + Exception Group Traceback (most recent call last):";

/// A reader that is fed with the lines of one error.
#[derive(Debug, Default)]
pub(super) struct Traceback {
    at: At,
    method: String,
    loader: bool,
    group: bool,
    chained: bool,
    blank_before: bool,
    scope: Option<Scope>,
    site: Option<Site>,
    last_site: Option<Site>,
    error: Option<String>,
    message: Bounded,
}

#[derive(Debug, Default, PartialEq, Eq, Clone, Copy)]
enum At {
    /// Before the first traceback: an error without frames has none.
    #[default]
    Start,
    Frames,
    Message,
    /// What `--buffer` captured follows.
    Captured,
}

#[derive(Debug, PartialEq, Eq, Clone, Copy)]
enum Scope {
    Setup,
    Body,
    Teardown,
}

#[derive(Debug, Clone)]
struct Site {
    file: String,
    line: Option<u32>,
}

/// What an error turned out to say.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) error: Option<String>,
    pub(super) message: Option<String>,
    pub(super) file: Option<String>,
    pub(super) line: Option<u32>,
    /// `Setup` or `Teardown`, where a frame names one.
    pub(super) hook: Option<Kind>,
    /// Whether the message was longer than what is kept.
    pub(super) is_cut: bool,
}

impl Traceback {
    /// For the error of a test. The method's own frame tells its body from its fixtures.
    pub(super) fn of_test(method: &str) -> Self {
        Self { method: method.to_owned(), ..Self::default() }
    }

    /// For an error of the loader, which prints the traceback of the module's error behind its own message.
    pub(super) fn of_loader() -> Self {
        Self { loader: true, ..Self::default() }
    }

    /// Takes the next line.
    pub(super) fn line(&mut self, text: &[u8]) {
        let blank = text.is_empty();
        match self.at {
            At::Start | At::Frames => self.before_message(text),
            At::Message => self.in_message(text),
            At::Captured => {}
        }
        self.blank_before = blank;
    }

    fn before_message(&mut self, text: &[u8]) {
        if text == HEAD || text == GROUP_HEAD {
            self.restart(text == GROUP_HEAD);
            return;
        }
        let text = match text {
            [b' ', b' ', b'|' | b'+', b' ', rest @ ..] if self.group => rest,
            text => text,
        };
        if let Some(frame) = text.strip_prefix(b"  File \"") {
            self.frame(frame);
        } else if let Some((error, message)) = exception(text) {
            self.error = Some(lossy(error).into_owned());
            self.message = Bounded::default();
            if let Some(message) = message {
                self.message.line(message);
            }
            self.at = At::Message;
        }
    }

    fn in_message(&mut self, text: &[u8]) {
        match text {
            _ if text == HEAD && (self.chained || self.loader) => return self.restart(false),
            GROUP_HEAD if self.chained => return self.restart(true),
            b"Stdout:" | b"Stderr:" if self.blank_before => {
                self.at = At::Captured;
                return;
            }
            b"During handling of the above exception, another exception occurred:"
            | b"The above exception was the direct cause of the following exception:" => self.chained = true,
            b"" => {}
            _ => self.chained = false,
        }
        // The members of a group are no part of what the group itself says.
        if !self.group {
            self.message.line(text);
        }
    }

    fn restart(&mut self, group: bool) {
        let (method, loader) = (std::mem::take(&mut self.method), self.loader);
        *self = Self { at: At::Frames, method, loader, group, ..Self::default() };
    }

    /// `PATH", line 7, in name`; of a syntax error without the name.
    fn frame(&mut self, frame: &[u8]) {
        let Some(quote) = memchr::memmem::rfind(frame, b"\", line ") else { return };
        let (path, rest) = frame.split_at(quote);
        let Some((line, rest)) = rest.get(8..).and_then(number) else { return };
        let site = Site { file: lossy(path).into_owned(), line: u32::try_from(line).ok() };
        if !is_installed(&site.file) {
            self.site = Some(site.clone());
        }
        self.last_site = Some(site);
        if self.scope.is_none() {
            self.scope = match rest.strip_prefix(b", in ").unwrap_or_default() {
                b"setUp" | b"asyncSetUp" => Some(Scope::Setup),
                b"tearDown" | b"asyncTearDown" => Some(Scope::Teardown),
                name if !name.is_empty() && name == self.method.as_bytes() => Some(Scope::Body),
                _ => None,
            };
        }
    }

    /// Whether the head of another traceback would go on with this error.
    pub(super) fn takes_another(&self) -> bool {
        self.chained || self.error.is_none()
    }

    /// Whether the error's own line has been read.
    pub(super) fn has_said(&self) -> bool {
        self.error.is_some()
    }

    /// What was read.
    pub(super) fn said(self) -> Said {
        let site = self.site.or(self.last_site);
        Said {
            error: self.error,
            is_cut: self.message.is_cut(),
            message: self.message.into_text(),
            line: site.as_ref().and_then(|site| site.line),
            file: site.map(|site| site.file),
            hook: match self.scope {
                Some(Scope::Setup) => Some(Kind::Setup),
                Some(Scope::Teardown) => Some(Kind::Teardown),
                Some(Scope::Body) | None => None,
            },
        }
    }
}

/// Code that is no one's own: the standard library and installed packages.
fn is_installed(file: &str) -> bool {
    ["/lib/python", "/site-packages/", "/dist-packages/", "/unittest/", "/asyncio/", "\\Lib\\", "<frozen "]
        .iter()
        .any(|part| file.contains(part))
}

/// `package.Class: message`, `Class`.
fn exception(text: &[u8]) -> Option<(&[u8], Option<&[u8]>)> {
    let len = text
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"_.<>".contains(byte))
        .count();
    let (class, rest) = text.split_at(len);
    let named = class.first().is_some_and(|byte| !byte.is_ascii_digit() && *byte != b'.');
    match rest {
        _ if !named => None,
        b"" | b":" => Some((class, None)),
        [b':', b' ', message @ ..] => Some((class, Some(message))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(mut reader: Traceback, text: &str) -> Said {
        for line in text.lines() {
            reader.line(line.as_bytes());
        }
        reader.said()
    }

    #[track_caller]
    fn check(text: &str, error: &str, message: Option<&str>, hook: Option<Kind>) {
        let said = said(Traceback::of_test("test_x"), text);
        assert_eq!(
            (said.error.as_deref(), said.message.as_deref(), said.hook),
            (Some(error), message, hook),
            "{text}"
        );
    }

    #[test]
    fn the_exception_that_ended_a_chain_decides() {
        check(
            "Traceback (most recent call last):\n  File \"t.py\", line 4, in setUp\n    {}['a']\nKeyError: 'a'\n\n\
             During handling of the above exception, another exception occurred:\n\n\
             Traceback (most recent call last):\n  File \"t.py\", line 5, in test_x\n    raise E\npkg.E: x\ny\n",
            "pkg.E",
            Some("x\ny"),
            None,
        );
    }

    #[test]
    fn a_traceback_in_a_message_changes_nothing() {
        check(
            "Traceback (most recent call last):\n  File \"t.py\", line 4, in test_x\n    x\n\
             AssertionError: 1 != 0 : Traceback (most recent call last):\n  File \"u.py\", line 1, in setUp\n\
             Traceback (most recent call last):\nModuleNotFoundError: No module named 'x'\n\nStdout:\nValueError: no\n",
            "AssertionError",
            Some(
                "1 != 0 : Traceback (most recent call last):\n  File \"u.py\", line 1, in setUp\n\
                 Traceback (most recent call last):\nModuleNotFoundError: No module named 'x'",
            ),
            None,
        );
    }

    #[test]
    fn the_outer_frame_names_the_hook() {
        let frames = |names: &[&str]| {
            let frame = |name: &&str| format!("  File \"t.py\", line 4, in {name}\n    code\n");
            format!("{}\n{}E\n", lossy(HEAD), names.iter().map(frame).collect::<String>())
        };
        check(&frames(&["setUp", "test_x"]), "E", None, Some(Kind::Setup));
        check(&frames(&["run", "asyncTearDown"]), "E", None, Some(Kind::Teardown));
        check(&frames(&["test_x", "setUp"]), "E", None, None);
        check(&frames(&["helper"]), "E", None, None);
    }

    #[test]
    fn a_group_speaks_for_its_members() {
        check(
            "  + Exception Group Traceback (most recent call last):\n  |   File \"t.py\", line 7, in test_x\n\
             \x20 |     raise g\n  | ExceptionGroup: two (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n\
             \x20   | ValueError: 1\n    +---------------- 2 ----------------\n    | AssertionError: 2\n    +----",
            "ExceptionGroup",
            Some("two (2 sub-exceptions)"),
            None,
        );
    }

    #[test]
    fn the_loader_prints_the_module_s_error_last() {
        let text = "ImportError: Failed to import test module: x\nTraceback (most recent call last):\n\
                    \x20 File \"/usr/lib/python3.11/unittest/loader.py\", line 4, in f\n\
                    \x20 File \"/w/x.py\", line 2\n    def (\n        ^\nSyntaxError: invalid syntax\n";
        let said = said(Traceback::of_loader(), text);
        assert_eq!(said.error.as_deref(), Some("SyntaxError"));
        assert_eq!((said.file.as_deref(), said.line), (Some("/w/x.py"), Some(2)));
    }
}

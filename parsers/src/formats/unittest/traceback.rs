//! Reads the text of an error as Python prints it.
//!
//! Layout: `traceback.TracebackException.format` of the standard library. The last traceback of a chain is the
//! exception that ended it, and its last line, the first that is not indented, says what it is.

use crate::Kind;
use crate::bounded::Bounded;
use crate::python::{self, Scope};
use crate::text::lossy;

/// A reader that is fed with the lines of one error.
#[derive(Debug, Default)]
pub(super) struct Traceback {
    at: At,
    method: String,
    loader: bool,
    process: bool,
    fixture: bool,
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

#[derive(Debug, Clone)]
struct Site {
    file: String,
    line: u32,
}

/// What an error turned out to say.
#[derive(Debug, Clone)]
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

    /// For the error of a fixture of a class, a module or a layer.
    pub(super) fn of_fixture() -> Self {
        Self { fixture: true, ..Self::default() }
    }

    /// For the error that ended a process. Others write behind it, and nothing tells their lines from those of a long
    /// message: what it says is its own line.
    pub(super) fn of_process() -> Self {
        Self { process: true, ..Self::default() }
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
        if python::is_traceback(text) {
            self.restart(python::is_group(text));
            return;
        }
        let text = match text {
            [b' ', b' ', b'|' | b'+', b' ', rest @ ..] if self.group => rest,
            text => text,
        };
        if let Some((file, line, function)) = python::frame(text).filter(|_| text.starts_with(b"  File")) {
            self.frame(file, line, function);
        } else if let Some((error, message)) = python::exception(text) {
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
            python::TRACEBACK if self.chained || self.loader => return self.restart(false),
            _ if self.chained && python::is_group(text) => return self.restart(true),
            b"Stdout:" | b"Stderr:" if self.blank_before => {
                self.at = At::Captured;
                return;
            }
            b"" => {}
            _ => self.chained = python::is_chain(text),
        }
        // The members of a group are no part of what the group itself says.
        if !self.group && !self.process {
            self.message.line(text);
        }
    }

    fn restart(&mut self, group: bool) {
        let method = std::mem::take(&mut self.method);
        let Self { loader, process, fixture, .. } = *self;
        *self = Self { at: At::Frames, method, loader, process, fixture, group, ..Self::default() };
    }

    fn frame(&mut self, file: &[u8], line: u32, function: &[u8]) {
        let site = Site { file: lossy(file).into_owned(), line };
        if !is_installed(&site.file) {
            self.site = Some(site.clone());
        }
        self.last_site = Some(site);
        self.scope = self.scope.or_else(|| match function {
            b"setUpClass" | b"setUpModule" if self.fixture => Some(Scope::Setup),
            b"tearDownClass" | b"tearDownModule" if self.fixture => Some(Scope::Teardown),
            _ => Scope::of(function, self.method.as_bytes()),
        });
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
            line: site.as_ref().map(|site| site.line),
            file: site.map(|site| site.file),
            hook: self.scope.and_then(Scope::kind),
        }
    }
}

/// Code that is no one's own: the standard library and installed packages.
fn is_installed(file: &str) -> bool {
    ["/lib/python", "/site-packages/", "/dist-packages/", "/unittest/", "/asyncio/", "\\Lib\\", "<frozen "]
        .iter()
        .any(|part| file.contains(part))
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
            format!("{}\n{}E\n", lossy(python::TRACEBACK), names.iter().map(frame).collect::<String>())
        };
        check(&frames(&["setUp", "test_x"]), "E", None, Some(Kind::Setup));
        check(&frames(&["run", "asyncTearDown"]), "E", None, Some(Kind::Teardown));
        check(&frames(&["test_x", "setUp"]), "E", None, None);
        check(&frames(&["helper"]), "E", None, None);
    }

    #[test]
    fn a_process_says_one_line() {
        let text = "Traceback (most recent call last):\n  File \"t.py\", line 4, in f\n    x\nE: 1\nlog\n\n\
                    During handling of the above exception, another exception occurred:\n\n\
                    Traceback (most recent call last):\n  File \"t.py\", line 5, in g\n    y\nKeyboardInterrupt\nlog\n";
        let chained = said(Traceback::of_process(), text);
        assert_eq!((chained.error.as_deref(), chained.message), (Some("KeyboardInterrupt"), None));
        let (first, _) = text.split_once("\n\n").unwrap();
        assert_eq!(said(Traceback::of_process(), first).message.as_deref(), Some("1"));
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

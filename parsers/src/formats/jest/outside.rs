//! What is printed where no test file speaks: why jest did not start, or why the run as a whole failed.
//!
//! jest says it in a word of its own, `● Validation Error:`; or node does, when jest or its configuration throws: the
//! error, and a stack in which jest's own packages stand.

use crate::startup::Startup;
use crate::text::lossy;
use crate::{Grammar, Kind, Line, Lines, Problem};

/// So much of a line is looked at.
const LONGEST: usize = 1000;

/// What was said outside the files.
#[derive(Default)]
pub(super) struct Outside {
    startup: Startup,
    /// The error whose stack may follow.
    error: Option<Error>,
    /// An error of jest itself.
    broken: Option<Problem>,
}

struct Error {
    class: Option<String>,
    message: String,
    line: u32,
}

impl Outside {
    /// Takes a line before the first file, or after the end.
    pub(super) fn line(&mut self, line: Line<'_>, grammar: &Grammar) {
        let text = line.text.get(..LONGEST).unwrap_or(line.text);
        match text.first() {
            None => return,
            Some(b' ') if is_stack_of_jest(text) => {
                if let Some(Error { class, message, line: first }) = self.error.take() {
                    let kind = whole_run(&message).unwrap_or(Kind::Startup);
                    self.broken.get_or_insert(Problem {
                        kind,
                        subject: None,
                        error: class,
                        message: Some(message),
                        lines: Lines::new(first, line.number),
                    });
                }
            }
            Some(b'A'..=b'Z') => {
                let text = lossy(text);
                if whole_run(&text).is_some() {
                    let message = text.strip_prefix("Error: ").unwrap_or(&text).to_owned();
                    self.error = Some(Error { class: None, message, line: line.number });
                } else if let Some((class, message)) = text.split_once(": ")
                    && class.split(' ').next().is_some_and(|class| class.ends_with("Error"))
                {
                    let class = Some(class.to_owned());
                    self.error = Some(Error { class, message: message.to_owned(), line: line.number });
                }
            }
            _ => {}
        }
        self.startup.line(line, grammar);
    }

    /// Why nothing was run.
    pub(super) fn problem(&mut self) -> Option<Problem> {
        let startup = self.startup.take();
        self.broken_run().or(startup)
    }

    /// What broke the run as a whole, beside its tests.
    pub(super) fn broken_run(&mut self) -> Option<Problem> {
        let told = self.error.take().and_then(|Error { class, message, line }| {
            let kind = whole_run(&message)?;
            Some(Problem {
                kind,
                subject: None,
                error: class,
                message: Some(message),
                lines: Lines::one(line),
            })
        });
        self.broken.take().or(told)
    }
}

/// `Jest: Got error running globalSetup - /w/setup.js, reason: …`
fn whole_run(text: &str) -> Option<Kind> {
    let text = text.strip_prefix("Error: ").unwrap_or(text);
    let text = text.strip_prefix("Jest: ").unwrap_or(text);
    let hook = text.strip_prefix("Got error running ")?;
    match hook.split(' ').next()? {
        "globalSetup" => Some(Kind::Setup),
        "globalTeardown" => Some(Kind::Teardown),
        _ => None,
    }
}

/// `    at readConfig (/w/node_modules/jest-config/build/index.js:1:2)`
fn is_stack_of_jest(text: &[u8]) -> bool {
    const PACKAGES: [&[u8]; 4] = [b"jest-config/", b"jest-cli/", b"@jest/core/", b"@jest/transform/"];
    let Some(call) = text.strip_prefix(b"    at ") else { return false };
    let Some(at) = memchr::memmem::rfind(call, b"node_modules/") else { return false };
    let package = call.get(at + b"node_modules/".len()..).unwrap_or_default();
    PACKAGES.iter().any(|name| package.starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;

    #[track_caller]
    fn check(text: &str, want: Option<(Kind, &str)>) {
        let jest = Format::find("jest").unwrap();
        let mut outside = Outside::default();
        for (line, number) in text.lines().zip(1..) {
            outside.line(Line { text: line.as_bytes(), number, ended: true }, jest.grammar());
        }
        let problem = outside.problem();
        let said = problem.as_ref().map(|problem| (problem.kind, problem.message.as_deref().unwrap_or("")));
        assert_eq!(said, want, "{text}");
    }

    #[test]
    fn an_error_of_jest_itself_has_jest_in_its_stack() {
        let stack = "    at readConfig (/w/node_modules/jest-config/build/index.js:1:2)";
        check(
            &format!("SyntaxError: Unexpected token ';'\n    at x (node:1:2)\n{stack}"),
            Some((Kind::Startup, "Unexpected token ';'")),
        );
        check("SyntaxError: Unexpected token ';'\n    at x (/w/a.js:1:2)", None);
        check(stack, None);
    }

    #[test]
    fn the_hooks_of_the_whole_run() {
        check(
            "Jest: Got error running globalSetup - /w/setup.js, reason: no",
            Some((Kind::Setup, "Jest: Got error running globalSetup - /w/setup.js, reason: no")),
        );
        check("says Got error running globalSetup - x", None);
    }

    #[test]
    fn words_of_jest_and_of_a_shell() {
        check("● Validation Error:", Some((Kind::Startup, "● Validation Error:")));
        check("sh: 1: jest: not found", Some((Kind::Startup, "sh: 1: jest: not found")));
        check("page not found", None);
    }
}

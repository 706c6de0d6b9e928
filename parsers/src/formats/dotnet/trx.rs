//! What a TRX file says in the words of the console, read by the same rules.

use super::block::{Block, Console, Owner};
use super::claims::Claims;
use super::host::{Exit, Host};
use super::{is_hook, kinds, platform, xunit_cleanup};
use crate::bounded::Bounded;
use crate::text::number;
use crate::{Cases, Failure, Format, Line, Lines, Problem, Status, Stream};

pub(crate) use super::settle::own_name;

/// Whether a result of this name is that of a hook.
pub(crate) fn is_hook_row(name: &str) -> bool {
    name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).is_some_and(is_hook)
}

/// Why a test did not pass, by its message and its stack trace.
///
/// `modern`: the tests run on .NET 8 or later.
pub(crate) fn failures(
    name: &str,
    message: Bounded,
    stack: &str,
    lines: Lines,
    more: &[String],
    modern: bool,
) -> Vec<Failure> {
    let Some(dotnet) = Format::find("dotnet") else { return Vec::new() };
    let mut block = Block::new(Owner::Hook(String::new()), Console::Vstest, lines.first);
    block.message = message;
    block.lines = lines;
    for line in stack.lines() {
        block.frames.line(line.as_bytes(), false);
    }
    kinds::failures(&block, name, dotnet, more, modern)
}

/// Whether a path leads through the folder of .NET 8 or later, as `bin/Debug/net10.0/` does.
pub(crate) fn is_modern_path(path: &str) -> bool {
    path.split(['/', '\\']).any(|part| super::shape::is_modern(format!(" ({part}").as_bytes()))
}

/// What is said outside of any test.
#[derive(Debug, Default)]
pub(crate) struct Hooked {
    host: Host,
    exits: Vec<Exit>,
}

impl Hooked {
    /// A hook that is listed among the tests failed.
    pub(crate) fn hook(&mut self, name: &str, message: Option<String>, lines: Lines) {
        let name = name.trim_start_matches('[').trim_end_matches(']');
        self.host.hook(Problem {
            kind: super::hook_kind(name),
            subject: Some(name.to_owned()),
            error: None,
            message,
            lines,
        });
    }

    /// Takes what the run said beside its results.
    pub(crate) fn said(&mut self, text: &str, number_of_line: u32) {
        for text in text.lines() {
            let line = Line { text: text.trim().as_bytes(), number: number_of_line, ended: true };
            if let Some(problem) = xunit_cleanup(line) {
                self.host.hook(problem);
            } else if let Some(code) =
                line.text.strip_prefix(b"Exit code indicates failure: '").and_then(number)
            {
                let lines = Lines::one(number_of_line);
                self.exits.push(Exit { module: String::new(), code: code.0, lines });
            } else {
                self.host.line(line, Stream::Merged, &Claims::default());
            }
        }
    }

    /// What broke.
    pub(crate) fn problems(mut self, cases: &Cases) -> Vec<Problem> {
        self.host.forget_hooks_of(cases);
        let failed = cases.count(Status::Failed) > 0;
        let mut problems = self.host.problems(false, true, true, true);
        if problems.is_empty() {
            problems.extend(self.exits.iter().filter_map(|exit| platform::problem(exit, failed)));
        }
        problems
    }
}

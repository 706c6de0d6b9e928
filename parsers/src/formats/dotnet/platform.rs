//! The console of Microsoft.Testing.Platform: `failed name (12ms)` at the start of a line, by `dotnet test` with the
//! module below it, and at the end a block of numbers.

use super::block::{Block, Console, Part};
use super::claims::Who;
use super::{Dotnet, shape, words};
use crate::text::lossy;
use crate::{Kind, Line, Lines, Problem};

/// How far the platform's console has come.
#[derive(Debug, Default)]
pub(super) struct Platform {
    /// A row whose module is not named yet: what stands between is the test's own text.
    awaits: bool,
    /// Modules that run.
    open: u64,
    /// The module that ended on the line before.
    ended: Option<(String, u32)>,
    /// A module's captured output goes on.
    captured: bool,
    summary: Summary,
}

/// `  total: 4` and what follows.
#[derive(Debug, Default)]
struct Summary {
    counts: Vec<u64>,
    /// The program, where one was started by itself.
    of: String,
    line: u32,
}

impl Dotnet {
    /// Takes a line while a row's module is awaited.
    pub(super) fn platform_awaits(&mut self, line: Line<'_>) -> bool {
        if !self.platform.awaits {
            return false;
        }
        if shape::names_module(line.text) {
            self.platform.awaits = false;
            if let Some(block) = &mut self.block {
                block.lines.last = line.number;
                block.part = Part::Message;
            }
            return true;
        }
        if line.text.ends_with(b")") && (shape::module_ends(line.text).is_some() || shape::module_begins(line.text).is_some())
        {
            self.platform.awaits = false;
            return false;
        }
        if let Some(block) = &mut self.block {
            // Why it was skipped; a failed test says it again below.
            block.say(line.text.strip_prefix(b"  ").unwrap_or(line.text), line.number);
        }
        true
    }

    /// Takes a line that begins with no blank.
    pub(super) fn platform_line(&mut self, line: Line<'_>) -> bool {
        let text = line.text;
        if text.ends_with(b")") {
            if let Some(_module) = shape::module_begins(text) {
                self.end_block();
                self.claims.module_begins();
                self.platform.open = self.claims.modules[0].saturating_sub(self.claims.modules[1]);
                self.platform.captured = false;
                return true;
            }
            if let Some(end) = shape::module_ends(text) {
                self.end_block();
                self.claims.module_ends();
                self.platform.open = self.claims.modules[0].saturating_sub(self.claims.modules[1]);
                let name = lossy(end.module).into_owned();
                if end.how == b"Zero tests ran" && self.claims.modules[0] == 0 {
                    self.claims.modules = [1, 1];
                }
                self.platform.ended = Some((name, line.number));
                return true;
            }
        }
        if let Some((module, number)) = self.platform.ended.take() {
            if number + 1 == line.number
                && let Some((_, code)) = shape::count(text)
            {
                self.exits.push(super::host::Exit { module, code, lines: Lines::new(number, line.number) });
                self.platform.captured = true;
                return true;
            }
        }
        self.platform_row(line)
    }

    fn platform_row(&mut self, line: Line<'_>) -> bool {
        let Some((status, rest)) = words::platform(line.text) else { return false };
        let (name, seconds) = shape::timed(rest, *b"()");
        let by_test = self.claims.modules[0] > 0;
        if by_test && self.platform.open == 0 || !by_test && seconds.is_none() || !line.ended || name.is_empty() {
            return false;
        }
        self.end_block();
        let owner = self.row(&lossy(name), status, seconds, line.number);
        let mut block = Block::new(owner, Console::Platform, line.number);
        self.platform.awaits = by_test;
        if !by_test {
            block.part = Part::Message;
        }
        block.message.clear();
        self.block = Some(block);
        true
    }

    /// Takes a line with two blanks or more, or none, below a row. `false`: the block ends before it.
    pub(super) fn platform_below(&mut self, line: Line<'_>) -> bool {
        let Some(block) = &mut self.block else { return false };
        if line.text.is_empty() {
            if block.part == Part::Message {
                block.message.line(b"");
            }
            return true;
        }
        let Some(text) = line.text.strip_prefix(b"  ") else { return false };
        if words::heads_output(text) {
            block.part = Part::Output;
            return true;
        }
        match block.part {
            Part::Output => {}
            Part::Head | Part::Message | Part::Stack => {
                let is_frame = text.starts_with(b"  ") && !block.message.is_empty() && block.frame(text, line.number, true);
                if is_frame {
                    block.part = Part::Stack;
                } else if block.part == Part::Message {
                    block.say(text, line.number);
                }
            }
        }
        true
    }

    /// Takes a line of the last block of numbers, or of what may become one.
    pub(super) fn platform_summary(&mut self, line: Line<'_>, text: &[u8]) -> bool {
        let summary = &mut self.platform.summary;
        if summary.counts.is_empty() {
            summary.line = line.number;
        }
        if let Some((_, count)) = shape::count(text) {
            summary.counts.push(count);
            return true;
        }
        let lasted = shape::labelled(text).and_then(|(_, value)| shape::duration(value));
        let counts = std::mem::take(&mut summary.counts);
        if lasted.is_none() {
            return false;
        }
        let &[.., total, failed, passed, skipped] = counts.as_slice() else { return false };
        if failed.checked_add(passed).and_then(|sum| sum.checked_add(skipped)) != Some(total) {
            return false;
        }
        let of = std::mem::take(&mut summary.of);
        let first = summary.line;
        self.end_block();
        self.platform.captured = false;
        self.claims.add(Who::Platform(of), [Some(failed), Some(passed), Some(skipped)], None, first);
        true
    }

    /// Anything but a number or a blank line comes between.
    pub(super) fn platform_summary_breaks(&mut self, line: Line<'_>) {
        self.platform.summary.counts.clear();
        // `Test run summary: Failed! - /w/X.dll (net10.0|x64)`
        let text = line.text;
        if text.ends_with(b")")
            && memchr::memmem::find(text, b"! - ").is_some()
            && let Some(at) = memchr::memrchr2(b'/', b'\\', text)
        {
            self.platform.summary.of = lossy(text.get(at + 1..).unwrap_or_default()).into_owned();
        }
    }
}

/// What a module's exit code tells, where nothing else does.
pub(super) fn problem(exit: &super::host::Exit, failed_tests: bool) -> Option<Problem> {
    let (kind, message) = match exit.code {
        0 | 2 | 13 => return None,
        3 => (Kind::Unknown, "the run was aborted"),
        4 | 5 => (Kind::Startup, "the platform was started with options that it refused"),
        8 => (Kind::Collection, "zero tests ran"),
        9 => (Kind::Collection, "fewer tests ran than were expected"),
        128.. => (Kind::Crash, "the test host died"),
        10 if failed_tests => return None,
        _ => (Kind::Unknown, "the test host failed"),
    };
    Some(Problem {
        kind,
        subject: Some(exit.module.clone()),
        error: None,
        message: Some(format!("{message} (exit code {})", exit.code)),
        lines: exit.lines,
    })
}

//! The console of Microsoft.Testing.Platform: `failed name (12ms)` at the start of a line, by `dotnet test` with the
//! module below it, and at the end a block of numbers.

use super::block::{Block, Console, Part};
use super::claims::Who;
use super::{Dotnet, shape, words};
use crate::bounded::Bounded;
use crate::text::{lossy, number};
use crate::{Kind, Line, Lines, Problem, Status};

/// How far the platform's console has come.
#[derive(Debug, Default)]
pub(super) struct Platform {
    /// A row whose module is not named yet: what stands between is the test's own text.
    awaits: Option<Awaits>,
    /// Modules that run.
    open: u64,
    /// The module that ended on the line before.
    ended: Option<(String, u32)>,
    /// With what `dotnet test` ended, and where it says so.
    pub(super) exit: Option<(u64, u32)>,
    summary: Summary,
}

/// A row whose module is not named yet.
#[derive(Debug)]
struct Awaits {
    status: Status,
    name: Vec<u8>,
    seconds: Option<f32>,
    number: u32,
    /// Lines in which the name may go on.
    early: Vec<Vec<u8>>,
    reason: Bounded,
}

/// So many numbers stand above the duration.
const MOST_COUNTS: usize = 8;

/// So many lines may hold one name.
const MOST_LINES: usize = 20;

/// `  total: 4` and what follows.
#[derive(Debug, Default)]
struct Summary {
    counts: Vec<u64>,
    /// The program, where one was started by itself.
    of: String,
    line: u32,
}

impl Platform {
    /// Whether a row's module is not named yet.
    pub(super) fn awaits(&self) -> bool {
        self.awaits.is_some()
    }
}

impl Dotnet {
    /// Takes a line while a row's module is awaited.
    pub(super) fn platform_awaits(&mut self, line: Line<'_>) -> bool {
        let Some(mut row) = self.platform.awaits.take() else { return false };
        let text = line.text;
        if shape::names_module(text) {
            self.platform_named(row, line.number);
            return true;
        }
        let of_module = shape::module_ends(text).is_some() || shape::module_begins(text).is_some();
        if text.ends_with(b")") && of_module {
            let number = row.number;
            self.platform_named(row, number);
            return false;
        }
        if row.early.len() < MOST_LINES {
            row.early.push(text.to_vec());
        }
        // Why it was skipped; a failed test says it again below.
        row.reason.line(text.strip_prefix(b"  ").unwrap_or(text));
        self.platform.awaits = Some(row);
        true
    }

    fn platform_named(&mut self, mut row: Awaits, number: u32) {
        if row.seconds.is_none() && row.status != Status::Skipped {
            let timed = |text: &Vec<u8>| shape::timed(text, *b"()").1;
            if let Some(at) = row.early.iter().position(|text| timed(text).is_some()) {
                row.seconds = row.early.get(at).and_then(timed);
                for (place, text) in row.early.iter().enumerate().take(at + 1) {
                    row.name.push(b'\n');
                    let text = if place == at { shape::timed(text, *b"()").0 } else { text };
                    row.name.extend_from_slice(text);
                }
            }
        }
        let owner = self.row(&lossy(&row.name), row.status, row.seconds, row.number);
        let mut block = Block::new(owner, Console::Platform, row.number);
        block.part = Part::Message;
        block.lines.last = number;
        if row.status == Status::Skipped {
            block.message = row.reason;
        }
        self.block = Some(block);
    }

    /// No further line comes.
    pub(super) fn platform_ends(&mut self) {
        if let Some(row) = self.platform.awaits.take() {
            let number = row.number;
            self.platform_named(row, number);
        }
    }

    /// Takes a line that begins with no blank.
    pub(super) fn platform_line(&mut self, line: Line<'_>) -> bool {
        let text = line.text;
        if text.ends_with(b")") || text.ends_with(b" Zero tests ran") {
            if let Some(_module) = shape::module_begins(text) {
                self.end_block();
                self.modern |= shape::is_modern(text);
                self.claims.speaks(line.number);
                self.claims.module_begins();
                self.platform.open = self.claims.modules[0].saturating_sub(self.claims.modules[1]);
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
        if let Some((module, number)) = self.platform.ended.take()
            && number + 1 == line.number
            && let Some((_, code)) = shape::count(text)
        {
            self.exits.push(super::host::Exit { module, code, lines: Lines::new(number, line.number) });
            return true;
        }
        self.platform_row(line)
    }

    fn platform_row(&mut self, line: Line<'_>) -> bool {
        let Some((status, rest)) = words::platform(line.text) else { return false };
        let rest = rest.strip_prefix(b"(canceled) ").unwrap_or(rest);
        let (name, seconds) = shape::timed(rest, *b"()");
        let by_test = self.claims.modules[0] > 0;
        if by_test && self.platform.open == 0
            || !by_test && seconds.is_none()
            || !line.ended
            || name.is_empty()
        {
            return false;
        }
        self.end_block();
        let (name, number) = (name.to_vec(), line.number);
        let row = Awaits { status, name, seconds, number, early: Vec::new(), reason: Bounded::default() };
        if by_test {
            self.platform.awaits = Some(row);
        } else {
            self.platform_named(row, number);
        }
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
                let is_frame = text.starts_with(b"  ")
                    && !block.message.is_empty()
                    && block.frame(text, line.number, true);
                if is_frame {
                    block.part = Part::Stack;
                } else if block.part == Part::Message {
                    block.say(text, line.number);
                }
            }
        }
        true
    }

    /// Counts a line of what may become the last block of numbers. `true`: it was the block's last.
    pub(super) fn platform_summary(&mut self, line: Line<'_>, text: &[u8]) -> bool {
        let summary = &mut self.platform.summary;
        if summary.counts.is_empty() {
            // Most lines are rows of tests, and the block begins with a number.
            if !text.trim_ascii_end().last().is_some_and(u8::is_ascii_digit) {
                return false;
            }
            summary.line = line.number;
        }
        if let Some((_, count)) = shape::count(text) {
            // A retry and an error may stand above the four.
            if summary.counts.len() >= MOST_COUNTS {
                summary.counts.remove(0);
            }
            summary.counts.push(count);
            return false;
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
        self.claims.add(Who::Platform(of), [Some(failed), Some(passed), Some(skipped)], None, first);
        true
    }

    /// Takes the last line: `… exit code: 9 (see: https://aka.ms/testingplatform/exitcodes)`.
    pub(super) fn platform_exits(&mut self, line: Line<'_>) -> bool {
        const END: &[u8] = b": https://aka.ms/testingplatform/exitcodes)";
        if !line.text.ends_with(END) {
            return false;
        }
        let at = line.text.len() - END.len();
        let before = line.text.get(..at).unwrap_or_default();
        let open = memchr::memrchr(b'(', before).unwrap_or(before.len());
        let before = before.get(..open).unwrap_or_default();
        let code =
            memchr::memrchr(b':', before).and_then(|at| number(before.get(at + 1..)?.trim_ascii_start()));
        if let Some((code, _)) = code {
            self.platform.exit = Some((code, line.number));
        }
        true
    }

    /// Anything but a number or a blank line comes between.
    pub(super) fn platform_summary_breaks(&mut self) {
        self.platform.summary.counts.clear();
    }

    /// Takes the program's name from `Test run summary: Failed! - /w/X.dll (net10.0|x64)`.
    pub(super) fn platform_names(&mut self, line: Line<'_>) {
        let text = line.text;
        if memchr::memmem::find(text, b"! - ").is_some()
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
        subject: Some(exit.module.clone()).filter(|module| !module.is_empty()),
        error: None,
        message: Some(format!("{message} (exit code {})", exit.code)),
        lines: exit.lines,
    })
}

//! VSTest's console: `  Failed name [12 ms]`, and below it what is known of the failure.

use super::block::{Block, Console, Owner, Part};
use super::claims::Who;
use super::words::{self, Banner};
use super::{Dotnet, shape};
use crate::text::{lossy, number};
use crate::{Line, Status, Stream};

/// A row without a duration: its name may go on in the next line.
#[derive(Debug)]
pub(super) struct Unnamed {
    status: Status,
    name: Vec<u8>,
    number: u32,
    lines: Vec<(Vec<u8>, u32)>,
}

/// So many lines may hold one name.
const MOST_LINES: usize = 20;

/// The numbers below `Total tests:`.
#[derive(Debug, Default)]
pub(super) struct Totals {
    total: u64,
    passed: Option<u64>,
    failed: Option<u64>,
    skipped: Option<u64>,
    line: u32,
}

impl Dotnet {
    /// Takes a line that begins with two blanks and no third.
    pub(super) fn vstest_indented(&mut self, line: Line<'_>, text: &[u8]) -> bool {
        if let Some((status, rest)) = words::vstest(text) {
            self.vstest_row(line, status, rest);
            return true;
        }
        if text.ends_with(b":")
            && let Some(banner) = words::banner(text)
        {
            return self.vstest_banner(line, banner);
        }
        false
    }

    fn vstest_row(&mut self, line: Line<'_>, status: Status, rest: &[u8]) {
        // Half a line may be half a name.
        if !line.ended {
            return;
        }
        match shape::timed(rest, *b"[]") {
            (name, Some(seconds)) => self.vstest_named(status, name, Some(seconds), line.number),
            (name, None) => {
                let name = name.to_vec();
                self.unnamed = Some(Unnamed { status, name, number: line.number, lines: Vec::new() });
            }
        }
    }

    /// Takes a line below a row whose name may go on in it.
    pub(super) fn vstest_goes_on(&mut self, line: Line<'_>) -> bool {
        let Some(mut row) = self.unnamed.take() else { return false };
        let text = line.text;
        let indented = text.strip_prefix(b"  ").filter(|rest| !rest.starts_with(b" "));
        let heads = indented.is_some_and(|rest| words::banner(rest).is_some());
        let is_row = indented.is_some_and(|rest| words::vstest(rest).is_some());
        if !heads && !is_row && row.lines.len() < MOST_LINES && self.claims.has_begun() {
            if let (end, Some(seconds)) = shape::timed(text, *b"[]") {
                let mut name = row.name;
                for part in row.lines.iter().map(|(part, _)| part.as_slice()).chain([end]) {
                    name.push(b'\n');
                    name.extend_from_slice(part);
                }
                self.vstest_named(row.status, &name, Some(seconds), row.number);
                return true;
            }
            if !text.is_empty() {
                row.lines.push((text.to_vec(), line.number));
                self.unnamed = Some(row);
                return true;
            }
        }
        self.vstest_is_whole(row, heads);
        false
    }

    /// The name did not go on: it is a row without a duration, or none.
    fn vstest_is_whole(&mut self, row: Unnamed, heads: bool) {
        if heads || self.claims.has_begun() && row.lines.is_empty() {
            self.vstest_named(row.status, &row.name, None, row.number);
        }
        for (text, number) in row.lines {
            self.dispatch(Line { text: &text, number, ended: true }, Stream::Merged);
        }
    }

    /// No further line comes.
    pub(super) fn vstest_ends(&mut self) {
        if let Some(row) = self.unnamed.take() {
            self.vstest_is_whole(row, false);
        }
    }

    fn vstest_named(&mut self, status: Status, name: &[u8], seconds: Option<f32>, number: u32) {
        let name = lossy(name.trim_ascii_end());
        if self.block.is_none() && status == Status::Passed {
            // Nothing is told above it, and nothing below.
            self.row(&name, status, seconds, number);
            return;
        }
        let within = match self.block.take() {
            // It may be part of the message, and it may be the next test, if this one has no stack trace.
            Some(block) if block.console == Console::Vstest && block.part == Part::Message => {
                Some(Box::new(block))
            }
            Some(mut block) => {
                let within = block.within.take();
                self.close(block);
                within
            }
            None => None,
        };
        let owner = self.row(&name, status, seconds, number);
        if let Some(within) = &within {
            self.doubtful.extend(match owner {
                Owner::Case(key) if within.console == Console::Vstest => Some(key),
                _ => None,
            });
        }
        // Nothing is told below a test that passed, unless it stands in a message.
        if status == Status::Passed && within.is_none() {
            return;
        }
        let mut block = Block::new(owner, Console::Vstest, number);
        if status != Status::Failed {
            // Nothing is told of it; the message above it may still go on.
            block.part = Part::Output;
        }
        block.within = within;
        self.block = Some(block);
    }

    fn vstest_banner(&mut self, line: Line<'_>, banner: Banner) -> bool {
        let Some(mut block) = self.block.take() else { return false };
        if block.console != Console::Vstest {
            self.block = Some(block);
            return false;
        }
        let is_open = block.part == Part::Head;
        match banner {
            Banner::Message if is_open => {
                // It has a message of its own, so it is a test of its own.
                if let Some(within) = block.within.take() {
                    if let Owner::Case(key) = block.owner {
                        self.doubtful.retain(|other| *other != key);
                        self.suspect.push(key);
                    }
                    self.close(*within);
                }
                block.part = Part::Message;
            }
            Banner::Stack if matches!(block.part, Part::Head | Part::Message) && block.within.is_none() => {
                block.part = Part::Stack;
            }
            Banner::Stack => {
                if let Some(mut within) = block.within.take() {
                    // The rows were part of the message.
                    self.close(block);
                    within.part = Part::Stack;
                    within.lines.last = line.number;
                    self.block = Some(*within);
                    return true;
                }
            }
            Banner::Output => {
                if let Some(within) = block.within.take() {
                    self.close(*within);
                }
                block.part = Part::Output;
            }
            Banner::Message => {}
        }
        block.lines.last = line.number;
        self.block = Some(block);
        true
    }

    /// Takes any other line below a row.
    pub(super) fn vstest_below(&mut self, line: Line<'_>) {
        let Some(block) = &mut self.block else { return };
        match block.part {
            Part::Message => {
                let text =
                    line.text.strip_prefix(b"   ").filter(|_| block.message.is_empty()).unwrap_or(line.text);
                block.say(text, line.number);
            }
            Part::Stack => {
                block.frame(line.text, line.number, false);
            }
            Part::Head | Part::Output => {
                if let Some(within) = &mut block.within {
                    within.message.line(line.text);
                }
            }
        }
    }

    /// Takes `A total of 2 test files matched the specified pattern.`
    pub(super) fn vstest_matched(&mut self, text: &[u8]) -> bool {
        let count = text.strip_prefix(b"A total of ").and_then(number);
        let Some((count, b" test files matched the specified pattern.")) = count else { return false };
        self.claims.files_matched(count);
        true
    }

    /// Takes the verdict above the numbers, which stands apart.
    pub(super) fn vstest_verdict(&mut self, line: Line<'_>) -> bool {
        let is_it =
            self.gap + 1 == line.number && matches!(line.text, b"Test Run Failed." | b"Test Run Successful.");
        if is_it {
            self.end_block();
        }
        is_it
    }

    /// Takes `Results File: /w/TestResults/x.trx`, which follows the rows.
    pub(super) fn vstest_wrote(&mut self, text: &[u8]) -> bool {
        let is_it = text.starts_with(b"Results File: ") && text.ends_with(b".trx");
        if is_it {
            self.end_block();
        }
        is_it
    }

    /// Takes a line that begins with none or several blanks, and belongs to the end of a run.
    pub(super) fn vstest_sums_up(&mut self, line: Line<'_>) -> bool {
        let text = line.text;
        if let Some(count) = text.strip_prefix(b"Total tests: ").and_then(number) {
            self.totals = Some(Totals { total: count.0, line: line.number, ..Totals::default() });
            return true;
        }
        let Some(totals) = &mut self.totals else { return false };
        let Some((label, value)) = shape::labelled(text) else { return false };
        let count = number(value).filter(|(_, rest)| rest.is_empty()).map(|(count, _)| count);
        let place = match label.trim_ascii() {
            b"Passed" => &mut totals.passed,
            b"Failed" => &mut totals.failed,
            b"Skipped" => &mut totals.skipped,
            b"Total time" => {
                self.vstest_block_ends();
                return true;
            }
            _ => return false,
        };
        *place = count;
        count.is_some()
    }

    fn vstest_block_ends(&mut self) {
        let Some(totals) = self.totals.take() else { return };
        let sum =
            [totals.passed, totals.failed, totals.skipped].into_iter().flatten().fold(0, u64::saturating_add);
        if sum > totals.total {
            return;
        }
        self.end_block();
        let counts = [totals.failed, totals.passed, totals.skipped];
        self.claims.add(Who::Block, counts, None, totals.line);
    }
}

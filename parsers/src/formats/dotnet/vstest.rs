//! VSTest's console: `  Failed name [12 ms]`, and below it what is known of the failure.

use super::block::{Block, Console, Owner, Part};
use super::claims::Who;
use super::words::{self, Banner};
use super::{Dotnet, shape};
use crate::text::{lossy, number};
use crate::{Line, Status};

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
        if text.ends_with(b":") && let Some(banner) = words::banner(text) {
            return self.vstest_banner(line, banner);
        }
        false
    }

    fn vstest_row(&mut self, line: Line<'_>, status: Status, rest: &[u8]) {
        // Half a line may be half a name.
        if !line.ended {
            return;
        }
        let (name, seconds) = shape::timed(rest, *b"[]");
        let name = lossy(name.trim_ascii_end());
        let within = match self.block.take() {
            // It may be part of the message, and it may be the next test, if this one has no stack trace.
            Some(block) if block.console == Console::Vstest && block.part == Part::Message => Some(Box::new(block)),
            Some(mut block) => {
                let within = block.within.take();
                self.close(block);
                within
            }
            None => None,
        };
        let owner = self.row(&name, status, seconds, line.number);
        if let Some(within) = &within {
            self.doubtful.extend(match owner {
                Owner::Case(key) if within.console == Console::Vstest => Some(key),
                _ => None,
            });
        }
        let mut block = Block::new(owner, Console::Vstest, line.number);
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
                let text = line.text.strip_prefix(b"   ").filter(|_| block.message.is_empty()).unwrap_or(line.text);
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
        let sum = [totals.passed, totals.failed, totals.skipped].into_iter().flatten().fold(0, u64::saturating_add);
        if sum > totals.total {
            return;
        }
        self.end_block();
        let counts = [totals.failed, totals.passed, totals.skipped];
        self.claims.add(Who::Block, counts, None, totals.line);
    }
}

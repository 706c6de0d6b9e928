//! xunit's own console: `    name [FAIL]`, below it what is known of it, and at the end a line an assembly.

use memchr::memmem;

use super::block::{Block, Console, Part};
use super::claims::Who;
use super::{Dotnet, shape};
use crate::text::{lossy, number};
use crate::{Line, Status};

/// How far xunit's own console has come.
#[derive(Debug, Default)]
pub(super) struct Own {
    /// It named itself.
    pub(super) speaks: bool,
    /// The heading of the last lines was there.
    sums_up: bool,
}

/// `name [FAIL]`, as xunit writes it on its own console and through VSTest.
pub(super) fn marked(text: &[u8]) -> Option<(&[u8], Status)> {
    let (name, mark) = text.split_at(memmem::rfind(text, b" [")?);
    let status = match mark {
        b" [FAIL]" => Status::Failed,
        b" [SKIP]" | b" [NOT RUN]" => Status::Skipped,
        b" [PASS]" => Status::Passed,
        _ if mark.starts_with(b" [FINISHED] Time: ") => Status::Passed,
        _ => return None,
    };
    Some((name, status))
}

impl Dotnet {
    /// Takes a line that begins with no blank.
    pub(super) fn own_line(&mut self, line: Line<'_>) -> bool {
        if line.text.starts_with(b"xUnit.net ") && memmem::find(line.text, b" Runner ").is_some() {
            self.own.speaks = true;
            // `v3 In-Process Runner v4.0.2`, and before that `v2.4.1 Console Runner`.
            self.version = memmem::rfind(line.text, b" v")
                .and_then(|at| line.text.get(at + 2..))
                .and_then(|rest| rest.split(|byte| *byte == b' ' || *byte == b'+').next())
                .map(|version| lossy(version).into_owned());
            return true;
        }
        if self.own.speaks && line.text == b"=== TEST EXECUTION SUMMARY ===" {
            self.end_block();
            self.own.sums_up = true;
            return true;
        }
        false
    }

    /// Takes a line of the last ones: `   X.Tests  Total: 7, Errors: 0, Failed: 3, Skipped: 1, Not Run: 0, Time: 1.634s`
    pub(super) fn own_sums_up(&mut self, line: Line<'_>) -> bool {
        if !self.own.sums_up {
            return false;
        }
        let Some(at) = memmem::rfind(line.text, b"Total: ") else { return false };
        let module = lossy(line.text.get(..at).unwrap_or_default().trim_ascii()).into_owned();
        if module == "GRAND TOTAL:" {
            return true;
        }
        let counts = line.text.get(at..).unwrap_or_default();
        let of = |label: &str| {
            let at = memmem::find(counts, label.as_bytes())?;
            number(counts.get(at + label.len()..)?).map(|(count, _)| count)
        };
        let Some(total) = of("Total: ") else { return false };
        let (failed, skipped) = (of("Failed: "), of("Skipped: "));
        // Without any test it says no more.
        let passed = (total == 0).then_some(0);
        self.claims.add(
            Who::Own(module),
            [failed.or(passed), passed, skipped.or(passed)],
            of("Errors: "),
            line.number,
        );
        let others = [failed, skipped, of("Not Run: ")].into_iter().flatten().fold(0, u64::saturating_add);
        if total > others && self.finished.is_empty() {
            self.claims.hides();
        }
        true
    }

    /// Takes a line that begins with four blanks and no fifth.
    pub(super) fn own_row(&mut self, line: Line<'_>, text: &[u8]) -> bool {
        if !self.own.speaks || self.own.sums_up {
            return false;
        }
        let Some((name, status)) = marked(text) else { return false };
        let name = lossy(name);
        if memmem::find(text, b" [FINISHED] Time: ").is_some() {
            let seconds = memmem::rfind(text, b"Time: ").and_then(|at| shape::duration(text.get(at + 6..)?));
            // It says nothing of what became of the test; those that did not pass were told before.
            match self.cases.find(&name) {
                Some(key) if !self.finished.contains(&key) => {
                    self.finished.insert(key);
                    if let Some(seconds) = seconds {
                        self.cases.set_duration(key, seconds);
                    }
                }
                _ => {
                    self.end_block();
                    if let super::block::Owner::Case(key) =
                        self.row(&name, Status::Passed, seconds, line.number)
                    {
                        self.finished.insert(key);
                    }
                }
            }
            return true;
        }
        self.end_block();
        let owner = self.row(&name, status, None, line.number);
        let mut block = Block::new(owner, Console::Own, line.number);
        block.part = Part::Message;
        self.block = Some(block);
        true
    }

    /// Takes a line below a row. `false`: the block ends before it.
    pub(super) fn own_below(&mut self, line: Line<'_>) -> bool {
        let Some(block) = &mut self.block else { return false };
        let Some(text) = line.text.strip_prefix(b"      ") else { return line.text.is_empty() };
        match text {
            b"Stack Trace:" => block.part = Part::Stack,
            b"Output:" | b"Warnings:" => block.part = Part::Output,
            _ => match block.part {
                Part::Stack => _ = block.frame(text, line.number, false),
                Part::Message | Part::Head => block.say(text, line.number),
                Part::Output => {}
            },
        }
        true
    }
}

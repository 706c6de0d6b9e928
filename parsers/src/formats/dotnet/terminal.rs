//! MSBuild's terminal logger: each failed test is an error of the build.
//!
//! ```text
//!     /w/CTests.cs(7): error TESTERROR:
//!       N.CTests.Adds (12ms): Error Message: Assert.Equal() Failure
//!       Stack Trace:
//!          at N.CTests.Adds() in /w/CTests.cs:line 7
//!
//! Test summary: total: 1, failed: 1, succeeded: 0, skipped: 0, duration: 7.0s
//! ```
//!
//! On a terminal each line is cut where the terminal ends, and goes on in the next with the same indentation.

use memchr::memmem;

use super::block::{Block, Console, Part};
use super::claims::Who;
use super::words::{self, Banner};
use super::{Dotnet, shape};
use crate::text::lossy;
use crate::{Line, Lines, Status};

/// A name that may go on in the next line.
#[derive(Debug, Default)]
pub(super) struct Folded {
    text: Vec<u8>,
    first: u32,
    /// How long the line before was.
    width: usize,
}

/// No terminal is narrower.
const NARROWEST: usize = 80;

/// The width of a line in characters.
fn width(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

/// So many lines may hold one name.
const MOST_LINES: u32 = 40;

impl Dotnet {
    /// Takes `…: error TESTERROR:`.
    pub(super) fn terminal_error(&mut self, line: Line<'_>, code: &[u8]) -> bool {
        if code != b"TESTERROR" {
            return false;
        }
        self.end_block();
        self.folded = Some(Folded { text: Vec::new(), first: line.number, width: 0 });
        true
    }

    /// Takes a line below an error whose test is not named yet.
    pub(super) fn terminal_names(&mut self, line: Line<'_>) -> bool {
        let Some(folded) = &mut self.folded else { return false };
        let Some(text) = line.text.strip_prefix(b"      ") else {
            self.folded = None;
            return false;
        };
        // A short line was ended by the name itself.
        if folded.width > 0 && folded.width < NARROWEST {
            folded.text.push(b'\n');
        }
        folded.text.extend_from_slice(text);
        folded.width = width(line.text);
        self.widest = self.widest.max(folded.width);
        let first = folded.first;
        if let Some((name, seconds, message)) = named(&folded.text) {
            let (name, message) = (lossy(name).into_owned(), message.to_vec());
            self.folded = None;
            let owner = self.row(&name, Status::Failed, seconds, first);
            let mut block = Block::new(owner, Console::Terminal, first);
            block.part = Part::Message;
            block.lines = Lines::new(first, line.number);
            block.say(&message, line.number);
            self.unfinished = Some((message, width(line.text)));
            self.block = Some(block);
        } else if line.number - first > MOST_LINES {
            self.folded = None;
        }
        true
    }

    /// Takes a line below a named error. `false`: the block ends before it.
    pub(super) fn terminal_below(&mut self, line: Line<'_>) -> bool {
        let unfinished = self.unfinished.take();
        let Some(block) = &mut self.block else { return false };
        if line.text.is_empty() {
            if block.part == Part::Message {
                block.message.line(b"");
            }
            return true;
        }
        let Some(text) = line.text.strip_prefix(b"      ") else { return false };
        // The first line of a message tells what it is: it is put together again.
        if let Some((mut first, before)) = unfinished
            && before >= NARROWEST
            && before >= self.widest
            && words::banner(text).is_none()
        {
            first.extend_from_slice(text);
            block.message.clear();
            block.say(&first, line.number);
            self.widest = self.widest.max(width(line.text));
            self.unfinished = Some((first, width(line.text)));
            return true;
        }
        match words::banner(text) {
            Some(Banner::Stack) => block.part = Part::Stack,
            Some(Banner::Output) => block.part = Part::Output,
            _ => match block.part {
                Part::Stack => _ = block.frame(text, line.number, false),
                Part::Message | Part::Head => block.say(text, line.number),
                Part::Output => {}
            },
        }
        true
    }

    /// Takes a line that begins with no blank.
    pub(super) fn terminal_line(&mut self, line: Line<'_>) -> bool {
        if line.text.ends_with(b"s")
            && let Some([failed, passed, skipped]) = shape::terminal_summary(line.text)
        {
            self.end_block();
            self.claims.add(Who::Terminal, [Some(failed), Some(passed), Some(skipped)], None, line.number);
            return true;
        }
        let ends =
            [&b"Build succeeded"[..], b"Build failed with "].iter().any(|start| line.text.starts_with(start));
        if ends {
            self.end_block();
            self.claims.build_ends();
        }
        ends
    }
}

/// `N.C.M (12ms): Error Message: text`: the name, the time, the message.
pub(super) fn named(text: &[u8]) -> Option<(&[u8], Option<f32>, &[u8])> {
    let mut from = 0;
    while let Some(at) = memmem::find(text.get(from..)?, b"): ").map(|at| at + from) {
        let (name, seconds) = shape::timed(text.get(..=at)?, *b"()");
        if seconds.is_some() {
            let rest = text.get(at + 3..)?;
            let colon = memmem::find(rest, b": ").map(|at| at + 1);
            let message = colon
                .filter(|at| rest.get(..*at).and_then(words::banner) == Some(Banner::Message))
                .and_then(|at| rest.get(at + 1..));
            return Some((name, seconds, message.unwrap_or(rest)));
        }
        from = at + 3;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_its_test() {
        let read = |text: &'static str| {
            named(text.as_bytes()).map(|(name, _, message)| (lossy(name), lossy(message)))
        };
        assert_eq!(
            read("N.C.M(x: \"(1ms): \") (12ms): Error Message: Assert.True() Failure"),
            Some(("N.C.M(x: \"(1ms): \")".into(), "Assert.True() Failure".into()))
        );
        assert_eq!(read("N.C.M (< 1ms): text"), Some(("N.C.M".into(), "text".into())));
        assert_eq!(read("N.C.M(x: 1)"), None);
    }
}

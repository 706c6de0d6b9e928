//! Lines of a transcript by their numbers, for showing.

use std::io;
use std::ops::{ControlFlow, RangeInclusive};

use redgreen_parsers::Stream;

use super::Transcript;

/// A quoted line is no longer than this.
const LONGEST: usize = 64 << 10;

/// A line as it was printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote {
    /// 1-based, as in a report.
    pub number: u32,
    /// Where it came from.
    pub stream: Stream,
    /// Its bytes without the line's end; escape sequences and carriage returns are still there, so escape it before it
    /// is shown.
    pub text: Vec<u8>,
    /// Whether it is longer than the 64 KiB that are here.
    pub cut: bool,
}

impl Transcript {
    /// One line.
    ///
    /// # Errors
    /// When the file behind it can't be read.
    pub fn line(&self, number: u32) -> io::Result<Option<Quote>> {
        Ok(self.lines(&[number..=number])?.pop())
    }

    /// The lines of these ranges in order, each once; one pass serves all ranges. Lines that don't exist are left out.
    ///
    /// # Errors
    /// When the file behind it can't be read.
    pub fn lines(&self, ranges: &[RangeInclusive<u32>]) -> io::Result<Vec<Quote>> {
        let mut ranges: Vec<_> = ranges.iter().filter(|range| !range.is_empty()).cloned().collect();
        ranges.sort_unstable_by_key(|range| *range.start());
        let mut quotes: Vec<Quote> = Vec::new();
        let mut wanted = ranges.iter().peekable();
        let mut number = 1_u32;
        let mut begun = false;
        self.blocks(|stream, mut block| {
            while !block.is_empty() {
                while wanted.next_if(|range| *range.end() < number).is_some() {}
                let Some(range) = wanted.peek() else { return Ok(ControlFlow::Break(())) };
                let end = memchr::memchr(b'\n', block);
                if range.contains(&number) {
                    let text = &block[..end.unwrap_or(block.len())];
                    if !begun {
                        quotes.push(Quote { number, stream, text: Vec::new(), cut: false });
                        begun = true;
                    }
                    if let Some(quote) = quotes.last_mut() {
                        let room = LONGEST.saturating_sub(quote.text.len());
                        quote.cut |= text.len() > room;
                        quote.text.extend_from_slice(&text[..text.len().min(room)]);
                    }
                }
                let Some(end) = end else { break };
                number = number.saturating_add(1);
                begun = false;
                block = &block[end + 1..];
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(quotes)
    }
}

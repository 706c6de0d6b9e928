//! From bytes to lines: numbering, half lines at the edge of a block, escapes and carriage returns.

use crate::block::Block;
use crate::text::clean;
use crate::utf16::Utf16;

/// Where a line came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
    /// Not known: a file that holds both.
    Merged,
}

/// One line of a transcript.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    /// The text without its end, without escape sequences, and of a line that overwrote itself the last state.
    pub text: &'a [u8],
    /// 1-based, within the transcript.
    pub number: u32,
    /// Whether its end was there. Of a line without one, as where the output was cut off, more may have been meant.
    pub ended: bool,
}

/// A state machine that reads one runner's output.
///
/// Invariants: no call panics; the work is linear in what is fed; nothing holds the whole input.
pub trait Parser {
    /// Takes the next line. Every line of the transcript is fed, also those of a stream on which the runner doesn't
    /// report; no reading may depend on the order between streams.
    fn line(&mut self, line: Line<'_>, stream: Stream);

    /// Takes the next lines, all of them, and reads them as [`Parser::line`] does one after the other.
    fn block(&mut self, block: &mut Block<'_>, stream: Stream) {
        for line in block {
            self.line(line, stream);
        }
    }

    /// Whether it takes bytes as they came, by [`Parser::raw`], in place of lines. Of a structured report a line is no
    /// unit, and what a carriage return overwrites on a terminal is part of it.
    fn takes_raw(&self) -> bool {
        false
    }

    /// Takes the next bytes as they came, cut anywhere; `number` is that of the line in which they start.
    fn raw(&mut self, bytes: &[u8], number: u32, stream: Stream) {
        let _not_wanted = (bytes, number, stream);
    }

    /// Ends the input and gives a report for each session, at least one. Called once.
    fn end(&mut self) -> Vec<crate::Report>;
}

/// A line longer than this is cut, with a note.
const LONGEST_LINE: usize = 16 << 20;

/// Bytes are gone over several times, so many at once: they stay in the nearest caches meanwhile.
const PART: usize = 32 << 10;

/// Cuts blocks of bytes into lines and feeds them to a parser.
pub struct Feed<'p> {
    parser: &'p mut dyn Parser,
    half: Vec<u8>,
    half_stream: Stream,
    scratch: Vec<u8>,
    number: u32,
    swapped: bool,
    cut: Option<u32>,
    /// Whether anything came on standard output, on standard error, on a stream that is both.
    saw: [bool; 3],
    raw: bool,
    encodings: [Encoding; 3],
}

/// How the bytes of a stream are to be read.
enum Encoding {
    /// Nothing came yet that tells; a first byte alone doesn't.
    Open(Option<u8>),
    /// As they are.
    Bytes,
    Utf16(Utf16),
}

impl<'p> Feed<'p> {
    /// A feed for this parser.
    pub fn new(parser: &'p mut dyn Parser) -> Self {
        let raw = parser.takes_raw();
        Self {
            parser,
            half: Vec::new(),
            half_stream: Stream::Merged,
            scratch: Vec::new(),
            number: 0,
            swapped: false,
            cut: None,
            saw: [false; 3],
            raw,
            encodings: [const { Encoding::Open(None) }; 3],
        }
    }

    /// Tells the parser that each line came from the other stream than it did.
    pub(crate) fn swap_streams(&mut self) {
        self.swapped = true;
    }

    /// Whether lines came from a known stream: standard output, standard error.
    pub(crate) fn saw(&self) -> [bool; 2] {
        [self.saw[0], self.saw[1]]
    }

    /// The first line that was too long to be kept whole.
    pub(crate) fn cut(&self) -> Option<u32> {
        self.cut
    }

    /// Feeds a block. Lines may end anywhere in it; a half line waits for the next block of the same stream.
    ///
    /// A stream that starts as UTF-16, as what PowerShell redirects into a file, is read as such.
    pub fn push(&mut self, block: &[u8], stream: Stream) {
        let place = match stream {
            Stream::Out => 0,
            Stream::Err => 1,
            Stream::Merged => 2,
        };
        if let Some(saw) = self.saw.get_mut(place) {
            *saw = true;
        }
        match self.encodings.get_mut(place) {
            Some(Encoding::Utf16(decoder)) => {
                let text = decoder.decode(block);
                self.bytes(&text, stream);
            }
            Some(encoding @ Encoding::Open(_)) => {
                let first = std::mem::replace(encoding, Encoding::Open(None));
                self.first_bytes(first, block, stream, place);
            }
            _ => self.bytes(block, stream),
        }
    }

    /// Looks at how a stream starts.
    fn first_bytes(&mut self, so_far: Encoding, block: &[u8], stream: Stream, place: usize) {
        let held = match so_far {
            Encoding::Open(Some(byte)) => Some(byte),
            _ => None,
        };
        let mut start = held.into_iter().chain(block.iter().copied());
        let encoding = match (start.next(), start.next()) {
            (None, _) => return,
            (Some(byte), None) if Utf16::may_start(byte) => Encoding::Open(Some(byte)),
            (Some(first), second) => {
                second.and_then(|second| Utf16::of([first, second])).map_or(Encoding::Bytes, Encoding::Utf16)
            }
        };
        let waits = matches!(encoding, Encoding::Open(_));
        if let Some(place) = self.encodings.get_mut(place) {
            *place = encoding;
        }
        if waits {
            return;
        }
        if let Some(byte) = held {
            self.push(&[byte], stream);
        }
        self.push(block, stream);
    }

    fn bytes(&mut self, block: &[u8], stream: Stream) {
        if self.raw {
            return block.chunks(PART).for_each(|part| self.raw_block(part, stream));
        }
        if !self.half.is_empty() && self.half_stream != stream {
            self.end_half(false);
        }
        let mut rest = block;
        if !self.half.is_empty() {
            let Some(end) = memchr::memchr(b'\n', rest) else {
                self.keep_half(rest, stream);
                return;
            };
            self.keep_half(&rest[..end], stream);
            self.end_half(true);
            rest = &rest[end + 1..];
        }
        while let Some(len) = whole_lines(rest) {
            let (lines, behind) = rest.split_at(len);
            self.whole_lines(lines, stream);
            rest = behind;
        }
        if !rest.is_empty() {
            self.keep_half(rest, stream);
        }
    }

    /// Feeds lines that have their ends. Most output holds neither escapes nor carriage returns: one look at many lines
    /// spares one at each.
    fn whole_lines(&mut self, lines: &[u8], stream: Stream) {
        let mut block = Block::new(lines, self.number);
        if memchr::memchr2(b'\x1b', b'\r', lines).is_some() {
            return block.for_each(|line| self.line(line.text, stream, true));
        }
        if self.number == 0
            && let Some(first) = block.next()
        {
            self.plain_line(first.text, stream, true);
        }
        self.parser.block(&mut block, self.seen_as(stream));
        self.number = block.number();
    }

    /// Hands on a block as it is. A line that another stream interrupts ends there, as it does for other parsers.
    fn raw_block(&mut self, block: &[u8], stream: Stream) {
        let Some(last) = block.last() else { return };
        if !self.half.is_empty() && self.half_stream != stream {
            self.number = self.number.saturating_add(1);
        }
        self.parser.raw(block, self.number.saturating_add(1), self.seen_as(stream));
        let ends = memchr::memchr_iter(b'\n', block).count();
        self.number = self.number.saturating_add(u32::try_from(ends).unwrap_or(u32::MAX));
        self.half.clear();
        self.half_stream = stream;
        if *last != b'\n' {
            self.half.push(*last);
        }
    }

    /// Feeds what is left of the last line, if it had no end.
    pub fn finish(&mut self) {
        for (place, stream) in [Stream::Out, Stream::Err, Stream::Merged].into_iter().enumerate() {
            let encoding = self.encodings.get_mut(place);
            match encoding.map(|it| std::mem::replace(it, Encoding::Bytes)) {
                Some(Encoding::Open(Some(byte))) => self.bytes(&[byte], stream),
                Some(Encoding::Utf16(mut decoder)) => self.bytes(&decoder.finish(), stream),
                _ => {}
            }
        }
        if self.raw {
            return;
        }
        if !self.half.is_empty() {
            self.end_half(false);
        }
    }

    fn keep_half(&mut self, bytes: &[u8], stream: Stream) {
        self.half_stream = stream;
        let room = LONGEST_LINE.saturating_sub(self.half.len());
        if bytes.len() > room {
            self.cut.get_or_insert(self.number.saturating_add(1));
        }
        self.half.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn end_half(&mut self, ended: bool) {
        let half = std::mem::take(&mut self.half);
        self.line(&half, self.half_stream, ended);
        self.half = half;
        self.half.clear();
        self.half.shrink_to(1 << 16);
    }

    fn line(&mut self, raw: &[u8], stream: Stream, ended: bool) {
        let mut scratch = std::mem::take(&mut self.scratch);
        self.plain_line(clean(raw, &mut scratch), stream, ended);
        self.scratch = scratch;
    }

    fn plain_line(&mut self, text: &[u8], stream: Stream, ended: bool) {
        let text = if self.number == 0 { text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text) } else { text };
        self.number = self.number.saturating_add(1);
        let stream = self.seen_as(stream);
        self.parser.line(Line { text, number: self.number, ended }, stream);
    }

    fn seen_as(&self, stream: Stream) -> Stream {
        match (self.swapped, stream) {
            (true, Stream::Out) => Stream::Err,
            (true, Stream::Err) => Stream::Out,
            (_, stream) => stream,
        }
    }
}

/// How many bytes at the start are whole lines: about [`PART`] of them, or one line that is longer.
fn whole_lines(bytes: &[u8]) -> Option<usize> {
    let last = bytes.get(..PART).and_then(|part| memchr::memrchr(b'\n', part));
    let end = last.or_else(|| {
        if bytes.len() < PART { memchr::memrchr(b'\n', bytes) } else { memchr::memchr(b'\n', bytes) }
    });
    end.map(|end| end + 1)
}

impl Line<'_> {
    /// The text without blanks at both ends.
    #[must_use]
    pub fn trimmed(&self) -> &[u8] {
        self.text.trim_ascii()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Seen(Vec<(Vec<u8>, u32, bool)>);

    impl Parser for Seen {
        fn line(&mut self, line: Line<'_>, _: Stream) {
            self.0.push((line.text.to_vec(), line.number, line.ended));
        }

        fn end(&mut self) -> Vec<crate::Report> {
            Vec::new()
        }
    }

    /// Whatever the blocks, the lines are those between the line feeds.
    #[track_caller]
    fn check(input: &[u8], lines: &[&[u8]]) {
        let ends = input.iter().filter(|byte| **byte == b'\n').count();
        let want: Vec<_> =
            (1..).zip(lines).map(|(number, line)| (line.to_vec(), number, number as usize <= ends)).collect();
        for size in [1, 7, PART - 1, PART, PART + 1, input.len().max(1)] {
            let mut seen = Seen::default();
            let mut feed = Feed::new(&mut seen);
            input.chunks(size).for_each(|block| feed.push(block, Stream::Merged));
            feed.finish();
            assert!(seen.0 == want, "in blocks of {size}");
        }
    }

    #[test]
    fn lines_are_those_between_line_feeds() {
        check(b"", &[]);
        check(b"\n", &[b""]);
        check(b"a\n\nb", &[b"a", b"", b"b"]);
        check(b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n", &[b"a", b"\xef\xbb\xbfb"]);
        check(b"a\r\n\x1b[1mb\x1b[0m\nno\ryes\nc", &[b"a", b"b", b"yes", b"c"]);
    }

    #[test]
    fn a_line_may_be_longer_than_what_is_looked_at_at_once() {
        let long = [b'x'; 3 * PART];
        for len in [PART - 2, PART - 1, PART, PART + 1, 3 * PART] {
            let line = &long[..len];
            check(&[b"a\n", line, b"\nb\n", line].concat(), &[b"a", line, b"b", line]);
            // What has to go stands in one of the parts.
            check(&[b"\x1b[1ma\n", line, b"\nb\n"].concat(), &[b"a", line, b"b"]);
            check(&[b"a\n", line, b"\r\nb\nc\n"].concat(), &[b"a", line, b"b", b"c"]);
        }
    }
}

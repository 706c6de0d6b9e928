//! From bytes to lines: numbering, half lines at the edge of a block, escapes and carriage returns.

use crate::text::clean;

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

    /// Ends the input and gives a report for each session, at least one. Called once.
    fn end(&mut self) -> Vec<crate::Report>;
}

/// A line longer than this is cut, with a note.
const LONGEST_LINE: usize = 16 << 20;

/// Cuts blocks of bytes into lines and feeds them to a parser.
pub struct Feed<'p> {
    parser: &'p mut dyn Parser,
    half: Vec<u8>,
    half_stream: Stream,
    scratch: Vec<u8>,
    number: u32,
    swapped: bool,
    cut: Option<u32>,
    saw: [bool; 2],
}

impl<'p> Feed<'p> {
    /// A feed for this parser.
    pub fn new(parser: &'p mut dyn Parser) -> Self {
        Self {
            parser,
            half: Vec::new(),
            half_stream: Stream::Merged,
            scratch: Vec::new(),
            number: 0,
            swapped: false,
            cut: None,
            saw: [false; 2],
        }
    }

    /// Tells the parser that each line came from the other stream than it did.
    pub(crate) fn swap_streams(&mut self) {
        self.swapped = true;
    }

    /// Whether lines came from a known stream: standard output, standard error.
    pub(crate) fn saw(&self) -> [bool; 2] {
        self.saw
    }

    /// The first line that was too long to be kept whole.
    pub(crate) fn cut(&self) -> Option<u32> {
        self.cut
    }

    /// Feeds a block. Lines may end anywhere in it; a half line waits for the next block of the same stream.
    pub fn push(&mut self, block: &[u8], stream: Stream) {
        match stream {
            Stream::Out => self.saw[0] = true,
            Stream::Err => self.saw[1] = true,
            Stream::Merged => {}
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
        // Most output holds neither escapes nor carriage returns: one look at the block spares one at each line.
        let plain = memchr::memchr2(b'\x1b', b'\r', rest).is_none();
        let mut at = 0;
        for end in memchr::memchr_iter(b'\n', rest) {
            let line = &rest[at..end];
            if plain {
                self.plain_line(line, stream, true)
            } else {
                self.line(line, stream, true)
            }
            at = end + 1;
        }
        if at < rest.len() {
            self.keep_half(&rest[at..], stream);
        }
    }

    /// Feeds what is left of the last line, if it had no end.
    pub fn finish(&mut self) {
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
        let stream = match (self.swapped, stream) {
            (true, Stream::Out) => Stream::Err,
            (true, Stream::Err) => Stream::Out,
            (_, stream) => stream,
        };
        self.parser.line(Line { text, number: self.number, ended }, stream);
    }
}

impl Line<'_> {
    /// The text without blanks at both ends.
    #[must_use]
    pub fn trimmed(&self) -> &[u8] {
        self.text.trim_ascii()
    }
}

//! XML as it comes, block by block: documents with log lines around them, whole, cut, and broken.
//!
//! quick-xml pulls from a reader and stops at the first thing that XML doesn't allow. Here bytes are pushed, and a
//! report with one bare `&` is still a report. So this layer finds where each tag and each text ends, cuts what is too
//! long, mends what can be told, and notes it; quick-xml reads what is within: attributes and entities.
//!
//! * A document starts at an element that the format names as a root, at the start of a line or behind `<?xml`. What
//!   stands outside is log output.
//! * Within an element whose text is wanted or passed over whole, only its own end tag counts, or that of an element
//!   around it: what a test printed can't open elements.
//! * A document type declaration is skipped. No entity but XML's own is ever resolved, nothing is fetched.
//! * Memory: the tag or the text at hand, each up to 64 KiB a value.

mod content;
mod documented;
mod element;
mod handler;
mod mended;
mod outside;
mod plain;
mod stack;
mod tag;
#[cfg(test)]
mod tests;
mod text;

pub(crate) use documented::{Documented, Reporting};
pub(crate) use element::Element;
pub(crate) use handler::{Content, Handler};
pub(crate) use mended::{Mended, Oddity};

use element::Spans;
use stack::Stack;
use tag::{Scanned, TagScan};
use text::{Charset, has_control_or_return, whole_escape, without_escapes};

/// Text is kept up to this length.
const LONGEST_TEXT: usize = 64 << 10;

/// What a decision needs to see of the bytes ahead: an XML declaration, the name of an end tag.
const AHEAD: usize = 256;

/// Bytes are gone over several times, so many at once: they stay in the nearest caches meanwhile.
const PART: usize = 32 << 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Between documents.
    Outside,
    /// Within a start tag.
    Tag,
    /// Within the innermost element.
    Content,
    Cdata,
    Comment,
    Instruction,
    Doctype {
        depth: u32,
        quote: u8,
        left: u32,
    },
}

/// A document type declaration longer than this is none.
const LONGEST_DOCTYPE: u32 = 1 << 20;

enum Step {
    Took(usize),
    /// More bytes are needed to decide.
    More,
}

/// The reader of one stream.
pub(crate) struct Xml<H> {
    /// What the elements are for.
    pub(crate) handler: H,
    state: State,
    /// Behind an XML declaration whose root hasn't come.
    declared: bool,
    /// Nothing but blanks came in this line, outside of a document.
    at_line_start: bool,
    charset: Charset,
    open: Stack,
    scan: TagScan,
    /// The part of a tag that came in earlier blocks.
    tag: Vec<u8>,
    tag_line: u32,
    /// The text at hand.
    text: Vec<u8>,
    text_line: u32,
    text_is_cut: bool,
    /// In text that isn't wanted a character was seen that XML doesn't allow; said once a text.
    text_has_control: bool,
    /// How much text went by that isn't wanted.
    passed_over: usize,
    /// The end of a block that couldn't be decided on.
    carry: Vec<u8>,
    carry_line: u32,
    /// An escape sequence whose end hasn't come.
    escape: Vec<u8>,
    spans: Spans,
    line: u32,
    /// How many bytes ahead the next line feed is, if there is one in the bytes at hand.
    line_end: Option<usize>,
    /// The same of the next `&`.
    ampersand: Option<usize>,
    /// The bytes at hand hold no control character but tabs and line feeds.
    is_clean: bool,
    mended: Mended,
}

impl<H: Handler> Xml<H> {
    pub(crate) fn new(handler: H) -> Self {
        Self {
            handler,
            state: State::Outside,
            declared: false,
            at_line_start: true,
            charset: Charset::default(),
            open: Stack::default(),
            scan: TagScan::default(),
            tag: Vec::new(),
            tag_line: 1,
            text: Vec::new(),
            text_line: 1,
            text_is_cut: false,
            text_has_control: false,
            passed_over: 0,
            carry: Vec::new(),
            carry_line: 1,
            escape: Vec::new(),
            spans: Spans::new(),
            line: 1,
            line_end: None,
            ampersand: None,
            is_clean: false,
            mended: Mended::default(),
        }
    }

    /// What was mended and left out so far.
    pub(crate) fn mended(&self) -> &Mended {
        &self.mended
    }

    /// Takes the next bytes, cut anywhere; `number` is that of the line in which they start.
    pub(crate) fn push(&mut self, bytes: &[u8], number: u32) {
        let mut number = number;
        for part in bytes.chunks(PART) {
            self.part(part, number);
            number = self.line;
        }
    }

    fn part(&mut self, bytes: &[u8], number: u32) {
        if self.escape.is_empty() && memchr::memchr(b'\x1b', bytes).is_none() {
            return self.plain(bytes, number);
        }
        let mut joined = std::mem::take(&mut self.escape);
        joined.extend_from_slice(bytes);
        let (mut rest, mut number) = (joined.as_slice(), number);
        while let Some(at) = memchr::memchr(b'\x1b', rest) {
            let (before, escape) = rest.split_at(at);
            self.plain(before, number);
            number = number.saturating_add(newlines(before));
            let Some(len) = whole_escape(escape) else {
                self.escape = escape.to_vec();
                return;
            };
            self.drop_escape(number);
            rest = escape.get(len..).unwrap_or_default();
        }
        self.plain(rest, number);
    }

    fn drop_escape(&mut self, line: u32) {
        if self.state != State::Outside {
            self.mended.saw(Oddity::Control, line);
        }
    }

    /// Ends the input.
    pub(crate) fn finish(&mut self) {
        let escape = std::mem::take(&mut self.escape);
        if !escape.is_empty() {
            self.drop_escape(self.line);
            let rest = without_escapes(&escape);
            self.plain(&rest, self.line);
        }
        let carry = std::mem::take(&mut self.carry);
        if !carry.is_empty() {
            self.line = self.carry_line;
            self.bytes(&carry, true);
        }
        if !matches!(self.state, State::Outside | State::Doctype { .. }) {
            self.flush_text();
            self.end_document(false);
        }
    }

    fn plain(&mut self, bytes: &[u8], number: u32) {
        let mut rest = bytes;
        let mut number = number;
        while !self.carry.is_empty() && !rest.is_empty() {
            let before = self.carry.len();
            let mut joint = std::mem::take(&mut self.carry);
            joint.extend_from_slice(rest.get(..AHEAD).unwrap_or(rest));
            self.line = self.carry_line;
            let took = self.bytes(&joint, false);
            if took < before {
                // Still too little to decide: all of it waits.
                joint.drain(..took);
                self.carry_line = self.line;
                rest = rest.get(joint.len() + took - before..).unwrap_or_default();
                number = self.line.saturating_add(newlines(&joint));
                self.carry = joint;
            } else {
                let used = rest.get(..took - before).unwrap_or(rest);
                number = number.saturating_add(newlines(used));
                rest = rest.get(took - before..).unwrap_or_default();
            }
        }
        self.line = number;
        let took = self.bytes(rest, false);
        if let Some(carry) = rest.get(took..).filter(|carry| !carry.is_empty()) {
            self.carry_line = self.line;
            self.carry.extend_from_slice(carry);
            self.line = self.line.saturating_add(newlines(carry));
        }
    }

    /// Goes over bytes and says how many were decided on: all of `last` ones, else all but fewer than [`AHEAD`].
    fn bytes(&mut self, bytes: &[u8], last: bool) -> usize {
        self.is_clean = !has_control_or_return(bytes);
        let mut at = 0;
        self.line_end = memchr::memchr(b'\n', bytes);
        self.ampersand = memchr::memchr(b'&', bytes);
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let enough = last || rest.len() >= AHEAD;
            let step = match self.state {
                State::Outside => self.outside(rest, enough),
                State::Tag => self.tag(rest, last),
                State::Content => self.content(rest, enough, last),
                State::Cdata => self.until(rest, b"]]>", last),
                State::Comment => self.until(rest, b"-->", last),
                State::Instruction => self.until(rest, b"?>", last),
                State::Doctype { .. } => self.doctype(rest),
            };
            let Step::Took(took) = step else { break };
            at += took;
            self.take_line_ends(rest, took);
            self.ampersand = match self.ampersand {
                Some(ahead) if ahead < took => memchr::memchr(b'&', rest.get(took..).unwrap_or_default()),
                ahead => ahead.map(|ahead| ahead - took),
            };
        }
        at
    }

    /// Counts the lines that end in the first of these bytes, which were taken.
    #[inline]
    fn take_line_ends(&mut self, rest: &[u8], took: usize) {
        let Some(end) = self.line_end else { return };
        self.line_end = match end.checked_sub(took) {
            Some(ahead) => Some(ahead),
            None => {
                self.line = self.line.saturating_add(newlines(rest.get(end..took).unwrap_or_default()));
                memchr::memchr(b'\n', rest.get(took..).unwrap_or_default())
            }
        };
    }

    /// Starts on the tag whose name these bytes begin with, and says how many of them it took.
    fn start_tag(&mut self, bytes: &[u8]) -> usize {
        self.tag_line = self.line;
        let mut spans = std::mem::take(&mut self.spans);
        let plain = self.plain_tag(bytes, &mut spans);
        self.spans = spans;
        if let Some(took) = plain {
            return took;
        }
        self.state = State::Tag;
        self.tag.clear();
        self.scan = TagScan::default();
        0
    }

    fn plain_tag(&mut self, bytes: &[u8], spans: &mut Spans) -> Option<usize> {
        if !self.is_clean {
            return None;
        }
        let tag = plain::read(bytes, spans)?;
        let text = self.charset.plain(bytes.get(..tag.end)?)?;
        let end_line = match self.line_end {
            // A `<` stands before these bytes.
            Some(end) if end <= tag.took => self.line.saturating_add(newlines(bytes.get(..tag.took)?)),
            _ => self.line,
        };
        let (mended, line) = (&mut self.mended, self.tag_line);
        let mut odd = |what| mended.saw(what, line);
        // A `<` stands before these bytes.
        let has_entities = self.ampersand.is_some_and(|ahead| ahead <= tag.end);
        let element = Element::of(text, tag.name, line, spans, has_entities);
        if tag.may_repeat && element.repeats_a_key() {
            odd(Oddity::Attributes);
        }
        if tag.is_empty && !tag.may_repeat && !self.open.is_empty() && self.handler.whole(&element, end_line)
        {
            return Some(tag.took);
        }
        let (name, content) = (element.name(), self.handler.open(&element, &mut odd));
        self.opened(name, content, tag.is_empty, end_line);
        Some(tag.took)
    }

    fn tag(&mut self, rest: &[u8], last: bool) -> Step {
        let mut held = std::mem::take(&mut self.tag);
        let handler = &self.handler;
        let scanned = self.scan.scan(rest, &mut held, last, &|name| handler.is_element(local_bytes(name)));
        let step = match scanned {
            Scanned::More { took } => {
                self.tag = held;
                return if took == 0 { Step::More } else { Step::Took(took) };
            }
            Scanned::End { took, mended } => {
                if mended {
                    self.mended.saw(Oddity::Attributes, self.tag_line);
                }
                let tag = if held.is_empty() { rest.get(..took).unwrap_or(rest) } else { &held };
                let tag = if mended { tag.trim_ascii_end() } else { tag };
                self.start(tag.strip_suffix(b">").unwrap_or(tag));
                Step::Took(took)
            }
        };
        held.clear();
        held.shrink_to(1 << 20);
        self.tag = held;
        step
    }

    /// Reads a whole start tag, without `<` and `>`.
    fn start(&mut self, tag: &[u8]) {
        let (tag, empty) = match tag.strip_suffix(b"/") {
            Some(tag) => (tag, true),
            None => (tag, false),
        };
        let (mended, line) = (&mut self.mended, self.tag_line);
        let mut odd = |what| mended.saw(what, line);
        let text = self.charset.decode(tag, &mut odd);
        let mut spans = std::mem::take(&mut self.spans);
        let element = Element::read(&text, line, &mut spans, &mut odd);
        let (name, content) = (element.name(), self.handler.open(&element, &mut odd));
        self.opened(name, content, empty, line.saturating_add(newlines(tag)));
        self.spans = spans;
    }

    /// An element is open whose tag ends in this line, unless the tag is all of it.
    fn opened(&mut self, name: &str, content: Content, is_empty: bool, end_line: u32) {
        self.state = State::Content;
        if !is_empty {
            self.open.push(name.as_bytes(), content);
            return;
        }
        self.handler.close(name, end_line);
        if self.open.is_empty() {
            self.end_document_in(true, end_line);
        }
    }

    fn end_document(&mut self, whole: bool) {
        self.end_document_in(whole, self.line);
    }

    fn end_document_in(&mut self, whole: bool, line: u32) {
        self.handler.end(whole, line);
        self.open.clear();
        self.text.clear();
        self.state = State::Outside;
        self.at_line_start = true;
    }
}

fn newlines(bytes: &[u8]) -> u32 {
    // Most pieces are short, or hold none.
    let count = match bytes.len() {
        ..16 => bytes.iter().filter(|byte| **byte == b'\n').count(),
        _ if memchr::memchr(b'\n', bytes).is_none() => 0,
        _ => memchr::memchr_iter(b'\n', bytes).count(),
    };
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || !byte.is_ascii()
}

fn local_bytes(name: &[u8]) -> &[u8] {
    match name.iter().rposition(|byte| *byte == b':') {
        Some(at) => name.get(at + 1..).unwrap_or_default(),
        None => name,
    }
}

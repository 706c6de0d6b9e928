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

mod element;
mod mended;
mod stack;
mod tag;
#[cfg(test)]
mod tests;
mod text;

pub(crate) use element::Element;
pub(crate) use mended::{Mended, Oddity};

use element::Spans;
use stack::Stack;
use tag::{Scanned, TagScan};
use text::{Charset, LONGEST_ESCAPE, drop_half_character, has_control, unescape, without_escapes};

/// Text is kept up to this length.
const LONGEST_TEXT: usize = 64 << 10;

/// What a decision needs to see of the bytes ahead: an XML declaration, the name of an end tag.
const AHEAD: usize = 256;

/// What is wanted of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// The elements within; text between them isn't.
    Elements,
    /// The text alone.
    Text,
    /// Nothing.
    Nothing,
}

impl Content {
    fn has_elements(self) -> bool {
        self == Self::Elements
    }

    fn has_text(self) -> bool {
        self == Self::Text
    }
}

/// What a format does with the elements of its documents. Each call comes in the order of the document.
pub(crate) trait Handler {
    /// Whether an element of this name starts a document of the format.
    fn is_root(&self, name: &[u8]) -> bool;

    /// Whether the format has an element of this name.
    fn is_element(&self, name: &[u8]) -> bool;

    /// A document starts; its root is the next element.
    fn document(&mut self, line: u32);

    /// An element starts.
    fn open(&mut self, element: &Element<'_>, odd: &mut dyn FnMut(Oddity)) -> Content;

    /// Text of the innermost element, in one piece or several.
    fn text(&mut self, text: &str, line: u32);

    /// The innermost element ends.
    fn close(&mut self, name: &str, line: u32);

    /// The document ends: with its root's end tag, or because the input does. Elements may be open then.
    fn end(&mut self, whole: bool, line: u32);
}

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
    /// How much text went by that isn't wanted.
    passed_over: usize,
    /// The end of a block that couldn't be decided on.
    carry: Vec<u8>,
    carry_line: u32,
    /// An escape sequence whose end hasn't come.
    escape: Vec<u8>,
    spans: Spans,
    line: u32,
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
            passed_over: 0,
            carry: Vec::new(),
            carry_line: 1,
            escape: Vec::new(),
            spans: Spans::new(),
            line: 1,
            mended: Mended::default(),
        }
    }

    /// What was mended and left out so far.
    pub(crate) fn mended(&self) -> &Mended {
        &self.mended
    }

    /// Takes the next bytes, cut anywhere; `number` is that of the line in which they start.
    pub(crate) fn push(&mut self, bytes: &[u8], number: u32) {
        if self.escape.is_empty() && memchr::memchr(b'\x1b', bytes).is_none() {
            return self.plain(bytes, number);
        }
        let mut joined = std::mem::take(&mut self.escape);
        joined.extend_from_slice(bytes);
        // A sequence at the end may go on in the next block.
        if let Some(at) = memchr::memrchr(b'\x1b', &joined) {
            let tail = joined.get(at..).unwrap_or_default();
            let line_goes_on = memchr::memchr(b'\n', tail).is_none();
            let open = match tail.get(1) {
                Some(b']' | b'P' | b'X' | b'^' | b'_') => tail.len() < LONGEST_ESCAPE,
                _ => tail.len() < 64,
            };
            if line_goes_on && open {
                self.escape = joined.split_off(at);
            }
        }
        if self.state != State::Outside {
            self.mended.saw(Oddity::Control, number);
        }
        let plain = without_escapes(&joined);
        self.plain(&plain, number);
    }

    /// Ends the input.
    pub(crate) fn finish(&mut self) {
        let escape = without_escapes(&std::mem::take(&mut self.escape));
        self.plain(&escape, self.line);
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
        let mut at = 0;
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
            self.line = self.line.saturating_add(newlines(rest.get(..took).unwrap_or(rest)));
            at += took;
        }
        at
    }

    fn outside(&mut self, rest: &[u8], enough: bool) -> Step {
        if rest.first() != Some(&b'<') {
            let run = memchr::memchr(b'<', rest).unwrap_or(rest.len());
            let text = rest.get(..run).unwrap_or(rest);
            let line = match memchr::memrchr(b'\n', text) {
                Some(end) => {
                    self.at_line_start = true;
                    text.get(end + 1..).unwrap_or_default()
                }
                None => text,
            };
            // A byte order mark is none of the line.
            let is_blank = |byte: &u8| byte.is_ascii_whitespace() || b"\xef\xbb\xbf".contains(byte);
            self.at_line_start &= line.iter().all(is_blank);
            return Step::Took(run);
        }
        if rest.starts_with(b"<?xml")
            && rest.get(5).is_some_and(|byte| byte.is_ascii_whitespace() || *byte == b'?')
        {
            let end = memchr::memmem::find(rest.get(..AHEAD).unwrap_or(rest), b"?>");
            if end.is_none() && !enough {
                return Step::More;
            }
            let end = end.map_or(5, |end| end + 2);
            self.declared = true;
            self.charset = Charset::declared(rest.get(..end).unwrap_or(rest));
            return Step::Took(end);
        }
        if b"<!DOCTYPE".starts_with(rest.get(..9).unwrap_or(rest)) && (self.declared || self.at_line_start) {
            if rest.len() < 9 && !enough {
                return Step::More;
            }
            if rest.len() >= 9 {
                self.mended.saw(Oddity::Doctype, self.line);
                self.state = State::Doctype { depth: 0, quote: 0, left: LONGEST_DOCTYPE };
                return Step::Took(9);
            }
        }
        if rest.starts_with(b"<!--") && (self.declared || self.at_line_start) {
            self.state = State::Comment;
            return Step::Took(4);
        }
        let name = rest.get(1..AHEAD.min(rest.len())).unwrap_or_default();
        let end = name.iter().position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/'));
        let Some(name) = end.and_then(|end| name.get(..end)) else {
            self.at_line_start &= !enough;
            return if enough { Step::Took(1) } else { Step::More };
        };
        if !(self.declared || self.at_line_start) || !self.handler.is_root(local_bytes(name)) {
            // A comment or an instruction may stand between the declaration and the root; another root ends it.
            self.declared &= matches!(name.first(), None | Some(b'!' | b'?'));
            self.at_line_start = false;
            return Step::Took(1);
        }
        if !self.declared {
            self.charset = Charset::default();
        }
        self.declared = false;
        self.handler.document(self.line);
        self.start_tag();
        Step::Took(1)
    }

    fn start_tag(&mut self) {
        self.state = State::Tag;
        self.tag_line = self.line;
        self.tag.clear();
        self.scan = TagScan::default();
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
        let element = Element::read(&text, line, &mut self.spans, &mut odd);
        let content = self.handler.open(&element, &mut odd);
        self.state = State::Content;
        if empty {
            self.handler.close(element.name(), line.saturating_add(newlines(tag)));
            if self.open.is_empty() {
                self.end_document(true);
            }
        } else {
            self.open.push(element.name().as_bytes(), content);
        }
    }

    fn content(&mut self, rest: &[u8], enough: bool, last: bool) -> Step {
        if rest.first() != Some(&b'<') {
            let run = memchr::memchr(b'<', rest).unwrap_or(rest.len());
            // The bytes of `]]>` stay together.
            let end = if run == rest.len() && !last && rest.ends_with(b"]") { run - 1 } else { run };
            if end == 0 || (end < run && rest.get(..end).is_some_and(|text| text.ends_with(b"]"))) {
                return Step::More;
            }
            let text = rest.get(..end).unwrap_or(rest);
            if self.open.content().has_text() && memchr::memmem::find(text, b"]]>").is_some() {
                self.mended.saw(Oddity::CdataEnd, self.line);
            }
            self.keep_text(text);
            return Step::Took(end);
        }
        match rest.get(1) {
            None if !enough => Step::More,
            Some(b'/') => self.end_tag(rest, enough),
            Some(b'!') => self.declaration(rest, enough),
            Some(b'?') if self.open.content().has_elements() => self.instruction(rest, enough),
            Some(first) if self.open.content().has_elements() && is_name_start(*first) => {
                self.flush_text();
                self.start_tag();
                Step::Took(1)
            }
            _ => self.less(),
        }
    }

    /// A `<` that starts nothing.
    fn less(&mut self) -> Step {
        if self.open.content() != Content::Nothing {
            self.mended.saw(Oddity::Less, self.line);
        }
        self.keep_text(b"<");
        Step::Took(1)
    }

    fn declaration(&mut self, rest: &[u8], enough: bool) -> Step {
        const STARTS: [(&[u8], State); 2] = [(b"<![CDATA[", State::Cdata), (b"<!--", State::Comment)];
        for (start, state) in STARTS {
            if rest.starts_with(start) {
                if state == State::Cdata {
                    self.flush_text();
                }
                self.state = state;
                return Step::Took(start.len());
            }
            if !enough && start.starts_with(rest) {
                return Step::More;
            }
        }
        self.less()
    }

    fn instruction(&mut self, rest: &[u8], enough: bool) -> Step {
        if rest.len() < 6 && !enough {
            return Step::More;
        }
        // The declaration of another document: this one was cut.
        if rest.starts_with(b"<?xml") && rest.get(5).is_some_and(u8::is_ascii_whitespace) {
            self.flush_text();
            self.end_document(false);
            return Step::Took(0);
        }
        self.state = State::Instruction;
        Step::Took(2)
    }

    fn end_tag(&mut self, rest: &[u8], enough: bool) -> Step {
        let ahead = rest.get(2..AHEAD.min(rest.len())).unwrap_or_default();
        let Some(end) = memchr::memchr2(b'>', b'<', ahead) else {
            return if enough { self.less() } else { Step::More };
        };
        let name = ahead.get(..end).unwrap_or_default().trim_ascii_end();
        let name = local_bytes(name);
        let ends = self.open.ended_by(name);
        if ends == 0 {
            if self.open.content().has_elements() {
                self.mended.saw(Oddity::EndTag, self.line);
                return Step::Took(2 + end);
            }
            return self.less();
        }
        if ends > 1 || ahead.get(end) != Some(&b'>') {
            self.mended.saw(Oddity::EndTag, self.line);
        }
        self.flush_text();
        for _ in 0..ends {
            self.handler.close(std::str::from_utf8(self.open.top()).unwrap_or(""), self.line);
            self.open.pop();
        }
        if self.open.is_empty() {
            self.end_document(true);
        }
        Step::Took(2 + end + usize::from(ahead.get(end) == Some(&b'>')))
    }

    fn end_document(&mut self, whole: bool) {
        self.handler.end(whole, self.line);
        self.open.clear();
        self.text.clear();
        self.state = State::Outside;
        self.at_line_start = true;
    }

    /// Takes what stands before this end, and the end itself.
    fn until(&mut self, rest: &[u8], end: &[u8], last: bool) -> Step {
        let found = memchr::memmem::find(rest, end);
        // The end may be cut by the end of the block.
        let run = match found {
            Some(at) => at,
            None if last && rest.len() < end.len() => rest.len(),
            None => rest.len() + 1 - end.len().min(rest.len() + 1),
        };
        if self.state == State::Cdata {
            self.keep_text(rest.get(..run).unwrap_or(rest));
        }
        if found.is_none() {
            return if run == 0 { Step::More } else { Step::Took(run) };
        }
        if self.state == State::Cdata {
            self.flush_cdata();
        }
        self.state = if self.open.is_empty() { State::Outside } else { State::Content };
        self.at_line_start = true;
        Step::Took(run + end.len())
    }

    fn doctype(&mut self, rest: &[u8]) -> Step {
        let State::Doctype { mut depth, mut quote, mut left } = self.state else { return Step::Took(0) };
        for (at, byte) in rest.iter().enumerate() {
            left = left.saturating_sub(1);
            match byte {
                b'"' | b'\'' if quote == 0 => quote = *byte,
                byte if *byte == quote => quote = 0,
                b'[' if quote == 0 => depth += 1,
                b']' if quote == 0 => depth = depth.saturating_sub(1),
                b'>' if quote == 0 && depth == 0 => left = 0,
                _ => {}
            }
            if left == 0 {
                self.state = State::Outside;
                self.at_line_start = true;
                return Step::Took(at + 1);
            }
        }
        self.state = State::Doctype { depth, quote, left };
        Step::Took(rest.len())
    }

    fn keep_text(&mut self, bytes: &[u8]) {
        let content = self.open.content();
        if !content.has_text() {
            if content == Content::Nothing && has_control(bytes) {
                self.mended.saw(Oddity::Control, self.line);
            }
            self.passed_over = self.passed_over.saturating_add(bytes.len());
            self.cut_text(self.passed_over > LONGEST_TEXT);
            return;
        }
        if self.text.is_empty() {
            self.text_line = self.line;
        }
        let room = LONGEST_TEXT.saturating_sub(self.text.len());
        if bytes.len() <= room {
            self.text.extend_from_slice(bytes);
            return;
        }
        self.text.extend_from_slice(bytes.get(..room).unwrap_or_default());
        drop_half_character(&mut self.text);
        self.cut_text(true);
    }

    /// Says once that the text at hand is cut. It is also said of text that isn't wanted: it was not read.
    fn cut_text(&mut self, cut: bool) {
        if cut && !self.text_is_cut {
            self.text_is_cut = true;
            self.mended.saw(Oddity::LongText, self.line);
        }
    }

    fn flush_text(&mut self) {
        self.give_text(true);
    }

    fn flush_cdata(&mut self) {
        self.give_text(false);
    }

    fn give_text(&mut self, escaped: bool) {
        (self.text_is_cut, self.passed_over) = (false, 0);
        if self.text.is_empty() {
            return;
        }
        let bytes = std::mem::take(&mut self.text);
        let (mended, line) = (&mut self.mended, self.text_line);
        let mut odd = |what| mended.saw(what, line);
        let text = self.charset.decode(&bytes, &mut odd);
        let text = if escaped { unescape(&text, &mut odd) } else { text };
        self.handler.text(&text, line);
        self.text = bytes;
        self.text.clear();
    }
}

fn newlines(bytes: &[u8]) -> u32 {
    u32::try_from(memchr::memchr_iter(b'\n', bytes).count()).unwrap_or(u32::MAX)
}

fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || !byte.is_ascii()
}

fn local_bytes(name: &[u8]) -> &[u8] {
    match memchr::memrchr(b':', name) {
        Some(at) => name.get(at + 1..).unwrap_or_default(),
        None => name,
    }
}

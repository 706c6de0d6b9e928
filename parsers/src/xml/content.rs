//! Within an element: text, and what starts with `<`.

use super::mended::Oddity;
use super::newlines;
use super::text::{drop_half_character, has_control, unescape};
use super::{AHEAD, Content, Handler, LONGEST_TEXT, State, Step, Xml, is_name_start, local_bytes};

/// So many blanks are looked at one by one.
const FEW_BLANKS: usize = 32;

impl<H: Handler> Xml<H> {
    pub(super) fn content(&mut self, rest: &[u8], enough: bool, last: bool) -> Step {
        if rest.first() != Some(&b'<') {
            if let Some(blanks) = self.blanks_before_tag(rest) {
                return Step::Took(blanks);
            }
            let run = memchr::memchr(b'<', rest).unwrap_or(rest.len());
            // The bytes of `]]>` stay together.
            let end = if run == rest.len() && !last && rest.ends_with(b"]") { run - 1 } else { run };
            if end == 0 || (end < run && rest.get(..end).is_some_and(|text| text.ends_with(b"]"))) {
                return Step::More;
            }
            let text = rest.get(..end).unwrap_or(rest);
            if self.open.content().has_text()
                && let Some(before) = memchr::memmem::find(text, b"]]>").and_then(|at| text.get(..at))
            {
                self.mended.saw(Oddity::CdataEnd, self.line.saturating_add(newlines(before)));
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
                Step::Took(1 + self.start_tag(rest.get(1..).unwrap_or_default()))
            }
            _ => self.less(),
        }
    }

    /// How many blanks stand between two elements, where no text is wanted: as most do, few and before a tag.
    fn blanks_before_tag(&self, rest: &[u8]) -> Option<usize> {
        if !self.open.content().has_elements() || self.passed_over > 0 {
            return None;
        }
        let blanks = rest.iter().take(FEW_BLANKS).position(|byte| !byte.is_ascii_whitespace())?;
        matches!(rest.get(blanks..)?, [b'<', next, ..] if is_name_start(*next)).then_some(blanks)
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

    /// Takes what stands before this end, and the end itself.
    pub(super) fn until(&mut self, rest: &[u8], end: &[u8], last: bool) -> Step {
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

    fn keep_text(&mut self, bytes: &[u8]) {
        let content = self.open.content();
        // What is said of a text is said of where it starts: how far it came depends on where blocks end.
        if self.text.is_empty() && self.passed_over == 0 {
            self.text_line = self.line;
        }
        if !content.has_text() {
            let looks = content == Content::Nothing && !self.is_clean && !self.text_has_control;
            if looks && has_control(bytes) {
                self.text_has_control = true;
                self.mended.saw(Oddity::Control, self.text_line);
            }
            self.passed_over = self.passed_over.saturating_add(bytes.len());
            self.cut_text(self.passed_over > LONGEST_TEXT);
            return;
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
            self.mended.saw(Oddity::LongText, self.text_line);
        }
    }

    pub(super) fn flush_text(&mut self) {
        self.give_text(true);
    }

    fn flush_cdata(&mut self) {
        self.give_text(false);
    }

    fn give_text(&mut self, escaped: bool) {
        (self.text_is_cut, self.text_has_control, self.passed_over) = (false, false, 0);
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

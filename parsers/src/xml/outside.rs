//! Between documents: where one starts, and what is skipped before its root.

use super::mended::Oddity;
use super::text::Charset;
use super::{AHEAD, Handler, LONGEST_DOCTYPE, State, Step, Xml, local_bytes};

impl<H: Handler> Xml<H> {
    pub(super) fn outside(&mut self, rest: &[u8], enough: bool) -> Step {
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
        if rest.len() == 1 && !enough {
            return Step::More;
        }
        // The end of a document whose start is missing, or one in UTF-16 behind one that isn't.
        match rest.get(1) {
            Some(0) => {
                self.handler.stray();
                return Step::Took(2);
            }
            Some(b'/') => {
                let name = rest.get(2..AHEAD.min(rest.len())).unwrap_or_default();
                let Some(end) = memchr::memchr2(b'>', b'<', name) else {
                    self.at_line_start &= !enough;
                    return if enough { Step::Took(1) } else { Step::More };
                };
                if self.handler.is_root(local_bytes(name.get(..end).unwrap_or_default().trim_ascii_end())) {
                    self.handler.stray();
                }
                self.at_line_start = false;
                return Step::Took(2 + end + usize::from(name.get(end) == Some(&b'>')));
            }
            _ => {}
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
        Step::Took(1 + self.start_tag(rest.get(1..).unwrap_or_default()))
    }

    pub(super) fn doctype(&mut self, rest: &[u8]) -> Step {
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
}

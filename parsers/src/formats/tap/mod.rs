//! Reads TAP, the Test Anything Protocol, versions 12 to 14, also inside `prove -v`.
//!
//! A document is a plan `1..N`, at its start or end, and test points `ok 1 - name # directive`. A point can be followed
//! by a YAML block or by comments that say why it failed; subtests are indented documents before their point, or
//! behind it in braces. Anything else is output. Test::More writes its diagnostics to standard error, where no order to
//! the points is kept, but names the test in them.
//!
//! Known traps: Node numbers the tests of each file anew; a file without tests is a point there; prove closes a script
//! with a bare `ok`, which is a test point elsewhere; a name may end in `{`.

mod bats;
mod comments;
mod diagnosis;
mod document;
mod frame;
mod framed;
mod level;
mod nesting;
mod passes;
mod pending;
mod point;
mod printed;
mod prove;
mod report;
mod said;
mod words;

#[cfg(test)]
mod tests;

use crate::{Block, Format, Kind, Line, Lines, Options, Parser, Problem, Report, Stream};
use comments::Trailer;
use document::Document;
use frame::Prove;
use nesting::{DEEPEST, STEP};
use report::Finished;
use said::Said;

pub(crate) fn new(format: Format, options: &Options) -> impl Parser + use<> {
    Tap {
        format,
        assertion_errors: options.assertion_errors.clone(),
        document: Document::new(format, &options.assertion_errors),
        done: Vec::new(),
        yaml: None,
        trailer: Trailer::default(),
        early: Trailer::default(),
        bail: None,
        prove: None,
        said: Said::default(),
    }
}

struct Tap {
    format: Format,
    assertion_errors: Vec<String>,
    document: Document,
    done: Vec<Finished>,
    /// The indentation of the YAML block that is being read.
    yaml: Option<usize>,
    trailer: Trailer,
    /// What may be the same before the plan, where mocha has it.
    early: Trailer,
    bail: Option<Problem>,
    prove: Option<Prove>,
    said: Said,
}

impl Parser for Tap {
    fn block(&mut self, block: &mut Block<'_>, stream: Stream) {
        loop {
            if stream != Stream::Err && self.yaml.is_none() && self.bail.is_none() {
                self.document.passes(block);
            }
            let Some(line) = block.next() else { return };
            self.line(line, stream);
        }
    }

    fn line(&mut self, line: Line<'_>, stream: Stream) {
        if stream == Stream::Err {
            return self.aside(line);
        }
        let text = line.text;
        if glued_version(text) && !self.document.has_begun() {
            self.document.touch(line.number);
            return;
        }
        let widened;
        let text = match text.first() {
            Some(b'\t') if self.is_indented_by_tabs(text) => {
                widened = widen(text);
                widened.as_slice()
            }
            _ => text,
        };
        let indent = match text.first() {
            Some(b' ') => text.iter().take_while(|byte| **byte == b' ').count(),
            _ => 0,
        };
        let content = text.get(indent..).unwrap_or_default();
        if let Some(block) = self.yaml
            && self.in_yaml(text, indent, block, line.number)
        {
            return;
        }
        let Some(first) = content.first() else { return };
        if self.document.holds() && (indent > 0 || speaks_tap(content)) {
            self.document.decide_held(indent, *first == b'}');
        }
        let known = match first {
            // A directive may have followed on a line that was cut, and the name may be half of one.
            b'o' | b'n' if line.ended => self.point(content, indent, line.number),
            b'1' => self.plan(content, indent, line.number),
            b'#' => self.comment(content, indent, line.number),
            b'-' => self.starts_yaml(content, indent, line.number),
            b'T' if indent == 0 => self.version(content, line.number),
            b'B' | b'b' => self.bail(content, indent, line.number),
            b'p' => content.starts_with(b"pragma "),
            b'}' => content.trim_ascii_end() == b"}" && self.document.closes(indent),
            _ => false,
        };
        if !known && indent > 0 {
            if let Some(diagnosis) = self.document.commented()
                && diagnosis.indented(text)
            {
                diagnosis.touch(line.number);
            }
        } else if !known {
            self.said.named.interrupt();
            if let Some(diagnosis) = self.document.commented() {
                diagnosis.interrupt();
            }
            if !self.frame(text, line.number) {
                self.said.outside(line, self.format);
            }
        }
    }

    fn end(&mut self) -> Vec<Report> {
        self.finish();
        let done = std::mem::take(&mut self.done);
        let said = std::mem::take(&mut self.said);
        match self.prove.take() {
            Some(prove) => vec![framed::framed(self.format, done, said, prove.result, prove.tests)],
            None => report::plain(self.format, done, said),
        }
    }
}

/// The line with four blanks, by which TAP indents, for each tab at its start.
fn widen(text: &[u8]) -> Vec<u8> {
    let tabs = text.iter().take_while(|byte| **byte == b'\t').count();
    let mut widened = vec![b' '; tabs.min(DEEPEST) * STEP];
    widened.extend_from_slice(text.get(tabs..).unwrap_or_default());
    widened
}

/// Whether a line is the protocol's, and not output that may stand anywhere.
fn speaks_tap(content: &[u8]) -> bool {
    matches!(content.first(), Some(b'#' | b'}'))
        || point::point(content).is_some()
        || point::plan(content).is_some()
        || content.starts_with(b"Bail out!")
}

/// What a test wrote before the first line of the document, without a line end: `doneTAP version 13`.
fn glued_version(content: &[u8]) -> bool {
    let Some(head) =
        content.strip_suffix(b"TAP version 13").or_else(|| content.strip_suffix(b"TAP version 14"))
    else {
        return false;
    };
    head.last().is_some_and(|byte| !byte.is_ascii_whitespace())
}

impl Tap {
    /// Whether this line, which starts with a tab, belongs to a subtest whose writer indents by tabs. A failed point below
    /// one that passed must not be taken for output.
    fn is_indented_by_tabs(&self, text: &[u8]) -> bool {
        let content = text.trim_ascii_start();
        self.yaml.is_some() || content.starts_with(b"---") || speaks_tap(content)
    }

    fn point(&mut self, content: &[u8], indent: usize, number: u32) -> bool {
        if indent == 0
            && content.len() == 2
            && self.prove.as_ref().is_some_and(|prove| prove.script.is_some())
            && self.document.is_satisfied()
        {
            self.close_script(Some(prove::Verdict::Ended));
            return true;
        }
        let Some(point) = point::point(content) else { return false };
        self.bail.is_none() && self.document.point(&point, content, indent, number)
    }

    fn plan(&mut self, content: &[u8], indent: usize, number: u32) -> bool {
        let Some(plan) = point::plan(content) else { return false };
        let is_first = indent == 0 && !self.document.has_plan();
        if self.bail.is_some() || !self.document.plan(&plan, indent, number) {
            return false;
        }
        let early = std::mem::take(&mut self.early);
        if is_first && early.stands_right_before(number) {
            self.trailer = early;
        }
        true
    }

    fn version(&mut self, content: &[u8], number: u32) -> bool {
        let is_version = content
            .strip_prefix(b"TAP version ")
            .is_some_and(|version| !version.is_empty() && version.iter().all(u8::is_ascii_digit));
        if !is_version {
            return false;
        }
        // In the middle of what a plan announced it is output.
        if self.document.awaits_points() && self.bail.is_none() {
            return false;
        }
        if self.document.has_begun() || self.bail.is_some() {
            self.finish();
        }
        self.document.touch(number);
        true
    }

    fn bail(&mut self, content: &[u8], indent: usize, number: u32) -> bool {
        let Some((word, reason)) = content.split_at_checked(9) else { return false };
        if !word.eq_ignore_ascii_case(b"Bail out!") || indent > self.document.indent() {
            return false;
        }
        if self.bail.is_none() {
            self.document.touch(number);
            let kind = if self.document.has_points() { Kind::Interrupted } else { Kind::Startup };
            let reason = reason.trim_ascii();
            let message = (!reason.is_empty()).then(|| point::unescaped(reason).into_owned());
            let lines = Lines::one(number);
            self.bail = Some(Problem { kind, subject: None, error: None, message, lines });
        }
        true
    }

    fn comment(&mut self, content: &[u8], indent: usize, number: u32) -> bool {
        let text = content.get(1..).unwrap_or_default();
        if let Some(name) = text.strip_prefix(b" Subtest:") {
            self.document.subtest(name, indent, number);
            return true;
        }
        if self.said.comment(text, number) {
            return true;
        }
        if indent == 0 {
            let trailer = if self.document.has_ended() { &mut self.trailer } else { &mut self.early };
            trailer.comment(text, number);
        }
        if let Some(error) = text.strip_prefix(b" ").and_then(|text| comments::uncaught(text, number)) {
            self.document.last_error = Some(error);
        }
        if let Some(diagnosis) = self.document.commented() {
            diagnosis.comment(text);
            diagnosis.touch(number);
        }
        true
    }

    fn starts_yaml(&mut self, content: &[u8], indent: usize, number: u32) -> bool {
        if content.trim_ascii_end() != b"---" || indent <= self.document.indent() {
            return false;
        }
        let Some(diagnosis) = self.document.block() else { return false };
        diagnosis.touch(number);
        self.yaml = Some(indent);
        true
    }

    /// Takes a line of a YAML block. A block that is broken ends where the indentation does.
    fn in_yaml(&mut self, text: &[u8], indent: usize, block: usize, number: u32) -> bool {
        let blank = indent == text.len();
        let ends = indent == block && text.get(block..).is_some_and(|text| text.trim_ascii_end() == b"...");
        if let Some(diagnosis) = self.document.block().filter(|diagnosis| diagnosis.is_quoted() && !ends) {
            diagnosis.quoted(text);
            diagnosis.touch(number);
            return true;
        }
        if indent < block && !blank {
            self.yaml = None;
            return false;
        }
        let inner = text.get(block..).unwrap_or_default();
        if let Some(diagnosis) = self.document.block() {
            if !blank {
                diagnosis.touch(number);
            }
            if inner.trim_ascii_end() != b"..." {
                diagnosis.yaml(inner);
                return true;
            }
        }
        self.yaml = None;
        true
    }

    /// A line on the stream that can't speak for the protocol; comments there still explain.
    fn aside(&mut self, line: Line<'_>) {
        let content = line.text.trim_ascii_start();
        match content.strip_prefix(b"#") {
            Some(text) => {
                self.said.comment(text, line.number);
            }
            None if content.is_empty() => {}
            None => {
                self.said.named.interrupt();
                self.said.outside(line, self.format);
            }
        }
    }
}

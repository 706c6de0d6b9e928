//! The lines that most of TAP consists of, read many at once.

use super::document::Document;
use super::point::{is_plain, plain_pass};
use crate::{Block, Lines, NewCase, Status};

impl Document {
    /// Takes the lines `ok N - name` that come next, as long as they are numbered in order, need no closer look and
    /// nothing hangs on them. Each becomes the case that [`Document::point`] makes of it.
    pub(super) fn passes(&mut self, block: &mut Block<'_>) {
        if !block.rest().starts_with(b"ok ") || !self.has_begun() {
            return;
        }
        let ([level], None, None) = (self.levels.as_mut_slice(), &self.pending, &self.held) else { return };
        if level.next_name.is_some() || level.finished.is_some() {
            return;
        }
        let text = block.text();
        let all_plain = is_plain(text.as_bytes());
        let (before, mut at, mut count) = (block.number(), 0, 0);
        let mut last = None;
        while let Some(rest) = text.as_bytes().get(at..)
            && let Some(end) = memchr::memchr(b'\n', rest)
            && let Some((number, name)) = rest.get(..end).and_then(plain_pass)
            && number == level.points + 1
            && (all_plain || is_plain(name))
        {
            let name = text.get(at + end - name.len()..at + end).unwrap_or_default();
            level.points = number;
            count += 1;
            let lines = Lines::one(before.saturating_add(count));
            let case = NewCase { id: name, name_len: name.len(), status: Status::Passed, lines };
            last = Some((level.cases.push(case, |_| Vec::new()), Status::Passed));
            at += end + 1;
        }
        if last.is_none() {
            return;
        }
        self.last = last;
        block.pass(at, count);
        self.touch(block.number());
    }
}

#[cfg(test)]
mod tests {
    use bstr::ByteSlice as _;

    use crate::{Feed, Format, Line, Options, Parser, Report, Stream};

    /// Hides that a parser takes many lines at once.
    struct OneByOne(Box<dyn Parser>);

    impl Parser for OneByOne {
        fn line(&mut self, line: Line<'_>, stream: Stream) {
            self.0.line(line, stream);
        }

        fn end(&mut self) -> Vec<Report> {
            self.0.end()
        }
    }

    fn reports_of(mut parser: Box<dyn Parser>, input: &[u8]) -> Vec<Report> {
        let mut feed = Feed::new(parser.as_mut());
        feed.push(input, Stream::Merged);
        feed.finish();
        parser.end()
    }

    /// A number below `end`, another each time.
    fn some_number(state: &mut u64, end: usize) -> usize {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) as usize % end
    }

    #[test]
    fn many_lines_at_once_are_read_as_one_by_one() {
        const PASSES: [&str; 4] = ["a", "b c - d", "\u{e9} \u{fc}", "t/x.js"];
        const OTHERS: [&[u8]; 38] = [
            b"not ok {} - a",
            b"ok",
            b"ok {}",
            b"ok {} a",
            b"ok {} - ",
            b"ok {} -  a ",
            b"ok {} - a # SKIP no",
            b"ok {} - a # time=3ms",
            b"ok {} - \\# a",
            b"ok {} - a {",
            b"}",
            b"ok {} - \xff",
            b"ok 3 - a",
            b"ok 03 - a",
            b"ok {} - a\tb ",
            b"not ok {} - t/x.js",
            b"TAP version 13",
            b"ok {} - aTAP version 13",
            b"1..9",
            b"1..{}",
            b"# Subtest: b",
            b"    ok 1 - x",
            b"    not ok 2 - y",
            b"    1..2",
            b"  ---",
            b"  error: 'x'",
            b"  ...",
            b"Bail out! now",
            b"# a comment",
            b"#   Failed test 'a'",
            b"output",
            b"",
            b"t/a.t .. ",
            b"Result: PASS",
            b"pragma +strict",
            b"\tok 1 - x",
            b"ok {}- a",
            b"ok {} - a\x0c",
        ];
        let mut state = 7;
        for document in 0..3000 {
            let (mut input, mut points) = (Vec::new(), 0);
            for _ in 0..20 {
                let line = match some_number(&mut state, OTHERS.len() + 60).checked_sub(60) {
                    Some(other) => OTHERS[other].to_vec(),
                    None => [b"ok {} - ", PASSES[some_number(&mut state, PASSES.len())].as_bytes()].concat(),
                };
                points += usize::from(line.starts_with(b"ok") || line.starts_with(b"not ok"));
                let line = line.replace("{}", points.to_string());
                input.extend_from_slice(&line);
                input.push(b'\n');
            }
            let parser = || Format::find("tap").unwrap().parser(&Options::default());
            let one_by_one = reports_of(Box::new(OneByOne(parser())), &input);
            assert_eq!(reports_of(parser(), &input), one_by_one, "{document}: {}", input.escape_ascii());
        }
    }
}

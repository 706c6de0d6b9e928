//! Whole lines that need no cleaning, many at once.

use crate::feed::Line;

/// Lines that stand one behind the other, each with its end, without escape sequences and carriage returns.
#[derive(Debug, Clone)]
pub struct Block<'a> {
    rest: &'a [u8],
    /// What of it is text, once somebody asked.
    text: Option<&'a str>,
    /// The number of the line before.
    number: u32,
}

impl<'a> Block<'a> {
    /// The lines of these bytes, which end in a line feed, behind the line of this number.
    pub(crate) fn new(bytes: &'a [u8], number: u32) -> Self {
        Self { rest: bytes, text: None, number }
    }

    /// The number of the line before the next.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// The bytes of the lines that are left.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The lines that are left, as far as they are UTF-8. The bytes are looked at once a block.
    pub(crate) fn text(&mut self) -> &'a str {
        let rest = self.rest;
        self.text.get_or_insert_with(|| valid_start(rest))
    }

    /// Passes over whole lines that were read.
    pub(crate) fn pass(&mut self, bytes: usize, lines: u32) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
        self.text = self.text.map(|text| text.get(bytes..).unwrap_or_default());
        self.number = self.number.saturating_add(lines);
    }
}

impl<'a> Iterator for Block<'a> {
    type Item = Line<'a>;

    #[inline]
    fn next(&mut self) -> Option<Line<'a>> {
        let end = memchr::memchr(b'\n', self.rest)?;
        let text = self.rest.get(..end)?;
        self.pass(end + 1, 1);
        Some(Line { text, number: self.number, ended: true })
    }
}

fn valid_start(bytes: &[u8]) -> &str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            bytes.get(..error.valid_up_to()).and_then(|valid| std::str::from_utf8(valid).ok()).unwrap_or("")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_their_numbers() {
        let mut block = Block::new(b"a\n\nb\nc\n", 4);
        assert_eq!(block.next().map(|line| (line.text, line.number, line.ended)), Some((&b"a"[..], 5, true)));
        block.pass(3, 2);
        assert_eq!((block.rest(), block.number()), (&b"c\n"[..], 7));
        assert_eq!(block.map(|line| (line.text, line.number)).collect::<Vec<_>>(), [(&b"c"[..], 8)]);
    }

    #[test]
    fn text_ends_where_it_is_none() {
        let mut block = Block::new(b"\xc3\xa9\na\xff\nb\n", 0);
        assert_eq!(block.text(), "\u{e9}\na");
        block.next();
        assert_eq!(block.text(), "a");
        block.next();
        assert_eq!((block.text(), block.rest()), ("", &b"b\n"[..]));
    }
}

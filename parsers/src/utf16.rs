//! UTF-16 on its way to UTF-8: what PowerShell writes where another shell redirects bytes.

/// Decodes the blocks of one stream. Files that were put together may differ: after a byte order mark of the other kind
/// units are read the other way round, and where a tag stands in bytes of ASCII, bytes follow.
#[derive(Debug)]
pub(crate) struct Utf16 {
    little: bool,
    /// The first byte of a unit whose second hasn't come.
    odd: Option<u8>,
    /// The first unit of a pair whose second hasn't come.
    high: Option<u16>,
    /// Units that may be the bytes of a tag.
    tag: Vec<[u8; 2]>,
    /// The units have ended.
    bytes: bool,
    text: String,
}

const BYTE_ORDER_MARK: u16 = 0xfeff;

/// So many units whose bytes are all ASCII are no writing of anybody, but a tag: `<testsuite n`
const TAG: usize = 6;

impl Utf16 {
    /// Whether a stream that starts with this byte may be UTF-16.
    pub(crate) fn may_start(byte: u8) -> bool {
        matches!(byte, 0xff | 0xfe | b'<' | 0)
    }

    /// A decoder, if a stream that starts so is UTF-16: by its byte order mark, or as XML without one.
    pub(crate) fn of(start: [u8; 2]) -> Option<Self> {
        let little = match start {
            [0xff, 0xfe] | [b'<', 0] => true,
            [0xfe, 0xff] | [0, b'<'] => false,
            _ => return None,
        };
        Some(Self { little, odd: None, high: None, tag: Vec::new(), bytes: false, text: String::new() })
    }

    /// The text of the next block. A half unit or pair waits for the next; half a pair alone becomes U+FFFD.
    pub(crate) fn decode(&mut self, block: &[u8]) -> Vec<u8> {
        if self.bytes {
            return block.to_vec();
        }
        self.text.clear();
        self.text.reserve(block.len());
        let mut bytes = self.odd.take().into_iter().chain(block.iter().copied());
        while let Some(first) = bytes.next() {
            let Some(second) = bytes.next() else {
                self.odd = Some(first);
                break;
            };
            self.pair([first, second]);
            if self.tag.len() == TAG {
                self.bytes = true;
                let mut text = std::mem::take(&mut self.text).into_bytes();
                text.extend(self.tag.drain(..).flatten());
                text.extend(bytes);
                return text;
            }
        }
        std::mem::take(&mut self.text).into_bytes()
    }

    /// What was held back to the end.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        self.text.clear();
        self.no_tag();
        std::mem::take(&mut self.text).into_bytes()
    }

    fn pair(&mut self, pair: [u8; 2]) {
        let is_ascii = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\r');
        let may_be_tag = if self.tag.is_empty() { pair[0] == b'<' } else { true };
        if may_be_tag && pair.iter().all(is_ascii) {
            self.tag.push(pair);
            return;
        }
        if !self.tag.is_empty() {
            self.no_tag();
        }
        self.unit(self.number(pair));
    }

    fn no_tag(&mut self) {
        for pair in std::mem::take(&mut self.tag) {
            self.unit(self.number(pair));
        }
    }

    fn number(&self, pair: [u8; 2]) -> u16 {
        if self.little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) }
    }

    fn unit(&mut self, unit: u16) {
        if let Some(high) = self.high.take() {
            match char::decode_utf16([high, unit]).next() {
                Some(Ok(character)) => return self.text.push(character),
                _ => self.text.push(char::REPLACEMENT_CHARACTER),
            }
        }
        match unit {
            BYTE_ORDER_MARK => {}
            0xfffe => self.little = !self.little,
            0xd800..=0xdbff => self.high = Some(unit),
            _ => self.text.push(char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Feed, Line, Parser, Report, Stream};

    #[derive(Default)]
    struct Seen(Vec<(String, u32)>);

    impl Parser for Seen {
        fn line(&mut self, line: Line<'_>, _: Stream) {
            self.0.push((String::from_utf8(line.text.to_vec()).unwrap(), line.number));
        }

        fn end(&mut self) -> Vec<Report> {
            Vec::new()
        }
    }

    #[track_caller]
    fn check(bytes: &[u8], want: &[&str]) {
        for size in [1, 2, 3, 1000] {
            let mut seen = Seen::default();
            let mut feed = Feed::new(&mut seen);
            bytes.chunks(size).for_each(|block| feed.push(block, Stream::Merged));
            feed.finish();
            let numbered: Vec<_> = want.iter().map(|line| (*line).to_owned()).zip(1..).collect();
            assert_eq!(seen.0, numbered, "in blocks of {size}");
        }
    }

    fn units(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn a_byte_order_mark_tells() {
        let text = "\u{feff}ok 1 - é\r\n\u{10a}\u{a0a}\u{1f600}\n";
        check(&units(text, u16::to_le_bytes), &["ok 1 - é", "\u{10a}\u{a0a}\u{1f600}"]);
        check(&units(text, u16::to_be_bytes), &["ok 1 - é", "\u{10a}\u{a0a}\u{1f600}"]);
    }

    #[test]
    fn xml_tells_without_one() {
        check(&units("<a>\n<b>", u16::to_le_bytes), &["<a>", "<b>"]);
        check(&units("<a>\n<b>", u16::to_be_bytes), &["<a>", "<b>"]);
    }

    #[test]
    fn half_a_pair_is_replaced() {
        check(b"\xff\xfea\0\x00\xd8b\0\n\0", &["a\u{fffd}b"]);
        check(b"\xff\xfe\x00\xdc", &["\u{fffd}"]);
    }

    #[test]
    fn files_that_were_put_together() {
        let (little, big) = (u16::to_le_bytes as fn(u16) -> [u8; 2], u16::to_be_bytes as fn(u16) -> [u8; 2]);
        let joined = |parts: [Vec<u8>; 2]| parts.concat();
        let (one, two) = ("\u{feff}<a>\n", "\u{feff}<b>\n");
        for (first, second) in [(little, little), (little, big), (big, little), (big, big)] {
            check(&joined([units(one, first), units(two, second)]), &["<a>", "<b>"]);
        }
        let bytes = "<testsuite name='é'>\n";
        for first in [little, big] {
            check(&joined([units(one, first), bytes.into()]), &["<a>", bytes.trim_end()]);
        }
    }

    #[test]
    fn few_units_like_ascii_are_text() {
        // U+743C is `<t`, read as units.
        check(
            &units("<\u{743c}\u{743c}\u{743c}>\n\u{743c}\u{743c}", u16::to_le_bytes),
            &["<\u{743c}\u{743c}\u{743c}>", "\u{743c}\u{743c}"],
        );
    }

    #[test]
    fn other_starts_are_bytes() {
        check(b"<a>\n", &["<a>"]);
        check(b"<", &["<"]);
        check(b"", &[]);
        check(b"\xef\xbb\xbfok\n", &["ok"]);
    }
}

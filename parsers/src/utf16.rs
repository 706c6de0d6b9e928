//! UTF-16 on its way to UTF-8: what PowerShell writes where another shell redirects bytes.

/// Decodes the blocks of one stream.
#[derive(Debug)]
pub(crate) struct Utf16 {
    little: bool,
    /// The first byte of a unit whose second hasn't come.
    odd: Option<u8>,
    /// The first unit of a pair whose second hasn't come.
    high: Option<u16>,
    text: String,
}

const BYTE_ORDER_MARK: u16 = 0xfeff;

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
        Some(Self { little, odd: None, high: None, text: String::new() })
    }

    /// The text of the next block. A half unit or pair waits for the next; half a pair alone becomes U+FFFD.
    pub(crate) fn decode(&mut self, block: &[u8]) -> String {
        self.text.clear();
        self.text.reserve(block.len());
        let mut bytes = self.odd.take().into_iter().chain(block.iter().copied());
        while let Some(first) = bytes.next() {
            let Some(second) = bytes.next() else {
                self.odd = Some(first);
                break;
            };
            let pair = [first, second];
            self.unit(if self.little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) });
        }
        std::mem::take(&mut self.text)
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
    fn other_starts_are_bytes() {
        check(b"<a>\n", &["<a>"]);
        check(b"<", &["<"]);
        check(b"", &[]);
        check(b"\xef\xbb\xbfok\n", &["ok"]);
    }
}

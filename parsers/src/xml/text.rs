//! Bytes of a document as text: its encoding, entities, line ends, and what XML doesn't allow.

use std::borrow::Cow;

use quick_xml::escape::{resolve_xml_entity, unescape_with};

use super::mended::Oddity;
use crate::text::escape_len;

/// How a document encodes text beyond ASCII.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Charset {
    /// Also what UTF-16 has become by now, and what declares an encoding that isn't known here.
    #[default]
    Utf8,
    Windows1252,
}

/// What windows-1252 has where ISO 8859-1 has control characters: bytes 0x80 to 0x9f.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

impl Charset {
    /// The encoding that a declaration names. As browsers do, ISO 8859-1 is read as windows-1252, which adds to it.
    pub(super) fn declared(declaration: &[u8]) -> Self {
        let lower = declaration.to_ascii_lowercase();
        let named = |name: &[u8]| memchr::memmem::find(&lower, name).is_some();
        let latin = [&b"iso-8859-1\""[..], b"iso-8859-1'", b"latin1", b"latin-1", b"windows-1252", b"cp1252"];
        if latin.into_iter().any(named) { Self::Windows1252 } else { Self::Utf8 }
    }

    fn char(byte: u8) -> char {
        let windows = byte.checked_sub(0x80).and_then(|place| WINDOWS.get(usize::from(place)));
        windows.copied().unwrap_or(char::from(byte))
    }

    /// These bytes, which hold no control character but tabs and line feeds, if they are text as it stands.
    pub(super) fn plain(self, bytes: &[u8]) -> Option<&str> {
        let text = std::str::from_utf8(bytes).ok()?;
        (self == Self::Utf8 || text.is_ascii()).then_some(text)
    }

    /// These bytes as text that holds nothing that XML forbids but escaped characters.
    pub(super) fn decode<'a>(self, bytes: &'a [u8], odd: &mut impl FnMut(Oddity)) -> Cow<'a, str> {
        let text = match (std::str::from_utf8(bytes), self) {
            (Ok(text), Self::Utf8) => Cow::Borrowed(text),
            (Ok(text), Self::Windows1252) if text.is_ascii() => Cow::Borrowed(text),
            (_, Self::Windows1252) => Cow::Owned(bytes.iter().map(|byte| Self::char(*byte)).collect()),
            (Err(_), Self::Utf8) => {
                odd(Oddity::Encoding);
                String::from_utf8_lossy(bytes)
            }
        };
        if has_control(text.as_bytes()) {
            odd(Oddity::Control);
            return Cow::Owned(text.chars().filter(|character| is_allowed(*character)).collect());
        }
        match memchr::memchr(b'\r', text.as_bytes()) {
            Some(_) => Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")),
            None => text,
        }
    }
}

/// Whether a control character is there that XML 1.0 doesn't allow.
pub(super) fn has_control(bytes: &[u8]) -> bool {
    any(bytes, |byte| (byte < 0x20) & (byte != b'\t') & (byte != b'\n') & (byte != b'\r'))
}

pub(super) fn has_control_or_return(bytes: &[u8]) -> bool {
    any(bytes, |byte| (byte < 0x20) & (byte != b'\t') & (byte != b'\n'))
}

/// Without a branch, so that it takes many bytes at a time.
#[inline]
fn any(bytes: &[u8], is_such: impl Fn(u8) -> bool) -> bool {
    bytes.chunks(4096).any(|block| block.iter().fold(false, |seen, byte| seen | is_such(*byte)))
}

fn is_allowed(character: char) -> bool {
    !matches!(character, '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\u{fffe}' | '\u{ffff}')
}

/// Entities resolved. A bare `&` and an entity that isn't one of XML's own stay as they are: nothing is ever expanded.
pub(super) fn unescape<'a>(raw: &'a str, odd: &mut impl FnMut(Oddity)) -> Cow<'a, str> {
    if memchr::memchr(b'&', raw.as_bytes()).is_none() {
        return Cow::Borrowed(raw);
    }
    // Said by name: what is predefined otherwise depends on features that another crate may turn on.
    let text = unescape_with(raw, resolve_xml_entity).unwrap_or_else(|_| {
        odd(Oddity::Ampersand);
        Cow::Owned(unescape_leniently(raw))
    });
    if has_control(text.as_bytes()) || text.contains(['\u{fffe}', '\u{ffff}']) {
        odd(Oddity::Control);
        let text = without_escapes(text.as_bytes());
        let text = String::from_utf8_lossy(&text);
        return Cow::Owned(text.chars().filter(|character| is_allowed(*character)).collect());
    }
    text
}

fn unescape_leniently(raw: &str) -> String {
    /// No entity of XML is longer: `&#x0010ffff;`
    const LONGEST: usize = 16;
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('&') {
        let (before, entity) = rest.split_at(at);
        text.push_str(before);
        let end = entity.bytes().take(LONGEST).position(|byte| byte == b';').map(|end| end + 1);
        let known = end.and_then(|end| entity.get(..end)).and_then(|entity| {
            unescape_with(entity, resolve_xml_entity).ok().map(|text| (entity.len(), text))
        });
        match known {
            Some((len, character)) => {
                text.push_str(&character);
                rest = entity.get(len..).unwrap_or("");
            }
            // A reference to what no text can hold.
            None if entity.starts_with("&#") && end.is_some() => {
                rest = entity.get(end.unwrap_or(1)..).unwrap_or("");
            }
            None => {
                text.push('&');
                rest = entity.get(1..).unwrap_or("");
            }
        }
    }
    text + rest
}

/// Where text was cut, the last character may have been cut in two: its first bytes go.
pub(super) fn drop_half_character(bytes: &mut Vec<u8>) {
    for back in 1..=bytes.len().min(3) {
        let at = bytes.len() - back;
        let needs = match bytes.get(at) {
            Some(0x80..=0xbf) => continue,
            Some(0xc0..=0xdf) => 2,
            Some(0xe0..=0xef) => 3,
            Some(0xf0..=0xff) => 4,
            _ => 1,
        };
        if back < needs {
            bytes.truncate(at);
        }
        return;
    }
}

/// An escape sequence is at most this long.
const LONGEST_ESCAPE: usize = 4096;

/// The length of the escape sequence at the start of `bytes`; `None` if it may go on behind them. A sequence doesn't go
/// on over the end of its line.
pub(super) fn whole_escape(bytes: &[u8]) -> Option<usize> {
    let window = bytes.get(..LONGEST_ESCAPE).unwrap_or(bytes);
    let end = memchr::memchr(b'\n', window);
    let line = window.get(..end.unwrap_or(window.len())).unwrap_or(window);
    let len = escape_len(line);
    let complete_at = match line.get(1) {
        None => 2,
        Some(b'[') => 64,
        Some(b']' | b'P' | b'X' | b'^' | b'_') => LONGEST_ESCAPE,
        Some(0x20..=0x2f) => 3,
        Some(_) => 0,
    };
    (end.is_some() || len > 2 || line.len() >= complete_at).then_some(len)
}

/// Bytes without the escape sequences of a terminal.
pub(super) fn without_escapes(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = memchr::memchr(b'\x1b', rest) {
        let (before, escape) = rest.split_at(at);
        out.extend_from_slice(before);
        let len = whole_escape(escape).unwrap_or_else(|| escape_len(escape));
        rest = escape.get(len..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(raw: &str, want: &str, odd: &[Oddity]) {
        let mut saw = Vec::new();
        assert_eq!(unescape(raw, &mut |what| saw.push(what)), want);
        assert_eq!(saw, odd, "{raw}");
    }

    #[test]
    fn entities_of_xml_alone_are_resolved() {
        check("a &lt; b &#65;&#x42;", "a < b AB", &[]);
        check("a & b &amp; c", "a & b & c", &[Oddity::Ampersand]);
        check("&lol; &eacute; &amp", "&lol; &eacute; &amp", &[Oddity::Ampersand]);
        check("x&#0;y", "xy", &[Oddity::Ampersand]);
        check("&#27;[31mred&#27;[0m&#xffff;", "red", &[Oddity::Control]);
    }

    #[test]
    fn bytes_are_text_by_the_declared_encoding() {
        let decode = |charset: Charset, bytes: &[u8]| {
            let mut saw = Vec::new();
            (charset.decode(bytes, &mut |what| saw.push(what)).into_owned(), saw)
        };
        assert_eq!(decode(Charset::Utf8, "é".as_bytes()), ("é".to_owned(), vec![]));
        assert_eq!(
            decode(Charset::Utf8, b"a\xe9\x00b"),
            ("a\u{fffd}b".to_owned(), vec![Oddity::Encoding, Oddity::Control])
        );
        assert_eq!(decode(Charset::Windows1252, b"\xe9\x80"), ("é€".to_owned(), vec![]));
        assert_eq!(decode(Charset::Utf8, b"a\r\nb\rc"), ("a\nb\nc".to_owned(), vec![]));
        assert_eq!(Charset::declared(b"<?xml version='1.0' encoding='ISO-8859-1'?>"), Charset::Windows1252);
        assert_eq!(Charset::declared(b"<?xml version='1.0' encoding='ISO-8859-15'?>"), Charset::Utf8);
    }
}

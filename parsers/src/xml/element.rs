//! A start tag: its name and its attributes.

use std::borrow::Cow;
use std::ops::Range;

use quick_xml::events::attributes::Attributes;

use super::mended::Oddity;
use super::tag::LONGEST_VALUE;
use super::text::unescape;

/// No element of a report has more.
pub(super) const MOST_ATTRIBUTES: usize = 64;

/// Where the attributes of a tag stand in its text: key and value. Used again for each tag.
pub(super) type Spans = Vec<(Range<usize>, Range<usize>)>;

/// A start tag.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Element<'a> {
    text: &'a str,
    name: &'a str,
    spans: &'a [(Range<usize>, Range<usize>)],
    /// Whether there may be an entity in it.
    has_entities: bool,
    /// The line in which it starts.
    pub(crate) line: u32,
}

impl<'a> Element<'a> {
    /// Reads the text between `<` and `>`, without the slash of an empty element.
    pub(super) fn read(text: &'a str, line: u32, spans: &'a mut Spans, odd: &mut impl FnMut(Oddity)) -> Self {
        let name = text.find(|character: char| character.is_ascii_whitespace()).unwrap_or(text.len());
        spans.clear();
        if !well_formed(text, name, spans) {
            odd(Oddity::Attributes);
            spans.clear();
            leniently(text, name, spans);
        }
        if spans.len() > MOST_ATTRIBUTES {
            odd(Oddity::ManyAttributes);
            spans.truncate(MOST_ATTRIBUTES);
        }
        let has_entities = memchr::memchr(b'&', text.as_bytes()).is_some();
        let element = Self::of(text, name, line, spans, has_entities);
        if element.repeats_a_key() {
            odd(Oddity::Attributes);
        }
        element
    }

    /// The element of a tag whose attributes are known.
    pub(super) fn of(text: &'a str, name: usize, line: u32, spans: &'a Spans, has_entities: bool) -> Self {
        let name = local(text.get(..name).unwrap_or(""));
        Self { text, name, spans, has_entities, line }
    }

    /// Its name without a namespace.
    pub(crate) fn name(&self) -> &'a str {
        self.name
    }

    /// Whether an entity may stand in a value.
    pub(crate) fn has_entities(&self) -> bool {
        self.has_entities
    }

    /// The value of an attribute as it stands there. Of two with one key the first counts.
    pub(crate) fn raw(&self, key: &str) -> Option<&'a str> {
        let is_it = |span: &Range<usize>| self.text.get(span.clone()).is_some_and(|text| text == key);
        let (_, value) = self.spans.iter().find(|(span, _)| is_it(span))?;
        self.text.get(value.clone())
    }

    /// The attributes as they stand there, each with its key. One key may come twice.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        let text = self.text;
        self.spans
            .iter()
            .filter_map(move |(key, value)| Some((text.get(key.clone())?, text.get(value.clone())?)))
    }

    /// The value of an attribute, at most 64 KiB of it.
    pub(crate) fn value(&self, key: &str, odd: &mut impl FnMut(Oddity)) -> Option<Cow<'a, str>> {
        Some(self.text(self.raw(key)?, odd))
    }

    /// What an attribute's value says, at most 64 KiB of it.
    pub(crate) fn text(&self, raw: &'a str, odd: &mut impl FnMut(Oddity)) -> Cow<'a, str> {
        let mut end = raw.len();
        if end > LONGEST_VALUE {
            odd(Oddity::LongValue);
            end = LONGEST_VALUE;
            while !raw.is_char_boundary(end) {
                end -= 1;
            }
        }
        let raw = raw.get(..end).unwrap_or("");
        if self.has_entities { unescape(raw, odd) } else { Cow::Borrowed(raw) }
    }

    /// The value of an attribute that is a count.
    pub(crate) fn count(&self, key: &str) -> Option<u64> {
        let text = self.raw(key)?.trim();
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().or(is_number.then_some(u64::MAX))
    }

    pub(super) fn repeats_a_key(&self) -> bool {
        let key = |span: &Range<usize>| self.text.as_bytes().get(span.clone());
        let mut marks: u64 = 0;
        let mut before = self.spans.iter().enumerate();
        before.any(|(at, (one, _))| {
            let first = self.text.as_bytes().get(one.start).copied().unwrap_or(0);
            let mark = key_mark(first, one.len());
            let may_repeat = marks & mark != 0;
            marks |= mark;
            may_repeat && self.spans.iter().take(at).any(|(other, _)| key(one) == key(other))
        })
    }
}

/// A bit for a key: keys differ in length or first byte, nearly all.
pub(super) fn key_mark(first: u8, len: usize) -> u64 {
    1 << ((usize::from(first) + 8 * len) & 63)
}

/// A name without the prefix of its namespace.
fn local(name: &str) -> &str {
    let colon = name.bytes().rposition(|byte| byte == b':');
    colon.and_then(|colon| name.get(colon + 1..)).unwrap_or(name)
}

/// Reads attributes as XML has them.
fn well_formed(text: &str, name: usize, spans: &mut Spans) -> bool {
    let place = |part: &str| {
        let start = (part.as_ptr() as usize).wrapping_sub(text.as_ptr() as usize);
        start..start + part.len()
    };
    let mut attributes = Attributes::new(text, name);
    for attribute in attributes.with_checks(false) {
        let Ok(attribute) = attribute else { return false };
        let (key, Cow::Borrowed(value)) = (attribute.key.into_inner(), attribute.value) else { return false };
        let (key, value) = (place(key), place(value));
        // A blank parts an attribute from the one before it, and no name holds a quote.
        let parted = key.start.checked_sub(1).and_then(|at| text.as_bytes().get(at));
        let named = text
            .as_bytes()
            .get(key.clone())
            .is_some_and(|key| key.iter().all(|byte| in_key(*byte) || !byte.is_ascii()));
        if !parted.is_some_and(u8::is_ascii_whitespace) || !named {
            return false;
        }
        spans.push((key, value));
        if spans.len() > MOST_ATTRIBUTES {
            break;
        }
    }
    true
}

/// Reads attributes of a writer that does not escape quotes, or forgets one.
///
/// A quote ends a value if `key=` follows behind a blank, or `key="`, or the end of the tag. A value that ends with ` key=` had no
/// quote at its end: it is cut there.
fn leniently(text: &str, name: usize, spans: &mut Spans) {
    let bytes = text.as_bytes();
    let mut at = name;
    while let Some((key, open)) = next_key(bytes, at) {
        if spans.len() > MOST_ATTRIBUTES {
            return;
        }
        let Some(quote) = bytes.get(open).copied().filter(|byte| matches!(byte, b'"' | b'\'')) else {
            let rest = bytes.get(open..).unwrap_or_default();
            let end = open + rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
            spans.push((key, open..end));
            at = end;
            continue;
        };
        let start = open + 1;
        let mut end = start;
        loop {
            let rest = bytes.get(end..).unwrap_or_default();
            let Some(stop) = memchr::memchr(quote, rest) else {
                end = bytes.len();
                at = end;
                break;
            };
            end += stop;
            let unclosed = bytes.get(start..end).and_then(ends_with_key);
            if let Some(value) = unclosed.filter(|_| !ends_value(bytes.get(end + 1..).unwrap_or_default())) {
                end = start + value;
                at = end;
                break;
            }
            if ends_value(bytes.get(end + 1..).unwrap_or_default()) {
                at = end + 1;
                break;
            }
            end += 1;
        }
        spans.push((key, start..end));
    }
}

/// The next `key=`: the key, and where its value starts.
fn next_key(bytes: &[u8], from: usize) -> Option<(Range<usize>, usize)> {
    let mut start = from;
    loop {
        let rest = bytes.get(start..)?;
        let equals = start + memchr::memchr(b'=', rest)?;
        let before = bytes.get(start..equals)?.trim_ascii_end();
        let len = before.iter().rev().take_while(|byte| in_key(**byte)).count();
        let end = start + before.len();
        if len == 0 {
            start = equals + 1;
            continue;
        }
        let after = bytes.get(equals + 1..)?;
        let blanks = after.len() - after.trim_ascii_start().len();
        return Some((end - len..end, equals + 1 + blanks));
    }
}

/// Whether the bytes behind a quote say that it ended its value.
fn ends_value(after: &[u8]) -> bool {
    let rest = after.trim_ascii_start();
    if rest.is_empty() {
        return true;
    }
    let len = rest.iter().take_while(|byte| in_key(**byte)).count();
    let behind = rest.get(len..).unwrap_or_default();
    match behind.trim_ascii_start().strip_prefix(b"=") {
        None => false,
        Some(value) => {
            len > 0 && (rest.len() < after.len() || value.starts_with(b"\"") || value.starts_with(b"'"))
        }
    }
}

/// Where a value ends that runs into the next attribute's ` key=`.
fn ends_with_key(value: &[u8]) -> Option<usize> {
    let before = value.strip_suffix(b"=")?;
    let len = before.iter().rev().take_while(|byte| in_key(**byte)).count();
    let rest = before.get(..before.len() - len)?;
    let trimmed = rest.trim_ascii_end();
    (len > 0 && trimmed.len() < rest.len()).then_some(trimmed.len())
}

pub(super) fn in_key(byte: u8) -> bool {
    const IN_KEY: [bool; 256] = {
        let mut table = [false; 256];
        let mut byte: u8 = 0;
        while byte < 128 {
            table[byte as usize] = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':');
            byte += 1;
        }
        table
    };
    IN_KEY[usize::from(byte)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &[(&str, &str)], odd: bool) {
        let (mut spans, mut saw) = (Vec::new(), false);
        let element = Element::read(text, 1, &mut spans, &mut |_| saw = true);
        let read: Vec<_> =
            element.spans.iter().map(|(key, value)| (&text[key.clone()], &text[value.clone()])).collect();
        assert_eq!(read, want, "{text}");
        assert_eq!(saw, odd, "{text}");
    }

    #[test]
    fn well_formed_attributes() {
        check("testcase", &[], false);
        check("t a=\"1\"\n b = '2'", &[("a", "1"), ("b", "2")], false);
        check("t a=\"it's\" b=''", &[("a", "it's"), ("b", "")], false);
    }

    #[test]
    fn bare_quotes_belong_to_the_value() {
        check("t m=\"no \"a\" here\" b=\"2\"", &[("m", "no \"a\" here"), ("b", "2")], true);
        check("t m=\"expected \"a\"\"", &[("m", "expected \"a\"")], true);
    }

    #[test]
    fn a_forgotten_quote_ends_at_the_next_key() {
        check("t name=\"a class=\"b\" time=\"1\"", &[("name", "a"), ("class", "b"), ("time", "1")], true);
        check("t name=a b=\"2\"", &[("name", "a"), ("b", "2")], true);
        check("t name=\"a\"b=\"2\"", &[("name", "a"), ("b", "2")], true);
    }

    #[test]
    fn of_a_doubled_key_the_first_counts() {
        let mut spans = Vec::new();
        let mut saw = Vec::new();
        let element = Element::read("t a='1' a='2'", 1, &mut spans, &mut |what| saw.push(what));
        assert_eq!(element.raw("a"), Some("1"));
        assert_eq!(saw, [Oddity::Attributes]);
    }
}

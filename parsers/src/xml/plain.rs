//! A start tag as nearly every one is: whole, its attributes well-formed. It is read in one pass and without a copy.

use super::element::{MOST_ATTRIBUTES, Spans, in_key, key_mark};
use super::tag::LONGEST_VALUE;

/// What one pass over a tag found besides its attributes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PlainTag {
    /// How many bytes are its name.
    pub(super) name: usize,
    /// Where the last attribute ends.
    pub(super) end: usize,
    /// How many bytes belong to it, `>` included.
    pub(super) took: usize,
    /// Whether it is the whole element.
    pub(super) is_empty: bool,
    /// Whether two of its attributes may have one key.
    pub(super) may_repeat: bool,
}

/// Reads the tag whose name starts these bytes. `None`: it isn't plain, or goes on behind them; then `spans` tell
/// nothing.
pub(super) fn read(bytes: &[u8], spans: &mut Spans) -> Option<PlainTag> {
    spans.clear();
    let name = bytes.iter().position(|byte| !in_key(*byte))?;
    let mut end = name;
    let (mut marks, mut may_repeat) = (0, false);
    loop {
        let rest = bytes.get(end..)?;
        let blanks = rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
        let start = end + blanks;
        match rest.get(blanks..)? {
            [b'>', ..] => return Some(PlainTag { name, end, took: start + 1, is_empty: false, may_repeat }),
            [b'/', b'>', ..] => {
                return Some(PlainTag { name, end, took: start + 2, is_empty: true, may_repeat });
            }
            _ if blanks == 0 || spans.len() == MOST_ATTRIBUTES => return None,
            attribute => {
                let key = attribute.iter().position(|byte| !in_key(*byte)).filter(|len| *len > 0)?;
                let [b'=', quote @ (b'"' | b'\''), value @ ..] = attribute.get(key..)? else { return None };
                let len = memchr::memchr2(*quote, b'<', value)?;
                if len > LONGEST_VALUE || value.get(len) != Some(quote) {
                    return None;
                }
                let mark = key_mark(attribute.first().copied().unwrap_or(0), key);
                may_repeat |= marks & mark != 0;
                marks |= mark;
                let value = start + key + 2;
                spans.push((start..start + key, value..value + len));
                end = value + len + 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(tag: &str, want: Option<(usize, bool)>, attributes: &[(&str, &str)]) {
        let mut spans = Vec::new();
        let read = read(tag.as_bytes(), &mut spans);
        assert_eq!(read.as_ref().map(|tag| (tag.took, tag.is_empty)), want, "{tag}");
        if read.is_some() {
            let read: Vec<_> =
                spans.iter().map(|(key, value)| (&tag[key.clone()], &tag[value.clone()])).collect();
            assert_eq!(read, attributes, "{tag}");
        }
    }

    #[test]
    fn plain_tags_are_read() {
        check("a>b", Some((2, false)), &[]);
        check("a/>", Some((3, true)), &[]);
        check("a b=\"1 > 0\"\n c='\"' /> <x", Some((21, true)), &[("b", "1 > 0"), ("c", "\"")]);
    }

    #[test]
    fn a_key_that_comes_twice_is_seen() {
        let may_repeat = |tag: &str| read(tag.as_bytes(), &mut Vec::new()).unwrap().may_repeat;
        assert!(may_repeat("a b='1' b='2'>") && may_repeat("a b='1' c='2' b='3'/>"));
        assert!(!may_repeat("testcase classname='a' name='b' time='1'/>"));
    }

    #[test]
    fn what_is_not_plain_is_left() {
        for tag in
            ["a", "a b=\"1\"", "a b=\"1\" /", "a b=1>", "a b = \"1\">", "a b=\"<\">", "a b=\"1\"c=\"2\">"]
        {
            check(tag, None, &[]);
        }
        check("a<b>", None, &[]);
        check("a / >", None, &[]);
        let long = format!("a b=\"{}\">", "x".repeat(LONGEST_VALUE + 1));
        check(&long, None, &[]);
    }
}

//! Private keys in their text form (RFC 7468, and what OpenSSH and PGP make of it), which go over several lines.
//!
//! Only what stands between the two marks is a secret. A key may stand in a log, with something in front of each line,
//! or in a string, its line ends written as `\n`; and its end may be missing.

use std::ops::Range;

use super::{Secret, value};

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END";

/// So begins the line that stands for what was left out.
const GAP: &[u8] = "[… ".as_bytes();

/// A key has no more lines than this. (An RSA key of 16,384 bits has 200.)
const MOST_LINES: usize = 256;

/// No line of a key is longer, even where all of it is one line. What is looked at behind a mark stays bounded by it.
const LONGEST_LINE: usize = 16 << 10;

/// A key has no fewer signs of Base64 than this: Ed25519 in PKCS #8 has 64.
const FEWEST: usize = 40;

pub(super) fn private_keys(text: &[u8]) -> Vec<Secret> {
    let mut found: Vec<Secret> = Vec::new();
    let mut from = 0;
    for mark in memchr::memmem::find_iter(text, BEGIN) {
        if mark < from {
            continue;
        }
        let Some(start) = end_of_label(text, mark, BEGIN.len()) else { continue };
        let range = body(text, start);
        from = range.end;
        if is_key(text.get(range.clone()).unwrap_or_default()) {
            found.push(Secret { kind: "private-key", what: "a private key", range, is_guess: false });
        }
    }
    const NEAR: usize = 200;
    let whole: Vec<_> = found.iter().map(|secret| secret.range.clone()).collect();
    for mark in memchr::memmem::find_iter(text, END) {
        let after = whole.partition_point(|range: &Range<usize>| range.start <= mark);
        let is_known =
            after.checked_sub(1).and_then(|at| whole.get(at)).is_some_and(|range| mark <= range.end + NEAR);
        if !is_known && let Some(range) = body_before(text, mark) {
            found.push(Secret { kind: "private-key", what: "a private key", range, is_guess: false });
        }
    }
    found
}

/// What belongs to a key whose beginning was cut off, before the mark of its end.
fn body_before(text: &[u8], mark: usize) -> Option<Range<usize>> {
    end_of_label(text, mark, END.len() + 1)?;
    let line_start = |at: usize| {
        let earliest = at.saturating_sub(LONGEST_LINE);
        memchr::memrchr(b'\n', text.get(earliest..at).unwrap_or_default())
            .map_or(earliest, |end| earliest + end + 1)
    };
    let end = line_start(mark);
    let mut start = end;
    for _ in 0..MOST_LINES {
        let Some(before) = start.checked_sub(1) else { break };
        let from = line_start(before);
        let line = text.get(from..before).unwrap_or_default();
        if memchr::memmem::find(line, BEGIN).is_some() || key_text(line, false).is_none() {
            break;
        }
        start = from;
    }
    is_key(text.get(start..end).unwrap_or_default()).then_some(start..end)
}

/// Where the line `-----BEGIN … PRIVATE KEY-----`, or that of the end, ends; `None`: it is another.
fn end_of_label(text: &[u8], mark: usize, length_of_mark: usize) -> Option<usize> {
    const LONGEST: usize = 60;
    let start = mark + length_of_mark;
    let label = text.get(start..text.len().min(start + LONGEST))?;
    let length = memchr::memmem::find(label, b"-----")?;
    let label = label.get(..length)?;
    let is_private = label.ends_with(b"PRIVATE KEY") || label.ends_with(b"PRIVATE KEY BLOCK");
    let is_label =
        label.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b' ');
    (is_private && is_label).then_some(start + length + 5)
}

/// What belongs to the key behind its first mark.
fn body(text: &[u8], start: usize) -> Range<usize> {
    let (mut end, first) = (start, after_headers(text, start));
    let mut strange = 0;
    let mut at = first;
    for number in 0..MOST_LINES {
        let rest = text.get(at..text.len().min(at + LONGEST_LINE)).unwrap_or_default();
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = rest.get(..length).unwrap_or_default();
        if let Some(mark) = memchr::memmem::find(line, END) {
            // In a string it stands behind the key, in the last line of others behind what a log puts there.
            return first..if number == 0 { at + mark } else { at };
        }
        // Where an output was cut, what comes next is of something else.
        if line.starts_with(GAP) {
            break;
        }
        // In the first line stands only what a string goes on with.
        match key_text(line, number == 0) {
            Some(until) => {
                end = at + until;
                strange = 0;
            }
            None => strange += 1,
        }
        at += length + 1;
        if strange > 2 || at > text.len() {
            break;
        }
    }
    first..end.max(first)
}

/// Where the key begins behind its headers: `Proc-Type: 4,ENCRYPTED`, `Version: GnuPG v2`, each a line, then an empty
/// one. They stand in a string as `\n` too, and a log puts something in front of each.
fn after_headers(text: &[u8], start: usize) -> usize {
    const MOST: usize = 1 << 10;
    const MOST_HEADERS: usize = 8;
    let near = text.get(start..text.len().min(start + MOST)).unwrap_or_default();
    let mut at = 0;
    let mut first = 0;
    for number in 0..=MOST_HEADERS {
        let rest = near.get(at..).unwrap_or_default();
        let (length, end) = line_length(rest);
        let line = rest.get(..length).unwrap_or_default().trim_ascii();
        let is_header = memchr::memmem::find(line, b": ").is_some_and(|colon| {
            let name = line.get(..colon).unwrap_or_default();
            let name = name.rsplit(|byte| byte.is_ascii_whitespace() || *byte == b'|').next();
            name.is_some_and(|name| {
                name.first().is_some_and(u8::is_ascii_uppercase)
                    && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
            })
        });
        let is_blank = line.len() < 4 && !line.iter().any(u8::is_ascii_alphanumeric);
        if end == length || number > 0 && !is_header && !is_blank {
            break;
        }
        at += end;
        if is_header || first > 0 && is_blank {
            first = at;
        }
    }
    start + first
}

/// How long the first line is, without and with its end: a line feed, or one as strings write it.
fn line_length(text: &[u8]) -> (usize, usize) {
    let real = memchr::memchr(b'\n', text).map(|at| (at, at + 1));
    let written = memchr::memmem::find(text, b"\\n").map(|at| (at, at + 2));
    [real, written].into_iter().flatten().min().unwrap_or((text.len(), text.len()))
}

/// Whether a line is one of a key, and up to where: its last word is Base64, whatever a log puts before it.
fn key_text(line: &[u8], is_first: bool) -> Option<usize> {
    let line = line.trim_ascii_end();
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    if is_first {
        // `\nMIIE…\n`: signs of Base64 and of escapes only.
        let until = line.iter().position(|byte| !is_base64(byte) && *byte != b'\\').unwrap_or(line.len());
        return (until >= FEWEST).then_some(until);
    }
    let last = line.rsplit(|byte| byte.is_ascii_whitespace() || *byte == b'|').next().unwrap_or_default();
    // Quotes and a line end in writing stand around it where it is a string of a program.
    let inner = last.strip_prefix(b"\"").or_else(|| last.strip_prefix(b"'")).unwrap_or(last);
    let inner = inner.split(|byte| b"\\\"',".contains(byte)).next().unwrap_or_default();
    let is_whole = inner.len() + 8 >= line.trim_ascii().len();
    let is_body = !inner.is_empty() && inner.iter().all(is_base64) && (inner.len() >= 16 || is_whole);
    is_body.then_some(line.len())
}

fn is_key(body: &[u8]) -> bool {
    // What looks like a line of a key may follow one whose end is missing.
    const LOOKED_AT: usize = 160;
    let signs: Vec<u8> = body
        .iter()
        .copied()
        .filter(|byte| byte.is_ascii_alphanumeric() || b"+/".contains(byte))
        .take(LOOKED_AT)
        .collect();
    signs.len() >= FEWEST && value::entropy(&signs) >= 3.5 && !value::is_example(&signs)
}

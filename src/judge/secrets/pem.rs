//! Private keys in their text form (RFC 7468, and what OpenSSH and PGP make of it), which go over several lines.
//!
//! Only what stands between the two marks is a secret. A key may stand in a log, with something in front of each line,
//! or in a string, its line ends written as `\n`; and its end may be missing.

use std::ops::Range;

use super::{Secret, value};

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END";

/// A key has no more lines than this. (An RSA key of 16,384 bits has 200.)
const MOST_LINES: usize = 256;

/// A key has no fewer signs of Base64 than this: Ed25519 in PKCS #8 has 64.
const FEWEST: usize = 40;

pub(super) fn private_keys(text: &[u8]) -> Vec<Secret> {
    let mut found = Vec::new();
    let mut from = 0;
    for mark in memchr::memmem::find_iter(text, BEGIN) {
        if mark < from {
            continue;
        }
        let Some(start) = end_of_label(text, mark) else { continue };
        let range = body(text, start);
        from = range.end;
        if is_key(text.get(range.clone()).unwrap_or_default()) {
            found.push(Secret { kind: "private-key", what: "a private key", range, is_guess: false });
        }
    }
    found
}

/// Where the line `-----BEGIN … PRIVATE KEY-----` ends; `None`: it is another.
fn end_of_label(text: &[u8], mark: usize) -> Option<usize> {
    const LONGEST: usize = 60;
    let start = mark + BEGIN.len();
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
    let mut end = start;
    let mut strange = 0;
    let mut at = start;
    for number in 0..MOST_LINES {
        let rest = text.get(at..).unwrap_or_default();
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = rest.get(..length).unwrap_or_default();
        if let Some(mark) = memchr::memmem::find(line, END) {
            // In a string it stands behind the key, in the last line of others behind what a log puts there.
            return start..if number == 0 { at + mark } else { at };
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
    start..end
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
    let signs: Vec<u8> =
        body.iter().copied().filter(|byte| byte.is_ascii_alphanumeric() || b"+/".contains(byte)).collect();
    signs.len() >= FEWEST && value::entropy(&signs) >= 3.5 && !value::is_example(&signs)
}

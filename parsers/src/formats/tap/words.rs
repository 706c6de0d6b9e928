//! The wordings that diagnostics share: `key: value`, `TypeError: message`, places of Perl and Python.

use crate::text::{lossy, number};

pub(super) fn key_value(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = memchr::memchr(b':', text)?;
    let (key, value) = text.split_at(colon);
    let value = value.get(1..)?;
    let plain = key.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    (plain && !key.is_empty() && value.first().is_none_or(|byte| *byte == b' '))
        .then(|| (key, value.trim_ascii()))
}

/// A YAML scalar on its key's line; `None` where a block follows or nothing is said.
pub(super) fn value_text(value: &[u8]) -> Option<String> {
    let text = lossy(value);
    let quoted = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    if let Some(text) = quoted('\'') {
        return Some(text.replace("''", "'"));
    }
    if let Some(text) = quoted('"') {
        return Some(text.replace("\\\"", "\"").replace("\\n", "\n"));
    }
    let block = text.starts_with(['|', '>']) && text.len() <= 2;
    (!text.is_empty() && !block && text != "~").then(|| text.into_owned())
}

/// Whether a scalar begins with a double quote that its line does not close.
pub(super) fn opens_quote(value: &[u8]) -> bool {
    value.strip_prefix(b"\"").is_some_and(|rest| !closes_quote(rest))
}

/// Whether a line ends with a double quote that is not escaped.
pub(super) fn closes_quote(text: &[u8]) -> bool {
    let Some(before) = text.trim_ascii_end().strip_suffix(b"\"") else { return false };
    before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 0
}

/// `TypeError: message`, `Error [CODE]: message`, `package.SomeError`.
pub(super) fn error_line(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let len = text
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$'))
        .count();
    let (class, rest) = text.split_at(len);
    if !is_error_class(class) {
        return None;
    }
    let rest = match rest.strip_prefix(b" [") {
        Some(code) => code.get(memchr::memchr(b']', code)? + 1..)?,
        None => rest,
    };
    match rest {
        [] => Some((class, rest)),
        [b':', message @ ..] => Some((class, message.trim_ascii())),
        _ => None,
    }
}

pub(super) fn is_error_class(class: &[u8]) -> bool {
    let last = class.rsplit(|byte| *byte == b'.').next().unwrap_or(class);
    last.first().is_some_and(u8::is_ascii_uppercase)
        && (last.ends_with(b"Error") || last.ends_with(b"Exception"))
}

/// `test_x.py:5: AssertionError`
pub(super) fn placed_error(text: &[u8]) -> Option<(&[u8], u32, &[u8])> {
    let colon = memchr::memrchr(b':', text)?;
    let (place, class) = text.split_at(colon);
    let class = class.get(1..)?.trim_ascii();
    let (file, line) = place.split_at(memchr::memrchr(b':', place)?);
    let (line, b"") = number(line.get(1..)?)? else { return None };
    // `pytest.fail` raises what is called so.
    (is_error_class(class) || class == b"Failed").then_some(())?;
    Some((file, u32::try_from(line).ok()?, class))
}

/// `... at t/a.t line 5.`
pub(super) fn perl_site(text: &[u8]) -> Option<(&[u8], u32)> {
    let at = memchr::memmem::rfind(text, b" line ")?;
    let (before, rest) = text.split_at(at);
    let (line, rest) = number(rest.get(6..)?)?;
    let ends = rest.starts_with(b".") || rest.starts_with(b",") || rest.is_empty();
    let file = match before.strip_prefix(b"at ") {
        Some(file) => file,
        None => before.get(memchr::memmem::rfind(before, b" at ")? + 4..)?,
    };
    Some((file, u32::try_from(line).ok()?)).filter(|_| ends && !file.is_empty())
}

//! Making text from outside harmless before a person's terminal sees it.

use std::fmt::Write as _;

/// One line of text: whatever could move the cursor, change colours, reorder or hide is shown as an escape.
#[must_use]
pub fn safe(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '\t' => out.push(' '),
            '\n' => out.push_str("\\n"),
            _ if is_unsafe(sign) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(sign));
            }
            _ => out.push(sign),
        }
    }
    out
}

/// Bytes of one line, as [`safe`].
#[must_use]
pub fn safe_bytes(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(&safe(chunk.valid()));
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out
}

/// The first `width` signs of a safe line, with an ellipsis where more was there.
#[must_use]
pub fn cut(text: &str, width: usize) -> String {
    match text.char_indices().nth(width) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or("")),
    }
}

/// Control characters, and the format characters that hide or reorder text (Unicode TR 36).
fn is_unsafe(sign: char) -> bool {
    sign.is_control()
        || matches!(sign,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// `1 reason`, `2 reasons`.
#[must_use]
pub fn count(number: usize, one: &str) -> String {
    format!("{number} {one}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_shown() {
        assert_eq!(safe("a\x1b[2Jb\tc\u{202e}d\r"), "a\\u{1b}[2Jb c\\u{202e}d\\u{d}");
        assert_eq!(safe_bytes(b"\xffx\n"), "\\xffx\\n");
        assert_eq!(safe("grün › 測試"), "grün › 測試");
    }

    #[test]
    fn cutting_counts_signs() {
        assert_eq!(cut("grün", 4), "grün");
        assert_eq!(cut("grüne", 4), "grün…");
    }
}

//! How a value looks where something wrote it down: a program's own notation, JSON, XML, a URL, a shell.

use std::borrow::Cow;
use std::fmt::Write as _;

/// A value as it is, and as others write it.
pub(super) fn of(value: &str) -> Vec<String> {
    let json = serde_json::to_string(value).unwrap_or_default();
    let json = json.strip_prefix('"').and_then(|json| json.strip_suffix('"')).unwrap_or_default();
    let xml = |quote: &str, apostrophe: &str| {
        let value = value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        value.replace('"', quote).replace('\'', apostrophe)
    };
    let mut all = vec![
        value.to_owned(),
        value.escape_debug().to_string(),
        json.to_owned(),
        ascii(json),
        // JSON within JSON, as a log of a request has it.
        json.replace('\\', r"\\").replace('"', "\\\""),
        python(value, '\''),
        python(value, '"'),
        value.replace('\\', r"\\"),
        value.replace('\'', r"'\''"),
        xml("\"", "'"),
        xml("&quot;", "'"),
        xml("&quot;", "&#39;"),
        xml("&quot;", "&#x27;"),
        xml("&quot;", "&apos;"),
        percent(value, "-_.~"),
        percent(value, "-_.~/"),
        percent(value, "-_.!~*'()"),
        percent(value, "-_.~").replace("%20", "+"),
    ];
    all.retain(|spelling| !spelling.is_empty());
    all.sort_unstable();
    all.dedup();
    all
}

/// JSON of ASCII alone.
fn ascii(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for sign in json.chars() {
        if sign.is_ascii() && sign != '\x7f' {
            out.push(sign);
        } else {
            for unit in sign.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out
}

/// As Python's `repr` writes it within this quote.
fn python(value: &str, quote: char) -> String {
    let mut out = String::with_capacity(value.len());
    for sign in value.chars() {
        match sign {
            '\\' => out.push_str(r"\\"),
            '\t' => out.push_str(r"\t"),
            '\r' => out.push_str(r"\r"),
            sign if sign == quote => {
                out.push('\\');
                out.push(sign);
            }
            sign if sign.is_ascii_control() => {
                let _ = write!(out, "\\x{:02x}", u32::from(sign));
            }
            sign => out.push(sign),
        }
    }
    out
}

/// As a URL has it, with these signs left as they are.
fn percent(value: &str, kept: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || kept.as_bytes().contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// The text of a JSON document with what its strings write otherwise put back; `None`: there is nothing of that.
pub(super) fn unescaped(json: &[u8]) -> Option<Vec<u8>> {
    memchr::memchr(b'\\', json)?;
    let mut out = Vec::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(rest.get(..at).unwrap_or_default());
        let (sign, length) = escape(rest.get(at..).unwrap_or_default());
        match sign {
            Some(sign) => out.extend_from_slice(sign.encode_utf8(&mut [0; 4]).as_bytes()),
            None => out.extend_from_slice(rest.get(at..at + length).unwrap_or_default()),
        }
        rest = rest.get(at + length..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    Some(out)
}

/// What the escape at the beginning stands for, and how long it is. Half of a pair isn't put together: what is asked is
/// whether a secret is there.
fn escape(text: &[u8]) -> (Option<char>, usize) {
    let simple = |sign: char| (Some(sign), 2);
    match text.get(1) {
        Some(b'n') => simple('\n'),
        Some(b't') => simple('\t'),
        Some(b'r') => simple('\r'),
        Some(b'b') => simple('\x08'),
        Some(b'f') => simple('\x0c'),
        Some(b'u') => {
            let digits = text.get(2..6).map(String::from_utf8_lossy).unwrap_or(Cow::Borrowed(""));
            match u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32) {
                Some(sign) => (Some(sign), 6),
                None => (None, 2),
            }
        }
        Some(sign @ (b'"' | b'\\' | b'/')) => simple(char::from(*sign)),
        _ => (None, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_known_as_others_write_it() {
        let all = of("a\"b'c\\d\té<&\x1b /");
        for spelling in [
            "a\"b'c\\d\té<&\x1b /",
            r#"a\"b'c\\d\té<&\u001b /"#,
            r#"a\"b'c\\d\t\u00e9<&\u001b /"#,
            r#"a"b\'c\\d\té<&\x1b /"#,
            r#"a\"b'c\\d\té<&\x1b /"#,
            "a&quot;b&#39;c\\d\té&lt;&amp;\x1b /",
            "a%22b%27c%5Cd%09%C3%A9%3C%26%1B%20%2F",
            "a%22b%27c%5Cd%09%C3%A9%3C%26%1B+%2F",
            "a\"b'\\''c\\d\té<&\x1b /",
        ] {
            assert!(all.iter().any(|known| known == spelling), "{spelling}\n{all:#?}");
        }
        assert_eq!(of("plain-1"), ["plain-1"]);
    }

    #[test]
    fn json_is_read_as_what_it_says() {
        let of = |json: &str| unescaped(json.as_bytes()).map(|text| String::from_utf8(text).unwrap());
        assert_eq!(of("{}"), None);
        assert_eq!(of(r#"a\nb\u001bc\"\\\/\t"#).as_deref(), Some("a\nb\x1bc\"\\/\t"));
        assert_eq!(of("\\").as_deref(), Some("\\"));
        assert_eq!(of(r"\ud83d\u12").as_deref(), Some(r"\ud83d\u12"));
        assert_eq!(of(r"\é").as_deref(), Some(r"\é"));
    }
}

//! The lines of a `.gitattributes` that change what git writes into the work tree.

use bstr::ByteSlice as _;

use super::Slice;

/// One slice with the lines that set one of these attributes, or none when no line does. The order stays: the last line
/// that means a file wins.
pub(super) fn lines(bytes: &[u8], names: &[String]) -> Vec<Slice> {
    let text = bytes.to_str_lossy();
    let mut kept = String::new();
    for line in text.lines() {
        let line = line.trim_start();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (pattern, attributes) = cut(line);
        let set = |attribute: &&str| {
            let name = attribute.trim_start_matches(['-', '!']).split('=').next().unwrap_or_default();
            names.iter().any(|known| known == name)
        };
        for attribute in attributes.split_ascii_whitespace().filter(set) {
            kept.extend([pattern, " ", attribute, "\n"]);
        }
    }
    if kept.is_empty() { Vec::new() } else { vec![Slice::new("lines that set a filter", kept)] }
}

/// The pattern of a line, which may stand in quotes, and what follows it.
fn cut(line: &str) -> (&str, &str) {
    let mut escaped = false;
    let quoted = line.starts_with('"');
    let end = line.char_indices().skip(1).find(|(_, sign)| match (quoted, sign) {
        (true, '\\') => {
            escaped = !escaped;
            false
        }
        (true, '"') => !std::mem::take(&mut escaped),
        (true, _) => {
            escaped = false;
            false
        }
        (false, sign) => sign.is_ascii_whitespace(),
    });
    let end = end.map_or(line.len(), |(at, _)| at + usize::from(quoted));
    line.split_at_checked(end).unwrap_or((line, ""))
}

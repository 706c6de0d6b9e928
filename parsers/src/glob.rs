//! Names with `*` in them.

/// Whether a text is what a pattern means: `*` stands for any text, every other sign for itself.
#[must_use]
pub fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let head = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(head) else { return false };
    let Some(tail) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    rest.ends_with(tail)
}

#[cfg(test)]
mod tests {
    use super::glob;

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, text) in
            [("a", "a"), ("*", ""), ("a*", "ab"), ("*.pth", "x.pth"), ("a*b*c", "aXbbYc"), ("a**b", "ab")]
        {
            assert!(glob(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("a", "ab"), ("a*", "ba"), ("a*a", "a"), ("a*b*c", "acb"), ("", "a")] {
            assert!(!glob(pattern, text), "{pattern} {text}");
        }
    }
}

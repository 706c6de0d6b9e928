//! Titles of requirements, so that two that a person takes for one are one.

/// What may stand before a title, and says nothing.
pub(super) const PREFIXES: [&str; 5] = ["feature:", "requirement:", "epic:", "story:", "user story:"];

/// A title as it is compared: lower-case, trimmed, blanks collapsed, without Markdown's marks and one leading word such as
/// `Feature:`.
#[must_use]
pub fn title_key(title: &str) -> String {
    let text = plain(title).to_lowercase();
    let text = PREFIXES.iter().find_map(|prefix| text.strip_prefix(prefix)).unwrap_or(&text);
    text.trim().to_owned()
}

/// A text without Markdown's marks, its blanks collapsed.
#[must_use]
pub(super) fn plain(text: &str) -> String {
    let text = without_links(block_mark(text.trim()));
    let signs = text.chars().filter(|sign| !matches!(sign, '*' | '_' | '`' | '~'));
    signs.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text behind the marks that begin a heading, a quote, an item and its box.
fn block_mark(text: &str) -> &str {
    let mut text = text.trim_start_matches(['#', '>']).trim_start();
    if let Some(item) = item(text) {
        text = item;
    }
    for done in ["[ ]", "[x]", "[X]"] {
        if let Some(rest) = text.strip_prefix(done) {
            text = rest.trim_start();
        }
    }
    // Some close a heading as they began it.
    let open = text.trim_end_matches('#');
    if open.ends_with(' ') { open.trim_end() } else { text }
}

/// The text of a list's item; `None`: the line begins none.
pub(super) fn item(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let bullet = line.strip_prefix(['-', '*', '+']);
    let numbered = || {
        let digits = line.len() - line.trim_start_matches(|sign: char| sign.is_ascii_digit()).len();
        let rest = line.get(digits..)?;
        rest.strip_prefix(['.', ')']).filter(|_| (1..=9).contains(&digits))
    };
    let rest = bullet.or_else(numbered)?;
    let text = rest.trim();
    (rest.starts_with([' ', '\t']) && !text.is_empty()).then_some(text)
}

/// `[text](target)` as `text`.
fn without_links(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, link)) = rest.split_once('[') {
        out.push_str(before);
        match link.split_once("](").and_then(|(name, tail)| Some((name, tail.split_once(')')?.1))) {
            Some((name, after)) if !name.contains('[') => {
                out.push_str(name);
                rest = after;
            }
            _ => {
                out.push('[');
                rest = link;
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(title: &str, key: &str) {
        assert_eq!(title_key(title), key, "{title:?}");
    }

    #[test]
    fn what_says_nothing_goes() {
        check("  Export   as\tCSV ", "export as csv");
        check("Feature: Export", "export");
        check("USER STORY:  Export", "export");
        check("Feature: Epic: Export", "epic: export");
        check("**Feature:** `export_csv`", "exportcsv");
        check("### Story: Export ###", "export");
        check("- [x] *Export*", "export");
        check("2. Export", "export");
        check("[Export](docs/x.md) it", "export it");
        check("a [b", "a [b");
        check("C#", "c#");
        check("2.5 times faster", "2.5 times faster");
        check("featured: x", "featured: x");
        check("", "");
    }
}

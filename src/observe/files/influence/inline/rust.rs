//! The tests of a Rust file: items under a test attribute, and the examples of doc comments.

use super::Item;

/// The item that the examples of doc comments are.
pub(super) const DOCTESTS: &str = "doctests";
/// The item that a file is in which all is a test.
pub(super) const WHOLE: &str = "the whole file";

/// Every test item, in order. What lies within one belongs to it.
pub(super) fn items(text: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let mut at = 0;
    // Where the attributes before an item begin, and whether one of them says that it is a test.
    let mut attributes: Option<(usize, bool)> = None;
    while let Some(token) = Token::at(text, at) {
        match token.kind {
            Kind::Blank => {}
            Kind::Attribute => {
                let said = text.get(at..token.end).unwrap_or_default();
                if !said.starts_with("#![") {
                    let (start, before) = attributes.unwrap_or((at, false));
                    attributes = Some((start, before || is_test(said)));
                } else if is_test(said) {
                    return vec![Item { name: WHOLE.to_owned(), text: text.to_owned() }];
                }
            }
            Kind::Other => {
                if let Some((start, true)) = attributes.take() {
                    let end = item_end(text, at);
                    let name = name(text.get(at..end).unwrap_or_default());
                    items.push(Item { name, text: text.get(start..end).unwrap_or_default().to_owned() });
                    at = end;
                    continue;
                }
            }
        }
        at = token.end;
    }
    let examples = examples(text);
    if !examples.is_empty() {
        items.push(Item { name: DOCTESTS.to_owned(), text: examples });
    }
    items
}

/// Whether an attribute makes a test, or something that is there for tests alone.
fn is_test(attribute: &str) -> bool {
    let body = attribute.trim_start_matches(['#', '!', '[']).trim();
    let path: String = body.chars().take_while(|sign| is_word(*sign) || *sign == ':').collect();
    let last = path.rsplit("::").next().unwrap_or_default();
    match last {
        "cfg" | "cfg_attr" => body.split(|sign| !is_word(sign)).any(|word| word == "test"),
        _ => {
            ["test", "test_case", "bench", "case", "rstest", "quickcheck", "proptest"].contains(&last)
                || last.ends_with("_test")
        }
    }
}

fn is_word(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_'
}

/// The head of an item: what it is, and what it is called.
fn name(item: &str) -> String {
    let head = item.split(['{', '(', ';', '<', '=', ':']).next().unwrap_or_default();
    let words = head.split_whitespace().filter(|word| !["pub", "async", "unsafe", "const"].contains(word));
    words.collect::<Vec<_>>().join(" ")
}

/// Where the item that begins here ends: after its block, or after `;`.
fn item_end(text: &str, start: usize) -> usize {
    let (mut at, mut depth) = (start, 0_usize);
    while let Some(token) = Token::at(text, at) {
        let sign = text.as_bytes().get(at).filter(|_| token.kind == Kind::Other);
        at = token.end;
        match sign {
            Some(b'{' | b'(' | b'[') => depth += 1,
            Some(b')' | b']') => depth = depth.saturating_sub(1),
            Some(b'}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at;
                }
            }
            Some(b';') if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A blank or a comment.
    Blank,
    Attribute,
    /// A word, a text, or a sign.
    Other,
}

struct Token {
    kind: Kind,
    end: usize,
}

impl Token {
    /// The token that begins at a place; `None` at the end.
    fn at(text: &str, at: usize) -> Option<Self> {
        let rest = text.get(at..)?;
        let first = rest.chars().next()?;
        let (kind, length) = if rest.starts_with("//") {
            (Kind::Blank, rest.find('\n').unwrap_or(rest.len()))
        } else if rest.starts_with("/*") {
            (Kind::Blank, comment_end(rest))
        } else if first.is_whitespace() {
            (Kind::Blank, first.len_utf8())
        } else if rest.starts_with("#[") || rest.starts_with("#![") {
            (Kind::Attribute, attribute_end(rest))
        } else if let Some(length) = raw_text(rest) {
            (Kind::Other, length)
        } else if first == '"' {
            (Kind::Other, text_end(rest))
        } else if first == '\'' {
            (Kind::Other, char_end(rest))
        } else if is_word(first) {
            (Kind::Other, rest.find(|sign| !is_word(sign)).unwrap_or(rest.len()))
        } else {
            (Kind::Other, first.len_utf8())
        };
        Some(Self { kind, end: at + length })
    }
}

/// Comments may hold comments.
fn comment_end(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(first) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let pair = text.as_bytes().get(at..at + 2);
        if pair == Some(b"/*") {
            depth += 1;
            at += 2;
        } else if pair == Some(b"*/") {
            depth = depth.saturating_sub(1);
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += first.len_utf8();
        }
    }
    text.len()
}

fn attribute_end(text: &str) -> usize {
    let Some(open) = text.find('[') else { return text.len() };
    let (mut depth, mut at) = (1_usize, open + 1);
    while let Some(token) = Token::plain(text, at) {
        match text.as_bytes().get(at) {
            Some(b'[') => depth += 1,
            Some(b']') => depth -= 1,
            _ => {}
        }
        at = token;
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

impl Token {
    /// Where the token ends that begins here, where no attribute can.
    fn plain(text: &str, at: usize) -> Option<usize> {
        match text.as_bytes().get(at)? {
            b'#' => Some(at + 1),
            _ => Self::at(text, at).map(|token| token.end),
        }
    }
}

/// The length of `r"…"`, `br#"…"#` and the like.
fn raw_text(text: &str) -> Option<usize> {
    let rest = ["r", "br", "cr"].iter().find_map(|head| text.strip_prefix(head))?;
    let head = text.len() - rest.len();
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    let inside = rest.get(hashes..)?.strip_prefix('"')?;
    let start = head + hashes + 1;
    let close = format!("\"{}", "#".repeat(hashes));
    Some(inside.find(&close).map_or(text.len(), |end| start + end + close.len()))
}

fn text_end(text: &str) -> usize {
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|(_, sign)| {
        let was_escaped = std::mem::take(&mut escaped);
        escaped = *sign == '\\' && !was_escaped;
        *sign == '"' && !was_escaped
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

/// A character; of a lifetime the quote alone.
fn char_end(text: &str) -> usize {
    let mut signs = text.char_indices().skip(1);
    match signs.next() {
        Some((_, '\\')) => {
            let end = signs.skip(1).find(|(_, sign)| *sign == '\'');
            end.map_or(text.len(), |(at, _)| at + 1)
        }
        _ => match signs.next() {
            Some((at, '\'')) => at + 1,
            _ => 1,
        },
    }
}

/// What stands in fences in doc comments.
fn examples(text: &str) -> String {
    let mut examples = String::new();
    let mut inside = false;
    for line in text.lines().map(str::trim) {
        let Some(said) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) else {
            inside = false;
            continue;
        };
        let is_fence = said.trim_start().starts_with("```");
        if is_fence || inside {
            examples.extend([said.trim(), "\n"]);
        }
        inside ^= is_fence;
    }
    examples
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &[(&str, &str)]) {
        let items = items(text);
        let got: Vec<_> = items.iter().map(|item| (item.name.as_str(), item.text.as_str())).collect();
        assert_eq!(got, want);
    }

    /// The item alone, with product code around it.
    #[track_caller]
    fn item(name: &str, text: &str) {
        check(&format!("fn a() {{}}\n{text}\nfn z() {{}}\n"), &[(name, text)]);
    }

    #[test]
    fn items_under_a_test_attribute() {
        item("fn b", "#[test]\nfn b() { assert!(true) }");
        item("mod tests", "#[cfg(test)]\nmod tests { #[test] fn x() {} }");
        item("fn d", "#[inline]\n#[tokio::test]\n#[ignore]\nasync fn d() {}");
        item("mod tests", "#[cfg(test)]\nmod tests;");
        item("fn e", "#[rstest]\n#[case(\"]\", [1])]\nfn e(#[case] f: &str) {}");
        check("#![cfg(test)]\nfn x() {}", &[("the whole file", "#![cfg(test)]\nfn x() {}")]);
        check("mod m { fn a() {} #[test] fn b() {} }", &[("fn b", "#[test] fn b() {}")]);
    }

    #[test]
    fn what_only_looks_like_one() {
        check("#[derive(Debug)]\nstruct A;\n// #[test]\n/* #[test] /* */ */\nfn a() {}", &[]);
        check("const A: &str = \"#[test] fn a() {}\";\nconst B: &str = r#\"#[test] \" fn\"#;", &[]);
        check("#[cfg(feature = \"testing\")]\nfn a<'a>(b: &'a str) -> char { '\"' }", &[]);
    }

    #[test]
    fn braces_in_texts_and_characters_end_nothing() {
        item(
            "fn b",
            "#[test]\nfn b() { let b = \"}\"; let c = '}'; let d = r\"}\"; let e = '\\''; /* } */ }",
        );
        item("fn b", "#[test]\nfn b() -> [u8; 2] { [1, 2] }");
    }

    #[test]
    fn examples_of_doc_comments() {
        let text = "/// Says.\n///\n/// ```\n/// assert!(a());\n/// ```\nfn a() {}";
        check(text, &[("doctests", "```\nassert!(a());\n```\n")]);
    }

    #[test]
    fn what_is_cut_off_ends_with_the_file() {
        for text in
            ["#[test]", "#[test", "#[test] fn a() {", "#[test] fn a() { \"", "'", "r#\"", "/*", "#[a(\"]"]
        {
            items(text);
        }
    }
}

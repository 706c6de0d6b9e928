//! XML without some of its elements: what a test project builds and runs, but for what it refers to.

/// The text of an XML file without comments, without blanks between tags, and without elements of these names. Groups
/// that are empty then are gone too.
pub(super) fn without(bytes: &[u8], names: &[String]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut kept: Vec<Tag<'_>> = Vec::new();
    // How many elements of the names are open, one in the other.
    let mut inside = 0_usize;
    for piece in Pieces(text) {
        match piece {
            Piece::Comment => {}
            Piece::Text(text) => {
                let text = text.trim();
                if inside == 0 && !text.is_empty() {
                    kept.push(Tag { name: "", text, opens: false });
                }
            }
            Piece::Tag(tag) => {
                let body = tag.trim_start_matches('<').trim_end_matches('>');
                let closes = body.starts_with('/');
                let name = body.trim_start_matches('/');
                let end = name.find(|sign: char| sign.is_whitespace() || sign == '/').unwrap_or(name.len());
                let name = name.get(..end).unwrap_or(name);
                let is_left_out = names.iter().any(|known| known == name);
                match (is_left_out, closes, body.ends_with('/')) {
                    (true, true, _) => inside = inside.saturating_sub(1),
                    (true, false, false) => inside += 1,
                    (true, false, true) => {}
                    (false, ..) if inside > 0 => {}
                    (false, true, _) => {
                        // `<ItemGroup></ItemGroup>`: it held references alone.
                        if kept.last().is_some_and(|last| last.opens && last.name == name && last.is_plain())
                        {
                            kept.pop();
                        } else {
                            kept.push(Tag { name, text: tag, opens: false });
                        }
                    }
                    (false, false, own) => kept.push(Tag { name, text: tag, opens: !own }),
                }
            }
        }
    }
    kept.iter().map(|tag| format!("{}\n", blanks_as_one(tag.text))).collect::<String>().into()
}

struct Tag<'t> {
    name: &'t str,
    text: &'t str,
    opens: bool,
}

impl Tag<'_> {
    /// Whether it has no attributes.
    fn is_plain(&self) -> bool {
        self.text.len() == self.name.len() + 2
    }
}

fn blanks_as_one(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

enum Piece<'t> {
    Comment,
    Text(&'t str),
    Tag(&'t str),
}

struct Pieces<'t>(&'t str);

impl<'t> Iterator for Pieces<'t> {
    type Item = Piece<'t>;

    fn next(&mut self) -> Option<Piece<'t>> {
        let text = self.0;
        if text.is_empty() {
            return None;
        }
        let (end, make): (usize, fn(&'t str) -> Piece<'t>) = if text.starts_with("<!--") {
            (text.find("-->").map_or(text.len(), |at| at + 3), |_| Piece::Comment)
        } else if text.starts_with("<![CDATA[") {
            (text.find("]]>").map_or(text.len(), |at| at + 3), Piece::Text)
        } else if text.starts_with('<') {
            (tag_end(text), Piece::Tag)
        } else {
            (text.find('<').unwrap_or(text.len()), Piece::Text)
        };
        let (piece, rest) = text.split_at_checked(end).unwrap_or((text, ""));
        self.0 = rest;
        Some(make(piece))
    }
}

/// Where a tag ends: at `>`, but not within quotes.
fn tag_end(text: &str) -> usize {
    let mut quote = None;
    for (at, sign) in text.char_indices() {
        match (quote, sign) {
            (None, '"' | '\'') => quote = Some(sign),
            (Some(open), sign) if open == sign => quote = None,
            (None, '>') => return at + 1,
            _ => {}
        }
    }
    text.len()
}

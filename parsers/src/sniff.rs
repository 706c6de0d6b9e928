//! Which formats an output may be of, by their signatures: each line is looked at, as a log may hold several runners'.
//!
//! Nearly no line is a signature. What each grammar knows of its signatures, how they begin or what they hold, says so
//! before any pattern is asked.

use bstr::ByteSlice;
use regex::bytes::{Regex, RegexBuilder};

use crate::feed::{Feed, Line, Parser, Stream};
use crate::grammar::Signature;
use crate::{Envelope, Format, Options, Report};

/// So much of a line is looked at.
const LONGEST: usize = 512;

/// The formats of which a signature stands in the output.
pub(crate) fn sniff<E>(
    options: &Options,
    replay: &mut impl FnMut(&mut Feed<'_>) -> Result<(), E>,
) -> Result<Vec<Format>, E> {
    let all = signed();
    let mut sniffer = Sniffer { envelope: options.envelope.clone(), missing: Signatures::of(all.clone()) };
    let mut feed = Feed::new(&mut sniffer);
    replay(&mut feed)?;
    feed.finish();
    let missing = sniffer.missing.formats;
    Ok(all.into_iter().filter(|format| !missing.contains(format)).collect())
}

/// The formats that know their own output when they see it.
pub(crate) fn signed() -> Vec<Format> {
    Format::all().filter(|format| !format.grammar().signatures.is_empty()).collect()
}

/// Looks for the signatures of the formats that it has not met yet.
struct Sniffer {
    envelope: Option<Envelope>,
    missing: Signatures,
}

impl Parser for Sniffer {
    fn line(&mut self, line: Line<'_>, _: Stream) {
        let text = self.envelope.as_ref().map_or(line.text, |envelope| envelope.open(line.text));
        let text = text.get(..LONGEST).unwrap_or(text);
        let met = self.missing.owners(text);
        if !met.is_empty() {
            let mut formats = std::mem::take(&mut self.missing.formats);
            formats.retain(|format| !met.contains(format));
            self.missing = Signatures::of(formats);
        }
    }

    fn end(&mut self) -> Vec<Report> {
        Vec::new()
    }
}

/// The signatures of some formats, sorted by what is known of their lines.
///
/// Invariant: a signature that a line matches is among those of the line's first byte, or among the others while `parts`
/// is `None` or matches. So `owners` is what asking each pattern on each line would give.
struct Signatures {
    formats: Vec<Format>,
    all: Vec<(Format, &'static Signature)>,
    /// By the first byte of the line behind its blanks, those that say how they begin.
    by_first: Vec<Vec<usize>>,
    /// Those that don't.
    others: Vec<usize>,
    /// What one of these holds; `None`: one of them doesn't say what.
    parts: Option<Regex>,
}

impl Signatures {
    fn of(formats: Vec<Format>) -> Self {
        let signatures = |format: &Format| {
            let owner = *format;
            owner.grammar().signatures.iter().map(move |signature| (owner, signature))
        };
        let all: Vec<_> = formats.iter().flat_map(signatures).collect();
        let mut by_first = vec![Vec::new(); 256];
        let mut others = Vec::new();
        for (at, (_, signature)) in all.iter().enumerate() {
            let mut firsts: Vec<_> =
                signature.begins.iter().map(|start| start.as_bytes().first().copied()).collect();
            firsts.sort_unstable();
            firsts.dedup();
            if firsts.is_empty() || firsts.contains(&None) {
                others.push(at);
                continue;
            }
            for first in firsts.into_iter().flatten() {
                by_first[usize::from(first)].push(at);
            }
        }
        let parts: Option<Vec<String>> = others
            .iter()
            .filter_map(|at| all.get(*at))
            .map(|(_, signature)| signature.holds.as_deref().map(regex::escape))
            .collect();
        let parts = parts.and_then(|parts| one_of(&parts));
        Self { formats, all, by_first, others, parts }
    }

    /// The formats of which this line is a signature.
    fn owners(&self, text: &[u8]) -> Vec<Format> {
        let blanks = text.iter().take_while(|byte| **byte == b' ').count();
        let bare = match text.get(blanks..).unwrap_or_default() {
            [] => return Vec::new(),
            bare @ [b'!'..=b'~', ..] => bare,
            // Unicode has more blanks.
            bare => bare.trim_start(),
        };
        let begun = bare.first().and_then(|first| self.by_first.get(usize::from(*first)));
        let holding = self.parts.as_ref().is_none_or(|parts| parts.is_match(text)).then_some(&self.others);
        let may_be = [begun, holding].into_iter().flatten().flatten().filter_map(|at| self.all.get(*at));
        may_be.filter(|(_, signature)| signature.is_in(text, bare)).map(|(owner, _)| *owner).collect()
    }
}

/// A pattern for lines that hold one of these, which are escaped; without any, no line does.
fn one_of(parts: &[String]) -> Option<Regex> {
    // `[^\s\S]` is nothing.
    let pattern = if parts.is_empty() { r"[^\s\S]".to_owned() } else { parts.join("|") };
    RegexBuilder::new(&pattern).unicode(false).build().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each pattern is asked, whatever is known of its lines.
    fn asked_one_by_one(signatures: &Signatures, text: &[u8]) -> Vec<Format> {
        let fits = |(_, signature): &&(Format, &Signature)| signature.pattern.is_match(text);
        signatures.all.iter().filter(fits).map(|(owner, _)| *owner).collect()
    }

    #[track_caller]
    fn check(signatures: &Signatures, text: &[u8]) {
        let (mut quick, mut slow) = (signatures.owners(text), asked_one_by_one(signatures, text));
        for found in [&mut quick, &mut slow] {
            found.sort_by_key(|format| format.word());
            found.dedup();
        }
        let words = |found: &[Format]| found.iter().map(|format| format.word()).collect::<Vec<_>>();
        assert_eq!(words(&quick), words(&slow), "{}", String::from_utf8_lossy(text));
    }

    #[test]
    fn what_is_known_of_lines_changes_no_finding() {
        let all = Signatures::of(signed());
        let mut lines: Vec<String> = vec![String::new(), " ".to_owned(), "\u{2003}<testsuite>".to_owned()];
        for (_, signature) in &all.all {
            lines.extend(signature.example.iter().chain(&signature.counterexample).cloned());
        }
        for line in &lines {
            for before in ["", " ", "  ", "\t", "\u{a0}", "\u{3000} ", "x", "=", "1"] {
                check(&all, format!("{before}{line}").as_bytes());
            }
            // Each of its heads and tails.
            for at in line.char_indices().map(|(at, _)| at) {
                check(&all, &line.as_bytes()[..at]);
                check(&all, &line.as_bytes()[at..]);
            }
        }
        for format in signed() {
            let one = Signatures::of(vec![format]);
            lines.iter().for_each(|line| check(&one, line.as_bytes()));
        }
    }

    #[test]
    fn something_is_known_of_each_signature() {
        for (format, signature) in Signatures::of(signed()).all {
            let known = signature.begins.iter().map(String::as_str).chain(signature.holds.as_deref());
            let known: Vec<&str> = known.collect();
            assert!(!known.is_empty() && !known.contains(&""), "{}: {}", format.word(), signature.pattern);
        }
    }

    #[test]
    fn lines_of_no_format_ask_no_pattern() {
        let all = Signatures::of(signed());
        assert!(all.parts.as_ref().is_some_and(|parts| !parts.is_match(b"tests/test_a.py::test_a PASSED")));
        assert!(all.by_first[usize::from(b't')].is_empty());
    }

    #[test]
    fn all_that_were_met_leave_nothing_to_ask() {
        let none = Signatures::of(Vec::new());
        assert!(none.parts.as_ref().is_some_and(|parts| !parts.is_match(b"1..2")));
        assert!(none.owners(b"1..2").is_empty());
    }
}

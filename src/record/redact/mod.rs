//! The one place that every text passes before it is saved: secrets go, and a word for each stays.
//!
//! Two things are secrets here: what the detector knows by its form, and the values of variables whose names say so.
//! The number of lines stays the same, since reports point at them; nothing that a program reads again (words, hashes,
//! names of files) is touched, but for a token that stands in it as it was given out.

mod documents;
mod names;
mod spellings;
mod stream;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};
use bstr::ByteSlice;

use crate::judge::{begun_secret, secrets};

pub(super) use documents::maps;
pub use names::is_secret_name;
pub(super) use stream::Redacting;

/// What stands in the place of a secret begins with this; its kind follows, and a `]`.
pub(super) const MARK: &str = "[redacted:";

/// What takes secrets out of texts.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    /// Finds the values of variables.
    values: Option<AhoCorasick>,
    /// The values, each as others may write it.
    needles: Vec<String>,
}

/// A secret in a text, on one line.
struct Span {
    range: Range<usize>,
    kind: &'static str,
}

impl Redactor {
    /// Takes out what the detector knows, and these values of variables. A value of fewer than eight characters is no
    /// secret, nor is a word that reports are made of; of one with several lines each line is one.
    #[must_use]
    pub fn new<I: IntoIterator<Item = String>>(values: I) -> Self {
        let mut needles = Vec::new();
        for value in values {
            for line in value.lines().map(str::trim).filter(|line| names::is_worth_hiding(line)) {
                needles.extend(spellings::of(line));
            }
        }
        needles.sort_unstable();
        needles.dedup();
        let values = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&needles);
        Self { values: values.ok().filter(|_| !needles.is_empty()), needles }
    }

    /// The same, which takes out as well what has the form of a secret in these texts, wherever it stands: a report has the
    /// value that an output calls a password, and not its name.
    #[must_use]
    pub(super) fn knowing<'t>(&self, texts: impl IntoIterator<Item = &'t str>) -> Cow<'_, Self> {
        let mut known = Vec::new();
        for text in texts {
            for secret in secrets(text.as_bytes()) {
                let lines = by_line(text.as_bytes(), secret.range);
                known.extend(
                    lines.filter_map(|line| text.get(line)).filter(|line| names::is_worth_hiding(line)),
                );
            }
        }
        if known.is_empty() {
            return Cow::Borrowed(self);
        }
        let known = known.into_iter().map(ToOwned::to_owned);
        Cow::Owned(Self::new(self.needles.iter().cloned().chain(known)))
    }

    /// The text as it may be saved.
    #[must_use]
    pub fn text<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        replaced(text, &self.spans(text))
    }

    /// [`Redactor::text`] for a string in place. Whether it held a secret.
    pub fn string(&self, string: &mut String) -> bool {
        let Cow::Owned(bytes) = self.text(string.as_bytes()) else { return false };
        *string = String::from_utf8_lossy(&bytes).into_owned();
        true
    }

    /// [`Redactor::string`] for the beginning of a text of which no more than `limit` bytes were kept: a secret that the
    /// cut went through goes too.
    pub(super) fn beginning(&self, string: &mut String, limit: usize) {
        // A sign of several bytes isn't cut in two.
        let is_cut = string.len() + 4 > limit;
        self.string(string);
        let begun = [begun_secret(string.as_bytes()), self.begun_value(string)].into_iter().flatten().min();
        if let Some(start) = begun.filter(|_| is_cut) {
            string.truncate(start);
            string.push_str("[redacted:cut]");
        }
    }

    /// Where a value begins that goes on behind the end of a text.
    fn begun_value(&self, text: &str) -> Option<usize> {
        const FEWEST: usize = 4;
        let begins = |value: &String| {
            let longest = text.len().min(value.len().saturating_sub(1));
            let lengths = (FEWEST..=longest).rev().filter(|length| value.is_char_boundary(*length));
            lengths.filter_map(|length| value.get(..length)).find(|begun| text.ends_with(begun)).map(str::len)
        };
        self.needles.iter().filter_map(begins).max().map(|length| text.len() - length)
    }

    /// Whether a text of JSON holds a secret: in itself, or in one of its strings, in which much is written otherwise.
    pub(super) fn finds_in_json(&self, json: &[u8]) -> bool {
        self.finds(json) || spellings::unescaped(json).is_some_and(|text| self.finds(&text))
    }

    /// Whether a text holds a secret.
    #[must_use]
    pub fn finds(&self, text: &[u8]) -> bool {
        self.values.as_ref().is_some_and(|values| values.is_match(text)) || !secrets(text).is_empty()
    }

    fn spans(&self, text: &[u8]) -> Vec<Span> {
        let mut spans: Vec<Span> = Vec::new();
        for secret in secrets(text) {
            spans.extend(by_line(text, secret.range).map(|range| Span { range, kind: secret.kind }));
        }
        let values = self.values.iter().flat_map(|values| values.find_iter(text));
        spans.extend(values.map(|found| Span { range: found.range(), kind: "variable" }));
        spans.sort_by_key(|span| span.range.start);
        let mut apart: Vec<Span> = Vec::with_capacity(spans.len());
        for span in spans {
            match apart.last_mut() {
                Some(last) if span.range.start < last.range.end => {
                    last.range.end = last.range.end.max(span.range.end);
                }
                _ => apart.push(span),
            }
        }
        apart
    }
}

/// A name of a file as it may be saved: only what has the form of a secret goes, since a program reads it again.
#[must_use]
pub fn name(name: &[u8]) -> Cow<'_, [u8]> {
    let spans: Vec<_> = secrets(name)
        .into_iter()
        .filter(|secret| !secret.is_guess)
        .flat_map(|secret| by_line(name, secret.range).map(move |range| Span { range, kind: secret.kind }))
        .collect();
    replaced(name, &spans)
}

/// The parts of a range that lie on one line each, without what ends it.
fn by_line(text: &[u8], range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let start = range.start;
    let inside = text.get(range).unwrap_or_default();
    let mut at = start;
    inside
        .split(|byte| *byte == b'\n')
        .filter_map(move |line| {
            let from = at;
            at += line.len() + 1;
            let kept = line.trim_ascii_end();
            let indent = kept.len() - kept.trim_ascii_start().len();
            (!kept.is_empty()).then_some(from + indent..from + kept.len())
        })
        .collect::<Vec<_>>()
        .into_iter()
}

fn replaced<'t>(text: &'t [u8], spans: &[Span]) -> Cow<'t, [u8]> {
    if spans.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len());
    let mut from = 0;
    for Span { range, kind } in spans {
        out.extend_from_slice(text.get(from..range.start).unwrap_or_default());
        out.extend_from_slice(format!("[redacted:{kind}]").as_bytes());
        from = range.end;
    }
    out.extend_from_slice(text.get(from..).unwrap_or_default());
    debug_assert_eq!(out.find_iter(b"\n").count(), text.find_iter(b"\n").count());
    Cow::Owned(out)
}

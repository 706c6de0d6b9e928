//! Secrets in text: what they look like is data, `kinds.toml`; here they are found.
//!
//! One pass looks for the words of all kinds at once. Only a line with one of them is asked further, and only by the
//! kinds that the word belongs to. So the work is linear in the text, whatever stands in it.

mod kinds;
mod pem;
#[cfg(test)]
mod tests;
mod value;

use std::ops::Range;

use kinds::Kinds;

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// What kind: the word behind `secret:` in a record, and behind `redacted:` in a text.
    pub kind: &'static str,
    /// The kind in words: `a GitHub token`.
    pub what: &'static str,
    /// Its bytes. Those of a private key go over several lines.
    pub range: Range<usize>,
    /// Whether only the name before it says so: its own form is nobody's.
    pub is_guess: bool,
}

/// Makes ready what the first text would have to wait for, a few milliseconds: there may be a better time than when
/// somebody waits for an answer.
pub fn prepare() {
    Kinds::built_in();
}

/// The secrets of a text, in order; none overlaps another.
#[must_use]
pub fn secrets(text: &[u8]) -> Vec<Secret> {
    let kinds = Kinds::built_in();
    let mut found = Vec::new();
    let mut line = 0..0;
    let mut asked = Asked::default();
    for hit in kinds.words(text) {
        // No word has a line feed, so each lies in one line. Of a long line only what is around the words is looked at.
        let is_near_the_end = line.len() == LONGEST && hit.start + LONGEST / 4 >= line.end;
        if hit.start >= line.end || is_near_the_end {
            line = line_around(text, line.start.max(line.end.saturating_sub(LONGEST)), hit.start);
            asked = Asked::default();
        }
        for kind in hit.kinds {
            if asked.is_first(*kind) {
                kinds.find(*kind, text, &line, &mut found);
            }
        }
    }
    found.extend(pem::private_keys(text).into_iter().map(|secret| Candidate { secret, rank: 0 }));
    apart(found)
}

/// Where the last word of a text begins, if the text was cut within what may be a secret: a word of a kind stands in it
/// or shortly before it.
#[must_use]
pub fn begun_secret(text: &[u8]) -> Option<usize> {
    const NEAR: usize = 300;
    let near = text.len().saturating_sub(NEAR);
    let tail = text.get(near..)?;
    let line = memchr::memrchr(b'\n', tail).map_or(0, |end| end + 1);
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`,;<>(){}[]|".contains(byte);
    let last = tail.iter().rposition(is_end).map_or(0, |end| end + 1);
    let has_word = Kinds::built_in().words(tail).any(|hit| hit.start >= line);
    (has_word && last < tail.len()).then_some(near + last)
}

/// The kinds that a line was asked for already.
#[derive(Default)]
struct Asked([u64; 4]);

impl Asked {
    /// Whether this kind wasn't asked for yet; now it was.
    fn is_first(&mut self, kind: usize) -> bool {
        let Some(bits) = self.0.get_mut(kind / 64) else { return false };
        let bit = 1 << (kind % 64);
        let is_first = *bits & bit == 0;
        *bits |= bit;
        is_first
    }
}

/// So much of a line is looked at in one piece: no secret is as long as half of it.
const LONGEST: usize = 16 << 10;

/// The line around a place, without its line feed, and not more than `LONGEST` of it. Nothing before `from` is looked at.
fn line_around(text: &[u8], from: usize, at: usize) -> Range<usize> {
    let earliest = from.max(at.saturating_sub(LONGEST / 4));
    let before = text.get(earliest..at).unwrap_or_default();
    let start = memchr::memrchr(b'\n', before).map_or(earliest, |found| earliest + found + 1);
    let latest = text.len().min(start + LONGEST);
    let after = text.get(at..latest).unwrap_or_default();
    let end = memchr::memchr(b'\n', after).map_or(latest, |found| at + found);
    start..end
}

/// A secret on its way, with the place of its kind among all: those that are surer come first.
struct Candidate {
    secret: Secret,
    rank: usize,
}

/// Sorts them, and makes one of those that overlap: of the kind that is surest.
fn apart(mut found: Vec<Candidate>) -> Vec<Secret> {
    found.sort_by_key(|candidate| (candidate.secret.range.start, candidate.rank));
    let mut apart: Vec<Candidate> = Vec::with_capacity(found.len());
    for next in found {
        match apart.last_mut() {
            Some(last) if next.secret.range.start < last.secret.range.end => {
                let end = last.secret.range.end.max(next.secret.range.end);
                let start = last.secret.range.start;
                if next.rank < last.rank {
                    *last = next;
                }
                last.secret.range = start..end;
            }
            _ => apart.push(next),
        }
    }
    apart.into_iter().map(|candidate| candidate.secret).collect()
}

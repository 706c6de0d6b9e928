//! Whether an end line is the runner's own, and what follows one.
//!
//! A test may print an end line, and the output of a test may be printed behind the runner's. What decides is whether
//! the numbers fit the results counted so far, then the width of the line, then whether a test was running.

use super::id;
use super::progress;
use super::rule::{Rule, section};
use super::session::Session;
use super::tally::{Fit, Tally};
use crate::text::lossy;

/// An end line.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    pub(super) tally: Tally,
    pub(super) line: u32,
    /// No `=` stands around it.
    pub(super) bare: bool,
    /// It is as wide as the session's other lines.
    pub(super) fits: bool,
    pub(super) fit: Fit,
}

impl Session {
    /// Whether an end line, read as `tally`, is taken as this session's end.
    pub(super) fn end_line(&mut self, tally: Tally, rule: Option<&Rule<'_>>, number: u32) -> bool {
        if self.depth > 0 {
            self.depth -= 1;
            return false;
        }
        let fits = rule.is_none_or(|rule| rule.fits(self.width));
        let mut counted = self.counted;
        // pytest names failed subtests of unittest classes in the summary alone.
        let listed = self.listed.failing.iter().filter(|listing| !listing.error).count() as u64;
        counted.failed = counted.failed.max(if self.counted.ran() > 0 { listed } else { 0 });
        let fit = counted.fits(&tally);
        let end = End { tally, line: number, bare: rule.is_none(), fits, fit };
        if fit == Fit::No || self.is_open() {
            // A test whose result is still to come prints numbers that fit nothing before: they are not the runner's.
            // Nor are those of another width than the session's, where output of tests was shown before.
            // Nor are bare ones where output of a test is shown: the runner's own fit.
            let shown = self.printed && !fits || rule.is_none() && self.in_output();
            let printed = fit == Fit::No && (self.is_open() || self.torn || shown);
            if !printed && (fits || !self.in_output()) {
                let other = self.weak_end.filter(|other| other.tally != tally && other.fits == fits);
                self.ambiguous = self.ambiguous.or(other.map(|_| number));
                if self.weak_end.is_none_or(|other| fits || !other.fits) {
                    self.weak_end = Some(end);
                }
            }
            return false;
        }
        self.close_block();
        self.end = Some(end);
        self.last = number;
        true
    }

    /// Whether a ruled line is as wide as those of this session.
    pub(super) fn is_own(&self, rule: &Rule<'_>) -> bool {
        rule.fits(self.width)
    }

    /// Whether nothing but an end line, or no end line, tells of a session without a head.
    pub(super) fn is_weak(&self) -> bool {
        let shown = self.counted.ran() > 0 || self.past_progress;
        self.head.is_none() && (self.end.or(self.weak_end).is_none() || !shown)
    }

    /// Goes on after an end line that was not the end.
    pub(super) fn resume(&mut self) {
        self.end = None;
    }

    /// Whether this line, after the end, belongs to a session and not to what is printed after it.
    pub(super) fn goes_on(&self, text: &[u8], rule: Option<&Rule<'_>>) -> bool {
        match rule {
            Some(rule) => section(rule).is_some() && rule.fits(self.width),
            None => starts(text),
        }
    }

    /// A `!` line that stands after the end: `pytest.exit` prints it there.
    pub(super) fn stop_after_end(&mut self, rule: &Rule<'_>, number: u32) {
        if rule.fill == b'!' && rule.fits(self.width) && self.stops.len() < 16 {
            self.stops.push((lossy(rule.title).into_owned(), number));
        }
    }
}

/// Whether a line without a head in front can only be of this format: a progress line with its column.
pub(super) fn starts(text: &[u8]) -> bool {
    if text.last() != Some(&b']') {
        return false;
    }
    let Some(head) = progress::strip_column(text) else { return false };
    match progress::result(head) {
        Some(seen) => id::starts(seen.id),
        None => progress::letters(head).is_some(),
    }
}

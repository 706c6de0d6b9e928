//! Reads the output of pytest.
//!
//! A session begins with `test session starts` between `=`, and ends with its numbers between `=`: `1 failed, 2
//! passed in 0.03s`. Between them stand progress lines, then sections, each under a title between `=`: ERRORS and
//! FAILURES with one block a failure, output of other tests, warnings, and a summary with one line a test. `-q` leaves
//! head and `=` out, `-qq` the end as well. `-v` names tests as they run; without it only the summary and the blocks
//! name some.
//!
//! Traps: a test prints anything, and with `-s` in the midst of it, so a result counts only at its place in its own
//! session; blocks name a test without its file; parameters may hold blanks, ` - `, brackets and status words; usage
//! errors go to the other stream.
//!
//! The source of the form is `_pytest/terminal.py`; the page "Managing pytest's output" of its documentation shows it.

mod block;
mod ending;
mod id;
mod kinds;
mod listed;
mod one_line;
mod progress;
mod results;
mod rule;
mod session;
mod settle;
mod startup;
mod sugar;
mod summary;
mod tally;
mod totals;
mod traceback;
mod unnamed;
mod word;

#[cfg(test)]
mod tests;

use rule::{Rule, Section};
use session::Session;
use startup::Startup;
use tally::{Fit, Tally};

use crate::{Format, Line, Options, Parser, Report, Stream};

pub(crate) fn new(format: Format, options: &Options) -> impl Parser + use<> {
    Pytest {
        format,
        options: options.clone(),
        done: Vec::new(),
        session: None,
        before: None,
        bare: None,
        copies: 0,
        startup: Startup::default(),
    }
}

/// How often a session that goes on after its end is copied, so that the copy stands if it has no other end. More
/// ends than that are no runner's.
const MOST_COPIES: u32 = 8;

struct Pytest {
    format: Format,
    options: Options,
    done: Vec<Done>,
    session: Option<Session>,
    /// The session as it was at its last end, while it is read on.
    before: Option<Session>,
    /// What is read on as a session of its own, without a head: if it ends as one, the run before it was another's.
    bare: Option<Session>,
    copies: u32,
    startup: Startup,
}

struct Done {
    report: Report,
    /// It has no head, and what there is may be a look-alike: beside another session it is output.
    weak: bool,
}

impl Parser for Pytest {
    fn line(&mut self, line: Line<'_>, stream: Stream) {
        let (text, number) = (line.text, line.number);
        if stream != Stream::Out {
            let outside = stream == Stream::Err || self.session.is_none();
            self.startup.line(line, self.format.grammar(), outside);
            if stream == Stream::Err {
                return;
            }
        } else if text.first() == Some(&b'+') {
            self.startup.clock(text, number);
        }
        let rule = match text.first() {
            Some(b'=' | b'_' | b'-' | b'!') => rule::rule(text),
            Some(b'0'..=b'9' | b'n')
                if self.bare.is_some()
                    || self.session.as_ref().is_none_or(|session| session.head.is_none()) =>
            {
                if let Some(tally) = Tally::read(text) {
                    if self.bare.is_some() {
                        self.bare_end(tally, number);
                    } else {
                        self.end_line(tally, None, number);
                    }
                    return;
                }
                None
            }
            _ => None,
        };
        if let Some(rule) = rule.as_ref().filter(|rule| rule.fill == b'=') {
            if rule::section(rule) == Some(Section::Head) {
                self.head(rule, number);
                return;
            }
            if let Some(tally) = Tally::read(rule.title) {
                self.end_line(tally, Some(rule), number);
                return;
            }
        }
        if text.first() == Some(&b'T')
            && let Some(session) = sugar::head(text, number)
        {
            if !self.session.as_mut().is_some_and(Session::inner_head) {
                self.close();
                self.session = Some(session);
            }
            return;
        }
        if self.session.as_mut().is_some_and(|session| session.sugar_line(text, number)) {
            return;
        }
        self.other_line(text, rule.as_ref(), number);
    }

    fn end(&mut self) -> Vec<Report> {
        self.close();
        let mut done = std::mem::take(&mut self.done);
        if done.iter().any(|done| !done.weak) {
            done.retain(|done| !done.weak);
        }
        let mut reports: Vec<Report> = done.into_iter().map(|done| done.report).collect();
        if reports.is_empty() {
            reports.push(Report::empty(self.format));
        }
        if let Some(last) = reports.last_mut() {
            self.startup.settle(last, self.format.grammar());
        }
        reports
    }
}

impl Pytest {
    fn head(&mut self, rule: &Rule<'_>, number: u32) {
        if self.session.as_mut().is_some_and(Session::inner_head) {
            return;
        }
        self.close();
        self.session = Some(Session::new(Some(rule), number));
    }

    fn end_line(&mut self, tally: Tally, rule: Option<&Rule<'_>>, number: u32) {
        let session = self.session.get_or_insert_with(|| Session::new(None, number));
        session.drop_unfit_end();
        if let Some(end) = session.end {
            if end.tally != tally && end.fit == Fit::Unknown {
                // Nothing was counted that could tell which of two ends is one.
                let fits = rule.is_none_or(|rule| session.is_own(rule));
                match (end.fits, fits) {
                    (false, true) => {
                        session.resume();
                        session.end_line(tally, rule, number);
                    }
                    (true, false) => {}
                    _ => session.ambiguous = Some(number),
                }
            }
            return;
        }
        if !session.end_line(tally, rule, number) {
            return;
        }
        if let Some(before) = self.before.take()
            && let (Some(first), Some(last)) = (before.end, session.end)
            && first.tally != last.tally
            && first.fit == Fit::Yes
        {
            session.ambiguous = Some(number);
        }
    }

    /// The end of a session without a head that follows one with a head. One of them a test may have printed; nobody can
    /// tell which, so both are told.
    fn bare_end(&mut self, tally: Tally, number: u32) {
        let ended = self.bare.as_mut().is_some_and(|bare| bare.end_line(tally, None, number));
        if !ended {
            return;
        }
        let bare = self.bare.take();
        self.session = self.before.take();
        self.close();
        self.session = bare;
    }

    fn other_line(&mut self, text: &[u8], rule: Option<&Rule<'_>>, number: u32) {
        let Some(session) = &mut self.session else {
            if rule.map_or_else(
                || ending::starts(text) || results::is_internal(text),
                |rule| rule::section(rule).is_some(),
            ) {
                self.session.insert(Session::new(None, number)).line(text, rule, number);
            }
            return;
        };
        if session.end.is_none() {
            session.line(text, rule, number);
            if let Some(bare) = &mut self.bare {
                bare.line(text, rule, number);
            }
            return;
        }
        if let Some(rule) = rule.filter(|rule| rule.fill == b'!') {
            session.stop_after_end(rule, number);
        } else if session.goes_on(text, rule) {
            if session.head.is_none() {
                self.close();
                self.session.insert(Session::new(None, number)).line(text, rule, number);
            } else if self.copies < MOST_COPIES {
                self.copies += 1;
                self.before = Some(session.clone());
                session.resume();
                session.line(text, rule, number);
                self.bare.insert(Session::new(None, number)).line(text, rule, number);
            } else {
                session.ambiguous = Some(number);
            }
        }
    }

    /// Ends the session, if one is open.
    fn close(&mut self) {
        let Some(mut session) = self.session.take() else { return };
        if session.end.is_none()
            && let Some(before) = self.before.take()
        {
            session = before;
        }
        self.before = None;
        self.bare = None;
        self.copies = 0;
        let weak = session.is_weak();
        let report = settle::settle(session, self.format, &self.options);
        self.done.push(Done { report, weak });
    }
}

//! The lines of `-v`: which test each names, and which result belongs to it.
//!
//! A result stands behind the dots, or on a later line behind what the test printed; a docstring's line takes the place
//! of the name before the dots.

use super::heading::{Heading, What, function, heading, parametrised};
use super::line;
use super::name;
use super::session::{Last, Open, Session};
use crate::Status;

impl Session {
    /// Takes a line of progress that may hold names or results. Says whether it did.
    pub(super) fn progress(&mut self, text: &str, number: u32) -> bool {
        if let Some(open) = &self.open
            && open.awaits_doc
        {
            let names_another = heading(text, number).is_some_and(|(found, rest)| {
                rest.starts_with(" ...") && (found.certain || !open.heading.certain) && !goes_on(rest)
            });
            if !names_another {
                if text.contains(" ...") {
                    self.doc_line(text, number);
                    return true;
                }
                if open.heading.certain {
                    return true;
                }
                self.open = None;
            }
        }
        if let Some((status, reason)) = line::result(text) {
            return self.lone_result(status, reason, number);
        }
        let first = self.numbered.take().filter(|(_, line)| line + 1 == number);
        if let Some(title) = first.and_then(|(method, _)| parametrised(&method, text))
            && let Some((found, rest)) = heading(&title, number)
            && self.heading(found, rest, number)
        {
            return true;
        }
        if let Some((found, rest)) = heading(text, number)
            && (found.certain || !self.open_is_certain())
            && self.heading(found, rest, number)
        {
            return true;
        }
        if self.open.is_none() && self.of_nose2(text, number) {
            return true;
        }
        for (close, _) in text.match_indices(") ...").take(4) {
            let found = name::start(text, close).and_then(|at| heading(text.get(at..)?, number));
            if let Some((found, rest)) = found
                && rest.starts_with(" ...")
                && self.may_be_glued(&found)
            {
                return self.heading(found, rest, number);
            }
        }
        if let Some(open) = &mut self.open {
            open.guess = line::glued_result(text).or(open.guess.take());
        }
        self.open.is_some()
    }

    /// A name that only nose2 prints: of a function, or of a method with a parameter, which has lines of its own.
    fn of_nose2(&mut self, text: &str, number: u32) -> bool {
        if !text.contains('.') && !text.contains(' ') && name::is_numbered(text) {
            self.numbered = Some((text.to_owned(), number));
            return false;
        }
        let Some((found, rest)) = function(text, number) else { return false };
        let said = rest.strip_prefix(" ... ").unwrap_or("");
        // What else follows on the line, or a name alone that is no function of a test, may be anybody's text.
        let is_test = matches!(&found.what, What::Test { id, .. } if id.contains(".test"));
        let result = line::result(said).or_else(|| line::bare_skip(said));
        match result {
            Some((status, reason)) => self.close(found, status, reason, number),
            None if is_test => self.opens(found, rest.is_empty()),
            None => return false,
        }
        true
    }

    fn doc_line(&mut self, text: &str, number: u32) {
        let Some(open) = &mut self.open else { return };
        open.awaits_doc = false;
        // Before Python 3.11 the next test follows on the line of one with failing subtests.
        if !open.heading.certain {
            for (at, dots) in text.match_indices(" ... ").take(8) {
                let next = text.get(at + dots.len()..).and_then(|next| heading(next, number));
                if let Some((next, rest)) =
                    next.filter(|(_, rest)| rest.is_empty() || rest.starts_with(" ..."))
                {
                    self.heading(next, rest, number);
                    return;
                }
            }
        }
        // The docstring may hold dots, and so may the reason of a skip.
        let said = |(at, dots): (usize, &str)| text.get(at + dots.len()..);
        let mut ends = text.rmatch_indices(" ... ").take(8).filter_map(said);
        let said = ends.clone().find(|end| line::result(end).is_some()).or(ends.next()).unwrap_or("");
        match (line::result(said), self.open.take()) {
            (Some((status, reason)), Some(open)) => self.close(open.heading, status, reason, number),
            (_, Some(mut open)) => {
                open.guess = line::bare_skip(said);
                self.open = Some(open);
            }
            (_, None) => {}
        }
    }

    fn heading(&mut self, found: Heading, rest: &str, number: u32) -> bool {
        let Some(said) = rest.strip_prefix(" ...") else {
            // A docstring's line must follow; until it does, this may be prose.
            if !rest.is_empty() {
                return false;
            }
            self.opens(found, true);
            return true;
        };
        let said = said.strip_prefix(' ').unwrap_or(said);
        if let Some((status, reason)) = line::result(said) {
            self.settle();
            self.introduce(&found);
            self.close(found, status, reason, number);
            return true;
        }
        self.opens(found, false);
        let skip = line::bare_skip(said);
        if skip.is_none()
            && let Some((next, rest)) =
                heading(said, number).filter(|(_, rest)| rest.is_empty() || rest.starts_with(" ..."))
            && self.may_be_glued(&next)
        {
            return self.heading(next, rest, number);
        }
        if let Some(open) = &mut self.open {
            open.guess = skip.or_else(|| line::glued_result(said));
        }
        true
    }

    /// Whether this is a test behind what the one before printed, and not part of that: a run has one layout of names.
    fn may_be_glued(&self, found: &Heading) -> bool {
        found.certain || self.certain == 0 && !self.open_is_certain()
    }

    fn open_is_certain(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.heading.certain)
    }

    fn opens(&mut self, heading: Heading, awaits_doc: bool) {
        self.settle();
        self.introduce(&heading);
        self.open = Some(Open { heading, awaits_doc, guess: None });
    }

    /// A subtest's line shows its test first, which gets no result of its own unless one follows.
    fn introduce(&mut self, heading: &Heading) {
        let What::Subtest { test, .. } = &heading.what else { return };
        let waiting =
            self.silent.pop_if(|silent| matches!(&silent.what, What::Test { id, .. } if id == test));
        if let Some(parent) = waiting {
            self.listed += 1;
            if let Some(key) = self.push(&parent, Status::Skipped, parent.line) {
                self.parents.insert(key);
                self.last = Some(Last { key, certain: true });
            }
        }
    }

    /// Ends the open test, with what was glued to its output, or without a result.
    pub(super) fn settle(&mut self) {
        let Some(open) = self.open.take() else { return };
        match open.guess {
            Some((status, reason)) => {
                let line = open.heading.line;
                self.close(open.heading, status, reason, line);
            }
            None if open.awaits_doc && !open.heading.certain => {}
            None => self.silent.push(open.heading),
        }
    }

    fn lone_result(&mut self, status: Status, reason: Option<String>, number: u32) -> bool {
        if let Some(open) = self.open.take() {
            self.close(open.heading, status, reason, number);
            return true;
        }
        let Some(last) = &self.last else { return false };
        let before = self.cases.get(last.key).map(|case| case.status());
        match (before, status) {
            // A second failure of the same test, or before Python 3.11 a class's: the list of failures tells.
            (_, Status::Failed | Status::Errored) => {}
            (_, Status::Skipped) if !last.certain => self.nameless_skips.push(number),
            // The result before was printed by the test itself.
            (Some(Status::Passed | Status::Failed | Status::Errored), _) => {
                self.cases.set_status(last.key, status);
                if let Some(reason) = reason {
                    self.cases.set_reason(last.key, reason);
                }
            }
            _ => return false,
        }
        true
    }

    fn close(&mut self, heading: Heading, status: Status, reason: Option<String>, number: u32) {
        let failing = matches!(status, Status::Failed | Status::Errored);
        if heading.is_function {
            self.last = None;
            return self.functions.push((heading, status, reason));
        }
        match &heading.what {
            What::Fixture { .. } if failing => return self.mentions.push(heading),
            What::Unloaded { .. } => {
                self.listed += 1;
                return self.mentions.push(heading);
            }
            What::Subtest { .. } => {
                if let Some(last) = &self.last
                    && failing
                    && self.parents.contains(&last.key)
                {
                    self.cases.set_status(last.key, Status::Failed);
                }
                if let Some(key) = self.push(&heading, status, number)
                    && let Some(reason) = reason
                {
                    self.cases.set_reason(key, reason);
                }
                return;
            }
            What::Test { id, .. } => {
                if let Some(last) = &self.last
                    && let Some(case) = self.cases.get(last.key)
                    && case.id() == id
                    && (self.parents.contains(&last.key)
                        || failing && matches!(case.status(), Status::Failed | Status::Errored))
                {
                    let worst = if case.status() == Status::Errored { Status::Errored } else { status };
                    self.cases.set_status(last.key, worst);
                    return;
                }
                self.listed += 1;
                self.certain += u64::from(heading.certain);
            }
            What::Fixture { .. } => {}
        }
        if let Some(key) = self.push(&heading, status, number) {
            self.last = Some(Last { key, certain: heading.certain });
            if let Some(reason) = reason {
                self.cases.set_reason(key, reason);
            }
        }
    }
}

/// Whether something follows a result on its line, as in ` ... FAIL ... ok`: then a docstring looks like a line of progress.
fn goes_on(rest: &str) -> bool {
    let said = rest.strip_prefix(" ... ").and_then(|said| said.rsplit_once(" ... "));
    said.is_some_and(|(first, last)| line::result(first).is_some() && line::result(last).is_some())
}

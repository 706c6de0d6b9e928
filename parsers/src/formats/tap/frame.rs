//! Scripts that prove runs one after the other, each a document between lines of prove's own.

use super::Tap;
use super::document::Document;
use super::prove;
use super::report::Finished;
use crate::text::lossy;

/// The frame of `prove -v`.
#[derive(Default)]
pub(super) struct Prove {
    pub(super) script: Option<String>,
    pub(super) verdict: Option<prove::Verdict>,
    pub(super) nothing: bool,
    pub(super) skipped: Option<String>,
    pub(super) tests: Option<(u64, u32)>,
    /// Where prove says how it went.
    pub(super) result: Option<u32>,
}

impl Tap {
    /// Takes a line of prove's own.
    pub(super) fn frame(&mut self, text: &[u8], number: u32) -> bool {
        let may_open = text.ends_with(b".. ")
            || text.ends_with(b"..")
            || memchr::memmem::find(text, b".. skipped").is_some();
        if self.prove.is_none() && !may_open {
            return false;
        }
        if let Some((script, rest)) = prove::header(text) {
            if self.prove.is_none() && self.document.has_begun() && self.document.awaits_points() {
                return false;
            }
            self.close_script(None);
            let prove = self.prove.get_or_insert_default();
            prove.script = Some(lossy(script).into_owned());
            self.document.touch(number);
            if let Some(reason) = rest.strip_prefix(b"skipped") {
                let reason = reason.strip_prefix(b":").unwrap_or(reason).trim_ascii();
                prove.skipped = Some(lossy(reason).into_owned());
            }
            return true;
        }
        let Some(prove) = &mut self.prove else { return false };
        if let Some(verdict) = prove::verdict(text) {
            match verdict {
                prove::Verdict::Nothing => prove.nothing = true,
                // `All 1 subtests passed` follows the word that the script died, and doesn't take it back.
                prove::Verdict::Ended if prove.verdict.is_some() => {}
                verdict => prove.verdict = Some(verdict),
            }
            return true;
        }
        if let Some(tests) = prove::tests(text) {
            prove.tests = Some((tests, number));
            self.close_script(None);
            return true;
        }
        if prove::is_result(text) {
            prove.result = Some(number);
            self.close_script(None);
            return true;
        }
        if text == b"Test Summary Report" {
            self.close_script(None);
            return true;
        }
        // That a signal killed a script is said in the summary alone.
        if let Some((script, verdict)) = prove::wait_status(text) {
            let ended = |finished: &&mut Finished| {
                finished.script.as_deref().is_some_and(|name| name.as_bytes() == script)
                    && !matches!(finished.verdict, Some(prove::Verdict::Dubious { .. }))
            };
            if let Some(finished) = self.done.iter_mut().find(ended) {
                finished.verdict = Some(verdict);
            }
            return true;
        }
        false
    }

    /// Ends a script inside prove's frame, or what stood before the first.
    pub(super) fn close_script(&mut self, verdict: Option<prove::Verdict>) {
        if let Some(prove) = &mut self.prove {
            prove.verdict = prove.verdict.take().or(verdict);
        }
        let in_script = self.prove.as_ref().is_some_and(|prove| prove.script.is_some());
        if in_script || self.document.has_begun() {
            self.finish();
        }
    }

    /// Ends the document.
    pub(super) fn finish(&mut self) {
        self.yaml = None;
        let next = Document::new(self.format, &self.assertion_errors);
        let document = std::mem::replace(&mut self.document, next);
        let mut finished = Finished::new(document, std::mem::take(&mut self.trailer), self.bail.take());
        if let Some(prove) = &mut self.prove {
            finished.script = prove.script.take();
            finished.verdict = prove.verdict.take();
            finished.nothing = std::mem::take(&mut prove.nothing);
            finished.skipped = prove.skipped.take();
        }
        self.done.push(finished);
    }
}

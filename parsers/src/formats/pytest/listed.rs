//! What the short test summary lists: failures and errors always, the rest as `-r` asks.

use super::id;
use super::session::Session;
use super::summary::{Named, named, split_message};
use super::word::Word;
use crate::bounded::Bounded;
use crate::text::lossy;
use crate::{Cases, Lines, NewCase};

/// What the short test summary lists.
#[derive(Clone, Default)]
pub(super) struct Listed {
    /// What did not fail, where progress lines name nothing.
    pub(super) others: Cases,
    pub(super) failing: Vec<Listing>,
}

/// A line of the summary about a failure or an error.
#[derive(Debug, Clone)]
pub(super) struct Listing {
    pub(super) id: String,
    /// How many bytes at the end of the id are the label of a subtest.
    pub(super) label: usize,
    pub(super) error: bool,
    pub(super) message: Option<String>,
    pub(super) line: u32,
}

impl Session {
    pub(super) fn summary_line(&mut self, text: &[u8], number: u32) {
        let Some(Named { word, label, rest }) = named(text) else { return };
        if word == Word::Rerun {
            let (id, _) = split_message(rest, |_| false);
            self.reruns.insert(lossy(id).into_owned());
            return;
        }
        if !matches!(word, Word::Failed | Word::Error) {
            if !self.verbose {
                self.list_other(word, label, rest, number);
            }
            return;
        }
        let Self { cases, block_names, verbose, .. } = self;
        let (id, message) = split_message(rest, |id| {
            let id = lossy(id);
            match *verbose {
                true => cases.find(&id).is_some(),
                false => block_names.contains(&id::domain(&id)),
            }
        });
        let label = lossy(label);
        let mut id = lossy(id).into_owned();
        if !label.is_empty() {
            id = format!("{id} {label}");
        }
        let message = message.map(Bounded::of);
        if message.as_ref().is_some_and(|message| message.is_cut()) {
            self.cut.get_or_insert(number);
        }
        let message = message.map(|message| message.as_str().to_owned());
        let error = word == Word::Error;
        self.listed.failing.push(Listing { id, label: label.len(), error, message, line: number });
    }

    /// `PASSED id`, `XFAIL id - reason`, `XPASS id reason`.
    fn list_other(&mut self, word: Word, label: &[u8], rest: &[u8], number: u32) {
        let Some(status) = word.status() else { return };
        let (id, reason) = match word {
            Word::Passed => (rest, None),
            _ => match split_message(rest, |_| false) {
                (whole, None) => {
                    let end = id::end(whole).unwrap_or(whole.len());
                    (whole.get(..end).unwrap_or(whole), whole.get(end + 1..))
                }
                split => split,
            },
        };
        let mut id = lossy(id).into_owned();
        let mut name_len = id.len() - id::name_at(id.as_bytes()).min(id.len());
        if !label.is_empty() {
            let label = lossy(label);
            name_len = label.len();
            id = format!("{id} {label}");
        }
        // Body and teardown of a test that is expected to fail have a line each, those that failed first.
        let twice = matches!(word, Word::Xfail | Word::Xpass);
        let known = if twice { self.listed.others.find(&id) } else { None };
        let case = NewCase { id: &id, name_len, status, lines: Lines::one(number) };
        let key = known.unwrap_or_else(|| self.listed.others.push(case, id::suite));
        self.listed.others.set_status(key, status);
        if let Some(reason) = reason.filter(|reason| !reason.is_empty()) {
            self.listed.others.set_reason(key, lossy(reason));
        }
    }
}

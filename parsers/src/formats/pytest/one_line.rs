//! `--tb=line`: one line a failure, which names a place and says what was raised, but no test.

use std::collections::{HashMap, VecDeque};

use super::block::Phase;
use super::id;
use super::settle::{Settle, Slot};
use super::traceback::is_same_file;
use crate::{CaseKey, Lines};

/// One line of `--tb=line`: `/srv/tests/test_a.py:7: assert 1 == 2`.
#[derive(Debug, Clone)]
pub(super) struct OneLine {
    pub(super) file: String,
    pub(super) line: u32,
    pub(super) said: String,
    pub(super) number: u32,
    pub(super) used: bool,
}

/// What is said of a test that was expected to fail, strictly, and passed.
const STRICT: &str = "[XPASS(strict)]";

impl Settle<'_> {
    /// Lines of `--tb=line` are told by what they say.
    pub(super) fn attach_one_lines(&mut self) {
        let mut lines = std::mem::take(&mut self.session.one_lines);
        self.attach_strict(&mut lines);
        let mut by_said: HashMap<String, VecDeque<usize>> = HashMap::new();
        for (at, line) in lines.iter().enumerate() {
            by_said.entry(said_key(&line.said)).or_default().push_back(at);
        }
        // A failure without a message is known by its place alone, where each has a line.
        let in_order = self.slots.iter().filter(|slot| !slot.error).count() == lines.len()
            && self.slots.iter().take(lines.len()).all(|slot| !slot.error);
        for at in 0..self.slots.len() {
            let Some(slot) = self.slots.get(at).filter(|slot| !slot.used && !slot.error) else { continue };
            let (key, message) = (slot.key, slot.message.clone());
            let line = match &message {
                Some(message) => {
                    let cut = message.strip_suffix("...");
                    let said = cut.unwrap_or(message);
                    let is_free = |line: &OneLine| !line.used && line.said.starts_with(said);
                    match by_said.get_mut(&said_key(message)).and_then(VecDeque::pop_front) {
                        Some(line) if cut.is_none() => lines.get_mut(line),
                        // What pytest itself raises has a place in no file of the test.
                        _ if in_order && lines.get(at).is_some_and(is_free) => lines.get_mut(at),
                        _ => lines
                            .iter_mut()
                            .filter(|line| !line.used)
                            .take(32)
                            .find(|line| line.said.starts_with(said) && self.is_in_file(key, &line.file)),
                    }
                }
                None if in_order => lines.get_mut(at),
                None => None,
            };
            let Some(line) = line else { continue };
            line.used = true;
            let (place, said) = ((line.file.clone(), line.line), line.said.clone());
            let lines = Lines::one(line.number);
            if let Some(slot) = self.slots.get_mut(at) {
                slot.used = true;
            }
            if !self.is_no_failure(key, &said) {
                let mut failure = self.failure(key, Phase::Call, &said, None, lines);
                (failure.file, failure.line) = (Some(place.0), Some(place.1));
                self.report.cases.add_failure(key, failure);
            }
        }
    }

    /// Tests that were expected to fail and passed: the summary gives no message, the lines no place. Where there are as
    /// many of the ones as of the others, they come in the same order.
    fn attach_strict(&mut self, lines: &mut Vec<OneLine>) {
        let strict: Vec<OneLine> =
            lines.iter().filter(|line| line.said.starts_with(STRICT)).cloned().collect();
        let is_silent = |slot: &Slot| !slot.used && !slot.error && slot.message.is_none();
        let silent: Vec<usize> =
            (0..).zip(&self.slots).filter(|(_, slot)| is_silent(slot)).map(|(at, _)| at).collect();
        if strict.is_empty() || silent.len() != strict.len() / self.strict_lines(&strict) {
            return;
        }
        lines.retain(|line| !line.said.starts_with(STRICT));
        let each = strict.len() / silent.len();
        for (at, line) in silent.into_iter().zip(strict.iter().step_by(each)) {
            let Some(slot) = self.slots.get_mut(at) else { continue };
            slot.used = true;
            let key = slot.key;
            self.is_no_failure(key, &line.said);
        }
    }

    /// How many lines each of them has: newer versions print what was said, and then the line.
    fn strict_lines(&self, strict: &[OneLine]) -> usize {
        let major = self.session.version.as_deref().or(self.report.runner.version.as_deref());
        let major = major.and_then(|version| version.split('.').next()?.parse::<u32>().ok());
        let in_pairs = strict.chunks(2).all(|pair| matches!(pair, [one, two] if one.said == two.said));
        if major.map_or(in_pairs, |major| major >= 9 && in_pairs) { 2 } else { 1 }
    }

    fn is_in_file(&self, key: CaseKey, file: &str) -> bool {
        let case = self.report.cases.get(key);
        case.is_some_and(|case| is_same_file(id::file(case.id()), file))
    }
}

/// The first line of a message, by which two prints of it are known.
fn said_key(said: &str) -> String {
    said.lines().next().unwrap_or("").to_owned()
}

//! The results that progress lines state, and which test each is about.

use bstr::ByteSlice;

use super::id;
use super::progress::{self, Seen};
use super::session::{Failed, Session};
use super::tally::Tally;
use super::word::Word;
use crate::bounded::Bounded;
use crate::text::lossy;
use crate::{CaseKey, Lines, NewCase};

impl Session {
    /// Remembers in which file the failures were: their blocks come in the same order.
    fn letters_of(&mut self, file: &[u8], letters: &Tally) {
        if !file.is_empty() {
            self.file = lossy(file).into_owned();
        }
        if !self.file.is_empty() && letters.failed + letters.errored > 0 {
            self.failing_files.push((self.file.clone(), letters.failed, letters.errored));
        }
    }

    pub(super) fn progress_line(&mut self, text: &[u8], number: u32) {
        let Some(last) = text.last() else { return };
        if self.folded.is_some() && self.folded_line(text, number) {
            return;
        }
        let mut text = text;
        if matches!(last, b']' | b's')
            && let Some(head) = progress::strip_column(text)
        {
            let is_full = text.ends_with(b"[100%]");
            text = head;
            if let Some(seen) = progress::result(head) {
                self.seen(&seen, true, number);
                return;
            }
            if let Some((file, letters)) = progress::letters(head) {
                self.counted.add_all(&letters);
                self.letters_of(file, &letters);
                self.past_progress |= is_full;
                return;
            }
        }
        if text.starts_with(b"[gw")
            && let Some(seen) = progress::worker(text)
        {
            self.workers = true;
            self.seen(&seen, true, number);
        } else if let Some(text) = text.strip_prefix(b"INTERNALERROR>") {
            self.internal_line(text, number);
        } else if let Some(seen) = progress::result(text) {
            // Below live logs a result stands alone in its line; `ERROR    kit:a.py:7 no PASSED` is a record.
            if !self.live || seen.id.is_empty() || id::starts(seen.id) {
                self.seen(&seen, false, number);
            }
        } else if !self.verbose && self.open.is_none() && progress::starts_short(text) {
            self.short = true;
        } else if id::starts(text) {
            self.open_line(text, number);
        } else if self.open.is_some() || self.lone.is_some() {
            if !self.live {
                self.glued(text, number);
            }
        } else if self.head.is_some_and(|head| number == head + 1) {
            self.version = version(text);
        } else if self.rootdir.is_none()
            && let Some(path) = text.strip_prefix(b"rootdir: ").filter(|_| self.head.is_some())
        {
            let path = path.split_str(", ").next().unwrap_or(path);
            self.rootdir = Some(lossy(path).into_owned());
        }
    }

    /// A progress line whose result is still to come: the id, a blank, and what the test prints.
    fn open_line(&mut self, text: &[u8], number: u32) {
        let end = if text.ends_with(b" ") { Some(text.trim_ascii_end().len()) } else { id::end(text) };
        if let Some(id) = end.and_then(|end| text.get(..end)) {
            self.lone = None;
            let (open, line) = self.open.get_or_insert_default();
            open.clear();
            open.push_str(&lossy(id));
            *line = number;
            if let Some(rest) = text.get(id.len()..).filter(|rest| !rest.is_empty()) {
                let reasons = [&b" SKIPPED ("[..], b" XFAIL (", b" XPASS ("];
                if reasons.iter().any(|start| rest.starts_with(start)) {
                    self.folded = Some(Bounded::of(rest.trim_ascii()));
                }
                self.glued(rest, number);
            }
        }
    }

    /// Takes a line of a folded reason. The column behind its last one says that no test printed it.
    fn folded_line(&mut self, text: &[u8], number: u32) -> bool {
        let Some(mut folded) = self.folded.take() else { return false };
        if id::starts(text) || progress::result(text).is_some_and(|seen| seen.id.is_empty()) {
            return false;
        }
        let head = progress::strip_column(text);
        folded.line(head.unwrap_or(text));
        let Some(head) = head else {
            self.folded = Some(folded).filter(|folded| !folded.is_cut());
            return true;
        };
        let whole = folded.as_str().replace('\n', " ");
        let Some(seen) = progress::result_alone(whole.as_bytes()).filter(|_| head.ends_with(b")")) else {
            return false;
        };
        self.seen(&seen, true, number);
        true
    }

    /// With `-s`, a result follows at once what the test printed last.
    fn glued(&mut self, text: &[u8], number: u32) {
        if !matches!(text.last(), Some(b'D' | b'R' | b'L' | b'S' | b'N')) {
            return;
        }
        let words = [&b"PASSED"[..], b"FAILED", b"SKIPPED", b"ERROR", b"XFAIL", b"XPASS", b"RERUN"];
        let word = words.iter().find(|word| text.ends_with(word)).and_then(|word| Word::read(word));
        if let Some(word) = word {
            self.seen(&Seen { id: b"", label: b"", word, reason: b"" }, false, number);
        }
    }

    /// Takes a result. `column`: the runner's column stands behind it, so that no test printed it.
    fn seen(&mut self, seen: &Seen<'_>, column: bool, number: u32) {
        self.torn = false;
        self.live = false;
        if !self.verbose && (self.short || progress::starts_short(seen.id)) {
            self.short = true;
            return;
        }
        if self.is_like_last(seen.id) {
            self.open = None;
            let key = self.named(&lossy(seen.id), Some(self.prefix.len()), seen, Lines::one(number));
            self.lone = key.filter(|_| !column);
            return;
        }
        let whole = id::starts(seen.id) || column && id::colons(seen.id).is_some();
        // A test may have printed between its id and its result. Only Python names are known to hold no blanks.
        let python = || memchr::memmem::find(seen.id, b".py::").is_some();
        let split =
            !seen.id.ends_with(b"]") && (!column || memchr::memchr(b' ', seen.id).is_some() && python());
        let end = if split { id::end(seen.id) } else { Some(seen.id.len()) };
        let id = if whole { end.and_then(|end| seen.id.get(..end)) } else { None };
        if let Some(id) = id {
            self.open = None;
            let key = self.named(&lossy(id), None, seen, Lines::one(number));
            self.torn = id.len() < seen.id.len();
            self.lone = key.filter(|_| !column || self.torn);
        } else if let Some((id, line)) = self.open.take() {
            self.lone = self.named(&id, None, seen, Lines::new(line, number));
        } else if let Some(key) = self.lone {
            self.doubtful.pop_if(|(known, _)| *known == key);
            self.doubtful.push((key, seen.word));
        }
    }

    /// Whether this is the whole id of a test beside the last one. Most are, and then nothing else has to be looked at.
    fn is_like_last(&self, id: &[u8]) -> bool {
        let Some(name) = id.strip_prefix(self.prefix.as_slice()).filter(|_| !self.prefix.is_empty()) else {
            return false;
        };
        match memchr::memchr3(b'[', b':', b' ', name) {
            None => true,
            Some(at) => name.get(at) == Some(&b'[') && name.ends_with(b"]"),
        }
    }

    /// `name_at`: where the test's own name starts in the id, if that is known.
    fn named(&mut self, id: &str, name_at: Option<usize>, seen: &Seen<'_>, lines: Lines) -> Option<CaseKey> {
        self.verbose = true;
        let label = lossy(seen.label);
        let with_label;
        let (id, name_len) = if label.is_empty() {
            let name_at = name_at.unwrap_or_else(|| {
                let name_at = id::name_at(id.as_bytes()).min(id.len());
                self.prefix.clear();
                self.prefix.extend_from_slice(id.as_bytes().get(..name_at).unwrap_or(b""));
                name_at
            });
            (id, id.len() - name_at.min(id.len()))
        } else {
            with_label = format!("{id} {label}");
            (with_label.as_str(), label.len())
        };
        // The end line counts subtests that passed apart from the tests.
        if label.is_empty() || seen.word == Word::Failed {
            self.counted.count(seen.word);
        }
        let Some(status) = seen.word.status() else {
            self.reruns.insert(id.to_owned());
            return None;
        };
        // An error after the body, also one that was expected, or the next try of a test whose last one passed and could
        // not be torn down.
        let again = matches!(seen.word, Word::Error | Word::Xfail)
            || !self.reruns.is_empty() && self.reruns.contains(id);
        let known = if again { self.cases.find(id) } else { None };
        let key = match known {
            Some(key) => {
                if seen.word != Word::Xfail {
                    self.cases.set_status(key, status);
                }
                let first = self.cases.get(key).map_or(lines.first, |case| case.lines().first);
                self.cases.set_lines(key, Lines::new(first, lines.last));
                key
            }
            None => self.cases.push(NewCase { id, name_len, status, lines }, id::suite),
        };
        if !seen.reason.is_empty() {
            self.cases.set_reason(key, lossy(seen.reason));
        }
        if matches!(seen.word, Word::Failed | Word::Error) {
            let (error, after) = (seen.word == Word::Error, known.is_some());
            self.failed.push(Failed { key, error, after, line: lines.last });
        }
        Some(key)
    }

    fn internal_line(&mut self, text: &[u8], number: u32) {
        let internal = self.internal.get_or_insert_default();
        internal.first = if internal.first == 0 { number } else { internal.first };
        internal.last = number;
        let text = text.strip_prefix(b" ").unwrap_or(text);
        if !text.is_empty() && !text.starts_with(b" ") {
            internal.said = Bounded::of(text);
        }
    }
}

/// Whether the line is about an error of pytest itself. With `-q` it may be the first of a session.
pub(super) fn is_internal(text: &[u8]) -> bool {
    text.starts_with(b"INTERNALERROR> ")
}

/// `platform linux -- Python 3.11.7, pytest-8.3.5, pluggy-1.7.0`
fn version(text: &[u8]) -> Option<String> {
    let at = memchr::memmem::find(text, b", pytest-")?;
    let rest = text.get(at + 9..)?;
    let end = memchr::memchr(b',', rest).unwrap_or(rest.len());
    Some(lossy(rest.get(..end)?.trim_ascii()).into_owned())
}

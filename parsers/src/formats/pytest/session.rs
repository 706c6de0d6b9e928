//! One session: which section a line stands in, and what it says there.

use std::collections::HashSet;

use bstr::ByteSlice;

use super::block::{Block, OneLine};
use super::id;
use super::progress::{self, Seen};
use super::rule::{Rule, Section, section};
use super::summary::{Named, named, split_message};
use super::tally::{Fit, Tally};
use super::text::Text;
use super::traceback::place;
use super::word::Word;
use crate::text::lossy;
use crate::{CaseKey, Cases, Lines, NewCase};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Zone {
    Progress,
    Blocks(Section),
    Other,
    Summary,
}

/// What was read of a session so far. What it means is settled at its end.
#[derive(Clone)]
pub(super) struct Session {
    /// The line of the head, where there is one.
    pub(super) head: Option<u32>,
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) version: Option<String>,
    pub(super) rootdir: Option<String>,
    /// The width of its ruled lines; 0 while unknown.
    width: usize,
    zone: Zone,
    /// How many sessions that a test printed are open around this line.
    depth: u32,
    /// The id of a progress line whose result is still to come.
    open: Option<(String, u32)>,
    /// The last case whose result no column marks as the runner's own.
    lone: Option<CaseKey>,
    /// Progress lines or summary lines name the cases.
    pub(super) cases: Cases,
    pub(super) verbose: bool,
    pub(super) workers: bool,
    pub(super) counted: Tally,
    /// What stands before the name in the last id.
    prefix: Vec<u8>,
    /// The file of the last short progress line.
    file: String,
    /// How many failures and errors the letters of a file show.
    pub(super) failing_files: Vec<(String, u64, u64)>,
    /// Failures and errors in the order of the progress lines.
    pub(super) failed: Vec<Failed>,
    /// A second result that stood alone where the first may have been output.
    pub(super) doubtful: Vec<(CaseKey, Word)>,
    pub(super) reruns: HashSet<String>,
    pub(super) reruns_named: usize,
    pub(super) blocks: Vec<Block>,
    block_names: HashSet<String>,
    block: Option<Block>,
    pub(super) one_lines: Vec<OneLine>,
    /// Output of a test that has no block.
    captured: bool,
    pub(super) listed: Listed,
    /// Titles of `!` lines.
    pub(super) stops: Vec<(String, u32)>,
    pub(super) internal: Option<Internal>,
    pub(super) end: Option<End>,
    /// An end line that doesn't fit what was counted: the end if no other comes.
    pub(super) weak_end: Option<End>,
    pub(super) ambiguous: Option<u32>,
    /// A section or a full progress column was seen: what lacks is the end line alone.
    pub(super) past_progress: bool,
    /// The first line where something was cut.
    pub(super) cut: Option<u32>,
}

/// A failure or an error that a progress line names.
#[derive(Debug, Clone, Copy)]
pub(super) struct Failed {
    pub(super) key: CaseKey,
    pub(super) error: bool,
    /// The test had another result before: what is an error then came after its body.
    pub(super) after: bool,
    pub(super) line: u32,
}

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

/// `INTERNALERROR>` lines.
#[derive(Debug, Clone, Default)]
pub(super) struct Internal {
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) said: Text,
}

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
    pub(super) fn new(head: Option<&Rule<'_>>, number: u32) -> Self {
        Self {
            head: head.map(|_| number),
            first: number,
            last: number,
            version: None,
            rootdir: None,
            width: head.map_or(0, |rule| rule.width),
            zone: Zone::Progress,
            depth: 0,
            open: None,
            lone: None,
            cases: Cases::default(),
            verbose: false,
            workers: false,
            counted: Tally::default(),
            prefix: Vec::new(),
            file: String::new(),
            failing_files: Vec::new(),
            failed: Vec::new(),
            doubtful: Vec::new(),
            reruns: HashSet::new(),
            reruns_named: 0,
            blocks: Vec::new(),
            block_names: HashSet::new(),
            block: None,
            one_lines: Vec::new(),
            captured: false,
            listed: Listed::default(),
            stops: Vec::new(),
            internal: None,
            end: None,
            weak_end: None,
            ambiguous: None,
            past_progress: false,
            cut: None,
        }
    }

    /// Whether the line stands where tests print.
    fn in_output(&self) -> bool {
        match self.zone {
            Zone::Other => true,
            Zone::Blocks(_) => match &self.block {
                Some(block) => block.traceback.is_captured(),
                None => self.captured,
            },
            Zone::Progress | Zone::Summary => false,
        }
    }

    /// A head inside the session. True where it can only be one that a test printed.
    pub(super) fn inner_head(&mut self) -> bool {
        let inner = self.end.is_none() && (self.depth > 0 || self.in_output() || self.is_open());
        self.depth += u32::from(inner);
        inner
    }

    /// Whether a test runs whose result is still to come. Workers announce tests long before.
    fn is_open(&self) -> bool {
        self.open.is_some() && !self.workers
    }

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
            if fits || !self.in_output() {
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

    /// Takes a line of the session that is neither head nor end.
    pub(super) fn line(&mut self, text: &[u8], rule: Option<&Rule<'_>>, number: u32) {
        if self.depth > 0 {
            return;
        }
        self.last = number;
        if let Some(rule) = rule
            && self.rule(rule, number)
        {
            return;
        }
        match self.zone {
            Zone::Progress => self.progress_line(text, number),
            Zone::Blocks(section) => self.block_line(section, text, number),
            Zone::Summary => self.summary_line(text, number),
            Zone::Other => {}
        }
    }

    /// Whether a ruled line is the runner's own.
    fn rule(&mut self, rule: &Rule<'_>, number: u32) -> bool {
        if self.in_output() && !rule.fits(self.width) {
            return false;
        }
        match rule.fill {
            b'=' => {
                let Some(section) = section(rule) else { return false };
                self.close_block();
                self.past_progress = true;
                self.captured = false;
                self.width = if self.width == 0 { rule.width } else { self.width };
                self.zone = match section {
                    Section::Head | Section::Other => Zone::Other,
                    Section::Errors | Section::Failures => Zone::Blocks(section),
                    Section::Summary => {
                        // Of two summaries the first was output of a test.
                        self.listed = Listed::default();
                        Zone::Summary
                    }
                };
            }
            b'_' if matches!(self.zone, Zone::Blocks(_) | Zone::Summary) => {
                if self.zone == Zone::Summary {
                    // No block follows the summary: what looked like one was output of a test.
                    self.zone = Zone::Blocks(Section::Failures);
                    self.listed = Listed::default();
                }
                self.close_block();
                self.block = Some(Block::new(rule.title, number));
            }
            b'-' if rule.title.starts_with(b"Captured ") => match &mut self.block {
                Some(block) => {
                    block.traceback.captured();
                    block.last = number;
                }
                None => {
                    self.captured = matches!(self.zone, Zone::Blocks(_));
                    return self.captured;
                }
            },
            b'!' if self.stops.len() < 16 => self.stops.push((lossy(rule.title).into_owned(), number)),
            _ => return false,
        }
        true
    }

    /// A `!` line that stands after the end: `pytest.exit` prints it there.
    pub(super) fn stop_after_end(&mut self, rule: &Rule<'_>, number: u32) {
        if rule.fill == b'!' && rule.fits(self.width) && self.stops.len() < 16 {
            self.stops.push((lossy(rule.title).into_owned(), number));
        }
    }

    pub(super) fn close_block(&mut self) {
        if let Some(block) = self.block.take() {
            if block.traceback.cut() {
                self.cut.get_or_insert(block.first);
            }
            self.block_names.insert(block.name.clone());
            self.blocks.push(block);
        }
    }

    fn block_line(&mut self, section: Section, text: &[u8], number: u32) {
        if let Some(block) = &mut self.block {
            block.line(text, number);
        } else if section == Section::Failures && text.starts_with(b"[XPASS(strict)]") {
            let said = Text::of(text).as_str().to_owned();
            self.one_lines.push(OneLine { file: String::new(), line: 0, said, number, used: false });
        } else if section == Section::Failures
            && let Some((file, line, said)) = place(text)
            && !said.is_empty()
        {
            // `--tb=line` prints no titles; the line stands below captured output.
            self.captured = false;
            let said = Text::of(said).as_str().to_owned();
            let file = lossy(file).into_owned();
            self.one_lines.push(OneLine { file, line, said, number, used: false });
        }
    }

    /// Remembers in which file the failures were: their blocks come in the same order.
    fn letters_of(&mut self, file: &[u8], letters: &Tally) {
        if !file.is_empty() {
            self.file = lossy(file).into_owned();
        }
        if !self.file.is_empty() && letters.failed + letters.errored > 0 {
            self.failing_files.push((self.file.clone(), letters.failed, letters.errored));
        }
    }

    fn progress_line(&mut self, text: &[u8], number: u32) {
        let Some(last) = text.last() else { return };
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
            self.seen(&seen, false, number);
        } else if id::starts(text) {
            self.open_line(text, number);
        } else if self.open.is_some() || self.lone.is_some() {
            self.glued(text, number);
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
                self.glued(rest, number);
            }
        }
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
        if self.is_like_last(seen.id) {
            self.open = None;
            let key = self.named(&lossy(seen.id), seen, Lines::one(number));
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
            let key = self.named(&lossy(id), seen, Lines::one(number));
            self.lone = key.filter(|_| !column);
        } else if let Some((id, line)) = self.open.take() {
            self.lone = self.named(&id, seen, Lines::new(line, number));
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
        match name.iter().position(|byte| matches!(byte, b'[' | b':' | b' ')) {
            None => true,
            Some(at) => name.get(at) == Some(&b'[') && name.ends_with(b"]"),
        }
    }

    fn named(&mut self, id: &str, seen: &Seen<'_>, lines: Lines) -> Option<CaseKey> {
        self.verbose = true;
        let label = lossy(seen.label);
        let with_label;
        let (id, name_len) = if label.is_empty() {
            let name_at = if self.is_like_last(id.as_bytes()) {
                self.prefix.len()
            } else {
                let name_at = id::name_at(id.as_bytes()).min(id.len());
                self.prefix.clear();
                self.prefix.extend_from_slice(&id.as_bytes()[..name_at]);
                name_at
            };
            (id, id.len() - name_at)
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
        let known = if seen.word == Word::Error { self.cases.find(id) } else { None };
        let key = match known {
            Some(key) => {
                self.cases.set_status(key, status);
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
            internal.said = Text::of(text);
        }
    }

    fn summary_line(&mut self, text: &[u8], number: u32) {
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
        let message = message.map(Text::of);
        if message.as_ref().is_some_and(|message| message.cut) {
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
        let case = NewCase { id: &id, name_len, status, lines: Lines::one(number) };
        let key = self.listed.others.push(case, id::suite);
        if let Some(reason) = reason.filter(|reason| !reason.is_empty()) {
            self.listed.others.set_reason(key, lossy(reason));
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

/// `platform linux -- Python 3.11.7, pytest-8.3.5, pluggy-1.7.0`
fn version(text: &[u8]) -> Option<String> {
    let at = memchr::memmem::find(text, b", pytest-")?;
    let rest = text.get(at + 9..)?;
    let end = memchr::memchr(b',', rest).unwrap_or(rest.len());
    Some(lossy(rest.get(..end)?.trim_ascii()).into_owned())
}

//! One session: which section a line stands in, and what it says there.

use std::collections::HashSet;

use super::block::Block;
use super::ending::End;
use super::id;
use super::listed::Listed;
use super::one_line::OneLine;
use super::progress;
use super::rule::{Rule, Section, section};
use super::tally::Tally;
use super::traceback::place;
use super::word::Word;
use crate::bounded::Bounded;
use crate::text::lossy;
use crate::{CaseKey, Cases};

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
    /// The layout, or the end alone, is that of pytest-sugar; and whether its end is being read.
    pub(super) sugar: Option<bool>,
    /// The width of its ruled lines; 0 while unknown.
    pub(super) width: usize,
    zone: Zone,
    /// How many sessions that a test printed are open around this line.
    pub(super) depth: u32,
    /// The id of a progress line whose result is still to come.
    pub(super) open: Option<(String, u32)>,
    /// What follows the id of `open`, where it is a result whose reason goes on: `-vv` folds reasons.
    pub(super) folded: Option<Bounded>,
    /// The last case whose result no column marks as the runner's own.
    pub(super) lone: Option<CaseKey>,
    /// What the running test logs is printed as it comes.
    pub(super) live: bool,
    /// Between the last id and its result stood what a test printed, and the result may be of that.
    pub(super) torn: bool,
    /// Progress lines or summary lines name the cases.
    pub(super) cases: Cases,
    pub(super) verbose: bool,
    /// The short form is in use: what names a test with its result was printed.
    pub(super) short: bool,
    pub(super) workers: bool,
    pub(super) counted: Tally,
    /// What stands before the name in the last id.
    pub(super) prefix: Vec<u8>,
    /// The file of the last short progress line.
    pub(super) file: String,
    /// How many failures and errors the letters of a file show.
    pub(super) failing_files: Vec<(String, u64, u64)>,
    /// Failures and errors in the order of the progress lines.
    pub(super) failed: Vec<Failed>,
    /// A second result that stood alone where the first may have been output.
    pub(super) doubtful: Vec<(CaseKey, Word)>,
    pub(super) reruns: HashSet<String>,
    pub(super) reruns_named: usize,
    pub(super) blocks: Vec<Block>,
    pub(super) block_names: HashSet<String>,
    pub(super) block: Option<Block>,
    pub(super) one_lines: Vec<OneLine>,
    /// A section showed output of tests: what looks like a section after it may be more of that.
    pub(super) printed: bool,
    /// Output of a test that has no block.
    pub(super) captured: bool,
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
    /// A section began while a test had no result: it is output of that test if another result follows.
    doubted: Option<Doubted>,
    /// The first line where something was cut.
    pub(super) cut: Option<u32>,
}

/// What to go back to if a section turns out to be output.
#[derive(Debug, Clone, Copy)]
struct Doubted {
    blocks: usize,
    past_progress: bool,
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

/// `INTERNALERROR>` lines.
#[derive(Debug, Clone, Default)]
pub(super) struct Internal {
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) said: Bounded,
}

impl Session {
    pub(super) fn new(head: Option<&Rule<'_>>, number: u32) -> Self {
        Self {
            head: head.map(|_| number),
            first: number,
            last: number,
            version: None,
            rootdir: None,
            sugar: None,
            width: head.map_or(0, |rule| rule.width),
            zone: Zone::Progress,
            depth: 0,
            open: None,
            folded: None,
            lone: None,
            live: false,
            torn: false,
            cases: Cases::default(),
            verbose: false,
            short: false,
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
            printed: false,
            captured: false,
            listed: Listed::default(),
            stops: Vec::new(),
            internal: None,
            end: None,
            weak_end: None,
            ambiguous: None,
            past_progress: false,
            doubted: None,
            cut: None,
        }
    }

    /// Whether the line stands where tests print.
    pub(super) fn in_output(&self) -> bool {
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
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some() && !self.workers
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
        if self.doubted.is_some() && self.is_result(text) {
            self.back_to_progress();
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
                if self.zone == Zone::Progress && self.is_open() {
                    let (blocks, past_progress) = (self.blocks.len(), self.past_progress);
                    self.doubted = Some(Doubted { blocks, past_progress });
                }
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
                    self.printed = true;
                }
                None => {
                    self.captured = matches!(self.zone, Zone::Blocks(_));
                    self.printed |= self.captured || self.zone == Zone::Other;
                    return self.captured;
                }
            },
            b'-' if self.zone == Zone::Progress && rule.title.starts_with(b"live log ") => self.live = true,
            b'!' if self.stops.len() < 16 => self.stops.push((lossy(rule.title).into_owned(), number)),
            _ => return false,
        }
        true
    }

    /// Whether the line is one of progress with a result, where no captured output stands.
    fn is_result(&self, text: &[u8]) -> bool {
        let captured =
            self.captured || self.block.as_ref().is_some_and(|block| block.traceback.is_captured());
        let text = progress::strip_column(text).unwrap_or(text);
        !captured && progress::result(text).is_some_and(|seen| seen.id.is_empty() || id::starts(seen.id))
    }

    /// Takes back a section that a running test printed.
    fn back_to_progress(&mut self) {
        let Some(before) = self.doubted.take() else { return };
        self.zone = Zone::Progress;
        self.block = None;
        self.blocks.truncate(before.blocks);
        self.one_lines.clear();
        self.listed = Listed::default();
        self.captured = false;
        self.past_progress = before.past_progress;
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
            let said = Bounded::of(text).as_str().to_owned();
            self.one_lines.push(OneLine { file: String::new(), line: 0, said, number, used: false });
        } else if section == Section::Failures
            && let Some((file, line, said)) = place(text)
            && !said.is_empty()
        {
            // `--tb=line` prints no titles; the line stands below captured output.
            self.captured = false;
            let said = Bounded::of(said).as_str().to_owned();
            let file = lossy(file).into_owned();
            self.one_lines.push(OneLine { file, line, said, number, used: false });
        }
    }
}

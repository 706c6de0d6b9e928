//! From what was read of a session to its report: blocks and summary lines find their cases, failures get their kind,
//! and the runner's numbers are held against what is named.

use std::collections::{HashMap, HashSet, VecDeque};

use super::block::{Block, Phase};
use super::id;
use super::kinds::{is_unexpected_success, with_class_of};
use super::listed::Listing;
use super::session::Session;
use super::totals;
use crate::{CaseKey, Failure, Format, Grammar, Kind, Lines, NewCase, NoteCode, Options, Report, Status};

/// A failure that a progress line or the summary names, waiting for what else is known about it.
pub(super) struct Slot {
    pub(super) key: CaseKey,
    pub(super) error: bool,
    /// An error after the body.
    pub(super) after: bool,
    pub(super) message: Option<String>,
    pub(super) line: u32,
    pub(super) used: bool,
}

/// The work of settling one session.
pub(super) struct Settle<'a> {
    pub(super) session: Session,
    pub(super) report: Report,
    pub(super) grammar: &'a Grammar,
    pub(super) options: &'a Options,
    pub(super) slots: Vec<Slot>,
    /// Slots by what names them, in order.
    by_key: HashMap<(CaseKey, bool), VecDeque<usize>>,
    by_domain: HashMap<(String, bool), VecDeque<usize>>,
    /// Errors of the summary that name a file.
    pub(super) unloaded: Vec<Listing>,
}

/// Makes the report of a session.
pub(super) fn settle(mut session: Session, format: Format, options: &Options) -> Report {
    session.close_block();
    session.drop_unfit_end();
    session.end = session.end.or(session.weak_end);
    let mut report = Report::empty(format);
    report.runner.version = session.version.take();
    report.spans.push(Lines::new(session.first, session.last));
    report.cases =
        std::mem::take(if session.verbose { &mut session.cases } else { &mut session.listed.others });
    let mut settle = Settle {
        session,
        report,
        grammar: format.grammar(),
        options,
        slots: Vec::new(),
        by_key: HashMap::new(),
        by_domain: HashMap::new(),
        unloaded: Vec::new(),
    };
    settle.name_failures();
    settle.attach_blocks();
    settle.attach_one_lines();
    settle.explain_rest();
    settle.fail_parents();
    settle.unloaded_files();
    totals::settle(&mut settle);
    settle.report
}

impl Settle<'_> {
    pub(super) fn slot(
        &mut self,
        key: CaseKey,
        error: bool,
        after: bool,
        message: Option<String>,
        line: u32,
    ) {
        let at = self.slots.len();
        self.slots.push(Slot { key, error, after, message, line, used: false });
        self.by_key.entry((key, error)).or_default().push_back(at);
        if let Some(case) = self.report.cases.get(key) {
            self.by_domain.entry((id::domain(case.id()), error)).or_default().push_back(at);
        }
    }

    /// Makes a slot for each failure that is named, and a case where progress lines name none.
    fn name_failures(&mut self) {
        for failed in std::mem::take(&mut self.session.failed) {
            self.slot(failed.key, failed.error, failed.after, None, failed.line);
        }
        let mut seen: HashMap<(CaseKey, bool), usize> = HashMap::new();
        for listing in std::mem::take(&mut self.session.listed.failing) {
            if listing.error && self.is_unloaded(&listing) {
                self.unloaded.push(listing);
                continue;
            }
            let (key, after) = self.listed_case(&listing);
            // The k-th line of the summary about a case is its k-th failure.
            let nth = seen.entry((key, listing.error)).or_default();
            let at = self.by_key.get(&(key, listing.error)).and_then(|slots| slots.get(*nth)).copied();
            *nth += 1;
            match at.and_then(|at| self.slots.get_mut(at)) {
                Some(slot) => slot.message = listing.message,
                None => self.slot(key, listing.error, after, listing.message, listing.line),
            }
        }
    }

    /// Whether this error is about something that could not be collected, not about a test.
    fn is_unloaded(&mut self, listing: &Listing) -> bool {
        !listing.id.contains("::")
            || self.report.cases.find(&listing.id).is_none()
                && self.session.blocks.iter().any(|block| {
                    block.phase == Phase::Collect
                        && (block.name == listing.id || block.name == id::file(&listing.id))
                })
    }

    /// The case that a line of the summary is about, with the status that the line gives it; and whether it had
    /// another before.
    fn listed_case(&mut self, listing: &Listing) -> (CaseKey, bool) {
        let status = if listing.error { Status::Errored } else { Status::Failed };
        let lines = Lines::one(listing.line);
        let Some(key) = self.report.cases.find(&listing.id) else {
            let name_len = match listing.label {
                0 => listing.id.len() - id::name_at(listing.id.as_bytes()).min(listing.id.len()),
                label => label,
            };
            let case = NewCase { id: &listing.id, name_len, status, lines };
            return (self.report.cases.push(case, id::suite), false);
        };
        let was = self.report.cases.get(key).map_or(status, |case| case.status());
        if was == status || was == Status::Errored {
            return (key, true);
        }
        // A test whose result stood among output may have printed the other one.
        let doubtful = self.session.doubtful.iter().any(|(doubtful, _)| *doubtful == key);
        if !listing.error && !doubtful {
            let message = format!("{} is {} and {}", listing.id, was.word(), status.word());
            self.report.note(NoteCode::ContradictoryResult, message, Some(lines));
        }
        self.report.cases.set_status(key, status);
        (key, true)
    }

    fn attach_blocks(&mut self) {
        let mut left = Vec::new();
        for block in std::mem::take(&mut self.session.blocks) {
            if block.phase == Phase::Collect {
                let problem = self.collect_problem(&block);
                self.report.problems.push(problem);
                continue;
            }
            match self.slot_of(&block) {
                Some(at) => self.attach(at, &block),
                None => left.push(block),
            }
        }
        // Items of plugins are called one thing in the block and another in the id: they are told by their order.
        let free: Vec<usize> = (0..self.slots.len()).filter(|at| self.is_free(*at)).collect();
        if free.len() == left.len() {
            for (at, block) in free.into_iter().zip(left) {
                self.attach(at, &block);
            }
            return;
        }
        // Where lines name failures of a sort, a block of it that fits none is output of a test.
        let named: HashSet<bool> = self.slots.iter().map(|slot| slot.error).collect();
        if self.session.verbose {
            self.subtests_of_blocks(&left);
        } else {
            left.retain(|block| !named.contains(&(block.phase != Phase::Call)));
            self.cases_of_blocks(&left);
        }
    }

    fn is_free(&self, at: usize) -> bool {
        self.slots.get(at).is_some_and(|slot| !slot.used)
    }

    /// The slot that a block is about: the first free one of its name, rather one in a file that the block shows.
    fn slot_of(&mut self, block: &Block) -> Option<usize> {
        let error = block.phase != Phase::Call;
        if let Some(id) = crashed_test(block.traceback.raw()) {
            let key = self.report.cases.find(id)?;
            return self.by_key.get(&(key, error))?.iter().copied().find(|at| self.is_free(*at));
        }
        let Self { slots, by_domain, report, .. } = self;
        let queue = by_domain.get_mut(&(block.name.clone(), error))?;
        while queue.front().is_some_and(|at| slots.get(*at).is_none_or(|slot| slot.used)) {
            queue.pop_front();
        }
        let in_file = |at: &usize| {
            let case = slots.get(*at).filter(|slot| !slot.used).and_then(|slot| report.cases.get(slot.key));
            case.is_some_and(|case| block.traceback.touches(id::file(case.id())))
        };
        // Same names in many files come in the order of the blocks, so the one meant stands near the front.
        queue.iter().take(32).copied().find(in_file).or(queue.front().copied())
    }

    pub(super) fn attach(&mut self, at: usize, block: &Block) {
        let Some(slot) = self.slots.get_mut(at) else { return };
        slot.used = true;
        let (key, message) = (slot.key, slot.message.take());
        let lines = Lines::new(block.first, block.last);
        self.report.cases.set_lines(key, lines);
        let with_class;
        let text = match (block.traceback.said(), block.traceback.raw()) {
            ("", "") => message.as_deref().unwrap_or(""),
            ("", raw) => {
                with_class = match message.as_deref() {
                    Some(message) => with_class_of(message, raw),
                    None => self.is_plain_fail(key, block).then(|| format!("Failed: {raw}")),
                };
                with_class.as_deref().unwrap_or(raw)
            }
            (said, _) => said,
        };
        let unexpected = is_unexpected_success(block.traceback.raw());
        if unexpected {
            self.report.cases.set_status(key, Status::Xpassed);
        }
        if unexpected || self.is_no_failure(key, text) {
            return;
        }
        let failure = self.failure(key, block.phase, text, Some(block), lines);
        self.report.cases.add_failure(key, failure);
    }

    /// What has neither block nor line is told by its message in the summary, if there is one.
    fn explain_rest(&mut self) {
        for at in 0..self.slots.len() {
            let Some(slot) = self.slots.get_mut(at).filter(|slot| !slot.used) else { continue };
            slot.used = true;
            let (key, error, after, line) = (slot.key, slot.error, slot.after, slot.line);
            let message = slot.message.take();
            let text = message.unwrap_or_default();
            if self.is_no_failure(key, &text) {
                continue;
            }
            let phase = match error {
                true if after || self.by_key.contains_key(&(key, false)) => Phase::Teardown,
                true => Phase::Setup,
                false => Phase::Call,
            };
            let failure = self.failure(key, phase, &text, None, Lines::one(line));
            self.report.cases.add_failure(key, failure);
        }
    }

    /// The parent of a failed subtest failed too, also where the runner calls it passed.
    fn fail_parents(&mut self) {
        let parents: Vec<String> = self
            .report
            .cases
            .iter()
            .filter(|case| case.status() == Status::Failed)
            .filter_map(|case| case.id().strip_suffix(case.name())?.strip_suffix(' ').map(str::to_owned))
            .collect();
        for parent in parents {
            let cases = &mut self.report.cases;
            if let Some(key) = cases.find(&parent)
                && cases.get(key).is_some_and(|case| case.status() == Status::Passed)
            {
                cases.set_status(key, Status::Failed);
            }
        }
    }

    /// Takes back a failure of which nothing is known but the word. Says whether it was one.
    pub(super) fn forget_bare_failure(&mut self, key: CaseKey) -> bool {
        let Some(case) = self.report.cases.get(key) else { return false };
        let bare = |failure: &Failure| failure.kind == Kind::Unknown && failure.message.is_none();
        if case.failures().is_empty() || !case.failures().iter().all(bare) {
            return false;
        }
        self.report.cases.clear_failures(key);
        self.slots.retain(|slot| slot.key != key);
        true
    }

    /// How many failures and how many errors are named, files that did not load among the errors.
    pub(super) fn count_named(&self) -> (u64, u64) {
        let errors = self.slots.iter().filter(|slot| slot.error).count();
        let files = self.report.problems.iter().filter(|problem| problem.subject.is_some()).count();
        ((self.slots.len() - errors) as u64, (errors + files) as u64)
    }
}

/// The test during which a worker died.
fn crashed_test(raw: &str) -> Option<&str> {
    let line = raw.lines().find(|line| line.starts_with("worker '"))?;
    line.split_once("' crashed while running '")?.1.strip_suffix('\'')
}

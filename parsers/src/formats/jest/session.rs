//! What one run of jest said, gathered until its end tells how to read it.

use std::collections::{HashMap, HashSet};

use super::block::Block;
use super::header::Header;
use super::kind::Kinds;
use super::summary::Suites;
use super::tree::Leaf;
use crate::{CaseKey, Cases, Failure, Kind, Lines, NewCase, Problem, Status, Totals};

/// Between the parts of an id, as jest prints it.
pub(super) const SEPARATOR: &str = " \u{203a} ";

/// The title of a block that speaks of a file.
const UNLOADED: &str = "Test suite failed to run";

/// A test that was expected to fail and passed.
const UNEXPECTED_PASS: &str = "Failing test passed even though it was supposed to fail.";

/// One run.
#[derive(Default)]
pub(super) struct Session {
    pub(super) cases: Cases,
    pub(super) lines: Option<Lines>,
    pub(super) files: Vec<File>,
    pub(super) problems: Vec<Broken>,
    /// Tests of the file that is being read that failed, by id, and how many of them have their block.
    failed: HashMap<String, (Vec<CaseKey>, usize)>,
    /// Those that its tree lists as skipped. Where `beforeAll` fails, they have a block all the same.
    skipped: HashSet<String>,
    /// Blocks that were taken for a second failure of a test that no tree lists.
    pub(super) seconds: Vec<CaseKey>,
    /// Names of tests that were tried again.
    pub(super) retried: Vec<(String, u32)>,
    pub(super) end: Option<End>,
    pub(super) other_ends: Vec<Lines>,
    /// A frame shows a file's path with a blank that was taken for the end of a project's name.
    pub(super) has_blank_paths: bool,
    /// The first message of which only the start was kept.
    pub(super) cut: Option<Lines>,
    /// Files that are printed a second time, at the end of a long run.
    repeats: bool,
    skips: bool,
    /// The id of the last test of a tree, of which so much is what the next one's begins with too.
    id: String,
    prefix: usize,
}

/// A file whose header was printed.
pub(super) struct File {
    pub(super) label: String,
    pub(super) failed: bool,
    /// What was taken for its project's name.
    pub(super) guessed_project: Option<String>,
    /// Whether all its tests are printed.
    pub(super) has_tree: bool,
    /// Whether a test or a problem says why it failed.
    pub(super) is_explained: bool,
    pub(super) line: u32,
}

/// A file that broke outside its tests.
pub(super) struct Broken {
    pub(super) problem: Problem,
    /// The same block, should a test be called so.
    pub(super) as_test: Failure,
    pub(super) file: usize,
}

/// The runner's numbers.
pub(super) struct End {
    pub(super) suites: Suites,
    pub(super) totals: Totals,
    pub(super) total: u64,
    pub(super) lines: Lines,
}

impl Session {
    pub(super) fn touch(&mut self, number: u32) {
        let first = self.lines.map_or(number, |lines| lines.first);
        self.lines = Some(Lines::new(first, number));
    }

    /// Whether the end agrees with the files before it.
    pub(super) fn is_consistent(&self) -> bool {
        let Some(End { suites, .. }) = &self.end else { return false };
        let failed = self.files.iter().filter(|file| file.failed).count() as u64;
        let passed = self.files.len() as u64 - failed;
        !self.files.is_empty() && (failed, passed) == (suites.failed, suites.passed)
    }

    /// `Summary of all failing tests`: what was printed is printed again.
    pub(super) fn repeat(&mut self) {
        self.repeats = !self.files.is_empty();
    }

    pub(super) fn file(&mut self, header: Header, number: u32) {
        self.touch(number);
        // The list of failures gives paths from where jest was started, not from their project's root.
        let below = |file: &File| {
            header
                .path
                .strip_suffix(file.label.as_str())
                .is_some_and(|head| head.is_empty() || head.ends_with('/'))
        };
        self.skips =
            self.repeats && header.failed && self.files.iter().any(|file| file.failed && below(file));
        if self.skips {
            return;
        }
        self.failed.clear();
        self.skipped.clear();
        self.files.push(File {
            label: header.path,
            failed: header.failed,
            guessed_project: header.project.filter(|_| header.is_guess),
            has_tree: false,
            is_explained: false,
            line: number,
        });
    }

    pub(super) fn skips(&self) -> bool {
        self.skips
    }

    pub(super) fn begin_tree(&mut self) {
        if let Some(file) = self.files.last_mut() {
            file.has_tree = true;
        }
    }

    fn label(&self) -> &str {
        self.files.last().map_or("", |file| file.label.as_str())
    }

    /// A test of a tree.
    pub(super) fn leaf(&mut self, blocks: &[String], leaf: &Leaf<'_>) {
        let label = self.files.last().map_or("", |file| file.label.as_str());
        if leaf.moved {
            self.id.clear();
            self.id.push_str(label);
            for block in blocks {
                self.id.push_str(SEPARATOR);
                self.id.push_str(block);
            }
            self.id.push_str(SEPARATOR);
            self.prefix = self.id.len();
        }
        self.id.truncate(self.prefix);
        self.id.push_str(&leaf.name);
        let suite = |_: &str| {
            [label].into_iter().chain(blocks.iter().map(String::as_str)).map(str::to_owned).collect()
        };
        let lines = Lines::new(leaf.first, leaf.last);
        let case = NewCase { id: &self.id, name_len: leaf.name.len(), status: leaf.status, lines };
        let key = self.cases.push(case, suite);
        if let Some(seconds) = leaf.seconds {
            self.cases.set_duration(key, seconds);
        }
        match leaf.status {
            Status::Failed => self.failed.entry(self.id.clone()).or_default().0.push(key),
            Status::Skipped | Status::Todo => _ = self.skipped.insert(self.id.clone()),
            _ => {}
        }
    }

    /// What a block says, of a test or of the file.
    pub(super) fn block(&mut self, block: Block, kinds: &Kinds) {
        self.touch(block.last);
        let lines = Lines::new(block.first, block.last);
        if block.said.text.is_cut() {
            self.cut.get_or_insert(lines);
        }
        let place = block.said.place.as_ref().map_or_else(String::new, |(file, _)| file.clone());
        let label = self.label();
        let id =
            if label.is_empty() { block.title.clone() } else { format!("{label}{SEPARATOR}{}", block.title) };
        if self.skipped.contains(&id) && !self.failed.contains_key(&id) {
            return;
        }
        let (error, message) = kinds.error(&block.said);
        let (file, line) = match &block.said.place {
            Some((file, line)) => (Some(file.clone()), Some(*line)),
            None => (None, block.said.frame.marked_line()),
        };
        let kind = kinds.of_test(&block.said);
        let failure = Failure { kind, error, message, file, line, lines };
        if block.title == UNLOADED && !self.failed.contains_key(&id) {
            let problem = Problem {
                kind: kinds.of_file(&block.said),
                subject: Some(label.to_owned()).filter(|label| !label.is_empty()),
                error: failure.error.clone(),
                message: failure.message.clone(),
                lines,
            };
            self.problems.push(Broken {
                problem,
                as_test: failure,
                file: self.files.len().saturating_sub(1),
            });
        } else {
            self.failure(id, &block.title, failure);
        }
        if let Some(file) = self.files.last_mut() {
            file.is_explained = true;
            let is_whole = |project: &String| {
                let shown = place.strip_suffix(file.label.as_str()).and_then(|head| head.strip_suffix(' '));
                shown == Some(project)
            };
            self.has_blank_paths |= file.guessed_project.as_ref().is_some_and(is_whole);
        }
    }

    fn failure(&mut self, id: String, title: &str, failure: Failure) {
        let key = match self.failed.get_mut(&id) {
            Some((keys, told)) => {
                // Of several tests of one name each has its block.
                let key = keys.get(*told).or(keys.last()).copied();
                if *told >= keys.len() && !self.files.last().is_some_and(|file| file.has_tree) {
                    self.seconds.extend(key);
                }
                *told += 1;
                key
            }
            None => None,
        };
        if key.is_none() && id.is_empty() {
            self.nameless(failure);
            return;
        }
        let key = key.unwrap_or_else(|| self.named_by_block(id, title, failure.lines));
        if failure.message.as_deref().is_some_and(|message| message.starts_with(UNEXPECTED_PASS)) {
            self.cases.set_status(key, Status::Xpassed);
            return;
        }
        self.cases.add_failure(key, failure);
    }

    /// A block without a title, below no file's header: whose failure it is can't be known.
    fn nameless(&mut self, failure: Failure) {
        let as_test = failure.clone();
        let Failure { kind, error, message, lines, .. } = failure;
        let problem = Problem { kind, subject: None, error, message, lines };
        self.problems.push(Broken { problem, as_test, file: usize::MAX });
    }

    /// A test that no tree lists. Where its title is cut is a guess: a name may hold what stands between two.
    fn named_by_block(&mut self, id: String, title: &str, lines: Lines) -> CaseKey {
        let name_len = title.rsplit(SEPARATOR).next().map_or(title.len(), str::len);
        let split = |prefix: &str| {
            prefix.split(SEPARATOR).filter(|part| !part.is_empty()).map(str::to_owned).collect()
        };
        let key = self.cases.push(NewCase { id: &id, name_len, status: Status::Failed, lines }, split);
        let (keys, told) = self.failed.entry(id).or_default();
        keys.push(key);
        *told += 1;
        key
    }

    /// The run ended in the middle: a test called `process.exit`.
    pub(super) fn exited(&mut self, said: &str, number: u32) {
        self.touch(number);
        let subject = None;
        let problem = Problem {
            kind: Kind::Crash,
            subject,
            error: None,
            message: Some(said.to_owned()),
            lines: Lines::one(number),
        };
        let as_test = Failure {
            kind: Kind::Crash,
            error: None,
            message: None,
            file: None,
            line: None,
            lines: Lines::one(number),
        };
        self.problems.push(Broken { problem, as_test, file: usize::MAX });
    }
}

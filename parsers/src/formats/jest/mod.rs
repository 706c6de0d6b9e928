//! Reads the output of jest.
//!
//! jest reports on standard error (`@jest/reporters`): for each file a header, `PASS ./a.test.js`; what its tests
//! printed, under `● Console`; with `--verbose`, or where there is one file alone, the tree of its tests; then a block
//! for each failure, `● box › opens`, or one for a file that could not be run, `● Test suite failed to run`. At the end
//! stand the numbers: `Test Suites:`, `Tests:`, `Snapshots:`, `Time:`. With more than twenty files all failures are
//! printed again before it.
//!
//! Traps: a file that didn't load has no tests, and none is counted as failed; a hook's error is printed as that of each
//! test below it, and only the piece of source shows where it stands; an `Error` loses its class, so that its text may
//! look like a matcher's; what tests print is indented, and looks like anything.

mod block;
mod frame;
mod header;
mod kind;
mod outside;
mod report;
mod session;
mod summary;
mod tree;

#[cfg(test)]
mod tests;

use crate::text::lossy;
use crate::{Completeness, Format, Kind, Line, Lines, Options, Parser, Problem, Report, Stream};
use block::{BULLET, Block};
use kind::Kinds;
use outside::Outside;
use session::{End, Session};
use tree::Tree;

pub(crate) fn new(format: Format, options: &Options) -> impl Parser + use<> {
    Jest {
        format,
        kinds: Kinds::new(format, &options.assertion_errors),
        sessions: vec![Session::default()],
        at: At::Between,
        suites: None,
        outside: Outside::default(),
        nothing: None,
        live: Live::default(),
    }
}

struct Jest {
    format: Format,
    kinds: Kinds,
    sessions: Vec<Session>,
    at: At,
    /// `Test Suites:` on the line before.
    suites: Option<(summary::Suites, u32)>,
    outside: Outside,
    /// `No tests found`.
    nothing: Option<Problem>,
    live: Live,
}

/// On a terminal jest prints what it is running, ` RUNS  ./a.test.js`, and takes it away before each line of its report.
/// A blank line stands above it.
#[derive(Default)]
struct Live {
    is_on: bool,
    /// A blank line, which may be the one above.
    blank: Option<u32>,
}

enum At {
    Between,
    /// On the line after a file's header.
    Header,
    Tree(Tree),
    Block {
        block: Box<Block>,
        below_header: bool,
    },
}

const RUNS: &[u8] = b" RUNS ";

impl Parser for Jest {
    fn line(&mut self, line: Line<'_>, stream: Stream) {
        if stream == Stream::Out {
            return;
        }
        let text = line.text;
        if self.live.is_on && self.alive(line) {
            return;
        }
        match text.first() {
            Some(b' ') => {
                if self.indented(line) {
                    return;
                }
            }
            Some(b'P' | b'F') => {
                if line.ended && self.header(line) {
                    return;
                }
            }
            Some(b'T' | b'S' | b'N' | b'J') => {
                if self.word(line) {
                    return;
                }
            }
            _ => {}
        }
        self.content(line);
    }

    fn end(&mut self) -> Vec<Report> {
        self.held_blank();
        self.close();
        let mut sessions: Vec<Session> = std::mem::take(&mut self.sessions);
        sessions.retain(|session| session.lines.is_some());
        let many = sessions.len() > 1;
        let mut reports: Vec<Report> = sessions
            .into_iter()
            .map(|session| {
                let lines = session.lines;
                let mut report = report::report(session, self.format);
                report.session_lines = lines.filter(|_| many);
                report
            })
            .collect();
        if reports.is_empty() {
            let mut report = Report::empty(self.format);
            if let Some(problem) = self.nothing.take() {
                report.completeness = Completeness::Complete;
                report.problems.push(problem);
            } else {
                report.problems.extend(self.outside.problem());
            }
            reports.push(report);
        } else if let Some(report) = reports.last_mut() {
            report.problems.extend(self.outside.broken_run());
        }
        reports
    }
}

impl Jest {
    /// The session that is being read; a header after the end of one begins another.
    fn current(&mut self) -> &mut Session {
        if self.sessions.is_empty() {
            self.sessions.push(Session::default());
        }
        let last = self.sessions.len().saturating_sub(1);
        &mut self.sessions[last]
    }

    /// A line that begins with a blank. Whether it is dealt with.
    fn indented(&mut self, line: Line<'_>) -> bool {
        let text = line.text;
        match text.get(1) {
            Some(b' ') => {}
            Some(b'P' | b'F') => return line.ended && self.header(line),
            Some(b'L') => return self.retry(line),
            Some(b'R') if text.starts_with(RUNS) => {
                self.live.is_on = true;
                return true;
            }
            _ => {
                // ` › 1 snapshot written.`
                self.leave_block();
                return false;
            }
        }
        let Some(title) = text.strip_prefix(BULLET) else { return false };
        if matches!(self.at, At::Tree(_)) {
            return false;
        }
        let below_header = matches!(self.at, At::Header);
        self.leave_block();
        if self.of_the_process(title, line.number) {
            return true;
        }
        self.at = At::Block { block: Box::new(Block::new(title, line.number)), below_header };
        true
    }

    /// Takes a line on a terminal, where it belongs to what is taken away again.
    fn alive(&mut self, line: Line<'_>) -> bool {
        if line.text.is_empty() {
            self.held_blank();
            self.live.blank = Some(line.number);
            return true;
        }
        if line.text.starts_with(RUNS) {
            self.live.blank = None;
            // Numbers below it were those so far.
            if !matches!(self.at, At::Header) {
                self.current().end = None;
            }
            return true;
        }
        self.held_blank();
        false
    }

    fn held_blank(&mut self) {
        if let Some(number) = self.live.blank.take() {
            self.content(Line { text: b"", number, ended: true });
        }
    }

    /// `●  process.exit called with "1"`, and other things that jest says while tests run.
    fn of_the_process(&mut self, title: &[u8], number: u32) -> bool {
        let Some(said) = title.strip_prefix(b" ") else { return false };
        if said.starts_with(b"process.exit called with ") {
            self.current().exited(&lossy(said), number);
            return true;
        }
        said.starts_with(b"Cannot log after tests are done.") || said.starts_with(b"You are trying to ")
    }

    fn header(&mut self, line: Line<'_>) -> bool {
        let Some(header) = header::read(line.text) else { return false };
        self.close();
        if self.current().end.is_some() {
            self.begin_another();
        }
        self.current().file(header, line.number);
        self.at = At::Header;
        true
    }

    /// What follows an end that agrees with what stands before it is another run.
    fn begin_another(&mut self) {
        if self.current().is_consistent() {
            self.sessions.push(Session::default());
        } else if let Some(end) = self.current().end.take() {
            self.current().other_ends.push(end.lines);
        }
    }

    /// ` LOGGING RETRY ERRORS  name`
    fn retry(&mut self, line: Line<'_>) -> bool {
        let Some(name) = line.text.strip_prefix(b" LOGGING RETRY ERRORS  ") else { return false };
        self.close();
        let name = lossy(name).into_owned();
        self.current().retried.push((name, line.number));
        true
    }

    /// A line that begins with one of the runner's own words.
    fn word(&mut self, line: Line<'_>) -> bool {
        let text = line.text;
        if let Some(numbers) = text.strip_prefix(b"Test Suites: ") {
            if let Some(suites) = summary::suites(numbers).filter(|_| line.ended) {
                self.suites = Some((suites, line.number));
                return true;
            }
        } else if let Some(numbers) = text.strip_prefix(b"Tests: ") {
            return self.totals(numbers, line.number);
        } else if text == b"Summary of all failing tests" {
            self.close();
            self.current().repeat();
            return true;
        } else if text.starts_with(b"No tests found, exiting with code ") && line.ended {
            self.nothing.get_or_insert_with(|| Problem {
                kind: Kind::Collection,
                subject: None,
                error: None,
                message: Some(lossy(text).into_owned()),
                lines: Lines::one(line.number),
            });
            return true;
        }
        false
    }

    fn totals(&mut self, numbers: &[u8], number: u32) -> bool {
        let Some((suites, first)) = self.suites.take().filter(|(_, first)| first + 1 == number) else {
            return false;
        };
        let Some((totals, total)) = summary::tests(numbers) else { return false };
        if self.live.is_on && suites.of.is_some() {
            return true;
        }
        self.close();
        let session = self.current();
        session.touch(number);
        let end = End { suites, totals, total, lines: Lines::new(first, number) };
        if let Some(before) = session.end.replace(end) {
            session.other_ends.push(before.lines);
        }
        true
    }

    /// A line in which the runner does not speak for itself.
    fn content(&mut self, line: Line<'_>) {
        let text = line.text;
        match &mut self.at {
            At::Between => {
                let is_outside = |session: &Session| session.lines.is_none() || session.end.is_some();
                if self.sessions.last().is_none_or(is_outside) {
                    self.outside.line(line, self.format.grammar());
                }
            }
            At::Header => {
                self.at = At::Between;
                if tree::begins(text) && !self.current().skips() {
                    self.current().begin_tree();
                    self.at = At::Tree(Tree::default());
                    self.branch(line);
                }
            }
            At::Tree(_) => self.branch(line),
            At::Block { block, below_header } => {
                let is_tree = *below_header && !block.has_title() && text.starts_with(b"    ");
                if is_tree {
                    let (title, number) = (block.title.clone(), block.first);
                    self.current().begin_tree();
                    self.at = At::Tree(Tree::default());
                    let first = [BULLET, title.as_bytes()].concat();
                    self.branch(Line { text: &first, number, ended: true });
                    self.branch(line);
                } else if !block.line(text, line.number) {
                    self.leave_block();
                }
            }
        }
    }

    /// A line of a tree; a blank one ends it.
    fn branch(&mut self, line: Line<'_>) {
        let At::Tree(mut tree) = std::mem::replace(&mut self.at, At::Between) else { return };
        let session = self.current();
        session.touch(line.number);
        let push = |blocks: &[String], leaf| session.leaf(blocks, &leaf);
        if line.text.is_empty() {
            tree.end(push);
        } else {
            tree.line(line.text, line.number, push);
            self.at = At::Tree(tree);
        }
    }

    fn leave_block(&mut self) {
        if matches!(self.at, At::Block { .. }) {
            self.close();
        }
    }

    /// Ends what is being read.
    fn close(&mut self) {
        match std::mem::replace(&mut self.at, At::Between) {
            At::Between | At::Header => {}
            At::Tree(mut tree) => {
                let session = self.current();
                tree.end(|blocks, leaf| session.leaf(blocks, &leaf));
            }
            At::Block { block, below_header } => {
                // What tests printed stands below the header.
                let is_console = below_header
                    && block.title == "Console"
                    && block.said.text.as_str().starts_with("console.");
                if is_console || !block.has_title() || self.current().skips() {
                    return;
                }
                let Self { sessions, kinds, .. } = self;
                if let Some(session) = sessions.last_mut() {
                    session.block(*block, kinds);
                }
            }
        }
    }
}

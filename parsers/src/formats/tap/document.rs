//! One TAP document: its points, plans and nested subtests.

use super::diagnosis::Diagnosis;
use super::level::{Level, Planned};
use super::pending::{Pending, Target, is_absolute, is_script};
use super::point::{Directive, Plan, Point, unescaped};
use crate::text::lossy;
use crate::{CaseKey, Failure, Format, Kind, Lines, NewCase, Note, NoteCode, Problem, Status};
/// A document that is being read.
pub(super) struct Document {
    pub(super) format: Format,
    pub(super) assertion_errors: Vec<String>,
    /// The open levels; the first is the document itself.
    pub(super) levels: Vec<Level>,
    /// The last point, as long as something may say more about it.
    pub(super) pending: Option<Box<Pending>>,
    pub(super) last: Option<(CaseKey, Status)>,
    /// A point that ends in `{`, until the next line tells whether that opens a subtest.
    pub(super) held: Option<(Vec<u8>, u32)>,
    pub(super) lines: Option<Lines>,
    pub(super) notes: Vec<Note>,
    pub(super) problems: Vec<Problem>,
    left_out: bool,
    /// Files that the runner counts as tests of their own.
    pub(super) files: u64,
    /// Groups that the runner doesn't count as tests: passed and failed.
    pub(super) suites: [u64; 2],
    pub(super) has_subtests: bool,
    /// The last comment that looks like an uncaught error.
    pub(super) last_error: Option<Diagnosis>,
}

impl Document {
    pub(super) fn new(format: Format, assertion_errors: &[String]) -> Self {
        Self {
            format,
            assertion_errors: assertion_errors.to_vec(),
            levels: vec![Level::default()],
            pending: None,
            last: None,
            held: None,
            lines: None,
            notes: Vec::new(),
            problems: Vec::new(),
            left_out: false,
            files: 0,
            suites: [0; 2],
            has_subtests: false,
            last_error: None,
        }
    }

    pub(super) fn touch(&mut self, number: u32) {
        match &mut self.lines {
            Some(lines) => lines.last = number,
            None => self.lines = Some(Lines::one(number)),
        }
    }

    pub(super) fn root(&mut self) -> &mut Level {
        if self.levels.is_empty() {
            self.levels.push(Level::default());
        }
        &mut self.levels[0]
    }

    pub(super) fn top(&mut self) -> &mut Level {
        if self.levels.is_empty() {
            self.levels.push(Level::default());
        }
        let last = self.levels.len() - 1;
        &mut self.levels[last]
    }

    /// Whether a plan or a point was seen.
    pub(super) fn has_begun(&self) -> bool {
        self.levels.len() > 1
            || self.held.is_some()
            || self.levels.first().is_some_and(|root| root.points > 0 || root.plan.is_some())
    }

    /// Whether a point was seen, at any depth.
    pub(super) fn has_points(&self) -> bool {
        self.held.is_some() || self.levels.iter().any(|level| level.points > 0 || level.finished.is_some())
    }

    /// Whether a plan at the start announced points that are still to come.
    pub(super) fn awaits_points(&self) -> bool {
        self.levels.first().is_some_and(|root| {
            root.plan.as_ref().is_some_and(|plan| plan.after == 0 && root.points < plan.count)
        })
    }

    /// Whether the document has its plan.
    pub(super) fn has_plan(&self) -> bool {
        self.levels.first().is_some_and(|root| root.plan.is_some())
    }

    /// Whether all that can come is what a runner adds behind its results.
    pub(super) fn has_ended(&self) -> bool {
        self.has_plan() && !self.awaits_points()
    }

    /// Whether a point waits for the next line.
    pub(super) fn holds(&self) -> bool {
        self.held.is_some()
    }

    /// Whether the plan is there and all that it announced came.
    pub(super) fn is_satisfied(&self) -> bool {
        self.levels.len() == 1
            && self
                .levels
                .first()
                .is_some_and(|root| root.plan.as_ref().is_some_and(|plan| root.points >= plan.count))
    }

    pub(super) fn note(&mut self, code: NoteCode, message: impl Into<String>, line: u32) {
        self.notes.push(Note { code, message: message.into(), lines: Some(Lines::one(line)) });
    }

    /// One note of this code says enough.
    pub(super) fn note_left_out(&mut self, message: &str, line: u32) {
        if !std::mem::replace(&mut self.left_out, true) {
            self.note(NoteCode::LeftOut, message, line);
        }
    }

    /// Takes a test point. Says whether it is one of this document.
    pub(super) fn point(&mut self, point: &Point<'_>, text: &[u8], indent: usize, line: u32) -> bool {
        if !self.align(indent, line) {
            return false;
        }
        self.settle();
        self.touch(line);
        if point.opens {
            self.held = Some((text.to_vec(), line));
        } else {
            self.conclude(point, line);
        }
        true
    }

    pub(super) fn conclude(&mut self, point: &Point<'_>, line: u32) {
        let level = self.top();
        level.count(point.number, line);
        let unnamed;
        let given = if point.is_plain { lossy(point.name) } else { unescaped(point.name) };
        let name: &str = if given.is_empty() {
            unnamed = format!("#{}", point.number.unwrap_or(level.points));
            &unnamed
        } else {
            &given
        };
        let announced = level.next_name.take();
        let child = level.finished.take();
        let (mut status, ok) = match (point.directive, point.ok) {
            (Some(Directive::Todo), ok) => (Status::Todo, ok),
            (Some(Directive::Skip), true) => (Status::Skipped, true),
            (_, true) => (Status::Passed, true),
            (_, false) => (Status::Failed, false),
        };
        // vitest has the files at the top, and no word before them; what it says of one tells.
        let at_the_top = status == Status::Failed && self.levels.len() == 1 && !is_absolute(name);
        let may_be_file = announced.as_deref() == Some(name) || at_the_top;
        if child.is_none() && may_be_file && status != Status::Todo && is_script(name) {
            let target = Target::File { path: name.to_owned(), error: self.last_error.take().map(Box::new) };
            self.pending = Some(Box::new(Pending::new(target, ok, Lines::one(line))));
            return;
        }
        let mut first = line;
        let (mut children_failed, mut children_ran, mut bad_plan) = (false, false, None);
        if let Some(child) = child {
            let objection = child.objection();
            first = child.cases.iter().next().map_or(line, |case| case.lines().first.min(line));
            children_ran = child.cases.iter().any(|case| {
                let known = |failure: &Failure| failure.kind != Kind::Unknown;
                case.status() == Status::Passed || case.failures().iter().any(known)
            });
            children_failed = self.absorb(*child, Some(name));
            if let Some((message, at)) = objection {
                self.note(NoteCode::PlanMismatch, format!("in {name}: {message}"), at);
                bad_plan = Some(message);
            }
            if children_failed && status == Status::Passed {
                status = Status::Failed;
            }
        }
        let lines = Lines::new(first, line);
        let case = NewCase { id: name, name_len: name.len(), status, lines };
        let key = self.top().cases.push(case, |_| Vec::new());
        if !point.reason.is_empty() {
            let reason = unescaped(point.reason);
            self.top().cases.set_reason(key, reason);
        }
        if let Some(time) = point.time.and_then(seconds) {
            self.top().cases.set_duration(key, time);
        }
        if status == Status::Todo && ok {
            self.note(NoteCode::TodoPassed, format!("{name} is marked TODO and passed"), line);
        }
        self.last = Some((key, status));
        if status == Status::Failed {
            let target = Target::Case(key);
            self.pending = Some(Box::new(Pending {
                children_failed,
                children_ran,
                bad_plan,
                ..Pending::new(target, ok, lines)
            }));
        }
    }

    /// Where a YAML block of the last point may stand.
    pub(super) fn indent(&self) -> usize {
        self.levels.last().map_or(0, |level| level.indent)
    }

    /// Takes a plan. Says whether it is one of this document.
    pub(super) fn plan(&mut self, plan: &Plan<'_>, indent: usize, line: u32) -> bool {
        if !self.align(indent, line) {
            return false;
        }
        self.settle();
        self.touch(line);
        self.orphan();
        let level = self.top();
        if level.plan.is_some() {
            level.second_plan.get_or_insert(line);
            return true;
        }
        let skip = plan.skip.map(|reason| lossy(reason).into_owned());
        level.plan = Some(Planned { count: plan.count, line, after: level.points, skip });
        true
    }

    /// Ends the document: every open level is closed, and the root is given.
    pub(super) fn end(&mut self) -> Level {
        if self.held.is_some() {
            self.decide_held(0, false);
        }
        while self.levels.len() > 1 {
            self.pop();
        }
        self.settle();
        self.orphan();
        std::mem::take(self.root())
    }
}

/// `1.5ms`, `2s`
fn seconds(time: &[u8]) -> Option<f32> {
    let text = std::str::from_utf8(time).ok()?.trim();
    match text.strip_suffix("ms") {
        Some(ms) => ms.parse::<f32>().ok().map(|ms| ms / 1000.0),
        None => text.strip_suffix('s')?.parse().ok(),
    }
}

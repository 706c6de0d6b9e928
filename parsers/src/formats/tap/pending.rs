//! What is said about a test point behind it, and what that makes of the point.

use super::diagnosis::Diagnosis;
use super::document::Document;
use crate::{CaseKey, Kind, Lines, NewCase, NoteCode, Problem, Status};

/// The last point, as long as something may say more about it.
pub(super) struct Pending {
    pub(super) target: Target,
    pub(super) ok: bool,
    pub(super) lines: Lines,
    /// Whether children that failed explain the failure.
    pub(super) children_failed: bool,
    /// Whether a child ran by itself, so that a hook of the group can only have failed behind it.
    pub(super) children_ran: bool,
    /// What is wrong with the subtest's own plan.
    pub(super) bad_plan: Option<String>,
    pub(super) has_block: bool,
    pub(super) diagnosis: Diagnosis,
}

/// What a point stands for.
pub(super) enum Target {
    Case(CaseKey),
    /// A file that the runner lists among its tests.
    File {
        path: String,
        /// The uncaught error that its process printed.
        error: Option<Box<Diagnosis>>,
    },
}

impl Pending {
    /// A point that nothing was said about yet.
    pub(super) fn new(target: Target, ok: bool, lines: Lines) -> Self {
        let diagnosis = Diagnosis::default();
        Self {
            target,
            ok,
            lines,
            children_failed: false,
            children_ran: false,
            bad_plan: None,
            has_block: false,
            diagnosis,
        }
    }
}

impl Document {
    /// What comments say about the last point, if it failed and no YAML block has spoken.
    pub(super) fn commented(&mut self) -> Option<&mut Diagnosis> {
        self.pending.as_mut().filter(|pending| !pending.has_block).map(|pending| &mut pending.diagnosis)
    }

    /// What a YAML block says about the last point.
    pub(super) fn block(&mut self) -> Option<&mut Diagnosis> {
        if self.pending.is_none() {
            let (key, _) = self.last?;
            let lines = self.top().cases.get(key)?.lines();
            self.pending = Some(Box::new(Pending::new(Target::Case(key), true, lines)));
        }
        let pending = self.pending.as_mut()?;
        pending.has_block = true;
        Some(&mut pending.diagnosis)
    }

    /// Nothing more is said about the last point.
    #[inline]
    pub(super) fn settle(&mut self) {
        self.last = None;
        if let Some(pending) = self.pending.take() {
            self.settle_pending(*pending);
        }
    }

    fn settle_pending(&mut self, pending: Pending) {
        let Pending { target, ok, lines, children_failed, children_ran, bad_plan, diagnosis, .. } = pending;
        if diagnosis.is_cut() {
            self.note_left_out("of long messages the first 4 KiB are kept", lines.first);
        }
        let key = match target {
            Target::Case(key) => key,
            // A name alone is no proof where the runner says more: a test may be called like a file.
            Target::File { path, .. } if !ok && !is_absolute(&path) && !diagnosis.is_of_file() => {
                let case = NewCase { id: &path, name_len: path.len(), status: Status::Failed, lines };
                self.top().cases.push(case, |_| Vec::new())
            }
            Target::File { path, error } => {
                return self.settle_file(path, ok, lines, error.map_or(diagnosis, |error| *error));
            }
        };
        if let Some(ms) = diagnosis.duration_ms {
            self.top().cases.set_duration(key, ms / 1000.0);
        }
        let Some(case) = self.top().cases.get(key) else { return };
        let (name, status) = (case.name().to_owned(), case.status());
        if diagnosis.is_suite {
            self.suites[usize::from(status == Status::Failed)] += 1;
        }
        if status != Status::Failed {
            return;
        }
        let own = diagnosis.lines.is_some() && !ok && diagnosis.speaks_for_itself();
        if children_failed && bad_plan.is_none() && !own {
            return;
        }
        let mut failure = diagnosis.failure(self.format, &self.assertion_errors, &name, lines);
        if failure.kind == Kind::Setup && children_ran {
            failure.kind = Kind::Teardown;
        }
        if let Some(objection) = bad_plan {
            failure.kind = if own { failure.kind } else { Kind::Unknown };
            failure.message.get_or_insert(objection);
        }
        let lines = Lines::new(lines.first, failure.lines.last);
        let cases = &mut self.top().cases;
        cases.set_lines(key, lines);
        cases.add_failure(key, failure);
    }

    /// A file is no test: one that failed is a problem, one that passed without tests is nothing.
    fn settle_file(&mut self, file: String, ok: bool, lines: Lines, diagnosis: Diagnosis) {
        self.files += 1;
        if ok {
            let message = format!("{file} holds no tests; the runner counts it as one");
            return self.note(NoteCode::LeftOut, message, lines.first);
        }
        let failure = diagnosis.failure(self.format, &self.assertion_errors, "", lines);
        // Outside of any test even an assertion is an error that nobody handled.
        let kind = if failure.kind == Kind::Assertion { Kind::Exception } else { failure.kind };
        let (error, message) = (failure.error, failure.message);
        self.problems.push(Problem { kind, subject: Some(file), error, message, lines });
    }
}

/// A path of a script, as Node's runner names the files that it starts: whole up to Node 20, and since then relative to
/// where it runs.
pub(super) fn is_script(name: &str) -> bool {
    let ends = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx"];
    let is_path = is_absolute(name) || !name.contains(char::is_whitespace);
    is_path && ends.iter().any(|end| name.len() > end.len() && name.ends_with(end))
}

fn is_absolute(name: &str) -> bool {
    name.starts_with('/') || name.get(1..3).is_some_and(|drive| matches!(drive, ":\\" | ":/"))
}

//! Redaction of whole documents: which of their texts came from outside.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Redactor, name};
use crate::digest::Sha256;
use crate::judge::Maps;
use crate::observe::facts::{Entry, FileMap};
use crate::record::wire::{
    Case, Check, Evidence, Failure, Frozen, IgnoreText, InventoryCase, Names, Problem, Report, Task,
    read_reports,
};

/// So many bytes of a claim are kept.
const OF_A_CLAIM: usize = 1 << 10;

/// And of a message in a report.
const OF_A_MESSAGE: usize = 4 << 10;

impl Redactor {
    /// A document of any kind without the secrets in its texts. `None`: there are none.
    pub(in crate::record) fn document<T: Serialize + DeserializeOwned>(&self, document: &T) -> Option<T> {
        let json = serde_json::to_vec(document).ok().filter(|json| self.finds_in_json(json))?;
        let mut value = serde_json::from_slice(&json).ok()?;
        self.value(&mut value);
        serde_json::from_value(value).ok()
    }

    fn value(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                self.string(text);
            }
            Value::Array(values) => values.iter_mut().for_each(|value| self.value(value)),
            Value::Object(members) => members.values_mut().for_each(|value| self.value(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Takes secrets out of a record.
    pub(in crate::record) fn evidence(&self, evidence: &mut Evidence) {
        if let Some(claim) = &mut evidence.claim {
            self.string(&mut claim.path);
            self.beginning(&mut claim.text, OF_A_CLAIM);
        }
        self.problems(&mut evidence.problems);
        self.problems(&mut evidence.notes);
        let lists = [&mut evidence.freeze_allow, &mut evidence.guard_ignore];
        for pattern in lists.into_iter().flatten() {
            self.string(pattern);
        }
        for rule in &mut evidence.rules {
            self.string(&mut rule.message);
            path(&mut rule.path, &mut rule.path_hex);
        }
        evidence.changes.values_mut().flatten().for_each(plain_path);
        evidence.left_out.iter_mut().for_each(plain_path);
        for change in evidence.delivery.iter_mut().flat_map(|delivery| &mut delivery.stale) {
            path(&mut change.path, &mut change.path_hex);
        }
        for check in &mut evidence.checks {
            self.check(check);
        }
    }

    fn check(&self, check: &mut Check) {
        self.string(&mut check.command);
        if let Names::Named(identities) = &mut check.identities {
            for identity in identities {
                self.string(identity);
            }
        }
        self.string(&mut check.output);
        self.problems(&mut check.problems);
        self.problems(&mut check.notes);
        self.option(&mut check.reason);
        for argument in &mut check.witness.arguments {
            self.string(argument);
        }
        self.option(&mut check.witness.reason);
        if let Some(program) = &mut check.program {
            plain_path(&mut program.path);
        }
        for service in &mut check.services {
            self.string(&mut service.command);
            self.option(&mut service.observed);
            if let Some(program) = &mut service.program {
                plain_path(&mut program.path);
            }
        }
        for raw in [&mut check.report, &mut check.hidden].into_iter().flatten() {
            if self.finds_in_json(raw.get().as_bytes())
                && let Some(redacted) = self.reports(raw)
            {
                *raw = redacted;
            }
        }
    }

    fn problems(&self, problems: &mut [Problem]) {
        for problem in problems {
            self.string(&mut problem.message);
            if let Some(text) = &mut problem.path {
                path(text, &mut problem.path_hex);
            }
        }
    }

    fn option(&self, text: &mut Option<String>) {
        if let Some(text) = text {
            self.string(text);
        }
    }

    /// A text of a report, of which a parser may have kept the beginning alone.
    fn message(&self, text: &mut Option<String>) {
        if let Some(text) = text {
            self.beginning(text, OF_A_MESSAGE);
        }
    }

    /// The reports of a check without secrets. `None`: they can't be read, which no report of ours can't.
    fn reports(&self, raw: &RawValue) -> Option<Box<RawValue>> {
        let mut reports = read_reports(raw).ok()?;
        for report in &mut reports {
            self.report(report);
        }
        let redacted = match reports.as_slice() {
            [one] => serde_json::value::to_raw_value(one),
            _ => serde_json::value::to_raw_value(&crate::record::wire::Reports {
                schema: crate::record::wire::tag::Reports::V1,
                reports,
            }),
        };
        redacted.ok()
    }

    fn report(&self, report: &mut Report) {
        self.string(&mut report.runner.name);
        self.option(&mut report.runner.version);
        for case in &mut report.cases {
            self.case(case);
        }
        for problem in &mut report.problems {
            self.option(&mut problem.subject);
            self.message(&mut problem.error);
            self.message(&mut problem.message);
        }
        for note in &mut report.notes {
            self.string(&mut note.message);
        }
    }

    fn case(&self, case: &mut Case) {
        self.id(&mut case.id, &mut case.id_sha256);
        self.string(&mut case.name);
        for part in &mut case.suite {
            self.string(part);
        }
        self.option(&mut case.reason);
        for Failure { error, message, file, .. } in &mut case.failures {
            self.message(error);
            self.message(message);
            self.option(file);
        }
    }

    /// An id keeps the hash of what it was: who knows it can still tell that it is this one.
    fn id(&self, id: &mut String, sha256: &mut Option<Sha256>) {
        let was = Sha256::of(id.as_bytes());
        if self.string(id) {
            sha256.get_or_insert(was);
        }
    }

    /// Takes secrets out of a frozen set.
    pub(in crate::record) fn frozen(&self, frozen: &Frozen) -> Frozen {
        let mut frozen = frozen.clone();
        for entry in frozen.files.values_mut().flatten() {
            path(&mut entry.path, &mut entry.path_hex);
        }
        for InventoryCase { id, id_sha256, test, file, .. } in &mut frozen.inventory {
            self.id(id, id_sha256);
            self.string(test);
            self.option(file);
        }
        frozen
    }

    /// Takes secrets out of a task.
    pub(in crate::record) fn task(&self, task: &Task) -> Task {
        let mut task = task.clone();
        plain_path(&mut task.plan.path);
        self.option(&mut task.plan.revision);
        for rebind in &mut task.rebinds {
            self.string(&mut rebind.reason);
            rebind.changed.iter_mut().for_each(plain_path);
        }
        for baseline in task.baseline.values_mut() {
            for change in &mut baseline.preexisting {
                path(&mut change.path, &mut change.path_hex);
            }
            for nested in &mut baseline.nested {
                path(&mut nested.path, &mut nested.path_hex);
            }
            for ignore in &mut baseline.ignore {
                path(&mut ignore.folder, &mut ignore.folder_hex);
                self.ignore(ignore);
            }
        }
        task
    }

    /// A comment may say anything. A pattern is read again, so only what has the form of a secret goes.
    fn ignore(&self, ignore: &mut IgnoreText) {
        path(&mut ignore.text, &mut ignore.text_hex);
        if ignore.text_hex.is_none() && self.finds(ignore.text.as_bytes()) {
            let lines = ignore.text.split_inclusive('\n').map(|line| {
                let mut line = line.to_owned();
                if line.starts_with('#') {
                    self.string(&mut line);
                }
                line
            });
            ignore.text = lines.collect();
        }
    }
}

/// The maps without the secrets in names of files. `None`: there are none.
pub(in crate::record) fn maps(maps: &Maps) -> Option<Maps> {
    let mut names = Vec::new();
    for entry in maps.values().flat_map(FileMap::entries) {
        names.extend_from_slice(&entry.path);
        names.push(b'\n');
    }
    if matches!(name(&names), std::borrow::Cow::Borrowed(_)) {
        return None;
    }
    let entry = |entry: &Entry| Entry { path: name(&entry.path).into_owned().into(), ..entry.clone() };
    let map = |map: &FileMap| FileMap::new(map.entries().iter().map(entry).collect());
    Some(maps.iter().map(|(id, of)| (id.clone(), map(of))).collect())
}

fn plain_path(text: &mut String) {
    path(text, &mut None);
}

/// A path, or another text that is read again, with its bytes in hex where it isn't UTF-8.
fn path(text: &mut String, hex: &mut Option<String>) {
    use crate::record::wire::PathText;
    let Some(bytes) = PathText::bytes(text, hex.as_deref()) else { return };
    if let std::borrow::Cow::Owned(redacted) = name(&bytes) {
        let redacted = PathText::new(bstr::BStr::new(&redacted));
        *text = redacted.path;
        *hex = redacted.path_hex;
    }
}

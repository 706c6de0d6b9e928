//! What a report says, as lines that a test compares.

use crate::{Completeness, Report};

/// Its cases as `id status kinds`, then problems as `! kind subject`, then the codes of notes in brackets, and whether
/// its end is missing.
pub(crate) fn shown(report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    for case in report.cases.iter() {
        let kinds: Vec<_> = case.failures().iter().map(|failure| failure.kind.word()).collect();
        let line = format!("{} {} {}", case.id(), case.status().word(), kinds.join("+"));
        lines.push(line.trim_end().to_owned());
    }
    for problem in &report.problems {
        lines.push(format!("! {} {}", problem.kind.word(), problem.subject.as_deref().unwrap_or("-")));
    }
    lines.extend(report.notes.iter().map(|note| format!("({})", note.code.word())));
    if report.completeness != Completeness::Complete {
        lines.push(format!("{:?}", report.completeness));
    }
    lines
}

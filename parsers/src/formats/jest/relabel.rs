//! Paths with blanks, which without colour look like a project's name and a path.
//!
//! A stack frame shows the path alone. Where one shows what was taken for a name and a path as one, names of projects
//! were none.

use std::collections::HashMap;

use super::session::{SEPARATOR, Session};
use crate::{Cases, NewCase};

/// Gives the tests of such files their ids, if any frame showed that there are some.
pub(super) fn relabel(session: &mut Session) {
    if !session.has_blank_paths {
        return;
    }
    let mut wholes: HashMap<String, String> = HashMap::new();
    for file in &mut session.files {
        if let Some(project) = &file.guessed_project {
            let whole = format!("{project} {}", file.label);
            wholes.insert(std::mem::replace(&mut file.label, whole.clone()), whole);
        }
    }
    for broken in &mut session.problems {
        let whole = broken.problem.subject.as_deref().and_then(|subject| wholes.get(subject));
        if let Some(whole) = whole {
            broken.problem.subject = Some(whole.clone());
        }
    }
    let cases = std::mem::take(&mut session.cases);
    for case in cases.iter() {
        let mut suite = case.suite().to_vec();
        let mut id = case.id().to_owned();
        if let Some((label, whole)) =
            suite.first_mut().and_then(|label| wholes.get(label).map(|whole| (label, whole)))
        {
            let rest = id.strip_prefix(label.as_str()).filter(|rest| rest.starts_with(SEPARATOR));
            if let Some(rest) = rest {
                id = format!("{whole}{rest}");
                label.clone_from(whole);
            }
        }
        let new =
            NewCase { id: &id, name_len: case.name().len(), status: case.status(), lines: case.lines() };
        let key = Cases::push_with_suite(&mut session.cases, new, &suite);
        if let Some(seconds) = case.duration_seconds() {
            session.cases.set_duration(key, seconds);
        }
        for failure in case.failures() {
            session.cases.add_failure(key, failure.clone());
        }
    }
}

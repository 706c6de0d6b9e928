//! From outcomes and declarations to what is true of a run.

use super::trx::Outcome;
use super::{Declared, declaration, matches};
use crate::corpus::recording::TrueCase;
use crate::shell::Done;

/// The cases of a run: those that the TRX files know, and those that only the author can.
///
/// # Errors
/// A failed test without a declared kind; a declared failure that did not happen, unless not every test ran.
pub(super) fn cases(
    outcomes: &[Outcome],
    declared: &Declared,
    console: &str,
    partial: bool,
) -> Done<Vec<TrueCase>> {
    let mut used = vec![false; declared.kinds.len()];
    let mut cases = Vec::new();
    for outcome in outcomes.iter().filter(|outcome| !declared.hooks.iter().any(|hook| is(hook, outcome))) {
        let mut case = TrueCase {
            id: outcome.name.clone(),
            status: outcome.status.clone(),
            kinds: Vec::new(),
            also_kinds: Vec::new(),
            visible: is_visible(&outcome.name, console)
                && !declared.unseen.iter().any(|name| is(name, outcome)),
        };
        if outcome.status == "failed" {
            let mut found = false;
            for (line, used) in declared.kinds.iter().zip(&mut used) {
                let (name, kind) = declaration(line)?;
                if is(name, outcome) {
                    (found, *used) = (true, true);
                    case.kinds = vec![kind.to_owned()];
                    break;
                }
            }
            if !found {
                return Err(
                    format!("`{}.{}` failed, and no kind is declared", outcome.class, outcome.name).into()
                );
            }
            for line in &declared.also_kinds {
                let (name, kinds) = declaration(line)?;
                if is(name, outcome) {
                    case.also_kinds.extend(kinds.split(", ").map(str::to_owned));
                }
            }
        }
        cases.push(case);
    }
    if let Some((line, _)) = declared.kinds.iter().zip(&used).find(|(_, used)| !**used && !partial) {
        return Err(format!("`{line}` is declared, and did not happen").into());
    }
    for line in &declared.cases {
        let (how, id) = line.split_once(' ').ok_or_else(|| format!("`{line}` is no `status name`"))?;
        let (status, kind) = how.split_once(':').unwrap_or((how, ""));
        cases.push(TrueCase {
            id: id.to_owned(),
            status: status.to_owned(),
            kinds: (!kind.is_empty()).then(|| kind.to_owned()).into_iter().collect(),
            also_kinds: Vec::new(),
            visible: is_visible(id, console),
        });
    }
    Ok(cases)
}

/// By its name, or with its class before it.
fn is(glob: &str, outcome: &Outcome) -> bool {
    matches(glob, &outcome.name) || matches(glob, &format!("{}.{}", outcome.class, outcome.name))
}

/// Whether a line of the console is a row of this name: a word before it, and nothing or brackets behind it.
pub(super) fn is_visible(name: &str, console: &str) -> bool {
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let name = flat(name);
    console.lines().any(|line| {
        let line = flat(line);
        line.match_indices(&name).any(|(at, _)| {
            let (before, after) = (&line[..at], &line[at + name.len()..]);
            let starts = before.is_empty() || before.ends_with(' ') && before.trim().split(' ').count() <= 3;
            let ends = after.is_empty() || after.starts_with(" [") || after.starts_with(" (");
            starts && ends
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(name: &str, status: &str) -> Outcome {
        Outcome {
            name: name.to_owned(),
            class: "N.C".to_owned(),
            status: status.to_owned(),
            ..Outcome::default()
        }
    }

    fn declared(kinds: &[&str]) -> Declared {
        Declared { kinds: kinds.iter().map(|kind| (*kind).to_owned()).collect(), ..Declared::default() }
    }

    #[test]
    fn a_failure_has_the_kind_that_is_declared() {
        let found =
            cases(&[outcome("A", "failed")], &declared(&["*.C.A = setup"]), "  Failed A [1 ms]", false);
        let case = &found.unwrap()[0];
        assert_eq!((case.kinds.join(""), case.visible), ("setup".to_owned(), true));
    }

    #[test]
    fn nothing_is_guessed() {
        assert!(cases(&[outcome("A", "failed")], &declared(&[]), "", false).is_err());
        assert!(cases(&[outcome("A", "passed")], &declared(&["A = setup"]), "", false).is_err());
        assert!(cases(&[outcome("A", "passed")], &declared(&["A = setup"]), "", true).is_ok());
    }

    #[test]
    fn a_name_is_seen_in_a_row_of_its_own() {
        assert!(is_visible("A b", "  Failed A  b [1 ms]"));
        assert!(is_visible("N.C.A", "[xUnit.net 00:00:00.20]     N.C.A [FAIL]"));
        assert!(!is_visible("A", "  Failed AB [1 ms]"));
        assert!(!is_visible("A", "it says that once more A"));
    }
}

//! The page of the adversarial suite, from the rows that its tests judge by.

#[path = "../../../tests/support/adversary.rs"]
mod rows;

use std::fmt::Write as _;

use self::rows::{FAMILIES, LIMITS, RULES, Row};
use super::GENERATED;
use crate::shell::Done;

const HEAD: &str = "\
# What was tried

Each row is a test of the built `verify` with a real runner, in a project of a few lines; .NET is played from recordings.
A trick must be refused with the codes that stand there, or be named by a note. Beside each stands what is like it and
honest, which must be accepted. No row has a rule of its own: what answers is one of these.
";

/// The page.
pub(super) fn page() -> Done<String> {
    let mut text = format!("{GENERATED}{HEAD}\n| rule | says |\n|---|---|\n");
    for (rule, says) in RULES {
        let _ = writeln!(text, "| {rule} | {says} |");
    }
    for family in &FAMILIES {
        let rows = family.rows()?;
        let _ = write!(text, "\n## {}\n", family.title);
        if family.name == LIMITS {
            text +=
                "\nThese are accepted: see [what it can't catch](../explanation/what-it-cannot-catch.md).\n";
            text += "\n| row | what is done | verdict |\n|---|---|---|\n";
            for row in &rows {
                let _ = writeln!(text, "| `{}` | {} | {} |", row.id, cell(&row.tried), verdict(row));
            }
            continue;
        }
        text += "\n| row | rule | what is tried | verdict | honest twin |\n|---|---|---|---|---|\n";
        for row in &rows {
            let Some(twin) = &row.twin else { continue };
            let _ = writeln!(
                text,
                "| `{}` | {} | {} | {} | `{twin}` |",
                row.id,
                row.rule,
                cell(&row.tried),
                verdict(row)
            );
        }
        text += "\n| honest | rule | what is done | verdict |\n|---|---|---|---|\n";
        for row in rows.iter().filter(|row| row.twin.is_none()) {
            let _ =
                writeln!(text, "| `{}` | {} | {} | {} |", row.id, row.rule, cell(&row.tried), verdict(row));
        }
    }
    Ok(text)
}

/// The rules that the rows name.
#[cfg(test)]
pub(crate) fn rules() -> impl Iterator<Item = &'static str> {
    RULES.into_iter().map(|(rule, _)| rule)
}

fn verdict(row: &Row) -> String {
    let word = match row.exit() {
        0 => "accepted",
        1 => "rejected",
        _ => "stopped",
    };
    let codes: Vec<_> =
        row.codes.iter().chain(&row.notes).map(|code| format!("[`{code}`](../codes/{code}.md)")).collect();
    let codes = if codes.is_empty() { String::new() } else { format!(": {}", codes.join(", ")) };
    format!("`{}` {word}{codes}", row.at)
}

/// Text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

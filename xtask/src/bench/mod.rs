//! Speed and memory, as one table. A row that can't be measured says why.
//!
//! Times are medians. Nothing here is a test: a slow machine is no defect.

mod library;
mod memory;
mod peers;
mod program;
mod timing;

use std::fmt::Write as _;

use crate::shell::{self, Done, cargo, target};

/// A line of the table.
pub(crate) struct Row {
    work: String,
    figure: String,
    /// What to compare it with.
    beside: String,
}

impl Row {
    fn new(work: impl Into<String>, figure: Done<String>, beside: impl Into<String>) -> Self {
        let figure = figure.unwrap_or_else(|why| format!("not measured: {why}"));
        Self { work: work.into(), figure, beside: beside.into() }
    }
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Ourselves: everything.
    Ours,
    /// The parsers alone.
    Library,
    /// What others would be picked for, by them and by us.
    Peers,
}

/// Measures it and prints the table. A debug build runs the release build of itself.
pub(crate) fn run(scope: Scope) -> Done {
    if cfg!(debug_assertions) {
        let word = match scope {
            Scope::Ours => &[][..],
            Scope::Library => &["--library"],
            Scope::Peers => &["--peers"],
        };
        let task = ["run", "--quiet", "--release", "--package", "xtask", "--", "bench"];
        return shell::run(&mut cargo(&[&task, word].concat()));
    }
    let mut rows = if scope == Scope::Peers { Vec::new() } else { library::rows() };
    if scope == Scope::Library {
        print!("{}", table(&rows));
        return Ok(());
    }
    let built = shell::run(&mut cargo(&["build", "--quiet", "--release", "--bin", "verify"]));
    match built {
        Ok(()) => {
            let verify = target().join("release").join("verify");
            if scope == Scope::Peers {
                rows.extend(peers::rows(&verify));
            } else {
                rows.extend(program::rows(&verify));
                rows.extend(memory::rows(&verify));
            }
        }
        Err(error) => rows.push(Row::new("verify", Err(error), "")),
    }
    print!("{}", table(&rows));
    Ok(())
}

fn table(rows: &[Row]) -> String {
    let mut text = String::from("| work | measured | beside |\n|---|---|---|\n");
    for Row { work, figure, beside } in rows {
        let _ = writeln!(text, "| {work} | {} | {beside} |", figure.replace(['|', '\n'], " "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_failed_says_why_and_stays_one_line() {
        let rows = [
            Row::new("a", Ok("1 MB/s".to_owned()), "2 MB/s"),
            Row::new("b", Err("no\nsuch|thing".into()), ""),
        ];
        let text = table(&rows);
        assert!(
            text.ends_with("| a | 1 MB/s | 2 MB/s |\n| b | not measured: no such thing |  |\n"),
            "{text}"
        );
    }
}

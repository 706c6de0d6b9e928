//! How many recordings read as their truth says: per format, by totals, statuses, kinds and verdicts.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::record;
use super::recording::{Figure, Recorded, folders};
use crate::shell::{Done, root};

#[derive(Default)]
struct Row {
    recordings: usize,
    tools: BTreeSet<String>,
    wrong: BTreeMap<Figure, usize>,
    unrecoverable: Vec<(String, String)>,
    /// Runs of seeds that have no recording here.
    missing: Vec<String>,
}

const FIGURES: [Figure; 4] = [Figure::Totals, Figure::Statuses, Figure::Kinds, Figure::Verdicts];

/// Prints the table, and what disagrees: each recording's first thing, or everything.
pub(super) fn run(everything: bool) -> Done {
    let (rows, wrong) = scored()?;
    println!("{}", table(&rows));
    for (folder, what) in &wrong {
        println!("{folder}");
        for line in what.iter().take(if everything { usize::MAX } else { 1 }) {
            println!("    {line}");
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(format!("{} recordings read wrong", wrong.len()).into()) }
}

/// The page of the docs.
pub(crate) fn page() -> Done<String> {
    let (rows, _) = scored()?;
    let mut text = String::from(
        "<!-- Written by `cargo xtask docs`. -->\n# Corpus\n\nReal runners were run on small projects made for it, in \
         several versions and with many sets of flags. What is true of each run comes from another channel than its \
         console: hooks, a result class, a second reporter, another tool's parser, or the way the project was made. \
         This is how many of the recordings are read as that says.\n\n\
         A recording agrees on *totals* when the runner's own numbers, and whether its end is there, are read; on \
         *statuses* when every test that the console names has its status and none is read that never ran; on *kinds* \
         when every failure and every problem has its kind; on *verdicts* when red and green are accepted or rejected \
         as the rules say, read a second time from the truth.\n\n",
    );
    text += &table(&rows);
    text += "\n## What no reader could know\n\n";
    let mut lost = false;
    for (format, row) in &rows {
        for (folder, why) in &row.unrecoverable {
            lost = true;
            let _ = writeln!(text, "- {format}, `{folder}`: {why}");
        }
    }
    if !lost {
        text += "Nothing so far.\n";
    }
    text += "\n## What is not recorded\n\nRuns of seed projects that are not in the corpus: their tool could not be had, \
             or they are not read rightly yet. The figures above don't count them.\n\n";
    for (format, row) in &rows {
        let mut seeds: BTreeMap<&str, usize> = BTreeMap::new();
        for folder in &row.missing {
            let scenario = folder.rsplit('/').next().unwrap_or(folder);
            *seeds.entry(scenario.split("--").next().unwrap_or(scenario)).or_default() += 1;
        }
        for (seed, runs) in seeds {
            let _ = writeln!(text, "- {format}, `{seed}`: {runs}");
        }
    }
    Ok(text)
}

type Wrong = Vec<(String, Vec<String>)>;

fn scored() -> Done<(BTreeMap<&'static str, Row>, Wrong)> {
    let corpus = root().join("corpus");
    let mut rows: BTreeMap<&'static str, Row> = BTreeMap::new();
    let mut wrong = Vec::new();
    for folder in folders(&corpus)? {
        let recorded = Recorded::load(&folder)?;
        let shown = folder.strip_prefix(&corpus).unwrap_or(&folder).display().to_string();
        let row = rows.entry(recorded.format.word()).or_default();
        row.recordings += 1;
        row.tools.insert(format!("{} {}", recorded.recording.tool, recorded.recording.version));
        if let Some(why) = &recorded.recording.truth.why_not {
            row.unrecoverable.push((shown.clone(), why.clone()));
        }
        let found = recorded.disagreements(&recorded.read());
        for figure in FIGURES {
            *row.wrong.entry(figure).or_default() +=
                usize::from(found.iter().any(|one| one.figure == figure));
        }
        if !found.is_empty() {
            wrong.push((shown, found.iter().map(ToString::to_string).collect()));
        }
    }
    for (format, row) in &mut rows {
        row.missing = record::missing(format)?;
    }
    Ok((rows, wrong))
}

fn table(rows: &BTreeMap<&'static str, Row>) -> String {
    let mut text = String::from(
        "| format | recordings | tools | totals | statuses | kinds | verdicts | not recoverable | not recorded |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for (format, row) in rows {
        let _ = write!(text, "| `{format}` | {} | {} |", row.recordings, row.tools.len());
        for figure in FIGURES {
            let agree = row.recordings - row.wrong.get(&figure).copied().unwrap_or(0);
            let _ = write!(text, " {} |", percent(agree, row.recordings));
        }
        let _ = writeln!(text, " {} | {} |", row.unrecoverable.len(), row.missing.len());
    }
    text
}

/// Rounded down, so that 100 % means all of them.
fn percent(part: usize, whole: usize) -> String {
    let tenths = part * 1000 / whole.max(1);
    if tenths == 1000 { "100 %".to_owned() } else { format!("{}.{} %", tenths / 10, tenths % 10) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_but_one_is_not_all() {
        assert_eq!(percent(9999, 10_000), "99.9 %");
        assert_eq!(percent(7, 7), "100 %");
    }
}

//! What git and the programs that hash take for the work of a fingerprint.

use std::path::Path;
use std::time::Duration;

use super::super::Row;
use super::super::program::{ratio, run};
use super::Peers;
use super::on_path;
use crate::generate::Project;
use crate::shell::{self, Done};

const FILES: usize = 10_000;
const PAIRS: usize = 5;

pub(super) fn rows(verify: &Path, peers: &Peers) -> Vec<Row> {
    eprintln!("bench: peers on files");
    let mut rows = match Project::new(FILES) {
        Ok(project) => tree(verify, &project),
        Err(why) => vec![Row::new("`verify fingerprint`, 10000 files, over git", Err(why), "")],
    };
    let large = Project::new(0).and_then(|project| {
        std::fs::File::create(project.root().join("large"))?.set_len(1 << 30)?;
        Ok(project)
    });
    for (name, program) in [("sha256sum", on_path("sha256sum")), ("b3sum", peers.b3sum().map(Path::to_owned))]
    {
        let figure = match (&large, program) {
            (Ok(project), Ok(program)) => over(verify, project, &program, &["large"]),
            (Err(why), _) => Err(why.to_string().into()),
            (_, Err(why)) => Err(why),
        };
        let work = format!("`verify fingerprint`, one file of 1 GiB, over `{name}`");
        rows.push(Row::new(work, figure, "time over time"));
    }
    rows
}

/// Over the two ways in which git learns what changed. Both keep what they know of the files, as we do.
fn tree(verify: &Path, project: &Project) -> Vec<Row> {
    let begun = shell::read(std::process::Command::new(verify).arg("begin").current_dir(project.root()));
    let write_tree =
        "GIT_INDEX_FILE=.git/index.peer git add -A && GIT_INDEX_FILE=.git/index.peer git write-tree";
    [("git status", "git status"), ("git add -A` and `git write-tree` on an index of their own", write_tree)]
        .into_iter()
        .map(|(name, script)| {
            let figure = match &begun {
                Ok(_) => over(verify, project, Path::new("sh"), &["-c", script]),
                Err(why) => Err(why.to_string().into()),
            };
            Row::new(
                format!("`verify fingerprint`, {FILES} files with its cache, over `{name}`"),
                figure,
                "time over time",
            )
        })
        .collect()
}

fn over(verify: &Path, project: &Project, program: &Path, arguments: &[&str]) -> Done<String> {
    let root = project.root();
    let ours = || -> Done<Duration> { run(verify, root, &["fingerprint"]) };
    let theirs = || run(program, root, arguments);
    // Both once before, for what they keep.
    ours()?;
    theirs()?;
    ratio(PAIRS, ours, theirs)
}

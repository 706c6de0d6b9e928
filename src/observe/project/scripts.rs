//! Scripts that print TAP: `.t` files under `prove`, and shell scripts.

use super::files::{Files, is_plain, name, parent};
use crate::plan::template::{FoundRunner, Runner};

pub(super) fn look(files: &Files) -> Vec<FoundRunner> {
    prove(files).into_iter().chain(shell(files)).collect()
}

fn prove(files: &Files) -> Option<FoundRunner> {
    let is_script = |folder: &str, path: &str| {
        path.ends_with(".t") && path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    };
    let (folder, evidence) = ["t", "tests", "test"]
        .into_iter()
        .find_map(|folder| Some((folder, files.paths().find(|path| is_script(folder, path))?)))?;
    let nested = files.paths().any(|path| is_script(folder, path) && parent(path) != folder);
    let mut command = vec!["prove", "-v"];
    if files.has_folder("lib") {
        command.push("-l");
    }
    if nested {
        command.push("-r");
    }
    command.push(folder);
    Some(FoundRunner {
        runner: Runner::Prove,
        evidence: evidence.to_owned(),
        command: command.into_iter().map(str::to_owned).collect(),
        cwd: None,
        test_paths: vec![format!("{folder}/**")],
        many_sessions: false,
    })
}

/// The shell scripts of one folder. Several are run one after the other by one command.
fn shell(files: &Files) -> Option<FoundRunner> {
    ["tests", "test", "t"].into_iter().find_map(|folder| {
        let of_folder = |path: &&str| parent(path) == folder && path.ends_with(".sh") && is_plain(path);
        let scripts: Vec<(&str, String)> = files
            .paths()
            .filter(of_folder)
            .map(|path| (path, files.text(path)))
            .filter(|(_, text)| prints_tap(text))
            .collect();
        let (first, text) = scripts.first()?;
        let shell = shell_of(text);
        let command = if scripts.len() == 1 {
            vec![shell.to_owned(), (*first).to_owned()]
        } else {
            let all = files.paths().filter(of_folder).count() == scripts.len();
            let paths: Vec<_> = scripts.iter().map(|(path, _)| *path).collect();
            let which = if all { format!("{folder}/*.sh") } else { paths.join(" ") };
            let each = format!(
                "failed=0; for script in {which}; do {shell} \"$script\" || failed=1; done; exit $failed"
            );
            vec!["sh".to_owned(), "-c".to_owned(), each]
        };
        Some(FoundRunner {
            runner: Runner::TapScripts,
            evidence: (*first).to_owned(),
            command,
            cwd: None,
            test_paths: vec![format!("{folder}/**")],
            many_sessions: scripts.len() > 1,
        })
    })
}

/// Whether a script prints a TAP plan or results.
fn prints_tap(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start();
        let printed =
            ["echo ", "printf "].iter().find_map(|command| line.split_once(command)).map(|(_, what)| what);
        printed.is_some_and(|what| {
            let what = what.trim_start().trim_start_matches(['"', '\'']);
            ["1..", "ok ", "not ok ", "TAP version "].iter().any(|start| what.starts_with(start))
        })
    })
}

/// The shell that the first line names.
fn shell_of(text: &str) -> &'static str {
    let first = text.lines().next().unwrap_or("");
    let program = first
        .strip_prefix("#!")
        .and_then(|line| line.split_whitespace().map(name).rfind(|word| *word != "-e"));
    match program {
        Some("bash") => "bash",
        Some("zsh") => "zsh",
        _ => "sh",
    }
}

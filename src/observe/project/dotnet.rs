//! `dotnet test`.

use super::files::{Files, is_plain, name, parent};
use crate::plan::template::{FoundRunner, Runner};

/// What a project file names that holds tests: the package that makes it one, or its SDK.
const TEST_PACKAGES: &[&str] =
    &["Microsoft.NET.Test.Sdk", "Microsoft.Testing.Platform", "xunit", "NUnit", "MSTest", "TUnit"];

pub(super) fn look(files: &Files) -> Option<FoundRunner> {
    let holds_tests = |path: &&str| {
        let text = files.text(path);
        TEST_PACKAGES.iter().any(|package| text.contains(package))
    };
    let tests: Vec<&str> = files.paths().filter(|path| is_project(path)).filter(holds_tests).collect();
    let first = *tests.first()?;
    // In a folder with one of them, that one is meant. How another is named depends on the platform of the tests.
    let at_root = files.paths().filter(|path| parent(path).is_empty() && is_buildable(path)).count();
    let mut command = vec!["dotnet".to_owned(), "test".to_owned()];
    if at_root != 1 {
        command.push(first.to_owned());
    }
    let mut test_paths: Vec<String> = tests
        .iter()
        .map(|path| match parent(path) {
            "" => "**/*Test*.*".to_owned(),
            folder if is_plain(folder) => format!("{folder}/**"),
            _ => "**/*Test*/**".to_owned(),
        })
        .collect();
    test_paths.sort_unstable();
    test_paths.dedup();
    Some(FoundRunner {
        runner: Runner::Dotnet,
        evidence: first.to_owned(),
        command,
        cwd: None,
        test_paths,
        many_sessions: false,
    })
}

fn is_project(path: &str) -> bool {
    [".csproj", ".fsproj", ".vbproj"].iter().any(|end| name(path).ends_with(end))
}

fn is_buildable(path: &str) -> bool {
    is_project(path) || [".sln", ".slnx"].iter().any(|end| name(path).ends_with(end))
}

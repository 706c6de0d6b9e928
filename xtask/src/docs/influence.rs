//! The page of what steers runners, from the grammar files.

use std::fmt::Write as _;

use redgreen_parsers::{Environment, Influence, Keep, Place, Steering, steering};

use super::GENERATED;

const HEAD: &str = "\
# What steers a runner

A test can be made to pass without being touched: by what the runner reads before it. These files, and parts of files,
are frozen together with the tests at an accepted red, and these variables reach no check. Each list belongs to a family
of runners or to one format. It counts for a check when one of the check's parsers is of it, or when one of its words is
in the command, or in a script of a `package.json` that the command reaches.

A file, or a part, that is new after red is [`influence-added`](../codes/influence-added.md), an edited one
[`influence-changed`](../codes/influence-changed.md), one that is gone
[`influence-deleted`](../codes/influence-deleted.md). `allow` under `[freeze]` lets files change; a rebind takes them as
they are. Parts are compared by what they say: comments, blanks and the order of keys don't count, and whatever else
stands in the file is free.

Where a name counts:

- **anywhere**: in the whole work tree, but for installed packages
- **upward**: in the folder that the check runs in, in those that its command names, and in all above them
- **tests**: as *upward*, and in each folder that holds a test and in all above it
- **below `test_paths`**: there the part stands for the whole file; and beside a test

Beside the tables: the files that a configuration names under a key of *setup*, and modules beside it that it imports;
the Python modules that `-p` and `pytest_plugins` name; a link with what it leads to.

The plan's `env` puts a variable back. The record lists what was taken out as `environment_removed`.
";

pub(super) fn page() -> String {
    let mut text = format!("{GENERATED}{HEAD}");
    for by in steering() {
        let Steering { name, influence, environment, .. } = by;
        if influence.is_empty() && is_empty(environment) {
            continue;
        }
        let title = if name == "any" { "every check".to_owned() } else { format!("`{name}`") };
        let _ = write!(text, "\n## {title}\n");
        concerns(&mut text, &by);
        files(&mut text, influence);
        variables(&mut text, environment);
    }
    text
}

fn is_empty(environment: &Environment) -> bool {
    environment.remove.is_empty() && environment.set.is_empty() && environment.filters.is_empty()
}

fn concerns(text: &mut String, by: &Steering) {
    let formats: Vec<_> = by.formats().iter().filter(|word| *word != "*").map(String::as_str).collect();
    if formats.is_empty() {
        return;
    }
    let _ = write!(text, "\nFormats: {}.", code(&formats));
    if !by.commands().is_empty() {
        let commands: Vec<_> = by.commands().iter().map(String::as_str).collect();
        let _ = write!(text, " Words of a command: {}.", code(&commands));
    }
    text.push('\n');
}

fn files(text: &mut String, influence: &Influence) {
    if !influence.files.is_empty() || !influence.slices.is_empty() {
        text.push_str("\n| file | what of it | where | |\n|---|---|---|---|\n");
    }
    for rule in &influence.files {
        let names: Vec<_> = rule.names.iter().map(String::as_str).collect();
        let note = if rule.shared { "a change is a note".to_owned() } else { when(&rule.when) };
        let _ = writeln!(text, "| {} | all | {} | {note} |", code(&names), place(rule.place));
    }
    for rule in &influence.slices {
        let (file, part) = (code(&[&rule.file]), part(&rule.keep));
        let _ = writeln!(text, "| {file} | {part} | {} | {} |", place(rule.place), when(&rule.when));
    }
    if !influence.setup.is_empty() {
        let keys: Vec<_> = influence.setup.iter().map(String::as_str).collect();
        let _ = write!(text, "\nSetup: {}.\n", code(&keys));
    }
    if !influence.modules.is_empty() {
        let modules: Vec<_> = influence.modules.iter().map(String::as_str).collect();
        let _ = write!(
            text,
            "\nModules of these names at the top of a folder on the import path (where the check runs, `PYTHONPATH` of \
             the plan, pytest's `pythonpath`, the folder of a script, the folder above each test's package): {}.\n",
            code(&modules)
        );
    }
}

fn variables(text: &mut String, environment: &Environment) {
    if !environment.remove.is_empty() {
        let names: Vec<_> = environment.remove.iter().map(String::as_str).collect();
        let _ = write!(text, "\nTaken out of the environment: {}.\n", code(&names));
    }
    for filter in &environment.filters {
        let options: Vec<_> = filter.keep.iter().map(String::as_str).collect();
        let _ = write!(text, "\nOf `{}` these options stay: {}.\n", filter.name, code(&options));
    }
    for setting in &environment.set {
        let when = if setting.when.is_empty() { String::new() } else { format!(", {}", when(&setting.when)) };
        let _ = write!(text, "\nSet, unless the plan does: `{}={}`{when}.\n", setting.name, setting.value);
    }
    if let Some(name) = &environment.bytecode {
        let _ = write!(
            text,
            "\n`{name}` is a folder of the task: what is compiled before its source changed last is thrown away before \
             each run, and `deliver` begins with an empty one.\n"
        );
    }
}

fn part(keep: &Keep) -> String {
    let list = |words: &[String]| code(&words.iter().map(String::as_str).collect::<Vec<_>>());
    match keep {
        Keep::Toml(keys) | Keep::Json(keys) => list(keys),
        Keep::Ini(sections) => {
            list(&sections.iter().map(|section| format!("[{section}]")).collect::<Vec<_>>())
        }
        Keep::Settings(keys) => list(keys),
        Keep::Scripts => "the scripts that the command reaches, with their `pre` and `post`".to_owned(),
        Keep::Versions(packages) => format!("the versions wanted of {}", list(packages)),
        Keep::Attributes(names) => format!("lines that set {}", list(names)),
        Keep::Without(elements) => format!("all but {}", list(elements)),
    }
}

const fn place(place: Place) -> &'static str {
    match place {
        Place::Anywhere => "anywhere",
        Place::Upward => "upward",
        Place::Collected => "tests",
        Place::Tests => "below `test_paths`, in every check",
    }
}

fn when(words: &[String]) -> String {
    if words.is_empty() {
        return String::new();
    }
    format!("with {}", code(&words.iter().map(String::as_str).collect::<Vec<_>>()))
}

fn code(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" ")
}

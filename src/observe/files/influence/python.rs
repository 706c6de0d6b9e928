//! What Python loads by name: modules that stand in the place of the runner's or the standard library's, and plugins.

use std::collections::BTreeSet;

use bstr::{BString, ByteSlice as _};
use redgreen_parsers::Steering;
use regex::Regex;

use super::command::{Command, below, join, parent};
use super::{FilesError, Search, Tree, setup};
use crate::observe::facts::Weight;

/// Endings of what the import system loads.
const LOADED: &[&[u8]] = &[b"py", b"pyc", b"pyd", b"so"];

/// Files in which pytest's own settings stand.
const SETTINGS: &[&str] = &["pyproject.toml", "pytest.ini", ".pytest.ini", "setup.cfg", "tox.ini"];

/// The top-level module that a file is, or is the start of, in the folder that [`folder_of`] says.
pub(super) fn module_of(path: &[u8]) -> Option<&[u8]> {
    let name = path.rsplit(|byte| *byte == b'/').next()?;
    if name.starts_with(b"__init__.") {
        return parent(path).rsplit(|byte| *byte == b'/').next().filter(|folder| !folder.is_empty());
    }
    let mut parts = name.split(|byte| *byte == b'.');
    let module = parts.next()?;
    LOADED.contains(&parts.next_back()?).then_some(module)
}

/// The folder that has to be on the import path for a file to be that module.
fn folder_of(path: &[u8]) -> &[u8] {
    let folder = parent(path);
    if path
        .get(folder.len()..)
        .is_some_and(|name| name.trim_start_with(|sign| sign == '/').starts_with(b"__init__."))
    {
        parent(folder)
    } else {
        folder
    }
}

/// Adds the modules and plugins that a command loads from the tree.
pub(super) fn add(
    search: &mut Search<'_>,
    command: &Command<'_>,
    steering: &[Steering],
) -> Result<(), FilesError> {
    let modules: BTreeSet<&[u8]> =
        steering.iter().flat_map(|by| by.influence.modules.iter().map(String::as_bytes)).collect();
    if modules.is_empty() {
        return Ok(());
    }
    let settings = settings(search, command)?;
    let folders = import_path(search, command, &settings);
    let tree = search.tree;
    for entry in tree.named {
        let is_loaded = module_of(&entry.path).is_some_and(|module| modules.contains(module));
        if is_loaded && folders.contains(folder_of(&entry.path).as_bstr()) {
            search.add_file(&entry.path, Weight::Steers);
        }
    }
    let options: Vec<&String> = steering.iter().flat_map(|by| &by.influence.plugins).collect();
    if options.is_empty() {
        return Ok(());
    }
    let mut plugins = plugins_of_conftests(search)?;
    for option in options {
        plugins.extend(command.values_of(option).into_iter().map(ToOwned::to_owned));
        plugins.extend(plugins_of(&settings, option));
    }
    for name in plugins {
        if let Some(path) = setup::python_module(&name, &folders, tree) {
            search.add_file(&path, Weight::Steers);
        }
    }
    Ok(())
}

/// The modules that `pytest_plugins` names in each `conftest.py` that is frozen, as a test or not.
fn plugins_of_conftests(search: &mut Search<'_>) -> Result<Vec<String>, FilesError> {
    let is_conftest = |path: &&BString| path.ends_with(b"/conftest.py") || path.as_slice() == b"conftest.py";
    let tests = search.tree.tests.iter().map(|test| &test.path);
    let conftests: Vec<BString> = tests.chain(search.files.keys()).filter(is_conftest).cloned().collect();
    if conftests.is_empty() {
        return Ok(Vec::new());
    }
    let Ok(pattern) = Regex::new(r#"(?m)^pytest_plugins\s*=\s*(\[[^\]]*\]|\([^)]*\)|.*)"#) else {
        return Ok(Vec::new());
    };
    let mut plugins = Vec::new();
    for path in conftests {
        let Some(text) = search.text(&path)? else { continue };
        let text = text.to_str_lossy();
        let named = pattern.captures_iter(&text).filter_map(|found| found.get(1));
        plugins.extend(named.flat_map(|named| words(named.as_str())));
    }
    Ok(plugins)
}

/// A file with settings: its folder, and its text.
type Settings = Vec<(BString, String)>;

fn settings(search: &mut Search<'_>, command: &Command<'_>) -> Result<Settings, FilesError> {
    let mut settings = Vec::new();
    for folder in command.upward() {
        for name in SETTINGS {
            let path = join(&folder, name.as_bytes());
            if search.tree.holds(&path)
                && let Some(text) = search.text(&path)?
            {
                settings.push((folder.clone(), text.to_str_lossy().into_owned()));
            }
        }
    }
    Ok(settings)
}

/// The folders of the tree from which a command imports: where it runs, what `PYTHONPATH` and pytest's `pythonpath` name,
/// the folder of the script that it runs, where unittest's discovery starts, and the folder above the package of each
/// test.
fn import_path(search: &Search<'_>, command: &Command<'_>, settings: &Settings) -> BTreeSet<BString> {
    let mut folders = BTreeSet::from([command.cwd.clone()]);
    let inherited = command.tokens.iter().filter_map(|token| token.strip_prefix("PYTHONPATH="));
    for value in command.check.env.get("PYTHONPATH").map(String::as_str).into_iter().chain(inherited) {
        folders.extend(value.split(':').filter_map(|path| below(&command.cwd, path)));
    }
    for (folder, text) in settings {
        folders.extend(python_path(text).iter().filter_map(|path| below(folder, path)));
    }
    let scripts = command.tokens.iter().filter(|token| token.ends_with(".py"));
    folders.extend(scripts.filter_map(|script| Some(parent(&below(&command.cwd, script)?).into())));
    if command.words.contains("discover") {
        folders.extend(command.folders.iter().cloned());
    }
    folders.extend(search.test_folders.iter().map(|folder| above_package(search.tree, folder)));
    folders
}

/// The first folder upward that is no package: what pytest puts on the import path for a test.
fn above_package(tree: Tree<'_>, folder: &BString) -> BString {
    let mut at = folder.as_slice();
    while !at.is_empty() && tree.holds(&join(at, b"__init__.py")) {
        at = parent(at);
    }
    at.into()
}

/// The paths of pytest's `pythonpath`, in TOML or INI.
fn python_path(text: &str) -> Vec<String> {
    // Most settings have none, and a pattern takes longer to make than to look for.
    if !text.contains("pythonpath") {
        return Vec::new();
    }
    let Ok(pattern) = Regex::new(r"(?m)^\s*pythonpath[ \t]*[=:][ \t]*(\[[^\]]*\]|.*(?:\n[ \t]+.*)*)") else {
        return Vec::new();
    };
    let values = pattern.captures_iter(text).filter_map(|found| found.get(1));
    values.flat_map(|value| words(value.as_str())).collect()
}

/// The words of a list, or of a text with several.
fn words(list: &str) -> Vec<String> {
    let words = list.split(|sign: char| sign.is_whitespace() || "[]()\"',".contains(sign));
    words.filter(|word| !word.is_empty()).map(ToOwned::to_owned).collect()
}

/// The modules that an option in these settings names.
fn plugins_of(settings: &Settings, option: &str) -> Vec<String> {
    if !settings.iter().any(|(_, text)| text.contains(option)) {
        return Vec::new();
    }
    let Ok(pattern) =
        Regex::new(&format!(r#"(?:^|[\s"',=]){}[ \t"',]*([A-Za-z_][\w.]*)"#, regex::escape(option)))
    else {
        return Vec::new();
    };
    let found = settings.iter().flat_map(|(_, text)| pattern.captures_iter(text));
    found.filter_map(|found| Some(found.get(1)?.as_str().to_owned())).collect()
}

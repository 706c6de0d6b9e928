//! Words for a runner that stand in its configuration.

use std::fs;
use std::path::{Path, PathBuf};

use redgreen_parsers::Configuration;

use crate::observe::ini;

/// A configuration file that is longer than this is no configuration file.
const LONGEST: u64 = 1 << 20;

/// The words that configuration holds, in files from these folders upward to `root`.
pub(super) fn words(places: &[Configuration], folders: &[PathBuf], root: &Path) -> Vec<String> {
    let of = |folder: &Path, place: &Configuration| {
        let text = text(&folder.join(&place.file))?;
        Some(if place.file.ends_with(".toml") { of_toml(&text, place) } else { of_ini(&text, place) })
    };
    upward(folders, root)
        .iter()
        .flat_map(|folder| places.iter().filter_map(|place| of(folder, place)).flatten())
        .collect()
}

/// The texts of files of this name, or with a `*` in front of this end, from these folders upward to `root`.
pub(super) fn texts(name: &str, folders: &[PathBuf], root: &Path) -> Vec<String> {
    let of = |folder: &&Path| match name.strip_prefix('*') {
        None => vec![folder.join(name)],
        Some(end) => {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            entries.map(|entry| entry.path()).filter(|path| path.to_string_lossy().ends_with(end)).collect()
        }
    };
    upward(folders, root).iter().flat_map(of).filter_map(|path| text(&path)).collect()
}

/// These folders and those above them, up to `root`, each once.
fn upward<'f>(folders: &'f [PathBuf], root: &Path) -> Vec<&'f Path> {
    let mut above: Vec<&Path> = folders
        .iter()
        .flat_map(|folder| folder.ancestors().take_while(|folder| folder.starts_with(root)))
        .collect();
    above.sort_unstable();
    above.dedup();
    above
}

/// The text of a file of ordinary size.
pub(super) fn text(path: &Path) -> Option<String> {
    fs::metadata(path).ok().filter(|about| about.is_file() && about.len() <= LONGEST)?;
    fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn of_toml(text: &str, place: &Configuration) -> Vec<String> {
    let Ok(table) = text.parse::<toml::Table>() else { return Vec::new() };
    let mut at = Some(&table);
    for part in place.table.split('.') {
        at = at.and_then(|table| table.get(part)).and_then(toml::Value::as_table);
    }
    match at.and_then(|table| table.get(&place.key)) {
        Some(toml::Value::String(text)) => split(text),
        Some(toml::Value::Array(list)) => {
            list.iter().filter_map(toml::Value::as_str).flat_map(split).collect()
        }
        _ => Vec::new(),
    }
}

fn of_ini(text: &str, place: &Configuration) -> Vec<String> {
    let sections = ini::sections(text).into_iter().filter(|section| section.name == place.table);
    let settings = sections.flat_map(|section| section.settings);
    settings.filter(|(key, _)| *key == place.key).flat_map(|(_, value)| split(&value)).collect()
}

/// Words as a shell would split them, as far as quotes don't hold blanks.
pub(super) fn split(text: &str) -> Vec<String> {
    text.split_whitespace().map(|word| word.trim_matches(['"', '\'']).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(file: &str, table: &str, text: &str, wanted: &[&str]) {
        let place =
            Configuration { file: file.to_owned(), table: table.to_owned(), key: "addopts".to_owned() };
        let words = if file.ends_with(".toml") { of_toml(text, &place) } else { of_ini(text, &place) };
        assert_eq!(words, wanted, "{text}");
    }

    #[test]
    fn sections_and_keys() {
        let ini = |text, wanted: &[&str]| check("setup.cfg", "tool:pytest", text, wanted);
        ini("[tool:pytest]\naddopts = -q --x='y'\n", &["-q", "--x='y"]);
        ini(
            "[tool:pytest]\nminversion = 6\naddopts =\n  -q\n  # no\n\n  --junitxml=x\nother = --y\n",
            &["-q", "--junitxml=x"],
        );
        ini("[pytest]\naddopts = -q\n[tool:pytest]\n[x]\naddopts = -v\n", &[]);
        ini("# [tool:pytest]\naddopts = -q\n", &[]);
        ini("", &[]);
    }

    #[test]
    fn tables_and_keys() {
        let toml = |text, wanted: &[&str]| check("pyproject.toml", "tool.pytest.ini_options", text, wanted);
        toml("[tool.pytest.ini_options]\naddopts = \"-q --a\"\n", &["-q", "--a"]);
        toml(
            "[tool.pytest.ini_options]\naddopts = [\"-q\", \"-p no:junitxml\"]\n",
            &["-q", "-p", "no:junitxml"],
        );
        toml("[tool.pytest]\naddopts = \"-q\"\n", &[]);
        toml("[tool.pytest.ini_options]\naddopts = 1\n", &[]);
        toml("broken", &[]);
    }

    #[test]
    fn every_folder_up_to_the_root_counts() {
        let root = tempfile::tempdir().unwrap();
        let deep = root.path().join("a/b");
        fs::create_dir_all(&deep).unwrap();
        fs::write(root.path().join("a/pytest.ini"), "[pytest]\naddopts = -q\n").unwrap();
        let place = || {
            let (file, table, key) = ("pytest.ini".to_owned(), "pytest".to_owned(), "addopts".to_owned());
            [Configuration { file, table, key }]
        };
        let two = [deep.clone(), root.path().join("a")];
        assert_eq!(words(&place(), &two, root.path()), ["-q"]);
        assert_eq!(words(&place(), &two[..1], root.path()), ["-q"]);
        assert_eq!(words(&place(), &two[..1], &deep), [""; 0]);
    }
}

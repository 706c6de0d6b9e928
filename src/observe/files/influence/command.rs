//! What the command of a check runs, as far as its words tell: which runners, in which folders, by which scripts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use bstr::BString;
use redgreen_parsers::glob;
use serde_json::Value;

use crate::observe::files::full_path;
use crate::plan::Check;

/// The names of a package's scripts that a command reaches.
pub(super) type Reached = BTreeSet<String>;

/// A check's command.
#[derive(Debug)]
pub(super) struct Command<'a> {
    /// The check.
    pub(super) check: &'a Check,
    /// The names of programs and other words that it holds, also those of the scripts that it reaches.
    pub(super) words: BTreeSet<String>,
    /// Where it runs, below the root.
    pub(super) cwd: BString,
    /// That folder, and those that its arguments name.
    pub(super) folders: BTreeSet<BString>,
    /// The scripts that it reaches, by the path of their `package.json`.
    pub(super) scripts: BTreeMap<BString, Reached>,
    /// Every word as it stands, in order.
    pub(super) tokens: Vec<String>,
}

/// Words that mean a package manager.
const MANAGERS: &[&str] = &["npm", "yarn", "pnpm", "bun"];

/// Programs whose arguments are names of scripts.
const RUN_MANY: &[&str] = &["run-s", "run-p", "npm-run-all", "npm-run-all2"];

/// Options of package managers that take the next word.
const WITH_VALUE: &[&str] = &["--prefix", "-C", "--dir", "--cwd", "-w", "--workspace", "--filter", "-F"];

impl<'a> Command<'a> {
    /// The command of a check whose repository's `path` is `prefix` below the root of its work tree.
    pub(super) fn of(check: &'a Check, root: &Path, prefix: &[u8]) -> Self {
        let cwd = below(prefix, &check.cwd).unwrap_or_else(|| prefix.into());
        let mut command = Self {
            check,
            words: BTreeSet::new(),
            folders: BTreeSet::from([cwd.clone()]),
            cwd,
            scripts: BTreeMap::new(),
            tokens: Vec::new(),
        };
        let tokens: Vec<String> = check.command.iter().flat_map(|word| tokens(word)).collect();
        command.take(root, &tokens, &command.cwd.clone());
        command
    }

    /// Takes in words that run in a folder.
    fn take(&mut self, root: &Path, tokens: &[String], folder: &BString) {
        self.tokens.extend_from_slice(tokens);
        let names: Vec<String> = tokens.iter().map(|token| program(token)).collect();
        self.words.extend(names.iter().cloned());
        for token in tokens {
            if let Some(named) = folder_of(root, folder, token) {
                self.folders.insert(named);
            }
        }
        for (at, name) in names.iter().enumerate() {
            let after = tokens.get(at + 1..).unwrap_or_default();
            let (scripts, within) = match name.as_str() {
                name if MANAGERS.contains(&name) => script_of(after),
                "node" => {
                    let run = after.iter().skip_while(|word| *word != "--run").nth(1);
                    (run.cloned().into_iter().collect(), None)
                }
                name if RUN_MANY.contains(&name) => {
                    (after.iter().filter(|word| !word.starts_with('-')).cloned().collect(), None)
                }
                _ => continue,
            };
            let folder = within.and_then(|named| below(folder, &named)).unwrap_or_else(|| folder.clone());
            self.run_scripts(root, &folder, &scripts);
        }
    }

    /// Reaches scripts of the nearest package, and takes in what they run.
    fn run_scripts(&mut self, root: &Path, folder: &BString, wanted: &[String]) {
        let packages = upward(folder).into_iter().map(|folder| join(&folder, b"package.json"));
        let read = |path: BString| {
            let text = super::read(&full_path(root, &path)).ok().flatten()?;
            Some((path, text))
        };
        let Some((package, text)) = packages.into_iter().find_map(read) else { return };
        let Ok(value) = serde_json::from_slice::<Value>(&text) else { return };
        let Some(scripts) = value.get("scripts").and_then(Value::as_object) else { return };
        let is_wanted = |name: &str| {
            let plain = name.strip_prefix("pre").or_else(|| name.strip_prefix("post"));
            wanted.iter().any(|pattern| {
                let pattern = pattern.strip_prefix("npm:").unwrap_or(pattern);
                glob(pattern, name) || plain.is_some_and(|plain| glob(pattern, plain))
            })
        };
        let home = package.strip_suffix(b"package.json").unwrap_or_default();
        let home = BString::from(home.strip_suffix(b"/").unwrap_or(home));
        for (name, script) in scripts.iter().filter(|(name, _)| is_wanted(name)) {
            let reached = self.scripts.entry(package.clone()).or_default();
            if reached.insert(name.clone())
                && let Some(script) = script.as_str()
            {
                self.take(root, &tokens(script), &home);
            }
        }
    }

    /// Whether one of these words is in the command, or one of these formats reads it; no words: always.
    pub(super) fn holds(&self, when: &[String]) -> bool {
        when.is_empty()
            || when.iter().any(|word| self.words.contains(word) || self.check.parsers.contains(word))
    }

    /// The folders that it runs in or names, with those above them.
    pub(super) fn upward(&self) -> BTreeSet<BString> {
        self.folders.iter().flat_map(|folder| upward(folder)).collect()
    }

    /// What follows an option, as `-p NAME`, `-pNAME` or `--option=NAME`.
    pub(super) fn values_of(&self, option: &str) -> Vec<&str> {
        let mut values = Vec::new();
        let mut tokens = self.tokens.iter().peekable();
        while let Some(token) = tokens.next() {
            match token.strip_prefix(option) {
                Some("") => values.extend(tokens.peek().map(|next| next.as_str())),
                Some(value) => values.push(value.trim_start_matches('=')),
                None => {}
            }
        }
        values
    }
}

/// The scripts that the words after a package manager name, and the folder that they choose.
fn script_of(after: &[String]) -> (Vec<String>, Option<String>) {
    let mut words = after.iter();
    let mut folder = None;
    let mut runs = false;
    while let Some(word) = words.next() {
        if let Some((option, value)) = word.split_once('=')
            && WITH_VALUE.contains(&option)
        {
            folder = is_folder_option(option).then(|| value.to_owned()).or(folder);
        } else if WITH_VALUE.contains(&word.as_str()) {
            let value = words.next().cloned();
            folder = value.filter(|_| is_folder_option(word)).or(folder);
        } else if word.starts_with('-') {
        } else if !runs && matches!(word.as_str(), "run" | "run-script" | "rum" | "urn") {
            runs = true;
        } else {
            let name = match word.as_str() {
                "t" | "tst" if !runs => "test",
                name => name,
            };
            return (vec![name.to_owned()], folder);
        }
    }
    (Vec::new(), folder)
}

fn is_folder_option(option: &str) -> bool {
    matches!(option, "--prefix" | "-C" | "--dir" | "--cwd")
}

/// The words of an argument, which may be a text for a shell.
fn tokens(argument: &str) -> Vec<String> {
    let cut = |sign: char| sign.is_whitespace() || ";&|()`'\"<>".contains(sign);
    argument.split(cut).filter(|token| !token.is_empty()).map(ToOwned::to_owned).collect()
}

/// The program that a word names: without its folders and its ending.
fn program(token: &str) -> String {
    let name = token.rsplit(['/', '\\']).next().unwrap_or(token);
    [".exe", ".cmd", ".bat"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name).to_owned()
}

/// The folder that a word names, or the one that the file lies in which it names.
fn folder_of(root: &Path, folder: &BString, token: &str) -> Option<BString> {
    let named = token.split_once('=').map_or(token, |(_, value)| value);
    let named = named.split("::").next().unwrap_or(named);
    if named.is_empty() || named.starts_with('-') {
        return None;
    }
    let path = below(folder, named)?;
    let full = full_path(root, &path);
    if full.is_dir() {
        return Some(path);
    }
    full.is_file().then(|| parent(&path).into())
}

/// A path relative to a folder, without `.` and `..`; `None` when it leaves the root, or is absolute.
pub(super) fn below(folder: &[u8], path: &str) -> Option<BString> {
    if path.starts_with('/') || path.get(1..3) == Some(":\\") {
        return None;
    }
    let mut parts: Vec<&[u8]> = folder.split(|byte| *byte == b'/').filter(|part| !part.is_empty()).collect();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop()?,
            part => parts.push(part.as_bytes()),
        }
    }
    Some(parts.join(&b'/').into())
}

/// The folder that a path lies in; empty for the root.
pub(super) fn parent(path: &[u8]) -> &[u8] {
    path.iter().rposition(|byte| *byte == b'/').and_then(|slash| path.get(..slash)).unwrap_or_default()
}

/// A folder and those above it, the root last.
pub(super) fn upward(folder: &[u8]) -> Vec<BString> {
    let mut folders = vec![BString::from(folder)];
    let mut at = folder;
    while !at.is_empty() {
        at = parent(at);
        folders.push(at.into());
    }
    folders
}

pub(super) fn join(folder: &[u8], name: &[u8]) -> BString {
    if folder.is_empty() { name.into() } else { [folder, b"/", name].concat().into() }
}

//! A command that is to run in a copy: what leads to the work tree leads to the copy.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::Checkout;
use crate::observe::process::Command;

impl Checkout {
    /// Changes a command whose folder is one of the copy: absolute paths that the plan writes, where Python imports from,
    /// where Cargo builds.
    pub fn adapt(&self, command: &mut Command) {
        for word in &mut command.argv {
            *word = self.led_into(word);
        }
        for value in command.env.iter_mut().filter_map(|(_, value)| value.as_mut()) {
            *value = self.led_into(value);
        }
        let set =
            |name: &str| command.env.iter().rev().find(|(of, _)| of == name).map(|(_, value)| value.clone());
        let (python, cargo) = (set("PYTHONPATH"), set("CARGO_TARGET_DIR"));
        if !self.import_roots.is_empty() {
            let after = python.unwrap_or_else(|| std::env::var_os("PYTHONPATH")).unwrap_or_default();
            let after = std::env::split_paths(&after).filter(|path| !path.as_os_str().is_empty());
            let paths: Vec<PathBuf> = self.import_roots.iter().cloned().chain(after).collect();
            if let Ok(paths) = std::env::join_paths(paths) {
                command.env.push(("PYTHONPATH".into(), Some(paths)));
            }
        }
        if cargo.is_none() {
            command.env.push(("CARGO_TARGET_DIR".into(), None));
        }
        command.env.push(("PWD".into(), Some(command.cwd.clone().into())));
    }

    /// A word in which each path of a work tree became that of its copy, if that has one.
    fn led_into(&self, word: &OsStr) -> OsString {
        let Some(text) = word.to_str() else { return word.to_owned() };
        if !self.roots.iter().any(|root| root.to_str().is_some_and(|root| text.contains(root))) {
            return word.to_owned();
        }
        let parts = text.split_inclusive([':', '=']).map(|part| {
            let path = part.trim_end_matches([':', '=']);
            let end = part.get(path.len()..).unwrap_or_default();
            let path = Path::new(path);
            let copy = self.at(path);
            let is_of_tree = self.roots.iter().any(|root| path.starts_with(root));
            match copy.to_str().filter(|_| is_of_tree && copy.exists()) {
                Some(copy) => format!("{copy}{end}"),
                None => part.to_owned(),
            }
        });
        parts.collect::<String>().into()
    }
}

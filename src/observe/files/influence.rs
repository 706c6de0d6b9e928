//! What steers the runners of a repository's checks: files, and slices of files, that are no tests and can make a test
//! pass that should fail.
//!
//! What to look for is data, in the grammar files. Here it is found: names are matched while the tree is walked, and
//! what they mean is decided when all paths are known.

mod command;
mod inline;
mod names;
mod python;
mod setup;
mod slice;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use bstr::{BString, ByteSlice as _};
use redgreen_parsers::{FileRule, Keep, Place, SliceRule, Steering, sliced_tests, steering};

use self::command::{Command, Reached, parent, upward};
use self::names::{Names, fits, folders_before};
use super::frozen::{self, Frozen};
use super::{FilesError, full_path};
use crate::digest::Sha256;
use crate::observe::facts::{Entry, EntryKind, Influence, LocalRunner, Weight};
use crate::plan::{Check, PathSet};

pub use self::inline::with_tests;

/// What the checks of a repository ask for.
#[derive(Debug)]
pub(super) struct Wanted<'a> {
    commands: Vec<(Command<'a>, Vec<Steering>)>,
    names: Names,
    modules: BTreeSet<&'static [u8]>,
}

/// What is wanted of the files in a folder.
#[derive(Debug, Clone, Copy)]
pub(super) struct WantedWithin<'a> {
    names: &'a Names,
    modules: &'a BTreeSet<&'static [u8]>,
    is_reached: bool,
}

impl WantedWithin<'_> {
    /// Whether the path of a file in the folder has a name that could count.
    pub(super) fn names(&self, path: &[u8]) -> bool {
        self.names.hold(path, self.is_reached)
            || (!self.modules.is_empty()
                && python::module_of(path).is_some_and(|module| self.modules.contains(module)))
    }
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) entries: Vec<Influence>,
    pub(super) local_runners: Vec<LocalRunner>,
    /// Links that lead to what can't be frozen, with the reason.
    pub(super) refused: Vec<(BString, String)>,
}

/// The paths that are known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tree<'a> {
    pub(super) root: &'a Path,
    /// Where globs start.
    pub(super) prefix: &'a [u8],
    /// Where tests lie.
    pub(super) test_paths: &'a PathSet,
    /// Every file that counts, in order.
    pub(super) map: &'a [Entry],
    /// The tests.
    pub(super) tests: &'a [Entry],
    /// Files whose names are wanted, also ignored ones; in order.
    pub(super) named: &'a [Entry],
    /// Product files that hold tests.
    pub(super) inline: &'a PathSet,
}

impl<'a> Wanted<'a> {
    /// What is wanted by checks of a repository whose `path` is `prefix` below the root.
    pub(super) fn by(checks: &[&'a Check], root: &Path, prefix: &[u8]) -> Self {
        let concerned = |check: &&'a Check| {
            let command = Command::of(check, root, prefix);
            let words = || command.words.iter().map(String::as_str);
            let steering = steering().filter(|steering| steering.concerns(&check.parsers, words())).collect();
            (command, steering)
        };
        let commands: Vec<(Command<'a>, Vec<Steering>)> = checks.iter().map(concerned).collect();
        let influences = || commands.iter().flat_map(|(_, steering)| steering).map(|by| by.influence);
        let files = influences().flat_map(|by| by.files.iter().flat_map(|rule| &rule.names));
        let slices = influences().flat_map(|by| by.slices.iter().map(|rule| &rule.file));
        let sliced_tests = sliced_tests().map(|rule| &rule.file);
        let names: BTreeSet<_> = files.chain(slices).chain(sliced_tests).map(String::as_str).collect();
        let modules = influences().flat_map(|by| by.modules.iter().map(String::as_bytes)).collect();
        Self { names: Names::of(names), modules, commands }
    }

    /// What is wanted of the files in a folder.
    pub(super) fn within(&self, folder: &[u8]) -> WantedWithin<'_> {
        WantedWithin { names: &self.names, modules: &self.modules, is_reached: self.names.reach(folder) }
    }

    /// Decides what counts.
    pub(super) fn find(&self, tree: Tree<'_>) -> Result<Found, FilesError> {
        let mut search = Search::new(tree);
        for rule in sliced_tests() {
            for entry in search.named_as(&rule.file) {
                if tree.is_below_tests(&entry.path)
                    || search.test_folders.contains(parent(&entry.path).as_bstr())
                {
                    search.slice(rule, entry, &Reached::new())?;
                }
            }
        }
        for (command, steering) in &self.commands {
            let up = command.upward();
            let tests = search.test_folders.iter().flat_map(|folder| upward(folder));
            let collected: BTreeSet<BString> = up.iter().cloned().chain(tests).collect();
            let counts = |name: &str, place: Place, path: &[u8]| match place {
                _ if is_installed(path) => false,
                Place::Anywhere => true,
                Place::Upward => folders_before(name, path).any(|folder| up.contains(folder.as_bstr())),
                Place::Collected => {
                    folders_before(name, path).any(|folder| collected.contains(folder.as_bstr()))
                }
                Place::Tests => false,
            };
            for by in steering {
                for rule in by.influence.files.iter().filter(|rule| command.holds(&rule.when)) {
                    for name in &rule.names {
                        let named = search.named_as(name);
                        for entry in named.filter(|entry| counts(name, rule.place, &entry.path)) {
                            search.whole(rule, entry, by)?;
                        }
                    }
                }
                for rule in by.influence.slices.iter().filter(|rule| command.holds(&rule.when)) {
                    let named = search.named_as(&rule.file);
                    for entry in named.filter(|entry| counts(&rule.file, rule.place, &entry.path)) {
                        let reached = command.scripts.get(&entry.path);
                        search.slice(rule, entry, reached.unwrap_or(&Reached::new()))?;
                        search.named_by_slice(rule, entry, by)?;
                    }
                }
            }
            python::add(&mut search, command, steering)?;
        }
        inline::add(&mut search)?;
        search.end()
    }
}

/// A search in progress.
struct Search<'a> {
    tree: Tree<'a>,
    /// The folders that hold a test.
    test_folders: BTreeSet<BString>,
    files: BTreeMap<BString, Weight>,
    slices: BTreeMap<(BString, String), (Weight, Sha256)>,
    local_runners: BTreeSet<(BString, String, String)>,
    refused: Vec<(BString, String)>,
    texts: BTreeMap<BString, Option<Vec<u8>>>,
}

impl<'a> Search<'a> {
    fn new(tree: Tree<'a>) -> Self {
        Self {
            tree,
            test_folders: tree.tests.iter().map(|test| parent(&test.path).into()).collect(),
            files: BTreeMap::new(),
            slices: BTreeMap::new(),
            local_runners: BTreeSet::new(),
            refused: Vec::new(),
            texts: BTreeMap::new(),
        }
    }

    /// The files of a name that aren't frozen as tests.
    fn named_as<'n>(&self, name: &'n str) -> impl Iterator<Item = &'a Entry> + use<'a, 'n> {
        let tree = self.tree;
        tree.named.iter().filter(move |entry| fits(name, &entry.path) && !tree.is_test(&entry.path))
    }

    fn add_file(&mut self, path: &BString, weight: Weight) {
        if !self.tree.is_test(path) {
            let known = self.files.entry(path.clone()).or_insert(weight);
            *known = weight.min(*known);
        }
    }

    /// A whole file, and those that it names.
    fn whole(&mut self, rule: &FileRule, entry: &Entry, by: &Steering) -> Result<(), FilesError> {
        self.add_file(&entry.path, if rule.shared { Weight::Shared } else { Weight::Steers });
        if rule.names_files
            && let Some(text) = self.text(&entry.path)?
        {
            let named = setup::files(&text, &by.influence.setup, &entry.path, self.tree);
            named.iter().for_each(|path| self.add_file(path, Weight::Steers));
        }
        Ok(())
    }

    fn slice(&mut self, rule: &SliceRule, entry: &Entry, reached: &Reached) -> Result<(), FilesError> {
        let Some(text) = self.text(&entry.path)? else { return Ok(()) };
        for slice in slice::slices(&rule.keep, &text, reached) {
            let sha256 = Sha256::of(&slice.text);
            self.slices.insert((entry.path.clone(), slice.name), (Weight::Steers, sha256));
        }
        Ok(())
    }

    /// The files that a configuration names which is itself a part of a file, and runners that come from a path.
    fn named_by_slice(&mut self, rule: &SliceRule, entry: &Entry, by: &Steering) -> Result<(), FilesError> {
        let Some(text) = self.text(&entry.path)? else { return Ok(()) };
        match &rule.keep {
            Keep::Json(_) => {
                for slice in slice::slices(&rule.keep, &text, &Reached::new()) {
                    let named = setup::files(&slice.text, &by.influence.setup, &entry.path, self.tree);
                    named.iter().for_each(|path| self.add_file(path, Weight::Steers));
                }
            }
            Keep::Versions(packages) => {
                let local = slice::local_runners(&text, packages).into_iter();
                self.local_runners
                    .extend(local.map(|(package, version)| (entry.path.clone(), package, version)));
            }
            _ => {}
        }
        Ok(())
    }

    /// What a file holds, links followed; `None`: it is gone, or no file.
    fn text(&mut self, path: &BString) -> Result<Option<Vec<u8>>, FilesError> {
        if let Some(text) = self.texts.get(path) {
            return Ok(text.clone());
        }
        let full = full_path(self.tree.root, path);
        let text = read(&full).map_err(|error| FilesError::unreadable(&full, error))?;
        self.texts.insert(path.clone(), text.clone());
        Ok(text)
    }

    fn end(self) -> Result<Found, FilesError> {
        let Tree { root, map, named, .. } = self.tree;
        let mut own: BTreeMap<Weight, Vec<Entry>> = BTreeMap::new();
        for (path, weight) in self.files {
            let known = named.binary_search_by(|entry| entry.path.cmp(&path)).ok();
            let entry = match known.and_then(|at| named.get(at)) {
                Some(entry) => Some(entry.clone()),
                // The cache may have spoken for it.
                None => frozen::read(root, path)?,
            };
            own.entry(weight).or_default().extend(entry);
        }
        let mut found = Found { refused: self.refused, ..Found::default() };
        for (weight, entries) in own {
            let Frozen { entries, refused, .. } = frozen::freeze(root, map, entries, Vec::new())?;
            let entries = entries.into_iter().filter(|entry| !self.tree.is_test(&entry.path));
            found.entries.extend(entries.map(|entry| Influence { entry, slice: None, weight }));
            found.refused.extend(refused);
        }
        let slices = self.slices.into_iter().map(|((path, name), (weight, sha256))| Influence {
            entry: Entry { path, kind: EntryKind::File, mode: 0, sha256 },
            slice: Some(name),
            weight,
        });
        found.entries.extend(slices);
        found
            .entries
            .sort_by(|a, b| (&a.entry.path, &a.slice, a.weight).cmp(&(&b.entry.path, &b.slice, b.weight)));
        found.entries.dedup_by(|a, b| a.entry.path == b.entry.path && a.slice == b.slice);
        found.local_runners = (self.local_runners.into_iter())
            .map(|(path, package, version)| LocalRunner { path, package, version })
            .collect();
        Ok(found)
    }
}

impl Tree<'_> {
    fn is_test(&self, path: &BString) -> bool {
        self.tests.binary_search_by(|test| test.path.cmp(path)).is_ok()
    }

    fn holds(&self, path: &[u8]) -> bool {
        self.map.binary_search_by(|entry| entry.path.as_slice().cmp(path)).is_ok()
    }

    /// A path as globs see it.
    fn below_prefix<'p>(&self, path: &'p [u8]) -> Option<&'p [u8]> {
        if self.prefix.is_empty() {
            return Some(path);
        }
        path.strip_prefix(self.prefix)?.strip_prefix(b"/")
    }

    fn is_below_tests(&self, path: &[u8]) -> bool {
        self.below_prefix(path).is_some_and(|path| self.test_paths.matches(path))
    }
}

/// The names of programs and other words that a check's command holds, also those of the scripts that it reaches.
/// `folder` is that of its repository.
#[must_use]
pub fn command_words(check: &Check, folder: &Path) -> BTreeSet<String> {
    Command::of(check, folder, b"").words
}

/// Whether a path lies in a folder of installed packages: what is in them is no part of the project.
fn is_installed(path: &[u8]) -> bool {
    path.split(|byte| *byte == b'/').any(|part| part == b"node_modules" || part == b"bower_components")
}

/// What a file holds, links followed. What is no file isn't opened.
fn read(full: &Path) -> io::Result<Option<Vec<u8>>> {
    match full.metadata() {
        Ok(meta) if meta.is_file() => std::fs::read(full).map(Some),
        Ok(_) => Ok(None),
        // Gone, or a link to nothing or to itself.
        Err(error) if error.kind() != io::ErrorKind::PermissionDenied => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests;

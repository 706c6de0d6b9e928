//! Asking a runner for a structured report of the same run, and reading it: the witness.
//!
//! What is known of each runner stands in `[witness]` of its grammar file. A command that isn't plainly the runner is not
//! asked, and neither is one whose project has settled the matter itself.

mod command;
mod configuration;
mod restored;

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use redgreen_parsers::witness::{Account, account, can_read, forget_lines};
use redgreen_parsers::{Format, Options, Refused, Report, Witness, Words};
use sha2::Digest as _;
use tempfile::TempDir;

use super::facts::{WitnessFacts, WitnessFound};
use super::process::Command;
use crate::digest::Sha256;
use crate::plan;
use command::{Behind, Place};

/// The recorders that grammars may name, by the word of their kind.
const RECORDERS: &[(&str, &str, &str)] =
    &[("unittest-recorder", "unittest_recorder.py", include_str!("unittest_recorder.py"))];

/// How much is read at once.
const BLOCK: usize = 64 << 10;

/// A witness that was asked for, or not.
#[derive(Debug)]
pub enum Asked {
    /// The command was changed so that a report is written.
    Yes(Box<Waiting>),
    /// It wasn't.
    No(WitnessFacts),
}

/// A report that is being waited for.
#[derive(Debug)]
pub struct Waiting {
    format: Format,
    witness: &'static Witness,
    arguments: Vec<String>,
    /// The name of its file.
    file: &'static str,
    /// Where the command runs.
    root: PathBuf,
    /// Gone with this value.
    folder: TempDir,
}

/// Changes a check's command so that its runner writes a structured report, where it is plainly a runner that can.
/// `root` is the folder of the repository, above which no configuration is looked for.
///
/// # Errors
/// The folder for the report can't be made.
pub fn ask(check: &plan::Check, command: &mut Command, root: &Path) -> io::Result<Asked> {
    let formats: Vec<_> = check.parsers.iter().filter_map(|word| Format::find(word)).collect();
    let able = formats.iter().filter_map(|format| Some((*format, format.grammar().witness.as_ref()?)));
    let able: Vec<_> = able.filter(|(_, witness)| can_read(&witness.read)).collect();
    let kind = able.first().map(|(_, witness)| witness.kind.clone());
    let no = |reason: String| Ok(Asked::No(WitnessFacts::not_asked(kind.clone(), reason)));
    if check.witness == plan::Witness::Off {
        return no("the plan says `witness = \"off\"`".to_owned());
    }
    if able.is_empty() {
        let words = check.parsers.join(", ");
        return no(format!("verify knows no structured report to ask for beside {words}"));
    }
    let cwd = command.cwd.clone();
    let root = &root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let read = |path: &str| configuration::text(&cwd.join(path));
    let found = able.into_iter().find_map(|(format, witness)| {
        Some((format, witness, command::find(&check.command, witness, &read)?))
    });
    let Some((format, witness, place)) = found else {
        return no("the command is not plainly the runner, which may stand behind a wrapper".to_owned());
    };
    let launchers = place.launchers.iter();
    if let Some(why) = launchers.filter_map(|launcher| witness.not_behind.get(launcher)).next() {
        return no(why.clone());
    }
    if let Some(word) = settled(command, witness, &place, root) {
        return no(format!("the project settles it by `{word}`"));
    }
    let request = match request(witness, &place, &cwd, root) {
        Ok(request) => request,
        Err(reason) => return no(reason),
    };
    let folder = tempfile::Builder::new().prefix("verify-witness-").tempdir()?;
    let waiting = Waiting::ask(format, witness, place, &request, command, folder)?;
    Ok(Asked::Yes(Box::new(waiting)))
}

/// The word by which the project asks for such a report itself, or forbids it.
fn settled(command: &Command, witness: &Witness, place: &Place, root: &Path) -> Option<String> {
    let rule = witness.settled.as_ref()?;
    let of_variable = |name: &String| {
        let changed = command.env.iter().rev().find(|(of, _)| of == name.as_str());
        let value = changed.map_or_else(|| std::env::var_os(name), |(_, value)| value.clone());
        value.map(|value| configuration::split(&value.to_string_lossy()))
    };
    let variables = witness.variables.iter().filter_map(of_variable).flatten();
    let configured = configuration::words(&witness.configuration, &folders(place, &command.cwd), root);
    let words = place.argv.iter().chain(&place.elsewhere).cloned().chain(variables).chain(configured);
    words.into_iter().find(|word| rule.pattern.is_match(word.as_bytes()))
}

/// What the runner is asked for, and where in the command.
#[derive(Debug)]
struct Request {
    words: &'static [String],
    at: Behind,
    /// The name of the report's file.
    file: &'static str,
}

/// What the runner is asked for, or why it isn't. A file, from where it runs upward and beside its projects, may say
/// that the command starts another runner: that one is asked in its own way.
fn request(witness: &'static Witness, place: &Place, cwd: &Path, root: &Path) -> Result<Request, String> {
    let projects = restored::projects(&place.argv, cwd);
    let mut folders = folders(place, cwd);
    folders.extend(projects.iter().filter_map(|project| project.canonicalize().ok()));
    let says = |rule: &&Refused| {
        configuration::texts(&rule.file, &folders, root)
            .iter()
            .any(|text| text.lines().any(|line| rule.line.pattern.is_match(line.as_bytes())))
    };
    let Some(rule) = witness.refused.iter().find(says) else {
        return Ok(Request { words: &witness.behind, at: place.behind, file: &witness.file });
    };
    let (Some(restored), Some(words)) = (&witness.restored, rule.restored) else {
        return Err(rule.reason.clone());
    };
    let settles = |word: &&String| restored.settled.pattern.is_match(word.as_bytes());
    if let Some(word) = place.argv.iter().find(settles) {
        return Err(format!("the project settles it by `{word}`"));
    }
    let way = restored::way(restored, &projects).map_err(|why| format!("{}; {why}", rule.reason))?;
    let dashes = place.argv.iter().position(|word| word == "--");
    let at = match (words, dashes) {
        (Words::Among, _) => place.behind,
        (Words::BehindDashes, Some(dashes)) => Behind::At(dashes + 1),
        (Words::BehindDashes, None) => Behind::EndBehindDashes,
    };
    Ok(Request { words: &way.behind, at, file: &way.file })
}

/// Where a runner may take its configuration from: where it runs, and beside the tests that it is given.
fn folders(place: &Place, cwd: &Path) -> Vec<PathBuf> {
    let given = place.argv.iter().filter(|word| !word.starts_with('-'));
    let given = given.filter_map(|word| {
        let path = cwd.join(word.split("::").next().unwrap_or(word));
        if path.is_dir() { Some(path) } else { path.parent().filter(|_| path.is_file()).map(Path::to_owned) }
    });
    [cwd.to_owned()].into_iter().chain(given).filter_map(|folder| folder.canonicalize().ok()).collect()
}

impl Waiting {
    fn ask(
        format: Format,
        witness: &'static Witness,
        place: Place,
        request: &Request,
        command: &mut Command,
        folder: TempDir,
    ) -> io::Result<Self> {
        let file = folder.path().join(request.file);
        let mut recorder = None;
        if let Some((_, name, text)) = RECORDERS.iter().find(|(kind, ..)| *kind == witness.kind) {
            let path = folder.path().join(name);
            fs::write(&path, text)?;
            recorder = Some(path);
        }
        let fill = |word: &str| {
            let word = word.replace("{file}", &file.to_string_lossy());
            let word = word.replace("{folder}", &folder.path().to_string_lossy());
            let recorder = recorder.as_deref().map(Path::to_string_lossy);
            recorder.map_or(word.clone(), |recorder| word.replace("{recorder}", &recorder))
        };
        let (before, behind): (Vec<_>, Vec<_>) = (
            witness.before.iter().map(|word| fill(word)).collect(),
            request.words.iter().map(|word| fill(word)).collect(),
        );
        let mut argv = place.argv;
        match request.at {
            Behind::At(at) => _ = argv.splice(at..at, behind.iter().cloned()),
            Behind::End => argv.extend(behind.iter().cloned()),
            Behind::EndBehindDashes => {
                argv.extend(["--".to_owned()].into_iter().chain(behind.iter().cloned()))
            }
        }
        if let Some(at) = place.before {
            argv.splice(at..at, before.iter().cloned());
        }
        let environment: Vec<_> =
            witness.environment.iter().map(|(name, value)| (name, fill(value))).collect();
        let arguments = before
            .into_iter()
            .chain(behind)
            .chain(environment.iter().map(|(name, value)| format!("{name}={value}")))
            .collect();
        command.argv = argv.into_iter().map(OsString::from).collect();
        command.env.extend(environment.into_iter().map(|(name, value)| (name.into(), Some(value.into()))));
        let root = command.cwd.canonicalize().unwrap_or_else(|_| command.cwd.clone());
        Ok(Self { format, witness, arguments, file: request.file, root, folder })
    }

    /// Reads what the runner wrote. `options` are those that its console is read with.
    ///
    /// # Errors
    /// The report is there and can't be read.
    pub fn read(self, options: &Options) -> io::Result<WitnessFacts> {
        let files = self.files()?;
        let (mut hash, mut reports) = (sha2::Sha256::new(), Vec::<Report>::new());
        let root = self.root.to_string_lossy();
        for file in &files {
            blocks(file, &mut |block| hash.update(block))?;
            match account(self.format, self.witness, options, &root, |feed| blocks(file, feed))? {
                Account::Reports(more) => reports.extend(more),
                Account::Unable(why) => {
                    return Ok(WitnessFacts::not_asked(Some(self.witness.kind.clone()), why));
                }
            }
        }
        reports.iter_mut().for_each(forget_lines);
        let found = match files.is_empty() {
            true => WitnessFound::Missing,
            false => WitnessFound::Reports { console: self.format, reports },
        };
        Ok(WitnessFacts {
            kind: Some(self.witness.kind.clone()),
            arguments: self.arguments,
            sha256: (!files.is_empty()).then(|| Sha256(hash.finalize().into())),
            found,
        })
    }

    /// The files of the report, in order of their names. What isn't a plain file, such as a FIFO that a test put there,
    /// is no report.
    fn files(&self) -> io::Result<Vec<PathBuf>> {
        let named = |name: &str| match self.file.split_once('*') {
            Some((start, end)) => name.starts_with(start) && name.ends_with(end),
            None => name == self.file,
        };
        let mut files = Vec::new();
        for entry in fs::read_dir(self.folder.path())? {
            let entry = entry?;
            if named(&entry.file_name().to_string_lossy()) && entry.file_type()?.is_file() {
                files.push(entry.path());
            }
        }
        files.sort_unstable();
        Ok(files)
    }
}

fn blocks(path: &Path, feed: &mut dyn FnMut(&[u8])) -> io::Result<()> {
    let (mut file, mut buffer) = (File::open(path)?, vec![0; BLOCK]);
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => feed(buffer.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests;

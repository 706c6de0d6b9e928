//! Runs seed projects with the real tools, and writes what they printed beside what is true of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use redgreen_parsers::Format;

use super::launch::{self, Invocation, Ran};
use super::recording::{Recording, Truth};
use super::seed::{self, Seed};
use super::told::Told;
use super::tools::{self, Flags, Found, Producer, Tool, Tools};
use super::verdict::{self, Facts};
use super::{dotnet, jest, junit, pytest, tap, unittest};
use crate::shell::{Done, root, target};

/// One run to record.
struct Job<'a> {
    seed: &'a Seed,
    tool: &'a Tool,
    found: &'a Found,
    name: &'a str,
    flags: &'a Flags,
}

/// Records the seeds of a format, or those named.
pub(super) fn run(format: &str, only: &[&str]) -> Done {
    let format = Format::find(format).ok_or_else(|| format!("there is no format `{format}`"))?;
    let home = root().join("corpus").join(format.word());
    let tools = Tools::load(&home.join("_seed"))?;
    let seeds = seed::all(&home.join("_seed"))?;
    let seeds: Vec<&Seed> =
        seeds.iter().filter(|seed| only.is_empty() || only.contains(&seed.name.as_str())).collect();
    let mut found = Vec::new();
    for tool in tools.tool.iter().filter(|tool| seeds.iter().any(|seed| seed.runs_with(tool))) {
        match tools::provision(tool) {
            Ok(there) => found.push((tool, there)),
            Err(why) => eprintln!("{} is not recorded: {why}", tool.folder()),
        }
    }
    let mut jobs = Vec::new();
    for seed in &seeds {
        for (tool, there) in &found {
            clear(&home.join(tool.folder()), &seed.name)?;
            for (name, flags) in runs(seed, tool, &tools)? {
                jobs.push(Job { seed, tool, found: there, name, flags });
            }
        }
    }
    let (count, failed) = all(&jobs, &home)?;
    eprintln!("{count} recordings written below {}", home.display());
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n").into()) }
}

/// The flag sets with which a seed is run with a tool.
fn runs<'a>(seed: &'a Seed, tool: &'a Tool, tools: &'a Tools) -> Done<Vec<(&'a str, &'a Flags)>> {
    let mut runs = Vec::new();
    if let Some(dotnet) = &seed.header.dotnet {
        for name in
            dotnet.runs.iter().filter(|(folder, _)| *folder == tool.folder()).flat_map(|(_, flags)| flags)
        {
            runs.push((name.as_str(), tools.flags(name)?));
        }
        return Ok(runs);
    }
    if seed.runs_with(tool) {
        let own = if seed.header.flags.is_empty() { &tool.flags } else { &seed.header.flags };
        for name in own.iter().chain(&seed.header.also) {
            let flags = tools.flags(name)?;
            if flags.only.is_empty() || flags.only.iter().any(|wanted| tool.is(wanted)) {
                runs.push((name.as_str(), flags));
            }
        }
    }
    Ok(runs)
}

/// The runs of a format's seeds of which there is no recording, as folders below the format's.
pub(super) fn missing(format: &str) -> Done<Vec<String>> {
    let home = root().join("corpus").join(format);
    let mut missing = Vec::new();
    if !home.join("_seed").is_dir() {
        return Ok(missing);
    }
    let tools = Tools::load(&home.join("_seed"))?;
    for seed in &seed::all(&home.join("_seed"))? {
        for tool in &tools.tool {
            for (name, _) in runs(seed, tool, &tools)? {
                let folder = folder(seed, tool, name);
                if !home.join(&folder).join("recording.toml").is_file() {
                    missing.push(folder.display().to_string());
                }
            }
        }
    }
    Ok(missing)
}

/// Where the recording of a run lies, below its format's folder.
fn folder(seed: &Seed, tool: &Tool, flags: &str) -> PathBuf {
    let flags = if flags == "plain" { String::new() } else { format!("--{flags}") };
    PathBuf::from(tool.folder()).join(format!("{}{flags}", seed.name))
}

/// Takes away what earlier runs of this seed left, also with flags that it is no longer run with.
fn clear(folder: &Path, seed: &str) -> Done {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
        let of_seed = name.strip_prefix(seed).is_some_and(|rest| rest.is_empty() || rest.starts_with("--"));
        let recorded = || {
            let text = std::fs::read_to_string(path.join("recording.toml")).unwrap_or_default();
            text.starts_with("kind = \"recorded\"")
        };
        if of_seed && recorded() {
            std::fs::remove_dir_all(&path)?;
        }
    }
    Ok(())
}

impl Seed {
    fn runs_with(&self, tool: &Tool) -> bool {
        if let Some(dotnet) = &self.header.dotnet {
            return dotnet.runs.iter().any(|(folder, _)| *folder == tool.folder());
        }
        let wanted = &self.header.tools;
        if wanted.is_empty() { !tool.on_request } else { wanted.iter().any(|wanted| tool.is(wanted)) }
    }
}

/// Two at a time: most of a run is the tool's own start.
fn all(jobs: &[Job<'_>], home: &Path) -> Done<(usize, Vec<String>)> {
    let next = Mutex::new(jobs.iter());
    let done = Mutex::new((0, Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(job) = next.lock().ok().and_then(|mut jobs| jobs.next()) {
                    let result = job.record(home);
                    if let Ok(mut done) = done.lock() {
                        match result {
                            Ok(()) => done.0 += 1,
                            Err(why) => done.1.push(format!("{}: {why}", job.folder().display())),
                        }
                    }
                }
            });
        }
    });
    done.into_inner().map_err(|_| "a recording went wrong".into())
}

impl Job<'_> {
    fn folder(&self) -> PathBuf {
        folder(self.seed, self.tool, self.name)
    }

    fn record(&self, home: &Path) -> Done {
        if self.tool.producer == Producer::Dotnet {
            let run = (self.name, self.flags);
            return dotnet::record(self.seed, self.tool, self.found, run, &home.join(self.folder()));
        }
        std::fs::create_dir_all(target().join("tmp"))?;
        let place = tempfile::Builder::new().prefix("kit").tempdir_in("/tmp")?;
        let (project, scratch) = (place.path().join("kit"), place.path().join("scratch"));
        std::fs::create_dir_all(&project)?;
        std::fs::create_dir_all(&scratch)?;
        self.seed.write(&project)?;
        let channel = scratch.join("truth");
        let (invocation, argv) = self.invocation(&project, &scratch, &channel)?;
        let mut ran = launch::run(&invocation, &project, &scratch)?;
        if self.tool.producer == Producer::Junit
            && let Some(report) = junit::collect(&invocation, &project, &scratch)?
        {
            (ran.stdout, ran.stderr) = (report, Vec::new());
        } else if self.tool.producer == Producer::Junit {
            ran.stdout = junit::without_host(&ran.stdout);
        }
        let told =
            self.told(&std::fs::read_to_string(&channel).unwrap_or_default(), &ran, &project, &scratch)?;
        let truth = self.truth(told, &ran)?;
        let mut env = self.seed.header.env.clone();
        env.extend(self.flags.env.clone());
        let recording = Recording {
            kind: "recorded".to_owned(),
            tool: self.tool.name.clone(),
            version: self.tool.version.clone(),
            argv,
            env,
            exit_code: ran.exit_code,
            signal: ran.signal,
            seed: Some(self.seed.name.clone()),
            why: self.seed.header.why.clone(),
            truth,
        };
        write(&home.join(self.folder()), &recording, &ran, invocation.merged)
    }

    /// How the tool is run, and the command that a person would have typed.
    fn invocation(&self, project: &Path, scratch: &Path, channel: &Path) -> Done<(Invocation, Vec<String>)> {
        let mut invocation = Invocation {
            program: self.found.program.clone(),
            merged: self.flags.merged || self.flags.terminal,
            replace: self.found.replace.clone(),
            ..Invocation::default()
        };
        let mut own: Vec<String> = self.flags.args.iter().chain(&self.seed.header.args).cloned().collect();
        if self.tool.producer == Producer::Junit {
            // The command is the seed's.
            own.rotate_left(self.flags.args.len());
        }
        let put = |(name, text): (&str, &str)| -> Done<String> {
            let path = scratch.join(name);
            std::fs::write(&path, text)?;
            Ok(path.display().to_string())
        };
        let mut argv: Vec<String>;
        match self.tool.producer {
            Producer::Pytest => {
                put(pytest::PROBE)?;
                let mut plugins = vec!["redgreen_truth"];
                plugins
                    .extend(self.seed.header.plugins.iter().chain(&self.flags.plugins).map(String::as_str));
                invocation.env.insert("PYTEST_PLUGINS".to_owned(), plugins.join(","));
                invocation.env.insert("PYTEST_DISABLE_PLUGIN_AUTOLOAD".to_owned(), "1".to_owned());
                invocation.env.insert("PYTHONPATH".to_owned(), scratch.display().to_string());
                argv = vec!["pytest".to_owned()];
                invocation.args = ["-m", "pytest", "-p", "no:cacheprovider"].map(str::to_owned).to_vec();
                if own
                    .iter()
                    .any(|argument| argument.starts_with("--lf") || argument.starts_with("--stepwise"))
                {
                    invocation.args.truncate(2);
                }
            }
            Producer::Unittest => {
                argv = vec!["python".to_owned(), "-m".to_owned(), "unittest".to_owned()];
                invocation.args = vec![put(unittest::PROBE)?];
            }
            Producer::Node => {
                argv = vec!["node".to_owned(), "--test".to_owned(), "--test-reporter=tap".to_owned()];
                invocation.args = argv[1..].to_vec();
                invocation.args.push("--test-reporter-destination=stdout".to_owned());
                invocation.args.push(format!("--test-reporter={}", put(tap::NODE_PROBE)?));
                invocation.args.push(format!("--test-reporter-destination={}", channel.display()));
            }
            Producer::Jest => {
                tree(&self.found.home.join("node_modules"), &project.join("node_modules"))?;
                if !project.join("package.json").exists() {
                    std::fs::write(project.join("package.json"), "{}\n")?;
                }
                argv = vec!["jest".to_owned()];
                let program = project.join("node_modules/jest/bin/jest.js");
                invocation.args = vec![program.display().to_string()];
                invocation
                    .args
                    .extend(self.seed.header.reporters.iter().map(|name| format!("--reporters={name}")));
                invocation.args.push(format!("--reporters={}", put(jest::PROBE)?));
                // What one run leaves in the cache must not show in another.
                invocation.env.insert("TMPDIR".to_owned(), scratch.display().to_string());
            }
            Producer::Perl => argv = vec!["perl".to_owned()],
            Producer::Prove => {
                argv = vec!["prove".to_owned(), "-v".to_owned()];
                invocation.args = vec!["-v".to_owned(), "--norc".to_owned()];
            }
            Producer::Script | Producer::Junit => {
                let modules = self.found.home.join("node_modules");
                if modules.is_dir() {
                    link(&modules, &project.join("node_modules"))?;
                }
                invocation.env.extend(launch::toolchains());
                let (program, rest) = own.split_first().ok_or("the seed names no command in `args`")?;
                invocation.program = match program.as_str() {
                    "node" | "python" if self.found.program.is_file() => self.found.program.clone(),
                    program if program.starts_with("./") => project.join(program),
                    program => program.into(),
                };
                invocation.args = rest.to_vec();
                argv = Vec::new();
            }
            Producer::Dotnet => return Err("the project is run by itself".into()),
        }
        argv.extend(own.iter().cloned());
        if !matches!(self.tool.producer, Producer::Script | Producer::Junit) {
            invocation.args.extend(own);
        }
        invocation.env.insert("TRUTH".to_owned(), channel.display().to_string());
        invocation.env.extend(self.seed.header.env.clone());
        invocation.env.extend(self.flags.env.clone());
        if self.flags.terminal {
            on_a_terminal(&mut invocation);
        }
        Ok((invocation, argv))
    }

    fn told(&self, channel: &str, ran: &Ran, project: &Path, scratch: &Path) -> Done<Told> {
        let told = match self.tool.producer {
            Producer::Pytest => pytest::told(channel)?,
            Producer::Unittest => unittest::told(channel)?,
            Producer::Node => {
                let files: Vec<String> = self.seed.files.iter().map(|(path, _)| path.clone()).collect();
                tap::node(channel, &files)?
            }
            Producer::Jest => jest::told(channel, &self.seed.header.truth.kinds, &self.tool.version)?,
            Producer::Perl => tap::perl(&ran.stdout, scratch)?,
            Producer::Prove => {
                let mut all = Told { completeness: "complete", ..Told::default() };
                for script in &self.seed.header.args {
                    let perl = Invocation {
                        program: "perl".into(),
                        args: vec![script.clone()],
                        ..Invocation::default()
                    };
                    all.add(script, tap::perl(&launch::run(&perl, project, scratch)?.stdout, scratch)?);
                }
                all.tell_apart();
                all
            }
            Producer::Junit => junit::told(),
            Producer::Script => Told {
                source: "by construction",
                completeness: "complete",
                totals: Some(BTreeMap::new()),
                ..Told::default()
            },
            Producer::Dotnet => return Err("the project is run by itself".into()),
        };
        Ok(told)
    }

    /// The channel's words, with the header's in place of them where it has some, and the verdicts that follow.
    fn truth(&self, told: Told, ran: &Ran) -> Done<Truth> {
        let made = &self.seed.header.truth;
        let completeness = made.completeness.clone().unwrap_or_else(|| told.completeness.to_owned());
        let console = launch::plain(&[ran.stdout.as_slice(), b"\n", ran.stderr.as_slice()].concat());
        let mut cases = made.cases()?.unwrap_or(told.cases);
        let mut totals = made.totals.clone().or(told.totals);
        match self.tool.producer {
            Producer::Pytest => pytest::mark_visible(&mut cases, &console),
            Producer::Unittest => unittest::mark_visible(&mut cases, &console),
            Producer::Jest => {}
            Producer::Junit => totals = made.totals.clone().or_else(|| Some(junit::claimed(&ran.stdout))),
            _ => totals = Some(tap::claimed(&launch::plain(&ran.stdout))),
        }
        let problems = made.problems.clone().unwrap_or(told.problems);
        let facts = Facts {
            exit_code: ran.exit_code,
            complete: completeness == "complete",
            cases: &cases,
            problems: &problems,
            plan_mismatch: told.plan_mismatch || made.plan_mismatch,
            contradiction: made.contradiction,
        };
        let (red, green) = (verdict::red(&facts), verdict::green(&facts));
        let failed = cases.iter().any(|case| case.status == "failed" || case.status == "errored");
        let why_not = made
            .why_not
            .clone()
            .filter(|_| {
                made.why_not_with.is_empty() || made.why_not_with.iter().any(|name| name == self.name)
            })
            .filter(|_| made.why_not_of.is_empty() || made.why_not_of.contains(&self.tool.version))
            .or_else(|| self.flags.hides.clone().filter(|_| failed));
        let by_construction = made.cases.is_some() || made.problems.is_some() || made.completeness.is_some();
        let source = match (told.source, by_construction) {
            ("by construction", _) | (_, false) => told.source.to_owned(),
            (source, true) => format!("{source}; by construction where it can't say"),
        };
        Ok(Truth {
            source,
            completeness,
            red,
            green,
            recoverable: why_not.is_none(),
            why_not,
            totals,
            cases,
            problems,
        })
    }
}

/// `script` gives the command a terminal of its own.
pub(super) fn on_a_terminal(invocation: &mut Invocation) {
    let mut line = quoted(&invocation.program.display().to_string());
    for argument in &invocation.args {
        line.push(' ');
        line += &quoted(argument);
    }
    invocation.env.insert("TERM".to_owned(), "xterm-256color".to_owned());
    invocation.program = "script".into();
    invocation.args = vec!["-qec".to_owned(), line, "/dev/null".to_owned()];
}

pub(super) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

pub(super) fn write(folder: &Path, recording: &Recording, ran: &Ran, merged: bool) -> Done {
    let _ = std::fs::remove_file(folder.join("report.snap"));
    for name in ["stdout", "stderr", "merged"] {
        let _ = std::fs::remove_file(folder.join(name));
    }
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join(if merged { "merged" } else { "stdout" }), &ran.stdout)?;
    if !ran.stderr.is_empty() {
        std::fs::write(folder.join("stderr"), &ran.stderr)?;
    }
    std::fs::write(folder.join("recording.toml"), toml::to_string(recording)?)?;
    Ok(())
}

/// The same files at another place: a runner leaves what lies where it is installed itself out of stack traces.
fn tree(from: &Path, to: &Path) -> Done {
    let copy = |how: &str| Command::new("cp").arg(how).arg(from).arg(to).output();
    if copy("-al")?.status.success() {
        return Ok(());
    }
    let _ = std::fs::remove_dir_all(to);
    let copied = copy("-a")?;
    if copied.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&copied.stderr).into()) }
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(from, to)
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> std::io::Result<()> {
    Err(std::io::Error::other("packages are linked on Unix alone"))
}

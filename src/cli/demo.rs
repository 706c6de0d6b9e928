//! `verify demo`: the whole loop on a small project, told as a story. Every command in it is really run.

use std::fs;
use std::path::PathBuf;

use clap::Args;

use super::output::Output;
use super::{Exit, Stop};
use crate::judge::Code;
use crate::observe::process::{self, Cancel};
use crate::present::theme::{BAD, FAINT, GOOD, WORD, paint};

/// Shows the whole loop on a small project, in a temporary folder
#[derive(Debug, Args)]
pub(super) struct Demo {
    /// Keep the project in this new folder
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

const PLAN: &str = include_str!("demo/verify.toml");
const TEST: &str = include_str!("demo/discount.sh");
const STUB: &str = "# The shop.\ndiscounted() { # PRICE PERCENT\n  echo \"$1\"\n}\n";
const REAL: &str = "# The shop.\ndiscounted() { # PRICE PERCENT\n  echo $(($1 - $1 * $2 / 100))\n}\n";
const POLISHED: &str = "# The shop. Prices are whole numbers.\ndiscounted() { # PRICE PERCENT\n  echo $(($1 - $1 * $2 / 100))\n}\n";

/// Runs the story.
///
/// # Errors
/// No folder to play in.
pub(super) fn run(demo: &Demo, out: &mut Output, cancel: &Cancel) -> Result<Exit, Stop> {
    let temporary;
    let folder = match &demo.keep {
        Some(folder) if folder.exists() => {
            let why = "demo --keep needs a new folder, and this one is there; name another, or remove it";
            return Err(Stop::new(Code::BadOption, why).on(folder));
        }
        Some(folder) => folder.clone(),
        None => {
            temporary = tempfile::Builder::new().prefix("verify-demo-").tempdir().map_err(|why| {
                let way_out = "point TMPDIR to one that can be written, or name a place with `--keep DIR`";
                Stop::new(Code::StoreUnwritable, format!("no temporary folder: {why}; {way_out}"))
            })?;
            temporary.path().join("shop")
        }
    };
    let mut story = Story { out, folder, cancel, step: 0, broken: Vec::new() };
    story.tell().map_err(|why| {
        Stop::new(Code::StoreUnwritable, format!("the demo's folder can't be written: {why}"))
            .on(&story.folder)
    })?;
    story.end(demo.keep.is_some())
}

struct Story<'a> {
    out: &'a mut Output,
    folder: PathBuf,
    cancel: &'a Cancel,
    step: u32,
    broken: Vec<String>,
}

impl Story<'_> {
    fn tell(&mut self) -> std::io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        self.folder = self.folder.canonicalize()?;
        self.write("verify.toml", PLAN)?;
        self.write("shop.sh", "# The shop.\n")?;
        self.write("tests/discount.sh", TEST)?;
        self.git();
        self.say("A small shop is to give discounts. Three files are there, in a temporary folder:");
        self.say("   shop.sh            the code: no discounts yet");
        self.say("   tests/discount.sh  the test of what is wanted: 10 percent off 100 is 90");
        self.say(
            "   verify.toml        the plan: the command that runs the test, the test that has to be seen,",
        );
        self.say("                      and where tests lie");
        self.say("Lines with $ are commands, and below each stands what verify really prints here and now.");

        self.heading("A task begins: verify records every file as it is now.");
        self.verify(&["begin"], 0, "begun");

        self.heading(
            "Does the test fail? It does, but not because an assertion said no: the function isn't there.",
        );
        self.verify(&["red"], 1, "rejected");
        self.say("Any test fails when there is nothing to call, so this is no red. Each reason has a code, the line");
        self.say("of the output that it rests on, and what to do next.");

        self.heading(
            "We add a stub: it can be called, and answers wrongly. Now the assertion itself says no.",
        );
        self.change("shop.sh", STUB)?;
        self.verify(&["red"], 0, "accepted");
        self.say("From here on the tests are frozen: everything under tests/ is kept by its hash.");

        self.heading("Somebody makes the test agree with the code, instead of the code with the test.");
        self.change("tests/discount.sh", &TEST.replace("off\" 90", "off\" 100"))?;
        self.verify(&["green"], 1, "frozen-edited");
        self.say("Tampered tests are not even run. The test is put back as it was.");
        self.write("tests/discount.sh", TEST)?;

        self.heading("Now the code is written, and the same test passes.");
        self.change("shop.sh", REAL)?;
        self.verify(&["green"], 0, "accepted");
        self.say("The evidence is bound to a fingerprint of the files, these files and no others.");

        self.heading("One more edit, after the evidence: a comment. The green is of other files now: stale.");
        self.change("shop.sh", POLISHED)?;
        self.verify(&["status", "--exit-code"], 1, "stale");

        self.heading("Delivery sees that, runs the check again on the files as they are, and then accepts.");
        self.verify(&["deliver"], 0, "accepted");
        self.verify(&["log"], 0, "deliver-0001");
        Ok(())
    }

    fn end(self, kept: bool) -> Result<Exit, Stop> {
        let Self { out, folder, cancel, broken, .. } = self;
        if let Some(signal) = cancel.signal() {
            return Ok(Exit::Cancelled(signal));
        }
        out.line("");
        for what in &broken {
            out.line(&paint(BAD, what));
        }
        if !broken.is_empty() {
            out.line("The story did not end as it must: this is a fault of verify, or of the shell it ran.");
            return Ok(Exit::Rejected);
        }
        out.line(&paint(GOOD, "That is the loop: begin, red, freeze, green, deliver."));
        if kept {
            out.line(&format!("The project and its records are in {}.", folder.display()));
        } else {
            out.line("Nothing is left behind; `verify demo --keep DIR` keeps the project to look at.");
        }
        out.line("In a project of yours: `verify init`, then `verify begin`.");
        Ok(Exit::Good)
    }

    fn say(&mut self, text: &str) {
        self.out.line(text);
    }

    fn heading(&mut self, text: &str) {
        self.step += 1;
        self.out.line("");
        let heading = format!("{}. {text}", self.step);
        self.out.line(&paint(WORD, &heading));
    }

    fn write(&self, path: &str, text: &str) -> std::io::Result<()> {
        let path = self.folder.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, text)
    }

    /// Edits a file, and shows the lines that go and those that come.
    fn change(&mut self, path: &str, text: &str) -> std::io::Result<()> {
        let before = fs::read_to_string(self.folder.join(path))?;
        self.out.line(&paint(FAINT, &format!("   edit  {path}")));
        let only_in = |one: &str, other: &str| -> Vec<String> {
            one.lines().filter(|line| !other.lines().any(|known| known == *line)).map(str::to_owned).collect()
        };
        for line in only_in(&before, text) {
            self.out.line(&paint(BAD, &format!("   - {line}")));
        }
        for line in only_in(text, &before) {
            self.out.line(&paint(GOOD, &format!("   + {line}")));
        }
        self.write(path, text)
    }

    /// A repository, where git is to be had: the loop works without.
    fn git(&self) {
        let commit = "git -c user.name=demo -c user.email=demo@example.invalid commit -q -m start";
        let script = format!("git init -q && git add -A && {commit}");
        let command = process::Command::new(["sh", "-c", script.as_str()], &self.folder);
        let _without_git_the_story_is_the_same = process::run(&command, self.cancel);
    }

    /// Runs `verify` itself and shows what it prints.
    fn verify(&mut self, words: &[&str], code: i32, says: &str) {
        if self.cancel.signal().is_some() {
            return;
        }
        let shown = format!("verify {}", words.join(" "));
        self.out.line(&paint(FAINT, &format!("   $ {shown}")));
        match self.run_verify(words) {
            Ok((ended, text)) => {
                for line in text.lines() {
                    self.out.line(&format!("   │ {line}"));
                }
                if ended != Some(code) || !text.contains(says) {
                    self.broken.push(format!("`{shown}` had to leave with {code} and say `{says}`"));
                }
            }
            Err(why) => self.broken.push(format!("`{shown}` could not be run: {why}")),
        }
    }

    fn run_verify(&self, words: &[&str]) -> Result<(Option<i32>, String), String> {
        let verify = std::env::current_exe().map_err(|why| why.to_string())?;
        let colour = if self.out.has_colour() { "always" } else { "never" };
        let verify = verify.to_string_lossy();
        let argv = [verify.as_ref()].into_iter().chain(words.iter().copied()).chain(["--color", colour]);
        let mut command = process::Command::new(argv, &self.folder);
        for name in ["VERIFY_PLAN", "VERIFY_STATE_DIR", "VERIFY_APPROVE"] {
            command = command.without(name);
        }
        let finished = process::run(&command, self.cancel).map_err(|why| why.to_string())?;
        let (text, _) = finished.transcript.saved(1 << 20).map_err(|why| why.to_string())?;
        Ok((finished.facts.ended.exit_code(), String::from_utf8_lossy(&text).into_owned()))
    }
}

//! Reads what `dotnet test` prints, and test programs of .NET that are started by themselves.
//!
//! Four consoles print results, each in a file of its own: VSTest's (`vstest`), that of Microsoft.Testing.Platform
//! (`platform`), MSBuild's terminal logger (`terminal`) and xunit's own (`own`). Before them speak MSBuild, NuGet and the
//! compilers (`build`), beside them the hosts in which the tests run (`host`).
//!
//! Sources: `ConsoleLogger.cs` and `Resources.resx` of microsoft/vstest, `TerminalTestReporter.cs` of microsoft/testfx and
//! of dotnet/sdk, `TerminalLogger.cs` of dotnet/msbuild, `DefaultRunnerReporterMessageHandler.cs` of xunit/xunit.
//!
//! Known traps: the runs of several assemblies come line by line between each other; `Passed!` may stand above
//! `Test Run Aborted.`; what a test printed, and a message, stand at the start of a line as they are, so that each may
//! look like a row or an end; NUnit's inconclusive and explicit tests have a row and are not counted; a quiet console
//! names nothing; all words but those of the tests are in the user's language.

mod block;
mod bridge;
mod build;
mod claims;
mod frames;
mod host;
mod kinds;
mod own;
mod platform;
mod settle;
mod shape;
mod terminal;
mod trx;
mod vstest;
mod words;

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use crate::text::lossy;
use crate::{
    CaseKey, Cases, Format, Kind, Line, Lines, NewCase, Options, Parser, Problem, Report, Status, Stream,
};
use block::{Block, Console, Owner};
use claims::Claims;
use host::{Exit, Host};

pub(crate) use trx::{Hooked, failures, is_hook_row, is_modern_path, own_name};

pub(crate) fn new(format: Format, options: &Options) -> impl Parser + use<> {
    Dotnet {
        format,
        more: options.assertion_errors.clone(),
        cases: Cases::default(),
        classes: settle::Classes::default(),
        doubtful: Vec::new(),
        suspect: Vec::new(),
        unnamed: None,
        unfinished: None,
        modern: false,
        error: memchr::memmem::Finder::new(build::ERROR).into_owned(),
        gap: 0,
        finished: HashSet::new(),
        told: Vec::new(),
        claims: Claims::default(),
        totals: None,
        host: Host::default(),
        build: build::Build::default(),
        exits: Vec::new(),
        block: None,
        platform: platform::Platform::default(),
        own: own::Own::default(),
        folded: None,
        widest: 0,
        hooks_failed: 0,
        version: None,
    }
}

struct Dotnet {
    format: Format,
    /// Class names of assertion libraries that the caller knows besides.
    more: Vec<String>,
    cases: Cases,
    classes: settle::Classes,
    /// Rows that may be part of a message.
    doubtful: Vec<CaseKey>,
    /// The same, with a message of their own.
    suspect: Vec<CaseKey>,
    unnamed: Option<vstest::Unnamed>,
    /// The first line of a message of the terminal logger, and its width.
    unfinished: Option<(Vec<u8>, usize)>,
    /// The tests run on .NET 8 or later.
    modern: bool,
    error: memchr::memmem::Finder<'static>,
    /// The last blank line, or that of an assembly's end.
    gap: u32,
    /// Tests that xunit's own console called finished.
    finished: HashSet<CaseKey>,
    /// Tests that xunit named as failed or skipped before VSTest's own row of them.
    told: Vec<(String, Status, u32)>,
    claims: Claims,
    totals: Option<vstest::Totals>,
    host: Host,
    build: build::Build,
    exits: Vec<Exit>,
    /// The row whose failure is being told.
    block: Option<Block>,
    platform: platform::Platform,
    own: own::Own,
    folded: Option<terminal::Folded>,
    /// The longest line of the terminal logger.
    widest: usize,
    /// Hooks that are listed, and counted, among the tests.
    hooks_failed: u64,
    version: Option<String>,
}

impl Parser for Dotnet {
    fn line(&mut self, line: Line<'_>, stream: Stream) {
        if stream == Stream::Err {
            return self.aside(line);
        }
        let goes_on = self.platform.awaits() || self.folded.is_some() || self.unnamed.is_some();
        if goes_on && (self.platform_awaits(line) || self.terminal_names(line) || self.vstest_goes_on(line)) {
            return;
        }
        self.dispatch(line, stream);
    }

    fn end(&mut self) -> Vec<Report> {
        self.vstest_ends();
        self.platform_ends();
        self.end_block();
        vec![self.settle()]
    }
}

impl Dotnet {
    fn dispatch(&mut self, line: Line<'_>, stream: Stream) {
        match line.text.first() {
            None => {
                self.gap = line.number;
                self.blank(line);
            }
            Some(b' ') => self.indented(line),
            Some(b'[') if line.text.starts_with(b"[xUnit.net ") => self.xunit_says(line),
            Some(_) => self.at_start(line, stream),
        }
    }

    fn blank(&mut self, line: Line<'_>) {
        match self.block.as_ref().map(|block| block.console) {
            Some(Console::Vstest) => self.vstest_below(line),
            Some(Console::Platform) => _ = self.platform_below(line),
            Some(Console::Terminal) => _ = self.terminal_below(line),
            Some(Console::Own) | None => {}
        }
    }

    fn indented(&mut self, line: Line<'_>) {
        let text = line.text;
        let blanks = text.iter().take_while(|byte| **byte == b' ').count();
        let bare = text.get(blanks..).unwrap_or_default();
        if blanks == 2 {
            if self.platform_summary(line, bare) || self.bridge_ends(line, bare) {
                return;
            }
            if self.vstest_indented(line, bare) {
                return;
            }
        } else if blanks == 4 && self.own_row(line, bare)
            || self.own_sums_up(line)
            || self.vstest_sums_up(line)
        {
            return;
        }
        if self.below(line) {
            return;
        }
        self.build_line(line);
    }

    /// Gives the line to the row above it. `false`: there is none, or it ended.
    fn below(&mut self, line: Line<'_>) -> bool {
        let Some(block) = &self.block else { return false };
        let goes_on = match block.console {
            Console::Vstest => {
                self.vstest_below(line);
                true
            }
            Console::Platform => self.platform_below(line),
            Console::Terminal => self.terminal_below(line),
            Console::Own => self.own_below(line),
        };
        if !goes_on {
            self.end_block();
        }
        goes_on
    }

    fn at_start(&mut self, line: Line<'_>, stream: Stream) {
        let text = line.text;
        // Whatever the language, some lines are known by their end.
        if text.ends_with(b")") {
            self.platform_names(line);
            if self.platform_exits(line) {
                return;
            }
            if let Some(end) = shape::assembly_ends(text) {
                let module = lossy(end.module).into_owned();
                let apart = self.gap + 1 == line.number;
                if apart {
                    self.end_block();
                    self.gap = line.number;
                } else {
                    self.below(line);
                }
                self.claims.assembly(module, end.counts.map(Some), line.number, apart);
                return;
            }
            if let Some(module) = shape::session_begins(text) {
                self.end_block();
                self.claims.speaks(line.number);
                self.claims.vstest_begins(module, text);
                self.modern |= shape::is_modern(text);
                return;
            }
        }
        self.platform_summary_breaks();
        if self.platform_line(line) || self.terminal_line(line) {
            return;
        }
        let taken = match text.first() {
            Some(b'x' | b'=') => self.own_line(line),
            Some(b'T') => self.vstest_verdict(line) || self.vstest_sums_up(line),
            Some(b'R') => self.vstest_wrote(text),
            Some(b'A') => self.vstest_matched(text),
            _ => false,
        };
        if taken {
            return;
        }
        if self.host.line(line, stream, &self.claims) || !self.in_vstest_message() && self.build_line(line) {
            return;
        }
        if !self.below(line) {
            self.host.other(line, self.format.grammar());
        }
    }

    /// Whether a message of VSTest's console may go on.
    fn in_vstest_message(&self) -> bool {
        self.block
            .as_ref()
            .is_some_and(|block| block.console == Console::Vstest && block.part == block::Part::Message)
    }

    /// Takes a line of standard error, which holds no results.
    fn aside(&mut self, line: Line<'_>) {
        match line.text.first() {
            None | Some(b' ') => {}
            Some(b'[') => self.xunit_says(line),
            Some(_) => {
                if !self.host.line(line, Stream::Err, &self.claims) && !self.build_line(line) {
                    self.host.other(line, self.format.grammar());
                }
            }
        }
    }

    fn build_line(&mut self, line: Line<'_>) -> bool {
        // A path, the name of a tool, or the number of a node.
        let starts = match line.text.trim_ascii_start() {
            [b'/', ..] | [b'A'..=b'Z' | b'a'..=b'z', b':', b'\\' | b'/', ..] => true,
            [b'1'..=b'9', b'>', ..] | [b'1'..=b'9', b'0'..=b'9', b'>', ..] => true,
            text => [&b"MSBUILD"[..], b"CSC", b"FSC", b"VBC"].iter().any(|tool| text.starts_with(tool)),
        };
        let Some(at) = starts.then(|| self.error.find(line.text)).flatten() else { return false };
        if self.bridge_error(line, at) {
            return true;
        }
        let Some(found) = build::diagnostic(line.text, at) else { return false };
        if self.terminal_error(line, found.code) {
            return true;
        }
        self.build_error(line, &found);
        true
    }

    /// Takes `[xUnit.net 00:00:02.42]     name [FAIL]`, which xunit's adapter sends to VSTest's console.
    fn xunit_says(&mut self, line: Line<'_>) {
        let Some(at) = memchr::memchr(b']', line.text) else { return };
        let Some(text) = line.text.get(at + 1..).and_then(|rest| rest.strip_prefix(b"     ")) else { return };
        if text.starts_with(b" ") {
            return;
        }
        if let Some(problem) = xunit_cleanup(line) {
            self.host.hook(problem);
        } else if let Some((name, status)) = own::marked(text) {
            self.told.push((lossy(name).into_owned(), status, line.number));
        }
    }

    /// Takes a row of any console.
    fn row(&mut self, name: &str, status: Status, seconds: Option<f32>, number: u32) -> Owner {
        if status == Status::Failed
            && let Some(hook) = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'))
            && is_hook(hook)
        {
            self.hooks_failed += 1;
            return Owner::Hook(hook.to_owned());
        }
        self.claims.speaks(number);
        let name_len = self.classes.own_name(name);
        let case = NewCase { id: name, name_len, status, lines: Lines::one(number) };
        let key = self.cases.push(case, |class| vec![class.trim_end_matches('.').to_owned()]);
        if let Some(seconds) = seconds {
            self.cases.set_duration(key, seconds);
        }
        Owner::Case(key)
    }

    fn end_block(&mut self) {
        if let Some(mut block) = self.block.take() {
            let within = block.within.take();
            self.close(block);
            if let Some(within) = within {
                self.close(*within);
            }
        }
    }

    fn close(&mut self, block: Block) {
        let key = match block.owner {
            Owner::Case(key) => key,
            Owner::Hook(hook) => return self.close_hook(hook, &block.message, block.lines),
        };
        let Some(case) = self.cases.get(key) else { return };
        if case.status() == Status::Skipped {
            if let Some(reason) = block.message.into_text() {
                self.cases.set_reason(key, reason);
            }
            return self.cases.set_lines(key, block.lines);
        }
        if case.status() != Status::Failed {
            return;
        }
        let id = case.id().to_owned();
        let class = kinds::class(&block, &id).filter(|_| case.suite().is_empty());
        let failures = kinds::failures(&block, &id, self.format, &self.more, self.modern);
        for failure in failures {
            self.cases.add_failure(key, failure);
        }
        self.cases.set_lines(key, block.lines);
        if let Some(class) = class {
            self.cases.set_suite(key, &[class]);
        }
    }

    fn close_hook(&mut self, hook: String, message: &crate::bounded::Bounded, lines: Lines) {
        let kind = hook_kind(&hook);
        let message = message.clone().into_text();
        self.host.hook(Problem { kind, subject: Some(hook), error: None, message, lines });
    }
}

/// Whether a hook comes before its tests or after them.
fn hook_kind(hook: &str) -> Kind {
    if hook.ends_with("Initialize") { Kind::Setup } else { Kind::Teardown }
}

/// `[xUnit.net 00:00:02.98]     [Test Class Cleanup Failure (N.C)] N.Error`: the class, and what is said of it.
fn xunit_cleanup(line: Line<'_>) -> Option<Problem> {
    let text = line.text;
    let at = memchr::memmem::find(text, b"]     [Test ")? + 6;
    let said = text.strip_prefix(b"[xUnit.net ").and(text.get(at..))?;
    let open = memchr::memmem::find(said, b" Cleanup Failure (").filter(|at| *at < 40)? + 18;
    let rest = said.get(open..)?;
    let end = memchr::memmem::find(rest, b")]")?;
    Some(Problem {
        kind: Kind::Teardown,
        subject: Some(lossy(rest.get(..end)?).into_owned()),
        error: None,
        message: Some(lossy(said).into_owned()),
        lines: Lines::one(line.number),
    })
}

/// `N.C ClassCleanup` of MSTest, `Test Class Cleanup Failure (N.C.M)` of xunit.
fn is_hook(name: &str) -> bool {
    ["ClassCleanup", "AssemblyCleanup", "ClassInitialize", "AssemblyInitialize"]
        .iter()
        .any(|word| name.ends_with(word))
        || name.starts_with("Test ") && name.contains(" Cleanup Failure (")
}

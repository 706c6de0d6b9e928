//! What is said outside of any test: of hosts that died or did not start, of assemblies without tests, of hooks that
//! failed when no test was left to blame.

use super::claims::Claims;
use crate::startup::Startup;
use crate::text::lossy;
use crate::{Cases, Grammar, Kind, Line, Lines, Problem, Stream};

/// A module of the platform that ended with a code.
#[derive(Debug)]
pub(super) struct Exit {
    pub(super) module: String,
    pub(super) code: u64,
    pub(super) lines: Lines,
}

/// What a line outside of any test says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    /// A test host died; `Test Run Aborted.` follows.
    Reason,
    Aborted,
    /// A clock ended the run.
    Clock,
    HostFailed,
    Interrupted,
    TearDown,
    /// Nothing to run.
    Empty,
    NoProject,
    ModuleFailed,
    LeftEarly,
    Died,
    Listing,
}

/// Line beginnings; `true`: only where standard error can't be told from the other stream, or on it.
const LINES: &[(&str, Says, bool)] = &[
    ("The active test run was aborted. Reason: ", Says::Reason, true),
    ("Der aktive Testlauf wurde abgebrochen. Grund: ", Says::Reason, true),
    ("La série de tests active a été abandonnée. Raison : ", Says::Reason, true),
    ("La série de tests active a été abandonnée. Raison\u{a0}: ", Says::Reason, true),
    ("アクティブなテストの実行が中止されました。理由: ", Says::Reason, true),
    ("活动的测试运行已中止。原因: ", Says::Reason, true),
    ("Test Run Aborted", Says::Aborted, true),
    ("Testlauf abgebrochen.", Says::Aborted, true),
    ("Série de tests abandonnée.", Says::Aborted, true),
    ("テストの実行が中止されました。", Says::Aborted, true),
    ("测试运行已中止。", Says::Aborted, true),
    ("Aborting test run: test run timeout of ", Says::Clock, true),
    ("Data collector 'Blame' message: The specified inactivity time of ", Says::Clock, false),
    ("Testhost process for source(s) ", Says::HostFailed, true),
    ("Attempting to cancel the build...", Says::Interrupted, false),
    ("Canceling the test session", Says::Interrupted, false),
    ("TearDown failed for test fixture ", Says::TearDown, false),
    ("No test is available in ", Says::Empty, false),
    ("No test matches the given testcase filter ", Says::Empty, false),
    ("Kein Test entspricht dem angegebenen Testfallfilter ", Says::Empty, false),
    ("Aucun test ne correspond au filtre de cas de test ", Says::Empty, false),
    ("没有测试匹配 ", Says::Empty, false),
    ("No test projects were found.", Says::NoProject, true),
    (
        "The following exception occurred when running the test module with RunCommand ",
        Says::ModuleFailed,
        true,
    ),
    ("Beim Ausführen des Testmoduls mit RunCommand ", Says::ModuleFailed, true),
    (
        "System.InvalidOperationException: A test session start event was received without",
        Says::LeftEarly,
        true,
    ),
    ("Unhandled exception. ", Says::Died, true),
    ("Process terminated.", Says::Died, true),
    ("Stack overflow.", Says::Died, true),
    ("Fatal error. ", Says::Died, true),
    ("Out of memory.", Says::Died, true),
    ("The following Tests are available:", Says::Listing, false),
];

/// The first bytes of those lines.
static FIRST: [bool; 256] = {
    let mut first = [false; 256];
    let mut at = 0;
    while at < LINES.len() {
        first[LINES[at].0.as_bytes()[0] as usize] = true;
        at += 1;
    }
    first
};

/// All of it so far. What counts is known at the end.
#[derive(Debug, Default)]
pub(super) struct Host {
    reasons: Vec<Problem>,
    aborted: Option<u32>,
    clock: Option<Problem>,
    host_failed: Option<Problem>,
    interrupted: Option<Problem>,
    hooks: Vec<Problem>,
    empty: Vec<Problem>,
    pub(super) empty_assemblies: usize,
    no_project: Option<Problem>,
    module_failed: Option<Problem>,
    left_early: bool,
    died: Option<Problem>,
    pub(super) lists: bool,
    startup: Startup,
}

/// So many problems of one sort are kept.
const MOST: usize = 1000;

impl Host {
    /// Takes a line that begins with no blank. Says whether it was one of these.
    pub(super) fn line(&mut self, line: Line<'_>, stream: Stream, claims: &Claims) -> bool {
        if !line.text.first().is_some_and(|byte| FIRST[*byte as usize]) {
            return false;
        }
        let said = LINES.iter().find_map(|(start, says, err)| {
            let fits = (!*err || stream != Stream::Out) && line.text.starts_with(start.as_bytes());
            fits.then(|| (*says, line.text.get(start.len()..).unwrap_or_default()))
        });
        let Some((says, rest)) = said else { return false };
        let problem = |kind, subject: Option<&[u8]>, message: &[u8]| Problem {
            kind,
            subject: subject.map(|subject| lossy(subject).into_owned()),
            error: None,
            message: Some(lossy(message.trim_ascii()).into_owned()),
            lines: Lines::one(line.number),
        };
        match says {
            Says::Reason if self.reasons.len() < MOST => self.reasons.push(problem(Kind::Crash, None, rest)),
            Says::Reason => {}
            Says::Aborted => _ = self.aborted.get_or_insert(line.number),
            Says::Clock => _ = self.clock.get_or_insert(problem(Kind::Timeout, None, line.text)),
            Says::HostFailed => _ = self.host_failed.get_or_insert(problem(Kind::Startup, None, line.text)),
            Says::Interrupted => {
                _ = self.interrupted.get_or_insert(problem(Kind::Interrupted, None, line.text))
            }
            Says::TearDown => self.hook(problem(Kind::Teardown, Some(rest), line.text)),
            Says::Empty => {
                let at = memchr::memmem::rfind(line.text, b".dll").map(|at| at + 4);
                let path = at.and_then(|at| line.text.get(..at)).unwrap_or_default();
                let from = path.iter().rposition(|byte| matches!(byte, b' ' | b'"')).map_or(0, |at| at + 1);
                let path = path.get(from..).unwrap_or_default();
                if !claims.knows(&lossy(path)) {
                    return false;
                }
                self.empty_assemblies += 1;
                let name = super::shape::file_name(path);
                if self.empty.len() < MOST {
                    self.empty.push(problem(
                        Kind::Collection,
                        Some(name).filter(|name| !name.is_empty()),
                        line.text,
                    ));
                }
            }
            Says::NoProject => _ = self.no_project.get_or_insert(problem(Kind::Collection, None, line.text)),
            Says::ModuleFailed => {
                _ = self.module_failed.get_or_insert(problem(Kind::Startup, None, line.text));
            }
            Says::LeftEarly => self.left_early = true,
            Says::Died => _ = self.died.get_or_insert(problem(Kind::Crash, None, line.text)),
            Says::Listing => self.lists = true,
        }
        true
    }

    /// Takes a line in which nobody known speaks.
    pub(super) fn other(&mut self, line: Line<'_>, grammar: &Grammar) {
        self.startup.line(line, grammar);
    }

    /// Whether the last words of a program were there.
    pub(super) fn has_died(&self) -> bool {
        self.died.is_some()
    }

    /// Leaves out the hooks of which the failures of the cases tell.
    pub(super) fn forget_hooks_of(&mut self, cases: &Cases) {
        self.hooks.retain(|hook| {
            let Some(subject) = &hook.subject else { return true };
            let said = format!("Cleanup Failure ({subject})");
            let mut failures = cases.iter().flat_map(|case| case.failures().iter());
            !failures.any(|failure| failure.message.as_deref().is_some_and(|text| text.contains(&said)))
        });
    }

    /// A hook of a class or an assembly failed. What is told once for each of its tests is one problem.
    pub(super) fn hook(&mut self, hook: Problem) {
        let is_same = |other: &&mut Problem| other.kind == hook.kind && other.message == hook.message;
        if let Some(known) = self.hooks.iter_mut().find(is_same) {
            known.lines.last = hook.lines.last.max(known.lines.last);
        } else if self.hooks.len() < MOST {
            self.hooks.push(hook);
        }
    }

    /// What broke. `ended`: each run came to its own end; `ran`: tests ran.
    pub(super) fn problems(mut self, ended: bool, ran: bool, has_begun: bool, matched: bool) -> Vec<Problem> {
        let mut problems = std::mem::take(&mut self.hooks);
        // Without the words that follow it, and with an end of its own, the run was not aborted: a test printed that.
        let aborted = self.aborted.is_some() || !ended;
        if aborted {
            let by_clock = self.clock.is_some();
            if !self.reasons.is_empty() {
                problems.append(&mut self.reasons);
            } else if let Some(failed) = self.host_failed.take() {
                problems.push(failed);
            } else if let Some(line) = self.aborted.filter(|_| !by_clock) {
                problems.push(Problem {
                    kind: Kind::Crash,
                    subject: None,
                    error: None,
                    message: Some("the test run was aborted".to_owned()),
                    lines: Lines::one(line),
                });
            }
            problems.extend(self.clock.take());
        }
        if let Some(mut failed) = self.module_failed.take() {
            if self.left_early {
                failed.kind = Kind::Crash;
                failed.message = Some("the test host left before its session had ended".to_owned());
            }
            problems.push(failed);
        }
        problems.extend(self.interrupted.take().filter(|_| !ended));
        if !ended
            && problems.is_empty()
            && has_begun
            && let Some(mut died) = self.died.take()
        {
            let of_vstest = |text: &String| text.contains("Microsoft.VisualStudio.TestPlatform");
            if !ran && !matched && died.message.as_ref().is_some_and(of_vstest) {
                died.kind = Kind::Startup;
            }
            problems.push(died);
        }
        problems.append(&mut self.empty);
        problems.extend(self.no_project.take());
        if !ended && !ran && problems.is_empty() {
            problems.extend(self.startup.take());
        }
        if !ended && !ran && problems.is_empty() {
            problems.extend(self.died.take());
        }
        problems
    }
}

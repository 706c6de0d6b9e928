//! The runners' own numbers, and whether each of them came to its end.
//!
//! What a test prints may look like an end. The runner's own is the last of its session.

use std::collections::HashMap;

use crate::Lines;
use crate::text::lossy;

/// Failed, passed and skipped; `None`: no word of the console states it.
pub(super) type Counts = [Option<u64>; 3];

/// How far the ends of one run may be from each other.
const NEAR: u32 = 12;

/// Who sums up.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Who {
    /// An assembly's line of VSTest's console, `X.dll (net10.0)`.
    Assembly(String),
    /// The block below `Total tests:`.
    Block,
    /// The platform; where a program was started by itself, its name.
    Platform(String),
    Terminal,
    /// An assembly of xunit's own console.
    Own(String),
}

#[derive(Debug, Clone)]
pub(super) struct Claim {
    pub(super) who: Who,
    pub(super) counts: Counts,
    pub(super) errored: Option<u64>,
    pub(super) line: u32,
    /// Tests passed of which there is neither a name nor a number.
    pub(super) hidden: bool,
    /// It stands where VSTest writes its own, below a blank line or another.
    apart: bool,
    /// No assembly had begun: a quiet run names none, and another may follow that does.
    quiet: bool,
    /// In which of several runs that follow each other.
    run: u32,
}

/// An assembly whose tests VSTest began to run.
#[derive(Debug, Clone)]
struct Begun {
    module: String,
    version: String,
    path: String,
}

#[derive(Debug, Default)]
pub(super) struct Claims {
    list: Vec<Claim>,
    begun: Vec<Begun>,
    /// `A total of N test files matched`.
    matched: u64,
    /// Assemblies in which there was nothing to run.
    pub(super) empty: usize,
    /// Modules of the platform that began, and that ended.
    pub(super) modules: [u64; 2],
    run: u32,
    /// A run of the platform or the terminal logger was summed up, and another may begin.
    summed_up: bool,
    /// Where the runners spoke, and whether the last of these places has its end.
    spans: Vec<Lines>,
    span_ended: bool,
}

/// What the claims come to.
#[derive(Debug)]
pub(super) struct Settled {
    pub(super) list: Vec<Claim>,
    pub(super) complete: bool,
    /// Tests passed of which there is neither a name nor a number.
    pub(super) hidden: bool,
}

impl Claims {
    /// A runner says something of a run.
    pub(super) fn speaks(&mut self, number: u32) {
        match self.spans.last_mut().filter(|_| !self.span_ended) {
            Some(span) => span.last = span.last.max(number),
            None => self.spans.push(Lines::one(number)),
        }
        self.span_ended = false;
    }

    fn ends(&mut self, number: u32) {
        // The ends of one run stand below each other.
        if self.span_ended
            && let Some(span) = self.spans.last_mut()
            && number.saturating_sub(span.last) < NEAR
        {
            span.last = span.last.max(number);
            return;
        }
        self.speaks(number);
        self.span_ended = true;
    }

    /// Where they spoke: from where one began to the last end before another began.
    pub(super) fn spans(&mut self) -> Vec<Lines> {
        std::mem::take(&mut self.spans)
    }

    /// `Test run for …`. The framework's version is that of the target.
    pub(super) fn vstest_begins(&mut self, module: &[u8], line: &[u8]) {
        let version = memchr::memmem::rfind(line, b"Version=v").and_then(|at| line.get(at + 9..));
        let version = version.and_then(|rest| rest.split(|byte| *byte == b')').next()).unwrap_or_default();
        let path = memchr::memmem::find(line, b" (.NET").and_then(|at| line.get(..at)).unwrap_or_default();
        let path = path.strip_suffix(b"\"").unwrap_or(path);
        self.begun.push(Begun {
            module: lossy(module).into_owned(),
            version: lossy(version).into_owned(),
            path: lossy(path).into_owned(),
        });
    }

    pub(super) fn files_matched(&mut self, count: u64) {
        self.matched = self.matched.saturating_add(count);
    }

    pub(super) fn module_begins(&mut self) {
        if std::mem::take(&mut self.summed_up) {
            self.run += 1;
            self.modules = [0; 2];
        }
        self.modules[0] += 1;
    }

    pub(super) fn module_ends(&mut self) {
        self.modules[1] += 1;
    }

    /// Whether VSTest or the platform said that it runs tests.
    pub(super) fn has_begun(&self) -> bool {
        !self.begun.is_empty() || self.matched > 0 || self.modules[0] > 0
    }

    /// The assemblies that VSTest ran, which were built, without their ending.
    pub(super) fn built(&self) -> Vec<String> {
        let stem = |begun: &Begun| begun.module.rsplit_once('.').map_or("", |(stem, _)| stem).to_owned();
        self.begun.iter().map(stem).collect()
    }

    /// Whether VSTest can have spoken of this assembly: it said that it runs it, or it names none.
    pub(super) fn knows(&self, path: &str) -> bool {
        self.begun.is_empty() || self.begun.iter().any(|begun| begun.path.ends_with(path))
    }

    /// The paths of the assemblies that ran, whose first words may be the console's.
    pub(super) fn paths(&self) -> Vec<String> {
        self.begun.iter().map(|begun| begun.path.clone()).collect()
    }

    /// Whether VSTest counted the assemblies that it was given.
    pub(super) fn has_matched(&self) -> bool {
        self.matched > 0
    }

    /// How many assemblies VSTest runs at the same time, at most.
    pub(super) fn vstest_runs(&self) -> usize {
        self.begun.len().max(1)
    }

    /// The terminal logger's last line: another run may follow.
    pub(super) fn build_ends(&mut self) {
        if std::mem::take(&mut self.summed_up) {
            self.run += 1;
        }
    }

    pub(super) fn add(&mut self, who: Who, counts: Counts, errored: Option<u64>, line: u32) {
        self.ends(line);
        self.summed_up |= matches!(who, Who::Platform(_) | Who::Terminal);
        let (quiet, run) = (self.begun.is_empty(), self.run);
        self.list.push(Claim { who, counts, errored, line, hidden: false, apart: true, quiet, run });
    }

    /// Adds what an assembly's last line says.
    pub(super) fn assembly(&mut self, module: String, counts: Counts, line: u32, apart: bool) {
        self.ends(line);
        self.add(Who::Assembly(module), counts, None, line);
        if let Some(last) = self.list.last_mut() {
            last.apart = apart;
        }
    }

    /// The last claim leaves out how many passed, and some did.
    pub(super) fn hides(&mut self) {
        if let Some(last) = self.list.last_mut() {
            last.hidden = true;
        }
    }

    /// The claims that count, and whether nothing that began lacks one.
    pub(super) fn settle(self) -> Settled {
        let mut kept: Vec<Claim> = Vec::new();
        // VSTest sums up in one way or the other, by its verbosity.
        // Where no other assembly runs beside it nothing comes between the blank line and the last one.
        let list: Vec<&Claim> =
            self.list.iter().filter(|claim| claim.apart || self.begun.len() > 1).collect();
        let vstest = list.iter().rev().find(|claim| matches!(claim.who, Who::Assembly(_) | Who::Block));
        let in_lines = vstest.is_some_and(|claim| matches!(claim.who, Who::Assembly(_)));
        let of_vstest = vstest.is_some();
        let by_platform =
            self.modules[0] > 0 || self.list.iter().any(|claim| matches!(claim.who, Who::Platform(_)));
        let by_vstest = !self.begun.is_empty() || self.matched > 0;
        let mut times: HashMap<&str, usize> = HashMap::new();
        let mut same: HashMap<(&Who, u32), usize> = HashMap::new();
        for claim in list.into_iter().rev() {
            let same = same.entry((&claim.who, claim.run)).or_default();
            let room = match &claim.who {
                Who::Assembly(module) if in_lines => {
                    let times = times.entry(module).or_insert_with(|| self.times(module));
                    (*times).max(usize::from(claim.quiet))
                }
                Who::Block if !in_lines => self.begun.len().max(1),
                Who::Assembly(_) | Who::Block => 0,
                Who::Platform(_) if by_vstest && of_vstest => 0,
                Who::Terminal if by_vstest || by_platform => 0,
                Who::Platform(_) | Who::Terminal | Who::Own(_) => 1,
            };
            if *same < room
                && !(by_platform
                    && self.modules[0] > 0
                    && matches!(claim.who, Who::Assembly(_) | Who::Block)
                    && !by_vstest)
            {
                *same += 1;
                kept.push(claim.clone());
            }
        }
        kept.reverse();
        let ends = |of: fn(&Who) -> bool| kept.iter().filter(|claim| of(&claim.who)).count();
        let in_vstest = ends(|who| matches!(who, Who::Assembly(_) | Who::Block)) + self.empty;
        let of_platform =
            kept.iter().any(|claim| matches!(claim.who, Who::Platform(_)) && claim.run == self.run);
        let expected =
            if self.begun.is_empty() && !in_lines { usize::from(self.matched > 0) } else { self.begun.len() };
        let vstest_ended = in_vstest >= expected;
        let platform_ended = self.modules[0] == 0 || of_platform;
        let any = !kept.is_empty() || self.empty > 0;
        let hidden = kept.iter().any(|claim| claim.hidden);
        Settled { complete: any && vstest_ended && platform_ended, list: kept, hidden }
    }

    /// How often an assembly of this name and framework began.
    fn times(&self, module: &str) -> usize {
        let fits = |begun: &&Begun| {
            module.strip_prefix(begun.module.as_str()).is_some_and(|target| {
                target.trim_end_matches(')').ends_with(begun.version.as_str())
                    || begun.version.replace('.', "")
                        == target.trim_start_matches(" (net").trim_end_matches(')')
            })
        };
        self.begun.iter().filter(fits).count()
    }
}

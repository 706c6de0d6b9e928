//! The codes of problems and notes, one table a family. A code has one page, `docs/codes/<code>.md`.

use std::fmt;

use serde::{Serialize, Serializer};

/// What a code is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// How the run ended.
    Run,
    /// What the report says of itself.
    Report,
    /// What broke, by its kind.
    Kind,
    /// Why a red is none.
    Red,
    /// Why a green is none.
    Green,
    /// What the witness says.
    Witness,
    /// What moved: files, git, plan.
    Guard,
    /// Why nothing can be delivered.
    Deliver,
    /// What is wrong with the state folder or the task.
    State,
    /// Why a request can't be meant.
    Usage,
    /// What is said without rejecting.
    Note,
}

macro_rules! codes {
    ($($family:ident { $($variant:ident = $word:literal,)* })*) => {
        /// Why something was rejected, or what is worth knowing. Never reused.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "each code has a page of its own, `docs/codes/<code>.md`")]
        pub enum Code { $($($variant,)*)* }

        impl Code {
            /// Every code, family by family.
            pub const ALL: &'static [Self] = &[$($(Self::$variant,)*)*];

            /// The code as it stands in JSON.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self { $($(Self::$variant => $word,)*)* }
            }

            /// What it is about.
            #[must_use]
            pub const fn family(self) -> Family {
                match self { $($(Self::$variant => Family::$family,)*)* }
            }

            /// Its page, as Markdown. A code without a page doesn't compile.
            #[must_use]
            pub const fn page(self) -> &'static str {
                match self {
                    $($(Self::$variant => include_str!(concat!("../../docs/codes/", $word, ".md")),)*)*
                }
            }

            /// The code of this word.
            #[must_use]
            pub fn find(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|code| code.word() == word)
            }
        }
    };
}

codes! {
    Run {
        ExitUnknown = "exit-unknown",
        ExitZero = "exit-zero",
        ExitNonzero = "exit-nonzero",
        EndedBySignal = "ended-by-signal",
        TimedOut = "timed-out",
        Inactive = "inactive",
        Cancelled = "cancelled",
        OutputLimit = "output-limit",
    }
    Report {
        ReportEmpty = "report-empty",
        ReportMissing = "report-missing",
        ReportTruncated = "report-truncated",
        TotalsMismatch = "totals-mismatch",
        AmbiguousSummary = "ambiguous-summary",
        SecondSession = "second-session",
        ForeignSession = "foreign-session",
        PlanMismatch = "plan-mismatch",
        ContradictoryResult = "contradictory-result",
        NoReasonGiven = "no-reason-given",
        Interrupted = "interrupted",
    }
    Kind {
        SetupFailure = "setup-failure",
        TeardownFailure = "teardown-failure",
        ImportFailure = "import-failure",
        SyntaxFailure = "syntax-failure",
        CompileFailure = "compile-failure",
        CollectionFailure = "collection-failure",
        StartupFailure = "startup-failure",
        TimeoutFailure = "timeout-failure",
        CrashFailure = "crash-failure",
        CaseErrored = "case-errored",
        OtherFailure = "other-failure",
    }
    Red {
        NoAssertionFailure = "no-assertion-failure",
        IdentityMissing = "identity-missing",
        IdentityPassed = "identity-passed",
        IdentitySkipped = "identity-skipped",
        IdentityRaised = "identity-raised",
        IdentityFlaky = "identity-flaky",
        IdentityUnexplained = "identity-unexplained",
        FailurePatternMissed = "failure-pattern-missed",
        NothingFrozen = "nothing-frozen",
    }
    Green {
        RedMissing = "red-missing",
        NoTestPassed = "no-test-passed",
        CaseFailed = "case-failed",
        SkippedUnapproved = "skipped-unapproved",
        NewlySkipped = "newly-skipped",
        IdentityNotNamed = "identity-not-named",
        IdentityNotPassed = "identity-not-passed",
        RedCaseVanished = "red-case-vanished",
        SuccessPatternMissed = "success-pattern-missed",
        FailurePatternMatched = "failure-pattern-matched",
    }
    Witness {
        WitnessMissing = "witness-missing",
        WitnessTruncated = "witness-truncated",
        WitnessDisagrees = "witness-disagrees",
    }
    Guard {
        HeadMoved = "head-moved",
        BranchMoved = "branch-moved",
        IndexMoved = "index-moved",
        OutsideScope = "outside-scope",
        ReadOnlyEdited = "read-only-edited",
        PreexistingTouched = "preexisting-touched",
        FrozenEdited = "frozen-edited",
        FrozenAdded = "frozen-added",
        FrozenDeleted = "frozen-deleted",
        FrozenMode = "frozen-mode",
        FrozenLink = "frozen-link",
        FrozenCase = "frozen-case",
        FrozenRefused = "frozen-refused",
        InfluenceAdded = "influence-added",
        InfluenceChanged = "influence-changed",
        InfluenceDeleted = "influence-deleted",
        InfluenceIsLocal = "influence-is-local",
        PlanChanged = "plan-changed",
        CheckChangedFiles = "check-changed-files",
        TreeMoved = "tree-moved",
        TouchedDuringRun = "touched-during-run",
        LinkLeavesRepository = "link-leaves-repository",
        IndexFlagSet = "index-flag-set",
        SparseChanged = "sparse-changed",
        WorktreeMoved = "worktree-moved",
        NestedRepositoryChanged = "nested-repository-changed",
    }
    Deliver {
        GreenMissing = "green-missing",
        GreenRejected = "green-rejected",
        EmptyDiff = "empty-diff",
        StaleRerunFailed = "stale-rerun-failed",
    }
    State {
        NoTask = "no-task",
        TaskInFlight = "task-in-flight",
        StoreLocked = "store-locked",
        StoreUnwritable = "store-unwritable",
        RecordCorrupt = "record-corrupt",
        RecordNewer = "record-newer",
        ChainBroken = "chain-broken",
        GitUnreadable = "git-unreadable",
        Unreadable = "unreadable",
        NothingRecognised = "nothing-recognised",
        FormatsFitAlike = "formats-fit-alike",
    }
    Usage {
        BadOption = "bad-option",
        NoPlan = "no-plan",
        PlanInvalid = "plan-invalid",
        PlanExists = "plan-exists",
        NothingFound = "nothing-found",
        UnknownId = "unknown-id",
        NoRedCheck = "no-red-check",
        ReasonMissing = "reason-missing",
        ApprovalMissing = "approval-missing",
        NoSuchRecord = "no-such-record",
        NoSuchName = "no-such-name",
    }
    Note {
        Flaky = "flaky",
        StoppedEarly = "stopped-early",
        IdentityAlsoPasses = "identity-also-passes",
        IdentityByShortName = "identity-by-short-name",
        ConsoleUnread = "console-unread",
        WitnessNotAsked = "witness-not-asked",
        AssertionOutsideTests = "assertion-outside-tests",
        InfluenceShared = "influence-shared",
        OrphanEnded = "orphan-ended",
        StreamUnexpected = "stream-unexpected",
        HiddenByNewRule = "hidden-by-new-rule",
        LeftOut = "left-out",
        NoAssertions = "no-assertions",
        NoEnd = "no-end",
        HeadMissing = "head-missing",
        TodoPassed = "todo-passed",
        NamesHidden = "names-hidden",
        ExitUnexplained = "exit-unexplained",
        NamelessCase = "nameless-case",
        RepeatedName = "repeated-name",
        InputRepaired = "input-repaired",
        PatternBoth = "pattern-both",
        PatternNone = "pattern-none",
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.word())
    }
}

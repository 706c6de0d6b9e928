//! What to do next, code by code: what a human rejection ends with.

use super::Code;

/// One or two sentences: what to do about a problem of this code, or what a note of it means.
#[must_use]
pub const fn help(code: Code) -> &'static str {
    match code {
        Code::ExitUnknown => "Say how the run ended: `--exit-code N` or `--signal NAME`.",
        Code::ExitZero => {
            "A red run fails. Does the command run the new test, and does a wrapper or script swallow the exit code?"
        }
        Code::ExitNonzero => {
            "Look at what the output says failed; if nothing did, something beside the tests (a coverage threshold, a \
             wrapper) ends the command, and the check should run the tests alone."
        }
        Code::EndedBySignal => {
            "The process died. Run the command by hand and look for a crash or a lack of memory."
        }
        Code::TimedOut => "Find what waits, or raise the check's `timeout`.",
        Code::Inactive => "Find what waits, or raise the check's `inactivity_timeout`.",
        Code::Cancelled => "Nothing was decided. Run it again.",
        Code::OutputLimit => "Make the run print less, or raise the check's `output_limit`.",

        Code::ReportEmpty => {
            "Check that the command runs the tests and that `parser` names their runner; `verify parse FILE` says what \
             is recognised."
        }
        Code::ReportMissing => {
            "Make the command write the file that `report` names, on each run; a file from an earlier run doesn't count."
        }
        Code::ReportTruncated => {
            "The runner's own end is missing: leave out the flag that hides it, or find what broke the run off."
        }
        Code::TotalsMismatch => {
            "The runner's numbers and its tests differ, so something was printed that isn't the runner's, or results \
             were lost. Run the tests without what prints in between."
        }
        Code::AmbiguousSummary => "Something prints what looks like the runner's summary. Silence it.",
        Code::SecondSession => {
            "If the command means to run the tests several times, say `sessions = \"many\"`."
        }
        Code::ForeignSession => {
            "Name every runner of the command in `parser`, or run it in a check of its own."
        }
        Code::PlanMismatch => {
            "The runner announced another number of tests than it ran: find what ended it early."
        }
        Code::ContradictoryResult => {
            "One name both passed and failed. Give the tests different names, or find what makes it waver."
        }
        Code::NoReasonGiven => {
            "Let the runner say why a test failed. Under TAP a bare `not ok` needs diagnostics with `expected:` or \
             `operator:`; under pytest leave out `--tb=no`."
        }
        Code::Interrupted => "The run was broken off. Run it again to its end.",

        Code::SetupFailure => {
            "A fixture or hook failed, so the test never ran. Mend it; an assertion in a fixture is no failing test."
        }
        Code::TeardownFailure => "A fixture or hook failed after the test. Mend it.",
        Code::ImportFailure => {
            "If the module isn't there yet, add a stub that imports and returns a wrong value. If an unrelated module \
             can't be imported, narrow the command to the file of the expected tests, or mend it first."
        }
        Code::SyntaxFailure => "Mend the syntax. A file that can't be read tests nothing.",
        Code::CompileFailure => {
            "If the function isn't there yet, add a stub that compiles and returns a wrong value."
        }
        Code::CollectionFailure => {
            "The runner couldn't gather its tests, or gathered none. Check the command's paths and filters."
        }
        Code::StartupFailure => {
            "The runner didn't start. Check that it is installed where the check runs, its options and configuration."
        }
        Code::TimeoutFailure => {
            "A test was cut off by a clock. Make it end, or raise the runner's own limit."
        }
        Code::CrashFailure => "The process or a worker died. A crash says nothing of what the tests expect.",
        Code::CaseErrored => {
            "The runner calls it an error: something broke before an assertion could say no. A stub that returns a \
             wrong value makes it a failure."
        }
        Code::OtherFailure => {
            "Something failed that is no assertion of a test. Mend it, or narrow the command to the expected tests."
        }

        Code::NoAssertionFailure => {
            "Red needs a test that runs and whose assertion says no. Where the code isn't there yet, add a stub that \
             returns a wrong value; raising is no assertion."
        }
        Code::IdentityMissing => {
            "Check the spelling in `identities` against the names that the runner prints, and that the command runs \
             that test."
        }
        Code::IdentityPassed => {
            "The test passes already, so it can't show that the change is needed. Test what isn't there yet."
        }
        Code::IdentitySkipped => {
            "Take the skip or the expected failure away: a test that isn't run shows nothing."
        }
        Code::IdentityRaised => {
            "The test broke before its assertion could say no. Add a stub that imports and returns a wrong value."
        }
        Code::IdentityFlaky => "Make the test give one answer before it is used as proof.",
        Code::IdentityUnexplained => {
            "Let the runner print why the test failed: a TAP `not ok` needs `expected:` or `operator:`."
        }
        Code::FailurePatternMissed => "Check `failure_pattern` against the lines of the output.",
        Code::NothingFrozen => {
            "No file matches `test_paths`, so nothing holds the tests still. Correct the patterns in `[freeze]`."
        }

        Code::RedMissing => "Run `verify red` first: green is proved on tests that were seen to fail.",
        Code::NoTestPassed => "Check the command's paths and filters: it has to run at least one test.",
        Code::CaseFailed => "Mend what the test shows.",
        Code::SkippedUnapproved => {
            "Run the test, or say in `approved_skip_reason` why it may be skipped and rebind."
        }
        Code::NewlySkipped => "This test ran in red. Let it run again; no reason excuses it.",
        Code::IdentityNotNamed => {
            "Let the runner name the tests that pass, with the flag named or by a structured report."
        }
        Code::IdentityNotPassed => "Mend it: an expected test has to pass, and no reason excuses a skip.",
        Code::RedCaseVanished => {
            "A test that failed in red has to be seen to pass. Put it back under its name; if it was wrong, rebind."
        }
        Code::SuccessPatternMissed => "Check `success_pattern` against the lines of the output.",
        Code::FailurePatternMatched => {
            "Mend what the line says, or make `failure_pattern` tighter and rebind."
        }

        Code::WitnessMissing => {
            "The runner was asked for a structured report and wrote none, so it didn't run to its end."
        }
        Code::WitnessTruncated => "The structured report breaks off: the runner didn't run to its end.",
        Code::WitnessDisagrees => {
            "The console and the runner's structured report say different things. Find what prints in the runner's name."
        }

        Code::HeadMoved | Code::BranchMoved | Code::IndexMoved => {
            "Put it back, or say `head = \"may-advance\"` under `[guard]` where the task may commit."
        }
        Code::OutsideScope => {
            "Put the file back, or let the stage write it: its `writes` in the plan, and a rebind."
        }
        Code::ReadOnlyEdited => "Put the file back, or make the repository `access = \"write\"` and rebind.",
        Code::PreexistingTouched => {
            "Put the file back. To work on it, commit it before `verify begin` or adopt it with `--adopt PATH`."
        }
        Code::FrozenEdited
        | Code::FrozenAdded
        | Code::FrozenDeleted
        | Code::FrozenMode
        | Code::FrozenLink
        | Code::FrozenCase => {
            "Put the tests back as red saw them. If a test was wrong or is new, take them anew with `verify red \
             --rebind --reason TEXT`."
        }
        Code::FrozenRefused => {
            "Below `test_paths` there may be files, folders and links inside the repository. Move the rest elsewhere."
        }
        Code::InfluenceAdded | Code::InfluenceChanged | Code::InfluenceDeleted => {
            "Put it back as red saw it. If it has to change, allow it in the plan or leave the plan as it is, and rebind: \
             unchanged checks keep their red."
        }
        Code::InfluenceIsLocal => {
            "Ask for the runner by a version. Where the project builds its own runner, allow the file under `[freeze]`."
        }
        Code::PlanChanged => {
            "Put the plan back, or take the new one with `verify red --rebind --reason TEXT`; unchanged checks keep \
             their red."
        }
        Code::CheckChangedFiles => {
            "A check that changes files has no evidence bound to them. Keep its products out of the tree, or name them \
             in `may_write` or `[guard] ignore`."
        }
        Code::TreeMoved | Code::TouchedDuringRun => {
            "Something else writes here. Run again when it is still: an editor, a formatter, a watcher, another worker."
        }
        Code::LinkLeavesRepository => "Take the link away, or let it lead to a file inside the repository.",
        Code::IndexFlagSet => {
            "Undo it with `git update-index --no-assume-unchanged --no-skip-worktree PATH`."
        }
        Code::SparseChanged => {
            "Undo it with `git sparse-checkout set` or `disable`, or begin anew with `verify begin --fresh`."
        }
        Code::WorktreeMoved => "Undo it with `git config --unset core.worktree`.",
        Code::NestedRepositoryChanged => {
            "Put it back as it was, or make it before `verify begin`; a test that needs a repository can make one in a \
             temporary folder."
        }

        Code::GreenMissing => "Run `verify green`.",
        Code::GreenRejected => "Mend what the latest green says and run `verify green` again.",
        Code::EmptyDiff => {
            "Nothing was changed. If that is right, say `--allow-empty` or `allow_empty = true`."
        }
        Code::StaleRerunFailed => {
            "Files moved after the green, and the check fails on them. Mend it, then `verify green`."
        }

        Code::NoTask => "Begin one with `verify begin`.",
        Code::TaskInFlight => {
            "Go on with `verify begin --resume`, or start over with `verify begin --fresh`."
        }
        Code::StoreLocked => "Another `verify` is at work here. Wait for it, with `--wait 30s` for example.",
        Code::StoreUnwritable => "Make the state folder writable, or name another with `--state-dir DIR`.",
        Code::RecordCorrupt => {
            "A file of the state folder isn't what was written. Put it back from a copy, or move the state folder away and begin anew."
        }
        Code::RecordNewer => "A newer `verify` wrote this. Use that version.",
        Code::ChainBroken => {
            "Records were removed, added or exchanged; `verify log --check` says which. Put them back from a copy, or \
             move the state folder away and begin anew."
        }
        Code::Unreadable => "Look at the path and its permissions.",
        Code::NothingRecognised => "Name the format with `--as`, if you know the runner.",
        Code::FormatsFitAlike => "Say with `--as` which format is meant.",

        Code::BadOption => "`verify COMMAND --help` lists what a command takes.",
        Code::NoPlan => "`verify init` writes a plan.",
        Code::PlanInvalid => "Mend what is listed; each fault has its place.",
        Code::PlanExists => "Edit the plan that is there, with `verify init --dry-run` beside it.",
        Code::NothingFound => {
            "Run it in the project's root. A command of your own can be read by the parser `generic`."
        }
        Code::UnknownId => "Use an id of the plan, or leave it out to mean all.",
        Code::NoRedCheck => "Go on with `verify green`, or give a check `identities` to have a red.",
        Code::ReasonMissing => "Say why with `--reason TEXT`.",
        Code::ApprovalMissing => "Ask whoever holds the approval to run the rebind.",
        Code::NoSuchRecord => "`verify log` lists the records.",
        Code::NoSuchName => "Use a name of the list.",

        Code::GitUnreadable => "Git can't be read here. Mend what the message names.",

        Code::Flaky => {
            "The runner tried it again and the last try counts. `flaky = \"reject\"` makes it a problem."
        }
        Code::StoppedEarly => {
            "The run stopped at a failure because it was asked to; later tests were not run."
        }
        Code::IdentityAlsoPasses => {
            "The identity names more than one case. Qualify it if only the failed one is meant."
        }
        Code::IdentityByShortName => {
            "Only the test's own name was compared, since the output leaves out its class."
        }
        Code::ConsoleUnread => "The console says nothing; the structured report speaks for the run.",
        Code::WitnessNotAsked => {
            "The runner couldn't be asked for a structured report, so the console speaks alone."
        }
        Code::AssertionOutsideTests => {
            "Whoever can edit that file can change what the test asserts. If it is a helper of the tests, add it to \
             `test_paths`."
        }
        Code::InfluenceShared => "It steers the product as well, so it may change; look at what it changes.",
        Code::OrphanEnded => "The run left a process behind, which was ended.",
        Code::StreamUnexpected => {
            "The report stood on the stream on which this runner doesn't report, so nothing tells it from a test's \
             own print. Don't redirect the streams, or let the runner write a structured report."
        }
        Code::HiddenByNewRule => "A new ignore rule hides nothing from this task; the file counts.",
        Code::LeftOut => "Something was passed over or shortened; the message says what.",
        Code::NoAssertions => {
            "The runner counts the assertions of a test, and counted none here. Let the test assert something; if it does so \
             by another library than the runner's own, nothing needs to be done."
        }
        Code::NoEnd => "This mode prints no end. Leave out the flag that the message names.",
        Code::HeadMissing => "The start of the output is missing. Keep all of it.",
        Code::TodoPassed => "A test marked as not done yet passes. Take the mark away.",
        Code::NamesHidden => "This mode doesn't name the tests that pass.",
        Code::ExitUnexplained => {
            "Something beside the tests makes the command fail, such as a coverage threshold. Let the check run the \
             tests alone."
        }
        Code::NamelessCase => "A result has no name, so nothing can be said of it by name.",
        Code::RepeatedName => "Two tests have one name. Give them different ones.",
        Code::InputRepaired => "Part of the output couldn't be read and was replaced.",
        Code::PatternBoth => "Both patterns match; make them tighter.",
        Code::PatternNone => "No pattern matches a line of the output.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_help_in_sentences() {
        for code in Code::ALL {
            let help = help(*code);
            assert!(help.ends_with(['.', '?']), "{code}: {help}");
            assert!(help.len() < 300 && !help.contains("  "), "{code}: {help}");
        }
    }
}

//! One claim: the conditions in order, and what they make of it.

use super::asked::Findings;
use super::{Case, ConditionId, Judged, Reason, Source, Status, gates, owned};
use crate::judge::Code;
use crate::observe::facts::claims::{
    Artifact, Brief, Claim, Command, CommitSeen, CommitState, Dialect, Rerun, Seen,
};

/// Who is quicker than this after the brief hasn't done the work.
const TOO_FAST: i64 = 5_000;

/// What is true of a claim. Parents still have to be compared with their parts: [`super::ladder`].
#[must_use]
pub fn judge(case: Case<'_>) -> Judged {
    let mut found = Findings::default();
    verify_command(case, &mut found);
    gates::gates(case, &mut found);
    regressions(case.claim, &mut found);
    owned::ownership(case, &mut found);
    ship(case, &mut found);
    gates::independent_grader(case.claim, &mut found);
    artifacts(case.seen, &mut found);
    real_flow(case, &mut found);
    owned::commit(case, &mut found);
    too_fast(case, &mut found);
    work_left(case.claim, &mut found);
    conclude(case, found)
}

/// A claim that can't be read.
#[must_use]
pub fn unparseable(why: &str) -> Judged {
    let mut judged = Judged {
        status: Status::DoneClean,
        conditions: Vec::new(),
        reasons: Vec::new(),
        pending_actions: Vec::new(),
        broken_rung: None,
    };
    judged.reject(Reason::lie(Code::Unparseable, format!("the claim can't be read: {why}")));
    judged
}

/// What the findings make of what was claimed. Only what lowers a claim rejects it: who says that work is left need not
/// show what only finished work has.
fn conclude(case: Case<'_>, found: Findings) -> Judged {
    let claim = case.claim;
    let mut violations: Vec<Reason> =
        claim.violations.iter().map(|why| Reason::lie(Code::SchemaViolation, why.clone())).collect();
    let claimed = claim.status.as_deref().and_then(Status::find);
    if claimed.is_none() && violations.is_empty() {
        let word = claim.status.as_deref().unwrap_or_default();
        let why = format!("`status` is `{word}`; it is done_clean, pending, failed or blocked");
        violations.push(Reason::lie(Code::SchemaViolation, why));
    }
    // A claim without a known status is judged as one of done: every reason is said.
    let claimed = claimed.unwrap_or(Status::DoneClean);
    let counts = |reason: &Reason| match claimed {
        Status::DoneClean => true,
        Status::Pending => reason.at_best > Status::Pending && reason.code != Code::TooFast,
        Status::Blocked | Status::Failed => false,
    };
    // Words alone are done with nothing. A documented claim brings its proof along; others need somebody who asks.
    let unasked = case.brief.is_none() && case.dialect != Dialect::Documented;
    let open = found.open || unasked;
    let mut judged = Judged {
        status: if claimed == Status::DoneClean && open { Status::Pending } else { claimed },
        conditions: found.conditions,
        reasons: Vec::new(),
        pending_actions: claim.pending_actions.clone(),
        broken_rung: None,
    };
    for reason in violations.into_iter().chain(found.reasons.into_iter().filter(counts)) {
        judged.reject(reason);
    }
    judged
}

/// 1: the verify command exited with 0 and its output was captured; run again, it passes.
fn verify_command(case: Case<'_>, found: &mut Findings) {
    const ID: ConditionId = ConditionId::VerifyCommand;
    let asked = case.brief.and_then(|brief| brief.verify_command.as_ref());
    let said = Said::of(case.claim, asked);
    let differs = match (asked, &said.command) {
        (Some(asked), Some(said)) if !asked.is_same(said) => Some(format!(
            "the brief's verify command is `{}`, and the claim ran `{}`",
            asked.text(),
            said.text()
        )),
        _ => None,
    };
    if let Some(why) = &differs {
        found.lie(Code::VerifyCommandDiffers, why.clone());
    }
    if let Some(code @ (..=-1 | 1..)) = said.exit_code {
        let why = format!("the claim's own verify command exited with {code}");
        found.lie(Code::VerifyFailed, why);
    }
    if let Rerun::Failed(how) = &case.seen.rerun {
        found.lie(Code::RerunFailed, format!("the verify command was run again: {how}"));
    }
    let missing = said.missing();
    // Without evidence, a dialect that has none is only not known.
    let must_show = case.dialect == Dialect::Documented || said.command.is_some();
    if must_show && !missing.is_empty() {
        found.absence(Code::StdoutMissing, format!("the claim has no {}", missing.join(", no ")));
    }
    match (&case.seen.rerun, differs) {
        (Rerun::Failed(how), _) => found.fail(ID, Source::Observed, format!("run again: {how}")),
        (_, Some(why)) => found.fail(ID, Source::Brief, why),
        (_, None) if said.exit_code.is_some_and(|code| code != 0) => {
            found.fail(ID, Source::Claim, "it exited with another code than 0");
        }
        (Rerun::Passed, None) if missing.is_empty() || !must_show => {
            found.pass(ID, Source::Observed, "run again, it exited with 0");
        }
        (Rerun::NotRun, None) if missing.is_empty() => {
            found.pass(ID, Source::Claim, "it exited with 0, and its output was captured");
        }
        _ => {
            let asked = asked.is_some() || case.dialect == Dialect::Documented;
            found.unknown(ID, Source::Claim, format!("there is no {}", missing.join(", no ")), asked);
        }
    }
}

/// What a claim says of its verify command, in either dialect.
struct Said<'a> {
    command: Option<&'a Command>,
    exit_code: Option<i64>,
    stdout: bool,
    stderr: bool,
}

impl<'a> Said<'a> {
    fn of(claim: &'a Claim, asked: Option<&Command>) -> Self {
        if claim.command.is_none() && claim.exit_code.is_none() {
            // Workers name the commands that they ran among their artifacts.
            let ran = claim.artifacts.iter().find_map(|artifact| match artifact {
                Artifact::Command { command, exit_code, captured, .. }
                    if asked.is_some_and(|asked| asked.is_same(command)) =>
                {
                    Some(Self {
                        command: Some(command),
                        exit_code: *exit_code,
                        stdout: *captured,
                        stderr: *captured,
                    })
                }
                _ => None,
            });
            if let Some(ran) = ran {
                return ran;
            }
        }
        Self {
            command: claim.command.as_ref(),
            exit_code: claim.exit_code,
            stdout: claim.stdout,
            stderr: claim.stderr,
        }
    }

    fn missing(&self) -> Vec<&'static str> {
        let parts = [
            (self.command.is_some(), "verify command"),
            (self.exit_code.is_some(), "exit code"),
            (self.stdout, "captured stdout"),
            (self.stderr, "captured stderr"),
        ];
        parts.into_iter().filter(|(there, _)| !there).map(|(_, part)| part).collect()
    }
}

/// 3: the list of regressions is empty.
fn regressions(claim: &Claim, found: &mut Findings) {
    const ID: ConditionId = ConditionId::Regressions;
    match claim.regressions {
        Some(0) => found.pass(ID, Source::Claim, "the claim names none"),
        Some(number) => {
            let why = format!("the claim names {number} of them");
            found.lie(Code::Regressions, format!("regressions: {why}"));
            found.fail(ID, Source::Claim, why);
        }
        None => found.unknown(ID, Source::Claim, "the claim doesn't say", false),
    }
}

/// 5: where the brief ships, the result is ok or skipped, and ok needs a deploy poll that reached READY.
fn ship(case: Case<'_>, found: &mut Findings) {
    const ID: ConditionId = ConditionId::Ship;
    match case.brief {
        None => return found.unknown(ID, Source::Brief, "no brief says whether it ships", false),
        Some(brief) if !brief.ship => return found.pass(ID, Source::Brief, "the brief doesn't ship"),
        Some(_) => {}
    }
    let Some(ship) = &case.claim.ship else {
        found.absence(Code::ShipNotReady, "the brief ships, and the claim has no `ship`");
        return found.unknown(ID, Source::Claim, "the claim says nothing of it", true);
    };
    let result = ship.result.as_deref().unwrap_or_default();
    let deploy = ship.deploy.as_deref();
    if result.eq_ignore_ascii_case("skipped") {
        found.pass(ID, Source::Claim, "the claim says that it was skipped");
    } else if !result.eq_ignore_ascii_case("ok") {
        let why = format!("the result is `{result}`, neither ok nor skipped");
        if result.is_empty() {
            found.absence(Code::ShipNotReady, "`ship` has no result");
        } else {
            found.lie(Code::ShipNotReady, format!("ship: {why}"));
        }
        found.fail(ID, Source::Claim, why);
    } else if deploy.is_some_and(|state| state.eq_ignore_ascii_case("ready")) {
        found.pass(ID, Source::Claim, "the deploy poll reached READY");
    } else {
        let why = match deploy {
            Some(state) => format!("the deploy poll ended at `{state}`, not at READY"),
            None => "the result is ok without a deploy poll".to_owned(),
        };
        found.absence(Code::ShipNotReady, format!("ship: {why}"));
        found.unknown(ID, Source::Claim, why, true);
    }
}

/// What the claim names as its proof is there.
fn artifacts(seen: &Seen, found: &mut Findings) {
    for artifact in &seen.artifacts {
        if let Some(why) = &artifact.wrong {
            found.lie(Code::ArtifactFailed, format!("the claim names {}, and {why}", artifact.what));
        }
    }
}

/// 7: the grader ran the real thing.
fn real_flow(case: Case<'_>, found: &mut Findings) {
    const ID: ConditionId = ConditionId::RealFlow;
    let failed: Vec<String> = case.claim.artifacts.iter().filter_map(failed_command).collect();
    for why in &failed {
        found.lie(Code::ArtifactFailed, why.clone());
    }
    match &case.seen.rerun {
        Rerun::Passed => {
            return found.pass(ID, Source::Observed, "the verify command was run again and passed");
        }
        Rerun::Failed(_) => {
            return found.fail(ID, Source::Observed, "the verify command was run again and failed");
        }
        Rerun::NotRun => {}
    }
    let wrong = case.seen.artifacts.iter().any(|artifact| artifact.wrong.is_some());
    if wrong || !failed.is_empty() {
        return found.fail(ID, Source::Observed, "an artifact isn't what the claim says");
    }
    let asked = case.brief.and_then(|brief| brief.verify_command.as_ref());
    let ran = Said::of(case.claim, asked).missing().is_empty();
    let checked = !case.seen.artifacts.is_empty()
        || case.seen.commits.iter().any(|commit| matches!(commit.is, CommitState::Found { .. }));
    match (ran, checked) {
        (true, true) => found.pass(ID, Source::Observed, "a captured run, and an artifact that was checked"),
        (true, false) => {
            found.unknown(ID, Source::Claim, "a captured run, but no artifact that could be checked", false);
        }
        (false, _) => {
            found.unknown(ID, Source::Claim, "no captured run: reading alone proves nothing", false)
        }
    }
}

/// A command that the claim itself says failed.
fn failed_command(artifact: &Artifact) -> Option<String> {
    match artifact {
        Artifact::Command { command, exit_code: Some(code), expected, .. }
            if *code != expected.unwrap_or(0) =>
        {
            Some(format!("the claim names the command `{}`, which exited with {code}", command.text()))
        }
        _ => None,
    }
}

/// Nobody finishes before they can have begun, unless it can be seen that they did.
fn too_fast(case: Case<'_>, found: &mut Findings) {
    let Some(issued) = case.brief.and_then(|brief| brief.issued_at) else { return };
    if case.seen.rerun == Rerun::Passed {
        return;
    }
    let after = |moment: crate::observe::facts::Timestamp| moment.milliseconds() - issued.milliseconds();
    let said = case.claim.finished_at.map(after);
    let seen = case.seen.written_at.map(after);
    // A file older than its brief has another clock, or was brought here; what it says itself then counts.
    let seen = seen.filter(|seen| said.is_none() || *seen >= 0);
    if let Some(quickest) = said.into_iter().chain(seen).min().filter(|quickest| *quickest < TOO_FAST) {
        let seconds = quickest as f64 / 1000.0;
        found.lie(Code::TooFast, format!("the claim came {seconds:.1} s after its brief; 5 s are the least"));
    }
}

/// Who lists work that is left isn't done.
fn work_left(claim: &Claim, found: &mut Findings) {
    if !claim.pending_actions.is_empty() {
        let number = claim.pending_actions.len();
        found.absence(Code::PendingActions, format!("`pending_actions` lists {number} of them"));
    }
    for why in &claim.work_left {
        found.absence(Code::PendingActions, why.clone());
    }
}

/// Whether a brief can't be read, so that what it asks for isn't known.
pub(super) fn is_unreadable(brief: &Brief) -> bool {
    !brief.violations.is_empty()
}

/// The commits of a claim that are there, with what they change.
pub(super) fn found_commits(seen: &Seen) -> impl Iterator<Item = (&CommitSeen, &CommitState)> {
    seen.commits
        .iter()
        .map(|commit| (commit, &commit.is))
        .filter(|(_, is)| matches!(is, CommitState::Found { .. }))
}

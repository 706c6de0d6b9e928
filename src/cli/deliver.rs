//! `verify deliver`: is everything still as the evidence says? If not, it runs again.

use std::collections::BTreeMap;

use clap::Args;

use super::checks::Runner;
use super::desk::{self, Desk};
use super::green::seen_in_red;
use super::options::Global;
use super::output::Output;
use super::plan_file;
use super::replay::Proof;
use super::rules::Extent;
use super::sign;
use super::stage::{Companions, Findings, Stage, StageArgs, add_batch, exit_of, show};
use super::world::{Looking, World};
use super::{Exit, Stop};
use crate::judge::{self, Code, ReplayAnswer, Scope, empty_diff, rerun_failed, reruns, sealed, stale};
use crate::observe::process::Cancel;
use crate::plan::Phase;
use crate::record::store::{Attest, RecordRef, Store};
use crate::record::wire::{self, Change, Delivery, Evidence};

/// Checks before delivery that nothing moved since the evidence, and runs again what is stale
#[derive(Debug, Args)]
pub(super) struct Deliver {
    /// Deliver though nothing changed since the task began
    #[arg(long)]
    allow_empty: bool,

    /// Sign the accepted delivery with this private Ed25519 key (PEM, PKCS #8)
    #[arg(long, value_name = "FILE")]
    sign_key: Option<std::path::PathBuf>,

    /// A file with what the worker says about its work; kept as a claim, and never counted
    #[arg(long, value_name = "FILE")]
    claim: Option<std::path::PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// No task, or something that can't be read or written.
pub(super) fn run(
    deliver: &Deliver,
    global: &Global,
    out: &mut Output,
    cancel: &Cancel,
) -> Result<Exit, Stop> {
    let file = plan_file::load(global)?;
    let key = deliver.sign_key.as_deref().map(sign::signing_key).transpose()?;
    let mut store = desk::open(&file, global)?;
    let desk = Desk::take(&store)?;
    let args = StageArgs { stage: None, claim: deliver.claim.clone() };
    let stage = Stage::begin(&file, &desk, &store, &args, "deliver", None)?;
    let mut now = World::look(&file, Looking { baseline_ignore: Some(&desk.ignore), read_all: true })?;

    // 1. The evidence is there.
    let mut found = Findings::default();
    found.problems.extend(judge::evidence(&desk.standings(&store, &file, &now)?));

    // 2. Tests, scope and everything else that may not have moved: tampered tests must not be run.
    let guards = stage.guards(&now, Some(Scope::Delivery));
    found.problems.extend(guards.problems);
    found.notes.extend(guards.notes);
    stage.rules(&now, Extent::Task, &mut found)?;
    let allowed = deliver.allow_empty || file.plan.deliver.allow_empty;
    let empty = empty_diff(&stage.baseline, &now.facts, allowed);
    let gate = gate(&stage, &now, empty.is_some());
    found.problems.extend(empty);

    // 3. What is stale runs again.
    let moved = moved_since_green(&desk, &store, &file, &now)?;
    let again = reruns(&file.plan, &desk.green_fingerprints(&file), &now.fingerprints);
    let mut reran = Vec::new();
    if found.problems.is_empty() && !again.is_empty() {
        out.talk(&format!(
            "{} moved since the evidence; running again",
            crate::present::text::count(moved.len(), "file")
        ));
        let seen = seen_in_red(&desk, &file);
        let bytecode = tempfile::tempdir().map_err(|why| {
            Stop::new(Code::Unreadable, format!("no folder for compiled code can be made: {why}"))
        })?;
        let runner = Runner {
            file: &file,
            desk: &desk,
            seen: &seen,
            read_all: true,
            copy: None,
            jobs: global.jobs,
            bytecode: bytecode.path(),
            cancel,
            quiet: global.quiet,
        };
        let batch = runner.run(&again, Phase::Green, &now)?;
        now = add_batch(&mut found, batch);
        reran = again.iter().map(|check| check.id.clone()).collect();
        let failed = found.ran.iter().filter(|ran| !ran.passed()).map(|ran| rerun_failed(&ran.check.id));
        found.problems.extend(failed.collect::<Vec<_>>());
    }

    // 4. Red again, where that is asked.
    let mut replay = None;
    if found.problems.is_empty() && file.plan.deliver.replay {
        let proof = Proof { stage: &stage, store: &store, now: &now, cancel, quiet: global.quiet };
        let checks: Vec<_> = file.plan.checks_in(Phase::Red).collect();
        let replayed = proof.replay(&checks, &seen_in_red(&desk, &file))?;
        replay = Some(replayed.outcome.answer);
        // What can't be said is no reason to reject, unless it was cut short.
        let says = match replayed.outcome.answer {
            ReplayAnswer::NotIsolated if cancel.signal().is_none() => &mut found.notes,
            _ => &mut found.problems,
        };
        says.extend(replayed.outcome.problems);
        found.replayed = replayed.ran;
    }

    // 5. The files read at the end are those of the evidence.
    if found.problems.is_empty() {
        let end = World::look(&file, Looking { baseline_ignore: Some(&desk.ignore), read_all: true })?;
        found.problems.extend(sealed(&now.fingerprints, &end.fingerprints));
        found.problems.extend(stage.guards(&end, Some(Scope::Delivery)).problems);
    }

    let trees = match &key {
        Some(_) if found.problems.is_empty() => sign::git_trees(&now)?,
        _ => BTreeMap::default(),
    };
    found.delivery = Some(Delivery { stale: moved, reran, gate: Some(gate), replay });
    // Signed as it is stored: a kill leaves no accepted delivery behind that lacks the signature asked for.
    let signing = key.as_ref().map(|key| sign::Signing { key, file: &file, desk: &desk, trees });
    let attest = signing.as_ref().map(|signing| {
        |store: &Store, stored: &RecordRef, evidence: &Evidence| signing.sign(store, stored, evidence)
    });
    let attest = attest.as_ref().map(|attest| attest as &Attest<'_>);
    let with = Companions { attest, ..Companions::default() };
    let (stored, evidence) = stage.record(&mut store, &now, &found, &with)?;
    if let Some(key) = key.as_ref().filter(|_| evidence.passed) {
        out.talk(&format!("signed with the key {}", key.id()));
    }
    show(&stored, &evidence, &found, "the task is closed; `verify begin` opens the next", out);
    Ok(exit_of(&evidence, cancel.signal()))
}

/// What the gate's look at the diff says, with the task's own file map as its base.
fn gate(stage: &Stage<'_>, now: &World, is_blocked: bool) -> wire::DeliveryGate {
    let changes = now.facts.iter().filter_map(|facts| {
        let then = stage.baseline.repositories.get(&facts.id)?;
        Some(facts.map.changes_since(&then.map).len())
    });
    let head =
        stage.baseline.repositories.values().next().and_then(|then| then.git.as_ref()?.head.as_deref());
    wire::DeliveryGate {
        verdict: if is_blocked { "block" } else { "pass" }.to_owned(),
        diff: wire::GateDiff {
            ok: !is_blocked,
            base_sha: head.unwrap_or("").to_owned(),
            files_changed: changes.sum::<usize>() as u64,
            inconclusive: false,
            inconclusive_reason: String::new(),
        },
    }
}

/// The files that moved since the latest accepted greens.
///
/// # Errors
/// A file map can't be read.
pub(super) fn moved_since_green(
    desk: &Desk,
    store: &Store,
    file: &plan_file::PlanFile,
    now: &World,
) -> Result<Vec<Change>, Stop> {
    let mut moved: Vec<Change> = Vec::new();
    for check in file.plan.checks_in(Phase::Green) {
        let Some((_, record, true)) = desk.latest(&check.id, Phase::Green) else { continue };
        if judge::is_fresh(check, &record.fingerprints, &now.fingerprints) {
            continue;
        }
        for stale in stale(&store.maps(&record.files)?, &now.facts, file.plan.fingerprint.of) {
            let change = Change::new(&stale.repository, &stale.change);
            if judge::rests_on(check, &stale.repository) && !moved.contains(&change) {
                moved.push(change);
            }
        }
    }
    Ok(moved)
}

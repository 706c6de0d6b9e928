//! `verify log`: the records in order, and whether their chain is whole.

use std::path::PathBuf;

use clap::Args;

use super::options::Global;
use super::output::Output;
use super::plan_file;
use super::sign;
use super::{Exit, Stop};
use crate::judge::{Code, Problem};
use crate::present;
use crate::record::attest::{self, VerifyingKey};
use crate::record::store::Store;

/// Lists the records in order, or checks their chain
#[derive(Debug, Args)]
pub(super) struct Log {
    /// Check that no record was edited, deleted, swapped or slipped in
    #[arg(long)]
    check: bool,

    /// Check the chain, and that the latest delivery was signed by this public Ed25519 key (PEM)
    #[arg(long, value_name = "FILE")]
    verify_key: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// No plan, or a log that can't be read.
pub(super) fn run(log: &Log, global: &Global, out: &mut Output) -> Result<Exit, Stop> {
    let file = plan_file::load(global)?;
    let key = log.verify_key.as_deref().map(sign::verifying_key).transpose()?;
    let store = Store::open(&file.state_dir)?;
    if log.check || key.is_some() {
        return check(&store, key.as_ref(), out);
    }
    if out.is_json() {
        out.json(&store.records());
    } else {
        for line in present::log::log(store.records()) {
            out.line(&line);
        }
    }
    Ok(Exit::Good)
}

fn check(store: &Store, key: Option<&VerifyingKey>, out: &mut Output) -> Result<Exit, Stop> {
    let mut problems = store.check()?;
    let mut signed = 0;
    if let Some(key) = key {
        signed = signatures(store, key, &mut problems)?;
    }
    if out.is_json() {
        out.json(&crate::record::wire::Problem::all(&problems));
    } else if problems.is_empty() {
        out.line(&format!("the chain is whole: {}", present::text::count(store.records().len(), "record")));
        if key.is_some() {
            let deliveries =
                if signed == 1 { "1 delivery".to_owned() } else { format!("{signed} deliveries") };
            out.line(&format!("signed by this key: {deliveries}, the latest among them"));
        }
    } else {
        for line in present::problems::problems(&problems, &|_| None) {
            out.line(&line);
        }
    }
    let unreadable =
        problems.iter().any(|problem| !matches!(problem.code, Code::ChainBroken | Code::SignatureInvalid));
    Ok(match (problems.is_empty(), unreadable) {
        (true, _) => Exit::Good,
        (false, true) => Exit::State,
        (false, false) => Exit::Rejected,
    })
}

/// How many deliveries this key signed. The latest has to be among them; of earlier ones, those that are signed at all.
fn signatures(store: &Store, key: &VerifyingKey, problems: &mut Vec<Problem>) -> Result<usize, Stop> {
    let deliveries = store.records().iter().filter(|line| line.passed && line.record.starts_with("deliver-"));
    let deliveries: Vec<_> = deliveries.collect();
    let mut signed = 0;
    for (at, line) in deliveries.iter().enumerate() {
        let name = line.record.trim_end_matches(".json");
        let why = match store.attestation(line)? {
            Some(lines) => attest::check(&lines, key, line.sha256).err().map(|why| why.to_string()),
            None if at + 1 == deliveries.len() => Some("it isn't signed".to_owned()),
            None => continue,
        };
        match why {
            None => signed += 1,
            Some(why) => problems.push(Problem::new(Code::SignatureInvalid, format!("`{name}`: {why}"))),
        }
    }
    if deliveries.is_empty() {
        problems
            .push(Problem::new(Code::SignatureInvalid, "nothing was delivered yet, so nothing is signed"));
    }
    Ok(signed)
}

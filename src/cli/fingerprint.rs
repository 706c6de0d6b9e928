//! `verify fingerprint`: the state of the files in one hash.

use std::mem::ManuallyDrop;

use clap::Args;

use super::desk;
use super::options::Global;
use super::output::Output;
use super::plan_file;
use super::world::{Looking, World};
use super::{Exit, Stop};
use crate::judge::{Code, stale};
use crate::present;
use crate::record::store::Store;
use crate::record::wire::{Change, Fingerprint as Document, tag};

/// Prints the fingerprint of the files, or compares it with a record's
#[derive(Debug, Args)]
pub(super) struct Fingerprint {
    /// A record, e.g. green-0001
    #[arg(long, value_name = "RECORD")]
    against: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// No plan, no such record, or something that can't be read.
pub(super) fn run(fingerprint: &Fingerprint, global: &Global, out: &mut Output) -> Result<Exit, Stop> {
    let file = plan_file::load(global)?;
    let store = Store::open(&file.state_dir)?;
    let record = match &fingerprint.against {
        Some(name) => Some(store.find(name).ok_or_else(|| {
            Stop::new(Code::NoSuchRecord, format!("there is no record `{name}`; `verify log` lists them"))
        })?),
        None => None,
    };
    let record = record.map(|line| store.read(line)).transpose()?;
    // No more of the task than this: its file maps take longer to read than 100,000 files to look at.
    let ignore = desk::ignore_rules(&store)?;
    // The process ends with it. Giving back 100,000 paths one by one would be a twentieth of its time.
    let now =
        ManuallyDrop::new(World::look(&file, Looking { baseline_ignore: ignore.as_ref(), read_all: false })?);
    if out.is_json() {
        out.json(&Document {
            schema: tag::Fingerprint::V1,
            fingerprint: now.fingerprint,
            fingerprints: now.fingerprints.clone(),
            files: now.files(),
            hashed: now.hashed(),
            left_out: now.left_out(),
        });
    } else {
        out.line(&now.fingerprint.to_string());
    }
    let Some(record) = record else { return Ok(Exit::Good) };
    if record.fingerprint == now.fingerprint {
        return Ok(Exit::Good);
    }
    let moved: Vec<_> = stale(&store.maps(&record.files)?, &now.facts, file.plan.fingerprint.of)
        .iter()
        .map(|stale| Change::new(&stale.repository, &stale.change))
        .collect();
    for line in present::status::changes(&moved) {
        out.talk(&line);
    }
    Ok(Exit::Rejected)
}

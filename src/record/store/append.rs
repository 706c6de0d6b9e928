//! Adding a record.

use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use super::disk::Sync;
use super::layout::{self, is_id};
use super::step::Step;
use super::writer::encode;
use super::{Store, StoreError, Writer, disk};
use crate::digest::Sha256;
use crate::record::redact::Redacting;
use crate::record::wire::{Evidence, Frozen, LogLine, LogState, Task};

/// How much of a transcript is kept, in bytes.
pub(super) const TRANSCRIPT_LIMIT: u64 = 64 << 20;

/// A record, and what comes into place together with it.
pub struct Entry<'a> {
    /// The record. Its `task`, `attempt`, `rebinds`, `frozen_sha256` and `previous` are filled in.
    pub evidence: Evidence,
    /// The output of its checks.
    pub transcripts: Vec<Transcript<'a>>,
    /// The frozen set that it takes.
    pub frozen: Option<&'a Frozen>,
    /// The task as it is after it. An accepted delivery closes the task by itself.
    pub task: Option<&'a Task>,
    /// Makes the signed statements about it, should it be accepted.
    pub attest: Option<&'a Attest<'a>>,
}

/// Makes the signed statements about a record: it is given the record as it will be stored, and where.
pub type Attest<'a> = dyn Fn(&Store, &RecordRef, &Evidence) -> Result<Vec<u8>, StoreError> + 'a;

impl Entry<'_> {
    /// A record alone.
    #[must_use]
    pub fn new(evidence: Evidence) -> Self {
        Self { evidence, transcripts: Vec::new(), frozen: None, task: None, attest: None }
    }
}

/// What a check printed.
pub struct Transcript<'a> {
    /// The check's id.
    pub check: &'a str,
    /// Writes the merged output, at most so many bytes of it.
    pub copy: &'a dyn Fn(&mut dyn Write, u64) -> std::io::Result<bool>,
}

/// A record that was stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordRef {
    /// Its file name.
    pub name: String,
    /// Where it lies.
    pub path: PathBuf,
    /// The hash of its bytes.
    pub sha256: Sha256,
    /// Which attempt at its stage it is.
    pub attempt: u32,
}

impl Writer {
    /// The name that the next record of a stage will have.
    #[must_use]
    pub fn next_name(&self, stage: &str) -> String {
        layout::record_name(stage, self.chain.next_number(stage))
    }

    /// Stores a record.
    ///
    /// # Errors
    /// When there is no task, a name can't be a file's, or something can't be written. Every finished record is whole
    /// then, and the next call begins by clearing up.
    pub fn append(&mut self, entry: Entry<'_>) -> Result<RecordRef, StoreError> {
        if self.unsure {
            self.recover()?;
        }
        self.unsure = true;
        let stored = self.append_in_steps(entry)?;
        self.unsure = false;
        Ok(stored)
    }

    fn append_in_steps(&mut self, entry: Entry<'_>) -> Result<RecordRef, StoreError> {
        let Entry { mut evidence, transcripts, frozen, task, attest } = entry;
        let layout = self.layout.clone();
        if !layout.log().exists() {
            return Err(StoreError::Replaced { path: layout.folder });
        }
        let stored_task = self.task()?;
        let Some(current) = task.or(stored_task.as_ref()) else {
            return Err(StoreError::NoTask { path: layout.task() });
        };
        for word in transcripts.iter().map(|transcript| transcript.check).chain([evidence.stage.as_str()]) {
            if !is_id(word) {
                let why = format!("`{}` can't be part of a file name", word.escape_debug());
                return Err(StoreError::unwritable(&layout.evidence())(std::io::Error::new(
                    ErrorKind::InvalidInput,
                    why,
                )));
            }
        }
        let name = self.next_name(&evidence.stage);
        let closed =
            (evidence.stage == "deliver" && evidence.passed).then(|| Task { open: false, ..current.clone() });
        let redactor = self.redactor.knowing(evidence.checks.iter().map(|check| check.output.as_str()));
        let redactor = redactor.as_ref();
        let frozen = frozen.map(|frozen| encode(&layout.frozen(), &redactor.frozen(frozen))).transpose()?;

        evidence.task = current.task;
        evidence.attempt = self.chain.next_attempt(current.task, &evidence.stage);
        evidence.previous = self.chain.head();
        evidence.rebinds = u32::try_from(current.rebinds.len()).unwrap_or(u32::MAX);
        evidence.frozen_sha256 = match &frozen {
            Some(bytes) => Some(Sha256::of(bytes)),
            None => self.frozen()?.map(|(_, sha256)| sha256),
        };
        redactor.evidence(&mut evidence);

        for transcript in transcripts {
            let path = layout.transcript(&name, transcript.check);
            let staged = layout::with_suffix(&path, ".tmp");
            // The record names the hash of the output and doesn't need this copy: it isn't waited for.
            disk::stage_with(&staged, Sync::Later, |file| {
                let mut redacting = Redacting::new(file, redactor);
                (transcript.copy)(&mut redacting, TRANSCRIPT_LIMIT)?;
                redacting.finish()
            })?;
            disk::publish(&staged, &path)?;
        }
        self.reached(Step::Transcripts)?;

        let bytes = encode(&layout.record(&name), &evidence)?;
        let sha256 = Sha256::of(&bytes);
        disk::stage(&layout.staged_record(&name), &bytes)?;
        self.reached(Step::Record)?;

        let task =
            closed.as_ref().or(task).map(|task| encode(&layout.task(), &redactor.task(task))).transpose()?;
        let stored =
            RecordRef { path: layout.record(&name), name: name.clone(), sha256, attempt: evidence.attempt };
        let attest = attest.filter(|_| evidence.passed);
        let attestation = attest.map(|attest| attest(self, &stored, &evidence)).transpose()?;
        for ((staged, _), bytes) in layout.companions(&name).iter().zip([attestation, frozen, task]) {
            match bytes {
                Some(bytes) => disk::stage(staged, &bytes)?,
                // One that a writer left before its intent must not come into place with this record.
                None if staged.exists() => {
                    std::fs::remove_file(staged).map_err(StoreError::unwritable(staged))?;
                }
                None => {}
            }
        }
        disk::sync_folder(&layout.evidence())?;
        self.reached(Step::Companions)?;

        let intent = LogLine {
            n: self.chain.entries() + 1,
            state: LogState::Intent,
            record: name,
            sha256,
            previous: evidence.previous,
            task: evidence.task,
            phase: evidence.phase,
            passed: evidence.passed,
            at: evidence.finished_at,
        };
        self.log(intent.clone(), Sync::Now)?;
        self.reached(Step::Intent)?;
        self.finish(&intent)?;
        Ok(stored)
    }
}

//! Blocks about tests that no line names: a case is made of the block itself.

use std::collections::HashMap;

use super::block::{Block, Phase};
use super::id;
use super::settle::Settle;
use crate::{Lines, NewCase, Status};

impl Settle<'_> {
    /// Cases for blocks about subtests of tests that are named: of `unittest` classes pytest names them nowhere else
    /// but in the summary. Only as many as the end line claims.
    pub(super) fn subtests_of_blocks(&mut self, blocks: &[Block]) {
        let claimed = self.session.end.map_or(0, |end| end.tally.failed);
        let missing = usize::try_from(claimed.saturating_sub(self.count_named().0)).unwrap_or(usize::MAX);
        let mut by_parent: HashMap<&str, Vec<&Block>> = HashMap::new();
        for block in blocks.iter().filter(|block| block.phase == Phase::Call).take(missing) {
            if let Some(at) = block.name.find(" [").or_else(|| block.name.find(" (")) {
                by_parent.entry(block.name.get(..at).unwrap_or("")).or_default().push(block);
            }
        }
        if by_parent.is_empty() {
            return;
        }
        let mut found = Vec::new();
        for case in self.report.cases.iter() {
            let blocks = by_parent.remove(id::domain(case.id()).as_str()).unwrap_or_default();
            found.extend(blocks.into_iter().map(|block| (case.id().to_owned(), block)));
        }
        for (parent, block) in found {
            let label = block.name.find(" [").or_else(|| block.name.find(" (")).unwrap_or(0) + 1;
            let label = block.name.get(label..).unwrap_or("");
            self.case_of_block(&format!("{parent} {label}"), label.len(), block);
        }
    }

    /// Cases for blocks that no line names: neither progress lines nor a summary were asked for. The letters of the
    /// short progress lines say in which file each is, for they come in the same order.
    pub(super) fn cases_of_blocks(&mut self, blocks: &[Block]) {
        for error in [false, true] {
            let of_sort = || blocks.iter().filter(|block| (block.phase != Phase::Call) == error);
            let files = std::mem::take(&mut self.session.failing_files);
            let counts =
                files.iter().map(|(file, failed, errored)| (file, if error { *errored } else { *failed }));
            let total: u64 = counts.clone().map(|(_, count)| count).sum();
            let mut letters = counts.flat_map(|(file, count)| (0..count).map(move |_| file.as_str()));
            let trusted = total == of_sort().count() as u64;
            let mut before: Option<(&str, String)> = None;
            for block in of_sort() {
                let file = letters.next().filter(|_| trusted).or_else(|| {
                    let file = block.traceback.first_file().filter(|_| block.traceback.is_failure())?;
                    let root = self.session.rootdir.as_deref().and_then(|root| file.strip_prefix(root));
                    Some(root.and_then(|rest| rest.strip_prefix('/')).unwrap_or(file))
                });
                // The block of a test without a traceback follows that of its subtest.
                let sub = before.take().filter(|(name, _)| {
                    name.strip_prefix(block.name.as_str()).is_some_and(|rest| rest.starts_with(' '))
                });
                if let Some(file) = file.map(str::to_owned).or(sub.map(|(_, file)| file)) {
                    let id = id::from_domain(&file, &block.name);
                    let label = block.name.find(" [").or_else(|| block.name.find(" ("));
                    let name_at = match label {
                        Some(at) => id.len() - (block.name.len() - at - 1),
                        None => id::name_at(id.as_bytes()),
                    };
                    self.case_of_block(&id, id.len().saturating_sub(name_at), block);
                    before = Some((&block.name, file));
                }
            }
            self.session.failing_files = files;
        }
    }

    pub(super) fn case_of_block(&mut self, id: &str, name_len: usize, block: &Block) {
        let error = block.phase != Phase::Call;
        let status = if error { Status::Errored } else { Status::Failed };
        let lines = Lines::new(block.first, block.last);
        let key = match self.report.cases.find(id) {
            Some(key) => {
                if error {
                    self.report.cases.set_status(key, status);
                }
                key
            }
            None => self.report.cases.push(NewCase { id, name_len, status, lines }, id::suite),
        };
        self.slot(key, error, false, None, block.first);
        self.attach(self.slots.len() - 1, block);
    }
}

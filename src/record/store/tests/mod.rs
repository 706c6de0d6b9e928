//! The store on a real disk.

mod crash;
mod damage;
mod store;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use super::{Entry, RecordRef, Store, StoreError, Writer};
use crate::plan::Phase;
use crate::record::wire::{Evidence, FilesRef, Task, samples};

/// A state folder with a task in it.
struct Fixture {
    _home: TempDir,
    folder: PathBuf,
}

impl Fixture {
    /// A folder in which task 1 was begun.
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("state");
        let fixture = Self { _home: home, folder };
        let mut writer = fixture.writer();
        fixture.begin(&mut writer, 1);
        fixture
    }

    /// The same with a red and two green records.
    fn with_records() -> Self {
        let fixture = Self::new();
        let mut writer = fixture.writer();
        for (stage, phase) in [("red", Phase::Red), ("green", Phase::Green), ("green", Phase::Green)] {
            fixture.append(&mut writer, stage, Some(phase)).unwrap();
        }
        fixture
    }

    fn writer(&self) -> Writer {
        Writer::open(&self.folder, Duration::ZERO).unwrap()
    }

    fn task(&self, writer: &mut Writer, number: u32) -> Task {
        let mut task = samples::task(number);
        for baseline in task.baseline.values_mut() {
            baseline.files = writer.put_maps(&samples::maps("baseline")).unwrap();
        }
        task
    }

    fn begin(&self, writer: &mut Writer, number: u32) {
        let task = self.task(writer, number);
        writer.begin(&task, None).unwrap();
    }

    fn evidence(&self, writer: &mut Writer, stage: &str, phase: Option<Phase>) -> Evidence {
        let files: FilesRef = writer.put_maps(&samples::maps("now")).unwrap();
        Evidence { files, ..samples::evidence(stage, phase, true) }
    }

    fn append(
        &self,
        writer: &mut Writer,
        stage: &str,
        phase: Option<Phase>,
    ) -> Result<RecordRef, StoreError> {
        let evidence = self.evidence(writer, stage, phase);
        writer.append(Entry::new(evidence))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The codes that the check finds, in order.
    #[track_caller]
    fn codes(&self) -> Vec<&'static str> {
        let problems = Store::open(&self.folder).unwrap().check().unwrap();
        problems.iter().map(|problem| problem.code.word()).collect()
    }

    /// The names of the finished records.
    fn names(&self) -> Vec<String> {
        Store::open(&self.folder).unwrap().records().iter().map(|line| line.record.clone()).collect()
    }

    /// Every file with its bytes.
    fn snapshot(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        fn walk(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    walk(&path, files);
                } else {
                    files.insert(path.clone(), fs::read(&path).unwrap());
                }
            }
        }
        let mut files = BTreeMap::new();
        walk(&self.folder, &mut files);
        files
    }
}

/// A transcript of these bytes.
fn text(bytes: &'static [u8]) -> impl Fn(&mut dyn std::io::Write, u64) -> std::io::Result<bool> {
    move |to, _| to.write_all(bytes).map(|()| false)
}

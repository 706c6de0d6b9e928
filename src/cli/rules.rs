//! Rules and secrets: the bytes of what changed are read and handed to the judge.

use std::collections::HashSet;

use bstr::ByteSlice;

use super::Stop;
use super::desk::plan_place;
use super::plan_file::PlanFile;
use super::stage::{Findings, Stage};
use super::world::World;
use crate::digest::Sha256;
use crate::judge::{ChangedFile, Code, Problem, RuleFinding, rule_findings, rule_problems};
use crate::observe::content::{Before, Contents, Now};
use crate::observe::facts::{ChangeKind, Entry, FileMap, RepositoryFacts};
use crate::record::wire::Task;

/// Which files are looked into. In each of them every line counts that the task added, whichever stage added it: what an
/// earlier stage added was looked at then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// Those that the stage changed.
    Stage,
    /// All that the task changed.
    Task,
}

impl Stage<'_> {
    /// Looks for what rules forbid, and for secrets, in added lines.
    ///
    /// # Errors
    /// A file can't be read.
    pub(super) fn rules(&self, now: &World, extent: Extent, found: &mut Findings<'_>) -> Result<(), Stop> {
        let place = plan_place(self.file, now);
        let mut seen = HashSet::new();
        for facts in &now.facts {
            let Some(then) = self.baseline.repositories.get(&facts.id) else { continue };
            let from = match extent {
                Extent::Stage => self.start.get(&facts.id).unwrap_or(&then.map),
                Extent::Task => &then.map,
            };
            let recorded = self.desk.task.baseline.get(&facts.id);
            let contents = Contents::of(facts, recorded.and_then(|then| then.head.as_deref()));
            let mut moved = Moved::new(facts, &then.map);
            for entry in with_new_content(facts, from, &then.map) {
                let text = match contents.now(entry).map_err(|why| unreadable(entry, &why))? {
                    Now::Text(text) => text,
                    Now::NoText => continue,
                    Now::Moved => {
                        let why = "a file moved while it was looked into; run it again when nothing else writes here";
                        found
                            .problems
                            .push(Problem::new(Code::TreeMoved, why).on(&facts.id, entry.path.clone()));
                        continue;
                    }
                };
                let before = match then.map.get(&entry.path) {
                    Some(then) => Some(contents.before(then)),
                    None => moved.of(&contents, &text).map(Before::Text),
                };
                let is_known = !matches!(before, Some(Before::Unknown(_)));
                let file = ChangedFile {
                    path: entry.path.as_bstr(),
                    now: &text,
                    before: before.as_ref().and_then(bytes),
                    is_plan: place.as_ref().is_some_and(|place| {
                        place.repository == facts.id && place.path.as_ref() == Some(&entry.path)
                    }),
                };
                let known =
                    recorded.filter(|_| !is_known).map_or(&[][..], |then| then.findings_before(&entry.path));
                let findings = rule_findings(&self.file.plan, facts, &file).into_iter();
                // Two repositories of a plan may be folders of one work tree.
                let is_new = |finding: &RuleFinding| {
                    let place = (facts.root.clone(), finding.path.clone(), finding.line, finding.id.clone());
                    !known.contains(&finding.fingerprint) && seen.insert(place)
                };
                found.rules.extend(findings.filter(is_new));
            }
        }
        found.problems.extend(rule_problems(&found.rules));
        Ok(())
    }
}

/// The changed files whose content no file of the baseline had.
fn with_new_content<'f>(facts: &'f RepositoryFacts, from: &FileMap, baseline: &FileMap) -> Vec<&'f Entry> {
    let changes = facts.map.changes_since(from);
    if changes.is_empty() {
        return Vec::new();
    }
    // A file that was moved holds no new line.
    let had: HashSet<Sha256> = baseline.entries().iter().map(|entry| entry.sha256).collect();
    let changed = changes.iter().filter(|change| change.kind != ChangeKind::Deleted);
    changed
        .filter_map(|change| facts.map.get(&change.path))
        .filter(|entry| !had.contains(&entry.sha256))
        .collect()
}

/// The files of the baseline that are gone, one of which a new file may be.
struct Moved<'f> {
    gone: Vec<&'f Entry>,
    /// What they held, read when it is first asked for.
    texts: Option<Vec<Vec<u8>>>,
}

impl<'f> Moved<'f> {
    /// Where more are gone, none is looked at: it is no move of a file.
    const MOST: usize = 100;

    fn new(facts: &RepositoryFacts, baseline: &'f FileMap) -> Self {
        let changes = facts.map.changes_since(baseline);
        let gone = changes.iter().filter(|change| change.kind == ChangeKind::Deleted);
        let gone: Vec<_> = gone.filter_map(|change| baseline.get(&change.path)).collect();
        Self { gone: if gone.len() > Self::MOST { Vec::new() } else { gone }, texts: None }
    }

    /// What a new file was before it was moved: the file that is gone and has at least half of its lines, as git sees it.
    fn of(&mut self, contents: &Contents, now: &[u8]) -> Option<Vec<u8>> {
        let gone = &self.gone;
        let texts = self.texts.get_or_insert_with(|| {
            let texts = gone.iter().filter_map(|entry| match contents.before(entry) {
                Before::Text(text) => Some(text),
                Before::Unknown(_) => None,
            });
            texts.collect()
        });
        let shared = |text: &[u8]| {
            let lines: HashSet<&[u8]> = text.lines().collect();
            now.lines().filter(|line| lines.contains(line)).count()
        };
        let all = now.lines().count();
        let best = texts.iter().max_by_key(|text| shared(text))?;
        (all > 0 && shared(best) * 2 >= all).then(|| best.clone())
    }
}

fn bytes(before: &Before) -> Option<&[u8]> {
    match before {
        Before::Text(bytes) => Some(bytes),
        Before::Unknown(committed) => committed.as_deref(),
    }
}

/// Notes what is found already in files whose bytes nobody will have later: they were changed and not committed, or
/// there is no git. What is found in them again isn't the task's.
///
/// # Errors
/// A file can't be read.
pub(super) fn note_before(file: &PlanFile, world: &World, task: &mut Task) -> Result<(), Stop> {
    for facts in &world.facts {
        let Some(then) = task.baseline.get_mut(&facts.id) else { continue };
        let contents = Contents::of(facts, then.head.as_deref());
        let findings = |entry: &Entry| -> Result<Vec<String>, Stop> {
            let Now::Text(text) = contents.now(entry).map_err(|why| unreadable(entry, &why))? else {
                return Ok(Vec::new());
            };
            let before = contents.before(entry);
            let changed = ChangedFile {
                path: entry.path.as_bstr(),
                now: &text,
                before: bytes(&before),
                is_plan: false,
            };
            let found = rule_findings(&file.plan, facts, &changed);
            Ok(found.into_iter().map(|finding| finding.fingerprint).collect())
        };
        if then.git {
            for change in &mut then.preexisting {
                let entry = change.path_bytes().and_then(|path| facts.map.get(&path));
                change.findings = entry.map(&findings).transpose()?.unwrap_or_default();
            }
        } else {
            for entry in facts.map.entries() {
                then.findings.extend(findings(entry)?);
            }
        }
    }
    Ok(())
}

fn unreadable(entry: &Entry, why: &std::io::Error) -> Stop {
    let path = std::path::Path::new(entry.path.to_str().unwrap_or_default());
    Stop::new(Code::Unreadable, format!("a changed file can't be read: {why}")).on(path)
}

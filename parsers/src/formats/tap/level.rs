//! One level of a TAP document: the document itself, or a subtest in it.

use crate::Cases;

/// What was read at one level.
#[derive(Default)]
pub(super) struct Level {
    pub(super) indent: usize,
    pub(super) cases: Cases,
    pub(super) plan: Option<Planned>,
    pub(super) points: u64,
    pub(super) second_plan: Option<u32>,
    pub(super) disorder: Option<u32>,
    /// `# Subtest: name`, of the level that comes next.
    pub(super) next_name: Option<String>,
    /// The same, of this level.
    pub(super) name: Option<String>,
    /// The point that opened this level with `{`.
    pub(super) parent: Option<(Vec<u8>, u32)>,
    /// The level below that ended; the next point is its parent.
    pub(super) finished: Option<Box<Level>>,
}

#[derive(Debug, Clone)]
pub(super) struct Planned {
    pub(super) count: u64,
    pub(super) line: u32,
    /// How many points came before it.
    pub(super) after: u64,
    pub(super) skip: Option<String>,
}

impl Level {
    /// Whether something says that this is a subtest and not output that happens to be indented.
    pub(super) fn is_subtest(&self) -> bool {
        self.plan.is_some() || self.name.is_some() || self.parent.is_some()
    }

    /// Counts a point, and compares its number, if it has one.
    pub(super) fn count(&mut self, number: Option<u64>, line: u32) {
        self.points += 1;
        if number.is_some_and(|number| number != self.points) {
            self.disorder.get_or_insert(line);
        }
    }

    /// Where plan and results differ, as a sentence.
    pub(super) fn objection(&self) -> Option<(String, u32)> {
        let plan = self.plan.as_ref()?;
        if let Some(line) = self.second_plan {
            return Some(("a second plan follows".to_owned(), line));
        }
        if plan.count != self.points {
            return Some((format!("{} tests are planned, {} ran", plan.count, self.points), plan.line));
        }
        if plan.after != 0 && plan.after != self.points {
            return Some(("the plan stands between the results".to_owned(), plan.line));
        }
        None
    }
}

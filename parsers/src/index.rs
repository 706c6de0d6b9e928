//! Finds rows of a table by their ids.

use std::hash::{BuildHasher, RandomState};

/// An open-addressing table of row numbers, hashed by the rows' ids: four bytes a slot, no copy of a name.
#[derive(Clone, Default)]
pub(crate) struct Index {
    slots: Vec<u32>,
    indexed: usize,
    hasher: RandomState,
}

const FREE: u32 = u32::MAX;

impl Index {
    /// The row of this id, the later of two. `rows` are those there are now, `id_of` gives the id of one.
    pub(crate) fn find<'a>(&mut self, id: &str, rows: usize, id_of: impl Fn(u32) -> &'a str) -> Option<u32> {
        self.grow(rows, &id_of);
        for row in self.indexed..rows {
            self.insert(u32::try_from(row).unwrap_or(FREE - 1), &id_of);
        }
        self.indexed = rows;
        let slot = self.slot(id, &id_of)?;
        self.slots.get(slot).filter(|row| **row != FREE).copied()
    }

    fn grow<'a>(&mut self, rows: usize, id_of: &impl Fn(u32) -> &'a str) {
        if rows.saturating_mul(4) <= self.slots.len().saturating_mul(3) {
            return;
        }
        let size = rows.saturating_mul(2).next_power_of_two().max(64);
        let old = std::mem::replace(&mut self.slots, vec![FREE; size]);
        for row in old.into_iter().filter(|row| *row != FREE) {
            self.insert(row, id_of);
        }
    }

    /// The later of two rows with one id stays.
    fn insert<'a>(&mut self, row: u32, id_of: &impl Fn(u32) -> &'a str) {
        if let Some(slot) = self.slot(id_of(row), id_of)
            && let Some(place) = self.slots.get_mut(slot)
        {
            *place = row;
        }
    }

    /// The slot that holds this id, or the free one where it belongs.
    fn slot<'a>(&self, id: &str, id_of: &impl Fn(u32) -> &'a str) -> Option<usize> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut at = usize::try_from(self.hasher.hash_one(id)).unwrap_or(0) & mask;
        loop {
            match self.slots.get(at).copied() {
                Some(row) if row != FREE && id_of(row) != id => at = (at + 1) & mask,
                Some(_) => return Some(at),
                None => return None,
            }
        }
    }
}

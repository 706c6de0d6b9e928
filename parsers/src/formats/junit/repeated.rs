//! Cases that have the id of another.

use std::collections::HashSet;

use crate::{Cases, Lines};

/// The ids of the cases, as far as it takes to say that all differ: which is so in most reports.
#[derive(Default)]
pub(super) struct Ids {
    hashes: Vec<u64>,
}

impl Ids {
    /// What stands for an id.
    pub(super) fn hash(id: &str) -> u64 {
        quick_hash(id.as_bytes())
    }

    /// Takes the id of the next case.
    pub(super) fn push(&mut self, hash: u64) {
        self.hashes.push(hash);
    }

    /// Whether the case before may have this id.
    pub(super) fn is_last(&self, hash: u64) -> bool {
        self.hashes.last() == Some(&hash)
    }

    /// How many of the cases have the id of an earlier one, and where the first of them is.
    pub(super) fn repeated(&self, cases: &Cases) -> Option<(usize, Lines)> {
        if has_equal(&self.hashes) { repeated(cases) } else { None }
    }
}

fn repeated(cases: &Cases) -> Option<(usize, Lines)> {
    let mut seen = HashSet::new();
    let mut again = cases.iter().filter(|case| !seen.insert(case.id()));
    let first = again.next()?.lines();
    Some((1 + again.count(), first))
}

/// Whether two of these are equal. Sorting all of them takes several times as long.
fn has_equal(hashes: &[u64]) -> bool {
    let (mut seen, mut again) = (Bits::for_hashes(hashes.len()), Bits::for_hashes(hashes.len()));
    for hash in hashes {
        if seen.set(*hash) {
            again.set(*hash);
        }
    }
    // Equal ones share a bit, and few others do.
    let mut few: Vec<u64> = hashes.iter().copied().filter(|hash| again.has(*hash)).collect();
    few.sort_unstable();
    few.windows(2).any(|pair| matches!(pair, [one, other] if one == other))
}

/// A bit for each hash, which others share.
struct Bits(Vec<u64>);

impl Bits {
    /// So many that about one in 16 is set.
    fn for_hashes(count: usize) -> Self {
        Self(vec![0; (count / 4).next_power_of_two()])
    }

    fn place(&self, hash: u64) -> (usize, u64) {
        // The upper half: every byte of the last word reaches it.
        let hash = hash >> 32;
        let word = usize::try_from(hash >> 6).unwrap_or(0) & (self.0.len() - 1);
        (word, 1 << (hash & 63))
    }

    /// Sets the bit of a hash and says whether it was set.
    fn set(&mut self, hash: u64) -> bool {
        let (word, bit) = self.place(hash);
        let Some(word) = self.0.get_mut(word) else { return true };
        let was_set = *word & bit != 0;
        *word |= bit;
        was_set
    }

    fn has(&self, hash: u64) -> bool {
        let (word, bit) = self.place(hash);
        self.0.get(word).is_none_or(|word| word & bit != 0)
    }
}

/// Two words at a time; equal bytes have equal hashes, and others nearly never.
fn quick_hash(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    const OTHER: u64 = 0xd1b5_4a32_d192_ed03;
    // Both halves of a product, so that each bit of two words reaches each of the hash.
    let step = |hash: u64, [one, other]: [u64; 2]| {
        let product = u128::from(hash ^ one ^ FACTOR) * u128::from(other ^ OTHER);
        (product as u64) ^ ((product >> 64) as u64).rotate_left(23)
    };
    let words = |pair: &[u8; 16]| {
        let whole = u128::from_le_bytes(*pair);
        [whole as u64, (whole >> 64) as u64]
    };
    let (pairs, rest) = bytes.as_chunks::<16>();
    let mut last = [0; 16];
    last.iter_mut().zip(rest).for_each(|(to, byte)| *to = *byte);
    let hash = pairs.iter().fold(bytes.len() as u64, |hash, pair| step(hash, words(pair)));
    step(step(hash, words(&last)), [0, 0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_ones_are_found_among_many() {
        let mut hashes: Vec<u64> = (0..5000_u64).map(|n| quick_hash(&n.to_le_bytes())).collect();
        assert!(!has_equal(&hashes));
        for at in [0, 17, 4999] {
            hashes.push(hashes[at]);
            assert!(has_equal(&hashes));
            hashes.pop();
        }
        assert!(!has_equal(&[]) && !has_equal(&[0]) && has_equal(&[0, 0]));
        // One bit, two hashes.
        assert!(!has_equal(&[1, 2]));
    }
}

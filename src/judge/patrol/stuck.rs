//! What is rejected again and again: said once, and escalated once.

use std::collections::{BTreeMap, BTreeSet};

use crate::judge::Code;

/// In how many cycles a claim is rejected for one cause before it is escalated.
const CYCLES: u32 = 3;

/// How often each claim was rejected for each cause, cycle after cycle.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cycles {
    counts: BTreeMap<String, BTreeMap<String, Count>>,
}

/// How often a claim was rejected for one cause.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    /// Cycles without a break; it stays at the number that escalates.
    pub cycles: u32,
}

impl Cycles {
    /// As they were kept: claim, code, number of cycles.
    pub fn new(counts: impl IntoIterator<Item = (String, BTreeMap<String, u32>)>) -> Self {
        let count = |(code, cycles)| (code, Count { cycles });
        let counts = counts.into_iter().map(|(claim, codes)| (claim, codes.into_iter().map(count).collect()));
        Self { counts: counts.collect() }
    }

    /// To be kept: claim, code, number of cycles.
    pub fn counts(&self) -> impl Iterator<Item = (&str, impl Iterator<Item = (&str, u32)>)> {
        self.counts.iter().map(|(claim, codes)| {
            (claim.as_str(), codes.iter().map(|(code, count)| (code.as_str(), count.cycles)))
        })
    }

    /// Counts a cycle in which a claim was rejected for these causes; none: it wasn't. A cause that is gone counts anew.
    pub fn count(&mut self, claim: &str, codes: &BTreeSet<Code>) {
        if codes.is_empty() {
            self.counts.remove(claim);
            return;
        }
        let before = self.counts.entry(claim.to_owned()).or_default();
        before.retain(|code, _| codes.iter().any(|now| now.word() == code));
        for code in codes {
            let count = before.entry(code.word().to_owned()).or_default();
            count.cycles = count.cycles.saturating_add(1).min(CYCLES);
        }
    }

    /// Drops what is known of claims that are no more.
    pub fn retain(&mut self, mut is_there: impl FnMut(&str) -> bool) {
        self.counts.retain(|claim, _| is_there(claim));
    }

    /// The causes for which a claim was rejected often enough.
    pub fn stuck(&self, claim: &str) -> impl Iterator<Item = &str> {
        let codes = self.counts.get(claim).into_iter().flatten();
        codes.filter(|(_, count)| count.cycles >= CYCLES).map(|(code, _)| code.as_str())
    }
}

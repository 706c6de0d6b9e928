//! Damage: what happens to logs, and worse.

/// A small generator of numbers (xorshift64*), so that a seed makes the same damage again.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        // Seeds that follow each other begin alike.
        for _ in 0..4 {
            random.next();
        }
        random
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `end`; 0 when there is none.
    pub(super) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() >> 16).unwrap_or(0).checked_rem(end).unwrap_or(0)
    }
}

/// Pieces that parsers look for, to be put where they don't belong.
const WORDS: &[&[u8]] = &[
    b"\r",
    b"\0",
    b"\x1b[31m",
    b"\x1b[",
    b"\xff\xfe",
    b"ok ",
    b"not ok 1 - ",
    b"1..3",
    b"1..99999999999999999999",
    b"    # Subtest: x",
    b"  ---\n",
    b"  ...\n",
    b"Bail out!",
    b" # TODO",
    b" # SKIP",
    b"PASSED",
    b"FAILED tests/a.py::b - ",
    b" [ 50%]",
    b"============================= test session starts ==============================\n",
    b"=========================== short test summary info ============================\n",
    b"============================== 2 passed in 0.01s ===============================\n",
    b"E   AssertionError\n",
    b"Traceback (most recent call last):\n",
    b" ... ok",
    b"FAIL: x (a.B)\n",
    b"Ran 3 tests in 0.001s\n",
    b"\nOK\n",
    b"FAILED (failures=1)\n",
    b"----------------------------------------------------------------------\n",
    b"{",
    b"}",
    b"::",
    b" > ",
];

/// A damaged recording of at most `largest` bytes.
pub(super) fn mutate(random: &mut Random, seeds: &[Vec<u8>], largest: usize) -> Vec<u8> {
    let mut input = pick(random, seeds);
    for _ in 0..=random.below(12) {
        once(random, &mut input, seeds, largest);
        input.truncate(largest);
    }
    input
}

fn pick(random: &mut Random, seeds: &[Vec<u8>]) -> Vec<u8> {
    seeds.get(random.below(seeds.len())).cloned().unwrap_or_default()
}

fn once(random: &mut Random, input: &mut Vec<u8>, seeds: &[Vec<u8>], largest: usize) {
    let at = random.below(input.len() + 1);
    match random.below(10) {
        // A byte is another one.
        0 => {
            if let Some(byte) = input.get_mut(at) {
                *byte = u8::try_from(random.below(256)).unwrap_or(0);
            }
        }
        // The end is missing.
        1 => input.truncate(at),
        // The head is missing.
        2 => drop(input.drain(..at)),
        // Another output comes in between.
        3 => {
            let other = pick(random, seeds);
            let from = random.below(other.len() + 1);
            let to = from + random.below(other.len() - from + 1);
            input.splice(at..at, other.get(from..to).unwrap_or_default().iter().copied());
        }
        // A word that means something stands where it doesn't belong.
        4 | 5 => {
            let word = WORDS.get(random.below(WORDS.len())).copied().unwrap_or_default();
            input.splice(at..at, word.iter().copied());
        }
        // A line comes again, a few times or very often.
        6 => {
            let start = memchr::memrchr(b'\n', input.get(..at).unwrap_or_default()).map_or(0, |end| end + 1);
            let end = memchr::memchr(b'\n', input.get(at..).unwrap_or_default())
                .map_or(input.len(), |end| at + end + 1);
            let line = input.get(start..end).unwrap_or_default().to_vec();
            let times = if random.below(20) == 0 { 2_000 } else { 1 + random.below(4) };
            input.splice(start..start, line.repeat(times));
        }
        // A piece is gone.
        7 => {
            let to = (at + random.below(200)).min(input.len());
            drop(input.drain(at..to));
        }
        // All of it comes again, up to the limit.
        8 => {
            if random.below(200) == 0 {
                *input = input.repeat(largest / input.len().max(1) + 1);
            }
        }
        // Two lines change places.
        _ => {
            let mut lines: Vec<Vec<u8>> =
                input.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
            let (one, two) = (random.below(lines.len()), random.below(lines.len()));
            if !lines.is_empty() {
                lines.swap(one, two);
            }
            *input = lines.concat();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_makes_the_same_damage_again() {
        let seeds = vec![b"1..1\nok 1 - a\n".to_vec(), b"x\n".to_vec()];
        let make = |seed| {
            let mut random = Random::new(seed);
            (0..50).map(|_| mutate(&mut random, &seeds, 1000)).collect::<Vec<_>>()
        };
        assert_eq!(make(3), make(3));
        assert_ne!(make(3), make(4));
        assert!(make(3).iter().all(|input| input.len() <= 1000));
    }
}

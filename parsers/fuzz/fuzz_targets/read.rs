//! Reads what libFuzzer makes with the format that `FORMAT` names, or with every format, and holds the reading against
//! what `cargo xtask fuzz` checks.
//!
//! ```console
//! $ cd parsers
//! $ FORMAT=tap cargo +nightly fuzz run read fuzz/corpus/tap ../corpus/tap
//! ```

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use redgreen_parsers::Format;

#[path = "../../../xtask/src/fuzz/check.rs"]
mod check;

static FORMATS: LazyLock<Vec<Format>> = LazyLock::new(|| match std::env::var("FORMAT") {
    Ok(word) => vec![Format::find(&word).unwrap_or_else(|| panic!("there is no parser for {word}"))],
    Err(_) => Format::all().collect(),
});

fuzz_target!(|input: &[u8]| {
    // Where it is cut comes from the input too, so that a finding can be made again.
    let sum = input.iter().fold(0, |sum: usize, byte| sum.wrapping_mul(31).wrapping_add(usize::from(*byte)));
    let cuts = [sum, sum / 7].map(|at| at % (input.len() + 1));
    for format in FORMATS.iter() {
        if let Some(why) = check::objection(*format, input, cuts) {
            panic!("{}: {why}", format.word());
        }
    }
});

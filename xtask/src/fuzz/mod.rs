//! `cargo xtask fuzz`: damaged recordings, read by each parser for a while. No nightly toolchain is needed.
//!
//! Each finding is written to `target/fuzz/` and named with the seed that makes it again.

mod check;
mod mutate;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use redgreen_parsers::Format;

use self::check::{CUTS, objection};
use self::mutate::{Random, mutate};
use crate::shell::{Done, root, target};

/// The largest input that is made.
const LARGEST: usize = 1 << 20;

/// Reads the task's arguments, and runs it.
pub(crate) fn command(arguments: &[&str]) -> Done {
    let (mut each, mut seed, mut only) = (Duration::from_secs(60), 1, None);
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match *word {
            "--for" => each = redgreen::plan::units::duration(value()?)?,
            "--seed" => seed = value()?.parse()?,
            format => only = Some(format),
        }
    }
    let begun_within = |begun: Instant, _tried: u64| begun.elapsed() < each;
    run(begun_within, seed, only)
}

/// Reads damaged recordings with each format, each as long as `goes_on` says, by its start and the number of inputs.
fn run(goes_on: impl Fn(Instant, u64) -> bool, seed: u64, only: Option<&str>) -> Done {
    let seeds = recordings(&root().join("corpus"))?;
    if seeds.is_empty() {
        return Err("the corpus holds no recording to start from".into());
    }
    let mut findings = 0;
    for format in Format::all().filter(|format| only.is_none_or(|only| only == format.word())) {
        let (tried, found) = fuzz(format, &seeds, &goes_on, seed)?;
        println!("{:<10} {tried} inputs, {found} findings", format.word());
        findings += found;
    }
    if findings == 0 { Ok(()) } else { Err(format!("{findings} findings; see target/fuzz").into()) }
}

fn fuzz(
    format: Format,
    seeds: &[Vec<u8>],
    goes_on: &impl Fn(Instant, u64) -> bool,
    seed: u64,
) -> Done<(u64, u64)> {
    let begun = Instant::now();
    let (mut tried, mut findings) = (0, 0);
    while goes_on(begun, tried) && findings < 10 {
        let seed = seed.wrapping_add(tried);
        let mut random = Random::new(seed);
        let input = mutate(&mut random, seeds, LARGEST);
        tried += 1;
        let cuts = [(); CUTS].map(|()| random.below(input.len() + 1));
        if let Some(why) = objection(format, &input, cuts) {
            findings += 1;
            let path = keep(format, seed, &input)?;
            eprintln!("{}: {why} (seed {seed}): {}", format.word(), path.display());
        }
    }
    Ok((tried, findings))
}

fn keep(format: Format, state: u64, input: &[u8]) -> Done<PathBuf> {
    let folder = target().join("fuzz");
    fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{}-{state}", format.word()));
    fs::write(&path, input)?;
    Ok(path)
}

/// The outputs of every recording.
fn recordings(folder: &Path) -> Done<Vec<Vec<u8>>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(|why| format!("{}: {why}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(recordings(&path)?);
        } else if matches!(name.as_str(), "merged" | "stdout" | "stderr") {
            found.push(fs::read(&path)?);
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_run_finds_nothing() {
        run(|_, tried| tried < 150, 7, None).unwrap();
    }
}

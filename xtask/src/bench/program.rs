//! The program `verify` as a whole.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::Row;
use super::timing::{median, median_of, rate, shown, timed};
use crate::generate::{Claims, Project};
use crate::shell::{self, Done};

const PAIRS: usize = 21;

pub(crate) fn rows(verify: &Path) -> Vec<Row> {
    eprintln!("bench: the program");
    let help = median_of(PAIRS, || run(verify, verify.parent().unwrap_or(verify), &["--help"])).map(shown);
    let mut rows = vec![Row::new("`verify --help`", help, "bar: 5 ms")];
    let (overhead, status) = match Project::new(1_000) {
        Ok(project) => (overhead_of(verify, &project), status(verify, &project)),
        Err(why) => (Err(why.to_string().into()), Err(why)),
    };
    rows.push(Row::new("`verify green` over the bare command, 1,000 files", overhead, "bar: 30 ms"));
    let pytest = pytest().and_then(|python| overhead_of(verify, &Project::of_pytest(&python, 1_000)?));
    rows.push(Row::new("the same over a warm pytest", pytest, "bar: 30 ms"));
    rows.push(Row::new("`verify status`, 1,000 files", status, "bar: 15 ms"));
    for files in [10_000, 100_000] {
        eprintln!("bench: fingerprints of {files} files");
        let (first, later) = match Project::new(files) {
            Ok(project) => (cold(verify, &project), warm(verify, &project)),
            Err(why) => (Err(why.to_string().into()), Err(why)),
        };
        rows.push(Row::new(
            format!("`verify fingerprint`, {files} files, without its cache, over `xargs -P sha256sum`"),
            first,
            "bar: 0.75",
        ));
        rows.push(Row::new("the same with its cache, over `git status`", later, "bar: 1.1"));
    }
    eprintln!("bench: a patrol");
    rows.push(Row::new("`verify patrol --once`, 10,000 claims, 100 malformed", patrol(verify), "bar: 1 s"));
    rows.push(Row::new("`verify fingerprint`, one file of 1 GiB", large(verify), "bar: 1200 MB/s"));
    rows
}

/// How long a command takes that must succeed and say something.
pub(super) fn run(program: &Path, folder: &Path, arguments: &[&str]) -> Done<Duration> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    let (took, output) = timed(|| command.output());
    let output = output.map_err(|error| format!("{} could not be started: {error}", program.display()))?;
    if output.status.success() && !output.stdout.is_empty() {
        return Ok(took);
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    let said = said.lines().next().unwrap_or("it said nothing").to_owned();
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    Err(format!("`{name} {}`: {}: {said}", arguments.join(" "), output.status).into())
}

/// The interpreter that has the pytest of the end-to-end tests.
fn pytest() -> Done<String> {
    let python = shell::target().join("runners/pytest/bin/python3");
    if !python.exists() {
        return Err("`cargo xtask test` installs the pytest that it needs".into());
    }
    Ok(python.display().to_string())
}

/// The difference within each pair, so that what else the machine does falls on both. Both run once before, for what they
/// keep.
fn overhead_of(verify: &Path, project: &Project) -> Done<String> {
    shell::read(Command::new(verify).arg("begin").current_dir(project.root()).stdin(Stdio::null()))?;
    let (program, arguments) = project.check();
    let bare = || run(program, project.root(), &arguments);
    let green = || run(verify, project.root(), &["green", "--format", "json"]);
    bare()?;
    green()?;
    let mut differences = Vec::new();
    let mut bare_times = Vec::new();
    for _ in 0..PAIRS {
        let bare = bare()?;
        differences.push(green()?.saturating_sub(bare));
        bare_times.push(bare);
    }
    let difference = median(differences).ok_or("nothing was tried")?;
    let bare = median(bare_times).ok_or("nothing was tried")?;
    Ok(format!("{} (bare: {})", shown(difference), shown(bare)))
}

fn status(verify: &Path, project: &Project) -> Done<String> {
    median_of(PAIRS, || run(verify, project.root(), &["status", "--format", "json"])).map(shown)
}

fn cold(verify: &Path, project: &Project) -> Done<String> {
    let root = project.root();
    let hashed = "git ls-files -z | xargs -0 -n 500 -P \"$(nproc)\" sha256sum";
    ratio(
        5,
        || {
            let cache = root.join(".verify").join("cache");
            for entry in std::fs::read_dir(cache).into_iter().flatten() {
                std::fs::remove_file(entry?.path())?;
            }
            run(verify, root, &["fingerprint"])
        },
        || run(Path::new("sh"), root, &["-c", hashed]),
    )
}

/// A task has begun: before that, there is no folder for a cache.
fn warm(verify: &Path, project: &Project) -> Done<String> {
    let root = project.root();
    shell::read(Command::new(verify).arg("begin").current_dir(root).stdin(Stdio::null()))?;
    run(verify, root, &["fingerprint"])?;
    ratio(11, || run(verify, root, &["fingerprint"]), || run(Path::new("git"), root, &["status"]))
}

/// The median of the ratios within each pair, and both medians.
pub(super) fn ratio(
    pairs: usize,
    mut ours: impl FnMut() -> Done<Duration>,
    mut theirs: impl FnMut() -> Done<Duration>,
) -> Done<String> {
    let mut times = Vec::with_capacity(pairs);
    for _ in 0..pairs {
        times.push((ours()?, theirs()?));
    }
    let nanos = |(ours, theirs): &(Duration, Duration)| ours.as_nanos() * 1000 / theirs.as_nanos().max(1);
    let ratio = median(times.iter().map(nanos).collect()).ok_or("nothing was tried")? as f64 / 1000.0;
    let (ours, theirs): (Vec<_>, Vec<_>) = times.into_iter().unzip();
    let shown = |times| median(times).map_or_else(String::new, shown);
    Ok(format!("{ratio:.2} ({} over {})", shown(ours), shown(theirs)))
}

fn large(verify: &Path) -> Done<String> {
    const SIZE: u64 = 1 << 30;
    let project = Project::new(0)?;
    std::fs::File::create(project.root().join("large"))?.set_len(SIZE)?;
    let took = median_of(5, || run(verify, project.root(), &["fingerprint"]))?;
    Ok(format!("{:.0} MB/s", rate(SIZE, took)))
}

/// Each time all verdicts are written: into a folder that isn't there.
fn patrol(verify: &Path) -> Done<String> {
    let claims = Claims::new(10_000)?;
    let (done, malformed) = claims.counts();
    let mut out = (0..).map(|round| format!("verdicts-{round}"));
    median_of(5, || {
        let mut command = Command::new(verify);
        command.args(["patrol", Claims::FOLDER, "--once", "--quiet"]).current_dir(claims.root());
        command.arg("--out").args(out.next()).stdin(Stdio::null());
        let (took, output) = timed(|| command.output());
        let said = String::from_utf8_lossy(&output?.stdout).trim().to_owned();
        if said.contains(&format!("({done} done_clean, {malformed} failed)")) {
            return Ok(took);
        }
        Err(format!("the patrol judged otherwise: {said}").into())
    })
    .map(shown)
}

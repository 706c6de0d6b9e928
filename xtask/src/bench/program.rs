//! The program `verify` as a whole.

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::Row;
use super::timing::{median, median_of, rate, shown, timed};
use crate::generate::{PYTEST_NOISE, Project};
use crate::shell::{self, Done};

const PAIRS: usize = 21;
const NOISE: u64 = 1_000_000_000;

pub(crate) fn rows(verify: &Path) -> Vec<Row> {
    eprintln!("bench: the program");
    let help = median_of(PAIRS, || run(verify, verify.parent().unwrap_or(verify), &["--help"])).map(shown);
    let mut rows = vec![Row::new("`verify --help`", help, "bar: 5 ms")];
    let (overhead, status) = match Project::new(1_000) {
        Ok(project) => (overhead(verify, &project), status(verify, &project)),
        Err(why) => (Err(why.to_string().into()), Err(why)),
    };
    rows.push(Row::new("`verify green` over the bare command, 1,000 files", overhead, "bar: 30 ms"));
    rows.push(Row::new("`verify status`, 1,000 files", status, "bar: 15 ms"));
    eprintln!("bench: fingerprints");
    let (first, later, git) = match Project::new(10_000) {
        Ok(project) => fingerprints(verify, &project),
        Err(why) => (Err(why.to_string().into()), Err(why), String::new()),
    };
    rows.push(Row::new(
        "`verify fingerprint`, 10,000 files, without its cache",
        first,
        "files in the page cache",
    ));
    rows.push(Row::new("the same with its cache", later, git));
    eprintln!("bench: 1 GB of noise");
    let (memory, speed) = match noise(verify) {
        Ok((memory, speed)) => (Ok(memory), Ok(speed)),
        Err(why) => (Err(why.to_string().into()), Err(why)),
    };
    rows.push(Row::new(
        "`verify parse --as pytest -`, 1 GB of noise: peak anonymous memory",
        memory,
        "bar: 64 MiB",
    ));
    rows.push(Row::new("the same: speed, with the generator beside it", speed, ""));
    rows
}

/// How long a command takes that must succeed and say something.
fn run(program: &Path, folder: &Path, arguments: &[&str]) -> Done<Duration> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    let (took, output) = timed(|| command.output());
    let output = output.map_err(|error| format!("{} could not be started: {error}", program.display()))?;
    if output.status.success() && !output.stdout.is_empty() {
        return Ok(took);
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    let said = said.lines().next().unwrap_or("it said nothing").to_owned();
    Err(format!("`verify {}`: {}: {said}", arguments.join(" "), output.status).into())
}

/// The difference within each pair, so that what else the machine does falls on both.
fn overhead(verify: &Path, project: &Project) -> Done<String> {
    shell::read(Command::new(verify).arg("begin").current_dir(project.root()).stdin(Stdio::null()))?;
    let [shell, script] = Project::CHECK;
    let mut differences = Vec::new();
    let mut bare_times = Vec::new();
    for _ in 0..PAIRS {
        let bare = run(Path::new(shell), project.root(), &[script])?;
        let green = run(verify, project.root(), &["green", "--format", "json"])?;
        bare_times.push(bare);
        differences.push(green.saturating_sub(bare));
    }
    let difference = median(differences).ok_or("nothing was tried")?;
    let bare = median(bare_times).ok_or("nothing was tried")?;
    Ok(format!("{} (bare: {})", shown(difference), shown(bare)))
}

fn status(verify: &Path, project: &Project) -> Done<String> {
    median_of(PAIRS, || run(verify, project.root(), &["status", "--format", "json"])).map(shown)
}

fn fingerprints(verify: &Path, project: &Project) -> (Done<String>, Done<String>, String) {
    let root = project.root();
    let fingerprint = || run(verify, root, &["fingerprint"]);
    let first = median_of(5, || {
        let _ = std::fs::remove_dir_all(root.join(".verify").join("cache"));
        fingerprint()
    });
    let later = median_of(11, fingerprint);
    let git = median_of(11, || {
        let (took, output) = timed(|| Command::new("git").arg("status").current_dir(root).output());
        output?;
        Ok(took)
    });
    let git = git.map_or_else(|why| why.to_string(), |took| format!("git status: {}", shown(took)));
    (first.map(shown), later.map(shown), git)
}

fn noise(verify: &Path) -> Done<(String, String)> {
    let mut command = Command::new(verify);
    command.args(["parse", "--as", "pytest", "--format", "json", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| format!("{}: {error}", verify.display()))?;
    let (took, fed) = timed(|| feed(&mut child));
    let status = child.wait()?;
    let (peak, cases) = fed.map_err(|error| format!("{error} ({status})"))?;
    if !status.success() {
        return Err(format!("`verify parse` failed: {status}").into());
    }
    let memory = format!("{:.1} MiB with {cases} cases", peak as f64 / 1024.0);
    Ok((memory, format!("{:.0} MB/s", rate(NOISE, took))))
}

/// Feeds the noise and looks at the memory every few MB, last when the end was written and while it works on that.
fn feed(child: &mut Child) -> Done<(u64, u64)> {
    let mut input = child.stdin.take().ok_or("its standard input is not there")?;
    let pid = child.id();
    let (mut peak, mut blocks, mut seen) = (0, 0_u64, false);
    let mut look = || {
        if let Some(now) = anonymous_kib(pid) {
            peak = peak.max(now);
            seen = true;
        }
    };
    let cases = PYTEST_NOISE.write(NOISE, |block| {
        blocks += 1;
        if blocks.is_multiple_of(64) {
            look();
        }
        input.write_all(block)
    })?;
    drop(input);
    while child.try_wait()?.is_none() {
        look();
        std::thread::yield_now();
    }
    if seen { Ok((peak, cases)) } else { Err("this system does not tell a process's memory".into()) }
}

fn anonymous_kib(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}

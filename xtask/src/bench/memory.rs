//! `verify` on large outputs: its memory while it reads, and its speed.

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use super::Row;
use super::timing::{median, rate, timed};
use crate::generate::{Output, PYTEST_DENSE, PYTEST_NOISE, Project};
use crate::shell::{self, Done};

const NOISE: u64 = 1_000_000_000;
const DENSE: u64 = 100_000_000;
const BAR: &str = "bar: 64 MiB";

pub(crate) fn rows(verify: &Path) -> Vec<Row> {
    eprintln!("bench: large outputs");
    let piped = noise(verify);
    let filed = Input::new(&PYTEST_NOISE, NOISE).map_err(|why| why.to_string());
    let with_file = |measure: &dyn Fn(&Input) -> Done<Measured>| match &filed {
        Ok(input) => measure(input),
        Err(why) => Err(why.as_str().into()),
    };
    let read = with_file(&|input| Measured::of(&mut parse(verify, &input.file()), input.bytes));
    let green = with_file(&|input| green(verify, input));
    let mut rows = vec![
        Row::new("`verify parse --as pytest -`, 1 GB of noise", shown(piped), BAR),
        Row::new("`verify parse --as pytest FILE`, 1 GB of noise", shown(read), BAR),
        Row::new("`verify green`, a check that prints 1 GB of noise", shown(green), BAR),
    ];
    drop(filed);
    rows.push(Row::new(
        "`verify parse --format json`, 100 MB of passing pytest cases",
        whole(verify),
        "bar: 250 MB/s",
    ));
    rows
}

/// An output in a file.
struct Input {
    file: tempfile::NamedTempFile,
    bytes: u64,
    cases: u64,
}

impl Input {
    fn new(output: &Output, size: u64) -> Done<Self> {
        let mut file = tempfile::NamedTempFile::new()?;
        let cases = output.write(size, |block| file.write_all(block))?;
        let bytes = file.as_file().metadata()?.len();
        Ok(Self { file, bytes, cases })
    }

    fn file(&self) -> String {
        self.file.path().display().to_string()
    }
}

/// What a command cost.
struct Measured {
    took: Duration,
    peak_kib: u64,
    bytes: u64,
}

impl Measured {
    /// Runs a command to its end, and looks at its memory all the time.
    fn of(command: &mut Command, bytes: u64) -> Done<Self> {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let mut memory = Memory::default();
        let (took, status) = timed(|| memory.until_end(&mut child));
        Ok(Self { took, peak_kib: memory.judged(status?)?, bytes })
    }
}

fn shown(measured: Done<Measured>) -> Done<String> {
    let Measured { took, peak_kib, bytes } = measured?;
    let peak = peak_kib as f64 / 1024.0;
    Ok(format!("peak anonymous {peak:.1} MiB, {:.0} MB/s", rate(bytes, took)))
}

fn parse(verify: &Path, input: &str) -> Command {
    let mut command = Command::new(verify);
    command.args(["parse", "--as", "pytest", "--format", "json", input]);
    command
}

fn green(verify: &Path, input: &Input) -> Done<Measured> {
    let project = Project::printing(input.file.path(), "pytest")?;
    shell::read(Command::new(verify).arg("begin").current_dir(project.root()).stdin(Stdio::null()))?;
    Measured::of(Command::new(verify).arg("green").current_dir(project.root()), input.bytes)
}

fn whole(verify: &Path) -> Done<String> {
    let input = Input::new(&PYTEST_DENSE, DENSE)?;
    let runs = (0..5).map(|_| Measured::of(&mut parse(verify, &input.file()), input.bytes));
    let runs = runs.collect::<Done<Vec<_>>>()?;
    let took = median(runs.iter().map(|run| run.took).collect()).ok_or("nothing was tried")?;
    let peak = runs.iter().map(|run| run.peak_kib).max().unwrap_or(0);
    let each = peak * 1024 / input.cases.max(1);
    Ok(format!(
        "{:.0} MB/s, {each} B of memory a case of {} B",
        rate(input.bytes, took),
        input.bytes / input.cases.max(1)
    ))
}

/// Noise through a pipe, made meanwhile: that counts in its speed.
fn noise(verify: &Path) -> Done<Measured> {
    let mut child = parse(verify, "-").stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
    let mut input = child.stdin.take().ok_or("its standard input is not there")?;
    let mut memory = Memory::default();
    let mut written = 0;
    let mut blocks = 0_u64;
    let (took, status) = timed(|| {
        PYTEST_NOISE.write(NOISE, |block| {
            blocks += 1;
            if blocks.is_multiple_of(64) {
                memory.look(&child);
            }
            written += block.len() as u64;
            input.write_all(block)
        })?;
        drop(input);
        memory.until_end(&mut child)
    });
    Ok(Measured { took, peak_kib: memory.judged(status?)?, bytes: written })
}

/// The largest anonymous memory that was seen of a process, in KiB.
#[derive(Default)]
struct Memory(Option<u64>);

impl Memory {
    fn look(&mut self, child: &Child) {
        let anonymous = || {
            let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
            let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
            line.trim().strip_suffix(" kB")?.trim().parse().ok()
        };
        self.0 = self.0.max(anonymous());
    }

    fn until_end(&mut self, child: &mut Child) -> std::io::Result<ExitStatus> {
        loop {
            self.look(child);
            if let Some(status) = child.try_wait()? {
                return Ok(status);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// The peak, if the command came to a verdict, be it a rejection.
    fn judged(&self, status: ExitStatus) -> Done<u64> {
        if !matches!(status.code(), Some(0 | 1)) {
            return Err(format!("it failed: {status}").into());
        }
        self.0.ok_or_else(|| "this system does not tell a process's memory".into())
    }
}

//! Lays a project out, builds it, runs it, and takes its TRX files.

use std::path::{Path, PathBuf};

use super::super::launch::{self, Invocation, Ran};
use super::super::record;
use super::super::recording::{Recording, Truth};
use super::super::seed::Seed;
use super::super::tools::{self, Found, Tool};
use super::super::verdict::{self, Facts};
use super::{Declared, Header, Stack, truth, trx};
use crate::shell::{Done, target};

/// The SDK, or that there is none.
pub(in crate::corpus) fn provision() -> Done<Found> {
    let program = tools::which("dotnet").map_err(|_| {
        "there is no `dotnet` on PATH; install the .NET SDK 10 to record, or keep the recordings that are here"
    })?;
    let home = target().join("runners").join("nuget");
    std::fs::create_dir_all(&home)?;
    let replace = vec![(home.display().to_string(), "/opt/nuget".to_owned())];
    Ok(Found { program, home, replace })
}

/// Records one run into its folder.
pub(in crate::corpus) fn record(
    seed: &Seed,
    tool: &Tool,
    found: &Found,
    (name, flags): (&str, &tools::Flags),
    folder: &Path,
) -> Done {
    let header = seed.header.dotnet.as_ref().ok_or("the seed has no `[dotnet]` table")?;
    let stack = tool.dotnet.as_ref().ok_or("the tool has no `[tool.dotnet]` table")?;
    let place = tempfile::Builder::new().prefix("kit").tempdir_in("/tmp")?;
    let (project, scratch) = (place.path().join("kit"), place.path().join("scratch"));
    std::fs::create_dir_all(&project)?;
    std::fs::create_dir_all(&scratch)?;
    lay_out(seed, header, stack, &project)?;
    let kit = Kit { found, flags, project: &project, scratch: &scratch };
    if !header.no_build {
        kit.prepare(&format!("dotnet build {} -v q --nologo", header.target.join(" ")))?;
    }
    let writes_trx = !header.no_trx && !flags.dotnet.no_trx;
    let (ran, files) = kit.run(header, stack, writes_trx)?;
    let outcomes = if writes_trx || header.no_trx || header.by_hand {
        outcomes(&files)?
    } else {
        let (again, files) = kit.run(header, stack, true)?;
        if again.exit_code != ran.exit_code {
            return Err("a second run of the same build ended otherwise".into());
        }
        outcomes(&files)?
    };
    if let Some(wanted) = header.exit
        && ran.exit_code != Some(wanted)
    {
        return Err(format!("it ended with {:?}, and should with {wanted}", ran.exit_code).into());
    }
    let declared = header.declared(&tool.folder(), name);
    let known = if header.by_hand { &[][..] } else { &outcomes };
    let source = match (header.by_hand || header.no_trx, writes_trx) {
        (true, _) => "by construction",
        (false, true) => "TRX of the same run",
        (false, false) => "TRX of a second run of the same build",
    };
    let truth = told(known, &declared, &ran, source, flags.dotnet.partial)?;
    let recording = Recording {
        kind: "recorded".to_owned(),
        tool: tool.name.clone(),
        version: tool.version.clone(),
        argv: vec!["sh".to_owned(), "-c".to_owned(), command(header, stack, flags, writes_trx)],
        env: flags.env.clone(),
        exit_code: ran.exit_code,
        signal: ran.signal,
        seed: Some(seed.name.clone()),
        why: seed.header.why.clone(),
        truth,
    };
    record::write(folder, &recording, &ran, flags.merged || flags.terminal)?;
    if flags.dotnet.keep_trx
        && let Some(file) = files.first()
    {
        std::fs::create_dir_all(folder.join("artifacts"))?;
        std::fs::copy(file, folder.join("artifacts").join("report.trx"))?;
    }
    Ok(())
}

/// Writes the seed's files, the tool's project file where the seed has none, and what chooses the platform.
fn lay_out(seed: &Seed, header: &Header, stack: &Stack, project: &Path) -> Done {
    if !seed.files.iter().any(|(path, _)| path.ends_with("proj")) {
        std::fs::write(project.join(format!("{}.{}", header.project, stack.ending)), &stack.project)?;
    }
    if stack.platform {
        let chosen = "{ \"test\": { \"runner\": \"Microsoft.Testing.Platform\" } }\n";
        std::fs::write(project.join("global.json"), chosen)?;
    }
    for (path, content) in &seed.files {
        let path = project.join(path);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut text = String::from_utf8(content.clone())?;
        for (name, value) in &stack.vars {
            text = text.replace(&format!("{{{{{name}}}}}"), value);
        }
        std::fs::write(path, text)?;
    }
    Ok(())
}

/// The shell line of a run.
fn command(header: &Header, stack: &Stack, flags: &tools::Flags, writes_trx: bool) -> String {
    let own = flags.dotnet.platform_args.as_ref().filter(|_| stack.platform).unwrap_or(&flags.args);
    let quoted =
        |words: &[String]| words.iter().map(|word| record::quoted(word)).collect::<Vec<_>>().join(" ");
    let (own, trx) = (quoted(own), if writes_trx { quoted(&stack.trx) } else { String::new() });
    if let Some(line) = &header.command {
        return line.replace("{flags}", &own).replace("{trx}", &trx);
    }
    let kind = match header.target.first() {
        Some(target) if stack.platform && target.contains(".sln") => "--solution ",
        Some(target) if stack.platform && !target.starts_with('-') => "--project ",
        _ => "",
    };
    let words = [format!("{kind}{}", quoted(&header.target)), own, trx];
    let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| !word.is_empty()).collect();
    ["dotnet test", &words.join(" ")].join(" ").trim_end().to_owned()
}

struct Kit<'a> {
    found: &'a Found,
    flags: &'a tools::Flags,
    project: &'a Path,
    scratch: &'a Path,
}

impl Kit<'_> {
    fn shell(&self, line: &str) -> Invocation {
        let mut invocation = Invocation {
            program: "sh".into(),
            args: vec!["-c".to_owned(), line.to_owned()],
            merged: self.flags.merged || self.flags.terminal,
            replace: self.found.replace.clone(),
            ..Invocation::default()
        };
        let packages = self.found.home.display().to_string();
        for (name, value) in [
            ("NUGET_PACKAGES", packages.as_str()),
            ("DOTNET_NOLOGO", "1"),
            ("DOTNET_CLI_TELEMETRY_OPTOUT", "1"),
            ("TESTINGPLATFORM_TELEMETRY_OPTOUT", "1"),
            ("MSBUILDDISABLENODEREUSE", "1"),
            ("DOTNET_CLI_USE_MSBUILD_SERVER", "0"),
            ("DOTNET_CLI_WORKLOAD_UPDATE_NOTIFY_DISABLE", "true"),
            ("DOTNET_GENERATE_ASPNET_CERTIFICATE", "false"),
        ] {
            invocation.env.insert(name.to_owned(), value.to_owned());
        }
        invocation
    }

    fn prepare(&self, line: &str) -> Done {
        let ran = launch::run(&self.shell(line), self.project, self.scratch)?;
        match ran.exit_code {
            Some(0) => Ok(()),
            _ => Err(format!("`{line}` failed:\n{}", launch::plain(&ran.stdout)).into()),
        }
    }

    /// What the run printed, and the TRX files that it wrote.
    fn run(&self, header: &Header, stack: &Stack, writes_trx: bool) -> Done<(Ran, Vec<PathBuf>)> {
        for file in trx::files(self.project)? {
            std::fs::remove_file(file)?;
        }
        for line in &header.before {
            self.prepare(line)?;
        }
        let mut invocation = self.shell(&command(header, stack, self.flags, writes_trx));
        invocation.env.extend(self.flags.env.clone());
        if self.flags.terminal {
            record::on_a_terminal(&mut invocation);
        }
        let ran = launch::run(&invocation, self.project, self.scratch)?;
        Ok((ran, trx::files(self.project)?))
    }
}

fn outcomes(files: &[PathBuf]) -> Done<Vec<trx::Outcome>> {
    let mut all = Vec::new();
    for file in files {
        all.extend(trx::outcomes(&std::fs::read_to_string(file)?)?);
    }
    Ok(all)
}

fn told(
    outcomes: &[trx::Outcome],
    declared: &Declared,
    ran: &Ran,
    source: &str,
    partial: bool,
) -> Done<Truth> {
    let console = launch::plain(&[ran.stdout.as_slice(), b"\n", ran.stderr.as_slice()].concat());
    let cases = truth::cases(outcomes, declared, &console, partial)?;
    let completeness = declared.completeness.clone().unwrap_or_else(|| "complete".to_owned());
    let facts = Facts {
        exit_code: ran.exit_code,
        complete: completeness == "complete",
        cases: &cases,
        problems: &declared.problems,
        plan_mismatch: false,
        contradiction: false,
    };
    let (red, green) = (verdict::red(&facts), verdict::green(&facts));
    let count = |status: &str| cases.iter().filter(|case| case.status == status).count() as u64;
    let counted = ["passed", "failed", "skipped"].map(|status| (status.to_owned(), count(status)));
    let counted = counted.into_iter().filter(|(_, count)| *count > 0).collect();
    Ok(Truth {
        source: source.to_owned(),
        completeness,
        red,
        green,
        recoverable: declared.why_not.is_none(),
        why_not: declared.why_not.clone(),
        totals: Some(declared.totals.clone().unwrap_or(counted)),
        cases,
        problems: declared.problems.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(header: &str, platform: bool, args: &[&str]) -> String {
        let header: Header = toml::from_str(&format!("runs = []\n{header}")).unwrap();
        let stack: Stack =
            toml::from_str(&format!("platform = {platform}\ntrx = [\"--logger\", \"trx\"]")).unwrap();
        let args = args.iter().map(|word| (*word).to_owned()).collect();
        command(&header, &stack, &tools::Flags { args, ..tools::Flags::default() }, true)
    }

    #[test]
    fn a_run_is_a_shell_line() {
        assert_eq!(line("", false, &["-v", "q"]), "dotnet test '-v' 'q' '--logger' 'trx'");
        assert_eq!(
            line("target = [\"A.slnx\"]", true, &[]),
            "dotnet test --solution 'A.slnx' '--logger' 'trx'"
        );
        assert_eq!(line("command = \"./a {flags} {trx}\"", false, &["-x"]), "./a '-x' '--logger' 'trx'");
    }
}

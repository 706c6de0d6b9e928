//! Errors of the build: `/w/A.cs(7,3): error CS0103: text [/w/A.csproj]`, as MSBuild, NuGet and the compilers write them.

use memchr::memmem;

use super::Dotnet;
use super::shape::file_name;
use crate::text::lossy;
use crate::{Kind, Line, Lines, Problem};

/// One error of the build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Diagnostic<'t> {
    /// File with line and column, or the tool.
    origin: &'t [u8],
    pub(super) code: &'t [u8],
    message: &'t [u8],
    project: Option<&'t [u8]>,
}

/// What the build said so far.
#[derive(Debug, Default)]
pub(super) struct Build {
    problems: Vec<Found>,
}

#[derive(Debug)]
struct Found {
    problem: Problem,
    /// The project's name without its ending.
    stem: String,
    /// The project's path, where it is whole.
    path: String,
    /// Nothing but the indentation tells it from what a test prints.
    bare: bool,
}

/// So many projects and kinds are told apart.
const MOST: usize = 1000;

/// What each error has in it.
pub(super) const ERROR: &[u8] = b": error ";

/// Reads an error of the build, which has the word at `at`.
pub(super) fn diagnostic(text: &[u8], at: usize) -> Option<Diagnostic<'_>> {
    let origin = text.get(..at)?.trim_ascii();
    // With more detail each line begins with the number of its node: `1>`.
    let digits = origin.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let origin = origin.get(digits..).and_then(|rest| rest.strip_prefix(b">")).unwrap_or(origin).trim_ascii();
    let rest = text.get(at + 8..)?;
    let colon = memchr::memchr(b':', rest)?;
    let (code, message) = (rest.get(..colon)?.trim_ascii(), rest.get(colon + 1..)?.trim_ascii());
    let letters = code.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    if !code.iter().all(u8::is_ascii_alphanumeric) || letters == 0 && !code.is_empty() {
        return None;
    }
    let project = message.strip_suffix(b"]").and_then(|inner| {
        let open = memmem::rfind(inner, b" [")
            .map_or_else(|| inner.starts_with(b"[").then_some(1), |at| Some(at + 2))?;
        let path = inner.get(open..)?;
        let path = memmem::find(path, b"::TargetFramework=").and_then(|at| path.get(..at)).unwrap_or(path);
        is_project(path).then_some(path)
    });
    Some(Diagnostic { origin, code, message, project })
}

fn is_project(path: &[u8]) -> bool {
    [&b"proj"[..], b".sln", b".slnx", b".metaproj", b".targets", b".props"]
        .iter()
        .any(|end| path.ends_with(end))
}

/// The file of `file(7,3)`.
fn file(origin: &[u8]) -> &[u8] {
    let open = origin.strip_suffix(b")").and_then(|inner| memchr::memrchr(b'(', inner));
    open.and_then(|at| origin.get(..at)).unwrap_or(origin)
}

fn is_source(file: &[u8]) -> bool {
    [&b".cs"[..], b".fs", b".fsi", b".vb", b".razor", b".cshtml", b".xaml"]
        .iter()
        .any(|end| file.ends_with(end))
}

/// What compilers and their analysers say is `compile`; restoring, MSBuild and the SDK come before.
fn kind(found: &Diagnostic<'_>) -> Kind {
    // Under the terminal logger VSTest's last words are errors of the build as well.
    match found.code {
        b"TESTRUNABORT" => return Kind::Crash,
        b"TESTRUNCANCEL" => return Kind::Interrupted,
        _ => {}
    }
    let compiles = [&b"CS"[..], b"FS", b"BC", b"VB"].iter().any(|start| {
        found
            .code
            .strip_prefix(*start)
            .is_some_and(|rest| !rest.is_empty() && rest.iter().all(u8::is_ascii_digit))
    });
    if compiles || is_source(file(found.origin)) { Kind::Compile } else { Kind::Startup }
}

impl Dotnet {
    /// Takes an error of the build.
    pub(super) fn build_error(&mut self, line: Line<'_>, found: &Diagnostic<'_>) {
        let file = file(found.origin);
        let tool = matches!(found.origin, b"MSBUILD" | b"CSC" | b"FSC" | b"VBC");
        let project = found.project.or_else(|| is_project(file).then_some(file));
        let stem = project.map(|path| {
            let name = file_name(path);
            name.get(..memchr::memrchr(b'.', name).unwrap_or(name.len())).unwrap_or_default()
        });
        let kind = kind(found);
        let subject = project.map(|path| lossy(file_name(path)).into_owned());
        // The same error may be told twice, once among those of its project and once at the end.
        let known = self.build.problems.iter().any(|one| {
            one.problem.kind == kind && (subject.is_none() && !tool || one.problem.subject == subject)
        });
        if known || self.build.problems.len() >= MOST {
            return;
        }
        let message = found.message.get(
            ..memmem::rfind(found.message, b" [")
                .filter(|_| found.project.is_some())
                .unwrap_or(found.message.len()),
        );
        self.build.problems.push(Found {
            problem: Problem {
                kind,
                subject,
                error: (!found.code.is_empty()).then(|| lossy(found.code).into_owned()),
                message: message.map(|text| lossy(text).into_owned()),
                lines: Lines::one(line.number),
            },
            stem: stem.map_or(String::new(), |stem| lossy(stem).into_owned()),
            path: project.map_or(String::new(), |path| lossy(path).into_owned()),
            bare: found.project.is_none() && !tool && !is_project(file) && !found.code.starts_with(b"TEST"),
        });
    }
}

impl Build {
    /// The errors that are no output of a test. `ran`: the assemblies whose tests ran, which were built, with their
    /// paths. `has_begun`: tests ran.
    pub(super) fn problems(self, ran: &[(String, String)], has_begun: bool) -> Vec<Problem> {
        self.problems
            .into_iter()
            .filter(|found| !ran.iter().any(|(module, _)| *module == found.stem))
            .filter(|found| !(found.bare && has_begun))
            .filter(|found| ran.is_empty() || ran.iter().any(|(_, path)| is_beside(&found.path, path)))
            .map(|found| found.problem)
            .collect()
    }
}

/// Whether a project may be of the same build as an assembly: their paths begin alike.
fn is_beside(project: &str, assembly: &str) -> bool {
    let is_separator = |c: char| matches!(c, '/' | '\\');
    let Some((folder, _)) = project.rsplit_once(is_separator) else { return true };
    let assembly = assembly.find(is_separator).and_then(|at| assembly.get(at..)).unwrap_or(assembly);
    let folder = folder.find(is_separator).and_then(|at| folder.get(at..)).unwrap_or(folder);
    folder.split(is_separator).zip(assembly.split(is_separator)).take(2).all(|(one, other)| one == other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Diagnostic<'_>> {
        diagnostic(text.as_bytes(), memmem::find(text.as_bytes(), ERROR)?)
    }

    #[track_caller]
    fn check(text: &str, code: &str, project: Option<&str>, want: Kind) {
        let found = read(text).unwrap();
        assert_eq!(
            (lossy(found.code).as_ref(), found.project.map(lossy).as_deref()),
            (code, project),
            "{text}"
        );
        assert_eq!(kind(&found), want, "{text}");
    }

    #[test]
    fn errors_say_where_and_what() {
        check(
            "/w/A.cs(7,3): error CS0103: no 'x' [/w/A.csproj]",
            "CS0103",
            Some("/w/A.csproj"),
            Kind::Compile,
        );
        check(
            "/w/A.cs(7,3): error xUnit1026: x [/w/A.csproj::TargetFramework=net9.0]",
            "xUnit1026",
            Some("/w/A.csproj"),
            Kind::Compile,
        );
        check("     1>/w/A.csproj : error NU1101: no package", "NU1101", None, Kind::Startup);
        check("MSBUILD : error MSB1009: Project file does not exist.", "MSB1009", None, Kind::Startup);
        check(
            "/w/x.targets(7,5): error : below the threshold [/w/A.csproj]",
            "",
            Some("/w/A.csproj"),
            Kind::Startup,
        );
        check("    /w/A.csproj : error TESTRUNABORT: Test Run Aborted.", "TESTRUNABORT", None, Kind::Crash);
        check("    /w/Tests.fs(7,3): error FS0039: x", "FS0039", None, Kind::Compile);
    }

    #[test]
    fn other_words_are_no_errors() {
        for text in ["there was an error CS0103: x", "a: error in b: c", "x: error b-c: d", "db: error: no"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}

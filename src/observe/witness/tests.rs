use std::collections::BTreeMap;

use super::*;
use crate::plan::{Check, Source, read};

fn check_of(lines: &str) -> Check {
    let text = format!("version = 1\n[[checks]]\nid = \"a\"\nidentities = \"any\"\n{lines}\n");
    read(&Source { name: "verify.toml", text: text.as_bytes(), folder_name: "a" }).unwrap().checks.remove(0)
}

/// Asks for a witness in a folder with these files; gives the command as changed, or why it wasn't.
fn asked(lines: &str, files: &[(&str, &str)]) -> Result<String, String> {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        fs::create_dir_all(folder.path().join(path).parent().unwrap()).unwrap();
        fs::write(folder.path().join(path), text).unwrap();
    }
    let check = check_of(lines);
    let mut command = Command::new(&check.command, folder.path());
    command.env.extend(check.env.iter().map(|(name, value)| (name.into(), Some(value.into()))));
    match ask(&check, &mut command, folder.path()).unwrap() {
        Asked::No(facts) => match facts.found {
            WitnessFound::NotAsked(why) => Err(why),
            other => panic!("{other:?}"),
        },
        Asked::Yes(waiting) => {
            let own = waiting.folder.path().to_string_lossy().into_owned();
            let words = command.argv.iter().map(|word| word.to_string_lossy().replace(&own, "OWN"));
            Ok(words.collect::<Vec<_>>().join(" "))
        }
    }
}

#[track_caller]
fn is_asked(lines: &str, files: &[(&str, &str)], wanted: &str) {
    assert_eq!(asked(lines, files).as_deref(), Ok(wanted));
}

#[track_caller]
fn is_not_asked(lines: &str, files: &[(&str, &str)], why: &str) {
    let said = asked(lines, files).unwrap_err();
    assert!(said.contains(why), "{said}");
}

const UNITTEST: &str = "parser = \"unittest\"\ncommand = [\"python3\", \"-m\", \"unittest\", \"-v\"]";

#[test]
fn a_recorder_runs_what_python_was_told_to() {
    is_asked(UNITTEST, &[], "python3 OWN/unittest_recorder.py OWN/unittest.jsonl -m unittest -v");
}

#[test]
fn a_runner_is_not_asked_for_a_reason() {
    is_not_asked(&format!("{UNITTEST}\nwitness = \"off\""), &[], "`witness = \"off\"`");
    is_not_asked("parser = \"tap\"\ncommand = [\"prove\"]", &[], "knows no structured report");
    is_not_asked(
        "parser = \"unittest\"\ncommand = [\"sh\", \"-c\", \"python3 -m unittest\"]",
        &[],
        "wrapper",
    );
    is_not_asked(
        "parser = \"unittest\"\ncommand = [\"coverage\", \"run\", \"-m\", \"unittest\"]",
        &[],
        "would measure the recorder",
    );
}

const PYTEST: &str = "parser = \"pytest\"\ncommand = [\"pytest\", \"-q\", \"sub\"]";
const ASKED: &str = "pytest --junit-xml=OWN/pytest.xml -q sub";

#[test]
fn a_runner_is_asked_by_words_of_its_own() {
    is_asked(PYTEST, &[], ASKED);
    is_asked(PYTEST, &[("pytest.ini", "[pytest]\naddopts = -p no:cacheprovider\n")], ASKED);
    is_asked(PYTEST, &[("setup.cfg", "[pytest]\naddopts = --junitxml=x\n")], ASKED);
    is_asked(PYTEST, &[("tox.ini", "[testenv]\ncommands = pytest --junitxml=x\n")], ASKED);
    is_asked(PYTEST, &[("other/pytest.ini", "[pytest]\naddopts = --junitxml=x\n")], ASKED);
}

#[test]
fn what_the_project_settles_stays_settled() {
    for files in [
        ("pytest.ini", "[pytest]\naddopts = --junitxml=x\n"),
        ("sub/pytest.ini", "[pytest]\naddopts = -p no:junitxml\n"),
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = \"--junit-xml x\"\n"),
        ("tox.ini", "[pytest]\naddopts =\n  --junitxml=x\n"),
        ("setup.cfg", "[tool:pytest]\naddopts = --junitxml=x\n"),
    ] {
        is_not_asked(PYTEST, &[files, ("sub/test_a.py", "")], "the project settles it by");
    }
    is_not_asked(&format!("{PYTEST}\nenv = {{ PYTEST_ADDOPTS = \"--junitxml=x\" }}"), &[], "--junitxml=x");
    let own = "parser = \"pytest\"\ncommand = [\"pytest\", \"-p\", \"no:junitxml\"]";
    is_not_asked(own, &[], "`no:junitxml`");
}

#[test]
fn a_report_is_read_with_its_hash() {
    let check = check_of(UNITTEST);
    let mut command = Command::new(&check.command, ".");
    let Asked::Yes(waiting) = ask(&check, &mut command, Path::new(".")).unwrap() else { panic!("not asked") };
    let text = "{\"at\": \"begin\"}\n";
    fs::write(waiting.folder.path().join("unittest.jsonl"), text).unwrap();
    let facts = waiting.read(&Options::default()).unwrap();
    assert_eq!(facts.sha256, Some(Sha256::of(text.as_bytes())));
    assert!(matches!(facts.found, WitnessFound::Reports { reports, .. } if reports.len() == 1));
}

#[test]
fn a_report_that_is_no_file_is_missing() {
    for make in [|_: &Path| {}, |path: &Path| fs::create_dir(path).unwrap()] {
        let check = check_of(UNITTEST);
        let mut command = Command::new(&check.command, ".");
        let Asked::Yes(waiting) = ask(&check, &mut command, Path::new(".")).unwrap() else {
            panic!("not asked")
        };
        make(&waiting.folder.path().join("unittest.jsonl"));
        assert!(matches!(waiting.read(&Options::default()).unwrap().found, WitnessFound::Missing));
    }
}

#[test]
fn the_table_of_recorders_is_that_of_the_grammars() {
    let mut kinds = BTreeMap::new();
    for format in Format::all() {
        let Some(witness) = &format.grammar().witness else { continue };
        let words = witness.before.iter().chain(&witness.behind).chain(witness.environment.values());
        kinds.insert(witness.kind.as_str(), words.into_iter().any(|word| word.contains("{recorder}")));
    }
    for (kind, recorded) in kinds {
        assert_eq!(RECORDERS.iter().any(|(of, ..)| *of == kind), recorded, "{kind}");
    }
}

#[test]
fn every_grammar_s_report_has_a_reader() {
    for format in Format::all() {
        let Some(witness) = &format.grammar().witness else { continue };
        assert!(can_read(&witness.read), "{}: {}", format.word(), witness.read);
    }
}

#[test]
fn jest_is_asked_by_itself_and_through_a_script() {
    let jest = |command: &str| format!("parser = \"jest\"\ncommand = {command}");
    is_asked(
        &jest("[\"npx\", \"jest\", \"-t\", \"x\"]"),
        &[],
        "npx jest --json --outputFile=OWN/jest.json -t x",
    );
    let package = ("package.json", r#"{"scripts": {"test": "NODE_OPTIONS=--experimental-vm-modules jest"}}"#);
    is_asked(&jest("[\"npm\", \"test\"]"), &[package], "npm test -- --json --outputFile=OWN/jest.json");
    let own = ("package.json", r#"{"scripts": {"test": "jest --json"}}"#);
    is_not_asked(&jest("[\"npm\", \"test\"]"), &[own], "`--json`");
    let liar = ("package.json", r#"{"scripts": {"test": "jest || exit 0"}}"#);
    is_not_asked(&jest("[\"npm\", \"test\"]"), &[liar], "wrapper");
}

#[test]
fn dotnet_is_asked_where_it_takes_loggers() {
    let dotnet = "parser = \"dotnet\"\ncommand = [\"dotnet\", \"test\", \"-v\", \"q\"]";
    is_asked(dotnet, &[("a.csproj", "<Project/>")], "dotnet test --logger trx;LogFilePrefix=OWN/dotnet -v q");
    is_not_asked(
        dotnet,
        &[("a.csproj", "<EnableNUnitRunner>true</EnableNUnitRunner>")],
        "takes no `--logger`",
    );
    let own = "parser = \"dotnet\"\ncommand = [\"dotnet\", \"test\", \"--logger\", \"trx\"]";
    is_not_asked(own, &[], "`trx`");
}

/// What a restore of these packages writes.
fn assets(packages: &[&str]) -> String {
    let packages: Vec<_> = packages.iter().map(|name| format!("\"{name}\": {{}}")).collect();
    format!("{{\"version\": 3, \"libraries\": {{{}}}}}", packages.join(", "))
}

const PLATFORM: (&str, &str) = ("global.json", "{\"test\": {\"runner\":\"Microsoft.Testing.Platform\"}}");

#[test]
fn the_testing_platform_is_asked_for_what_its_projects_understand() {
    let dotnet = "parser = \"dotnet\"\ncommand = [\"dotnet\", \"test\", \"--output\", \"Detailed\"]";
    let one = |packages: &[&str]| assets(&[packages, &["Microsoft.Testing.Platform/2.0.0"]].concat());
    let trx = one(&["Microsoft.Testing.Extensions.TrxReport/2.0.0", "xunit.v3.core/3.2.0"]);
    let xunit = one(&["xunit.v3.core.mtp-v2/3.2.0"]);
    let project = ("a.csproj", "<Project/>");
    let asked = "dotnet test --report-trx --results-directory OWN --output Detailed";
    is_asked(dotnet, &[PLATFORM, project, ("obj/project.assets.json", &trx)], asked);
    let asked = "dotnet test --report-xunit-trx --results-directory OWN --output Detailed";
    is_asked(dotnet, &[PLATFORM, project, ("obj/project.assets.json", &xunit)], asked);
    // Nothing that is restored, nothing that understands, or a folder of results that the project uses.
    is_not_asked(dotnet, &[PLATFORM, project], "when its projects are restored");
    is_not_asked(
        dotnet,
        &[PLATFORM, project, ("obj/project.assets.json", "{")],
        "when its projects are restored",
    );
    is_not_asked(
        dotnet,
        &[PLATFORM, project, ("obj/project.assets.json", &one(&["NUnit/4.0.0"]))],
        "TrxReport",
    );
    let own = dotnet.replace("Detailed", "Detailed\", \"--coverage");
    is_not_asked(&own, &[PLATFORM, project, ("obj/project.assets.json", &trx)], "`--coverage`");
}

#[test]
fn behind_dashes_where_msbuild_starts_the_platform() {
    let dotnet = "parser = \"dotnet\"\ncommand = [\"dotnet\", \"test\", \"A.sln\"]";
    let trx = assets(&["Microsoft.Testing.Platform/1.5.0", "Microsoft.Testing.Extensions.TrxReport/1.5.0"]);
    let product = assets(&["Serilog/4.0.0"]);
    let files = [
        (
            "A.sln",
            "Project(\"{F}\") = \"A\", \"src\\A\\A.csproj\", \"{1}\"\nProject(\"{F}\") = \"T\", \"tests\\T\\T.fsproj\", \"{2}\"\n",
        ),
        ("src/A/A.csproj", "<Project/>"),
        ("src/A/obj/project.assets.json", &product),
        ("tests/T/T.fsproj", "<TestingPlatformDotnetTestSupport>true</TestingPlatformDotnetTestSupport>"),
        ("tests/T/obj/project.assets.json", &trx),
    ];
    is_asked(dotnet, &files, "dotnet test A.sln -- --report-trx --results-directory OWN");
    let own = dotnet.replace("A.sln", "A.sln\", \"--\", \"--treenode-filter\", \"/x");
    is_asked(&own, &files, "dotnet test A.sln -- --report-trx --results-directory OWN --treenode-filter /x");
    is_asked(
        &dotnet.replace("A.sln", "src/A"),
        &files,
        "dotnet test --logger trx;LogFilePrefix=OWN/dotnet src/A",
    );
}

#[test]
fn several_files_are_one_account() {
    let check = check_of("parser = \"dotnet\"\ncommand = [\"dotnet\", \"test\"]");
    let mut command = Command::new(&check.command, ".");
    let folder = tempfile::tempdir().unwrap();
    let Asked::Yes(waiting) = ask(&check, &mut command, folder.path()).unwrap() else { panic!("not asked") };
    for name in ["dotnet_net8.0_1.trx", "dotnet_net8.0_2.trx", "other.trx"] {
        fs::write(waiting.folder.path().join(name), "<TestRun/>").unwrap();
    }
    let facts = waiting.read(&Options::default()).unwrap();
    assert!(matches!(facts.found, WitnessFound::Reports { reports, .. } if reports.len() == 2));
}

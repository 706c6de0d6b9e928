use super::*;

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

fn named(keep: &Keep, text: &str, reached: &[&str]) -> Vec<(String, String)> {
    let reached = words(reached).into_iter().collect();
    let slices = slices(keep, text.as_bytes(), &reached).into_iter();
    slices.map(|slice| (slice.name, String::from_utf8(slice.text).unwrap())).collect()
}

/// The names of the slices.
#[track_caller]
fn check(keep: &Keep, text: &str, names: &[&str]) {
    let slices = named(keep, text, &["test", "pretest"]);
    assert_eq!(slices.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), names, "{text}");
}

/// Two texts whose slices say the same, and one whose don't.
#[track_caller]
fn same(keep: &Keep, one: &str, other: &str, changed: &str) {
    let [one, other, changed] = [one, other, changed].map(|text| named(keep, text, &["test", "pretest"]));
    assert!(!one.is_empty());
    assert_eq!(one, other);
    assert_ne!(one, changed);
}

#[test]
fn toml_by_keys() {
    let pytest = Keep::Toml(words(&["tool.pytest"]));
    check(&pytest, "[tool.ruff]\nx = 1\n[project]\ndependencies = [\"a\"]", &[]);
    check(&pytest, "[tool.pytest.ini_options]\naddopts = \"-q\"", &["tool.pytest"]);
    check(&pytest, "[tool.pytester]\na = 1", &[]);
    check(&pytest, "[tool", &["a file that can't be read"]);
    same(
        &pytest,
        "[tool.pytest.ini_options]\naddopts = \"-q\" # quiet\nminversion = \"7\"",
        "[project]\nname = \"a\"\n[tool.pytest]\nini_options = { minversion = '7', addopts = '-q' }",
        "[tool.pytest.ini_options]\naddopts = \"-q -k a\"\nminversion = \"7\"",
    );
    let cargo = Keep::Toml(words(&["test", "bin.*.test", "target.*.runner"]));
    check(&cargo, "[[test]]\nname = \"a\"\nharness = false", &["test"]);
    check(&cargo, "[[bin]]\nname = \"a\"\n[[bin]]\nname = \"b\"\ntest = false", &["bin.*.test"]);
    check(&cargo, "[target.x86]\nlinker = \"ld\"\n[dependencies]\na = \"1\"", &[]);
    check(&cargo, "[target.'cfg(unix)']\nrunner = \"./fake\"", &["target.*.runner"]);
}

#[test]
fn json_by_keys() {
    let jest = Keep::Json(words(&["jest", "babel"]));
    check(&jest, r#"{"name": "a", "dependencies": {"jest": "1"}}"#, &[]);
    check(&jest, r#"{"babel": {}, "jest": {"testMatch": ["a"]}}"#, &["babel", "jest"]);
    check(&jest, "{", &["a file that can't be read"]);
    same(
        &jest,
        r#"{"jest": {"a": 1, "b": [1, 2]}}"#,
        "{ \"name\": 1, \"jest\": {\"b\": [1,2],\n \"a\": 1} }",
        r#"{"jest": {"a": 1, "b": [2, 1]}}"#,
    );
}

#[test]
fn scripts_that_are_reached() {
    check(
        &Keep::Scripts,
        r#"{"scripts": {"test": "jest", "pretest": "x", "build": "y"}}"#,
        &["scripts.pretest", "scripts.test"],
    );
    check(&Keep::Scripts, r#"{"scripts": {"build": "y"}}"#, &[]);
    check(&Keep::Scripts, "{}", &[]);
}

#[test]
fn versions_of_packages() {
    let keep = Keep::Versions(words(&["jest", "@jest/*"]));
    check(&keep, r#"{"devDependencies": {"jest": "^29", "left-pad": "1"}}"#, &["devDependencies.jest"]);
    check(
        &keep,
        r#"{"overrides": {"jest@29": "npm:fake@1"}, "resolutions": {"**/@jest/core": "1"}}"#,
        &["overrides.jest@29", "resolutions.**/@jest/core"],
    );
    check(&keep, r#"{"dependencies": {"jestx": "1", "a": "file:jest"}}"#, &[]);
    let local = |version: &str| {
        let text = format!(r#"{{"devDependencies": {{"jest": "{version}"}}}}"#);
        local_runners(text.as_bytes(), &words(&["jest"])).len()
    };
    for version in ["file:tools/jest", "link:../jest", "portal:x", "./jest", "../j", "/j", "~/j"] {
        assert_eq!(local(version), 1, "{version}");
    }
    for version in ["^29.0.0", "*", "workspace:*", "npm:jest@29", "latest", "github:jestjs/jest"] {
        assert_eq!(local(version), 0, "{version}");
    }
}

#[test]
fn ini_by_sections() {
    let keep = Keep::Ini(words(&["tool:pytest", "testenv*"]));
    check(&keep, "[flake8]\nmax = 1\n[metadata]\nname = a", &[]);
    check(&keep, "[testenv]\na=1\n[testenv:py]\nb=1\n[other]", &["[testenv:py]", "[testenv]"]);
    same(
        &keep,
        "[tool:pytest]\naddopts = -q\n  -x\n# why\ntestpaths = a\n",
        "[flake8]\nx = 1\n\n[tool:pytest]\ntestpaths: a\naddopts=-q\n\t-x\n[end]\n",
        "[tool:pytest]\naddopts = -q\n  -y\ntestpaths = a\n",
    );
}

#[test]
fn settings_by_key() {
    let keep = Keep::Settings(words(&["script-shell", "node-options"]));
    check(&keep, "registry=https://example.org\n# script-shell=x", &[]);
    check(&keep, "node-options = --require ./x.js\nscript-shell=./sh", &["node-options", "script-shell"]);
}

#[test]
fn attributes_that_change_what_git_writes() {
    let keep = Keep::Attributes(words(&["filter", "ident", "working-tree-encoding"]));
    check(&keep, "*.png binary\n*.sh text eol=lf\n# *.c filter=x\n* -text", &[]);
    check(&keep, "*.c filter=x", &["lines that set a filter"]);
    check(&keep, "\"a \\\" filter\" text", &[]);
    same(&keep, "*.c  filter=x  text\n*.png binary", "# c\n*.c filter=x", "*.c filter=y");
    same(&keep, "*.c -filter", "  *.c -filter", "*.c ident");
}

#[test]
fn xml_without_references() {
    let keep = Keep::Without(words(&["PackageReference", "ProjectReference"]));
    let project = |items: &str, more: &str| {
        format!(
            "<Project Sdk=\"Microsoft.NET.Sdk\">\n  <PropertyGroup>\n    <IsTestProject>true</IsTestProject>{more}\n  \
             </PropertyGroup>\n{items}</Project>\n"
        )
    };
    same(
        &keep,
        &project("", ""),
        &project(
            "  <!-- why -->\n<ItemGroup>\n<PackageReference Include=\"a>\" Version=\"1\" />\n  <ProjectReference \
             Include=\"b\"><Private>false</Private></ProjectReference>\n</ItemGroup>\n",
            "",
        ),
        &project("", "<OutputType>Exe</OutputType>"),
    );
    same(
        &keep,
        &project("<ItemGroup><Compile Remove=\"x.cs\" /></ItemGroup>", ""),
        &project("<ItemGroup>\n<Compile   Remove=\"x.cs\" />\n</ItemGroup>", ""),
        &project("<ItemGroup><Compile Remove=\"y.cs\" /></ItemGroup>", ""),
    );
    for text in ["<", "<a", "<!--", "<![CDATA[", "</PackageReference>", "<a b=\"", ""] {
        named(&keep, text, &[]);
    }
}

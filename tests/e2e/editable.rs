//! Replay where an installation leads Python to the work tree: what runs has to be the copy, or it is said that it isn't.

use crate::loops::UNITTEST;
use crate::replay::{replays, worked};
use crate::support::{Project, hermetic, runners};

/// A Python project in `src`, which the environment finds by a line in its `site-packages` alone.
fn editable(python: &str, project_file: bool) -> Project {
    let project = Project::bare();
    project.files(
        &UNITTEST
            .replace("PYTHON", ".venv/bin/python")
            .replace(">> app.py", ">> src/app.py")
            .replace(">> verify.toml", ">> .gitignore\n.venv\n>> verify.toml"),
    );
    if project_file {
        project.write("pyproject.toml", "[project]\nname = \"app\"\nversion = \"1\"\n");
    }
    project.run(python, ["-m", "venv", "--without-pip", ".venv"]);
    let packages = project.run(".venv/bin/python", ["-c", "import site; print(site.getsitepackages()[0])"]);
    let line = format!("{}\n", project.at("src").canonicalize().unwrap().display());
    std::fs::write(std::path::Path::new(packages.trim()).join("app.pth"), line).unwrap();
    project.run("git", ["init", "-q", "-b", "main"]);
    project.commit("start");
    worked(&project, |project| project.write("src/app.py", "def add(a, b):\n    return a + b\n"));
    project
}

#[test]
fn an_editable_install_is_led_into_the_copy() {
    let Some(python) = runners::python() else { return };
    replays(&editable(&python, true), 0, "red-again");
}

#[test]
fn an_install_that_leads_back_to_the_work_tree_leaves_it_open() {
    let Some(python) = runners::python() else { return };
    let record = replays(&editable(&python, false), 3, "not-isolated").names("not-isolated").value();
    assert!(record["problems"][0]["message"].as_str().unwrap().contains("elsewhere"), "{record:#}");
    assert_eq!(record["checks"].as_array().unwrap().len(), 0);
}

/// A project that pip installs; its tests run in their own folder, where nothing but the installation leads to it.
fn installable(folder: &str, settings: &str) -> Option<Project> {
    let python = runners::python()?;
    runners::find("setuptools", "python3")?;
    let project = Project::bare();
    project.files(
        &UNITTEST
            .replace(
                "\"PYTHON\", \"-m\", \"unittest\", \"-v\", \"tests.test_app\"]",
                "\"../.venv/bin/python\", \"-m\", \"unittest\", \"-v\", \"test_app\"]\ncwd = \"tests\"",
            )
            .replace(">> app.py", &format!(">> {folder}app/__init__.py"))
            .replace(">> verify.toml", ">> .gitignore\n.venv\nbuild\n*.egg-info\n>> verify.toml"),
    );
    let backend = "[build-system]\nrequires = [\"setuptools\"]\nbuild-backend = \"setuptools.build_meta\"\n";
    let metadata = "[project]\nname = \"app\"\nversion = \"1\"\n";
    project.write("pyproject.toml", &format!("{backend}{metadata}[tool.setuptools]\n{settings}\n"));
    project.run(&python, ["-m", "venv", "--without-pip", ".venv"]);
    project.run("git", ["init", "-q", "-b", "main"]);
    project.commit("start");
    Some(project)
}

/// Installs it as `pip install -e .` does, and gives what leads to the work tree: the text of the `.pth` file.
fn install(project: &Project, mode: &str) -> String {
    let builder = runners::find("setuptools", "python3").unwrap();
    let site = |python: &str| {
        let printed = project.run(python, ["-c", "import site; print(site.getsitepackages()[0])"]);
        printed.trim().to_owned()
    };
    let mut pip = hermetic(".venv/bin/python", project.path());
    pip.env("PYTHONPATH", site(builder.to_str().unwrap()));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--force-reinstall"]);
    pip.args(["--no-index", "--no-build-isolation", "--no-deps", "-e", "."]);
    pip.args(["--config-settings", &format!("editable_mode={mode}")]);
    let done = pip.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let paths = std::fs::read_dir(site(".venv/bin/python")).unwrap().map(|entry| entry.unwrap().path());
    let line = paths.filter(|path| path.extension().is_some_and(|end| end == "pth"));
    line.map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

/// A project that was installed in this mode, and whose work is done.
pub(crate) fn pip_installed(folder: &str, settings: &str, mode: &str) -> Option<Project> {
    let project = installable(folder, settings)?;
    install(&project, mode);
    worked(&project, |project| {
        project.write(&format!("{folder}app/__init__.py"), "def add(a, b):\n    return a + b\n");
    });
    Some(project)
}

/// Replays under each mode; `leads` is what its `.pth` file must hold, else another style is tried than is meant.
#[track_caller]
fn installed(folder: &str, settings: &str, modes: &[(&str, &str)], code: i32, answer: &str) {
    let Some(project) = pip_installed(folder, settings, modes[0].0) else { return };
    let path = project.path().canonicalize().unwrap();
    for (mode, leads) in modes {
        let pth = install(&project, mode);
        assert!(pth.replace(path.to_str().unwrap(), "ROOT").trim().starts_with(leads), "{mode}: {pth}");
        replays(&project, code, answer);
    }
}

#[test]
fn what_pip_installs_from_src_is_led_into_the_copy() {
    installed("src/", "", &[("lenient", "ROOT/src"), ("strict", "ROOT/build/__editable__")], 0, "red-again");
}

#[test]
fn what_pip_installs_from_the_root_is_led_into_the_copy() {
    let modes = [("lenient", "import __editable___app"), ("compat", "ROOT")];
    installed("", "packages = [\"app\"]", &modes, 0, "red-again");
}

#[test]
fn what_pip_installs_from_a_folder_of_another_name_is_never_taken_for_the_copy() {
    let settings = "packages = [\"app\"]\npackage-dir = { \"\" = \"code\" }";
    installed("code/", settings, &[("lenient", "ROOT/code")], 3, "not-isolated");
}

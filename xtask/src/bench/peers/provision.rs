//! Gets the peers into `target/runners/peers/`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::runners::environment;
use crate::shell::{self, Done, target};

/// swebench alone: its log parsers need nothing of what it depends on.
const PYTHON: [&str; 3] = ["--no-deps", "swebench==5.0.2", "junitparser==4.0.2"];
const NODE: [&str; 2] = ["tap-parser@18.3.4", "junit-to-ctrf@0.0.14"];
const B3SUM: &str = "1.8.7";

/// Where each is, or why it is not there.
pub(super) struct Peers {
    python: Result<PathBuf, String>,
    node: Result<PathBuf, String>,
    b3sum: Result<PathBuf, String>,
}

impl Peers {
    pub(super) fn provision() -> Self {
        let home = target().join("runners").join("peers");
        let why = |error: Box<dyn std::error::Error>| format!("not run: {error}");
        Self {
            python: environment(&home.join("python"), "python3", &PYTHON.map(str::to_owned)).map_err(why),
            node: node(&home.join("node")).map_err(why),
            b3sum: b3sum(&home.join("b3sum")).map_err(why),
        }
    }

    /// The interpreter that has the Python packages.
    pub(super) fn python(&self) -> Done<&Path> {
        found(&self.python)
    }

    /// The folder whose `node_modules` has the others.
    pub(super) fn node(&self) -> Done<&Path> {
        found(&self.node)
    }

    pub(super) fn b3sum(&self) -> Done<&Path> {
        found(&self.b3sum)
    }
}

fn found(path: &Result<PathBuf, String>) -> Done<&Path> {
    path.as_deref().map_err(|why| why.as_str().into())
}

fn node(home: &Path) -> Done<PathBuf> {
    let stamp = home.join("stamp");
    let wanted = NODE.join(" ");
    if !std::fs::read_to_string(&stamp).is_ok_and(|text| text == wanted) {
        eprintln!("provisioning {wanted} into {}", home.display());
        let _ = std::fs::remove_dir_all(home);
        std::fs::create_dir_all(home)?;
        let mut install = Command::new("npm");
        install.args(["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"]);
        shell::read(install.arg(home).args(NODE))?;
        std::fs::write(&stamp, wanted)?;
    }
    Ok(home.to_owned())
}

fn b3sum(home: &Path) -> Done<PathBuf> {
    let program = home.join("bin").join("b3sum");
    if !program.is_file() {
        eprintln!("provisioning b3sum {B3SUM} into {}", home.display());
        let mut install =
            shell::cargo(&["install", "--quiet", "--locked", "--version", B3SUM, "b3sum", "--root"]);
        shell::read(install.arg(home))?;
    }
    Ok(program)
}

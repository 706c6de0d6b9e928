//! What CI runs.

use crate::shell::{self, Done, cargo};
use crate::{docs, rooms, runners};

/// Cheap checks first; the tests come last, so that the output ends with their result.
pub(crate) fn run() -> Done {
    shell::run(&mut cargo(&["fmt", "--all", "--check"]))?;
    shell::run(&mut cargo(&["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"]))?;
    rooms::run()?;
    docs::check()?;
    runners::test(&["--locked"], runners::Table::BeforeTheTests)
}

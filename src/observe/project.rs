//! A small look at a project's folder: which test runners are there? It reads, and runs nothing.

mod dotnet;
mod files;
mod javascript;
mod python;
mod scripts;
#[cfg(test)]
mod tests;
mod unread;

use std::io;
use std::path::Path;

use crate::plan::template::Found;

/// Looks for test runners below a folder. Of what git ignores nothing is looked at, of large projects only the first
/// files.
///
/// # Errors
/// When the folder itself can't be listed. What can't be read below it is passed over.
pub fn look(folder: &Path) -> io::Result<Found> {
    let files = files::Files::list(folder)?;
    let mut runners = Vec::new();
    runners.extend(python::look(&files));
    runners.extend(javascript::look(&files));
    runners.extend(dotnet::look(&files));
    runners.extend(scripts::look(&files));
    Ok(Found { runners, unread: unread::look(&files) })
}

//! Keeps the rooms apart: reads every `use` and path of the sources against one table of allowed edges.
//!
//! What it can't see: a method that touches the world through a value (`path.exists()`), and what a macro of another
//! crate expands to. `clippy.toml` of the parsers bans the first by name.

mod names;
mod table;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use names::{Names, names};
use table::{CRATES, Crate, PRODUCT, ROOMS, Room, holds, room_of};

use crate::shell::{Done, root};

/// Checks the tree and prints every violation.
pub(crate) fn run() -> Done {
    let violations = check_tree(root())?;
    for violation in &violations {
        eprintln!("{violation}");
    }
    match violations.len() {
        0 => {
            eprintln!("rooms: every edge is one of the table's");
            Ok(())
        }
        1 => Err("rooms: 1 violation; the table is xtask/src/rooms/table.rs".into()),
        many => Err(format!("rooms: {many} violations; the table is xtask/src/rooms/table.rs").into()),
    }
}

/// Every violation below a repository's root, in order of files and lines.
fn check_tree(root: &Path) -> Done<Vec<String>> {
    let mut violations = Vec::new();
    for of in CRATES {
        let mut files = Vec::new();
        sources(&root.join(of.folder), &mut files)?;
        files.sort();
        let mut read: Vec<(String, Vec<String>, Names)> = Vec::new();
        for file in files {
            let module = module_of(file.strip_prefix(root.join(of.folder))?);
            let shown = file.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
            let source = std::fs::read_to_string(&file).map_err(|error| format!("{shown}: {error}"))?;
            let names = names(&source, &module)
                .map_err(|error| format!("{shown}:{}: {error}", error.span().start().line))?;
            read.push((shown, module, names));
        }
        let tests: Vec<Vec<String>> =
            read.iter().flat_map(|(_, _, names)| names.test_modules.clone()).collect();
        for (shown, module, names) in &read {
            if !tests.iter().any(|test| module.starts_with(test)) {
                check_file(of, shown, module, names, &mut violations);
            }
        }
    }
    Ok(violations)
}

fn sources(folder: &Path, files: &mut Vec<PathBuf>) -> Done {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            sources(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// `judge/red.rs` and `judge/red/mod.rs` are both `judge::red`.
fn module_of(file: &Path) -> Vec<String> {
    let mut module: Vec<String> =
        file.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let root = module.len() == 1 && matches!(module[0].as_str(), "lib" | "main");
    if root || module.last().is_some_and(|last| last == "mod") {
        module.pop();
    }
    module
}

fn check_file(of: Crate, shown: &str, module: &[String], names: &Names, violations: &mut Vec<String>) {
    let Some(room) = room_of(of, module) else {
        violations.push(format!("{shown}:1: the table has no room `{}`", module.join("::")));
        return;
    };
    let mut found: Vec<(usize, String)> = Vec::new();
    for (line, path) in &names.paths {
        found.extend(objection(room, module, path).map(|what| (*line, what)));
    }
    for (line, call) in &names.calls {
        if room.never_calls.contains(&call.as_str()) {
            found.push((*line, format!("{} may not call {call}!", called(room))));
        }
    }
    // One line may name a thing twice; it is one violation.
    found.sort();
    found.dedup();
    violations.extend(found.into_iter().map(|(line, what)| format!("{shown}:{line}: {what}")));
}

/// What is wrong with a room's naming this path.
fn objection(room: &Room, module: &[String], path: &[String]) -> Option<String> {
    if let Some(banned) = room.never.iter().find(|banned| reaches(banned, path)) {
        return Some(format!("{} may not use {banned}: it touches the world", called(room)));
    }
    let inner = match path.first()?.as_str() {
        "crate" => &path[1..],
        name if name == PRODUCT.name => &path[1..],
        // Parsers are another crate for the product, and themselves for the parsers.
        name if CRATES.iter().any(|other| other.name == name) => path,
        // At the crate's root a room can be named without `crate`.
        name if module.is_empty() && is_room(name) => path,
        _ => return None,
    };
    let foreign = path[0] == PRODUCT.name && room.of != PRODUCT;
    if !foreign && room.of != PRODUCT {
        return None;
    }
    let own = !room.name.is_empty() && holds(room.name, inner);
    // `crate::Name` at the root of a crate names no room.
    let nothing = inner.first().is_none_or(|first| first != "*" && !is_room(first) && !is_crate(first));
    if !foreign && (own || nothing || room.may.iter().any(|may| holds(may, inner))) {
        return None;
    }
    let allowed = if room.may.is_empty() { "nothing".to_owned() } else { room.may.join(", ") };
    Some(format!("{} may not use {} (allowed: {allowed})", called(room), inner.join("::")))
}

fn called(room: &Room) -> &str {
    if room.name.is_empty() { room.of.name } else { room.name }
}

fn is_room(name: &str) -> bool {
    ROOMS.iter().any(|room| room.of == PRODUCT && room.name == name)
}

fn is_crate(name: &str) -> bool {
    CRATES.iter().any(|of| of.name == name)
}

/// Whether a path is the banned one, lies below it, or brings it in by a glob.
fn reaches(banned: &str, path: &[String]) -> bool {
    if holds(banned, path) {
        return true;
    }
    let Some((last, before)) = path.split_last() else { return false };
    let parts: Vec<&str> = banned.split("::").collect();
    last == "*" && before.len() < parts.len() && before.iter().zip(parts).all(|(have, want)| have == want)
}

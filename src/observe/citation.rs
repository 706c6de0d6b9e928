//! Whether a place in a file that somebody cites is there.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

/// The most bytes of a file in which lines are counted.
const LIMIT: u64 = 64 << 20;

/// Whether all that is cited is there: `path[:line[-line]]`, several behind commas. A path is below `folder`; what git
/// keeps for itself, and `never`, are no evidence.
#[must_use]
pub fn exists(cited: &str, folder: &Path, never: &[PathBuf]) -> bool {
    let cited = cited.trim();
    one_exists(cited, folder, never)
        || (cited.contains([',', ';'])
            && cited.split([',', ';']).all(|one| one_exists(one.trim(), folder, never)))
}

fn one_exists(cited: &str, folder: &Path, never: &[PathBuf]) -> bool {
    let cited = cited.trim_matches('`');
    if is_file(cited, folder, never).is_some() {
        return true;
    }
    let Some((path, lines)) = cited.rsplit_once(':') else { return false };
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    let number = |text: &str| text.trim_start_matches('L').parse::<u64>().ok().filter(|number| *number > 0);
    let (Some(first), Some(last)) = (number(first), number(last)) else { return false };
    let Some(path) = is_file(path, folder, never) else { return false };
    first <= last && has_lines(&path, last)
}

/// The file that a path names, if it may be cited.
fn is_file(path: &str, folder: &Path, never: &[PathBuf]) -> Option<PathBuf> {
    if path.is_empty() {
        return None;
    }
    let (real, root) = (folder.join(path).canonicalize().ok()?, folder.canonicalize().ok()?);
    let below = real.strip_prefix(&root).ok()?;
    let is_gits = below.components().any(|part| part.as_os_str() == ".git");
    (real.is_file()
        && !is_gits
        && !never.iter().any(|path| path.canonicalize().is_ok_and(|path| path == real)))
    .then_some(real)
}

fn has_lines(path: &Path, wanted: u64) -> bool {
    let Ok(file) = File::open(path) else { return false };
    let mut reader = BufReader::new(std::io::Read::take(file, LIMIT));
    let mut line = Vec::new();
    for _ in 0..wanted {
        line.clear();
        if !reader.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cited_must_be_there() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        std::fs::create_dir_all(root.join("src")).unwrap();
        std::fs::create_dir_all(root.join(".git")).unwrap();
        for (path, text) in [
            ("src/a.py", "1\n2\n3"),
            ("a:b,c", "x"),
            ("SPEC.md", "x"),
            ("../out.py", "x"),
            (".git/x", "x"),
            ("none", ""),
        ] {
            std::fs::write(root.join(path), text).unwrap();
        }
        let never = [root.join("SPEC.md")];
        let check = |cited: &str, wanted: bool| assert_eq!(exists(cited, &root, &never), wanted, "{cited}");
        for good in [
            "src/a.py",
            "src/a.py:1",
            "src/a.py:3",
            "src/a.py:1-3",
            "src/a.py:L1-L3",
            "./src/../src/a.py:2",
            "a:b,c",
            "a:b,c:1",
            "src/a.py:1, src/a.py:2",
            "`src/a.py:2`",
            " src/a.py ",
            "none",
        ] {
            check(good, true);
        }
        for bad in [
            "",
            "src",
            "src/b.py",
            "src/a.py:4",
            "src/a.py:0",
            "src/a.py:2-1",
            "src/a.py:2-4",
            "src/a.py:x",
            "SPEC.md",
            "SPEC.md:1",
            "../out.py",
            ".git/x",
            "src/a.py:1, src/b.py",
            "the tests",
            "none:1",
            "src/a.py:-1",
        ] {
            check(bad, false);
        }
        check(root.join("src/a.py").to_str().unwrap(), true);
        check(folder.path().join("out.py").to_str().unwrap(), false);
    }
}

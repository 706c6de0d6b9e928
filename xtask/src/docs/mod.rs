//! The pages of docs/ that are generated from the code, and whether what the book links to is there.

mod adversary;
mod cli;
mod influence;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use redgreen::judge::{Code, Family};
use redgreen_parsers::{Format, Stream};

use crate::corpus;
use crate::shell::{Done, root};

#[cfg(test)]
pub(crate) use adversary::rules as adversary_rules;

pub(super) const GENERATED: &str = "<!-- Written by `cargo xtask docs`. -->\n";

/// Writes every generated page.
pub(crate) fn write() -> Done {
    for (path, text) in generated()? {
        let whole = root().join(&path);
        if std::fs::read_to_string(&whole).is_ok_and(|old| old == text) {
            continue;
        }
        std::fs::write(&whole, text).map_err(|error| format!("{path}: {error}"))?;
        eprintln!("docs: {path} written");
    }
    Ok(())
}

/// Says which generated page isn't what the code says, and which link leads nowhere.
pub(crate) fn check() -> Done {
    let mut wrong = Vec::new();
    for (path, text) in generated()? {
        if std::fs::read_to_string(root().join(&path)).unwrap_or_default() != text {
            wrong.push(format!("{path} is not up to date; run `cargo xtask docs`"));
        }
    }
    wrong.extend(book(&root().join("docs"))?);
    for top in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
        wrong.extend(dead_links(&root().join(top))?);
    }
    if wrong.is_empty() {
        eprintln!("docs: generated pages are up to date, and every link leads somewhere");
        return Ok(());
    }
    Err(format!("docs:\n  {}", wrong.join("\n  ")).into())
}

/// Path below the root, and text.
fn generated() -> Done<Vec<(String, String)>> {
    let summary = root().join("docs/SUMMARY.md");
    let summary = std::fs::read_to_string(&summary).map_err(|error| format!("docs/SUMMARY.md: {error}"))?;
    Ok(vec![
        ("docs/SUMMARY.md".to_owned(), with_codes(&summary)),
        ("docs/reference/adversary.md".to_owned(), adversary::page()?),
        ("docs/reference/cli.md".to_owned(), cli::page(redgreen::cli::command())),
        ("docs/reference/codes.md".to_owned(), codes()),
        ("docs/reference/corpus.md".to_owned(), corpus::page()?),
        ("docs/reference/formats.md".to_owned(), formats()),
        ("docs/reference/influence.md".to_owned(), influence::page()),
    ])
}

/// The book's contents with one line a code below the page of all codes. The other lines are a person's.
fn with_codes(summary: &str) -> String {
    let mut text = String::new();
    for line in summary.lines().filter(|line| !line.contains("](codes/")) {
        text += line;
        text.push('\n');
        if line.contains("](reference/codes.md)") {
            for code in Code::ALL {
                let _ = writeln!(text, "    - [{code}](codes/{code}.md)");
            }
        }
    }
    text
}

fn codes() -> String {
    let mut text = format!(
        "{GENERATED}# Codes\n\nEach problem and each note has a code. A problem rejects, a note doesn't. \
         `verify explain CODE` shows the page of a code.\n"
    );
    let mut family = None;
    for code in Code::ALL {
        if family != Some(code.family()) {
            family = Some(code.family());
            let _ = write!(text, "\n## {}\n\n| code | what it says |\n|---|---|\n", title(code.family()));
        }
        let summary = code.page().lines().nth(2).unwrap_or_default();
        let _ = writeln!(text, "| [`{code}`](../codes/{code}.md) | {summary} |");
    }
    text
}

const fn title(family: Family) -> &'static str {
    match family {
        Family::Run => "How the run ended",
        Family::Report => "What the report says of itself",
        Family::Kind => "What broke, by its kind",
        Family::Red => "Red",
        Family::Green => "Green",
        Family::Witness => "The witness",
        Family::Guard => "What moved",
        Family::Deliver => "Delivery",
        Family::Claim => "Claims of others",
        Family::State => "The state folder and the task",
        Family::Usage => "The request",
        Family::Note => "Notes",
    }
}

fn formats() -> String {
    let mut text = format!(
        "{GENERATED}# Formats\n\nThe words that `parser` in `verify.toml` and `verify parse --as` know. A runner that \
         reports on one stream is read there alone, so that what a test prints on the other can't speak for it.\n\n\
         | format | read | reports on |\n|---|---|---|\n"
    );
    for word in Format::words() {
        let (read, stream) = match Format::find(word) {
            None => ("not yet", ""),
            Some(format) => (
                "yes",
                match format.reports_on() {
                    Some(Stream::Out) => "standard output",
                    Some(Stream::Err) => "standard error",
                    Some(Stream::Merged) | None => "either",
                },
            ),
        };
        let _ = writeln!(text, "| `{word}` | {read} | {stream} |");
    }
    text
}

/// Pages that the contents leave out, and links of any page that lead nowhere.
fn book(docs: &Path) -> Done<Vec<String>> {
    let summary = docs.join("SUMMARY.md");
    let text = std::fs::read_to_string(&summary).map_err(|error| format!("docs/SUMMARY.md: {error}"))?;
    let listed: Vec<PathBuf> = links(&text).map(|link| docs.join(link)).collect();
    let mut pages = Vec::new();
    markdown(docs, &mut pages)?;
    pages.sort();
    let mut wrong = Vec::new();
    for page in pages {
        if page != summary && !listed.contains(&page) {
            wrong.push(format!("{} is not in docs/SUMMARY.md", shown(&page)));
        }
        wrong.extend(dead_links(&page)?);
    }
    Ok(wrong)
}

fn markdown(folder: &Path, pages: &mut Vec<PathBuf>) -> Done {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            markdown(&path, pages)?;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
    Ok(())
}

fn dead_links(page: &Path) -> Done<Vec<String>> {
    let text = std::fs::read_to_string(page).map_err(|error| format!("{}: {error}", shown(page)))?;
    let folder = page.parent().unwrap_or(page);
    Ok(links(&text)
        .filter(|link| !folder.join(link).exists())
        .map(|link| format!("{}: {link} is not there", shown(page)))
        .collect())
}

/// The targets of inline links that are files, without their anchors.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets
        .map(|target| target.split('#').next().unwrap_or(target))
        .filter(|target| !target.is_empty() && !target.contains("://") && !target.contains(' '))
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_files_without_anchors() {
        let text = "[a](x.md) [b](y/z.md#part) [c](https://example.org) [d](#here) `[e](two words)`";
        assert_eq!(links(text).collect::<Vec<_>>(), ["x.md", "y/z.md"]);
    }

    #[test]
    fn a_page_that_is_left_out_and_a_link_to_nowhere_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        put("SUMMARY.md", "- [A](a.md)\n");
        put("a.md", "[b](b.md)\n");
        assert_eq!(book(folder.path()).unwrap().len(), 1, "b.md is linked and not there");
        put("b.md", "");
        let wrong = book(folder.path()).unwrap();
        assert!(wrong.len() == 1 && wrong[0].ends_with("b.md is not in docs/SUMMARY.md"), "{wrong:?}");
        put("SUMMARY.md", "- [A](a.md)\n- [B](b.md)\n");
        assert_eq!(book(folder.path()).unwrap(), [""; 0]);
    }

    #[test]
    fn the_contents_list_the_codes_and_keep_the_rest() {
        let once =
            with_codes("# X\n- [Codes](reference/codes.md)\n    - [gone](codes/gone.md)\n- [Y](y.md)\n");
        assert!(once.contains("    - [exit-zero](codes/exit-zero.md)\n") && once.ends_with("- [Y](y.md)\n"));
        assert!(!once.contains("gone"));
        assert_eq!(with_codes(&once), once);
    }
}

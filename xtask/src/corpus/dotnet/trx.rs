//! Reads TRX files for the truth they hold. It shares nothing with the parser of that format.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::shell::Done;

/// One result.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) name: String,
    pub(super) class: String,
    pub(super) status: String,
    /// The id of the test in the definitions.
    pub(super) test: String,
}

/// The TRX files below a folder, in order of their names.
pub(super) fn files(folder: &Path) -> Done<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "trx") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The results of one file. A result that only holds others is none.
pub(super) fn outcomes(text: &str) -> Done<Vec<Outcome>> {
    let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
    let mut results: Vec<Outcome> = Vec::new();
    let mut open: Vec<(Outcome, bool)> = Vec::new();
    let mut definition = String::new();
    let mut classes: BTreeMap<String, String> = BTreeMap::new();
    loop {
        let event = reader.read_event()?;
        let is_empty = matches!(event, Event::Empty(_));
        match event {
            Event::Start(tag) | Event::Empty(tag) => match tag.local_name().as_ref() {
                "UnitTestResult" => {
                    let outcome = attribute(&tag, "outcome")?;
                    let status = status(&outcome).ok_or_else(|| format!("an outcome `{outcome}`"))?;
                    let result = Outcome {
                        name: unescaped(&attribute(&tag, "testName")?),
                        status: status.to_owned(),
                        test: attribute(&tag, "testId")?,
                        class: String::new(),
                    };
                    if is_empty { results.push(result) } else { open.push((result, false)) }
                }
                "InnerResults" => {
                    if let Some((_, holds)) = open.last_mut() {
                        *holds = true;
                    }
                }
                "UnitTest" => definition = attribute(&tag, "id")?,
                "TestMethod" => {
                    let class = attribute(&tag, "className")?;
                    let class = class.split(", ").next().unwrap_or("").to_owned();
                    classes.insert(definition.clone(), class);
                }
                _ => {}
            },
            Event::End(tag) if tag.local_name().as_ref() == "UnitTestResult" => {
                if let Some((result, false)) = open.pop() {
                    results.push(result);
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    for result in &mut results {
        result.class = classes.get(&result.test).cloned().unwrap_or_default();
    }
    Ok(results)
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Done<String> {
    match tag.try_get_attribute(name)? {
        Some(attribute) => Ok(attribute.normalized_value(XmlVersion::Implicit1_0)?.into_owned()),
        None => Ok(String::new()),
    }
}

fn status(outcome: &str) -> Option<&'static str> {
    Some(match outcome {
        "Passed" | "PassedButRunAborted" => "passed",
        "Failed" | "Error" | "Timeout" | "Aborted" => "failed",
        "NotExecuted" | "Inconclusive" | "NotRunnable" | "Warning" => "skipped",
        _ => return None,
    })
}

/// VSTest writes characters beyond the first plane as two `\uXXXX`.
fn unescaped(name: &str) -> String {
    let pair = regex::Regex::new(r"\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})");
    let Ok(pair) = pair else { return name.to_owned() };
    let unit = |text: &str| u16::from_str_radix(text, 16).unwrap_or(0);
    let joined = |found: &regex::Captures<'_>| String::from_utf16_lossy(&[unit(&found[1]), unit(&found[2])]);
    pair.replace_all(name, joined).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_names_classes_and_outcomes() {
        let text = r#"<TestRun xmlns="x"><Results>
            <UnitTestResult testId="1" testName="Adds &quot;a&quot;" outcome="Passed" />
            <UnitTestResult testId="2" testName="Pays" outcome="Failed"><InnerResults>
              <UnitTestResult testId="2" testName="Pays (1)" outcome="NotExecuted"></UnitTestResult>
            </InnerResults></UnitTestResult>
            <UnitTestResult testId="3" testName="A \ud83d\ude00" outcome="Timeout" />
          </Results><TestDefinitions>
            <UnitTest id="1"><TestMethod className="N.C" /></UnitTest>
            <UnitTest id="2"><TestMethod className="N.D, X, Version=1.0.0.0" /></UnitTest>
          </TestDefinitions></TestRun>"#;
        let read: Vec<(String, String, String)> = outcomes(text)
            .unwrap()
            .into_iter()
            .map(|outcome| (outcome.name, outcome.class, outcome.status))
            .collect();
        let row =
            |name: &str, class: &str, status: &str| (name.to_owned(), class.to_owned(), status.to_owned());
        assert_eq!(
            read,
            [
                row("Adds \"a\"", "N.C", "passed"),
                row("Pays (1)", "N.D", "skipped"),
                row("A 😀", "", "failed")
            ]
        );
    }

    #[test]
    fn an_unknown_outcome_is_an_error() {
        assert!(outcomes("<TestRun><UnitTestResult testName=\"a\" outcome=\"Odd\"/></TestRun>").is_err());
    }
}

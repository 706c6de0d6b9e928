//! What red asks of an identity.

use redgreen_parsers::{Report, Status};

use super::fate::{Fate, fate};
use crate::judge::findings::Findings;
use crate::judge::identities::{Named, NamedCase};
use crate::judge::naming::Naming;
use crate::judge::reading::{FlakyCases, in_words, way_out_of_red, worst};
use crate::judge::{Code, Problem, say};

/// An identity names a case that failed on an assertion, and none that did otherwise but pass.
pub(super) fn identity(named: &Named<'_>, reports: &[&Report], flaky: &FlakyCases<'_>, found: &mut Findings) {
    let identity = say::quote(named.identity);
    if named.is_missing() {
        found.reject(Code::IdentityMissing, || {
            Problem::new(Code::IdentityMissing, missing(named, &identity, reports))
        });
        return;
    }
    if named.by_short_name {
        by_short_name(named, &identity, found);
    }
    let mut asserted = false;
    let mut objected = false;
    let mut passed = Vec::new();
    for NamedCase { at, case } in &named.cases {
        let id = say::quote(case.id());
        let (code, message) = match fate(case) {
            _ if flaky.has(at.0, case) => {
                (Code::IdentityFlaky, format!("{id} failed and passed in the same run, so it proves nothing"))
            }
            Fate::Asserted => {
                asserted = true;
                continue;
            }
            Fate::Passed => {
                passed.push(case);
                continue;
            }
            Fate::PassedOver => continue,
            Fate::Skipped => {
                (Code::IdentitySkipped, format!("{id} is {}{}", case.status().word(), say::why(case)))
            }
            Fate::Raised => {
                let how = worst(case).map_or("", |failure| in_words(failure.kind));
                let said = worst(case).map(say::failure).unwrap_or_default();
                let way_out = worst(case).map_or("", |failure| way_out_of_red(failure.kind));
                (Code::IdentityRaised, format!("{id} failed {how}{said}, not on an assertion{way_out}"))
            }
            Fate::Unexplained => (
                Code::IdentityUnexplained,
                format!(
                    "{id} failed, and the output does not say why{}{}",
                    say::why(case),
                    to_explain(reports, at.0)
                ),
            ),
        };
        objected = true;
        let lines = worst(case).map_or(case.lines(), |failure| failure.lines);
        found.reject(code, || Problem::new(code, message).at(lines));
    }
    if asserted {
        for case in passed {
            found.note(Code::IdentityAlsoPasses, || {
                let message = format!("{identity} also names {}, which passed", say::quote(case.id()));
                Problem::new(Code::IdentityAlsoPasses, message).at(case.lines())
            });
        }
    } else if !objected {
        nobody_failed(named, &identity, found);
    }
}

/// How to make a runner say why a test failed.
pub(super) fn to_explain(reports: &[&Report], place: usize) -> &'static str {
    reports.get(place).map_or("", |report| Naming::of(report.format.word()).to_explain)
}

/// Every case that an identity names passed, or failed for no reason of its own.
fn nobody_failed(named: &Named<'_>, identity: &str, found: &mut Findings) {
    let Some(first) = named.cases.first().map(|named| named.case) else {
        // Seen on a matching line: whether that line means failure is the pattern's rule.
        return;
    };
    let bare = named.cases.iter().map(|named| named.case).find(|case| case.status() == Status::Failed);
    match bare {
        Some(case) => found.reject(Code::IdentityUnexplained, || {
            let message = format!("{} failed, and the output does not say why", say::quote(case.id()));
            Problem::new(Code::IdentityUnexplained, message).at(case.lines())
        }),
        None => found.reject(Code::IdentityPassed, || {
            let what = match named.cases.len() {
                1 => format!("{} passed", say::quote(first.id())),
                n => format!("all {n} cases of {identity} passed"),
            };
            Problem::new(Code::IdentityPassed, format!("{what}, and red needs it to fail on an assertion"))
                .at(first.lines())
        }),
    }
}

fn missing(named: &Named<'_>, identity: &str, reports: &[&Report]) -> String {
    let word = reports.first().map_or("", |report| report.format.word());
    if named.fits > 1 {
        return format!(
            "{identity} fits {} cases, and the output doesn't say of which class they are; a structured report \
             (witness) would tell, and so would `--logger \"console;verbosity=normal\"`",
            named.fits
        );
    }
    if word == "generic" {
        return format!("no line that matches a pattern holds {identity} as whole words");
    }
    match reports.iter().map(|report| report.cases.len()).sum::<usize>() {
        0 => format!("{identity} names no test: the output names none at all"),
        1 => format!("{identity} names none of the output's tests (there is one)"),
        n => format!("{identity} names none of the {n} tests in the output"),
    }
}

pub(in crate::judge) fn by_short_name(named: &Named<'_>, identity: &str, found: &mut Findings) {
    for NamedCase { case, .. } in &named.cases {
        found.note(Code::IdentityByShortName, || {
            let message = format!(
                "{identity} was taken to be {}: the output leaves out the rest of its name",
                say::quote(case.id())
            );
            Problem::new(Code::IdentityByShortName, message).at(case.lines())
        });
    }
}

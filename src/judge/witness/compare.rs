//! Console and witness side by side.

use std::borrow::Cow;
use std::collections::HashMap;

use redgreen_parsers::{NoteCode, Report, Status, Witness};

use super::Heard;
use crate::judge::say;

/// A test by its name in the witness; `None`: several have the name.
pub(super) type ByName<'r, T> = HashMap<Cow<'r, str>, Option<T>>;

/// How the witness spells the id of a case that the console spells so.
///
/// pytest writes `tests/test_a.py::TestX::test_y[p]` to the console, and to JUnit the same with dots, without `.py`.
pub(in crate::judge) fn spelled<'i>(console: &str, witness: &str, id: &'i str) -> Cow<'i, str> {
    if console != "pytest" || witness != "junit" {
        return Cow::Borrowed(id);
    }
    let (name, parameters) = id.split_at(id.find('[').unwrap_or(id.len()));
    let mut parts = name.split("::");
    let path = parts.next().unwrap_or("").replace('/', ".");
    let module = path.strip_suffix(".py").unwrap_or(&path).to_owned();
    let mut spelled = parts.fold(module, |all, part| all + "." + part);
    spelled.push_str(parameters);
    Cow::Owned(spelled)
}

/// Cases by their name, as the witness spells it.
pub(super) fn by_name<'r, T>(
    reports: impl IntoIterator<Item = &'r Report>,
    console: &str,
    witness: &str,
    what: impl Fn(usize, redgreen_parsers::Case<'r>) -> T,
) -> ByName<'r, T> {
    let mut names: ByName<'r, T> = HashMap::new();
    for (place, report) in reports.into_iter().enumerate() {
        for case in report.cases.iter() {
            let name = spelled(console, witness, case.id());
            names.entry(name).and_modify(|known| *known = None).or_insert_with(|| Some(what(place, case)));
        }
    }
    names
}

/// What console and witness say differently, a sentence each.
pub(super) fn differences(heard: &Heard<'_>) -> Vec<String> {
    let Some(grammar) = heard.format.grammar().witness.as_ref() else { return Vec::new() };
    let (console, witness) = (heard.reports.as_ref(), heard.witness);
    let mut differences = Vec::new();
    let word = heard.witness.first().map_or("", |report| report.format.word());
    let names = by_name(console, heard.format.word(), word, |_, case| case.status());
    let there = by_name(witness, "", "", |_, case| (case.id(), case.status()));
    for (name, status) in &there {
        let (Some((id, there)), Some(Some(here))) = (status, names.get(name)) else { continue };
        if !grammar.same_status(*here, *there) {
            let (id, here, there) = (say::quote(id), here.word(), there.word());
            differences.push(format!("the console says that {id} is {here}, the structured report {there}"));
        }
    }
    differences.sort_unstable();
    // What failed is counted as it pleases the runner: once a test, or once a failure. It is rejected anyway.
    let failed = |status| claimed(console, status).is_none_or(|count| count > 0);
    if !failed(Status::Failed) && !failed(Status::Errored) {
        let counted = count(witness, grammar.tries);
        differences
            .extend(groups(console, grammar).iter().filter_map(|group| numbers(group, console, &counted)));
    }
    differences
}

/// The statuses in groups within which the witness may use another word than the console does.
fn groups(console: &[Report], grammar: &Witness) -> Vec<Vec<Status>> {
    let mut groups: Vec<Vec<Status>> = Status::ALL.iter().map(|status| vec![*status]).collect();
    for status in Status::ALL {
        // Where the console has none of them the other words stay apart.
        if claimed(console, status) == Some(0) {
            continue;
        }
        let one = grammar.other_words(status).iter().chain([&status]);
        let one: Vec<Status> = one.copied().collect();
        let (mut joined, apart): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| group.iter().any(|status| one.contains(status)));
        groups = apart;
        groups.push(joined.drain(..).flatten().collect());
    }
    groups
}

/// How many cases of each status a witness holds. Its cases are what it is worth: what it claims of them is counted as
/// its writer pleases. Of the tries of one test the last counts.
fn count(witness: &[Report], tries: bool) -> HashMap<Status, u64> {
    let mut counted = HashMap::new();
    let cases = witness.iter().flat_map(|report| report.cases.iter());
    if tries {
        let last: HashMap<&str, Status> = cases.map(|case| (case.id(), case.status())).collect();
        last.into_values().for_each(|status| *counted.entry(status).or_default() += 1);
    } else {
        cases.for_each(|case| *counted.entry(case.status()).or_default() += 1);
    }
    counted
}

fn numbers(group: &[Status], console: &[Report], witness: &HashMap<Status, u64>) -> Option<String> {
    let here = saturating_sum(group.iter().map(|status| claimed(console, *status)))?;
    let there: u64 = group.iter().filter_map(|status| witness.get(status)).sum();
    let words = group.iter().map(|status| status.word()).collect::<Vec<_>>().join(" or ");
    (here != there).then(|| format!("the console counts {here} {words}, the structured report {there}"))
}

/// How many tests of this status the console claims; `None`: it doesn't say.
pub(super) fn claimed(console: &[Report], status: Status) -> Option<u64> {
    let of = |report: &Report| {
        let totals = &report.totals;
        let stated = match status {
            Status::Passed => totals.passed,
            Status::Failed => totals.failed,
            Status::Errored => totals.errored,
            Status::Skipped => totals.skipped,
            Status::Todo => totals.todo,
            Status::Xfailed => totals.xfailed,
            Status::Xpassed => totals.xpassed,
        };
        let hidden = status == Status::Passed && report.has_note(NoteCode::NamesHidden);
        stated.or_else(|| (!hidden).then(|| report.cases.count(status)))
    };
    saturating_sum(console.iter().map(of))
}

/// A console may claim more than any number holds.
fn saturating_sum(mut counts: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    counts.try_fold(0_u64, |sum, count| Some(sum.saturating_add(count?)))
}

//! Which cases an identity names.
//!
//! An identity is cut at the format's separators and names the cases whose components end with its own. A whole title
//! is tried first, since titles may hold separators; the separators of other formats last. Without parameters it names every case of a parametrised test; a
//! test names its subtests; `*` stands for any text in one component. Components are compared whole: `test_a` never
//! names `test_ab`.

use std::collections::{HashMap, HashSet};

use redgreen_parsers::{Case, Report};

use super::naming::Naming;

#[cfg(test)]
mod tests;

/// What an identity names.
#[derive(Debug)]
pub(super) struct Named<'a> {
    /// The identity as the plan spells it.
    pub(super) identity: &'a str,
    /// The cases, in the order of the output.
    pub(super) cases: Vec<NamedCase<'a>>,
    /// It stood on a line that a pattern matched, in a format whose one case has no name to compare.
    pub(super) on_matching_line: bool,
    /// The output leaves out what stands in front of the test's own name, and only that was compared.
    pub(super) by_short_name: bool,
    /// How many cases its short name fits, when that is more than one. Then it names none.
    pub(super) fits: usize,
}

/// A case, and where it stands in the reports that were looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct NamedCase<'a> {
    /// The place of its report and its own in that.
    pub(super) at: (usize, usize),
    /// The case itself.
    pub(super) case: Case<'a>,
}

impl Named<'_> {
    /// Whether it names nothing.
    pub(super) fn is_missing(&self) -> bool {
        self.cases.is_empty() && !self.on_matching_line
    }
}

/// Looks up one identity in all reports of a run.
///
/// `beyond` is how many reports at the end are a witness's: they are asked only for what the others don't tell, such as
/// the class of a test.
pub(super) fn look_up<'a>(identity: &'a str, reports: &[&'a Report], beyond: usize) -> Named<'a> {
    let (console, witness) = reports.split_at(reports.len().saturating_sub(beyond));
    let named = look_up_as(identity, console, |report| Naming::of(report.format.word()));
    if witness.is_empty() || !(named.by_short_name || named.is_missing()) {
        return named;
    }
    let mut told = look_up_as(identity, witness, |report| Naming::of(report.format.word()));
    if told.is_missing() || told.by_short_name {
        return named;
    }
    for case in &mut told.cases {
        case.at.0 += console.len();
    }
    told
}

/// Looks up one identity in a witness, which may leave out the folders in front of a test, or have more of them.
pub(super) fn look_up_in_witness<'a>(identity: &'a str, witness: &[&'a Report]) -> Named<'a> {
    let naming = |report: &Report| Naming { leaves_out_suites: true, ..Naming::of(report.format.word()) };
    look_up_as(identity, witness, naming)
}

fn look_up_as<'a>(
    identity: &'a str,
    reports: &[&'a Report],
    naming: impl Fn(&Report) -> Naming,
) -> Named<'a> {
    let find = |how| find(identity, reports, how, &naming);
    let on_matching_line =
        reports.iter().any(|report| report.identities_seen.iter().any(|seen| seen == identity));
    let mut named = Named { identity, cases: Vec::new(), on_matching_line, by_short_name: false, fits: 0 };
    for how in [How::WholeTitle, How::Components, How::OtherSeparators] {
        named.cases = find(how);
        if !named.cases.is_empty() {
            add_children(&mut named.cases, reports);
            return named;
        }
    }
    let short = find(How::ShortName);
    match short.len() {
        0 => {}
        1 => (named.cases, named.by_short_name) = (short, true),
        fits => named.fits = fits,
    }
    named
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    WholeTitle,
    Components,
    /// The identity is cut at the separators of any format: `TestX.test_y` for pytest's `TestX::test_y`.
    OtherSeparators,
    ShortName,
}

fn find<'a>(
    identity: &str,
    reports: &[&'a Report],
    how: How,
    naming: &impl Fn(&Report) -> Naming,
) -> Vec<NamedCase<'a>> {
    let mut found = Vec::new();
    for (place, &report) in reports.iter().enumerate() {
        let naming = naming(report);
        let identity = naming.spelled(identity);
        let pattern = match how {
            How::OtherSeparators => Pattern::cut_as(&identity, naming, &naming.with_every_separator()),
            _ => Pattern::new(&identity, naming),
        };
        if !pattern.can_name(how) {
            continue;
        }
        for (index, case) in report.cases.iter().enumerate() {
            let test = TestName::of(&case, &naming);
            if pattern.names(&test, case.id(), how) {
                found.push(NamedCase { at: (place, index), case });
            }
        }
    }
    found
}

/// Tests may have tests below them as cases of their own. Who names the test names these too.
fn add_children<'a>(named: &mut Vec<NamedCase<'a>>, reports: &[&'a Report]) {
    let known: HashSet<(usize, usize)> = named.iter().map(|case| case.at).collect();
    for (place, &report) in reports.iter().enumerate() {
        let parents: HashSet<Vec<&str>> =
            named.iter().filter(|case| case.at.0 == place).map(|case| path(&case.case)).collect();
        if parents.is_empty() {
            continue;
        }
        // Cases of one suite share its list, so each list is looked at once.
        let mut below: HashMap<*const String, bool> = HashMap::new();
        for (index, case) in report.cases.iter().enumerate() {
            let suite = case.suite();
            if suite.is_empty() || known.contains(&(place, index)) {
                continue;
            }
            let is_below = *below.entry(suite.as_ptr()).or_insert_with(|| {
                let suite: Vec<&str> = suite.iter().map(String::as_str).collect();
                (1..=suite.len()).any(|len| suite.get(..len).is_some_and(|path| parents.contains(path)))
            });
            if is_below {
                named.push(NamedCase { at: (place, index), case });
            }
        }
    }
    named.sort_unstable_by_key(|case| case.at);
}

fn path<'a>(case: &Case<'a>) -> Vec<&'a str> {
    case.suite().iter().map(String::as_str).chain([case.name()]).collect()
}

/// The test that a case belongs to: itself, or for a subtest the test above it.
#[derive(Debug)]
pub(super) struct TestName<'a> {
    /// What stands before the title, uncut.
    suite: &'a [String],
    /// The title, parameters included.
    pub(super) title: &'a str,
    /// The title without its parameters.
    base: Option<&'a str>,
    /// For a subtest, the label behind the title.
    pub(super) label: Option<&'a str>,
}

impl<'a> TestName<'a> {
    /// Takes the name of a case apart.
    pub(super) fn of(case: &Case<'a>, naming: &Naming) -> Self {
        let (id, name, suite) = (case.id(), case.name(), case.suite());
        let before = id.get(..id.len() - name.len()).unwrap_or("");
        // A subtest's id is its test's, a blank and the label; its suite ends with the test's name.
        if let Some(test) = before.strip_suffix(' ')
            && !naming.separators.iter().any(|separator| before.ends_with(separator))
            && let Some((title, above)) = suite.split_last()
            && test.ends_with(title.as_str())
        {
            return Self { suite: above, title, base: naming.without_parameters(title), label: Some(name) };
        }
        Self { suite, title: name, base: naming.without_parameters(name), label: None }
    }

    /// The id of the test without parameters and subtest labels.
    pub(super) fn id_without_parameters(&self, id: &'a str) -> &'a str {
        let test = match self.label {
            Some(label) => id.strip_suffix(label).map_or(id, |test| test.strip_suffix(' ').unwrap_or(test)),
            None => id,
        };
        match self.base {
            Some(base) => {
                test.get(..(test.len() + base.len()).saturating_sub(self.title.len())).unwrap_or(test)
            }
            None => test,
        }
    }
}

/// An identity, cut in every way in which its end may be a title.
struct Pattern<'i> {
    identity: &'i str,
    naming: Naming,
    /// For each separator: the components before it, and the title after it.
    cuts: Vec<(Vec<&'i str>, &'i str)>,
}

impl<'i> Pattern<'i> {
    fn new(identity: &'i str, naming: Naming) -> Self {
        Self::cut_as(identity, naming, &naming)
    }

    /// The report's names are cut as `naming` says, the identity as `spelling` does.
    fn cut_as(identity: &'i str, naming: Naming, spelling: &Naming) -> Self {
        let cuts = spelling
            .separators_in(identity)
            .take(LONGEST_IDENTITY)
            .filter_map(|(at, separator)| {
                let mut head = Vec::new();
                spelling.split(identity.get(..at)?, &mut head);
                Some((head, identity.get(at + separator..)?)).filter(|(_, title)| !title.is_empty())
            })
            .collect();
        Self { identity, naming, cuts }
    }

    /// Whether it is worth looking: without a separator there is nothing to compare but a whole title.
    fn can_name(&self, how: How) -> bool {
        match how {
            How::WholeTitle => true,
            How::Components | How::OtherSeparators => !self.cuts.is_empty(),
            How::ShortName => !self.cuts.is_empty() && self.naming.leaves_out_suites,
        }
    }

    fn names(&self, test: &TestName<'_>, id: &str, how: How) -> bool {
        match how {
            How::WholeTitle => self.identity == id || is_title(self.identity, test),
            How::Components | How::OtherSeparators => self
                .cuts
                .iter()
                .filter(|(_, title)| is_title(title, test))
                .any(|(head, _)| ends_with(&self.components(test), head)),
            How::ShortName => self.cuts.iter().filter(|(_, title)| is_title(title, test)).any(|(head, _)| {
                let printed = self.components(test);
                printed.len() < head.len()
                    && head.get(head.len() - printed.len()..).is_some_and(|end| ends_with(&printed, end))
            }),
        }
    }

    fn components<'t>(&self, test: &TestName<'t>) -> Vec<&'t str> {
        let mut components = Vec::new();
        for part in test.suite {
            self.naming.split(part, &mut components);
        }
        components
    }
}

/// An identity is cut in no more places than this.
const LONGEST_IDENTITY: usize = 64;

fn is_title(pattern: &str, test: &TestName<'_>) -> bool {
    let plain = fits(pattern, test.title) || test.base.is_some_and(|base| fits(pattern, base));
    plain
        || test.label.is_some_and(|label| {
            pattern.len() > label.len() && fits(pattern, &format!("{} {label}", test.title))
        })
}

fn ends_with(components: &[&str], end: &[&str]) -> bool {
    components.len() >= end.len()
        && components.iter().rev().zip(end.iter().rev()).all(|(component, pattern)| fits(pattern, component))
}

/// Whether a component is what a pattern says, `*` standing for any text.
fn fits(pattern: &str, component: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| component.strip_prefix(first)) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        // A literal `*` in a title is its own pattern, so nothing is lost here.
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = rest.get(at + part.len()..).unwrap_or(""),
            None => return false,
        }
    }
    true
}

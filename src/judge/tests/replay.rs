//! Replay: what a copy has to hold, and what its runs say.

use super::world::{facts, file, link, plan};
use super::*;
use crate::observe::facts::{FileMap, Influence, RepositoryFacts, Weight};

#[track_caller]
fn check_changes(now: &RepositoryFacts, changed: &[&str], broken: &[&str]) {
    let place = Place { repository: "app".to_owned(), path: Some("verify.toml".into()) };
    let changes = product_changes(&plan(), Some(&place), &FileMap::new(world::files()), now);
    let paths: Vec<_> = changes.iter().map(|change| change.path.to_string()).collect();
    assert_eq!(paths, changed);
    let paths: Vec<_> = to_break(&changes, &now.map).iter().map(|change| change.path.to_string()).collect();
    assert_eq!(paths, broken);
}

fn with(edit: impl FnOnce(&mut Vec<Entry>)) -> RepositoryFacts {
    let mut files = world::files();
    edit(&mut files);
    facts("app", files)
}

#[test]
fn what_is_no_test_no_plan_and_no_setting_of_a_runner_is_product() {
    check_changes(&with(|_| {}), &[], &[]);
    check_changes(&with(|files| files[1] = file("src/a.py", "2")), &["src/a.py"], &["src/a.py"]);
    let edited = with(|files| {
        files[2] = file("tests/test_a.py", "other");
        files[3] = file("verify.toml", "other");
        files.push(file("conftest.py", "steers"));
        files.push(file("vite.config.ts", "steers both"));
        files.push(link("src/link", "a.py"));
    });
    let influence = |path: &str, weight| Influence { entry: file(path, ""), slice: None, weight };
    let edited = RepositoryFacts {
        influence: vec![
            influence("conftest.py", Weight::Steers),
            influence("vite.config.ts", Weight::Shared),
        ],
        ..edited
    };
    check_changes(&edited, &["src/link", "vite.config.ts"], &["src/link", "vite.config.ts"]);
    // A test that is gone stays so.
    check_changes(&with(|files| _ = files.remove(2)), &[], &[]);
}

#[test]
fn what_is_gone_can_not_be_broken_and_settings_are_the_last_to_be() {
    check_changes(&with(|files| _ = files.remove(1)), &["src/a.py"], &[]);
    let both = with(|files| {
        files[1] = file("src/a.py", "2");
        files.push(file("web/package.json", "{}"));
        files.push(file("App.csproj", ""));
    });
    check_changes(&both, &["App.csproj", "src/a.py", "web/package.json"], &["src/a.py"]);
    let settings = with(|files| files.push(file("web/package.json", "{}")));
    check_changes(&settings, &["web/package.json"], &["web/package.json"]);
}

#[test]
fn a_copy_is_compared_with_what_was_frozen() {
    let slice = |sha: &str, weight| Influence { slice: Some("s".to_owned()), entry: file("x", sha), weight };
    let of = |test: &str, influence| RepositoryFacts {
        influence,
        ..with(|files| files[2] = file("tests/test_a.py", test))
    };
    let check = |one: RepositoryFacts, other: RepositoryFacts, want: &[(&str, bool)]| {
        let found = unlike_frozen(&one, &other);
        let found: Vec<_> = found.iter().map(|(path, inline)| (path.to_string(), *inline)).collect();
        assert_eq!(
            found,
            want.iter().map(|(path, inline)| ((*path).to_owned(), *inline)).collect::<Vec<_>>()
        );
    };
    check(of("t", vec![]), of("t", vec![]), &[]);
    check(of("t", vec![]), of("u", vec![]), &[("tests/test_a.py", false)]);
    let both = |weight| (of("t", vec![slice("1", weight)]), of("t", vec![slice("2", weight)]));
    let (one, other) = both(Weight::Steers);
    check(one, other, &[("x", false)]);
    let (one, other) = both(Weight::Inline);
    check(one, other, &[("x", true)]);
    let (one, other) = both(Weight::Shared);
    check(one, other, &[]);
}

/// Replays a check of one report: `seen` are the cases of red's inventory.
#[track_caller]
fn check(exit: i32, report: Report, expected: &Expectations<'_>, seen: &[&str], want: ReplayAnswer) {
    let verdict = judge(Phase::Red, Some(&Ended::Exit(exit)), vec![report.clone()], expected);
    let seen: Vec<_> = seen
        .iter()
        .map(|id| InventoryCase {
            id_sha256: None,
            check: "unit".to_owned(),
            id: (*id).to_owned(),
            test: (*id).to_owned(),
            kind: Kind::Assertion,
            file: None,
        })
        .collect();
    let check = ReplayedCheck { id: "unit", verdict: &verdict, reports: &[report], hidden: &[] };
    let replay = replayed(&[check], &seen);
    assert_eq!(replay.answer, want, "{:#?}\n{:#?}", replay.problems, verdict.problems);
    assert_eq!(replay.problems.is_empty(), want == ReplayAnswer::RedAgain);
}

#[test]
fn red_again_is_red_on_the_same_tests() {
    use ReplayAnswer::{NotRed, RedAgain};
    let failing = || report("pytest").fails("a::t", Kind::Assertion).passes("a::u");
    check(1, failing(), &named(&["t"]), &["a::t"], RedAgain);
    check(1, failing(), &named(&["u"]), &["a::u"], NotRed);
    let any = Expectations::default();
    check(1, failing(), &any, &["a::t"], RedAgain);
    check(1, failing(), &any, &[], RedAgain);
    check(1, failing(), &any, &["a::u"], NotRed);
}

#[test]
fn a_test_that_passes_there_is_not_red() {
    use ReplayAnswer::{NotIsolated, NotRed};
    let passing = || report("pytest").passes("a::t");
    let any = Expectations::default();
    check(0, passing(), &named(&["t"]), &["a::t"], NotRed);
    check(0, passing(), &any, &["a::t"], NotRed);
    check(0, report("pytest").case("a::t", Status::Skipped, &[]), &named(&["t"]), &["a::t"], NotRed);
    // A quiet console names no passing test.
    let quiet = || report("pytest").with(|report| report.totals.passed = Some(3));
    check(0, quiet(), &any, &["a::t"], NotRed);
    // The test isn't among what ran.
    check(0, report("pytest").passes("a::other"), &any, &["a::t"], NotIsolated);
    check(0, report("pytest").passes("a::other"), &named(&["t"]), &["a::t"], NotIsolated);
}

#[test]
fn a_test_that_fails_otherwise_leaves_it_open() {
    use ReplayAnswer::NotIsolated;
    for expected in [&named(&["t"]), &Expectations::default()] {
        check(1, report("pytest").fails("a::t", Kind::Exception), expected, &["a::t"], NotIsolated);
        check(1, report("pytest").broke(Kind::Import), expected, &["a::t"], NotIsolated);
        check(2, report("pytest"), expected, &["a::t"], NotIsolated);
    }
}

#[test]
fn the_controls_tell_a_copy_that_runs_from_one_that_does_not() {
    let verdict = |exit, report: Report| {
        judge(Phase::Green, Some(&Ended::Exit(exit)), vec![report], &Expectations::default())
    };
    let good = verdict(0, report("pytest").passes("a::t"));
    let bad = verdict(1, report("pytest").fails("a::t", Kind::Assertion));
    let check = |verdict| [ReplayedCheck { id: "unit", verdict, reports: &[], hidden: &[] }];
    assert_eq!(runs_in_copy(&check(&good)), None);
    assert_eq!(runs_the_copy(&check(&bad)), None);
    for found in [runs_in_copy(&check(&bad)), runs_the_copy(&check(&good))] {
        let found = found.unwrap();
        assert_eq!((found.answer, found.problems[0].code), (ReplayAnswer::NotIsolated, Code::NotIsolated));
    }
}

#[test]
fn a_red_that_is_none_since_its_test_passes() {
    let check = |exit, report, want| {
        let red = judge(Phase::Red, Some(&Ended::Exit(exit)), vec![report], &named(&["t"]));
        assert_eq!(passes(&red), want, "{:#?}", red.problems);
    };
    check(0, report("pytest").passes("a::t"), true);
    check(1, report("pytest").fails("a::t", Kind::Assertion), false);
    check(1, report("pytest").passes("a::t").broke(Kind::Import), false);
    check(0, report("pytest").passes("a::other"), false);
}

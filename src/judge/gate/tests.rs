use std::collections::BTreeMap;

use bstr::BString;

use super::*;
use crate::digest::Sha256;
use crate::judge::Fingerprints;
use crate::observe::facts::{NoDiff, Unknown};
use crate::plan::Check;

fn changed(paths: &[&str]) -> Diff {
    let mut changed = Changed { base: Some("0123456789abcdef".to_owned()), ..Changed::default() };
    changed.add(ChangeSource::Committed, paths.iter().map(|path| BString::from(*path)));
    Diff::Known(changed)
}

fn unknown() -> Diff {
    Diff::Unknown(Unknown { reason: NoDiff::NoGitRepo, base: String::new(), says: String::new() })
}

fn tests(seen: Seen) -> Tests {
    let failures = if seen == Seen::Red { vec!["a|b".to_owned()] } else { Vec::new() };
    Tests { seen, runner: "r".to_owned(), source: TestSource::File, says: String::new(), failures }
}

const UNSAID: Seen = Seen::Inconclusive(NoTests::NoTestResults);

#[track_caller]
fn check(diff: Diff, seen: Seen, by_loop: Outcome, strict: Outcome) {
    assert_eq!(gate(Policy::Loop, diff.clone(), tests(seen)).outcome, by_loop);
    assert_eq!(gate(Policy::Strict, diff, tests(seen)).outcome, strict);
}

#[test]
fn only_what_was_seen_blocks_and_only_strict_minds_what_was_not() {
    use Outcome::{Block, Inconclusive, Pass};
    let both = |outcome| (outcome, outcome);
    for (diff, seen, (by_loop, strict)) in [
        (changed(&["a"]), Seen::Green, both(Pass)),
        (changed(&["a"]), Seen::Red, both(Block(Blocked::TestsRed))),
        (changed(&["a"]), UNSAID, (Pass, Inconclusive)),
        (changed(&[]), Seen::Green, both(Block(Blocked::EmptyDiff))),
        (changed(&[]), Seen::Red, both(Block(Blocked::EmptyDiffAndTestsRed))),
        (changed(&[]), UNSAID, both(Block(Blocked::EmptyDiff))),
        (unknown(), Seen::Green, (Pass, Inconclusive)),
        (unknown(), Seen::Red, both(Block(Blocked::TestsRed))),
        (unknown(), UNSAID, (Pass, Inconclusive)),
    ] {
        check(diff, seen, by_loop, strict);
    }
}

#[test]
fn a_block_says_why_without_a_pipe_and_a_pass_says_nothing() {
    let failures = |diff, seen| gate(Policy::Loop, diff, tests(seen)).failures;
    assert_eq!(failures(changed(&[]), Seen::Red), ["nothing changed since commit 0123456789ab", "a/b"]);
    assert_eq!(failures(changed(&["a"]), Seen::Green), [""; 0]);
    let many = Tests { failures: vec![String::new(); 9], ..tests(Seen::Red) };
    assert_eq!(gate(Policy::Loop, changed(&[]), many).failures.len(), 5);
}

#[track_caller]
fn claims(results: Results, seen: Seen) {
    assert_eq!(claimed_tests(Some(&results), "").seen, seen, "{results:?}");
}

#[test]
fn what_others_wrote_is_read_in_this_order() {
    let results = |runner: &str, pass, status: Option<&str>| Results {
        runner: Some(runner.to_owned()),
        pass,
        status: status.map(str::to_owned),
        summary: None,
    };
    let inconclusive = Seen::Inconclusive;
    claims(results("none", Some(false), None), inconclusive(NoTests::NoTestRunner));
    claims(results("jest", Some(false), Some("no_tests_run")), Seen::Red);
    claims(results("jest", Some(true), Some("no_tests_run")), inconclusive(NoTests::NoTestsExecuted));
    claims(results("jest", None, Some("no_tests_run")), inconclusive(NoTests::NoTestsExecuted));
    claims(results("jest", Some(true), Some("passed")), Seen::Green);
    claims(results("jest", None, Some("passed")), inconclusive(NoTests::NoTestResults));
    claims(Results { pass: Some(true), ..Results::default() }, Seen::Green);
    claims(Results::default(), inconclusive(NoTests::NoTestResults));
    assert_eq!(claimed_tests(None, "").seen, inconclusive(NoTests::NoTestResults));
}

#[test]
fn own_records_decide_and_only_red_helps_where_they_cannot() {
    let ask = |own: Option<Seen>, claimed: Seen| tests_of(own.map(tests), || tests(claimed)).seen;
    assert_eq!(ask(Some(Seen::Green), Seen::Red), Seen::Green);
    assert_eq!(ask(Some(Seen::Red), Seen::Green), Seen::Red);
    let stale = Seen::Inconclusive(NoTests::EvidenceStale);
    assert_eq!(ask(Some(stale), Seen::Green), stale);
    assert_eq!(ask(Some(stale), Seen::Red), Seen::Red);
    assert_eq!(ask(None, Seen::Green), Seen::Green);
}

fn files(text: &str) -> Fingerprints {
    BTreeMap::from([("app".to_owned(), Sha256::of(text.as_bytes()))])
}

/// What two checks say together, each by the files that it is of and whether it was accepted.
fn own(records: [Option<(&str, bool)>; 2]) -> Option<Seen> {
    let checks = ["a", "b"].map(check_named);
    let prints = records.map(|record| files(record.map_or("", |(of, _)| of)));
    let latest: Vec<_> = (0..2)
        .map(|at| LatestGreen {
            check: &checks[at],
            evidence: records[at].map(|(_, accepted)| Evidence {
                record: "green-0001",
                accepted,
                same_check: true,
                fingerprints: &prints[at],
                codes: vec!["case-failed".to_owned()],
            }),
        })
        .collect();
    own_tests(&latest, &files("now")).map(|tests| tests.seen)
}

#[test]
fn the_latest_green_of_every_check_counts() {
    let (good, bad, old, old_bad) =
        (Some(("now", true)), Some(("now", false)), Some(("then", true)), Some(("then", false)));
    let inconclusive = |reason| Some(Seen::Inconclusive(reason));
    assert_eq!(own([good, good]), Some(Seen::Green));
    assert_eq!(own([good, bad]), Some(Seen::Red));
    assert_eq!(own([None, bad]), Some(Seen::Red));
    assert_eq!(own([old, bad]), Some(Seen::Red));
    assert_eq!(own([good, old]), inconclusive(NoTests::EvidenceStale));
    assert_eq!(own([good, old_bad]), inconclusive(NoTests::EvidenceStale));
    assert_eq!(own([good, None]), inconclusive(NoTests::EvidenceIncomplete));
    assert_eq!(own([None, None]), None);
}

fn check_named(id: &str) -> Check {
    crate::judge::tests::world::check_of(id, "app")
}

use super::*;

/// A ladder as `name status child child`, one rung an entry; `-` for no claim. What it makes of each claim is
/// `name status broken-rung`.
#[track_caller]
fn check(rungs: &[&str], want: &[&str]) {
    let rungs: Vec<Rung> = rungs
        .iter()
        .map(|rung| {
            let mut words = rung.split(' ').map(str::to_owned);
            let (name, status) = (words.next().unwrap(), words.next().unwrap());
            Rung { name, status: Status::find(&status), children: words.collect() }
        })
        .collect();
    let judged = |status| Judged {
        status,
        conditions: Vec::new(),
        reasons: Vec::new(),
        pending_actions: Vec::new(),
        broken_rung: None,
    };
    let claims = rungs.iter().filter_map(|rung| Some((rung.name.clone(), judged(rung.status?))));
    let mut claims: BTreeMap<String, Judged> = claims.collect();
    ladder(&rungs, &mut claims.iter_mut().map(|(name, judged)| (name.as_str(), judged)).collect());
    let got: Vec<String> = claims
        .iter()
        .map(|(name, judged)| {
            let was = rungs.iter().find(|rung| rung.name == *name).unwrap().status;
            let rejected = judged.reasons.iter().map(|reason| reason.code).collect::<Vec<_>>();
            assert_eq!(was != Some(judged.status), rejected == [Code::ChildNotDone], "{name}: {judged:?}");
            format!("{name} {} {}", judged.status.word(), judged.broken_rung.as_deref().unwrap_or("-"))
        })
        .collect();
    assert_eq!(got, want);
}

#[test]
fn a_parent_is_never_better_than_its_worst_part() {
    check(
        &["p done_clean a b", "a done_clean", "b done_clean"],
        &["a done_clean -", "b done_clean -", "p done_clean -"],
    );
    check(&["p done_clean a b", "a pending", "b failed"], &["a pending -", "b failed -", "p failed b"]);
    check(&["p done_clean a", "a blocked"], &["a blocked -", "p blocked a"]);
    check(&["p pending a", "a pending"], &["a pending -", "p pending a"]);
    check(&["p failed a", "a pending"], &["a pending -", "p failed a"]);
    check(&["p failed a", "a done_clean"], &["a done_clean -", "p failed -"]);
}

#[test]
fn the_rung_that_broke_is_named_however_deep() {
    check(&["g done_clean p", "p done_clean c", "c failed"], &["c failed -", "g failed c", "p failed c"]);
    check(&["g done_clean p", "p failed c", "c done_clean"], &["c done_clean -", "g failed p", "p failed -"]);
}

#[test]
fn a_part_without_a_claim_leaves_its_parent_pending() {
    check(&["p done_clean a", "a -"], &["p pending a"]);
    check(&["p done_clean nobody"], &["p pending nobody"]);
    check(&["g done_clean p", "p - c", "c done_clean"], &["c done_clean -", "g pending p"]);
    check(&["p failed a", "a -"], &["p failed a"]);
}

#[test]
fn a_circle_is_pending_and_breaks_where_it_closes() {
    check(&["a done_clean a"], &["a pending a"]);
    check(&["a done_clean b", "b done_clean a"], &["a pending a", "b pending b"]);
    check(
        &["p done_clean a", "a done_clean b", "b done_clean a"],
        &["a pending a", "b pending b", "p pending a"],
    );
    // What stands beside a circle is as good as it is.
    check(
        &["a done_clean a", "x done_clean y", "y done_clean"],
        &["a pending a", "x done_clean -", "y done_clean -"],
    );
    check(&["a done_clean b c", "b done_clean a", "c failed"], &["a failed c", "b pending b", "c failed -"]);
}

#[test]
fn a_ladder_of_a_hundred_thousand_rungs_is_climbed() {
    let number = 100_000;
    let mut rungs: Vec<Rung> = (0..number)
        .map(|at| Rung {
            name: format!("{at:06}"),
            status: Some(Status::DoneClean),
            children: vec![format!("{:06}", at + 1)],
        })
        .collect();
    rungs.push(Rung { name: format!("{number:06}"), status: Some(Status::Pending), children: Vec::new() });
    let mut judged = good().judge();
    ladder(&rungs, &mut BTreeMap::from([("000000", &mut judged)]));
    assert_eq!(judged.broken_rung.as_deref(), Some("100000"));
}

#[test]
fn parents_and_parts_find_each_other() {
    let brief = |session: &str, parent: Option<&str>, children: &[&str]| Brief {
        session: Some(session.to_owned()),
        parent: parent.map(str::to_owned),
        children: texts(children),
        ..Brief::default()
    };
    let briefs = Briefs::new(
        [
            ("root".to_owned(), brief("r", None, &["a", "worker-b", "nobody"])),
            ("worker-a".to_owned(), brief("a", Some("root"), &[])),
            ("b".to_owned(), brief("b", Some("r"), &[])),
            ("late".to_owned(), brief("l", Some("root"), &[])),
            ("orphan".to_owned(), brief("o", Some("no-such"), &[])),
        ],
        &[],
    );
    let named = |name: &'static str| Named { name, session: None, status: Status::DoneClean };
    let rungs = briefs.rungs(&[named("root"), named("worker-a"), named("worker-b")]);
    let shown: Vec<String> =
        rungs.iter().map(|rung| format!("{} {}", rung.name, rung.children.join(" "))).collect();
    assert_eq!(shown, ["root late nobody worker-a worker-b", "worker-a ", "worker-b ", "late ", "orphan "]);
}

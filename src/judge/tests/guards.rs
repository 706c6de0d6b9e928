use super::world::{self, baseline, facts, file, frozen, link, plan};
use super::*;
use crate::judge::guards::Guards;
use crate::observe::facts::{Influence, LocalRunner, RepositoryFacts, Weight};
use crate::plan::{ByRepository, HeadPolicy, PathSet, Plan};

/// A task in its stage `implement`, with the tests frozen and nothing moved yet.
struct World {
    plan: Plan,
    baseline: Baseline,
    frozen: Option<FrozenSet>,
    app: RepositoryFacts,
    lib: RepositoryFacts,
    stage: &'static str,
    plan_now: &'static str,
    deliver: bool,
}

impl World {
    fn new() -> Self {
        Self {
            plan: plan(),
            baseline: baseline(),
            frozen: Some(frozen(&world::files())),
            app: facts("app", world::files()),
            lib: facts("lib", vec![file("l", "l")]),
            stage: "implement",
            plan_now: "p",
            deliver: false,
        }
    }

    /// The same, with these files written or, without a text, deleted.
    fn wrote(mut self, changes: &[(&str, Option<&str>)]) -> Self {
        let mut files = self.app.map.entries().to_vec();
        for (path, text) in changes {
            files.retain(|entry| entry.path != *path);
            files.extend(text.map(|text| file(path, text)));
        }
        self.app = facts("app", files);
        self
    }

    fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    fn judge(&self) -> Guards {
        let place = Place { repository: "app".to_owned(), path: Some("verify.toml".into()) };
        let start = self.baseline.maps();
        super::super::guards(&Guarded {
            plan: &self.plan,
            plan_file: PlanFile {
                place: Some(&place),
                taken: Sha256::of(b"p"),
                now: Sha256::of(self.plan_now.as_bytes()),
            },
            baseline: &self.baseline,
            frozen: self.frozen.as_ref(),
            scope: if self.deliver {
                Scope::Delivery
            } else {
                Scope::Stage { id: self.stage, start: &start }
            },
            now: &[self.app.clone(), self.lib.clone()],
        })
    }
}

/// Judges a world and compares its problems, `code path`, and the codes of its notes.
#[track_caller]
fn check(world: World, problems: &[&str], notes: &[&str]) {
    let guards = world.judge();
    let said: Vec<String> = guards
        .problems
        .iter()
        .map(|problem| {
            let path = problem.place.as_ref().and_then(|place| place.path.as_ref());
            path.map_or_else(|| problem.code.to_string(), |path| format!("{} {path}", problem.code))
        })
        .collect();
    assert_eq!(said, problems);
    let said: Vec<&str> = guards.notes.iter().map(|note| note.code.word()).collect();
    assert_eq!(said, notes);
}

#[test]
fn nothing_moved() {
    check(World::new(), &[], &[]);
    check(World::new().with(|world| world.deliver = true), &[], &[]);
}

#[test]
fn a_stage_writes_where_it_may() {
    check(World::new().wrote(&[("src/a.py", Some("2")), ("src/deep/b.py", Some("3"))]), &[], &[]);
    check(World::new().wrote(&[("README.md", Some("2"))]), &["outside-scope README.md"], &[]);
    check(World::new().wrote(&[("README.md", None)]), &["outside-scope README.md"], &[]);
    check(World::new().wrote(&[("new", Some(""))]), &["outside-scope new"], &[]);
    let lock = || World::new().wrote(&[("Cargo.lock", Some(""))]);
    check(lock(), &[], &[]);
    let elsewhere = |world: &mut World| world.plan.checks[0].repository = "lib".to_owned();
    check(lock().with(elsewhere), &["outside-scope Cargo.lock"], &[]);
}

#[test]
fn a_stage_that_is_not_listed_writes_everything_but_what_is_frozen() {
    let tests = |world: &mut World| world.stage = "tests";
    check(World::new().with(tests).wrote(&[("README.md", Some("2")), ("new", Some(""))]), &[], &[]);
    check(
        World::new().with(tests).wrote(&[("tests/test_b.py", Some(""))]),
        &["frozen-added tests/test_b.py"],
        &[],
    );
    let early = World::new().with(tests).with(|world| world.frozen = None);
    check(early.wrote(&[("tests/test_b.py", Some(""))]), &[], &[]);
}

#[test]
fn before_the_freeze_tests_are_files_like_others() {
    let early = World::new().with(|world| world.frozen = None);
    check(early.wrote(&[("tests/test_b.py", Some(""))]), &["outside-scope tests/test_b.py"], &[]);
}

#[test]
fn globs_start_at_the_repositorys_path() {
    let below = |prefix: &str, path: &str| {
        let world = World::new().wrote(&[(path, Some("2"))]);
        let prefix = prefix.into();
        world.with(|world| {
            world.app.prefix = prefix;
            world.frozen = None;
        })
    };
    check(below("web", "web/src/a.js"), &[], &[]);
    check(below("web", "src/a.js"), &["outside-scope src/a.js"], &[]);
}

#[test]
fn a_delivery_is_what_any_stage_may_write() {
    let deliver = |changes: &[(&str, Option<&str>)]| {
        let world = World::new().with(|world| world.deliver = true).wrote(changes);
        world.with(|world| world.frozen = Some(frozen(world.app.map.entries())))
    };
    check(deliver(&[("src/a.py", Some("2"))]), &[], &[]);
    check(deliver(&[("README.md", Some("2"))]), &["outside-scope README.md"], &[]);
    check(deliver(&[("tests/test_b.py", Some("2")), ("tests/test_a.py", None)]), &[], &[]);
    check(deliver(&[("verify.toml", Some("2"))]), &[], &[]);
    check(deliver(&[("README.md", Some("2"))]).with(|world| world.plan.stages.clear()), &[], &[]);
}

#[test]
fn a_read_only_repository_is_not_edited() {
    let edited =
        |text: &'static str| World::new().with(move |world| world.lib = facts("lib", vec![file("l", text)]));
    check(edited("l"), &[], &[]);
    check(edited("m"), &["read-only-edited l"], &[]);
}

#[test]
fn the_plan_has_its_own_rule() {
    let changed = || World::new().wrote(&[("verify.toml", Some("2"))]);
    check(changed().with(|world| world.plan_now = "2"), &["plan-changed verify.toml"], &[]);
    check(changed(), &[], &[]);
}

#[test]
fn frozen_tests_stay_as_red_saw_them() {
    check(World::new().wrote(&[("tests/test_a.py", Some("2"))]), &["frozen-edited tests/test_a.py"], &[]);
    check(World::new().wrote(&[("tests/test_a.py", None)]), &["frozen-deleted tests/test_a.py"], &[]);
    check(World::new().wrote(&[("tests/x", Some(""))]), &["frozen-added tests/x"], &[]);
    check(
        World::new().wrote(&[("tests/test_a.py", None), ("tests/Test_a.py", Some("t"))]),
        &["frozen-case tests/Test_a.py"],
        &[],
    );
    let entry = |change: fn(&mut Entry)| World::new().with(|world| change(&mut world.app.frozen[0]));
    check(entry(|entry| entry.mode = 0o600), &["frozen-mode tests/test_a.py"], &[]);
    check(entry(|entry| entry.kind = EntryKind::Executable), &["frozen-mode tests/test_a.py"], &[]);
    check(entry(|entry| *entry = link("tests/test_a.py", "t")), &["frozen-link tests/test_a.py"], &[]);
}

#[test]
fn links_among_the_tests_are_frozen_with_their_target_and_without_their_mode() {
    let linked = |to: &'static str, mode| {
        World::new().with(move |world| {
            let then = vec![link("tests/data", "../data")];
            world.frozen =
                Some(FrozenSet { repositories: [("app".to_owned(), then)].into(), ..FrozenSet::default() });
            world.app.frozen = vec![Entry { mode, ..link("tests/data", to) }];
        })
    };
    check(linked("../data", 0o777), &[], &[]);
    check(linked("../data", 0o755), &[], &[]);
    check(linked("../other", 0o777), &["frozen-link tests/data"], &[]);
}

#[test]
fn what_links_among_the_tests_point_to_is_frozen_wherever_it_lies() {
    let world = World::new().wrote(&[("data/x", Some("2"))]).with(|world| {
        let then = vec![file("data/x", "1")];
        world.frozen =
            Some(FrozenSet { repositories: [("app".to_owned(), then)].into(), ..FrozenSet::default() });
        world.app.frozen = vec![file("data/x", "2")];
    });
    check(world, &["frozen-edited data/x"], &[]);
}

#[test]
fn names_that_differ_in_case_alone_are_each_looked_at() {
    let then = [file("tests/A", "1"), file("tests/a", "2")];
    let kinds = |now: &[Entry]| -> Vec<String> {
        let changes = frozen_changes(&then, now);
        changes.iter().map(|change| format!("{:?} {}", change.kind, change.path)).collect()
    };
    assert_eq!(kinds(&then), Vec::<String>::new());
    assert_eq!(kinds(&[]), ["Deleted tests/A", "Deleted tests/a"]);
}

#[test]
fn what_cant_be_frozen_is_refused_before_red_too() {
    let special = |path: &'static str| {
        World::new().with(move |world| {
            world.frozen = None;
            world.app.special = vec![path.into()];
        })
    };
    check(special("tests/pipe"), &["frozen-refused tests/pipe"], &[]);
    check(special("run/pipe"), &[], &["left-out"]);
    let refused = special("tests/pipe").with(|world| {
        world.app.frozen_refused = vec![("tests/pipe".into(), "it is a FIFO".to_owned())];
    });
    check(refused, &["frozen-refused tests/pipe"], &[]);
}

#[test]
fn names_that_collide_are_noted() {
    let world = World::new().with(|world| world.app.collisions = vec![("tests/a".into(), "tests/A".into())]);
    check(world, &[], &["frozen-case"]);
}

#[test]
fn git_is_where_it_was() {
    let git = |change: fn(&mut crate::observe::facts::GitFacts)| {
        World::new().with(|world| world.app.git.iter_mut().for_each(change))
    };
    for (change, code) in [
        (
            (|git: &mut crate::observe::facts::GitFacts| git.head = Some("beef".to_owned())) as fn(&mut _),
            "head-moved",
        ),
        (|git| git.branch = None, "branch-moved"),
        (|git| git.index = None, "index-moved"),
    ] {
        check(git(change), &[code], &[]);
        check(git(change).with(|world| world.plan.guard.head = HeadPolicy::MayAdvance), &[], &[]);
    }
    check(World::new().with(|world| world.app.git = None), &["head-moved"], &[]);
    let no_git = |world: &mut World| world.baseline.repositories.get_mut("app").unwrap().git = None;
    check(World::new().with(no_git), &["head-moved"], &[]);
    let advance = |world: &mut World| world.plan.guard.head = HeadPolicy::MayAdvance;
    check(World::new().with(no_git).with(advance), &[], &[]);
    check(World::new().with(no_git).with(|world| world.app.git = None), &[], &[]);
}

#[test]
fn flags_that_hide_edits_may_be_there_but_not_come() {
    let now = |world: &mut World| world.app.git.as_mut().unwrap().index_flags = Some(Sha256::of(b"h src/a"));
    let then = |world: &mut World| {
        let facts = world.baseline.repositories.get_mut("app").unwrap();
        facts.git.as_mut().unwrap().index_flags = Some(Sha256::of(b"h src/a"));
    };
    check(World::new().with(now), &["index-flag-set"], &[]);
    check(World::new().with(then).with(now), &[], &["index-flag-set"]);
    check(World::new().with(then), &[], &[]);
    let advance = |world: &mut World| world.plan.guard.head = HeadPolicy::MayAdvance;
    check(World::new().with(now).with(advance), &["index-flag-set"], &[]);
}

#[test]
fn where_git_looks_may_not_move() {
    let patterns = || Some(Sha256::of(b"/src/"));
    let now = |world: &mut World| world.app.git.as_mut().unwrap().sparse = patterns();
    let then = |world: &mut World| {
        world.baseline.repositories.get_mut("app").unwrap().git.as_mut().unwrap().sparse = patterns();
    };
    check(World::new().with(now), &["sparse-changed"], &[]);
    check(World::new().with(then), &["sparse-changed"], &[]);
    check(World::new().with(then).with(now), &[], &["sparse-changed"]);

    let away = |world: &mut World| world.app.git.as_mut().unwrap().elsewhere = Some("/tmp".to_owned());
    check(World::new().with(away), &["worktree-moved"], &[]);

    let now = |world: &mut World| world.app.nested = vec!["vendor".into()];
    let then = |world: &mut World| {
        world.baseline.repositories.get_mut("app").unwrap().nested = vec!["vendor".into()];
    };
    check(World::new().with(now), &["nested-repository-changed vendor"], &[]);
    check(World::new().with(then), &["nested-repository-changed vendor"], &[]);
    check(World::new().with(then).with(now), &[], &["nested-repository-changed"]);
}

#[test]
fn what_was_changed_before_the_task_stays_as_it_was() {
    let had = |path: &'static str, sha256, adopted| {
        World::new().with(move |world| {
            let facts = world.baseline.repositories.get_mut("app").unwrap();
            facts.preexisting = vec![Preexisting { path: path.into(), sha256, adopted }];
        })
    };
    let edited = Some(Sha256::of(b"1"));
    check(had("src/a.py", edited, false), &[], &[]);
    check(
        had("src/a.py", edited, false).wrote(&[("src/a.py", Some("2"))]),
        &["preexisting-touched src/a.py"],
        &[],
    );
    check(had("src/a.py", edited, true).wrote(&[("src/a.py", Some("2"))]), &[], &[]);
    check(had("src/gone", None, false), &[], &[]);
    check(
        had("src/gone", None, false).wrote(&[("src/gone", Some(""))]),
        &["preexisting-touched src/gone"],
        &[],
    );
    let plan = had("verify.toml", Some(Sha256::of(b"p")), false).wrote(&[("verify.toml", Some("2"))]);
    check(plan, &[], &[]);
}

#[test]
fn new_links_stay_inside() {
    let leaving = |to: &str| {
        let mut world = World::new();
        world.app = facts("app", [world::files(), vec![link("src/out", to)]].concat());
        world.app.leaving_links = vec!["src/out".into()];
        world
    };
    let then = |world: &mut World| {
        let files = facts("app", [world::files(), vec![link("src/out", "/etc")]].concat()).map;
        world.baseline.repositories.get_mut("app").unwrap().map = files;
    };
    check(leaving("/etc"), &["link-leaves-repository src/out"], &[]);
    let refused = |world: &mut World| {
        world.app.frozen_refused = vec![("src/out".into(), "it leaves the repository".to_owned())];
    };
    check(leaving("/etc").with(refused), &["frozen-refused src/out"], &[]);
    check(leaving("/etc").with(then), &[], &[]);
    check(leaving("/tmp").with(then), &["link-leaves-repository src/out"], &[]);
}

#[test]
fn new_ignore_rules_are_noted() {
    let world = World::new().with(|world| world.app.hidden_by_new_rule = vec!["src/a.py".into()]);
    check(world, &[], &["hidden-by-new-rule"]);
}

#[test]
fn stages_may_write_by_repository() {
    let each = |id: &'static str| {
        World::new().wrote(&[("src/a.py", Some("2"))]).with(move |world| {
            let sets = [(id.to_owned(), PathSet::new(["src/**"]).unwrap())];
            world.plan.stages[0].writes = ByRepository::Each(sets.into());
        })
    };
    check(each("app"), &[], &[]);
    check(each("lib"), &["outside-scope src/a.py"], &[]);
}

#[track_caller]
fn check_after(changes: &[(&str, Option<&str>)], code: Code, hint: Option<&str>) {
    let start = World::new();
    let before = [start.app, start.lib];
    let world = World::new().wrote(changes);
    let after = [world.app.clone(), world.lib.clone()];
    let ran = [&world.plan.checks[0]];
    let problems = match code {
        Code::TreeMoved => tree_moved(&maps_of(&before), &after),
        _ => after_run(&before, &after, &ran).problems,
    };
    assert_eq!(problems.len(), usize::from(hint.is_some()));
    for (problem, hint) in problems.iter().zip(hint) {
        assert_eq!(problem.code, code);
        assert!(problem.message.contains(hint), "{}", problem.message);
    }
}

#[test]
fn a_check_changes_no_file_that_counts() {
    check_after(&[], Code::CheckChangedFiles, None);
    check_after(&[("Cargo.lock", Some("1"))], Code::CheckChangedFiles, None);
    check_after(&[("out.xml", Some("1"))], Code::CheckChangedFiles, Some("[guard] ignore"));
    check_after(&[("web/package-lock.json", Some("1"))], Code::CheckChangedFiles, Some("run once more"));
    check_after(&[("tests/a.snap", Some("1"))], Code::CheckChangedFiles, Some("--ci"));
    check_after(&[("src/a.py", Some("2"))], Code::CheckChangedFiles, Some("`unit` changed `src/a.py`"));
}

#[test]
fn the_tree_stands_still_while_nothing_runs() {
    check_after(&[], Code::TreeMoved, None);
    check_after(&[("Cargo.lock", Some("1"))], Code::TreeMoved, Some("`Cargo.lock`"));
}

#[test]
fn changes_that_the_task_may_have_to_touch_are_to_be_adopted() {
    let change = |path: &str, adopted| Preexisting { path: path.into(), sha256: None, adopted };
    let list = [
        change("README.md", false),
        change("src/a.py", false),
        change("src/b.py", true),
        change("tests/test_a.py", false),
    ];
    let world = World::new();
    let adopt: Vec<String> =
        to_adopt(&world.plan, &world.app, &list).iter().map(|change| change.path.to_string()).collect();
    assert_eq!(adopt, ["src/a.py", "tests/test_a.py"]);
}

/// What steers the runner, as it was frozen and as it is: path, slice, and text.
fn steering(
    weight: Weight,
    then: &[(&str, Option<&str>, &str)],
    now: &[(&str, Option<&str>, &str)],
) -> World {
    let of = |list: &[(&str, Option<&str>, &str)]| -> Vec<Influence> {
        let of = |&(path, slice, text): &(&str, Option<&str>, &str)| Influence {
            entry: file(path, text),
            slice: slice.map(ToOwned::to_owned),
            weight,
        };
        list.iter().map(of).collect()
    };
    World::new().with(|world| {
        if let Some(frozen) = &mut world.frozen {
            frozen.influence.insert("app".to_owned(), of(then));
        }
        world.app.influence = of(now);
    })
}

#[test]
fn what_steers_the_runner_is_compared_by_path_and_slice() {
    let whole = [("conftest.py", None, "1")];
    check(steering(Weight::Steers, &whole, &whole), &[], &[]);
    check(steering(Weight::Steers, &[], &whole), &["influence-added conftest.py"], &[]);
    check(steering(Weight::Steers, &whole, &[]), &["influence-deleted conftest.py"], &[]);
    let other = [("conftest.py", None, "2")];
    check(steering(Weight::Steers, &whole, &other), &["influence-changed conftest.py"], &[]);
    check(steering(Weight::Shared, &whole, &other), &[], &["influence-shared"]);
    check(steering(Weight::Inline, &whole, &other), &["frozen-edited conftest.py"], &[]);
    check(steering(Weight::Inline, &[], &whole), &["frozen-added conftest.py"], &[]);
    check(steering(Weight::Inline, &whole, &[]), &["frozen-deleted conftest.py"], &[]);
    let then = [("p", Some("a"), "1"), ("p", Some("b"), "1")];
    let now = [("p", Some("b"), "2"), ("p", Some("c"), "1")];
    check(
        steering(Weight::Steers, &then, &now),
        &["influence-deleted p", "influence-changed p", "influence-added p"],
        &[],
    );
}

#[test]
fn modes_count_for_whole_files_alone() {
    let changed = |slice: Option<&str>| {
        let one = [("x", slice, "1")];
        steering(Weight::Steers, &one, &one).with(|world| world.app.influence[0].entry.mode = 0o755)
    };
    check(changed(None), &["influence-changed x"], &[]);
    check(changed(Some("a")), &[], &[]);
}

#[test]
fn what_the_plan_allows_may_steer_the_runner_otherwise() {
    let allow = |world: &mut World| world.plan.freeze.allow = PathSet::new(["conf*"]).unwrap();
    let (then, now) = ([("conftest.py", None, "1")], [("conftest.py", None, "2"), ("pytest.ini", None, "1")]);
    check(steering(Weight::Steers, &then, &now).with(allow), &["influence-added pytest.ini"], &[]);
    check(steering(Weight::Inline, &then, &now[..1]).with(allow), &["frozen-edited conftest.py"], &[]);
    let local = |world: &mut World| {
        let local = |path: &str| LocalRunner {
            path: path.into(),
            package: "jest".to_owned(),
            version: "file:x".to_owned(),
        };
        world.app.local_runners = vec![local("conf.json"), local("package.json")];
    };
    check(World::new().with(allow).with(local), &["influence-is-local package.json"], &[]);
}

#[test]
fn the_line_for_the_plan_means_the_file_alone() {
    let line = |path: &str, prefix: &str| {
        let world = steering(Weight::Steers, &[], &[(path, None, "1")])
            .with(|world| world.app.prefix = prefix.into());
        world.judge().problems[0].message.clone()
    };
    assert!(line("a/conftest.py", "").contains("`allow = [\"a/conftest.py\"]`"));
    assert!(line("a/conftest.py", "a").contains("`allow = [\"conftest.py\"]`"));
    assert!(line("a[1]*/conftest.py", "").contains(r"`allow = ['a\[1\]\*/conftest.py']`"));
    assert!(!line("conftest.py", "a").contains("allow ="), "globs can't name what lies above `path`");
}

use redgreen_parsers::{Cases, Format, Lines, NewCase, Status};

use super::*;

fn case(cases: &mut Cases, suite: &[&str], separator: &str, name: &str) {
    let suite: Vec<String> = suite.iter().map(|part| (*part).to_owned()).collect();
    let id = if suite.is_empty() { name.to_owned() } else { suite.join(separator) + separator + name };
    let new = NewCase { id: &id, name_len: name.len(), status: Status::Passed, lines: Lines::one(1) };
    cases.push_with_suite(new, &suite);
}

/// Whether an identity names a case of these parts, in a format of this word.
#[track_caller]
fn check(word: &str, parts: &[&str], name: &str, yes: &[&str], no: &[&str]) {
    let naming = Naming::of(word);
    let separator = naming.separators[0];
    let mut cases = Cases::default();
    case(&mut cases, parts, separator, name);
    let case = cases.iter().next().unwrap();
    let test = TestName::of(&case, &naming);
    let names = |identity: &str, how| Pattern::new(identity, naming).names(&test, case.id(), how);
    for identity in yes {
        let named = names(identity, How::WholeTitle) || names(identity, How::Components);
        assert!(named, "{identity} must name {}", case.id());
    }
    for identity in no {
        let named = names(identity, How::WholeTitle) || names(identity, How::Components);
        assert!(!named, "{identity} must not name {}", case.id());
    }
}

#[test]
fn components_are_compared_whole_and_from_the_end() {
    check(
        "pytest",
        &["tests/test_a.py", "TestX"],
        "test_a",
        &["test_a", "TestX::test_a", "test_a.py::TestX::test_a", "tests/test_a.py::TestX::test_a"],
        &["test_ab", "est_a", "TestY::test_a", "a.py::TestX::test_a", "other/tests/test_a.py::TestX::test_a"],
    );
    check(
        "unittest",
        &["tests.test_a", "X"],
        "test_a",
        &["X.test_a", "test_a.X.test_a"],
        &["test", "Y.test_a"],
    );
    check("pytest", &["tests/test_a.py"], "test_ab", &["test_ab"], &["test_a"]);
}

#[test]
fn a_test_names_every_case_of_it() {
    check(
        "pytest",
        &["t.py"],
        "test_y[a::b/c - x]",
        &["test_y", "t.py::test_y", "test_y[a::b/c - x]", "t.py::test_y[a::b/c - x]"],
        &["test_y[a]", "c - x]", "test"],
    );
    check("dotnet", &["Ns.X"], "Adds(a: 1.5)", &["Adds", "X.Adds", "Ns.X.Adds(a: 1.5)"], &["5)", "Add"]);
    check("jest", &["a.test.js"], "adds [x]", &["adds [x]"], &["adds"]);
}

#[test]
fn titles_may_hold_separators() {
    check(
        "jest",
        &["src/a.test.js", "cart"],
        "adds 1 > 0 / x",
        &["adds 1 > 0 / x", "cart › adds 1 > 0 / x", "src/a.test.js > cart > adds 1 > 0 / x"],
        &["x", "0 / x"],
    );
}

#[test]
fn a_star_stands_for_any_text_of_one_component() {
    check(
        "pytest",
        &["t/a.py", "X"],
        "test_y[p]",
        &["test_*", "*::test_y", "t/*::X::test_y", "test_y[*]"],
        &["test_z*", "other/*::X::test_y", "t/*::test_y"],
    );
    check(
        "unittest",
        &["a.b", "C"],
        "test_long_name",
        &["test_*_name", "*", "b.*.test_long_name"],
        &["test_*_nam", "*.x.test_long_name", "a.*.test_long_name"],
    );
}

#[test]
fn a_test_names_its_subtests() {
    let mut cases = Cases::default();
    let suite = ["m".to_owned(), "C".to_owned(), "test_y".to_owned()];
    let new = NewCase { id: "m.C.test_y (i=1)", name_len: 5, status: Status::Failed, lines: Lines::one(1) };
    cases.push_with_suite(new, &suite);
    let case = cases.iter().next().unwrap();
    let naming = Naming::of("unittest");
    let test = TestName::of(&case, &naming);
    assert_eq!((test.title, test.label), ("test_y", Some("(i=1)")));
    assert_eq!(test.id_without_parameters(case.id()), "m.C.test_y");
    for (identity, yes) in [
        ("C.test_y", true),
        ("test_y", true),
        ("test_y (i=1)", true),
        ("test_y (i=2)", false),
        ("test", false),
    ] {
        let pattern = Pattern::new(identity, naming);
        let named = pattern.names(&test, case.id(), How::WholeTitle)
            || pattern.names(&test, case.id(), How::Components);
        assert_eq!(named, yes, "{identity}");
    }
}

#[test]
fn a_blank_alone_makes_no_subtest() {
    let mut cases = Cases::default();
    let new = NewCase { id: "adds big numbers", name_len: 7, status: Status::Passed, lines: Lines::one(1) };
    cases.push_with_suite(new, &["math".to_owned()]);
    let test = TestName::of(&cases.iter().next().unwrap(), &Naming::of("tap"));
    assert_eq!((test.title, test.label), ("numbers", None));
}

#[test]
fn what_the_console_leaves_out_is_passed_over_only_where_it_can_be_left_out() {
    for (word, identity, parts, yes) in [
        ("dotnet", "Ns.X.Adds", &[][..], true),
        ("dotnet", "Ns.X.Adds", &["X"][..], true),
        ("dotnet", "Ns.X.Adds", &["Y"][..], false),
        ("dotnet", "Ns.X.Add", &[][..], false),
        ("dotnet", "X.Adds", &["Ns", "Y"][..], false),
        ("unittest", "Ns.X.Adds", &[][..], false),
    ] {
        let mut cases = Cases::default();
        case(&mut cases, parts, ".", "Adds");
        let case = cases.iter().next().unwrap();
        let naming = Naming::of(word);
        let test = TestName::of(&case, &naming);
        let pattern = Pattern::new(identity, naming);
        let named = pattern.can_name(How::ShortName) && pattern.names(&test, case.id(), How::ShortName);
        assert_eq!(named, yes, "{word} {identity} {parts:?}");
    }
}

#[test]
fn a_short_name_names_one_case_or_none() {
    let look_up = |cases: &[(&[&str], &str)], identity| {
        let mut report = Report::empty(Format::find("unittest").unwrap());
        for (suite, name) in cases {
            case(&mut report.cases, suite, ".", name);
        }
        let named = look_up_as(identity, &[&report], |_| Naming::of("dotnet"));
        (named.cases.len(), named.by_short_name, named.fits)
    };
    assert_eq!(look_up(&[(&[], "Adds")], "Ns.X.Adds"), (1, true, 0));
    assert_eq!(look_up(&[(&[], "Adds"), (&[], "Adds")], "Ns.X.Adds"), (0, false, 2));
    assert_eq!(look_up(&[(&[], "Adds"), (&["Ns", "X"], "Adds")], "X.Adds"), (1, false, 0));
    assert_eq!(look_up(&[(&[], "Subs")], "Ns.X.Adds"), (0, false, 0));
}

#[test]
fn a_whole_title_is_tried_first() {
    let mut report = Report::empty(Format::find("tap").unwrap());
    case(&mut report.cases, &["x"], " > ", "a > b");
    case(&mut report.cases, &["x", "a"], " > ", "b");
    let ids = |identity| -> Vec<&str> {
        look_up(identity, &[&report], 0).cases.iter().map(|named| named.case.name()).collect()
    };
    assert_eq!(ids("a > b"), ["a > b"]);
    assert_eq!(ids("b"), ["b"]);
}

#[test]
fn the_separators_of_other_formats_are_tried_last() {
    let names = |word: &str, cases: &[(&[&str], &str)], identity| -> Vec<String> {
        let mut report = Report::empty(Format::find(word).unwrap());
        let separator = Naming::of(word).separators[0];
        for (suite, name) in cases {
            case(&mut report.cases, suite, separator, name);
        }
        look_up(identity, &[&report], 0).cases.iter().map(|named| named.case.id().to_owned()).collect()
    };
    let pytest: &[(&[&str], &str)] =
        &[(&["tests/test_a.py", "TestX"], "test_y"), (&["t.py", "TestZ"], "test_y")];
    assert_eq!(names("pytest", pytest, "TestX.test_y"), ["tests/test_a.py::TestX::test_y"]);
    assert_eq!(names("pytest", pytest, "TestX › test_y"), ["tests/test_a.py::TestX::test_y"]);
    assert_eq!(names("pytest", pytest, "stX.test_y"), [""; 0]);
    assert_eq!(names("pytest", pytest, "TestX.test"), [""; 0]);
    assert_eq!(names("unittest", &[(&["m", "C"], "test_y")], "C::test_y"), ["m.C.test_y"]);
    assert_eq!(names("tap", &[(&["a"], "b"), (&["a.b"], "c")], "a.b > c"), ["a.b > c"]);
    let jest: &[(&[&str], &str)] = &[(&["a.test.js", "v1", "2"], "x"), (&["a.test.js", "v1.2"], "x")];
    assert_eq!(names("jest", jest, "v1.2 › x"), ["a.test.js › v1.2 › x"]);
}

#[test]
fn patterns() {
    for (pattern, text, yes) in [
        ("a", "a", true),
        ("a", "ab", false),
        ("a*", "ab", true),
        ("*a", "ba", true),
        ("a*b*c", "a1b2c", true),
        ("a*b*c", "acb", false),
        ("a*a", "a", false),
        ("*", "", true),
        ("**", "x", true),
    ] {
        assert_eq!(fits(pattern, text), yes, "{pattern} {text}");
    }
}

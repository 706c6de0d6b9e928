//! `recognize --filter`: a list of tasks without those that are satisfied.

use super::Case;

const TASKS: &str =
    r#"[{"id":1,"title":"Feature:  **Export** as CSV","x":1.50},{"title":"Import"},{"id":3},{"title":""}]"#;

fn manifest(case: &Case, sha: &str) {
    let text = format!(r#"{{"prd_sha":"{sha}","satisfied":["export as csv",""],"source":"anybody"}}"#);
    case.project.write("m.json", &text);
}

#[track_caller]
fn check(case: &Case, wanted: &str) {
    let run = case.project.verify("recognize --filter tasks.json --manifest m.json --spec SPEC.md").exits(0);
    assert_eq!(run.out, format!("{wanted}\n"));
    assert_eq!(case.project.read("tasks.json"), TASKS, "the input is untouched");
    assert_eq!(case.calls(), 0);
}

#[test]
fn what_is_satisfied_is_dropped_while_the_manifest_is_about_this_spec() {
    let case = Case::new();
    case.project.write("tasks.json", TASKS);
    let sha = case.project.run("sha256sum", ["SPEC.md"]);
    manifest(&case, &sha[..64]);
    check(&case, r#"[{"title":"Import"},{"id":3},{"title":""}]"#);

    case.project.write("SPEC.md", "changed");
    check(&case, TASKS);
    case.project.write("m.json", "no json");
    check(&case, TASKS);
    case.project.remove("m.json");
    check(&case, TASKS);
}

#[test]
fn lists_that_cannot_be_read_are_told_apart() {
    let case = Case::new();
    let filter = "recognize --filter tasks.json --spec SPEC.md";
    case.project.verify(filter).exits(2);
    case.project.write("tasks.json", "no json");
    case.project.verify(filter).exits(3);
    case.project.write("tasks.json", r#"{"tasks":[{"title":"Import"}],"v":1}"#);
    assert_eq!(case.project.verify(filter).exits(0).out, "{\"tasks\":[{\"title\":\"Import\"}],\"v\":1}\n");
    case.project.verify("recognize --filter tasks.json --spec NONE.md").exits(2);
    case.project.verify(&format!("{filter} --judge true")).exits(2);
}

//! `[[services]]` and `needs`.

use std::time::Duration;

use super::{CHECK, check_faults, plan};
use crate::plan::Ready;

fn with(tables: &str) -> String {
    format!("version = 1\n{CHECK}{tables}\n")
}

#[track_caller]
fn ready(ready: &str, expected: &str) {
    let plan = plan(&with(&format!("[[services]]\nid = \"api\"\ncommand = [\"x\"]\nready = {{ {ready} }}")));
    assert_eq!(plan.services[0].ready.to_string(), expected);
    assert_eq!(plan.services[0].timeout, Duration::from_secs(30));
}

#[test]
fn ways_to_be_ready() {
    ready("pattern = 'on \\d+'", "a line of its output matches `on \\d+`");
    ready("tcp = \"127.0.0.1:8000\"", "`127.0.0.1:8000` takes connections");
    ready("http = \"http://localhost/up\"", "`http://localhost:80/up` is served");
    ready("file = \"/tmp/a.sock\"", "`/tmp/a.sock` is written");
}

#[test]
fn a_check_needs_services() {
    let plan = plan(&with(
        "needs = [\"db\", \"api\", \"db\"]\n\
         [[services]]\nid = \"api\"\nargv = [\"x\", \"y\"]\nready = { file = \"up\" }\ntimeout = \"90s\"\n\
         [[services]]\nid = \"db\"\ncommand = [\"d\"]\nready = { pattern = \"up\" }",
    ));
    assert_eq!(plan.checks[0].needs, ["db", "api"]);
    assert_eq!(plan.services[0].command, ["x", "y"]);
    assert_eq!(plan.services[0].timeout, Duration::from_secs(90));
    assert!(matches!(plan.services[1].ready, Ready::Pattern(_)));
}

#[track_caller]
fn faults(tables: &str, expected: &[(&str, &str)]) {
    check_faults(&with(tables), expected);
}

#[test]
fn what_a_service_may_not_say() {
    let service = |ready: &str| format!("[[services]]\nid = \"api\"\ncommand = [\"x\"]\nready = {ready}");
    faults(
        "[[services]]\nid = \"api\"\ncommand = []\nready = {}\ntimeout = \"off\"",
        &[("8:11", "is empty"), ("9:9", "takes one of"), ("10:11", "a duration is")],
    );
    faults("[[services]]\nid = \"api\"\ncommand = [\"x\"]", &[("6:1", "the key `ready` is missing")]);
    faults(&service("{ tcp = \"a:1\", file = \"x\" }"), &[("9:9", "takes one of")]);
    faults(&service("{ pattern = \"(\" }"), &[("9:21", "unclosed group")]);
    faults(&service("{ pattern = \"x*\" }"), &[("9:21", "matches an empty line")]);
    faults(&service("{ tcp = \"8000\" }"), &[("9:17", "write host and port")]);
    faults(&service("{ http = \"https://a/\" }"), &[("9:18", "or use `tcp`")]);
    faults(&service("{ file = \"\" }"), &[("9:18", "this is no path")]);
    faults(&service("{ fiel = \"x\" }"), &[("9:9", "takes one of"), ("9:11", "did you mean `file`?")]);
}

#[test]
fn a_service_that_is_not_there() {
    faults("needs = [\"db\"]", &[("6:10", "unknown service `db`")]);
    faults(
        "needs = [\"dp\"]\n[[services]]\nid = \"db\"\ncommand = [\"x\"]\nready = { pattern = \"(\" }",
        &[("6:10", "did you mean `db`?"), ("10:21", "unclosed group")],
    );
}

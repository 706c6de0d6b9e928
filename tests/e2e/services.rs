//! Services: started before the checks that need them, seen ready, ended after, and recorded.

use serde_json::Value;

use crate::support::{Project, Run};

/// A check that greets only while its service is up. `service` is what the service does once it is up.
fn project(service: &str, ready: &str) -> Project {
    let plan = PLAN.replace("SERVICE", service).replace("READY", ready);
    let project = Project::git(&plan);
    project.verify("begin").exits(0);
    project
}

const PLAN: &str = r#"
>> verify.toml
version = 1
[freeze]
test_paths = ["tests/**"]
[[services]]
id = "api"
command = ["sh", "api.sh"]
ready = { READY }
timeout = "20s"
[[checks]]
id = "greeting"
command = ["sh", "tests/greet.sh"]
parser = "tap"
phases = ["green"]
needs = ["api"]
[[checks]]
id = "again"
command = ["sh", "tests/greet.sh"]
parser = "tap"
phases = ["green"]
needs = ["api"]
[[checks]]
id = "alone"
command = ["sh", "tests/alone.sh"]
parser = "tap"
phases = ["green"]
>> .gitignore
up
starts
>> api.sh
echo start >>starts
trap 'rm -f up; exit 0' TERM
echo "not ok 7 - printed by the service"
: > up
SERVICE
>> tests/greet.sh
[ -e up ] && echo "ok 1 - greets"
[ -e up ] || echo "not ok 1 - greets"
echo "1..1"
>> tests/alone.sh
[ -e up ] && echo "not ok 1 - nothing else runs"
[ -e up ] || echo "ok 1 - nothing else runs"
echo "1..1"
"#;

/// Stays until it is told to end.
const STAYS: &str = "echo listening; while :; do sleep 0.05; done";

#[track_caller]
fn of_check<'r>(record: &'r Value, id: &str) -> &'r Value {
    record["checks"].as_array().unwrap().iter().find(|check| check["id"] == id).unwrap()
}

/// The check that needs the service couldn't start, and this is said.
#[track_caller]
fn not_ready(project: &Project, says: &[&str]) -> Run {
    let run = project.json("green greeting alone").exits(1).names("startup-failure");
    let record = run.value();
    let check = of_check(&record, "greeting");
    assert_eq!(check["reason"], "not-started");
    assert_eq!(check["services"][0]["ready"], false);
    let message = check["problems"][0]["message"].as_str().unwrap();
    for text in says {
        assert!(message.contains(text), "{message}");
    }
    assert_eq!(of_check(&record, "alone")["passed"], true);
    assert!(!project.at("up").exists(), "it was ended");
    run
}

#[test]
fn a_service_runs_beside_the_checks_that_need_it() {
    let project = project(STAYS, "pattern = \"^listening$\"");
    let record = project.json("green").exits(0).value();
    for id in ["greeting", "again"] {
        let check = of_check(&record, id);
        assert_eq!(check["output"], "ok 1 - greets\n1..1\n", "the service's output isn't the check's");
        let service = &check["services"][0];
        assert_eq!(service["id"], "api");
        assert_eq!(service["command"], "sh api.sh");
        assert_eq!(service["ready"], true);
        assert_eq!(service["lasted"], true);
        assert_eq!(service["observed"], "a line of its output matches `^listening$`");
        assert_eq!(service["program"]["sha256"].as_str().unwrap().len(), 64);
        assert!(service["duration_seconds"].as_f64() >= service["startup_seconds"].as_f64());
    }
    assert_eq!(of_check(&record, "alone")["services"].as_array().unwrap().len(), 0);
    assert_eq!(project.read("starts"), "start\n", "checks in a row share it");
    assert!(!project.at("up").exists(), "it was asked to end");
    // A check alone that needs nothing starts nothing.
    project.json("green alone").exits(0);
    assert_eq!(project.read("starts"), "start\n");
}

#[test]
fn checks_at_once_share_it_too() {
    let project = project(STAYS, "file = \"up\"");
    let record = project.json("green greeting again --jobs 2").exits(0).value();
    assert_eq!(of_check(&record, "again")["services"][0]["observed"], "`up` is written");
    assert_eq!(project.read("starts"), "start\n");
    assert!(!project.at("up").exists());
}

#[test]
fn a_service_that_is_not_ready_in_time() {
    let project = project(STAYS, "pattern = \"never\"");
    project.edit("verify.toml", "20s", "300ms");
    project.verify("begin --fresh").exits(0);
    let says = ["wasn't ready within 0.3 s", "matches `never`", "printed by the service ⏎ listening"];
    not_ready(&project, &says).says("startup-failure");
}

#[test]
fn a_service_that_ends_before_it_is_ready() {
    let project = project("rm up; echo broken >&2; exit 3", "tcp = \"127.0.0.1:1\"");
    not_ready(&project, &["exit code 3 before it was ready", "its last output", "broken"]);
}

#[test]
fn a_service_that_is_not_there() {
    let project = project(STAYS, "file = \"up\"");
    project.edit("verify.toml", "[\"sh\", \"api.sh\"]", "[\"no-such-server\"]");
    project.verify("begin --fresh").exits(0);
    not_ready(&project, &["no-such-server", "PATH"]);
}

#[test]
fn an_address_that_somebody_else_holds() {
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap().to_string();
    let project = project(STAYS, &format!("tcp = \"{address}\""));
    not_ready(&project, &["something else answers", &address]);
    assert!(!project.at("starts").exists());
}

#[test]
fn a_service_that_is_lost_while_a_check_runs() {
    let service = "echo listening; while [ ! -e tested ]; do sleep 0.02; done; : > gone; exit 4";
    let project = project(service, "pattern = \"listening\"");
    project.write(".gitignore", "up\nstarts\ntested\ngone\n");
    project.edit(
        "tests/greet.sh",
        "[ -e up ]",
        ": > tested; while [ ! -e gone ]; do sleep 0.02; done; sleep 0.3\n[ -e up ]",
    );
    project.commit("slow");
    project.verify("begin --fresh").exits(0);
    let record = project.json("green greeting").exits(1).names("crash-failure").value();
    let message = record["checks"][0]["problems"][0]["message"].as_str().unwrap();
    assert!(message.contains("exit code 4 while it was needed"), "{message}");
    assert_eq!(record["checks"][0]["services"][0]["lasted"], false);
}

#[test]
fn what_a_service_leaves_behind_is_ended() {
    let leaves = "setsid sh -c ': > left; exec sleep 600' & while [ ! -e left ]; do sleep 0.02; done";
    let project = project(&format!("{leaves}; {STAYS}"), "pattern = \"listening\"");
    project.write(".gitignore", "up\nstarts\nleft\n");
    project.commit("leaves");
    project.verify("begin --fresh").exits(0);
    let record = project.json("green greeting").exits(0).value();
    let notes = record["checks"][0]["notes"].as_array().unwrap();
    let orphan = notes.iter().find(|note| note["code"] == "orphan-ended").unwrap();
    let message = orphan["message"].as_str().unwrap();
    assert!(message.starts_with("of the service `api`: ") && message.contains("had left"), "{message}");
}

use redgreen_parsers::Status;
use serde_json::{Value, json};

use super::*;
use crate::record::wire::{self, Files, samples};

/// What others write: any key may be missing there.
const FOREIGN: [&str; 2] = ["test-results", "judge-answer"];

/// A document of each schema, as it is written.
fn written() -> Vec<(&'static str, Value)> {
    fn json(document: impl serde::Serialize) -> Value {
        serde_json::from_slice(&wire::write(&document).unwrap()).unwrap()
    }
    let red = Some(crate::plan::Phase::Red);
    let two = [samples::parsed(&[("a::b", Status::Failed)]), samples::parsed(&[])];
    let reports = wire::raw_reports(&two).unwrap();
    vec![
        ("evidence", json(samples::evidence("red", red, false))),
        ("evidence", json(samples::delivery())),
        ("evidence", json(samples::replay())),
        ("report", json(samples::report())),
        ("report", json(samples::parsed(&[("a::one", Status::Passed), ("b", Status::Xfailed)]))),
        ("reports", json(reports)),
        ("judgement", json(samples::judgement())),
        ("status", json(samples::status())),
        ("fingerprint", json(samples::fingerprint())),
        ("task", json(samples::task(1))),
        ("frozen", json(samples::frozen(1, "tests/test_a.py"))),
        ("files", json(Files(samples::maps("a")))),
        ("error", json(wire::Error::new("no-task", "m", None))),
        ("code", json(wire::CodePage::new("no-task", "# no-task\n"))),
        ("log", json(samples::log_line())),
        ("gate", json(samples::gate())),
        ("gate", json(wire::Gate::off(crate::judge::gate::Policy::Strict, samples::at(0), 0))),
        ("gate-block", json(samples::gate_block())),
        ("gate-details", json(samples::gate_details(None))),
        ("gate-details", json(samples::gate_details(Some("other")))),
        ("test-results", json(samples::test_results())),
        ("recognition", json(samples::recognition())),
        ("judge-answer", json(samples::judge_answer())),
        ("manifest", json(samples::manifest())),
        ("completion", json(samples::completion())),
        ("verdict", json(samples::claim_verdict())),
        ("patrol", json(samples::patrol())),
        ("patrol-state", json(samples::patrol_state())),
    ]
}

fn is_valid(schema: &Value, document: &Value) -> Result<(), String> {
    let validator = jsonschema::draft202012::new(schema).map_err(|error| error.to_string())?;
    validator.validate(document).map_err(|error| format!("{}: {error}", error.instance_path))
}

/// The schema with every key denied that it doesn't declare.
fn strict(mut schema: Value) -> Value {
    deny_unknown(&mut schema);
    schema
}

fn deny_unknown(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.get("type") == Some(&json!("object")) && object.contains_key("properties") {
                object.insert("additionalProperties".to_owned(), json!(false));
            }
            object.values_mut().for_each(deny_unknown);
        }
        Value::Array(array) => array.iter_mut().for_each(deny_unknown),
        _ => {}
    }
}

#[test]
fn what_is_written_is_declared_to_the_last_key() {
    for (name, document) in written() {
        let schema = strict(schema(name).unwrap());
        is_valid(&schema, &document).unwrap_or_else(|error| panic!("{name}: {error}\n{document:#}"));
    }
}

#[test]
fn every_schema_has_a_document_here() {
    for name in names() {
        assert!(written().iter().any(|(of, _)| *of == name), "{name}");
    }
    assert!(schema("nothing").is_none());
}

#[test]
fn every_key_is_required() {
    // In deliver and replay records, in an output of several sessions, of paths that aren't UTF-8, of ids that held a
    // secret, of what was found before the task, of tests that
    // an output hides, of execute bits that git passes over.
    let sometimes = [
        "stale",
        "reran",
        "gate",
        "replay",
        "answer",
        "session_lines",
        "path_hex",
        "id_sha256",
        "findings",
        "block_file_kept",
        "hidden",
        "modes_ignored",
    ];
    fn walk(name: &str, schema: &Value, sometimes: &[&str]) {
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            for key in properties.keys().filter(|key| !sometimes.contains(&key.as_str())) {
                let required = schema.get("required").and_then(Value::as_array);
                assert!(
                    required.is_some_and(|list| list.contains(&json!(key))),
                    "{name}: `{key}` isn't required"
                );
            }
        }
        match schema {
            Value::Object(object) => object.values().for_each(|value| walk(name, value, sometimes)),
            Value::Array(array) => array.iter().for_each(|value| walk(name, value, sometimes)),
            _ => {}
        }
    }
    for name in names().filter(|name| !FOREIGN.contains(name)) {
        walk(name, &schema(name).unwrap(), &sometimes);
    }
}

#[test]
fn a_document_without_a_key_is_no_such_document() {
    for (name, document) in written().into_iter().filter(|(name, _)| !FOREIGN.contains(name)) {
        let schema = schema(name).unwrap();
        let keys: Vec<String> = document.as_object().unwrap().keys().cloned().collect();
        let sometimes = ["stale", "reran", "gate", "replay", "answer", "session_lines", "block_file_kept"];
        for key in keys.iter().filter(|key| !sometimes.contains(&key.as_str())) {
            let mut less = document.clone();
            less.as_object_mut().unwrap().remove(key);
            assert!(is_valid(&schema, &less).is_err(), "{name} without `{key}`");
        }
    }
}

#[test]
fn an_unknown_key_is_allowed_and_would_be_seen() {
    for (name, mut document) in written() {
        document.as_object_mut().unwrap().insert("later".to_owned(), json!(1));
        let open = schema(name).unwrap();
        assert_eq!(is_valid(&open, &document), Ok(()), "{name}");
        assert!(is_valid(&strict(open), &document).is_err(), "{name}");
    }
}

#[test]
fn what_is_written_reads_as_the_same() {
    fn check<D: wire::Document>(document: &Value) {
        let read: D = wire::read(document.to_string().as_bytes()).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), *document);
    }
    fn reads<D: serde::Serialize + serde::de::DeserializeOwned>(document: &Value) {
        let read: D = serde_json::from_value(document.clone()).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), *document);
    }
    for (name, document) in written() {
        match name {
            "evidence" => check::<wire::Evidence>(&document),
            "report" => check::<wire::Report>(&document),
            "reports" => check::<wire::Reports>(&document),
            "judgement" => check::<wire::Judgement>(&document),
            "status" => check::<wire::Status>(&document),
            "fingerprint" => check::<wire::Fingerprint>(&document),
            "task" => check::<wire::Task>(&document),
            "frozen" => check::<wire::Frozen>(&document),
            "files" => check::<wire::Files>(&document),
            "error" => check::<wire::Error>(&document),
            "code" => check::<wire::CodePage>(&document),
            "log" => reads::<wire::LogLine>(&document),
            "gate" => check::<wire::Gate>(&document),
            "gate-block" => reads::<wire::GateBlock>(&document),
            "gate-details" => reads::<wire::GateDetails>(&document),
            "test-results" => reads::<wire::TestResults>(&document),
            "recognition" => check::<wire::Recognition>(&document),
            "judge-answer" => reads::<wire::JudgeAnswer>(&document),
            "manifest" => reads::<wire::Manifest>(&document),
            "completion" => reads::<wire::Completion>(&document),
            "verdict" => check::<wire::ClaimVerdict>(&document),
            "patrol" => check::<wire::Patrol>(&document),
            "patrol-state" => check::<wire::PatrolState>(&document),
            other => panic!("{other} isn't read here"),
        }
    }
}

#[test]
fn a_check_gives_its_sessions_typed() {
    let mut check = samples::check();
    let ids = |check: &wire::Check| -> Vec<String> {
        check.reports().unwrap().into_iter().flat_map(|report| report.cases).map(|case| case.id).collect()
    };
    assert_eq!(ids(&check), ["tests::one"]);
    check
        .set_reports(&[samples::parsed(&[("a", Status::Failed)]), samples::parsed(&[("b", Status::Todo)])])
        .unwrap();
    assert_eq!(ids(&check), ["a", "b"]);
    check.report = None;
    assert_eq!(ids(&check), [""; 0]);
    check.report = Some(serde_json::value::to_raw_value(&json!({"schema": "redgreen/report/2"})).unwrap());
    assert!(matches!(check.reports(), Err(wire::ReadError::Newer { .. })));
}

#[test]
fn a_record_has_the_keys_of_the_contract() {
    let record = serde_json::to_value(samples::evidence("red", None, true)).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    let mut want: Vec<&str> = "schema task stage attempt phase started_at finished_at tool environment plan_sha256 \
        frozen_sha256 rebinds changes checks problems notes rules fingerprint fingerprints files hashed left_out \
        freeze_allow guard_ignore claim passed previous"
        .split_whitespace()
        .collect();
    want.sort_unstable();
    assert_eq!(keys(&record), want.join(" "));
    let mut want: Vec<&str> =
        "id repository phase parser check_sha256 command program sources identities exit_code \
        signal duration_seconds passed problems notes reason witness environment_removed services output \
        output_sha256 output_bytes output_truncated report"
            .split_whitespace()
            .collect();
    want.sort_unstable();
    assert_eq!(keys(&record["checks"][0]), want.join(" "));
}

#[test]
fn a_verdict_on_a_claim_has_the_keys_of_the_contract() {
    let verdict = wire::write(&samples::claim_verdict()).unwrap();
    let keys: Vec<String> = String::from_utf8(verdict)
        .unwrap()
        .split(",\"")
        .filter_map(|part| Some(part.split_once("\":")?.0.trim_start_matches("{\"").to_owned()))
        .collect();
    let want = "schema claim claim_sha256 dialect claimed status reopened rerun conditions result source detail problems \
        message pending_actions broken_rung judged_at";
    assert_eq!(keys.join(" "), want.split_whitespace().collect::<Vec<_>>().join(" "));
}

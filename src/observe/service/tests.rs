use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;

use super::*;
use crate::plan::{Page, Ready};

fn service(script: &str, ready: Ready) -> Service {
    let command = ["sh", "-c", script].map(str::to_owned).to_vec();
    Service { id: "api".to_owned(), command, ready, timeout: Duration::from_secs(20) }
}

fn pattern(text: &str) -> Ready {
    Ready::Pattern(crate::plan::patterns::pattern(text).unwrap())
}

#[test]
fn a_line_is_seen_without_its_escapes_and_on_either_stream() {
    let folder = tempfile::tempdir().unwrap();
    for script in [r"printf '\033[32mup\033[0m now\n'; sleep 600", "echo up now >&2; exec sleep 600"] {
        let plan = [service(script, pattern("^up now$"))];
        let mut services = Services::of(&plan, folder.path().into(), folder.path().into());
        let needed = ["api".to_owned()];
        services.start(&needed, &Cancel::never()).unwrap();
        assert_eq!(services.lost(&needed), [""; 0]);
        services.end_all_but(&[]);
        let facts = services.facts(&needed);
        assert!(facts[0].lasted && facts[0].ready.is_some(), "{facts:?}");
        assert_eq!(services.start(&[], &Cancel::never()), Ok(()));
    }
}

#[test]
fn being_told_to_stop_ends_the_wait() {
    let folder = tempfile::tempdir().unwrap();
    let plan = [service("exec sleep 600", pattern("never"))];
    let mut services = Services::of(&plan, folder.path().into(), folder.path().into());
    let cancel = Cancel::on_demand().unwrap();
    cancel.stop(2);
    let needed = ["api".to_owned()];
    assert_eq!(services.start(&needed, &cancel), Ok(()));
    services.end_all_but(&[]);
    assert_eq!(services.facts(&needed)[0].ready, None);
}

#[test]
fn a_file_that_was_there_before_says_nothing() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("up"), "").unwrap();
    let ready = Ready::File("up".to_owned());
    let probe = Probe::of(&ready, folder.path());
    let output = Output::until(&ready);
    assert!(!probe.is_ready(&output));
    let later = std::time::SystemTime::now() + Duration::from_secs(5);
    std::fs::File::options()
        .append(true)
        .open(folder.path().join("up"))
        .unwrap()
        .set_modified(later)
        .unwrap();
    assert!(probe.is_ready(&output));
}

#[test]
fn a_page_is_ready_by_its_status() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let answers = [("HTTP/1.1 200 OK\r\n\r\n", true), ("HTTP/1.0 301 Moved\r\n\r\n", true)];
    let refusals = [("HTTP/1.1 503 Not yet\r\n\r\n", false), ("SSH-2.0-x\r\n", false), ("", false)];
    let all: Vec<_> = answers.into_iter().chain(refusals).collect();
    let server = {
        let all = all.clone();
        std::thread::spawn(move || {
            for (answer, _) in all {
                let (mut stream, _) = listener.accept().unwrap();
                let lines = BufReader::new(&stream).lines().map(Result::unwrap);
                let request: Vec<_> = lines.take_while(|line| !line.is_empty()).collect();
                assert_eq!(request[0], "GET /up HTTP/1.0");
                stream.write_all(answer.as_bytes()).unwrap();
            }
        })
    };
    let ready = Ready::Http(Page { address, path: "/up".to_owned() });
    let probe = Probe::of(&ready, std::path::Path::new("/"));
    let output = Output::until(&ready);
    for (answer, want) in all {
        assert_eq!(probe.is_ready(&output), want, "{answer}");
    }
    server.join().unwrap();
    assert!(!probe.is_ready(&output));
}

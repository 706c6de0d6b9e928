//! What goes and what stays, and that lines stay lines.

use std::io::Write as _;

use super::*;

const TOKEN: &str = "ghp_·16C7e42F292c69C2E7C10c838347Ae178B4a";

fn redactor() -> Redactor {
    Redactor::new([
        "correct horse battery".to_owned(),
        "a\"quoted\\one".to_owned(),
        "short".to_owned(),
        "assertion".to_owned(),
    ])
}

#[track_caller]
fn check(text: &str, want: &str) {
    let text = text.replace('·', "");
    let got = redactor().text(text.as_bytes()).into_owned();
    assert_eq!(String::from_utf8(got).unwrap(), want);
}

#[test]
fn secrets_become_a_word() {
    check(&format!("use {TOKEN} now\n"), "use [redacted:github-token] now\n");
    check("correct horse battery staple", "[redacted:variable] staple");
    check("{\"x\":\"a\\\"quoted\\\\one\"}", "{\"x\":\"[redacted:variable]\"}");
    check("short assertion error\n", "short assertion error\n");
    check("postgres://app:Tr0ub4dor-9x@db/x", "postgres://app:[redacted:url-password]@db/x");
    check("", "");
}

#[test]
fn a_key_goes_line_by_line() {
    let line = "MC4CAQAwBQYDK2VwBCIEIBftnHPp22SewYmmEoMcX8VwI4IHwaqd+9LFPj/15eqF";
    let key =
        format!("E   -----BEGIN ·PRIVATE KEY-----\nE   {line}\r\nE   abcd\nE   -----END PRIVATE KEY-----\n");
    let want = "E   -----BEGIN PRIVATE KEY-----\n[redacted:private-key]\r\n[redacted:private-key]\nE   -----END PRIVATE KEY-----\n";
    check(&key, want);
}

#[test]
fn the_number_of_lines_never_changes() {
    let key = "-----BEGIN RSA PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIBftnHPp22SewYmmEoMcX8VwI4IHwaqd+9LFPj/15eqF\n\n\nx\n";
    for text in [key, "\n\n", "correct horse battery\ncorrect horse battery", "token = \"a\nb\""] {
        let lines = |text: &[u8]| text.iter().filter(|byte| **byte == b'\n').count();
        assert_eq!(lines(&redactor().text(text.as_bytes())), lines(text.as_bytes()), "{text}");
    }
}

#[test]
fn what_comes_in_pieces_is_redacted_as_a_whole() {
    let line = "MC4CAQAwBQYDK2VwBCIEIBftnHPp22SewYmmEoMcX8VwI4IHwaqd+9LFPj/15eqF";
    let text = format!("a {TOKEN}\n-----BEGIN ·PRIVATE KEY-----\n{line}\n{line}\n-----END PRIVATE KEY-----\nb correct horse battery")
        .replace('·', "");
    let redactor = redactor();
    let whole = redactor.text(text.as_bytes()).into_owned();
    for size in [1, 7, 64, 1000] {
        let mut out = Vec::new();
        let mut redacting = Redacting::new(&mut out, &redactor);
        for piece in text.as_bytes().chunks(size) {
            redacting.write_all(piece).unwrap();
        }
        redacting.finish().unwrap();
        assert_eq!(out.as_bstr(), whole.as_bstr(), "{size}");
    }
}

#[test]
fn names_of_files_lose_only_what_has_the_form_of_a_secret() {
    assert_eq!(
        name(b"src/password_reset/correct horse battery").as_ref(),
        b"src/password_reset/correct horse battery"
    );
    let token = TOKEN.replace('·', "");
    assert_eq!(name(format!("a/{token}.txt").as_bytes()).as_ref(), b"a/[redacted:github-token].txt");
}

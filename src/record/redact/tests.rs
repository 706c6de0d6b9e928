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

#[test]
fn values_go_as_others_write_them() {
    let redactor = Redactor::new(["it's \"quoted\" & é".to_owned()]);
    for written in [
        r#"it's \"quoted\" & é"#,
        r#"it's \"quoted\" & \u00e9"#,
        r#"it\'s "quoted" & é"#,
        "it&#39;s &quot;quoted&quot; &amp; é",
        "it%27s%20%22quoted%22%20%26%20%C3%A9",
        r#"'it'\''s "quoted" & é'"#,
    ] {
        let text = redactor.text(written.as_bytes()).into_owned();
        assert_eq!(text.trim_with(|sign| sign == '\''), b"[redacted:variable]", "{written}");
    }
}

#[test]
fn a_document_is_asked_for_what_its_strings_say() {
    let token = TOKEN.replace('·', "");
    let key = "-----BEGIN ·RSA PRIVATE KEY-----\n  MC4CAQAwBQYDK2VwBCIEIBftnHPp22SewYmmEoMcX8VwI4IHwaqd+9LFPj/15eqF\n".replace('·', "");
    for text in [format!("\u{1b}[1m{token}"), format!("\u{b}{token}\u{8}"), key, "a\"quoted\\one".to_owned()]
    {
        let json = serde_json::to_string(&text).unwrap();
        assert!(redactor().finds_in_json(json.as_bytes()), "{json}");
    }
    assert!(!redactor().finds_in_json(br#"{"a":"b\n\u001b[1m"}"#));
}

#[test]
fn what_was_cut_within_a_secret_keeps_nothing_of_it() {
    let token = TOKEN.replace('·', "");
    let cut = |text: &str| {
        let mut text = text.to_owned();
        let limit = text.len();
        redactor().beginning(&mut text, limit);
        text
    };
    for length in 6..token.len() {
        assert_eq!(cut(&format!("got '{}", &token[..length])), "got '[redacted:cut]");
    }
    assert_eq!(cut(&format!("got {token}")), "got [redacted:github-token]");
    for value in ["correct horse", "corr"] {
        assert_eq!(cut(&format!("x={value}")), "x=[redacted:cut]");
    }
    assert_eq!(cut("https://app:Tr0ub"), "[redacted:cut]");
    assert_eq!(cut("nothing of the kind"), "nothing of the kind");
    // What is whole isn't cut.
    let mut whole = format!("got {}", &token[..20]);
    redactor().beginning(&mut whole, 100);
    assert!(whole.ends_with(&token[..20]));
}

#[test]
fn what_a_text_calls_a_secret_goes_from_others() {
    let (redactor, secret) = (redactor(), "Zq8Lm2Xv7Rt4Wp9Ks3Hd");
    let output = format!("api_key: {secret}\n\u{1b}[1m{TOKEN}\nredis://a:b1@c\n").replace('·', "");
    let knowing = redactor.knowing([output.as_str()]);
    let token = TOKEN.replace('·', "");
    for (text, want) in [
        (format!("expected {secret}, got 1"), "expected [redacted:variable], got 1"),
        (format!("x{token}y"), "x[redacted:variable]y"),
        ("correct horse battery".to_owned(), "[redacted:variable]"),
        ("b1".to_owned(), "b1"),
    ] {
        assert_eq!(knowing.text(text.as_bytes()).as_bstr(), want);
    }
    assert_eq!(redactor.text(secret.as_bytes()), secret.as_bytes());
    assert!(matches!(redactor.knowing(["nothing"]), Cow::Borrowed(_)));
}

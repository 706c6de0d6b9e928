//! Every kind finds its examples and passes over its counterexamples; keys over several lines; what overlaps.

use super::kinds::File;
use super::*;

/// The kinds found in a text, each with what was found. A `·` in it only keeps scanners away.
fn found(text: &str) -> Vec<(&'static str, String)> {
    let text = text.replace('·', "");
    secrets(text.as_bytes()).into_iter().map(|secret| (secret.kind, text[secret.range].to_owned())).collect()
}

#[track_caller]
fn check(text: &str, want: &[(&str, &str)]) {
    let want: Vec<_> = want.iter().map(|(kind, secret)| (*kind, secret.replace('·', ""))).collect();
    assert_eq!(found(text), want, "{text}");
}

#[test]
fn every_kind_finds_its_examples_and_nothing_in_its_counterexamples() {
    let file: File = toml::from_str(include_str!("kinds.toml")).unwrap();
    assert!(file.kinds.len() >= 40 && file.kinds.len() < 256, "{}", file.kinds.len());
    let mut wrong = Vec::new();
    let mut ids = std::collections::BTreeSet::new();
    for kind in &file.kinds {
        let id = kind.id.as_str();
        assert!(ids.insert(id), "{id} is there twice");
        assert!(kind.regex().is_some(), "{id}: the pattern is none");
        assert!(!kind.example.is_empty() && !kind.counterexample.is_empty(), "{id}");
        for (examples, wanted) in [(&kind.example, true), (&kind.counterexample, false)] {
            for example in examples {
                let found = found(example);
                if found.iter().any(|(found, _)| *found == id) != wanted {
                    let word = if wanted { "misses" } else { "finds" };
                    wrong.push(format!("{id} {word} {example}: {found:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_secret_is_found_whatever_stands_around_it() {
    let token = "ghp_·16C7e42F292c69C2E7C10c838347Ae178B4a";
    let want = &[("github-token", token)][..];
    for (before, after) in [
        ("", ""),
        ("TOKEN_", ""),
        ("\"", "\""),
        ("\x1b[33m", "\x1b[0m"),
        ("a\n  b\t", "\r\nc"),
        ("'\\n", "\\n'"),
        ("--token=", " --x"),
        ("ünicode ", "é"),
        ("\\u001b[33m", "\\u001b[0m"),
        ("\\x1b[1;33m", "\\x1b[0m"),
        ("\\033[33m", "\\033[0m"),
        ("\\f", "\\f"),
        ("\\u000a", "\\u0022"),
        ("\\x0a", "\\x0a"),
        ("q=a%20", "%20b"),
        ("https://x:", "@github.com/a.git"),
    ] {
        check(&format!("{before}{token}{after}"), want);
    }
    check(&format!("{token} {token}"), &[("github-token", token), ("github-token", token)]);
    check(&format!("a{token}"), &[]);
}

#[test]
fn a_private_key_is_found_over_its_lines() {
    let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
    let mark = |word: &str| format!("-----{word} ·RSA PRIVATE KEY-----");
    let (begin, end) = (mark("BEGIN"), mark("END"));
    let body = format!("\n{line}\n{line}\nMzEfYyjiWA4R4=\n");
    check(&format!("x\n{begin}{body}{end}\ny"), &[("private-key", &body)]);
    // Its end is missing.
    check(&format!("{begin}{body}no more of it here\n"), &[("private-key", body.trim_end())]);
    // In a log, and in a string.
    let logged = format!("\nE   {line}\nE   {line}\n");
    check(&format!("E   {begin}{logged}E   {end}"), &[("private-key", &logged)]);
    let written = format!("\\n{line}\\n");
    check(&format!("key = \"{begin}{written}{end}\""), &[("private-key", &written)]);
    // The mark alone is none, nor is a public key.
    check(&format!("if text.starts_with(\"{begin}\") {{"), &[]);
    check(&format!("{begin}\n...\n{end}"), &[]);
    check(&format!("-----BEGIN PUBLIC KEY-----{body}-----END PUBLIC KEY-----"), &[]);
}

#[test]
fn a_key_has_headers_and_may_have_lost_its_beginning() {
    let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
    let body = format!("{line}\n{line}\nMzEfYyjiWA4R4=\n");
    for (label, headers) in [
        (
            "RSA ·PRIVATE KEY",
            "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF0123456789ABCDEF\n\n",
        ),
        ("PGP ·PRIVATE KEY BLOCK", "Version: GnuPG v2\nComment: of a test\n\n"),
        ("PGP ·PRIVATE KEY BLOCK", "\n"),
        ("SSH2 ENCRYPTED ·PRIVATE KEY", "Comment: \"rsa-key\"\n"),
    ] {
        let key = format!("-----BEGIN {label}-----\n{headers}{body}-----END {label}-----\n");
        let found_in = |text: &str| {
            let found = found(text);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            found.into_iter().next().unwrap().1
        };
        assert!(found_in(&key).ends_with(&body), "{label}");
        assert!(found_in(&key.replace('\n', "\r\n")).contains(line), "{label}");
        let written = key.replace('\n', "\\n");
        assert!(found_in(&format!("key = \"{written}\"")).ends_with(&body.replace('\n', "\\n")), "{label}");
        let logged: String = key.lines().map(|line| format!("12:00 | {line}\n")).collect();
        assert_eq!(found_in(&logged).matches(line).count(), 2, "{label}");
        // What was before it is cut off.
        let tail = format!("{line}\n{line}\nMzEfYyjiWA4R4=\n-----END {label}-----\n");
        assert_eq!(found_in(&format!("[… 99 bytes left out …]\n{tail}")), body, "{label}");
    }
    // What is behind it is cut off.
    let begun = format!("-----BEGIN ·RSA PRIVATE KEY-----\n{line}\n{line}\n");
    let key = format!("\n{line}\n{line}");
    let noise = format!("{}\n", "y".repeat(63)).repeat(200);
    check(&format!("{begun}[… 99 bytes left out …]\n{noise}"), &[("private-key", &key)]);
    assert!(found(&format!("{begun}{noise}"))[0].1.starts_with(&key));
    check("x\n-----END ·RSA PRIVATE KEY-----\n", &[]);
    check(&format!("{line}\n{line}\n-----END CERTIFICATE-----\n"), &[]);
}

#[test]
fn a_long_line_is_looked_at_around_its_words() {
    let token = "ghp_·16C7e42F292c69C2E7C10c838347Ae178B4a";
    for gap in [0, 100, LONGEST / 2, LONGEST - 40, LONGEST, 5 * LONGEST] {
        let text = format!("{}{token} {}{token}\n{token}", "x ".repeat(gap / 2), "sk-y ".repeat(gap / 5));
        check(&text, &[("github-token", token); 3]);
    }
}

#[test]
fn long_lines_and_strange_bytes_are_read_once() {
    let mut text = b"sk-".repeat(200_000);
    text.extend(b"\n-----BEGIN ".repeat(10_000));
    for mark in ["BEGIN", "END"] {
        text.push(b'\n');
        text.extend(["-----", mark, " PRIVATE KEY-----"].concat().repeat(20_000).bytes());
    }
    text.extend((0..=255_u8).cycle().take(100_000));
    text.extend(b"password=".repeat(50_000));
    assert_eq!(secrets(&text), []);
    assert_eq!(secrets(b""), []);
}

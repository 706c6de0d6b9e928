//! What names a finding: it stays when the line moves, and who reads it learns nothing of a secret.

use bstr::BStr;

use crate::digest::Sha256;

/// So often is a secret hashed: guessing a weak one from its fingerprint costs as much for each guess.
const ROUNDS_OF_A_SECRET: u32 = 1 << 14;

/// A line may hold a secret that nobody knows for one.
const ROUNDS_OF_A_LINE: u32 = 1 << 10;

/// The fingerprint of a secret in a file. Kind, repository and path go into it, so that neither a table of hashes nor
/// one allowed finding serves for another file.
pub(super) fn of_secret(kind: &str, repository: &str, path: &BStr, value: &[u8]) -> String {
    // A private key that is indented anew is the same.
    let value: Vec<u8> = value.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    fingerprint(&[b"secret", kind.as_bytes(), repository.as_bytes(), path, &value], ROUNDS_OF_A_SECRET)
}

/// The fingerprint of a line that a rule found. How far it is indented doesn't count.
pub(super) fn of_line(rule: &str, repository: &str, path: &BStr, line: &[u8]) -> String {
    fingerprint(&[b"rule", rule.as_bytes(), repository.as_bytes(), path, line.trim_ascii()], ROUNDS_OF_A_LINE)
}

fn fingerprint(parts: &[&[u8]], rounds: u32) -> String {
    let mut bytes = Vec::new();
    for part in parts {
        bytes.extend_from_slice(part);
        bytes.push(0);
    }
    let mut hash = Sha256::of(&bytes);
    for _ in 1..rounds {
        hash = Sha256::of(&hash.0);
    }
    let mut hex = hash.to_string();
    hex.truncate(32);
    hex
}

//! Which variables hold secrets, by their names.

/// Parts of a name that say so, wherever they stand.
const PARTS: &[&str] = &[
    "SECRET",
    "TOKEN",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "APIKEY",
    "API_KEY",
    "ACCESS_KEY",
    "PRIVATE_KEY",
    "AUTH_KEY",
    "SIGNING_KEY",
    "ENCRYPTION_KEY",
];

/// Words of a name that say so when they stand alone between `_`.
const WORDS: &[&str] = &["KEY", "PASS", "PWD", "AUTH", "PAT", "COOKIE", "DSN"];

/// Names that hold such a word and no secret.
const HARMLESS: &[&str] = &["PWD", "OLDPWD", "SSH_AUTH_SOCK", "VERIFY_PLAN", "KEY"];

/// Whether the name of a variable says that its value is a secret.
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    if HARMLESS.contains(&upper.as_str()) {
        return false;
    }
    PARTS.iter().any(|part| upper.contains(part))
        || upper.split(['_', '-', '.']).any(|word| WORDS.contains(&word))
}

/// Words that reports are made of. A variable with one of them as its value would blot out every report.
const OF_REPORTS: &[&str] = &[
    "assertion",
    "exception",
    "teardown",
    "collection",
    "interrupted",
    "complete",
    "truncated",
    "deselected",
    "completeness",
    "duration_seconds",
    "failures",
    "problems",
    "identities",
    "repository",
    "fingerprint",
    "unittest",
    "redgreen",
    "expected",
    "accepted",
    "rejected",
    "disagrees",
    "not-asked",
    "blocking",
    "advisory",
];

/// Whether a value is taken out: eight characters or more, and no word of a report.
pub(super) fn is_worth_hiding(value: &str) -> bool {
    const FEWEST: usize = 8;
    let is_redacted = value.starts_with(super::MARK);
    value.chars().count() >= FEWEST && !OF_REPORTS.contains(&value) && !is_redacted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_it() {
        for secret in [
            "GITHUB_TOKEN",
            "DB_PASSWORD",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_ACCESS_KEY_ID",
            "STRIPE_KEY",
            "npm_config__authToken",
            "APP_PASS",
            "SENTRY_DSN",
            "apiKey",
            "VERIFY_APPROVE_TOKEN",
            "GH_PAT",
            "BASIC_AUTH",
        ] {
            assert!(is_secret_name(secret), "{secret}");
        }
        for other in [
            "PWD",
            "OLDPWD",
            "SSH_AUTH_SOCK",
            "GIT_AUTHOR_NAME",
            "KEYBOARD",
            "MONKEY",
            "PATH",
            "COMPASS",
            "HOME",
            "XAUTHORITY",
            "LESSKEYIN",
            "DESKTOP_SESSION",
        ] {
            assert!(!is_secret_name(other), "{other}");
        }
    }

    #[test]
    fn short_values_and_words_of_reports_stay() {
        for (value, hidden) in
            [("hunter2", false), ("hunter22", true), ("assertion", false), ("ünicöde8", true)]
        {
            assert_eq!(is_worth_hiding(value), hidden, "{value}");
        }
    }
}

//! What makes a check the check that it is.

use serde_json::json;

use super::model::{Check, Identities};
use crate::digest::Sha256;

impl Check {
    /// The SHA-256 of the check's definition: an accepted red stays valid while this is unchanged.
    ///
    /// It is taken over one JSON object in UTF-8, without blanks, its keys in this order:
    /// `approved_skip_reason`, `command`, `cwd`, `env` (an object in order of its names), `failure_pattern`,
    /// `identities` (`"any"` or a list), `parser` (always a list), `report`, `success_pattern`. What the plan doesn't
    /// give has its default there; no pattern and no report are `""`. Only `"`, `\` and control characters are escaped,
    /// in their shortest form. Timeouts, limits and phases are not in it: they change how a check runs, not what it
    /// proves.
    ///
    /// The check `{command = ["true"], parser = "tap", identities = "any"}` is
    /// `{"approved_skip_reason":"","command":["true"],"cwd":".","env":{},"failure_pattern":"","identities":"any","parser":["tap"],"report":"","success_pattern":""}`,
    /// and its hash `a0f438ff90cc384a2f0bfe251cf72db6dc8f3eeaf1d5a0b94badd1553d1603a8`.
    #[must_use]
    pub fn sha256(&self) -> Sha256 {
        let pattern = |regex: &Option<regex::bytes::Regex>| {
            regex.as_ref().map_or_else(String::new, |regex| regex.as_str().to_owned())
        };
        let identities = match &self.identities {
            Identities::Any => json!("any"),
            Identities::Named(names) => json!(names),
        };
        let definition = json!({
            "approved_skip_reason": self.approved_skip_reason,
            "command": self.command,
            "cwd": self.cwd,
            "env": self.env,
            "failure_pattern": pattern(&self.failure_pattern),
            "identities": identities,
            "parser": self.parsers,
            "report": self.report,
            "success_pattern": pattern(&self.success_pattern),
        });
        Sha256::of(definition.to_string().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use crate::plan::{Check, Source, read};

    fn check(lines: &str) -> Check {
        let text = format!("version = 1\n[[checks]]\nid = \"a\"\n{lines}\n");
        let source = Source { name: "verify.toml", text: text.as_bytes(), folder_name: "a" };
        read(&source).unwrap().checks.remove(0)
    }

    const LEAST: &str = "command = [\"true\"]\nparser = \"tap\"\nidentities = \"any\"";

    // Both hashes are from Python: `json.dumps(…, sort_keys=True, separators=(",", ":"), ensure_ascii=False)`.
    #[test]
    fn the_hash_is_that_of_another_language() {
        let least = "a0f438ff90cc384a2f0bfe251cf72db6dc8f3eeaf1d5a0b94badd1553d1603a8";
        assert_eq!(check(LEAST).sha256().to_string(), least);
        let whole = check(
            r#"
            approved_skip_reason = "no \"net\""
            command = ["python3", "-c", "\t\u0001\u007fé\\"]
            cwd = "sub"
            env = { B = "ü", A = "1" }
            parser = "generic"
            identities = ["a", "b"]
            failure_pattern = '^FAIL'
            success_pattern = '^all \w+$'
            "#,
        );
        let hash = "4c106b8274a6adf29550f036af16d688c367e931d11c4dc69d71d4bae091bf36";
        assert_eq!(whole.sha256().to_string(), hash);
    }

    #[test]
    fn what_a_check_proves_counts_and_how_it_runs_does_not() {
        let hash = |more: &str| check(&format!("{LEAST}\n{more}")).sha256();
        for same in [
            "timeout = \"1h\"",
            "inactivity_timeout = \"1m\"",
            "output_limit = 5",
            "phases = [\"green\"]",
            "witness = \"off\"",
        ] {
            assert_eq!(hash(same), hash(""), "{same}");
        }
        for other in ["cwd = \"sub\"", "env = { A = \"\" }", "approved_skip_reason = \"slow\""] {
            assert_ne!(hash(other), hash(""), "{other}");
        }
    }
}

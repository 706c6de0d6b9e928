//! Where things lie in the state folder.

use std::path::{Path, PathBuf};

/// The state folder.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub(super) folder: PathBuf,
}

impl Layout {
    pub(super) fn evidence(&self) -> PathBuf {
        self.folder.join("evidence")
    }

    pub(super) fn maps(&self) -> PathBuf {
        self.folder.join("maps")
    }

    pub(super) fn cache(&self) -> PathBuf {
        self.folder.join("cache")
    }

    pub(super) fn log(&self) -> PathBuf {
        self.folder.join("log.jsonl")
    }

    pub(super) fn lock(&self) -> PathBuf {
        self.folder.join("lock")
    }

    pub(super) fn gitignore(&self) -> PathBuf {
        self.folder.join(".gitignore")
    }

    pub(super) fn task(&self) -> PathBuf {
        self.folder.join("task.json")
    }

    pub(super) fn frozen(&self) -> PathBuf {
        self.folder.join("frozen.json")
    }

    /// A record by its file name.
    pub(super) fn record(&self, name: &str) -> PathBuf {
        self.evidence().join(name)
    }

    /// A record that isn't in place yet.
    pub(super) fn staged_record(&self, name: &str) -> PathBuf {
        self.evidence().join(format!("{name}.tmp"))
    }

    /// What comes into place together with a record: the staged file, and its place.
    pub(super) fn companions(&self, name: &str) -> [(PathBuf, PathBuf); 3] {
        let staged = |what| self.evidence().join(format!("{name}.{what}.tmp"));
        [
            (staged("intoto"), self.attestation(name)),
            (staged("frozen"), self.frozen()),
            (staged("task"), self.task()),
        ]
    }

    /// The signed statements about a record. Their name doesn't end as that of a record.
    pub(super) fn attestation(&self, name: &str) -> PathBuf {
        let stem = name.strip_suffix(".json").unwrap_or(name);
        self.evidence().join(format!("{stem}.intoto.jsonl"))
    }

    /// The transcript of a check of a record.
    pub(super) fn transcript(&self, name: &str, check: &str) -> PathBuf {
        let stem = name.strip_suffix(".json").unwrap_or(name);
        self.evidence().join(format!("{stem}.{check}.log"))
    }
}

/// Whether a name directly below the state folder is one of those above.
pub(super) fn is_ours(name: &str) -> bool {
    const NAMES: [&str; 8] =
        ["evidence", "maps", "cache", "log.jsonl", "lock", ".gitignore", "task.json", "frozen.json"];
    NAMES.contains(&name.strip_suffix(".tmp").unwrap_or(name))
}

/// The file name of a stage's record.
pub(super) fn record_name(stage: &str, number: u32) -> String {
    format!("{stage}-{number:04}.json")
}

/// The stage and the number in a record's file name. `None`: it is no such name.
pub(super) fn parse_record_name(name: &str) -> Option<(&str, u32)> {
    let (stage, digits) = name.strip_suffix(".json")?.rsplit_once('-')?;
    let number = digits.parse().ok()?;
    (is_id(stage) && record_name(stage, number) == name).then_some((stage, number))
}

/// Whether a word can be part of a file name here, as every id of a plan can.
pub(super) fn is_id(word: &str) -> bool {
    let plain =
        |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'_' | b'-');
    word.len() <= 64
        && word.bytes().next().is_some_and(|first| first.is_ascii_lowercase() || first.is_ascii_digit())
        && word.as_bytes().iter().all(plain)
}

/// The path with something at the end of its name.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_names() {
        for (name, want) in [
            ("red-0001.json", Some(("red", 1))),
            ("my-stage-12345.json", Some(("my-stage", 12345))),
            ("red-1.json", None),
            ("red-00001.json", None),
            ("red-0001.json.tmp", None),
            ("../red-0001.json", None),
            ("-0001.json", None),
            ("red.json", None),
        ] {
            assert_eq!(parse_record_name(name), want, "{name}");
        }
    }
}

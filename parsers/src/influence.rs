//! What steers a runner without being a test, as data: the `[influence]` table of a grammar file.

use serde::Deserialize;

/// Files, and parts of files, that can change what a runner does.
#[derive(Debug, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct Influence {
    /// Words of a command that mean this runner, so that its lists count for a check whose parser doesn't tell.
    pub commands: Vec<String>,
    /// Whole files.
    pub files: Vec<FileRule>,
    /// Parts of files that hold other things too.
    pub slices: Vec<SliceRule>,
    /// Python modules of these names at the top of a folder on the import path.
    pub modules: Vec<String>,
    /// Keys of a configuration whose values name files that the runner loads.
    pub setup: Vec<String>,
    /// Options whose values name Python modules that the runner loads.
    pub plugins: Vec<String>,
}

/// Whole files of these names.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileRule {
    /// Names; `*` stands for any text. One with a slash is the end of a path, and `*` crosses slashes.
    pub names: Vec<String>,
    /// Where they count.
    pub place: Place,
    /// They count only when the command holds one of these words; none: always.
    #[serde(default)]
    pub when: Vec<String>,
    /// They are configurations, whose values name other files that the runner loads: those count too.
    #[serde(default)]
    pub names_files: bool,
    /// They steer the product as well, so that a change is worth knowing and no reason to reject.
    #[serde(default)]
    pub shared: bool,
}

/// A part of the files of one name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SliceRule {
    /// The name, as in [`FileRule::names`].
    pub file: String,
    /// Where they count.
    pub place: Place,
    /// Which part.
    pub keep: Keep,
    /// As in [`FileRule::when`].
    #[serde(default)]
    pub when: Vec<String>,
}

/// Where a name counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// Anywhere in the work tree, but in installed packages.
    Anywhere,
    /// In the folder that the check runs in, those that its command names, and those above them.
    Upward,
    /// As `Upward`, and in each folder that holds a test and those above it.
    Collected,
    /// Below `test_paths`, where the part stands for the whole file, and beside a test.
    Tests,
}

/// Which part of a file counts.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keep {
    /// Keys of a TOML file, with dots; `*` stands for any key, or any element.
    Toml(Vec<String>),
    /// Keys of a JSON file, likewise.
    Json(Vec<String>),
    /// Sections of an INI file; `*` stands for any text.
    Ini(Vec<String>),
    /// Lines `key = value` of a file without sections, by their key.
    Settings(Vec<String>),
    /// The scripts of a `package.json` that the command reaches, with what runs before and after them.
    Scripts,
    /// The versions that a `package.json` asks for of these packages; `*` stands for any text.
    Versions(Vec<String>),
    /// Lines of a `.gitattributes` that set one of these.
    Attributes(Vec<String>),
    /// All of an XML file but elements of these names.
    Without(Vec<String>),
}

impl Influence {
    /// Whether it names nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.slices.is_empty() && self.modules.is_empty()
    }
}

//! INI files as Python's readers take them, and files of settings without sections.

use bstr::ByteSlice as _;
use redgreen_parsers::glob;

use super::Slice;

/// The sections whose names fit, each a slice: its settings in order of their keys.
pub(super) fn sections(bytes: &[u8], wanted: &[String]) -> Vec<Slice> {
    let mut slices: Vec<Slice> = Vec::new();
    let text = bytes.to_str_lossy();
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut section: Option<Section> = None;
    for line in text.lines() {
        if let Some(name) = header(line) {
            slices.extend(section.take().map(Section::end));
            section = wanted.iter().any(|pattern| glob(pattern, name)).then(|| Section::new(name));
        } else if let Some(section) = &mut section {
            section.line(line);
        }
    }
    slices.extend(section.map(Section::end));
    slices
}

/// The lines `key = value` with one of these keys, each a slice.
pub(super) fn settings(bytes: &[u8], keys: &[String]) -> Vec<Slice> {
    let text = bytes.to_str_lossy();
    let settings = text.lines().filter_map(|line| line.split_once('='));
    let settings = settings.map(|(key, value)| (key.trim(), value.trim()));
    settings
        .filter(|(key, _)| keys.iter().any(|wanted| wanted == key))
        .map(|(key, value)| Slice::new(key, value))
        .collect()
}

fn header(line: &str) -> Option<&str> {
    let rest = line.strip_prefix('[')?;
    rest.get(..rest.find(']')?)
}

struct Section {
    name: String,
    /// Key and value; a line that goes on belongs to the value before it.
    settings: Vec<(String, String)>,
}

impl Section {
    fn new(name: &str) -> Self {
        Self { name: name.to_owned(), settings: Vec::new() }
    }

    fn line(&mut self, line: &str) {
        let text = line.trim();
        if text.is_empty() || text.starts_with(['#', ';']) {
            return;
        }
        if line.starts_with([' ', '\t'])
            && let Some((_, value)) = self.settings.last_mut()
        {
            value.push('\n');
            value.push_str(text);
            return;
        }
        let (key, value) = text.split_once(['=', ':']).unwrap_or((text, ""));
        self.settings.push((key.trim().to_owned(), value.trim().to_owned()));
    }

    fn end(mut self) -> Slice {
        // Stable: of two settings of one key the order may count.
        self.settings.sort_by(|a, b| a.0.cmp(&b.0));
        let lines = self.settings.iter().map(|(key, value)| format!("{key}={value}\n"));
        Slice::new(format!("[{}]", self.name), lines.collect::<String>())
    }
}

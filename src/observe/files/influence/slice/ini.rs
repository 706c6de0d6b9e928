//! INI files by their sections, and files of settings without sections.

use bstr::ByteSlice as _;
use redgreen_parsers::glob;

use super::Slice;
use crate::observe::ini;

/// The sections whose names fit, each a slice: its settings in order of their keys.
pub(super) fn sections(bytes: &[u8], wanted: &[String]) -> Vec<Slice> {
    let text = bytes.to_str_lossy();
    let sections = ini::sections(&text).into_iter();
    sections.filter(|section| wanted.iter().any(|pattern| glob(pattern, section.name))).map(slice).collect()
}

fn slice(mut section: ini::Section<'_>) -> Slice {
    // Stable: of two settings of one key the order may count.
    section.settings.sort_by_key(|(key, _)| *key);
    let lines = section.settings.iter().map(|(key, value)| format!("{key}={value}\n"));
    Slice::new(format!("[{}]", section.name), lines.collect::<String>())
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

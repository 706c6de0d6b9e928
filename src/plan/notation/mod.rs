//! Reads TOML and JSON into the one tree.

mod json;
mod toml;

pub(super) use json::read as json;
pub(super) use toml::read as toml;

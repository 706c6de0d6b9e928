//! What is shown: text for people. Nothing is decided here.

pub mod evidence;
pub mod problems;
pub mod report;
pub mod text;
pub mod theme;

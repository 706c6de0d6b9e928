//! What is shown: text for people. Nothing is decided here.

pub mod evidence;
pub mod explain;
pub mod gate;
pub mod log;
pub mod patrol;
pub mod problems;
pub mod recognition;
pub mod report;
pub mod status;
pub mod text;
pub mod theme;

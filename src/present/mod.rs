//! What is shown. This room decides nothing.

pub mod problems;
pub mod report;
pub mod text;
pub mod theme;

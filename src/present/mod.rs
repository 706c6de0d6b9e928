//! What is shown. This room decides nothing.

pub mod problems;
pub mod report;
pub mod text;
pub mod theme;
//! What is shown: text for people, JSON and Markdown for tools. Nothing is decided here.

pub mod pages;

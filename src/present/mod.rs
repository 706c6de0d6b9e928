//! What is shown: text for people, JSON and Markdown for tools. Nothing is decided here.

pub mod pages;

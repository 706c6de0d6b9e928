//! What is kept: records, their store, and the JSON that every command speaks.
//!
//! - [`wire`] holds the shapes of the JSON, one type a document. They are apart from the types that judges work with,
//!   so that a change inside never changes what others read.
//! - [`schema`] describes these shapes as JSON Schema.
//! - [`store`] alone writes the state folder: under a lock, in steps that a kill at any instant can't spoil.
//! - [`attest`] signs deliveries, and checks signatures.
//! - [`redact`] is the one place that every saved text passes.
//!
//! Nothing here judges, and nothing reads a clock: times come in with what is recorded.

pub mod attest;
mod domain;
pub mod patrol;
pub mod redact;
pub mod schema;
pub mod store;
mod whole;
pub mod wire;

pub use domain::ignore_texts;
pub use whole::write_whole;

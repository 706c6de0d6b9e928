//! What is promised: `verify.toml`, read and validated. This room touches nothing but the text that it is given.

mod definition;
mod fault;
mod model;
mod node;
mod notation;
mod paths;
pub mod patterns;
mod read;
mod service;
mod source;
pub mod template;
pub mod units;

pub use fault::{Excerpt, Fault, FaultPlace, PlanError, nearest};
pub use model::{
    Access, Check, Deliver, Fingerprint, FingerprintOf, Flaky, Freeze, Guard, HeadPolicy, Identities, Level,
    Outcome, Phase, Plan, RebindPolicy, Repository, Rule, Sessions, Stage, Witness,
};
pub use paths::{BadGlob, ByRepository, PathSet};
pub use read::read;
pub use service::{Page, Ready, Service};
pub use source::Source;

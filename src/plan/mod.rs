//! What is promised: `verify.toml`, read and validated. This room touches nothing but the text that it is given.

mod model;
mod paths;

pub use model::{
    Access, Check, Deliver, Fingerprint, FingerprintOf, Flaky, Freeze, Guard, HeadPolicy, Identities,
    Outcome, Phase, Plan, RebindPolicy, Repository, Sessions, Stage, Witness,
};
pub use paths::{BadGlob, ByRepository, PathSet};

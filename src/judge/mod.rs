//! What to think of it: pure functions from observations to a verdict.
//!
//! [`red`] and [`green`] judge the run of a check, [`guards`] what moved in the work tree, [`evidence`] and its
//! neighbours whether a task can be delivered. [`help`] says what to do about what they find.

mod asserted;
mod code;
mod deliver;
mod ended;
mod findings;
mod freeze;
mod frozen;
pub mod gate;
mod green;
mod guards;
mod help;
mod identities;
mod inventory;
mod naming;
pub mod patrol;
mod progress;
mod reading;
pub mod recognition;
mod red;
mod red_only;
mod removed;
mod replay;
mod rules;
mod run;
mod say;
mod secrets;
mod stale;
#[cfg(test)]
mod tests;
mod verdict;
mod witness;

pub use asserted::counted;
pub use code::{Code, Family};
pub use deliver::{
    CheckStanding, Standing, empty_diff, evidence, reds_missing, rerun_failed, reruns, sealed,
};
pub use freeze::{
    Freezing, Rebind, RedCheck, RedRecord, ValidRed, freezing, idle_test_paths, influence_changed,
    nothing_frozen, rebind,
};
pub use frozen::{
    Baseline, BaselineFacts, FrozenFiles, FrozenSet, Influences, Maps, Preexisting, frozen_now,
};
pub use green::green;
pub use guards::{
    Guarded, Guards, InfluenceChange, PlanFile, Scope, after_run, frozen_changes, guards, influence_changes,
    maps_of, to_adopt, tree_moved,
};
pub use help::help;
pub use inventory::{InventoryCase, inventory, name_again, passed, unseen};
pub use progress::Progress;
pub use red::red;
pub use red_only::red_only;
pub use removed::name_removed;
pub use replay::{
    Replay, ReplayAnswer, ReplayedCheck, passes, product_changes, replayed, runs_in_copy, runs_the_copy,
    to_break, unlike_frozen,
};
pub use rules::{ChangedFile, RuleFinding, rule_findings, rule_problems};
pub use run::{Expectations, Reading, Run, TestFiles};
pub use secrets::{Secret, begun_secret, prepare as prepare_secrets, secrets};
pub use stale::{Fingerprints, Stale, is_fresh, moved, rests_on, stale};
pub use verdict::{Note, Place, Problem, Verdict};
pub use witness::{WitnessStanding, hidden_cases, witness_standing};

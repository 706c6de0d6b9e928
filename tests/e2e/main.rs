//! The built `verify`, driven from outside on real projects in temporary folders.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    unreachable_pub,
    reason = "tests say what went wrong by panicking"
)]

mod support;

mod adversary;
mod bad_input;
mod chain;
mod commands;
mod crash;
mod deliver;
mod editable;
mod gate;
mod guards;
mod influence;
mod loops;
mod moved;
mod newcomer;
mod patrol;
mod rebind;
mod recognize;
mod redaction;
mod replay;
mod reports;
mod rules;
mod services;
mod sessions;
mod shapes;
mod sign;
mod tasks;
mod witness;

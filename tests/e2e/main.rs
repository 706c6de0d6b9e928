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
mod guards;
mod influence;
mod loops;
mod moved;
mod newcomer;
mod rebind;
mod reports;
mod services;
mod sessions;
mod shapes;
mod tasks;
mod witness;

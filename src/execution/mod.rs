//! Concrete executions: built from an engine's choices and checked without a solver.

pub mod barrier;
pub mod build;
mod cluster;
pub mod recheck;
pub mod schedule;
mod turns;
mod unknown;

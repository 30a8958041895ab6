//! Concrete executions: built from an engine's choices and checked without a solver.

pub mod barriers;
pub mod build;
mod cluster_phase;
mod ordinals;
pub mod phase;
pub mod recheck;
pub mod refine;
pub mod schedule;
mod unknown;
mod wait_graph;

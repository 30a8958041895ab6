//! Bounded unfolding of programs into event graphs.

pub mod awaited;
pub mod barrier;
mod barrier_rules;
pub mod base;
mod condition;
mod control;
mod counted;
mod draft;
mod early;
mod elements;
mod exchange;
pub mod graph;
mod initial;
mod live;
mod loops;
mod meant;
mod meet;
mod memory;
mod non_coherent;
pub mod objects;
mod opaque;
mod phases;
mod pieces;
mod rounds;
mod tables;
pub mod unfold;
mod ways;

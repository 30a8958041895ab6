//! Bounded unfolding of programs into event graphs.

pub mod base;
mod condition;
mod control;
mod draft;
pub mod graph;
mod pieces;
pub mod unfold;

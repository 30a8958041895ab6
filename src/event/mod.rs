//! Bounded unfolding of programs into event graphs.

mod condition;
mod control;
mod draft;
pub mod graph;
mod pieces;
pub mod unfold;

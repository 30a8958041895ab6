//! Bounded unfolding of programs into event graphs.

pub mod graph;

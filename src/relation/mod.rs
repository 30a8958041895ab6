//! Relational algebra: the IR that models are lowered to, and what evaluates it.

pub mod expr;
